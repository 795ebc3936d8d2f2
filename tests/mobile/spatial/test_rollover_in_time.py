"""A lateral acceleration that grows slowly lifts the inner wheels at the rollover threshold of `rover.standards`."""

import numpy as np
import pytest

import loadpath as lp

G, MASS, HIGH = 9.81, 9000.0, 1.5
WEIGHT = MASS * G


def truck(stiffness=None, bar=0.0, tyre=None):
    """Two axles of the track 2 m, on springs that carry the weight in the design position, or on tyres."""
    parts = {}
    if stiffness:
        parts["suspension"] = lp.Suspension(stiffness=stiffness, damping=4e3, preload=WEIGHT / 4)
    if tyre:
        parts.update(stiffness=tyre, damping=4e3)
    wheels = [lp.FixedWheel((x, y), 0.5, **parts) for x in (-2.0, 2.0) for y in (-1.0, 1.0)]
    bars = [lp.AntiRollBar(*names, bar) for names in (("wheel1", "wheel2"), ("wheel3", "wheel4"))] if bar else ()
    return lp.WheeledBase(mass=MASS, center_of_mass=(0, 0, HIGH), inertia=np.diag([9e3, 3e4, 3e4]), wheels=wheels,
                          friction=lp.WheelFriction(2.0), anti_roll_bars=bars).carrying()


def lifts_at(rover, about):
    """Lateral acceleration (g) at which the first wheels lift, which grows slowly: the lean is 0.1 s late."""
    T = 0.5
    first, rate = 0.9995 * about * G, 0.0015 * about * G / T

    def sway(t):
        return first * t**2 / 2 + rate * t**3 / 6, first * t + rate * t**2 / 2, first + rate * t

    ground = lp.Ground(motion=lp.GroundMotion(sway=sway))
    brakes = dict.fromkeys(rover.contact_names, 0.0)
    run = rover.on(ground).simulate(duration=T, sample_rate=10, wheel_rates=brakes)
    lifts = run.of_kind("lifts") or run.of_kind("rocks")
    assert run.energy_drift < 1e-7 and not run.lifted[0].any() and not run.of_kind("slips")
    return sway(lifts[0].time)[2] / G


@pytest.mark.parametrize("stiffness, bar", [(4e5, 2e5), pytest.param(8e5, 0.0, marks=pytest.mark.slow)])
def test_on_springs_and_bars_it_is_the_threshold_of_the_standard(stiffness, bar):
    """The standard counts in small angles: what is left is of second order in the lean, 0.028 rad."""
    rover = truck(stiffness, bar)
    threshold = rover.standards.rollover_threshold().rows[0].limit
    assert threshold == pytest.approx((1 - WEIGHT * HIGH / (4 * (stiffness + 2 * bar))) / HIGH, rel=1e-6)
    assert lifts_at(rover, threshold) == pytest.approx(threshold, rel=5e-4)


def test_on_tyres_the_mass_center_has_sunk_with_them():
    """By hand, without small angles: inner tyres carry nothing, outer ones all, and the base has sunk by W/4k; beyond
    the standard's threshold, which has the mass center where it is without load.
    """
    k = 8e5
    rover, s = truck(tyre=k), WEIGHT / (4 * k)
    lean = np.arcsin(s)
    by_hand = (np.cos(lean) - HIGH * s) / (HIGH * np.cos(lean) - s)
    assert lifts_at(rover, by_hand) == pytest.approx(by_hand, rel=5e-4)
    assert rover.standards.rollover_threshold().rows[0].limit == pytest.approx(by_hand, rel=0.02)


def test_a_rigid_truck_on_a_table_that_tilts_lifts_at_half_the_track_over_the_height():
    rover, T = truck(), 0.4
    limit = np.arctan(rover.standards.rollover_threshold().rows[0].limit)
    assert np.tan(limit) == pytest.approx(1.0 / HIGH)
    rate = 0.002 * limit / T  # so slow that nothing flies off it
    table = lp.Ground(motion=lp.GroundMotion(roll=lambda t: (0.999 * limit + rate * t, rate, 0.0)))
    run = rover.on(table).simulate(duration=T, sample_rate=10, wheel_rates=dict.fromkeys(rover.contact_names, 0.0))
    lifts = run.of_kind("lifts") or run.of_kind("rocks")
    assert 0.999 * limit + rate * lifts[0].time == pytest.approx(limit, rel=1e-4)
