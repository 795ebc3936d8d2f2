"""The recursion of the course notes (section 2.3, eqs. 44-49) for a chain with joint axes on z, in plain floats.

As printed: (48) knows no slide; the recursion is to use (46)-(48), (44), (45), without (49); the arm of f_{i+1} in (45)
leads to the origin of frame i.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from loadpath.robot.joints import Prismatic
from loadpath.robot.model import RobotModel

Z = np.array([0.0, 0.0, 1.0])


def inverse_dynamics(
    robot: RobotModel, q: Sequence[float], qd: Sequence[float], qdd: Sequence[float], as_printed: str = ""
) -> np.ndarray:
    omega, omegadot, a, g = np.zeros(3), np.zeros(3), np.zeros(3), np.array(robot.gravity)
    links = []
    for joint, x, xd, xdd in zip(robot.joints, q, qd, qdd, strict=True):
        slides = isinstance(joint.motion, Prismatic)
        c, s = (1.0, 0.0) if slides else (np.cos(x), np.sin(x))
        R = joint.origin.R @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])  # ^{i-1}R_i
        t = joint.origin.p + (joint.origin.R @ Z * x if slides else 0.0)
        a = R.T @ (a + np.cross(omegadot, t) + np.cross(omega, np.cross(omega, t)))  # (48)
        omega_p, omegadot = R.T @ omega, R.T @ omegadot
        if slides:
            omega = omega_p
            if as_printed != "48":
                a = a + 2 * np.cross(omega_p, Z * xd) + Z * xdd
        else:
            omega = omega_p + Z * xd  # (46)
            omegadot = omegadot + Z * xdd + np.cross(omega_p, Z) * xd  # (47)
        g = R.T @ g
        inertia = robot.link(joint.child).inertia
        rho, m, tensor = np.array(inertia.center_of_mass), inertia.mass, np.array(inertia.tensor)
        a_c = a + np.cross(omegadot, rho) + np.cross(omega, np.cross(omega, rho))  # (49)
        if as_printed == "without 49":
            a_c = a
        links.append((slides, R, t, m, rho, a_c, g, tensor @ omegadot + np.cross(omega, tensor @ omega)))
    tau = []
    f = mu = t_next = np.zeros(3)  # of link i+1, in the axes of link i
    for slides, R, t, m, rho, a_c, g, N in reversed(links):
        f_i = f + m * a_c - m * g  # (44)
        arm = np.zeros(3) if as_printed == "arm of 45" else t_next  # to the origin of frame i, of frame i+1
        mu_i = mu + np.cross(arm - rho, f) - np.cross(-rho, f_i) + N  # (45)
        tau.append(Z @ f_i if slides else Z @ mu_i)
        f, mu, t_next = R @ f_i, R @ mu_i, t
    return np.array(tau[::-1])
