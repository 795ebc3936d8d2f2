"""Studies on a Dask cluster: the same bits as in this process; who is refused; workers that die."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

distributed = pytest.importorskip("distributed")

import loadpath as lp  # noqa: E402

ARM = lp.catalog.planar(2).with_payload(0.0)
SPACE = lp.Space({"payload.mass": lp.span("0 kg", "5 kg", 40)})
STATES = tuple(np.random.default_rng(0).normal(size=(3, 50, 2)))


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    options = {"n_workers": 1, "threads_per_worker": 2, "processes": False, "dashboard_address": None}
    with distributed.LocalCluster(**options) as local, distributed.Client(local) as made:
        yield made


def study(to: Path | None = None) -> Any:
    return lp.study(ARM, SPACE, STATES, answers=["joint1.drive", lp.Answer(lambda robot: robot.n, name="n")], to=to,
                    chunk=3)


def test_a_cluster_gives_the_same_bits(client: Any, tmp_path: Path) -> None:
    pytest.importorskip("zarr")
    here = study().run(threads=1)
    there = study(tmp_path / "arm.zarr").run(client)
    assert there.done
    np.testing.assert_array_equal(there.answer("joint1.drive"), here.answer("joint1.drive"))
    np.testing.assert_array_equal(there.answer("n"), np.full(40, 2.0))


def test_other_versions_are_refused(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from loadpath.studies import cluster

    monkeypatch.setattr(cluster, "__version__", "0.0.1")
    with pytest.raises(ValueError, match=r"of the cluster has loadpath .*, and here it is 0\.0\.1"):
        study().run(client)
    with pytest.raises(ValueError, match="leave one of the two out"):
        study().run(client, threads=2)


def test_workers_tell_robots_apart(client: Any) -> None:
    """Of two studies that differ in the robot alone, on the same workers."""
    asked: dict[str, Any] = {"answers": ["joint1.drive"], "chunk": 20}
    for robot in (ARM, ARM.with_gravity((0, 0, -1.62))):
        there = lp.study(robot, SPACE, STATES, **asked).run(client)
        np.testing.assert_array_equal(there.answer("joint1.drive"),
                                      lp.study(robot, SPACE, STATES, **asked).run(threads=1).answer("joint1.drive"))


def test_workers_without_loadpath_are_refused(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the study, and where they come while it runs."""
    from loadpath.studies import cluster

    with monkeypatch.context() as without:
        without.setitem(sys.modules, "loadpath", None)  # as the worker, a thread of this process, finds it
        with pytest.raises(ValueError, match=r"of the cluster has no loadpath: install loadpath .* there"):
            cluster.check_cluster(client)
    problem = study().problem
    with pytest.raises(ValueError, match="that came later of the cluster has loadpath"):
        cluster._compute(cluster._packed(problem), "new", {"loadpath": "0.0.1", "numpy": np.__version__}, 0, 1)
    assert "new" not in cluster._PROBLEMS


@pytest.mark.slow
def test_a_worker_that_dies_stops_nothing(tmp_path: Path) -> None:
    """Two processes, of which one is killed on the way."""
    pytest.importorskip("zarr")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as local, \
            distributed.Client(local) as made:
        pids = list(made.run(os.getpid).values())
        killed: list[int] = []

        def progress(share: float) -> None:
            if share > 0.3 and not killed:
                killed.append(pids[0])
                os.kill(pids[0], signal.SIGKILL)

        there = study(tmp_path / "arm.zarr").run(made, progress=progress)
    assert killed
    np.testing.assert_array_equal(there.answer("joint1.drive"), study().run(threads=1).answer("joint1.drive"))
