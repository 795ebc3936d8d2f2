"""Bolted flanges against statics and hand calculation."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from loadpath.errors import ModelError, ModelWarning
from loadpath.parts.bolts import BoltedFlange
from parts.joint_loads_by_hand import causes_sum, examined, loads, place, split

UP = (0.0, 0.0, 1.0)
CIRCLE = BoltedFlange(bolts=8, circle=0.1, preload=8e3, proof_load=12e3, friction=0.12, load_factor=0.2, normal=UP)


def on_circle(count, diameter, turn=0.0, height=0.0):
    angles = turn + 2 * math.pi * np.arange(count) / count
    return tuple((0.5 * diameter * math.cos(a), 0.5 * diameter * math.sin(a), height) for a in angles)


def test_circle_by_hand():
    """Hung up by 4 kN, 300 N m across, 1.2 kN sideways, 60 N m about: F = 4000/8 + 2 x 300/(8 x 0.05) = 2000 N and
    Q = 1200/8 + 60/(8 x 0.05) = 300 N at a bolt.
    """
    block = loads([1200.0, 0, -4000.0], [180.0, 240.0, -60.0])
    checks = examined(CIRCLE, block)
    assert checks["bolt force"].demand == pytest.approx(0.2 * 2000.0)
    assert checks["bolt force"].capacity == pytest.approx(12e3 - 8e3)
    assert checks["bolt force"].note.startswith("largest force in a bolt 8400 N of 1.2e+04 N")
    assert checks["separation"].demand == pytest.approx(0.8 * 2000.0)
    assert checks["separation"].utilisation == pytest.approx(1600 / 8000)
    assert checks["separation"].note == "clamp force left at a bolt 6400 N"
    # Slip: 300 N against 0.12 x 6400 N of friction left: the same as 300 + 0.12 x 1600 against 0.12 x 8000.
    assert checks["slip"].demand == pytest.approx(300 + 0.12 * 1600)
    assert checks["slip"].capacity == pytest.approx(0.12 * 8000)
    for check in checks.values():
        assert causes_sum(check, [block]) == pytest.approx(check.demand, rel=1e-12)


def test_slip_is_at_one_where_friction_is_just_enough():
    shear = 8 * 0.12 * 8000.0
    assert examined(CIRCLE, loads([shear, 0, 0], [0, 0, 0]))["slip"].utilisation == pytest.approx(1.0)
    assert examined(CIRCLE, loads([0, 0, 0], [0, 0, shear * 0.05]))["slip"].utilisation == pytest.approx(1.0)
    pressed = examined(CIRCLE, loads([shear, 0, 2000.0], [0, 0, 0]))["slip"]  # the child stands on it: more friction
    assert pressed.utilisation == pytest.approx(1.0 - 0.8 * 250 / 8000)


def test_positions_balance_the_load():
    """The forces of all bolts on the child are the wrench, whatever the pattern, the normal and where it is."""
    rng = np.random.default_rng(2)
    normal = np.array([2.0, 1.0, -2.0]) / 3.0
    for _ in range(10):
        points = rng.normal(size=(7, 3)) * 0.05
        points -= np.outer(points @ normal, normal) - 0.03 * normal
        flange = BoltedFlange(positions=points, normal=normal, preload=1e4, proof_load=2e4, friction=0.1)
        force, torque = rng.normal(size=3) * 800, rng.normal(size=3) * 40
        examiner = flange.examiner(place(axis=[math.nan] * 3, moves=False, turns=False))
        pull, shear = (each[0] for each in examiner._bolts(force[None], torque[None]))
        axial = -pull[:, None] * normal
        assert axial.sum(axis=0) == pytest.approx((force @ normal) * normal, rel=1e-9, abs=1e-9)
        tilting = torque - (torque @ normal) * normal
        middle = points.mean(axis=0)
        side = force - (force @ normal) * normal
        moment = np.cross(points, axial).sum(axis=0) + np.cross(middle, side)
        assert moment - (moment @ normal) * normal == pytest.approx(tilting, rel=1e-9, abs=1e-9)
        # Shear by hand: equal shares of the side force, and about the middle in proportion to the distance.
        arms = points - middle
        about = (torque - np.cross(middle, force)) @ normal
        forces = side / 7 + about * np.cross(normal, arms) / (arms**2).sum()
        assert np.cross(points, forces).sum(axis=0) @ normal == pytest.approx(torque @ normal, rel=1e-9)
        assert shear == pytest.approx(np.linalg.norm(forces, axis=1), rel=1e-12)
        block = loads(force, torque)
        checks = examined(flange, block, where=place(axis=[math.nan] * 3))
        assert checks["bolt force"].demand == pytest.approx(max(pull.max(), 0.0))
        assert checks["slip"].demand == pytest.approx((shear + 0.1 * pull).max())
        for check in checks.values():
            if check.demand > 0:  # else all bolts are pressed
                assert causes_sum(check, [block]) == pytest.approx(check.demand, rel=1e-10)


def test_circle_is_the_worst_of_all_turns_of_its_bolts():
    force, torque = np.array([300.0, -200.0, -900.0]), np.array([30.0, 70.0, 11.0])
    block = loads(force, torque)
    worst = examined(CIRCLE, block)
    turned = [examined(BoltedFlange(positions=on_circle(8, 0.1, turn), normal=UP, preload=8e3, proof_load=12e3,
                                    friction=0.12, load_factor=0.2), block) for turn in np.linspace(0, 0.7854, 91)]
    for name in ("bolt force", "separation"):
        found = max(checks[name].demand for checks in turned)
        assert worst[name].demand == pytest.approx(found, rel=1e-4)
    assert worst["slip"].demand >= max(checks["slip"].demand for checks in turned)


def test_offset_of_the_circle_and_height_of_positions_are_the_same():
    block = loads([500.0, 100.0, -50.0], [3.0, 4.0, 5.0])
    numbers = {"normal": UP, "preload": 8e3, "proof_load": 12e3}
    circle = examined(BoltedFlange(bolts=3600, circle=0.1, offset=0.2, **numbers), block)
    points = examined(BoltedFlange(positions=on_circle(3600, 0.1, height=0.2), **numbers), block)
    for name in ("bolt force", "separation"):
        assert circle[name].demand == pytest.approx(points[name].demand, rel=1e-5)


def test_sense_of_the_normal():
    """The parent pushes the child up: with the child above it is pressed on, with the child below it hangs."""
    block = loads([0, 0, 4000.0], [0, 0, 0])
    standing = examined(CIRCLE, block)["separation"]
    hanging = examined(dataclasses.replace(CIRCLE, normal=(0, 0, -1)), block)["separation"]
    unknown = examined(dataclasses.replace(CIRCLE, normal=None), block)["separation"]
    assert standing.demand == 0.0 and hanging.demand == pytest.approx(400.0) and unknown.demand == hanging.demand
    assert unknown.note.endswith("axial force counts as pulling: no normal given")
    assert causes_sum(unknown, [block]) == pytest.approx(400.0)


def test_missing_numbers_are_not_checked():
    checks = examined(BoltedFlange(bolts=4, circle=0.1, normal=UP), loads([0, 0, -100.0], [0, 0, 0]))
    assert [check.note for check in checks.values()] == [
        "not checked: no proof_load given", "not checked: no preload given",
        "not checked: no preload and no friction given"]
    loose = examined(BoltedFlange(bolts=4, circle=0.1, normal=UP, proof_load=1e3), loads([0, 0, -100.0], [0, 0, 0]))
    assert loose["bolt force"].demand == 25.0 and "shear is left out" in loose["bolt force"].note


def test_safety_seal_and_largest_preload():
    flange = dataclasses.replace(CIRCLE, safety=1.25, least_clamp=500.0, largest_preload=9e3)
    checks = examined(flange, loads([100.0, 0, -4000.0], [0, 0, 0]))
    assert checks["bolt force"].capacity == pytest.approx(12e3 / 1.25 - 9e3)
    assert checks["separation"].capacity == pytest.approx(7500 / 1.25)
    assert checks["slip"].capacity == pytest.approx(0.12 * 8000 / 1.25)


def test_blocks_do_not_matter():
    rng = np.random.default_rng(7)
    flange = BoltedFlange(positions=on_circle(5, 0.1, 0.3), normal=UP, preload=8e3, proof_load=12e3, friction=0.12)
    block = loads(rng.normal(size=(40, 3)) * 900, rng.normal(size=(40, 3)) * 30)
    whole, parts = examined(flange, block), examined(flange, *split(block, 13))
    for name, check in whole.items():
        assert (check.demand, check.at, check.along) == (parts[name].demand, parts[name].at, parts[name].along)


@pytest.mark.parametrize(("numbers", "said"), [
    ({"bolts": 8}, "bolts and circle of bolted flange 'x' are 8 and None"),
    ({"bolts": 8, "circle": -0.1}, "circle of bolted flange 'x' is -0.1: expected more than zero"),
    ({"bolts": 2, "circle": 0.1}, "expected a whole number, 3 or more"),
    ({"bolts": 8, "circle": 0.1, "load_factor": 1.5}, "expected a share, at most 1"),
    ({"bolts": 8, "circle": 0.1, "preload": 9e3, "proof_load": 8e3}, "nothing is left for the load"),
    ({"bolts": 8, "circle": 0.1, "preload": 9e3, "least_clamp": 9e3}, "not less than its preload"),
    ({"bolts": 8, "circle": 0.1, "preload": 9e3, "largest_preload": 8e3}, "less than its preload"),
    ({"bolts": 8, "circle": 0.1, "largest_preload": 8e3}, "without preload="),
    ({"positions": on_circle(4, 0.1)}, "without normal="),
    ({"positions": on_circle(4, 0.1), "normal": UP, "bolts": 4}, "leave out bolts, circle and offset"),
    ({"positions": on_circle(4, 0.1), "normal": (1, 0, 1)}, "apart along the normal"),
    ({"positions": ((0, 0, 0), (1, 0, 0), (2, 0, 0)), "normal": UP}, "lie on a line"),
])
def test_wrong_numbers_are_refused(numbers, said):
    with pytest.raises(ValueError) as error:
        BoltedFlange(name="x", **numbers)
    assert said in str(error.value)


@pytest.mark.parametrize(("numbers", "said"), [
    ({"circle": 90}, r"circle of bolted flange is 90 m: is it in m\?"),
    ({"offset": 20}, r"offset of bolted flange is 20 m: is it in m\?"),
    ({"preload": 8.0, "proof_load": None}, r"preload of bolted flange is 8 N: is it in N\?"),
    ({"friction": 12}, r"friction of bolted flange is 12: is it the coefficient\?"),
])
def test_other_units_are_asked_about(numbers, said):
    with pytest.warns(ModelWarning, match=said):
        dataclasses.replace(CIRCLE, **numbers)


def test_a_weld_needs_a_normal():
    weld = place("weld", [math.nan] * 3, turns=False, moves=False)
    with pytest.raises(ModelError, match="joint 'weld' has no axis: bolted flange needs normal="):
        dataclasses.replace(CIRCLE, normal=None).examiner(weld)
    assert examined(CIRCLE, loads([0, 0, -800.0], [0, 0, 0]), where=weld)["separation"].demand == pytest.approx(80.0)


def test_a_safety_is_taken_off_the_proof_load_before_the_preload():
    """12 kN with a safety of 1.5 leave 8 kN, all of which the preload takes; 1.49 leaves 53.7 N for the load."""
    numbers = {"bolts": 8, "circle": 0.1, "preload": 8e3, "proof_load": 12e3, "friction": 0.12, "load_factor": 0.2}
    with pytest.raises(ModelError, match="proof_load"):
        BoltedFlange(**numbers, safety=1.5)
    assert BoltedFlange(**numbers, safety=1.49).safety == 1.49
    with pytest.raises(ModelError, match="proof_load"):
        BoltedFlange(**{**numbers, "preload": 12e3})
