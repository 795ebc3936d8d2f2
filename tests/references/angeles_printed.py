"""Algorithms 7.4.1 and 7.4.2 of Angeles' chapter 7, as printed and as corrected, in plain floats.

Frame F_i sits on link i-1 with z on joint axis i; link i carries F_{i+1}; [v]_i = Q_i [v]_{i+1}. In a standard DH table
the frame of link i is F_{i+1}. Each line can be taken as it is printed:

| name | printed | right |
|---|---|---|
| rho | from O_i to C_i for prismatic joints too | from the displaced point O_i + b_i e_i |
| u | Q^T delta + rho + b e | Q^T (delta + b e) + rho |
| cdot | Q^T cdot + v + bdot e | Q^T (cdot + bdot e) + v |
| cddot | ... + omega x (v + 2 w) + bddot e | Q^T (cddot + 2 bdot omega x e + bddot e) + omegadot x u + omega x v |
| outward | u, cdot and cddot together | |
| 7.38d | arms rho_i and delta_i | rho_i + b_i e_i for a prismatic joint |
| 7.4.2 | phi_{i+1} = Q_i f_{i+1}, tau_i = (n_i)_z | sums in F_{i+1}, and the result turned by Q_i |
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


@dataclass(frozen=True)
class Moved:
    """What algorithm 7.4.1 finds of link i, in F_{i+1} but for b."""

    Q: np.ndarray
    b: float
    rho: np.ndarray
    delta: np.ndarray
    omega: np.ndarray
    omegadot: np.ndarray
    cdot: np.ndarray
    cddot: np.ndarray


def outward(
    rows: Sequence[Row], q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, gravity: np.ndarray, as_printed: str = ""
) -> list[Moved]:
    """Algorithm 7.4.1."""
    omega, omegadot, cddot, delta = np.zeros(3), np.zeros(3), -np.asarray(gravity), np.zeros(3)
    cdot = np.zeros(3)
    found = []
    for row, x, xd, xdd in zip(rows, q, qd, qdd, strict=True):
        theta, b = (row.theta, row.b + x) if row.prismatic else (row.theta + x, row.b)
        Q = _about_z(theta) @ _about_x(row.alpha)
        slide = 0.0 if row.prismatic and as_printed != "rho" else b
        rho = np.array([row.a, slide * np.sin(row.alpha), slide * np.cos(row.alpha)]) + row.center
        if not row.prismatic:
            omega_i = Q.T @ (omega + xd * E)
            u = np.cross(omega, delta)
            v = np.cross(omega_i, rho)
            cdot = Q.T @ (cdot + u) + v
            omegadot_i = Q.T @ (omegadot + np.cross(omega, xd * E) + xdd * E)
            cddot = (
                Q.T @ (cddot + np.cross(omegadot, delta) + np.cross(omega, u))
                + np.cross(omegadot_i, rho)
                + np.cross(omega_i, v)
            )
        else:
            omega_i, omegadot_i = Q.T @ omega, Q.T @ omegadot
            u = Q.T @ delta + rho + b * E if as_printed in ("u", "outward") else Q.T @ (delta + b * E) + rho
            v, w = np.cross(omega_i, u), xd * E
            cdot = Q.T @ cdot + v + w if as_printed in ("cdot", "outward") else Q.T @ (cdot + xd * E) + v
            if as_printed in ("cddot", "outward"):
                cddot = Q.T @ cddot + np.cross(omegadot_i, u) + np.cross(omega_i, v + w + w) + xdd * E
            else:
                cddot = (
                    Q.T @ (cddot + 2 * xd * np.cross(omega, E) + xdd * E)
                    + np.cross(omegadot_i, u)
                    + np.cross(omega_i, v)
                )
        omega, omegadot, delta = omega_i, omegadot_i, -row.center
        found.append(Moved(Q, b, rho, delta, omega, omegadot, cdot, cddot))
    return found


def inverse_dynamics(
    rows: Sequence[Row], q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, gravity: np.ndarray, as_printed: str = ""
) -> np.ndarray:
    """Algorithms 7.4.1 and 7.4.2, with the second repair (form B) or, `as_printed="form A"`, with the first."""
    motions = outward(rows, q, qd, qdd, gravity, as_printed)
    tau = np.zeros(len(rows))
    f = n = np.zeros(3)
    for i in reversed(range(len(rows))):
        row, link = rows[i], motions[i]
        if as_printed == "7.4.2" and i < len(rows) - 1:
            f, n = link.Q @ f, link.Q @ n  # "phi_{i+1} <- Q_i f_{i+1}", then added to vectors of F_{i+1}
        phi = f
        f = row.mass * link.cddot + phi
        n = row.tensor @ link.omegadot + np.cross(link.omega, row.tensor @ link.omega) + n
        n = n + np.cross(link.rho, f) + np.cross(link.delta, phi)
        if as_printed != "7.38d" and row.prismatic:
            n = n + np.cross(link.Q.T @ (link.b * E), f)
        if as_printed == "7.4.2":
            tau[i] = f[2] if row.prismatic else n[2]
            continue
        along = np.array([0.0, np.sin(row.alpha), np.cos(row.alpha)])  # e_i in F_{i+1}
        tau[i] = along @ (f if row.prismatic else n) if as_printed == "form A" else 0.0
        f, n = link.Q @ f, link.Q @ n  # now in F_i, which is the F_{i+1} of the link before
        if as_printed != "form A":
            tau[i] = f[2] if row.prismatic else n[2]
    return tau


def _about_z(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def _about_x(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
