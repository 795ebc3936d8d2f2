"""Gears, motors and brakes of a robot in its verdict, against the robot's own equations put together by hand."""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp

RATIO, ROTOR, EFFICIENCY = 80, 2e-4, 0.75
GEAR = lp.StrainWaveGear(ratio=RATIO, rated_torque=40, rated_speed=200, rated_life=7000, average_torque=60,
                         peak_torque=100, average_input_speed=300, max_input_speed=400)
MOTOR = lp.Motor(continuous_torque=1.5, peak_torque=4, max_speed=500, torque_constant=0.1, resistance=0.3, voltage=48,
                 thermal=lp.ThermalModel((0.5, 1.0), (10, 400), ambient=30, limit=130),
                 rotor_inertia=ROTOR, max_inertia_ratio=30)
BRAKE = lp.Brake(holding_torque=1.0, energy_per_stop=50, response_time=0.02)


@pytest.fixture(scope="module")
def seen():
    train = lp.Drive(ratio=RATIO, rotor_inertia=ROTOR, efficiency=EFFICIENCY)
    arm = lp.catalog.two_link().with_payload(2.0).with_drives({"joint1": train})
    motion = lp.Motion.through(arm, [[0.1, -0.4], [1.2, 0.8], [0.1, -0.4]], acceleration=6.0, rate=100)
    verdict = arm.with_parts({"joint1": [GEAR, MOTOR, BRAKE]}).verdict(motion, hours=5000)
    rows = {(row.part, row.check): row for row in verdict.checks if row.joint == "joint1"}
    return arm, motion, verdict, rows


def test_gear(seen):
    arm, motion, verdict, rows = seen
    output = np.abs(arm.without_rotors().inverse_dynamics(motion.q, motion.qd, motion.qdd)[:, 0])
    speed = np.abs(motion.qd[:, 0])
    peak = rows["strain wave gear", "repeated peak torque"]
    assert peak.demand == pytest.approx(output.max(), rel=1e-10)
    assert sum(verdict.causes(peak).values()) == pytest.approx(output.max(), rel=1e-10)
    assert rows["strain wave gear", "largest input speed"].demand == pytest.approx(RATIO * speed.max())
    mean = (np.trapezoid(speed * output**3, motion.t) / np.trapezoid(speed, motion.t)) ** (1 / 3)
    life = rows["strain wave gear", "life L10"]
    assert life.demand == pytest.approx(mean, rel=1e-3)  # whatever rule has the weights of the samples
    hours = 7000 * (40 / mean) ** 3 * 200 / (RATIO * np.trapezoid(speed, motion.t) / motion.duration)
    assert life.life_hours == pytest.approx(hours, rel=5e-3)


def test_motor(seen):
    arm, motion, _, rows = seen
    output = arm.without_rotors().inverse_dynamics(motion.q, motion.qd, motion.qdd)[:, 0]
    driving = output * motion.qd[:, 0] >= 0  # power goes to the joint: losses add; else they help to brake
    shaft = output / RATIO * np.where(driving, 1 / EFFICIENCY, EFFICIENCY) + ROTOR * RATIO * motion.qdd[:, 0]
    moving = np.abs(motion.qd[:, 0]) > 1e-9  # at rest, which way power would go is the drive train's choice
    assert rows["motor", "peak torque"].demand == pytest.approx(np.abs(shaft[moving]).max(), rel=0.02)
    side = arm.motor_loads(motion)
    torque, speed = side.torque[:, 0], side.speed[:, 0]
    rms = np.sqrt(np.trapezoid(torque**2, motion.t) / motion.duration)
    assert rows["motor", "RMS torque"].demand == pytest.approx(rms, rel=1e-3)
    volts = np.abs(0.1 * speed + 0.3 * (1 + 0.0039 * 105) * torque / 0.1)
    assert rows["motor", "voltage"].demand == pytest.approx(volts.max(), rel=1e-9)
    warm = MOTOR.thermal.temperatures(motion.t, 0.3 * (torque / 0.1) ** 2).max()
    assert rows["motor", "winding temperature"].demand == pytest.approx(warm, rel=1e-9)
    inertia = arm.mass_matrix(motion.q)[:, 0, 0].max() / RATIO**2
    assert rows["motor", "inertia ratio"].demand == pytest.approx(inertia / ROTOR - 1, rel=1e-9)


def test_brake(seen):
    arm, motion, verdict, rows = seen
    gravity = arm.gravity_forces(motion.q)[:, 0]
    held = rows["brake", "holding torque"]
    assert held.demand == pytest.approx(np.abs(gravity).max() / RATIO, rel=1e-9)
    assert sum(verdict.causes(held).values()) == pytest.approx(held.demand, rel=1e-9)
    inertia = arm.mass_matrix(motion.q)[:, 0, 0]
    grips = motion.qd[:, 0] - gravity / inertia * 0.02
    energy = 0.5 * inertia * grips**2 * RATIO / (RATIO + gravity * np.sign(grips))
    assert rows["brake", "energy of a stop"].demand == pytest.approx(energy.max(), rel=1e-9)
