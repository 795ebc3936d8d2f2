"""The natural orthogonal complement of a chain of revolute and prismatic joints, base axes, in plain floats.

Each line of the slides that is misprinted can be taken as printed:

| name | printed | right |
|---|---|---|
| tdot | T thetaddot + T thetadot | T thetaddot + Tdot thetadot |
| C first | -T^T (M Tdot - W M T) | -T^T (M Tdot + W M T) |
| C | -T^T (M T + W M T) | -T^T (M Tdot + W M T) |
| t_ij | e_j x r_ij only (no angular half) | [e_j; e_j x r_ij] |
| r_ij | a_j + ... + a_{i-1} + rho_i | plus b_k e_k of the prismatic joints k, j < k <= i |
| tdot_ij | (omega_j x e_j) x r_ij only (second term lost) | (omega_j x e_j) x r_ij + e_j x rdot_ij |
| rdot_ij | omega_j x a_j + ... + omega_i x rho_i | plus bdot_k e_k + omega_k x b_k e_k |
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from references.angeles_printed import Row
from references.dh_chains import dh_matrix, skew


def inverse_dynamics(
    rows: Sequence[Row], q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, gravity: np.ndarray, as_printed: str = ""
) -> np.ndarray:
    n = len(rows)
    A = [np.eye(4)]
    for row, x in zip(rows, q, strict=True):
        A.append(A[-1] @ dh_matrix(row, x))
    e, origin = [a[:3, 2] for a in A[:-1]], [a[:3, 3] for a in A[:-1]]
    R = [a[:3, :3] for a in A[1:]]
    c = [a[:3, 3] + a[:3, :3] @ row.center for a, row in zip(A[1:], rows, strict=True)]
    slide = [
        (row.b + x) * e[k] if row.prismatic else np.zeros(3) for k, (row, x) in enumerate(zip(rows, q, strict=True))
    ]

    omega = []
    for k, row in enumerate(rows):
        before = omega[-1] if omega else np.zeros(3)
        omega.append(before if row.prismatic else before + qd[k] * e[k])

    def r(i: int, j: int) -> np.ndarray:
        found = c[i] - origin[j]
        return found - sum(slide[j + 1 : i + 1], np.zeros(3)) if as_printed == "r_ij" else found

    def rdot(i: int, j: int) -> np.ndarray:
        # Each arm turns with the link that it is fixed on: a_k, from O_k (behind the slide) to O_{k+1}, with link k.
        rate = np.cross(omega[i], c[i] - origin[i] - slide[i])
        for k in range(j, i):
            rate = rate + np.cross(omega[k], origin[k + 1] - origin[k] - slide[k])
        for k in range(j, i + 1):
            if rows[k].prismatic and as_printed != "rdot_ij":
                rate = rate + qd[k] * e[k] + np.cross(omega[k], slide[k])
        return rate

    T, Tdot, M, W = np.zeros((6 * n, n)), np.zeros((6 * n, n)), np.zeros((6 * n, 6 * n)), np.zeros((6 * n, 6 * n))
    w_G = np.zeros(6 * n)
    for i, row in enumerate(rows):
        angular, linear = slice(6 * i, 6 * i + 3), slice(6 * i + 3, 6 * i + 6)
        for j in range(i + 1):
            edot = np.cross(omega[j], e[j])
            if rows[j].prismatic:
                T[linear, j], Tdot[linear, j] = e[j], edot
                continue
            T[linear, j] = np.cross(e[j], r(i, j))
            Tdot[linear, j] = np.cross(edot, r(i, j))
            if as_printed != "tdot_ij":
                Tdot[linear, j] += np.cross(e[j], rdot(i, j))
            if as_printed != "t_ij":
                T[angular, j], Tdot[angular, j] = e[j], edot
        M[angular, angular], M[linear, linear] = R[i] @ row.tensor @ R[i].T, row.mass * np.eye(3)
        W[angular, angular] = skew(omega[i])
        w_G[linear] = row.mass * gravity
    C = -T.T @ (M @ Tdot + W @ M @ T)
    if as_printed == "C first":
        C = -T.T @ (M @ Tdot - W @ M @ T)
    if as_printed == "C":
        C = -T.T @ (M @ T + W @ M @ T)
    if as_printed == "tdot":
        return T.T @ (M @ (T @ qdd + T @ qd) + W @ M @ T @ qd - w_G)
    return T.T @ M @ T @ qdd - C @ qd - T.T @ w_G
