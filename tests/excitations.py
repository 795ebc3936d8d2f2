"""Motions for identification: sums of sines with random amplitudes."""

from __future__ import annotations

import numpy as np

from loadpath.robot.model import RobotModel


def excitation_motion(
    robot: RobotModel, samples: int, seed: int, *, size: float = 1.0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q, qd and qdd of a motion of ten seconds, for robots without quaternions."""
    rng = np.random.default_rng(seed)
    t = np.linspace(0.0, 10.0, samples)[:, None]
    q, qd, qdd = np.zeros((3, samples, robot.n))
    for k in range(1, 6):
        w = 2 * np.pi * 0.1 * k
        a, b = rng.normal(size=(2, robot.n)) * size / k
        s, c = np.sin(w * t), np.cos(w * t)
        q += a * s + b * c
        qd += w * (a * c - b * s)
        qdd -= w * w * (a * s + b * c)
    return q, qd, qdd
