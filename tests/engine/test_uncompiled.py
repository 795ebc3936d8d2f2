"""Formulations that are too steep to compile for a large robot: the same results, shapes, dtypes and errors."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import loadpath as lp
from loadpath.engine import uncompiled
from loadpath.engine.arguments import DEFAULT, Variant
from loadpath.engine.program import Operand
from loadpath.engine.quantity import Compiled, On
from loadpath.engine.uncompiled import Uncompiled
from loadpath.robot.mechanism import plain
from loadpath.scalars import Array, array

STEEP = ("lagrange-euler", "lagrangian", "generalized")


@pytest.fixture
def arm() -> lp.Robot:
    return lp.catalog.planar(3)


@pytest.fixture
def limited(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As if the limit were two degrees of freedom."""
    for quantity in (lp.Robot.inverse_dynamics, lp.Robot.joint_wrenches, lp.Robot.forward_dynamics):
        for name, choice in quantity.formulations.items():
            if choice.compile_up_to is not None:
                monkeypatch.setitem(quantity.formulations, name, choice._replace(compile_up_to=2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lp.UncompiledWarning)
        yield


def states(robot: lp.Robot, *batch: int) -> list[np.ndarray]:
    return list(np.random.default_rng(5).uniform(-1, 1, (3, *batch, robot.n)))


@pytest.mark.parametrize("formulation", STEEP)
def test_limits_are_at_least_eight(formulation: str) -> None:
    for quantity in (lp.Robot.inverse_dynamics, lp.Robot.mass_matrix, lp.Robot.forward_dynamics):
        choice = quantity.formulations.get(formulation)
        assert choice is None or choice.compile_up_to >= 8


@pytest.mark.parametrize("formulation", STEEP)
def test_both_sides_of_the_limit_give_the_same(formulation: str) -> None:
    """Nine joints uncompiled, against eight of them compiled (the last one locked) and against the default."""
    nine = lp.catalog.random_chain(13 if formulation == "generalized" else 9, seed=2, joints="revolute")
    q, qd, qdd = states(nine, 4)
    with pytest.warns(lp.UncompiledWarning, match="runs uncompiled"):
        found = nine.inverse_dynamics(q, qd, qdd, formulation=formulation)
    assert np.abs(found - nine.inverse_dynamics(q, qd, qdd)).max() < 1e-12 * np.abs(found).max()
    assert f"uncompiled: {'lagrange-euler, lagrangian' if nine.n == 9 else ', '.join(STEEP)}" in repr(
        nine.inverse_dynamics
    )


@pytest.mark.parametrize("formulation", STEEP)
def test_same_results_compiled_and_not(arm: lp.Robot, formulation: str, request: pytest.FixtureRequest) -> None:
    q, qd, qdd = states(arm, 5)
    compiled = arm.inverse_dynamics(q, qd, qdd, formulation=formulation)
    request.getfixturevalue("limited")
    fresh = lp.catalog.planar(3)
    found = fresh.inverse_dynamics(q, qd, qdd, formulation=formulation)
    assert np.abs(found - compiled).max() < 1e-13 * np.abs(compiled).max()


@pytest.mark.usefixtures("limited")
def test_shapes_dtypes_and_out(arm: lp.Robot) -> None:
    def run(*arguments: object, **options: object) -> np.ndarray:
        return arm.inverse_dynamics(*arguments, formulation="lagrangian", **options)

    q, qd, qdd = states(arm, 2, 3)
    expected = arm.inverse_dynamics(q, qd, qdd)
    assert np.allclose(run(q, qd, qdd), expected, rtol=1e-12, atol=1e-12)
    assert run(q, qd[0, 0], qdd[:, :1]).shape == (2, 3, 3)
    assert run(q[0, 0], qd[0, 0], qdd[0, 0]).shape == (3,)
    assert run(q[:0], qd[:0], qdd[:0]).shape == (0, 3, 3)
    assert run([0, 0, 0], [0, 0, 0], [1, 0, 0]).dtype == np.float64
    single = run(*(x.astype(np.float32) for x in (q, qd, qdd)))
    assert single.dtype == np.float32 and np.allclose(single, expected, rtol=1e-4, atol=1e-4)
    out = np.empty_like(expected)
    assert run(q, qd, qdd, out=out) is out and np.allclose(out, expected)
    q[0, 1, 2] = np.nan
    assert np.isnan(run(q, qd, qdd)).any(axis=-1).sum() == 1
    wrenches = arm.joint_wrenches(q[1], qd[1], qdd[1], formulation="generalized")
    assert np.allclose(wrenches.force, arm.joint_wrenches(q[1], qd[1], qdd[1]).force)


@pytest.mark.usefixtures("limited")
def test_blocks_of_states(arm: lp.Robot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uncompiled, "STATES_AT_ONCE", 4)
    q, qd, qdd = states(arm, 11)
    found = arm.inverse_dynamics(q, qd, qdd, formulation="generalized")
    assert np.allclose(found, arm.inverse_dynamics(q, qd, qdd), rtol=1e-12, atol=1e-12)


@pytest.mark.usefixtures("limited")
def test_external_wrenches_and_dask(arm: lp.Robot) -> None:
    dask = pytest.importorskip("dask.array")
    q, qd, qdd = states(arm, 6)
    push = {"tip": lp.Wrench(force=(1.0, 2.0, 3.0), torque=(0.1, 0.2, 0.3))}
    found = arm.inverse_dynamics(q, qd, qdd, external=push, formulation="lagrange-euler")
    assert np.allclose(found, arm.inverse_dynamics(q, qd, qdd, external=push), rtol=1e-12, atol=1e-12)
    lazy = arm.inverse_dynamics(*(dask.from_array(x, chunks=(2, 3)) for x in (q, qd, qdd)), formulation="lagrangian")
    assert np.allclose(lazy.compute(), arm.inverse_dynamics(q, qd, qdd), rtol=1e-12, atol=1e-12)


@pytest.mark.usefixtures("limited")
def test_errors_are_the_same(arm: lp.Robot) -> None:
    for formulation in ("newton-euler", "lagrangian"):
        with pytest.raises(ValueError, match=r"'q' has the shape \(2,\): expected \(\.\.\., 3\)"):
            arm.inverse_dynamics([0, 0], [0, 0, 0], [0, 0, 0], formulation=formulation)
        with pytest.raises(ValueError, match="do not go together"):
            arm.inverse_dynamics(np.zeros((2, 3)), np.zeros((3, 3)), np.zeros(3), formulation=formulation)
    with pytest.raises(TypeError, match="only 'out' and 'dtype'"):
        arm.inverse_dynamics(np.zeros(3), np.zeros(3), np.zeros(3), formulation="lagrangian", where=True)


@pytest.mark.usefixtures("limited")
def test_counted_as_written_beyond_the_limit(arm: lp.Robot) -> None:
    counts = [arm.operation_count(formulation="lagrangian", as_written=choice) for choice in (False, True)]
    assert counts[0] == counts[1]


def test_where_compiling_ends() -> None:
    """At the given numbers of results and of degrees of freedom it is still compiled, above them no more."""
    two, three = lp.catalog.planar(2), lp.catalog.planar(3)
    by_results = Compiled(lambda mechanism, q: q, "(q)->(n)", plain, "", most_results=2)
    assert [by_results.compiles(robot, Variant()) for robot in (two, three)] == [True, False]
    by_freedoms = Compiled({DEFAULT: On(lambda mechanism, q: q, plain, compile_up_to=2)}, "(q)->(n)", plain, "")
    assert [by_freedoms.compiles(robot, Variant()) for robot in (two, three)] == [True, False]


def test_blocks_have_few_states_and_few_results(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks: list[int] = []

    def equations(x: Array) -> Array:
        blocks.append(len(x[0]))
        return array([x[0], x[1]])

    function = uncompiled.Uncompiled("f", equations, [Operand("x", (2,))], [Operand("y", (2,))])
    states = np.arange(20.0).reshape(10, 2)
    monkeypatch.setattr(uncompiled, "STATES_AT_ONCE", 4)
    assert_array_equal(function(states), states)
    monkeypatch.setattr(uncompiled, "RESULTS_AT_ONCE", 6)  # three states of two results
    assert_array_equal(function(states), states)
    assert blocks == [4, 4, 2, 3, 3, 3, 1]


def test_a_robot_without_freedoms() -> None:
    """Arguments of no entries have a batch all the same."""
    held = Uncompiled("held", lambda q: array([2.0]), [Operand("q", (0,))], [Operand("y", (1,))])
    assert held(np.zeros((3, 0))).tolist() == [[2.0]] * 3
    assert held(np.zeros(0)).tolist() == [2.0]
