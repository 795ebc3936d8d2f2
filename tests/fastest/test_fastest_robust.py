"""One motion for several payloads and frictions, and what a controller needs beside it."""

from __future__ import annotations

import numpy as np

import loadpath as lp
from loadpath.loads.motors.motor_side import motor_side

POINTS = [[0, -1.2, 1.4, -0.3, 0.4, 0], [0.8, -0.9, 0.9, -0.1, 0.6, 0.5], [1.4, -1.4, 1.6, -0.5, 0.2, 1.0]]
EFFORT = np.array([150.0] * 3 + [28.0] * 3)


def test_one_motion_for_payloads_and_friction_bands_tracked_by_a_controller() -> None:
    """Within the limits of all; with a margin the controller of one of them moves another with half of its friction."""
    arm = lp.catalog.ur5()
    warm, cold = (arm.with_drives({name: lp.Drive(friction=lp.Friction(coulomb=4 * share, viscous=2 * share))
                                   for name in arm.dof_names[:3]}) for share in (0.7, 1.3))
    loaded = cold.with_payload(3.0, (0, 0, 0.05))
    found = warm.fastest(POINTS, also=[cold, loaded], factor={"torque": 0.8, "speed": 0.95}, intervals=300)
    assert found.certificate <= 1 + 2e-6
    states = found.sampled(33)
    most = [np.abs(robot.inverse_dynamics(*states) / EFFORT).max() for robot in (warm, cold, loaded)]
    assert 0.79 < max(most) <= 0.8 * found.certificate
    assert found.duration > warm.fastest(POINTS, factor={"torque": 0.8, "speed": 0.95}, intervals=300).duration

    def control(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        q0, qd0, qdd0 = (part[0] for part in found.at(min(t, found.duration)))
        ahead = loaded.inverse_dynamics(q0, qd0, qdd0)
        asked.append(ahead + loaded.mass_matrix(q0) @ (900 * (q0 - q) + 60 * (qd0 - qd)))
        return asked[-1]

    asked: list[np.ndarray] = []
    smoother = warm.with_payload(3.0, (0, 0, 0.05))
    run = smoother.simulate(found.motion.q[0], 0 * EFFORT, control, duration=found.duration, control_rate=500)
    assert np.abs(run.q[-1] - found.motion.q[-1]).max() < 0.1
    assert np.abs(np.array(asked) / EFFORT).max() < 1.0
    assert np.abs(np.array(asked) / EFFORT).max() > 0.8


VOLTS, TORQUE_CONSTANT, OHM, PEAK = 48.0, 0.09, 0.7, 3.0


def at_temperatures(grease: float, winding: float) -> lp.Robot:
    """A UR5 whose gears rub more when cold, and whose motors have less voltage left for torque when hot."""
    thin = np.exp(-0.025 * (grease - 20))
    drive = lp.Drive(ratio=100, rotor_inertia=4e-5, friction=lp.Friction(coulomb=6 * thin**0.3, viscous=12 * thin))
    warming = lp.ThermalModel(resistance=(0.8, 1.2), time_constant=(20, 900), ambient=20, limit=155)
    ohm, k = OHM * warming.growth(winding), TORQUE_CONSTANT
    motor = lp.Motor(intermittent_curve=[(0, PEAK), ((VOLTS - PEAK * ohm / k) / k, PEAK), (VOLTS / k, 0.0)],
                     continuous_torque=1.0, torque_constant=k, resistance=OHM, thermal=warming)
    arm = lp.catalog.ur5()
    large = arm.dof_names[:3]
    return arm.with_drives(dict.fromkeys(large, drive)).with_parts({name: [motor] for name in large})


def test_one_motion_for_several_temperatures() -> None:
    """Of grease and windings: at none is more asked for than the supply has, by V = R(T) I + k omega itself."""
    cold, hot = at_temperatures(-10, -10), at_temperatures(60, 130)
    limits = {"torque": [1000.0] * 3 + [28.0] * 3, "speed": 8.0}
    found = cold.fastest(POINTS, limits, also=[hot], intervals=300)
    assert found.certificate <= 1 + 2e-6
    volts = {}
    for name, robot, winding in (("cold", cold, -10), ("hot", hot, 130)):
        q, qd, qdd = found.sampled(33)
        shaft = motor_side(robot, q, qd, qdd, robot.inverse_dynamics(q, qd, qdd))
        torque, omega = np.asarray(shaft.torque), np.asarray(shaft.speed)
        assert np.abs(torque).max() <= PEAK * found.certificate * (1 + 1e-9)
        driving = np.where(torque * omega > 0, np.abs(torque), 0.0)
        ohm = OHM * (1 + 0.0039 * (winding - 25))
        volts[name] = (ohm * driving / TORQUE_CONSTANT + TORQUE_CONSTANT * np.abs(omega)).max()
    assert 0.99 * VOLTS < volts["hot"] <= VOLTS * (1 + 3e-6)
    assert 0.99 * VOLTS < volts["cold"] <= VOLTS * (1 + 3e-6)
    alone = {name: robot.fastest(POINTS, limits, intervals=300)
             for name, robot in (("cold", cold), ("hot", hot))}
    assert found.duration >= max(one.duration for one in alone.values()) * (1 - 1e-4)
    assert {stretch.limit[-3] for stretch in found.rules if stretch.limit.startswith("motor")} == {"1", "2"}
    rows = [hot.verdict(motion)["elbow_joint", "winding temperature"].utilisation
            for motion in (found.motion, found.motion.dwell(2.0))]
    assert rows[1] < rows[0]  # that is of the whole cycle: the verdict has it, and rests help
