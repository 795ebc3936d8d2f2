"""A planar geometrically exact rod (Reissner, Simo) by finite elements in inertial coordinates: an independent reference.

Nodes have a position and an angle; elements of two nodes with one point of integration; consistent mass, constant in
inertial axes. The first node stands at the origin and turns by a law. Time: generalized alpha (Chung and Hulbert).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import solve_banded


def spun_rod(
    length: float,
    stiffness: tuple[float, float, float],
    mass: tuple[float, float],
    law: Callable[[float], tuple[float, float, float]],
    duration: float,
    *,
    elements: int,
    step: float,
    damping: float = 0.95,
) -> tuple[np.ndarray, np.ndarray]:
    """Times, and the tip's displacement along and across the turning axes (times, 2).

    `stiffness` EA, GA, EI; `mass` per length and rotary inertia per length; `damping` is generalized alpha's spectral
    radius at infinite frequency.
    """
    h, nodes = length / elements, elements + 1
    size = 3 * nodes
    M = np.zeros((size, size))
    m, rotary = mass
    for e in range(elements):
        for i in range(2):
            for j in range(2):
                share = h / 6 * (2 if i == j else 1)
                for k, density in enumerate((m, m, rotary)):
                    M[3 * (e + i) + k, 3 * (e + j) + k] += share * density

    def forces(u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Elastic forces (size,), and their derivative by bands (5 above and below the diagonal)."""
        at = u.reshape(-1, 3)
        dx, dy, dt = ((at[1:] - at[:-1]) / h).T
        angle = 0.5 * (at[1:, 2] + at[:-1, 2])
        c, s = np.cos(angle), np.sin(angle)
        strains = np.array([c * dx + s * dy - 1, -s * dx + c * dy, dt])
        # Derivatives of the strains by (x, y, angle) of both nodes.
        B = np.zeros((elements, 3, 6))
        for node, sign in ((0, -1.0), (3, 1.0)):
            B[:, 0, node], B[:, 0, node + 1] = sign * c / h, sign * s / h
            B[:, 1, node], B[:, 1, node + 1] = -sign * s / h, sign * c / h
            B[:, 0, node + 2] = 0.5 * strains[1]
            B[:, 1, node + 2] = -0.5 * (strains[0] + 1)
            B[:, 2, node + 2] = sign / h
        N = np.array(stiffness)[:, None] * strains
        f = h * np.einsum("ke,eki->ei", N, B)
        K = h * np.einsum("eki,k,ekj->eij", B, np.array(stiffness), B)
        # Second derivatives of the strains.
        for node, sign in ((0, -1.0), (3, 1.0)):
            for other in (2, 5):
                gx = h * 0.5 * sign / h * (-s * N[0] - c * N[1])
                gy = h * 0.5 * sign / h * (c * N[0] - s * N[1])
                K[:, node, other] += gx
                K[:, other, node] += gx
                K[:, node + 1, other] += gy
                K[:, other, node + 1] += gy
        for i in (2, 5):
            for j in (2, 5):
                K[:, i, j] += h * 0.25 * (-(strains[0] + 1) * N[0] - strains[1] * N[1])
        total, bands = np.zeros(size), np.zeros((11, size))
        for i in range(6):
            rows = 3 * np.arange(elements) + i
            np.add.at(total, rows, f[:, i])
            for j in range(6):
                columns = 3 * np.arange(elements) + j
                np.add.at(bands, (5 + rows - columns, columns), K[:, i, j])
        return total, bands

    M_bands = np.zeros((11, size))
    for i in range(size):
        for j in range(max(0, i - 5), min(size, i + 6)):
            M_bands[5 + i - j, j] = M[i, j]
    alpha_m, alpha_f = (2 * damping - 1) / (damping + 1), damping / (damping + 1)
    gamma = 0.5 - alpha_m + alpha_f
    beta = 0.25 * (1 - alpha_m + alpha_f) ** 2
    u, v, a = np.zeros(size), np.zeros(size), np.zeros(size)
    u[0::3] = np.linspace(0, length, nodes)
    count = round(duration / step)
    tip = np.zeros((count + 1, 2))
    f_old = forces(u)[0]
    for k in range(1, count + 1):
        angle, speed, acceleration = law(k * step)
        new_a = a.copy()
        for _ in range(20):
            new_a[:3] = 0.0, 0.0, acceleration
            new_v = v + step * ((1 - gamma) * a + gamma * new_a)
            new_u = u + step * v + step**2 * ((0.5 - beta) * a + beta * new_a)
            new_u[:3], new_v[:3] = (0.0, 0.0, angle), (0.0, 0.0, speed)
            f_new, bands = forces(new_u)
            r = M @ ((1 - alpha_m) * new_a + alpha_m * a) + (1 - alpha_f) * f_new + alpha_f * f_old
            r[:3] = 0.0
            if np.abs(r).max() < 1e-6 + 1e-8 * np.abs(f_new).max():
                break
            S = (1 - alpha_m) * M_bands + (1 - alpha_f) * beta * step**2 * bands
            for row in range(3):  # the first node is led
                for column in range(min(size, row + 6)):
                    S[5 + row - column, column] = 1.0 if row == column else 0.0
            new_a = new_a - solve_banded((5, 5), S, r)
        else:
            raise RuntimeError(f"no convergence at {k * step} s")
        u, v, a, f_old = new_u, new_v, new_a, f_new
        c, s = np.cos(angle), np.sin(angle)
        x, y = u[-3] - length * c, u[-2] - length * s
        tip[k] = c * x + s * y, -s * x + c * y
    return step * np.arange(count + 1), tip
