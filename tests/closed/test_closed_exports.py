"""Closed robots in other tools: exports compute what the compiled methods do, with the status as a last result; batches
in threads, of Dask, in single precision, into given arrays, and with labels.
"""

from __future__ import annotations

import concurrent.futures
import ctypes
import shutil
import subprocess
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import loadpath as lp
from loadpath.algorithms.loops.status import ENTRIES
from loadpath.engine.quantity import quantities_of
from loadpath.exports.request import request

OWN = ("inverse_dynamics", "joint_wrenches", "gravity_forces", "bias_forces", "static_wrenches", "forward_dynamics",
       "state_derivative", "constraint_jacobian", "closure", "complement", "reaction_leverages")
COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


@cache
def bar() -> lp.ClosedRobot:
    return lp.catalog.four_bar()


@cache
def states(count: int = 40) -> tuple[np.ndarray, ...]:
    """States of the closed four-bar."""
    start = bar().home[0]
    q = bar().assemble({"crank_joint": np.linspace(start, start + 2.0, count)}, path=True).q
    rng = np.random.default_rng(3)
    return (q, *bar().complete(q, rng.uniform(-2, 2, (count, 1)), rng.uniform(-2, 2, (count, 1))))


def given(name: str, k: int) -> list[np.ndarray]:
    """Arguments of a quantity at one state."""
    q, qd, qdd = (part[k] for part in states())
    tau = np.array([3.0, 0.0, 0.0])
    by_name = {"q": q, "qd": qd, "qdd": qdd, "tau": tau, "x": np.concatenate([q, qd]), "u": tau}
    return [by_name[argument] for argument in getattr(lp.ClosedRobot, name).argument_names]


def expected(name: str, *arguments: np.ndarray) -> list[np.ndarray]:
    """All results of the equations, the status among them."""
    asked = request(bar(), name)
    found = asked.quantity.uncompiled(bar(), asked.variant)(*arguments)
    return [np.asarray(part) for part in (found if isinstance(found, tuple) else (found,))]


@pytest.mark.skipif(COMPILER is None, reason="there is no C compiler on this machine")
def test_c_computes_what_the_methods_do(tmp_path: Path) -> None:
    sources = [bar().c_source(name, function_name=f"f_{name}") for name in OWN]
    (tmp_path / "all.c").write_text("\n".join(sources))
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", "-fPIC", "-shared"]
    made = [str(COMPILER), *flags, str(tmp_path / "all.c"), "-o", str(tmp_path / "all.so"), "-lm"]
    assert subprocess.run(made, check=False, capture_output=True, text=True).stderr == ""
    library = ctypes.CDLL(str(tmp_path / "all.so"))
    for name in OWN:
        outputs = request(bar(), name).program().outputs
        assert (outputs[-1].name == "status") == (getattr(lp.ClosedRobot, name).verdict is not None)
        for k in (0, 7):
            arguments = given(name, k)
            results = [np.full(operand.shape, np.nan) for operand in outputs]
            getattr(library, f"f_{name}")(*(ctypes.c_void_p(a.ctypes.data) for a in (*arguments, *results)))
            for result, wanted in zip(results, expected(name, *arguments), strict=True):
                np.testing.assert_allclose(result, wanted, rtol=1e-9, atol=1e-11)


def test_the_comment_names_joints_loops_and_status() -> None:
    source = bar().c_source("joint_wrenches")
    assert "Joints, then loops: 0 crank_joint, 1 coupler_joint, 2 rocker_joint, 3 rocker_pin." in source
    assert "6 pivot" in source and f"status[{ENTRIES}]" in source


def test_casadi_and_its_derivative() -> None:
    drive = bar().casadi_function("inverse_dynamics")
    assert drive.name_out() == ["tau", "status"]
    arguments = given("inverse_dynamics", 5)
    tau, status = drive(*arguments)
    np.testing.assert_allclose(np.array(tau).ravel(), bar().inverse_dynamics(*arguments), rtol=1e-12, atol=1e-12)
    assert np.array(status).size == ENTRIES and float(status[-1]) > 0.1
    q, qd, qdd = arguments
    slope = drive.jacobian()(q, qd, qdd, tau, status)[2]  # of tau by qdd: a mass matrix of the drive
    np.testing.assert_allclose(
        np.array(slope)[0] @ bar().complement(q)[:, 0],
        bar().complement(q)[:, 0] @ bar().tree.mass_matrix(q) @ bar().complement(q)[:, 0],
        rtol=1e-10,
    )


def test_jax() -> None:
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    arguments = given("gravity_forces", 5)
    found = bar().jax("gravity_forces")(*arguments)
    assert found._fields == ("tau", "status")
    for result, wanted in zip(found, expected("gravity_forces", *arguments), strict=True):
        np.testing.assert_allclose(np.asarray(result), wanted, rtol=1e-10, atol=1e-11)


def test_operations_are_counted_with_the_status() -> None:
    closed, tree = (robot.operation_count("inverse_dynamics") for robot in (bar(), bar().tree))
    assert tree.multiplications < closed.multiplications < 10 * tree.multiplications  # of a tree of 19


def test_every_own_quantity_is_exported_here() -> None:
    of_trees = quantities_of(lp.Robot)
    assert set(OWN) <= {name for name, line in quantities_of(lp.ClosedRobot).items() if line is not of_trees.get(name)}


def test_threads() -> None:
    q, qd, qdd = states()
    wanted = bar().inverse_dynamics(q, qd, qdd)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda k: bar().inverse_dynamics(q[k], qd[k], qdd[k]), range(len(q))))
    np.testing.assert_allclose(np.array(found), wanted, rtol=1e-13, atol=1e-13)


def test_dask_checks_every_block() -> None:
    da = pytest.importorskip("dask.array")
    q, qd, qdd = states()
    lazy = bar().inverse_dynamics(*(da.from_array(part, chunks=(10, -1)) for part in (q, qd, qdd)))
    np.testing.assert_allclose(lazy.compute(), bar().inverse_dynamics(q, qd, qdd), rtol=1e-13, atol=1e-13)
    wrong = q.copy()
    wrong[33, 1] += 0.1
    with pytest.raises(ValueError, match="rocker_pin"):
        bar().inverse_dynamics(*(da.from_array(part, chunks=(10, -1)) for part in (wrong, qd, qdd))).compute()


def test_single_precision_and_out() -> None:
    q, qd, qdd = states()
    tau = bar().inverse_dynamics(q, qd, qdd)
    single = bar().inverse_dynamics(*(part.astype(np.float32) for part in (q, qd, qdd)))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, tau, rtol=2e-3, atol=2e-3)
    room = np.empty_like(tau)
    assert bar().inverse_dynamics(q, qd, qdd, out=room) is room
    np.testing.assert_array_equal(room, tau)


def test_labelled_states() -> None:
    pd = pytest.importorskip("pandas")
    q, qd, qdd = states()
    names = list(bar().coordinate_names)
    frames = [pd.DataFrame(part[:, ::-1], columns=names[::-1]) for part in (q, qd, qdd)]
    tau = bar().inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(bar().inverse_dynamics(*frames), tau, rtol=1e-13)


def test_all_formulations_agree_on_states_of_the_closed_robot() -> None:
    found = lp.verify(bar(), states=5)
    assert found.agrees and len(found.names) == 10 and found.largest > 0.1
