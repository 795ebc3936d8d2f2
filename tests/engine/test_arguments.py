"""What is not a plain array is read in one place, before NumPy could take it for something else."""

from __future__ import annotations

import functools
from typing import Any

import dask.array as da
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

import loadpath as lp
from loadpath.engine import arguments
from loadpath.engine.method import CompiledMethod
from loadpath.engine.quantity import Compiled
from loadpath.robot.mechanism import plain
from loadpath.scalars import Array, array

Q = np.array([0.3, -0.4])


@pytest.fixture
def arm() -> lp.Robot:
    robot = lp.catalog.planar(2)
    robot.inverse_dynamics(Q, Q, Q)  # so that the fast path is there
    robot.joint_wrenches(Q, Q, Q)
    return robot


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the types that come to the reader; it makes plain arrays of them."""
    types: list[str] = []

    def reader(
        method: CompiledMethod, given: tuple[Any, ...], options: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        assert method.quantity.argument_names == ["q", "qd", "qdd"]
        types.extend(type(value).__name__ for value in (*given, *options.values()))
        return tuple(np.asarray(value) for value in given), {k: np.asarray(v) for k, v in options.items()}

    monkeypatch.setattr(arguments, "_readers", [])
    arguments.read_states_with(reader)
    return types


@pytest.mark.parametrize("name", ["inverse_dynamics", "joint_wrenches"])
@pytest.mark.parametrize(
    "given",
    [Q, np.array([Q, Q]), Q.tolist(), (0.3, -0.4), [Q, Q], [[0.3, -0.4]], Q.astype(np.float32), Q.astype(int), 0.3, []],
    ids=lambda value: f"{type(value).__name__}{np.shape(value)}",
)
def test_plain_arguments_do_not_pass_the_reader(arm: lp.Robot, seen: list[str], name: str, given: Any) -> None:
    try:
        getattr(arm, name)(given, Q, qdd=Q)
        getattr(arm, name)(given, Q, Q)
        getattr(arm, name)(given, Q, Q, formulation="luh")
    except ValueError as problem:
        assert "has the shape" in str(problem)  # said by the check of shapes, which comes after
    assert seen == []


@pytest.mark.parametrize("name", ["inverse_dynamics", "joint_wrenches"])
@pytest.mark.parametrize(
    "given",
    [pd.Series(Q), pd.DataFrame([Q]), np.ma.masked_array(Q), np.asmatrix([Q]), [pd.Series(Q)], np.longdouble(1), ""],
    ids=lambda value: type(value).__name__,
)
def test_everything_else_does(arm: lp.Robot, seen: list[str], name: str, given: Any) -> None:
    if isinstance(given, (str, np.floating)):
        with pytest.raises(ValueError, match="'q' has the"):
            getattr(arm, name)(given, Q, pd.Series(Q))
        return
    expected = getattr(arm, name)(np.asarray(given), Q, Q)
    for found in (getattr(arm, name)(given, Q, Q), getattr(arm, name)(given, Q, qdd=Q)):
        part, right = (found.torque, expected.torque) if name == "joint_wrenches" else (found, expected)
        assert type(part) is np.ndarray
        assert_array_equal(part, right)
    assert seen == [type(given).__name__, "ndarray", "ndarray"] * 2


def test_also_among_the_last_arguments_and_before_the_first_call(seen: list[str]) -> None:
    arm = lp.catalog.planar(2)
    assert type(arm.inverse_dynamics(Q, Q, pd.Series(Q))) is np.ndarray
    assert seen == ["ndarray", "ndarray", "Series"]


def test_a_table_is_no_place_for_results(arm: lp.Robot) -> None:
    for out in (pd.Series(np.zeros(2)), (pd.Series(np.zeros(2)),), [0.0, 0.0]):
        with pytest.raises(TypeError, match=r"'out' is a (Series|list): expected a NumPy array"):
            arm.inverse_dynamics(Q, Q, Q, out=out)
    place = np.zeros(2)
    assert arm.inverse_dynamics(Q, Q, Q, out=place) is place
    assert arm.inverse_dynamics(Q, Q, Q, out=(place,)) is place
    assert_array_equal(place, arm.inverse_dynamics(Q, Q, Q))


def test_without_a_reader_tables_are_taken_as_arrays(arm: lp.Robot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arguments, "_readers", [arguments._as_given])
    found = arm.inverse_dynamics(pd.Series(Q), Q, Q)
    assert type(found) is np.ndarray
    assert_array_equal(found, arm.inverse_dynamics(Q, Q, Q))
    assert isinstance(arm.inverse_dynamics(da.from_array(Q), Q, Q), da.Array)


def test_the_axes_of_external_wrenches_are_read() -> None:
    """A force of 1 N along x at the tip of a bar of 1 m that stands upright: a torque about its foot, or none."""
    bar = lp.catalog.planar(1, length=1.0).with_gravity((0.0, 0.0, 0.0))
    upright = [np.pi / 2]
    for axes, torque in (("world", 1.0), ("link", 0.0)):
        wrench = lp.Wrench((1.0, 0.0, 0.0), axes=axes)
        found = bar.inverse_dynamics(upright, [0.0], [0.0], external={bar.link_names[-1]: wrench})
        assert abs(found[0]) == pytest.approx(torque, abs=1e-12)


# Formulations that are more than a plain function


def scaled(mechanism: Any, q: Array, factor: float = 2.0) -> Array:
    return array([factor * x for x in q])


def decorated(function: Any) -> Any:
    @functools.wraps(function)
    def wrapper(*given: Any, **options: Any) -> Any:
        return function(*given, **options)

    return wrapper


class Scaling(lp.Robot):
    wrapped = Compiled(decorated(scaled), "(q)->(n)", plain, "", choices={"factor": 2.0})
    fixed = Compiled(functools.partial(scaled, factor=5.0), "(q)->(n)", plain, "")
    nameless = Compiled(lambda *given: given[1], "(q),(n)->(n)", plain, "")


def test_decorated_formulations_and_partials_are_read_by_their_signatures() -> None:
    arm = lp.catalog.planar(2)
    robot = Scaling(arm.name, arm.links, arm.joints, arm.gravity)
    assert robot.wrapped.quantity.argument_names == ["q"]
    assert_array_equal(robot.wrapped(q=Q), 2.0 * Q)
    assert_array_equal(robot.wrapped(Q, factor=3.0), 3.0 * Q)
    assert_array_equal(robot.fixed(Q), 5.0 * Q)
    with pytest.raises(TypeError, match=r"nameless: its formulation names 0 arrays .* has 2"):
        robot.nameless(Q, Q)
