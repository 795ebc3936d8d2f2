"""Packed results: the same numbers as the dense ones, without the zeros, whatever else is asked."""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp
from references.to_pinocchio import random_state

TREE = lp.catalog.random_tree(7, 3, general=True, drives=True)


def states(robot: lp.Robot, count: int = 3) -> list[np.ndarray]:
    rng = np.random.default_rng(2)
    return [np.array(part) for part in zip(*(random_state(robot, rng) for _ in range(count)), strict=True)]


@pytest.mark.parametrize("name", ["inverse_dynamics_derivatives", "forward_dynamics_derivatives", "regressor"])
def test_same_numbers_without_zeros(name: str) -> None:
    state = states(TREE)
    packed, dense = getattr(TREE, name)(*state, packed=True), getattr(TREE, name)(*state)
    parts = (dense,) if isinstance(dense, np.ndarray) else dense
    whole, index = packed.dense(), packed.index
    if isinstance(dense, np.ndarray):
        whole, index = (whole,), (index,)
    for one, other, places in zip(whole, parts, index, strict=True):
        np.testing.assert_array_equal(one, other)
        assert not other[:, places < 0].any()
    assert packed.values.shape == (3, 1 + max(int(places.max()) for places in index))
    assert packed.values.shape[1] < 0.8 * sum(places.size for places in index)  # a tree has zeros
    assert np.abs(packed.values).min(axis=1).min() > 0.0  # and no value is one


def test_an_external_wrench_makes_another_pattern() -> None:
    """In weightless rest only the wrench does work, along the way to the base."""
    robot = TREE.with_gravity((0, 0, 0))
    q, *_ = states(robot)
    still = np.zeros(robot.n)
    load = {robot.link_names[-1]: lp.Wrench(force=(1.0, 2.0, 3.0))}
    found = robot.inverse_dynamics_derivatives(q, still, still, external=load, packed=True)
    expected = robot.inverse_dynamics_derivatives(q, still, still, external=load)
    np.testing.assert_array_equal(found.dense().q, expected.q)
    assert np.abs(expected.q).max() > 0.1


def test_loops_have_their_status_read() -> None:
    belt = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 2.0})
    state = [0.2, -0.1], [1, -0.5], [0, 0]
    packed = belt.inverse_dynamics_derivatives(*state, packed=True)
    np.testing.assert_array_equal(packed.dense().q, belt.inverse_dynamics_derivatives(*state).q)
    with pytest.raises(ValueError, match=r"loop|coupling"):
        belt.inverse_dynamics_derivatives([0.2, 0.4], [1, -0.5], [0, 0], packed=True)


def test_the_pattern_is_found_on_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    state = states(TREE)
    first = TREE.regressor(*state, packed=True)
    again = lp.catalog.random_tree(7, 3, general=True, drives=True)
    monkeypatch.setattr("loadpath.engine.packed.record", None)  # nothing is traced
    second = again.regressor(*state, packed=True)
    np.testing.assert_array_equal(first.values, second.values)
    np.testing.assert_array_equal(first.index, second.index)


def test_what_is_refused() -> None:
    state = states(TREE)
    with pytest.raises(ValueError, match="'packed' is 'yes'"):
        TREE.regressor(*state, packed="yes")
    with pytest.raises(TypeError, match="takes no 'packed'"):
        TREE.inverse_dynamics(*state, packed=True)
    with pytest.raises(ValueError, match="'qd' has the shape"):
        TREE.regressor(state[0], state[1][:, :2], state[2], packed=True)
    lazy = pytest.importorskip("dask.array").from_array(state[0])
    with pytest.raises(ValueError, match="Dask"):
        TREE.regressor(lazy, *state[1:], packed=True)
