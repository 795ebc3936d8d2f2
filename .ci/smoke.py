"""A little of everything, with nothing but the declared dependencies: run with the lowest versions that they allow
(`.ci/lowest.txt`), it shows that the lower bounds in pyproject.toml are true. `smoke.py study` is about those of the
extra `study`; `smoke.py digits FILE` writes numbers, for `pythons.py` to compare across Pythons and machines.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import platform
import sys
import tempfile
from pathlib import Path

folder = Path(tempfile.mkdtemp(prefix="loadpath-smoke-"))
os.environ["LOADPATH_CACHE_DIR"] = str(folder / "cache")  # before loadpath is imported: everything is compiled here
here = Path.cwd()
os.chdir(folder)

import numpy as np  # noqa: E402

import loadpath as lp  # noqa: E402


def robots() -> None:
    """Rigid dynamics by two ways, a file, a batch, single precision, derivatives, causes."""
    arm = lp.catalog.panda()
    path = folder / "panda.urdf"
    path.write_text(arm.to_urdf(), encoding="utf-8")
    read = lp.load(path)
    q, qd, qdd = np.linspace(-0.3, 0.4, 7), np.full(7, 0.2), np.full(7, -0.1)
    tau = arm.inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(read.inverse_dynamics(q, qd, qdd), tau, atol=1e-9)
    np.testing.assert_allclose(arm.forward_dynamics(q, qd, tau), qdd, atol=1e-9)
    many = arm.inverse_dynamics(np.tile(q, (50, 1)), qd, qdd)
    np.testing.assert_allclose(many, np.tile(tau, (50, 1)), atol=1e-9)
    single = arm.inverse_dynamics(*(np.float32(x) for x in (q, qd, qdd)))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, tau, rtol=1e-3, atol=1e-3)
    wrenches = arm.joint_wrenches(q, qd, qdd)
    causes = arm.load_breakdown(q, qd, qdd)
    assert np.isfinite(np.asarray(wrenches.force)).all() and causes is not None
    assert str(causes) and causes._repr_html_()
    assert arm.inverse_dynamics_derivatives(q, qd, qdd) is not None
    still = np.zeros((3, 2))
    assert lp.catalog.two_link().regressor(still, still, still).any()  # with many zeros, for which LLVM calls nothing


def motions() -> None:
    """A motion there and back, peaks, a verdict, a simulation."""
    arm = lp.catalog.planar(2)
    motion = lp.Motion.swing(arm, 50)
    motion.to_csv(folder / "motion.csv")
    again = lp.Motion.from_csv(folder / "motion.csv", arm)
    np.testing.assert_array_equal(again.q, motion.q)
    limited = arm.with_limits({"joint1": {"effort": 100.0}})
    assert str(arm.peak_loads(motion)) and str(limited.verdict(motion))
    run = arm.simulate([0.1, 0.2], [0.0, 0.0], duration=0.1)
    assert np.isfinite(run.q).all()


def others() -> None:
    """A closed chain, a rover, beams, equations, code."""
    closed = lp.catalog.four_bar()
    assert np.isfinite(np.asarray(closed.link_poses(closed.home))).all()
    tube = lp.Beam(lp.Tube(outer_radius=0.04, wall=0.003), lp.ALUMINIUM, end="joint2")
    arm = lp.catalog.planar(2).with_payload(1.0).with_beams({"link1": tube})
    assert str(arm.deflection([0.1, 0.2])) and arm.natural_frequencies([0.1, 0.2]) is not None
    assert lp.catalog.two_link().equations().mass_matrix.shape == (2, 2)
    assert lp.catalog.two_link().c_source("inverse_dynamics")
    assert lp.catalog.two_link().wasm("gravity_forces").module


def pages() -> None:
    """A report, and two robots compared."""
    arm = lp.catalog.planar(2)
    motion = lp.Motion.swing(arm, 50)
    assert arm.report(motion).save(folder / "report.html").stat().st_size > 100_000
    assert lp.compare(arm, arm.with_payload(1.0), motion).report().save(folder / "compare.html").exists()


def commands() -> None:
    """Commands, as a shell runs them."""
    from loadpath.cli import main

    for arguments in (
        ["--help"], ["info", "panda"], ["info", "panda", "--json"], ["loads", "planar:2", "--motion", "swing"],
        ["new", "planar:2", "--beams", "-o", "cell.toml"], ["verdict", "cell.toml"], ["deflect", "cell.toml"],
        ["rover", "lau_rover"], ["equations", "two_link"],
        ["export", "planar:2", "gravity_forces", "-o", "arm.c"],
        ["count", "planar:2"],
        ["simulate", "planar:2", "--duration", "0.1", "-o", "run.csv"], ["check", "panda.urdf"],
        ["convert", "panda.urdf", "other.sdf"], ["report", "planar:2", "-o", "page.html"],
    ):
        said, wrong = io.StringIO(), io.StringIO()
        sys.argv = ["loadpath", *arguments]
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(wrong):
            try:
                code = main()
            except SystemExit as end:
                code = end.code
        assert code in (None, 0, 1), f"{arguments}: {code}, {wrong.getvalue()}"  # 1: something does not hold
        assert "fault of loadpath" not in wrong.getvalue(), f"{arguments}: {wrong.getvalue()}"
        if "--json" in arguments:
            json.loads(said.getvalue())


def studies() -> None:
    """A study that is kept, opened again, computed by a worker of Dask, and read by xarray and pandas."""
    from distributed import Client, LocalCluster

    arm = lp.catalog.planar(2).with_payload(0.0)
    space = lp.Space({"payload.mass": lp.span("0 kg", "4 kg", 9), "link1.length": ["0.8 m", "1 m"]})
    motion, answers = lp.Motion.swing(arm, 50), ["mass", "joint1.drive", "wrenches"]
    own = lp.study(arm, space, motion, answers=answers).run()
    lp.study(arm, space, motion, answers=answers, to=folder / "kept.zarr", chunk=4).run()
    kept = lp.study(arm, space, motion, answers=answers, to=folder / "kept.zarr")
    assert kept.done
    np.testing.assert_array_equal(kept.answer("wrenches"), own.answer("wrenches"))
    assert kept.dataset["wrenches"].dims == ("payload.mass", "link1.length", "joint", "component")
    assert len(kept.to_dataframe()) == 18
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        far = lp.study(arm, space, motion, answers=answers, to=folder / "far.zarr", chunk=4).run(client)
    np.testing.assert_array_equal(far.answer("wrenches"), own.answer("wrenches"))


def digits(target: Path) -> None:
    """Numbers of everything that is compiled, to the last bit, and what they were computed by."""
    arm, closed = lp.catalog.panda().with_payload(2.0), lp.catalog.four_bar()
    states = np.random.default_rng(1).uniform(-1, 1, (3, 100, arm.n))
    peaks = arm.peak_loads(lp.Motion.swing(arm, 101))
    tau = arm.inverse_dynamics(*states)
    wrenches, jacobian = arm.joint_wrenches(*states), arm.jacobian(states[0], arm.link_names[-1])
    found = {
        "inverse dynamics": tau,
        "forward dynamics": arm.forward_dynamics(states[0], states[1], tau),
        "mass matrix": arm.mass_matrix(states[0]),
        "jacobian": np.asarray(jacobian),
        "joint forces": np.asarray(wrenches.force),
        "joint torques": np.asarray(wrenches.torque),
        "regressor": arm.regressor(*states),
        "link poses of a closed chain": np.asarray(closed.link_poses(closed.home)),
        "peaks over a motion": [peaks[name, "tilting_moment"].magnitude for name in arm.joint_names],
        "a simulation": arm.simulate(states[0][0], states[1][0], duration=0.2).q,
    }
    about = {"python": platform.python_version(), "machine": platform.machine(), "system": platform.system(),
             "numpy": np.__version__, "llvmlite": __import__("llvmlite").__version__}
    numbers = {name: [float(x).hex() for x in np.ravel(values)] for name, values in found.items()}
    target.write_text(json.dumps({"about": about, "numbers": numbers}), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:2] == ["digits"]:
        digits(here / sys.argv[2])
        sys.exit()
    for job in (studies,) if sys.argv[1:] == ["study"] else (robots, motions, others, pages, commands):
        with contextlib.redirect_stdout(io.StringIO()):
            job()
        print(f"{job.__name__}: passed", file=sys.stderr)
