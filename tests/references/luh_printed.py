"""Table 3.2 (Luh, Walker and Paul) for a chain in standard DH frames, vectors in base axes, in plain floats.

`vdot_0` is the printed initial condition (g_x, g_y, g_z) or the right one, -g. `hand` is (f_{n+1}, n_{n+1}): what the
hand exerts on its surroundings at the last origin, in base axes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from references.angeles_printed import Row
from references.dh_chains import dh_matrix


def inverse_dynamics(
    rows: Sequence[Row],
    q: np.ndarray,
    qd: np.ndarray,
    qdd: np.ndarray,
    *,
    vdot_0: np.ndarray,
    hand: tuple[np.ndarray, np.ndarray] = (np.zeros(3), np.zeros(3)),
) -> np.ndarray:
    omega, omegadot, vdot = np.zeros(3), np.zeros(3), np.asarray(vdot_0)
    A = np.eye(4)
    links = []
    for row, x, xd, xdd in zip(rows, q, qd, qdd, strict=True):
        z = A[:3, 2]
        A_i = A @ dh_matrix(row, x)
        p, R = A_i[:3, 3] - A[:3, 3], A_i[:3, :3]
        s, inertia = R @ row.center, R @ row.tensor @ R.T
        if row.prismatic:
            vdot = (
                z * xdd
                + np.cross(omegadot, p)
                + 2 * np.cross(omega, z * xd)
                + np.cross(omega, np.cross(omega, p))
                + vdot
            )
        else:
            omegadot = omegadot + z * xdd + np.cross(omega, z * xd)
            omega = omega + z * xd
            vdot = np.cross(omegadot, p) + np.cross(omega, np.cross(omega, p)) + vdot
        a = np.cross(omegadot, s) + np.cross(omega, np.cross(omega, s)) + vdot
        F, N = row.mass * a, inertia @ omegadot + np.cross(omega, inertia @ omega)
        links.append((row, z, p, s, F, N))
        A = A_i
    f, n = hand
    tau = []
    for row, z, p, s, F, N in reversed(links):
        n = n + np.cross(p, f) + np.cross(p + s, F) + N
        f = F + f
        tau.append(z @ f if row.prismatic else z @ n)
    return np.array(tau[::-1])


def velocities(rows: Sequence[Row], q: np.ndarray, qd: np.ndarray, *, as_printed: bool = False) -> np.ndarray:
    """v_i of the last handwritten lines, in base axes: with z_{i-1} qdot_i of a slide, printed v_{i-1} qdot_i."""
    omega, v = np.zeros(3), np.zeros(3)
    A = np.eye(4)
    found = []
    for row, x, xd in zip(rows, q, qd, strict=True):
        z = A[:3, 2]
        A_i = A @ dh_matrix(row, x)
        p = A_i[:3, 3] - A[:3, 3]
        slide = (v if as_printed else z) * xd if row.prismatic else np.zeros(3)
        omega = omega if row.prismatic else omega + z * xd
        v = slide + np.cross(omega, p) + v
        found.append(v)
        A = A_i
    return np.array(found)
