"""Carriages of linear guides against the formulas of catalogues, statics and hand calculation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from loadpath.errors import ModelError
from loadpath.parts.bearings.guide import LinearGuide, _shares
from parts.joint_loads_by_hand import causes_sum, examined, loads, place

X = np.array([1.0, 0.0, 0.0])
SLIDE = place("slide", X, turns=False)
FOUR = [(x, y, 0.0) for x in (0.2, -0.2) for y in (0.15, -0.15)]
NUMBERS = {"C": 26e3, "C0": 45e3, "rated_travel": 50e3, "up": (0, 0, 1)}


def test_four_carriages_as_thk_writes_them():
    """THK, applied load of a horizontal table at rest: P = F/4 +- F l2 / (2 l0) +- F l3 / (2 l1), with l0 between the
    carriages along the rails, l1 between the rails, l2 and l3 where the load is.
    """
    F, l0, l1, l2, l3 = 4000.0, 0.4, 0.3, 0.07, 0.05
    load = np.array([l2, l3, 0.0])
    # The rails push up F at the middle and hold the moment of the weight about it.
    force, torque = np.array([0, 0, F]), np.cross(load, [0, 0, F])
    rows, turning = _shares(np.array(FOUR), X, np.array([0.0, 0, 1]))
    found = rows[:, 0] @ np.concatenate([force, torque])
    expected = [F / 4 + sx * F * l2 / (2 * l0) + sy * F * l3 / (2 * l1) for sx in (1, -1) for sy in (1, -1)]
    assert found == pytest.approx(expected, rel=1e-12)
    assert np.abs(turning).max() < 1e-12
    check = examined(LinearGuide(**NUMBERS, positions=FOUR), loads(force, torque), where=SLIDE)
    assert check["static safety of carriage 0"].demand == pytest.approx(max(expected))


def test_forces_and_moments_of_carriages_balance_the_load():
    rng = np.random.default_rng(4)
    axis, up = np.array([2.0, 1, 2]) / 3, np.array([1.0, -2, 0]) / math.sqrt(5)
    side = np.cross(up, axis)
    line = np.array([0.1, 0.02, -0.03]) + np.outer([0.0, 0.25], axis)  # two on one rail
    for points in (rng.normal(size=(5, 3)) * 0.2, line, line[:1]):
        rows, turning = _shares(points, axis, up)
        wrench = rng.normal(size=6) * 100
        forces = np.einsum("nks,s,kd->nd", rows, wrench, np.stack([up, side]))
        moments = (turning @ wrench) @ np.stack([axis, side, up])
        across = wrench[:3] - (wrench[:3] @ axis) * axis
        assert forces.sum(axis=0) == pytest.approx(across, rel=1e-9, abs=1e-9)
        # The force along the rail is the drive's, in the middle of the carriages.
        drive = np.cross(points.mean(axis=0), (wrench[:3] @ axis) * axis)
        total = np.cross(points, forces).sum(axis=0) + len(points) * moments + drive
        assert total == pytest.approx(wrench[3:], rel=1e-9, abs=1e-8)


def test_one_carriage_by_hand():
    """|F_up| + |F_side| + C0/M0 |M| about all three, at the carriage's middle, 0.1 m below the joint's origin."""
    guide = LinearGuide(**NUMBERS, positions=[(0, 0, -0.1)], moments=(600.0, 400.0, 500.0))
    block = loads([0.0, 300.0, -2000.0], [10.0, -20.0, 30.0], speed=0.5)
    check = examined(guide, block, hours=10.0, where=SLIDE)["life L10"]
    roll = 10.0 - 0.1 * 300.0  # torque - r x F with r = (0, 0, -0.1): r x F = (0.1 x 300, 0, 0)
    expected = 2000 + 300 + 45e3 * (abs(roll) / 600 + 20 / 400 + 30 / 500)
    assert check.demand == pytest.approx(expected, rel=1e-12)
    assert check.life_hours == pytest.approx(50e3 * (26e3 / expected) ** 3 / 0.5 / 3600, rel=1e-12)
    assert causes_sum(check, [block]) == pytest.approx(check.demand, rel=1e-12)


def test_two_on_one_rail_need_the_roll_rating_alone():
    two = [(0.1, 0, 0), (-0.1, 0, 0)]
    check = examined(LinearGuide(**NUMBERS, positions=two), loads([0, 0, 100.0], [5.0, 0, 0]), where=SLIDE)
    said = "not checked: no moments= given for roll, which the carriages do not hold by their distance"
    assert check["static safety"].note == said
    level = examined(LinearGuide(**NUMBERS, positions=two), loads([0, 0, 100.0], [0, 20.0, 0]), where=SLIDE)
    assert next(iter(level.values())).check.startswith("life L10 of carriage")
    assert level["static safety of carriage 1"].demand == pytest.approx(50 + 20 / 0.2)
    rolled = examined(LinearGuide(**NUMBERS, positions=two, moments=(600.0, None, None)),
                      loads([0, 0, 100.0], [5.0, 0, 0]), where=SLIDE)
    assert max(check.demand for check in rolled.values()) == pytest.approx(50 + 45e3 / 600 * 2.5)


def test_causes_sum_to_the_demand():
    rng = np.random.default_rng(8)
    guide = LinearGuide(**NUMBERS, positions=FOUR, load_factor=1.5, rolling="rollers")
    for _ in range(10):
        block = loads(rng.normal(size=(5, 3)) * 500, rng.normal(size=(5, 3)) * 50, speed=rng.normal(size=5))
        checks = examined(guide, block, hours=1e3, where=SLIDE)
        assert len(checks) == 2
        for check in checks.values():
            assert causes_sum(check, [block]) == pytest.approx(check.demand, rel=1e-12)


def test_short_strokes():
    t = np.linspace(0, 10, 2001)
    position = 0.004 * np.sin(t)
    block = loads(np.tile([0, 0, 100.0], (len(t), 1)), np.zeros(3), position=position, speed=0.004 * np.cos(t), t=t)
    numbers = {**NUMBERS, "positions": FOUR}
    check = next(iter(examined(LinearGuide(**numbers, critical_stroke=0.02), block, hours=1.0, where=SLIDE).values()))
    assert check.note.startswith("not checked: swings 8 mm at most, less than the critical_stroke of 20 mm")
    assert next(iter(examined(LinearGuide(**numbers), block, hours=1.0, where=SLIDE).values())).checked


def test_wrong_input():
    guide = LinearGuide(**NUMBERS, name="x")
    with pytest.raises(ModelError, match="joint 'hinge' does not slide along one axis: linear guide 'x'"):
        guide.examiner(place("hinge"))
    with pytest.raises(ModelError, match="not across the axis of joint 'lift'"):
        guide.examiner(place("lift", [0, 0, 1.0], turns=False))
    for wrong, said in [({"positions": []}, "are empty"), ({"moments": (1.0, 2.0)}, "expected three"),
                        ({"rolling": "needles"}, "'balls' or 'rollers'"), ({"C": -1.0}, "more than zero"),
                        ({"up": (0, 0, 0)}, "not a zero vector")]:
        with pytest.raises(ModelError, match=said):
            LinearGuide(**{**NUMBERS, **wrong})
