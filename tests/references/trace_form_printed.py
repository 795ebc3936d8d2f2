"""The Lagrange-Euler equations in trace form for a chain in standard DH frames, in plain floats.

Each line of the lecture that is misprinted can be taken as printed:

| name | printed | right |
|---|---|---|
| DH | q_j cos, q_j sin in the last column of the DH matrix | a_j cos, a_j sin |
| Q | +1 in both places of the revolute Q | -1 and +1 |
| D | Tr(U_jk J_i U_ji) | Tr(U_jk J_j U_ji^T) |
| h | Tr(U_jk J_i U_ji) | Tr(U_jkm J_j U_ji^T) |
| U_ijk | A_{k-1} Q_k A_{i-1} Q_i A_j for i >= j >= k | A_{k-1} Q_k ^{k-1}A_{j-1} Q_j ^{j-1}A_i |
| c | sum over j <= i | over j >= i |
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from references.angeles_printed import Row
from references.dh_chains import dh_matrix


def inverse_dynamics(
    rows: Sequence[Row], q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, gravity: np.ndarray, as_printed: str = ""
) -> np.ndarray:
    n = len(rows)
    A = [np.eye(4)]  # ^0A_i, i = 0 ... n
    for row, x in zip(rows, q, strict=True):
        A.append(A[-1] @ dh_matrix(row, x, x if as_printed == "DH" else None))
    Q = [_q(row.prismatic, as_printed == "Q") for row in rows]
    J = [_pseudo_inertia(row) for row in rows]

    def between(i: int, j: int) -> np.ndarray:
        return np.linalg.inv(A[i]) @ A[j]

    def U(i: int, j: int) -> np.ndarray:
        return A[j] @ Q[j] @ between(j, i + 1) if j <= i else np.zeros((4, 4))

    def UU(i: int, j: int, k: int) -> np.ndarray:
        if i < j or i < k:
            return np.zeros((4, 4))
        if k >= j:
            return A[j] @ Q[j] @ between(j, k) @ Q[k] @ between(k, i + 1)
        if as_printed == "U_ijk":
            return A[k] @ Q[k] @ between(k, i) @ Q[i] @ between(i, j + 1)
        return A[k] @ Q[k] @ between(k, j) @ Q[j] @ between(j, i + 1)

    tau = np.zeros(n)
    for i in range(n):
        for k in range(n):
            for j in range(max(i, k), n):
                printed = U(j, k) @ J[i] @ U(j, i)
                tau[i] += np.trace(printed if as_printed == "D" else U(j, k) @ J[j] @ U(j, i).T) * qdd[k]
            for m in range(n):
                for j in range(max(i, k, m), n):
                    printed = U(j, k) @ J[i] @ U(j, i)
                    term = printed if as_printed == "h" else UU(j, k, m) @ J[j] @ U(j, i).T
                    tau[i] += np.trace(term) * qd[k] * qd[m]
        for j in range(i + 1) if as_printed == "c" else range(i, n):
            tau[i] -= rows[j].mass * np.array([*gravity, 0.0]) @ U(j, i) @ np.array([*rows[j].center, 1.0])
    return tau


def _q(prismatic: bool, as_printed: bool) -> np.ndarray:
    Q = np.zeros((4, 4))
    if prismatic:
        Q[2, 3] = 1
    else:
        Q[0, 1], Q[1, 0] = 1 if as_printed else -1, 1
    return Q


def _pseudo_inertia(row: Row) -> np.ndarray:
    J = np.zeros((4, 4))
    J[:3, :3] = np.trace(row.tensor) / 2 * np.eye(3) - row.tensor + row.mass * np.outer(row.center, row.center)
    J[:3, 3] = J[3, :3] = row.mass * row.center
    J[3, 3] = row.mass
    return J
