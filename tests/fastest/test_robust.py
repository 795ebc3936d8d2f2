"""One motion for several payloads and frictions, and what a controller needs beside it."""

from __future__ import annotations

import numpy as np

import loadpath as lp

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
