"""Many threads at once, other processes, Dask."""

from __future__ import annotations

import multiprocessing
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import cloudpickle
import dask
import dask.array as da
import numpy as np
import pytest
from numpy.testing import assert_array_equal

import loadpath as lp
from loadpath.engine import kernels
from loadpath.engine.program import Program


@pytest.fixture(scope="module")
def arm() -> lp.Robot:
    return lp.catalog.random_chain(3, 61, ["revolute", "spherical", "prismatic"], general=True)


def states(arm: lp.Robot, *batch: int) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(1)
    return rng.normal(size=(*batch, arm.nq)), rng.normal(size=(*batch, arm.n)), rng.normal(size=(*batch, arm.n))


# Threads


def test_first_calls_of_many_threads_compile_once_and_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    compilations = []
    original = kernels.llvm_text

    def counted(program: Program) -> str:
        compilations.append(program.name)
        return original(program)

    monkeypatch.setenv("LOADPATH_CACHE_DIR", "off")
    monkeypatch.setattr(kernels, "llvm_text", counted)
    robot = lp.catalog.planar(2, length=0.77)
    start = threading.Barrier(8)

    def first_call(k: int) -> np.ndarray:
        start.wait()
        return robot.gravity_forces(np.full(2, 0.1 * k))

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(first_call, range(8)))
    assert compilations == ["gravity_forces"]
    assert_array_equal(found, [robot.gravity_forces(np.full(2, 0.1 * k)) for k in range(8)])


def test_first_calls_of_different_functions_and_robots_at_once() -> None:
    robots = [lp.catalog.planar(2, length=0.5 + 0.01 * k) for k in range(3)]
    start = threading.Barrier(6)

    def call(k: int) -> np.ndarray:
        robot = robots[k % 3]
        start.wait()
        return robot.gravity_forces([0.1, 0.2]) if k < 3 else robot.link_poses([0.1, 0.2])[-1, :3, 3]

    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(call, range(6)))
    for k, robot in enumerate(robots):
        assert_array_equal(found[k], robot.gravity_forces([0.1, 0.2]))
        assert_array_equal(found[3 + k], robot.link_poses([0.1, 0.2])[-1, :3, 3])


def test_threads_do_not_disturb_each_other(arm: lp.Robot) -> None:
    q, qd, qdd = states(arm, 8, 5000)
    expected = [arm.inverse_dynamics(q[k], qd[k], qdd[k]) for k in range(8)]
    single = arm.inverse_dynamics(q[0, 0], qd[0, 0], qdd[0, 0])

    def work(k: int) -> bool:
        batches = all(np.array_equal(arm.inverse_dynamics(q[k], qd[k], qdd[k]), expected[k]) for _ in range(5))
        singles = all(np.array_equal(arm.inverse_dynamics(q[0, 0], qd[0, 0], qdd[0, 0]), single) for _ in range(500))
        return batches and singles

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))


# Processes


def _tau(task: tuple) -> np.ndarray:
    function, state = task
    return function(*state)


@pytest.mark.parametrize("method", ["spawn", "forkserver"] if sys.platform == "linux" else ["spawn"])
def test_functions_go_to_other_processes(arm: lp.Robot, method: str) -> None:
    state = states(arm, 9)
    with multiprocessing.get_context(method).Pool(1) as pool:
        (found,) = pool.map(_tau, [(arm.inverse_dynamics, state)])
    assert_array_equal(found, arm.inverse_dynamics(*state))


def test_a_fresh_process_takes_the_code_from_the_disk(arm: lp.Robot) -> None:
    """In another interpreter, from a pickle, without tracing again."""
    state = states(arm, 5)
    arm.inverse_dynamics(*state)
    script = (
        "import pickle, sys; function, state = pickle.load(sys.stdin.buffer); result = function(*state);"
        "assert 'loadpath.engine.trace' not in sys.modules; sys.stdout.buffer.write(pickle.dumps(result))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        input=pickle.dumps((arm.inverse_dynamics, state)),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert_array_equal(pickle.loads(done.stdout), arm.inverse_dynamics(*state))


# Dask


@pytest.fixture(params=["threads", "synchronous"])
def scheduler(request: pytest.FixtureRequest) -> str:
    return request.param


def test_dask_arrays_stay_lazy_and_give_the_same(arm: lp.Robot, scheduler: str) -> None:
    state = states(arm, 100)
    lazy = [da.from_array(x, chunks=(30, -1)) for x in state]
    found = arm.inverse_dynamics(*lazy)
    assert isinstance(found, da.Array)
    assert found.shape == (100, arm.n)
    assert found.dtype == np.float64
    with dask.config.set(scheduler=scheduler):
        assert_array_equal(found.compute(), arm.inverse_dynamics(*state))


def test_every_kind_of_result_on_dask(arm: lp.Robot) -> None:
    q, qd, qdd = states(arm, 50)
    lazy_q, lazy_qd, lazy_qdd = (da.from_array(x, chunks=(20, -1)) for x in (q, qd, qdd))
    for found, expected in (
        (arm.link_poses(lazy_q), arm.link_poses(q)),
        (arm.jacobian(lazy_q, "link2"), arm.jacobian(q, "link2")),
        (arm.kinetic_energy(lazy_q, lazy_qd), arm.kinetic_energy(q, qd)),
        (arm.inverse_dynamics(lazy_q, qd[0], lazy_qdd), arm.inverse_dynamics(q, qd[0], qdd)),
        (
            arm.inverse_dynamics(lazy_q, lazy_qd, lazy_qdd, external={"link3": lp.Wrench((1, 2, 3))}),
            arm.inverse_dynamics(q, qd, qdd, external={"link3": lp.Wrench((1, 2, 3))}),
        ),
    ):
        assert isinstance(found, da.Array)
        assert found.shape == expected.shape
        assert_array_equal(found.compute(), expected)
    wrenches = arm.joint_wrenches(lazy_q, lazy_qd, lazy_qdd)
    assert isinstance(wrenches.force, da.Array)
    one = wrenches["joint2"]
    assert isinstance(one.torque, da.Array)
    assert_array_equal(one.torque.compute(), arm.joint_wrenches(q, qd, qdd)["joint2"].torque)


def test_dask_arrays_chunked_across_the_state_are_rechunked(arm: lp.Robot) -> None:
    state = states(arm, 10)
    found = arm.inverse_dynamics(*(da.from_array(x, chunks=(4, 2)) for x in state))
    assert_array_equal(found.compute(), arm.inverse_dynamics(*state))


def test_float32_on_dask(arm: lp.Robot) -> None:
    state = [x.astype(np.float32) for x in states(arm, 10)]
    found = arm.inverse_dynamics(*(da.from_array(x, chunks=(5, -1)) for x in state))
    assert found.dtype == np.float32
    assert found.compute().dtype == np.float32


def test_dask_graphs_travel(arm: lp.Robot) -> None:
    """As a distributed scheduler sends them: by cloudpickle, to be computed elsewhere."""
    state = states(arm, 20)
    lazy = arm.inverse_dynamics(*(da.from_array(x, chunks=(10, -1)) for x in state))
    arrived = cloudpickle.loads(cloudpickle.dumps(lazy))
    assert_array_equal(arrived.compute(scheduler="synchronous"), arm.inverse_dynamics(*state))


def test_wrong_dask_arrays_are_refused_before_computing(arm: lp.Robot) -> None:
    q, qd, qdd = (da.from_array(x, chunks=(5, -1)) for x in states(arm, 10))
    with pytest.raises(ValueError, match=r"inverse_dynamics: 'qd' has the shape \(10, 3\)"):
        arm.inverse_dynamics(q, qd[:, :3], qdd)
    with pytest.raises(ValueError, match="inverse_dynamics: 'q' has the dtype complex128"):
        arm.inverse_dynamics(q.astype(complex), qd, qdd)
    with pytest.raises(TypeError, match="inverse_dynamics of Dask arrays takes no out"):
        arm.inverse_dynamics(q, qd, qdd, out=np.zeros((10, arm.n)))
