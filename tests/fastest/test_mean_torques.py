"""Mean torques of gears as limits of fastest motions: by hand, and by samples of the robot's own torques."""

from __future__ import annotations

import math

import numpy as np
import pytest

import loadpath as lp


def test_a_rod_by_hand() -> None:
    """Up and down with one torque: its mean is itself, whatever the rotor takes before the gear."""
    rod = lp.catalog.planar(1, gravity=0)
    inertia = float(rod.mass_matrix([0.0])[0, 0])
    found = rod.fastest([[0.0], [2.0]], {"torque": 50.0, "mean_torque": {"joint1": 5.0}})
    assert found.duration == pytest.approx(2 * math.sqrt(2.0 * inertia / 5.0), rel=2e-3)
    assert found.duration >= 2 * math.sqrt(2.0 * inertia / 5.0)


def test_means_of_an_arm_by_samples() -> None:
    arm = lp.catalog.ur5()
    points = [[0, -1.2, 1.4, -0.3, 0.4, 0], [0.8, -0.9, 0.9, -0.1, 0.6, 0.5], [1.4, -1.4, 1.6, -0.5, 0.2, 1.0]]
    joint = arm.dof_names.index("elbow_joint")

    def mean(found: lp.Fastest) -> float:
        t = np.linspace(0.0, found.duration, 20001)
        q, qd, qdd = found.at(t)
        rotor = sum(arm.joints[k].reflected_inertia[0] for k in range(len(arm.joints))
                    if arm.joints[k].name == "elbow_joint")
        torque = arm.inverse_dynamics(q, qd, qdd)[:, joint] - rotor * qdd[:, joint]
        turns = np.abs(qd[:, joint])
        return float(np.cbrt((turns * np.abs(torque) ** 3).sum() / turns.sum()))

    plain = arm.fastest(points)
    limit = 0.8 * mean(plain)
    found = arm.fastest(points, {"mean_torque": {"elbow_joint": limit}}, intervals=150)
    assert 0.97 < mean(found) / limit <= 1.0
    assert found.duration > plain.duration
    assert found.certificate <= 1.0001
    loose = arm.fastest(points, {"mean_torque": {"elbow_joint": 2 * limit}})
    assert loose.duration == pytest.approx(plain.duration, rel=1e-6)


def test_what_is_refused_and_what_is_not_possible() -> None:
    rod = lp.catalog.planar(1)
    with pytest.raises(ValueError, match="mean_torque is 3"):
        rod.fastest([[0.0], [1.0]], {"torque": 50.0, "mean_torque": 3.0})
    with pytest.raises(ValueError, match="joint7"):
        rod.fastest([[0.0], [1.0]], {"torque": 50.0, "mean_torque": {"joint7": 3.0}})
    with pytest.raises(ValueError, match="expected more than zero"):
        rod.fastest([[0.0], [1.0]], {"torque": 50.0, "mean_torque": {"joint1": -3.0}})
    with pytest.raises(lp.NoMotionError, match="mean torques of its gears, joint1"):
        rod.fastest([[0.0], [1.0]], {"torque": 50.0, "mean_torque": {"joint1": 0.01}}, intervals=50)
