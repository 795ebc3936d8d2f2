"""Buckling of many states at once: every one of them meets the tolerance, and its error is not less than the truth."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from random_arms import random_arm
from telescopes import telescope

import loadpath as lp

UP, DOWN = np.pi / 2, -np.pi / 2


def _truth(arm: lp.FlexibleRobot, q: np.ndarray) -> np.ndarray:
    """State by state, with far more polynomials than the batch has."""
    return np.array([float(arm.buckling(one, tolerance=1e-9).factor) for one in q])


def _is_honest(found: lp.Buckling, truth: np.ndarray, tolerance: float) -> None:
    infinite = np.isinf(truth)
    assert_array_equal(np.isinf(found.factor), infinite)
    assert_array_equal(found.error[infinite], 0)
    wrong = np.abs(found.factor / np.where(infinite, 1.0, truth) - 1)[~infinite]
    assert wrong.max() <= tolerance
    assert (wrong <= found.error[~infinite] + 1e-9).all()
    assert (found.error <= tolerance).all()


def bars() -> lp.FlexibleRobot:
    beams = {"link1": lp.Beam(lp.Bar(0.004, 0.05), lp.STEEL, end="joint2"),
             "link2": lp.Beam(lp.Bar(0.004, 0.05), lp.STEEL, end="tip_joint")}
    return lp.catalog.planar(2, mass=1.0).with_beams(beams)


@pytest.mark.parametrize("arm", [telescope(2), bars()], ids=["telescope", "bars"])
def test_states_between_those_that_hang_meet_the_tolerance(arm: lp.FlexibleRobot) -> None:
    """Every other state hangs and hardly buckles; those between, which are not the worst, were 0.1 % off."""
    rest = 0.5 if "stage2" in arm.link_names else 0.0
    q = np.array([[angle, rest] for angle in (DOWN, UP, DOWN, 0.0, DOWN, 0.8, DOWN)])
    _is_honest(arm.buckling(q), _truth(arm, q), 1e-4)


@pytest.mark.parametrize("seed", range(4))
def test_states_of_random_arms_are_what_they_are_alone(seed: int) -> None:
    arm = random_arm(seed)
    q = np.random.default_rng(seed).uniform(-3, 3, (7, 3))
    truth = _truth(arm, q)
    for tolerance in (1e-3, 1e-4, 1e-6):
        _is_honest(arm.buckling(q, tolerance=tolerance), truth, tolerance)


def test_states_solved_in_few_coordinates_meet_the_tolerance() -> None:
    """Large batches are solved in the coordinates that matter; what the others add is estimated, and is in `error`."""
    arm = random_arm(3)
    q = np.random.default_rng(5).uniform(-3, 3, (200, 3))
    found, some = arm.buckling(q), slice(None, None, 25)
    assert found.error.max() > 1e-7
    _is_honest(found[some], _truth(arm, q[some]), 1e-4)


def test_shapes_of_states_of_different_orders_are_those_of_single_states() -> None:
    arm = bars()
    q = np.array([[DOWN, 0.1], [UP, 0.0], [0.3, 1.0], [np.nan, 0.0]])
    with pytest.warns(lp.ModelWarning, match="not a number"):
        found = arm.buckling(q)
    assert np.isnan(found.error[3])
    assert np.isnan(found.shape.displacement[3]).all()
    for k in (1, 2):
        alone = arm.buckling(q[k])
        assert_allclose(found.shape.displacement[k], alone.shape.displacement, atol=2e-3)
        assert_allclose(found.energy_shares[k], alone.energy_shares, atol=2e-3)
        assert_allclose(
            found[k].shape.beam_lines(5)[0].displacement, alone.shape.beam_lines(5)[0].displacement, atol=2e-3
        )
        assert found.link[k] == alone.link


def test_orders_that_are_given_have_no_error() -> None:
    found = bars().buckling([[UP, 0.0], [0.3, 1.0]], order=3)
    assert found.error.shape == (2,)
    assert np.isnan(found.error).all()
