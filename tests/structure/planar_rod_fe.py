"""A planar geometrically exact rod (Reissner, Simo) by finite elements in inertial coordinates: independent.

Nodes have a position and an angle; elements of two nodes with one point of integration; consistent mass, constant in
inertial axes. The first node stands at the origin and turns by a law. Time: generalized alpha (Chung and Hulbert).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_banded

BAND = 5
"""Entries beside the diagonal that are not zero."""


@dataclass
class PlanarRod:
    """`stiffness` EA, GA, EI; `mass` per length and rotary inertia per length."""

    length: float
    stiffness: tuple[float, float, float]
    mass: tuple[float, float]
    elements: int

    @property
    def size(self) -> int:
        return 3 * (self.elements + 1)

    def mass_matrix(self) -> np.ndarray:
        h, (m, rotary) = self.length / self.elements, self.mass
        M = np.zeros((self.size, self.size))
        for e in range(self.elements):
            for i in range(2):
                for j in range(2):
                    share = h / 6 * (2 if i == j else 1)
                    for k, density in enumerate((m, m, rotary)):
                        M[3 * (e + i) + k, 3 * (e + j) + k] += share * density
        return M

    def forces(self, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Elastic forces (size,), and their derivative as bands."""
        h, elements = self.length / self.elements, self.elements
        at = u.reshape(-1, 3)
        dx, dy, dt = ((at[1:] - at[:-1]) / h).T
        angle = 0.5 * (at[1:, 2] + at[:-1, 2])
        c, s = np.cos(angle), np.sin(angle)
        strains = np.array([c * dx + s * dy - 1, -s * dx + c * dy, dt])
        B = np.zeros((elements, 3, 6))  # derivatives of the strains by (x, y, angle) of both nodes
        for node, sign in ((0, -1.0), (3, 1.0)):
            B[:, 0, node], B[:, 0, node + 1] = sign * c / h, sign * s / h
            B[:, 1, node], B[:, 1, node + 1] = -sign * s / h, sign * c / h
            B[:, 0, node + 2] = 0.5 * strains[1]
            B[:, 1, node + 2] = -0.5 * (strains[0] + 1)
            B[:, 2, node + 2] = sign / h
        N = np.array(self.stiffness)[:, None] * strains
        f = h * np.einsum("ke,eki->ei", N, B)
        K = h * np.einsum("eki,k,ekj->eij", B, np.array(self.stiffness), B)
        for node, sign in ((0, -1.0), (3, 1.0)):  # second derivatives of the strains
            for other in (2, 5):
                for k, part in enumerate((-s * N[0] - c * N[1], c * N[0] - s * N[1])):
                    K[:, node + k, other] += 0.5 * sign * part
                    K[:, other, node + k] += 0.5 * sign * part
        for i in (2, 5):
            for j in (2, 5):
                K[:, i, j] += h * 0.25 * (-(strains[0] + 1) * N[0] - strains[1] * N[1])
        total, bands = np.zeros(self.size), np.zeros((2 * BAND + 1, self.size))
        for i in range(6):
            rows = 3 * np.arange(elements) + i
            np.add.at(total, rows, f[:, i])
            for j in range(6):
                columns = 3 * np.arange(elements) + j
                np.add.at(bands, (BAND + rows - columns, columns), K[:, i, j])
        return total, bands


def _bands(M: np.ndarray) -> np.ndarray:
    size = len(M)
    result = np.zeros((2 * BAND + 1, size))
    for i in range(size):
        for j in range(max(0, i - BAND), min(size, i + BAND + 1)):
            result[BAND + i - j, j] = M[i, j]
    return result


def spun_rod(
    rod: PlanarRod,
    law: Callable[[float], tuple[float, float, float]],
    duration: float,
    step: float,
    radius: float = 0.95,
) -> tuple[np.ndarray, np.ndarray]:
    """Times, and the tip's displacement along and across the turning axes (times, 2); `radius` is generalized alpha's
    spectral radius at infinite frequency.
    """
    M = rod.mass_matrix()
    M_bands = _bands(M)
    alpha_m, alpha_f = (2 * radius - 1) / (radius + 1), radius / (radius + 1)
    gamma, beta = 0.5 - alpha_m + alpha_f, 0.25 * (1 - alpha_m + alpha_f) ** 2
    u, v, a = (np.zeros(rod.size) for _ in range(3))
    u[0::3] = np.linspace(0, rod.length, rod.elements + 1)
    times = step * np.arange(round(duration / step) + 1)
    tip = np.zeros((len(times), 2))
    f_old = rod.forces(u)[0]
    for k, t in enumerate(times[1:], start=1):
        angle, speed, acceleration = law(t)
        new_a = a.copy()
        for _ in range(20):
            new_a[:3] = 0.0, 0.0, acceleration
            new_v = v + step * ((1 - gamma) * a + gamma * new_a)
            new_u = u + step * v + step**2 * ((0.5 - beta) * a + beta * new_a)
            new_u[:3], new_v[:3] = (0.0, 0.0, angle), (0.0, 0.0, speed)
            f_new, bands = rod.forces(new_u)
            r = M @ ((1 - alpha_m) * new_a + alpha_m * a) + (1 - alpha_f) * f_new + alpha_f * f_old
            r[:3] = 0.0
            if np.abs(r).max() < 1e-6 + 1e-8 * np.abs(f_new).max():
                break
            S = (1 - alpha_m) * M_bands + (1 - alpha_f) * beta * step**2 * bands
            for row in range(3):  # the first node is led
                for column in range(row + BAND + 1):
                    S[BAND + row - column, column] = float(row == column)
            new_a = new_a - solve_banded((BAND, BAND), S, r)
        else:
            raise RuntimeError(f"no convergence at {t} s")
        u, v, a, f_old = new_u, new_v, new_a, f_new
        c, s = np.cos(angle), np.sin(angle)
        x, y = u[-3] - rod.length * c, u[-2] - rod.length * s
        tip[k] = c * x + s * y, -s * x + c * y
    return times, tip
