"""Moving configurations and the motion between them: against Pinocchio, against small steps, on every scalar."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

import loadpath as lp
from loadpath.mechanics import configuration
from loadpath.robot.mechanism import plain
from loadpath.scalars import Counter, array, quaternion
from on_scalars import on_arrays, on_symbols
from references.to_pinocchio import random_state, to_pinocchio

ROBOT = lp.catalog.random_tree(9, 51, "all", general=True).floating()
PEER = to_pinocchio(ROBOT)


@pytest.mark.parametrize("size", [0.0, 1e-16, 1e-9, 1e-5, 1e-2, 1.0])
def test_against_pinocchio(size: float) -> None:
    q, v, _ = random_state(ROBOT, np.random.default_rng(1))
    moved = ROBOT.integrate(q, size * v)
    theirs = pin.integrate(PEER.model, PEER.q(q), PEER.v(size * v))
    assert PEER.q(moved) == pytest.approx(theirs, abs=1e-14)
    assert ROBOT.difference(q, moved) == pytest.approx(size * v, abs=1e-14)


def test_batches() -> None:
    rng = np.random.default_rng(2)
    q = np.array([random_state(ROBOT, rng)[0] for _ in range(7)])
    v = rng.uniform(-1, 1, (3, 1, ROBOT.n))
    moved = ROBOT.integrate(q, v)
    assert moved.shape == (3, 7, ROBOT.nq)
    assert ROBOT.difference(q, moved) == pytest.approx(np.broadcast_to(v, (3, 7, ROBOT.n)), abs=1e-13)


def test_many_small_motions_are_one_large_one() -> None:
    """Constant speeds in the child's axes: a hundred hundredths lead where the whole leads."""
    q, v, _ = random_state(ROBOT, np.random.default_rng(3))
    there = q
    for _ in range(100):
        there = ROBOT.integrate(there, v / 100)
    assert ROBOT.difference(ROBOT.integrate(q, v), there) == pytest.approx(0, abs=1e-13)


def test_a_motion_begins_as_its_speeds_say() -> None:
    q, v, _ = random_state(ROBOT, np.random.default_rng(4))
    h = 1e-6
    slope = (ROBOT.integrate(q, h * v) - ROBOT.integrate(q, -h * v)) / (2 * h)
    assert slope == pytest.approx(ROBOT.coordinate_rate(q, v), abs=1e-8)


unit = st.floats(-1, 1).filter(lambda x: x == 0 or abs(x) > 1e-100)


@given(st.tuples(unit, unit, unit, unit), st.tuples(unit, unit, unit), st.floats(0, 3.1))
def test_the_shorter_way_round_is_found(start: tuple[float, ...], axis: tuple[float, ...], angle: float) -> None:
    if np.linalg.norm(start) < 0.1 or np.linalg.norm(axis) < 0.1:
        return
    ball = lp.Robot("ball", (lp.Link("base"), lp.Link("ball", lp.Inertia(1.0))),
                    (lp.Joint("socket", "base", "ball", lp.Spherical()),))
    turn = angle * np.array(axis) / np.linalg.norm(axis)
    q = np.array(start) / np.linalg.norm(start)
    moved = ball.integrate(q, turn)
    assert np.linalg.norm(moved) == pytest.approx(1, abs=1e-15)
    for same in (moved, -moved):  # both quaternions of the same rotation
        assert ball.difference(q, same) == pytest.approx(turn, abs=1e-13)


def test_half_a_turn_has_a_length() -> None:
    for xyz in np.eye(3):
        found = quaternion.logarithm(array([*xyz, 0.0])).astype(float)
        assert np.linalg.norm(found) == pytest.approx(np.pi)


def test_on_every_scalar() -> None:
    robot = lp.catalog.random_chain(3, 53, ("spherical", "free"), general=True)
    q, v, _ = random_state(robot, np.random.default_rng(5))
    mechanism = plain(robot)
    expected = robot.integrate(q, v)
    assert on_arrays(configuration.integrate, mechanism, q, v) == pytest.approx(expected, abs=1e-14)
    assert on_symbols(configuration.integrate, mechanism, q, v) == pytest.approx(expected, abs=1e-14)
    back = robot.difference(q, expected)
    assert on_arrays(configuration.difference, mechanism, q, expected) == pytest.approx(back, abs=1e-14)
    assert on_symbols(configuration.difference, mechanism, q, expected) == pytest.approx(back, abs=1e-14)
    batch = on_arrays(configuration.difference, mechanism, np.stack([q, q]), np.stack([expected, q]))
    assert batch == pytest.approx(np.stack([back, 0 * back]), abs=1e-14)
    counter = Counter()
    counted = configuration.difference(mechanism, array([counter.scalar(x) for x in q]), array(expected.tolist()))
    assert [float(x) for x in counted] == pytest.approx(back, abs=1e-14)
    assert counter.count.functions > 0
    symbols = array(sympy.symbols(f"v:{robot.n}"))
    formula = configuration.integrate(mechanism, array(q.tolist()), symbols)
    assert [float(x.subs(dict(zip(symbols, v, strict=True)))) for x in formula] == pytest.approx(expected, abs=1e-13)


def test_single_precision_at_rest() -> None:
    q, v = ROBOT.neutral().astype(np.float32), np.zeros(ROBOT.n, dtype=np.float32)
    moved = ROBOT.integrate(q, v)
    assert moved.dtype == np.float32
    assert moved == pytest.approx(q)
    assert ROBOT.difference(q, moved) == pytest.approx(v, abs=1e-6)
