"""Crossed roller bearings and slewing rings against catalogues and hand calculation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from loadpath.errors import ModelError, ModelWarning
from loadpath.parts.bearings.ring import CrossedRollerBearing, SlewingBearing
from parts.joint_loads_by_hand import Z, causes_sum, examined, loads, place, split

RING = CrossedRollerBearing(C=69.3e3, C0=150e3, dp=0.2775, load_factor=1.2)


def test_thk_static_permissible_moment_and_axial_load():
    """THK 382-3E, p. 6: the static permissible moment M0 = C0 dp / 2 and the static permissible axial load
    Fa0 = C0 / 0.44 are the loads at which the static safety is 1.
    """
    moment = examined(RING, loads([0, 0, 0], [150e3 * 0.2775 / 2, 0, 0]))["static safety"]
    axial = examined(RING, loads([0, 0, -150e3 / 0.44], [0, 0, 7.0]))["static safety"]
    assert moment.utilisation == pytest.approx(1.0, rel=1e-14)
    assert axial.utilisation == pytest.approx(1.0, rel=1e-14)


@pytest.mark.parametrize(("axial", "expected"), [
    (1000.0, 2000 + 2 * 400 / 0.2775 + 0.45 * 1000.0),
    (1.5 * (2000 + 2 * 400 / 0.2775), (2000 + 2 * 400 / 0.2775) * (1 + 0.45 * 1.5)),
    (9000.0, 0.67 * (2000 + 2 * 400 / 0.2775) + 0.67 * 9000.0),
])
def test_equivalent_load_by_hand(axial, expected):
    block = loads([0.0, 2000.0, axial], [240.0, -320.0, 55.0], speed=1.0)  # 400 N m of tilting moment
    checks = examined(RING, block, hours=1000.0)
    assert checks["life L10"].demand == pytest.approx(1.2 * expected, rel=1e-13)
    assert RING.dynamic_load(2000.0, axial, 400.0) == pytest.approx(expected, rel=1e-13)
    assert checks["static safety"].demand == pytest.approx(2000 + 2 * 400 / 0.2775 + 0.44 * axial, rel=1e-13)
    assert checks["static safety"].capacity == 150e3
    for check in checks.values():
        assert causes_sum(check, [block]) == pytest.approx(check.demand, rel=1e-12)


def test_axial_force_alone_takes_the_catalogue_factors():
    """THK 382-3E, below table 2: if Fr = 0 and M = 0, calculate with X = Y = 0.67."""
    assert RING.dynamic_load(0.0, 1000.0, 0.0) == 670.0


def test_life_of_steady_rotation_by_hand():
    """L10 = 10^6 (C / (fw P))^(10/3) revolutions, at 15 rpm."""
    check = examined(RING, loads([4000.0, 0, 0], [0, 0, 0], speed=15 * 2 * math.pi / 60), hours=20000.0)["life L10"]
    hours = 1e6 / (60 * 15) * (69.3 / (1.2 * 4.0)) ** (10 / 3)
    assert check.life_hours == pytest.approx(hours, rel=1e-13)
    assert check.utilisation == pytest.approx((20000.0 / hours) ** 0.3, rel=1e-13)
    assert check.holds == (hours > 20000.0)


def test_capacity_is_the_load_that_lasts_as_long_as_required():
    block = loads([4000.0, 0, 0], [0, 0, 0], speed=1.0)
    permitted = examined(RING, block, hours=5000.0)["life L10"].capacity
    again = loads([permitted / 1.2, 0, 0], [0, 0, 0], speed=1.0)
    check = examined(RING, again, hours=5000.0)["life L10"]
    assert check.life_hours == pytest.approx(5000.0, rel=1e-12)
    assert check.utilisation == pytest.approx(1.0, rel=1e-12)


def test_oscillation_as_harmonic_drive_writes_it():
    """Harmonic Drive SE, SHG (1021387), eq. 44.1: L_OC = 10^6 / (60 n1) 180/phi (C / (fw Pc))^(10/3), with n1
    oscillations a minute of 2 phi each: the travelled angle counts. Here 20 a minute of phi = 60 degrees.
    """
    phi, n1 = math.radians(60.0), 20.0
    t = np.linspace(0.0, 30.0, 60001)
    position = 0.5 * phi * np.cos(2 * math.pi * n1 / 60 * t)
    block = loads(np.tile([3000.0, 0, 0], (len(t), 1)), np.zeros(3), position=position, t=t,
                  speed=np.gradient(position, t))
    hours = 1e6 / (60 * n1) * 180 / 60 * (69.3 / (1.2 * 3.0)) ** (10 / 3)
    assert examined(RING, block)["life L10"].life_hours == pytest.approx(hours, rel=1e-4)


def test_small_oscillation_is_not_covered():
    t = np.linspace(0.0, 10.0, 2001)
    position = math.radians(2.0) * np.sin(5 * t)  # 4 degrees from reversal to reversal
    block = loads(np.tile([3000.0, 0, 0], (len(t), 1)), np.zeros(3), position=position, t=t,
                  speed=np.gradient(position, t))
    check = examined(RING, block, hours=1000.0)["life L10"]
    assert not check.checked and not check.holds and check.life_hours is None
    assert check.note.startswith("not checked: swings 4 deg at most, less than the critical_angle of 5 deg")
    finer = CrossedRollerBearing(C=69.3e3, C0=150e3, dp=0.2775, critical_angle=math.radians(3))
    assert examined(finer, block, hours=1000.0)["life L10"].checked


def test_swings_do_not_depend_on_the_blocks():
    t = np.linspace(0.0, 20.0, 4001)
    position = math.radians(2.0) * np.sin(5 * t) + np.where(t > 15, 1.0 - np.cos(t - 15), 0.0)
    force = np.stack([1000 + 50 * t, 20 * t, -300 * np.sin(t)], axis=1)
    block = loads(force, np.stack([30 * np.cos(t), 10 * t, t], axis=1), position=position, t=t,
                  speed=np.gradient(position, t))
    whole = examined(RING, block, hours=1e4)
    for at in (1, 2, 1000, 1571, 3999):
        parts = examined(RING, *split(block, at), hours=1e4)
        for name, check in whole.items():
            assert parts[name].life_hours == (check.life_hours and pytest.approx(check.life_hours, rel=1e-12))
            assert parts[name].demand == pytest.approx(check.demand, rel=1e-12)
            assert (parts[name].at, parts[name].note) == (check.at, check.note)
    # 47 reversals of 4 degrees each until 15 s; from there on swings are larger than the critical angle, or smaller
    assert "of the travel is in swings below 5 deg" in whole["life L10"].note


def test_share_of_small_swings_by_hand():
    """Ten swings of 2 degrees and one of 20: half of the travel."""
    from loadpath.parts.bearings.life import Swings

    position = np.radians([0, 2, 0, 2, 0, 2, 0, 2, 0, 2, 0, 10, 20, 20])
    speed = np.abs(np.diff(position, prepend=0.0))
    block = loads(np.zeros((14, 3)), np.zeros(3), position=position, speed=speed, weight=np.ones(14))
    for at in range(1, 14):
        swings = Swings(math.radians(5.0))
        for part in split(block, at):
            swings.add(part)
        swings.end()
        assert swings.largest == pytest.approx(math.radians(20))
        assert swings.small_share == pytest.approx(0.5)


def test_only_swings_below_the_critical_one_are_small():
    """Two each of 0.25, 0.5 and 0.75 rad with 0.5 critical: a sixth of the travel, and none of it at 0.5 itself."""
    from loadpath.parts.bearings.life import Swings

    position = np.array([0.0, 0.25, 0.0, 0.5, 0.0, 0.75, 0.0])
    speed = np.abs(np.diff(position, prepend=0.0))
    swings = Swings(0.5)
    swings.add(loads(np.zeros((7, 3)), np.zeros(3), position=position, speed=speed, weight=np.ones(7)))
    swings.end()
    assert swings.small_share == pytest.approx(0.5 / 3.0, rel=1e-12)


def test_mean_of_the_instantaneous_load_and_mean_of_parts():
    """Radial force and moment that peak one after the other: the catalogue's means of parts add both peaks."""
    block = loads([[4000.0, 0, 0], [0, 0, 0]], [[0, 0, 0], [0, 300.0, 0]], speed=[2.0, 1.0], weight=[0.25, 0.75])
    examiner = RING.examiner(place())
    examiner.add(block)
    check = examiner.checks(None)[0]
    p, second = 10 / 3, 2 * 300.0 / 0.2775
    weights = np.array([0.5, 0.75]) / 1.25
    own = float(weights @ np.array([4000.0, second]) ** p) ** (1 / p)
    catalogue = (weights[0] * 4000.0**p) ** (1 / p) + (weights[1] * second**p) ** (1 / p)
    assert check.demand == pytest.approx(1.2 * own, rel=1e-12)
    assert examiner.mean_of_parts() == pytest.approx(1.2 * catalogue, rel=1e-12)
    assert catalogue > own
    assert math.isnan(check.utilisation) and check.life_hours > 0  # no hours are asked for: the life is told
    ratio = (catalogue / own) ** p
    assert f"P = {1.2 * catalogue:.4g} N, {check.life_hours / ratio:.4g} h" in check.note
    assert check.at.sample == 0  # 0.5 x 4000^p against 0.75 x 2162^p
    assert causes_sum(check, [block]) == pytest.approx(check.demand, rel=1e-12)


def test_offset_moves_the_moment():
    """A radial force of 1000 N at the joint's origin, the bearing 0.1 m along the axis from there: 100 N m."""
    ring = CrossedRollerBearing(C=69.3e3, C0=150e3, dp=0.2, offset=0.1, permitted_moment=400.0)
    block = loads([1000.0, 0, 0], [0, 0, 0])
    checks = examined(ring, block)
    assert checks["tilting moment"].demand == pytest.approx(100.0, rel=1e-14)
    assert checks["tilting moment"].utilisation == pytest.approx(0.25, rel=1e-14)
    assert checks["static safety"].demand == pytest.approx(1000 + 2 * 100 / 0.2, rel=1e-14)
    # The same wrench, given at the bearing's middle: torque there is -offset x force.
    balanced = loads([1000.0, 0, 0], [0, 100.0, 0])
    assert examined(ring, balanced)["tilting moment"].demand == pytest.approx(0.0, abs=1e-12)


def test_causes_sum_to_the_demand_in_any_direction():
    rng = np.random.default_rng(3)
    axis = np.array([0.48, -0.6, 0.64])
    ring = SlewingBearing(C=20e3, C0=30e3, dp=0.15, offset=-0.07, load_factor=1.3, permitted_moment=100.0,
                          rolling="balls")
    for _ in range(20):
        block = loads(rng.normal(size=(7, 3)) * 800, rng.normal(size=(7, 3)) * 90, speed=rng.normal(size=7), axis=axis)
        checks = examined(ring, block, hours=1e4, where=place(axis=axis))
        assert len(checks) == 3
        for check in checks.values():
            assert causes_sum(check, [block]) == pytest.approx(check.demand, rel=1e-12)


def test_slewing_ring_of_balls_has_the_exponent_three():
    ring = SlewingBearing(C=20e3, C0=30e3, dp=0.15, rolling="balls")
    check = examined(ring, loads([2000.0, 0, 0], [0, 0, 0], speed=2 * math.pi))["life L10"]
    assert check.life_hours == pytest.approx(1e9 / 3600, rel=1e-12)


def test_reliability_and_life_factor():
    plain = examined(RING, loads([2000.0, 0, 0], [0, 0, 0], speed=1.0))["life L10"].life_hours
    surer = CrossedRollerBearing(C=69.3e3, C0=150e3, dp=0.2775, load_factor=1.2, reliability=0.99, life_factor=2.0)
    assert examined(surer, loads([2000.0, 0, 0], [0, 0, 0], speed=1.0))["life L1"].life_hours == pytest.approx(
        0.25 * 2.0 * plain, rel=1e-12)


def test_missing_ratings_are_not_checked():
    checks = examined(CrossedRollerBearing(dp=0.2), loads([2000.0, 0, 0], [0, 0, 0], speed=1.0), hours=10.0)
    assert checks["life L10"].note == "not checked: no C given, the dynamic load rating"
    assert checks["static safety"].note == "not checked: no C0 given, the static load rating"
    assert not any(check.holds for check in checks.values())


def test_a_joint_at_rest_is_for_static_safety():
    checks = examined(RING, loads([2000.0, 0, 0], [0, 0, 0], speed=0.0, position=[1.0]), hours=1000.0)
    assert checks["life L10"].utilisation == 0.0 and checks["life L10"].life_hours == math.inf
    assert checks["life L10"].note.startswith("does not turn: static safety decides")
    assert checks["static safety"].demand == 2000.0


def test_no_load_and_no_samples():
    checks = examined(RING, loads([0, 0, 0], [0, 0, 0], speed=1.0), hours=10.0)
    assert checks["life L10"].life_hours == math.inf and checks["static safety"].utilisation == 0.0
    nothing = examined(RING, hours=10.0)
    assert nothing["static safety"].demand == 0.0 and nothing["static safety"].at is None


@pytest.mark.parametrize(("numbers", "said"), [
    ({"C": -1.0, "dp": 0.2}, "dynamic load rating C of crossed roller bearing 'x' is -1.0: expected more than zero"),
    ({"C0": "150", "dp": 0.2}, "static load rating C0 of crossed roller bearing 'x' is '150': expected a number"),
    ({"dp": 0.0}, "pitch diameter dp of crossed roller bearing 'x' is 0.0"),
    ({"dp": 0.2, "reliability": 99}, "reliability of crossed roller bearing 'x' is 99: expected a share"),
    ({"dp": 0.2, "critical_angle": 5}, "np.radians(5)"),
    ({"dp": 0.2, "permitted_moment": math.nan}, "permitted_moment of crossed roller bearing 'x' is nan"),
])
def test_wrong_numbers_are_refused(numbers, said):
    with pytest.raises(ModelError) as error:
        CrossedRollerBearing(name="x", **numbers)
    assert said in str(error.value)


def test_other_units_are_asked_about():
    with pytest.warns(ModelWarning, match=r"is 277\.5 m: is it in m\?"):
        CrossedRollerBearing(C=69.3e3, dp=277.5)
    with pytest.warns(ModelWarning, match=r"is 69\.3 N: is it in N\?"):
        CrossedRollerBearing(C=69.3, dp=0.2775)


def test_joints_that_do_not_turn_about_one_axis_are_refused():
    with pytest.raises(ModelError, match=r"joint 'lift' slides: crossed roller bearing"):
        RING.examiner(place("lift", Z, turns=False))
    with pytest.raises(ModelError, match=r"joint 'ball' is fixed or has several freedoms: crossed roller bearing"):
        RING.examiner(place("ball", [math.nan] * 3, turns=False, moves=True))
