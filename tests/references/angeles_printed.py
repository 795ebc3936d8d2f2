"""Algorithms 7.4.1 and 7.4.2 of Angeles' chapter 7, as printed and as corrected, in plain floats.

Frame F_i sits on link i-1 with z on joint axis i; link i carries F_{i+1}; [v]_i = Q_i [v]_{i+1}. In a standard DH table
the frame of link i is F_{i+1}. Each repair can be left out, to show what the printed form gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

E = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class Row:
    """One link: DH parameters at q = 0, and its inertia in the frame F_{i+1}, tensor about the mass center."""

    prismatic: bool
    theta: float
    b: float
    a: float
    alpha: float
    mass: float
    center: np.ndarray
    tensor: np.ndarray


def inverse_dynamics(
    rows: Sequence[Row],
    q: np.ndarray,
    qd: np.ndarray,
    qdd: np.ndarray,
    gravity: np.ndarray,
    *,
    outward_as_printed: bool = False,
    inward_as_printed: bool = False,
) -> np.ndarray:
    omega, omegadot, cddot, delta = np.zeros(3), np.zeros(3), -np.asarray(gravity), np.zeros(3)
    motions = []
    for row, x, xd, xdd in zip(rows, q, qd, qdd, strict=True):
        theta, b = (row.theta, row.b + x) if row.prismatic else (row.theta + x, row.b)
        Q = _about_z(theta) @ _about_x(row.alpha)
        slide = 0.0 if row.prismatic else b
        rho = np.array([row.a, slide * np.sin(row.alpha), slide * np.cos(row.alpha)]) + row.center
        if not row.prismatic:
            omega_i = Q.T @ (omega + xd * E)
            u = np.cross(omega, delta)
            v = np.cross(omega_i, rho)
            omegadot_i = Q.T @ (omegadot + np.cross(omega, xd * E) + xdd * E)
            cddot = (
                Q.T @ (cddot + np.cross(omegadot, delta) + np.cross(omega, u))
                + np.cross(omegadot_i, rho)
                + np.cross(omega_i, v)
            )
        else:
            omega_i, omegadot_i = Q.T @ omega, Q.T @ omegadot
            if outward_as_printed:
                u = Q.T @ delta + rho + b * E
                v, w = np.cross(omega_i, u), xd * E
                cddot = Q.T @ cddot + np.cross(omegadot_i, u) + np.cross(omega_i, v + w + w) + xdd * E
            else:
                u = Q.T @ (delta + b * E) + rho
                v = np.cross(omega_i, u)
                cddot = (
                    Q.T @ (cddot + 2 * xd * np.cross(omega, E) + xdd * E)
                    + np.cross(omegadot_i, u)
                    + np.cross(omega_i, v)
                )
        omega, omegadot, delta = omega_i, omegadot_i, -row.center
        motions.append((Q, b, rho, delta, omega, omegadot, cddot))
    tau = np.zeros(len(rows))
    f = n = np.zeros(3)
    for i in reversed(range(len(rows))):
        row, (Q, b, rho, delta, omega, omegadot, cddot) = rows[i], motions[i]
        if inward_as_printed and i < len(rows) - 1:
            f, n = Q @ f, Q @ n  # "phi_{i+1} <- Q_i f_{i+1}", then added to vectors of F_{i+1}
        phi = f
        f = row.mass * cddot + phi
        n = row.tensor @ omegadot + np.cross(omega, row.tensor @ omega) + np.cross(rho, f) + n + np.cross(delta, phi)
        if not inward_as_printed:
            f, n = Q @ f, Q @ n  # now in F_i
            if row.prismatic:
                n = n + np.cross(b * E, f)
        tau[i] = f[2] if row.prismatic else n[2]
    return tau


def _about_z(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def _about_x(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
