"""Simulations with springs and with friction that is larger at rest: energy, periods, stick-slip."""

from __future__ import annotations

import math

import numpy as np
import pytest

import loadpath as lp


def test_a_spring_swings_with_its_period():
    """A rod of 1 kg and 1 m: inertia 1/3 kg m^2 about the joint."""
    arm = lp.catalog.planar(1, gravity=0).with_drives({"joint1": lp.Drive(spring=lp.TorsionSpring(30.0, rest=0.5))})
    period = 2 * math.pi * math.sqrt((1 / 3) / 30.0)
    found = arm.simulate([0.7], [0.0], times=[0, period / 2, period], rtol=1e-9, atol=1e-11)
    assert found.q[:, 0] == pytest.approx([0.7, 0.3, 0.7], abs=1e-6)


def test_springs_keep_the_energy():
    line = lp.LineSpring((0.1, -0.2, 0), (0.3, 0.1, 0), 200.0, 0.2, 20.0)
    arm = lp.catalog.planar(2).with_drives({"joint1": lp.Drive(spring=(line, lp.TorsionSpring(5.0))),
                                            "joint2": lp.Drive(spring=lp.TorsionSpring(3.0, 0.3))})
    found = arm.simulate([0.2, 0.4], [0.0, 0.0], duration=1.0, rtol=1e-10, atol=1e-12)
    energy = found.kinetic + found.potential
    assert np.ptp(found.kinetic) > 1.0 and np.abs(energy - energy[0]).max() < 1e-7


DRIVE = lp.Drive(friction=lp.Friction(0.05, 2.0, 3.0, 0.05))


def test_a_joint_breaks_away_at_static_friction_not_at_coulomb_friction():
    arm = lp.catalog.planar(1, gravity=0).with_drives({"joint1": DRIVE})
    held = arm.simulate([0.0], [0.0], torque=[2.99], duration=0.5)
    assert np.array_equal(held.q, np.zeros_like(held.q)) and held.sticking.all()
    gone = arm.simulate([0.0], [0.0], torque=[3.01], duration=0.5)
    assert gone.q[-1, 0] > 0.1
    coasting = arm.simulate([0.0], [1.0], torque=[2.5], duration=0.2)  # moving it goes on where it could not start
    assert (coasting.qd > 0.99).all()


def test_a_mass_pulled_by_a_spring_sticks_and_slips():
    """Pulled through a spring by a ramp: it sticks until the pull is 3 N m at t = 1.2 s, jumps, and sticks again."""
    arm = lp.catalog.planar(1, gravity=0).with_drives({"joint1": DRIVE})
    arm = arm.with_drives({"joint1": lp.Drive(spring=lp.TorsionSpring(30.0))})
    found = arm.simulate([0.0], [0.0], torque=lambda t, q, qd: [2.5 * t], duration=2.5, sample_rate=400)
    sticking = found.sticking[:, 0]
    assert found.times[np.argmin(sticking)] == pytest.approx(1.2, abs=1 / 200)
    assert (np.diff(sticking.astype(int)) > 0).sum() >= 1  # it stops again
    energy = found.kinetic + found.potential + found.dissipated - found.drive_work
    assert np.abs(energy - energy[0]).max() < 1e-6
    smooth = arm.with_drives({"joint1": lp.Drive(friction=lp.Friction(0.05, 2.0))})
    other = smooth.simulate([0.0], [0.0], torque=lambda t, q, qd: [2.5 * t], duration=2.5, sample_rate=400)
    assert other.times[np.argmin(other.sticking[:, 0])] == pytest.approx(0.8, abs=1 / 200)


def test_a_rollout_knows_static_friction():
    arm = lp.catalog.planar(1, gravity=0).with_drives({"joint1": DRIVE})
    held, gone = (arm.rollout([0.0], [0.0], [torque], step=1e-3, steps=200) for torque in (2.99, 3.2))
    assert np.abs(held.q).max() < 1e-12
    exact = arm.simulate([0.0], [0.0], torque=[3.2], duration=0.2)
    assert gone.q[-1, 0] == pytest.approx(exact.q[-1, 0], rel=0.02)


def test_a_closed_chain_with_springs_and_static_friction_keeps_its_balance():
    bar = lp.catalog.four_bar().with_drives({
        "crank_joint": lp.Drive(spring=lp.TorsionSpring(2.0, 0.3)),
        "rocker_joint": lp.Drive(friction=lp.Friction(0.1, 0.2, 0.3, 0.1)),
    })
    found = bar.simulate(bar.home, np.zeros(3), torque=[1.0, 0, 0], duration=0.3, rtol=1e-9, atol=1e-11)
    energy = found.kinetic + found.potential + found.dissipated - found.drive_work
    assert found.dissipated[-1] > 0 and np.abs(energy - energy[0]).max() < 1e-8


def test_a_rover_refuses_stribeck_friction_of_its_arm():
    wheels = [lp.FixedWheel(position=(0, y), radius=0.1) for y in (0.3, -0.3)]
    base = lp.WheeledBase(mass=50, inertia=np.diag([2, 2, 3]), center_of_mass=(0.2, 0, 0.2),
                          friction=lp.WheelFriction(rolling=0.0, sliding=0.5, static=0.6),
                          wheels=[*wheels, lp.CasterWheel(position=(0.6, 0), radius=0.1)])
    rover = base.carrying(lp.catalog.planar(1).with_drives({"joint1": DRIVE}), at=(0.2, 0, 0.3))
    with pytest.raises(lp.ModelError, match="simulations of a rover"):
        rover.simulate([0.0], [0.0], duration=0.01)
