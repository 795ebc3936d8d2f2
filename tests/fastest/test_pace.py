"""Points that a motion passes no earlier than at a time, without a stop."""

from __future__ import annotations

import math

import numpy as np
import pytest

import loadpath as lp
from loadpath.fastest.pace import LATE, arrival

POINTS = [[0, -1.2, 1.4, -0.3, 0.4, 0], [0.8, -0.9, 0.9, -0.1, 0.6, 0.5], [1.4, -1.4, 1.6, -0.5, 0.2, 1.0],
          [0.5, -1, 1, 0, 0.5, 0.5]]
EFFORT = np.array([150.0] * 3 + [28.0] * 3)


@pytest.mark.parametrize("seconds", [1.5, 4.0])
def test_a_joint_by_hand(seconds: float) -> None:
    """It speeds up to a pace, keeps it to the point, and goes on as quickly as it can."""
    a = 3.0
    pace = a * (seconds - math.sqrt(seconds**2 - 2 / a))  # pace / 2a + 1 / pace is the time to 1
    top = math.sqrt(a + pace**2 / 2)
    path = lp.Path.through([[0.0], [1.0], [2.0]], passes={1: seconds})
    found = lp.catalog.planar(1, gravity=0).fastest(path, {"acceleration": a, "torque": False})
    assert seconds <= arrival(found, 1) <= seconds * (1 + LATE)
    assert found.duration == pytest.approx(seconds + (2 * top - pace) / a, rel=1e-4)
    assert found.at(seconds / 2)[1].item() == pytest.approx(pace, rel=1e-4)


@pytest.mark.parametrize("rates", [{}, {"torque_rate": [3000.0] * 3 + [560.0] * 3}])
def test_an_arm_within_its_limits(rates: dict[str, object]) -> None:
    """The last of the points at its time, the one before it as well or a little later; and it never rests."""
    arm = lp.catalog.ur5()
    found = arm.fastest(lp.Path.through(POINTS, passes={1: 0.6, 2: 1.6}), rates, intervals=200)
    assert 0.6 <= arrival(found, 1) <= 0.61
    assert 1.6 <= arrival(found, 2) <= 1.6 * (1 + LATE)
    q, qd, qdd = found.sampled(33)
    assert np.abs(arm.inverse_dynamics(q, qd, qdd) / EFFORT).max() <= 1 + 2e-6
    assert np.linalg.norm(found.at(np.linspace(0.2, 1.6, 50))[1], axis=1).min() > 0.5
    assert {f"pace of 'the way to point {k}'" for k in (1, 2)} <= {stretch.limit for stretch in found.rules}


def test_times_that_are_later_anyway_change_nothing() -> None:
    arm = lp.catalog.ur5()
    free = arm.fastest(POINTS, intervals=200)
    timed = arm.fastest(lp.Path.through(POINTS, passes={1: 0.01, 3: 0.02}), intervals=200)
    assert timed.duration == free.duration
    waits = arm.fastest(lp.Path.through(POINTS, dwell={1: 2.0}, passes={2: 1.0}), intervals=200)
    assert waits.duration == arm.fastest(lp.Path.through(POINTS, dwell={1: 2.0}), intervals=200).duration


def test_wrong_times_are_named() -> None:
    for passes, words in (({0: 1.0}, "passes at point 0"), ({7: 1.0}, "passes at point 7"), ({1: -1.0}, "is -1"),
                          ({1: math.nan}, "passes at point 1")):
        with pytest.raises(ValueError, match=words):
            lp.Path.through(POINTS, passes=passes)
