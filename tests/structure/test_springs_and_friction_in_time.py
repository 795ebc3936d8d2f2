"""Springs at joints and friction that is larger at rest, with beams in time: as torques that do the same."""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp

BEAM = {"link1": lp.Beam(lp.Rod(0.01), lp.ALUMINIUM, end="tip_joint")}
TIGHT = {"rtol": 1e-11, "modes": 2, "duration": 0.3}


def arm(**drive: object) -> lp.Robot:
    robot = lp.catalog.planar(1).with_drives({"joint1": lp.Drive(**drive)}) if drive else lp.catalog.planar(1)
    return robot.with_beams(BEAM, inertia_from_beams=True)


def test_a_spring_is_a_torque_that_pulls_back() -> None:
    spring = lp.TorsionSpring(30.0, rest=0.5, preload=2.0)
    found = arm(spring=spring).simulate([0.9], [0.0], **TIGHT)
    by_hand = arm().simulate([0.9], [0.0], lambda t, q, qd: 2.0 - 30.0 * (q - 0.5), **TIGHT)
    assert np.ptp(found.q) > 0.5 and np.abs(found.q - by_hand.q).max() < 1e-8
    assert np.abs(found.elastic - by_hand.elastic).max() < 1e-7 * np.abs(by_hand.elastic).max()
    assert np.abs(found.tau).max() == 0.0 and found.energy_drift < 1e-9
    stored = 15.0 * (found.q[:, 0] - 0.5) ** 2 - 2.0 * (found.q[:, 0] - 0.5)
    change = found.potential - by_hand.potential  # what the spring stores, and the torque does not
    assert np.abs(change - stored - (change - stored)[0]).max() < 1e-7
    assert change[0] == pytest.approx(stored[0])


def test_friction_that_falls_with_speed_is_a_torque_against_the_motion() -> None:
    friction = lp.Friction(viscous=0.05, coulomb=2.0, static=3.0, stribeck_speed=0.5)
    found = arm(friction=friction).simulate([0.9], [8.0], **TIGHT)
    assert (found.qd > 0.5).all()
    by_hand = arm().simulate(
        [0.9], [8.0], lambda t, q, qd: -0.05 * qd - 2.0 - 1.0 * np.exp(-((qd / 0.5) ** 2)), **TIGHT)
    assert np.abs(found.q - by_hand.q).max() < 1e-8 and found.energy_drift < 1e-9
    heat = by_hand.dissipated - by_hand.drive_work  # that of the beam, and of the friction by hand
    assert np.abs(found.dissipated - heat).max() < 1e-8 * heat[-1]


def test_a_flexible_arm_breaks_away_at_static_friction() -> None:
    friction = lp.Friction(coulomb=2.0, static=3.0, stribeck_speed=0.05)
    robot = arm(friction=friction).with_gravity((0.0, 0.0, 0.0))
    held = robot.simulate([0.0], [0.0], [2.9], duration=0.05, modes=2)
    assert held.sticking.all() and np.abs(held.q).max() == 0.0
    gone = robot.simulate([0.0], [0.0], [3.1], duration=0.05, modes=2)
    assert gone.q[-1, 0] > 1e-3 and gone.energy_drift < 1e-6


def test_a_law_works_against_friction_at_its_own_speed() -> None:
    friction = lp.Friction(coulomb=2.0, static=3.0, stribeck_speed=0.5)
    options = TIGHT | {"duration": 0.05, "prescribed": {"joint1": lambda t: (t, 1.0, 0.0)}}
    found, smooth = (robot.simulate([0.0], [1.0], **options) for robot in (arm(friction=friction), arm()))
    more = 2.0 + np.exp(-(1.0 / 0.5) ** 2)
    assert np.abs(found.tau - smooth.tau - more).max() < 1e-9
