"""Cowper's shear factor of any section made of rectangles, by finite elements.

G. R. Cowper, The shear coefficient in Timoshenko's beam theory, J. Applied Mechanics 33 (1966), 335-340, for shear
along x: with the flexure function chi, harmonic, and dchi/dn = -l (nu x^2 / 2 + (1 - nu / 2) y^2) - m (2 + nu) x y,

    k = 2 (1 + nu) I / (nu / 2 (I_x - I) - A / I integral of x (chi + x y^2)),    I = integral of x^2.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse
import scipy.sparse.linalg

from loadpath.scalars.types import Floats

POINTS, WEIGHTS = np.polynomial.legendre.leggauss(3)


def shear_factor(x: Floats, y: Floats, inside: Callable[[float, float], bool], nu: float) -> float:
    """Of the cells of the grid x, y whose middles are inside, with biquadratic elements."""
    nodes: dict[tuple[int, int], int] = {}
    rows, columns, entries = [], [], []
    right: dict[int, float] = {}
    area = of_x = of_y = 0.0
    moments: dict[int, float] = {}  # integral of x times each shape function
    fixed = 0.0  # integral of x^2 y^2
    for i in range(len(x) - 1):
        for j in range(len(y) - 1):
            if not inside((x[i] + x[i + 1]) / 2, (y[j] + y[j + 1]) / 2):
                continue
            number = [nodes.setdefault((2 * i + a, 2 * j + b), len(nodes)) for a in range(3) for b in range(3)]
            hx, hy = x[i + 1] - x[i], y[j + 1] - y[j]
            stiffness = np.zeros((9, 9))
            load, moment = np.zeros(9), np.zeros(9)
            for s, ws in zip(POINTS, WEIGHTS, strict=True):
                for t, wt in zip(POINTS, WEIGHTS, strict=True):
                    X, Y = x[i] + hx * (s + 1) / 2, y[j] + hy * (t + 1) / 2
                    w = ws * wt * hx * hy / 4
                    N = np.outer(_shape(s), _shape(t)).ravel()
                    Nx = np.outer(_slope(s) * 2 / hx, _shape(t)).ravel()
                    Ny = np.outer(_shape(s), _slope(t) * 2 / hy).ravel()
                    stiffness += w * (np.outer(Nx, Nx) + np.outer(Ny, Ny))
                    # The integral of v F.n around the edge is that of grad v . F + v div F over the area.
                    Fx, Fy, divergence = -(nu * X * X / 2 + (1 - nu / 2) * Y * Y), -(2 + nu) * X * Y, -2 * (1 + nu) * X
                    load += w * (Nx * Fx + Ny * Fy + N * divergence)
                    moment += w * X * N
                    area, of_x, of_y = area + w, of_x + w * X * X, of_y + w * Y * Y
                    fixed += w * X * X * Y * Y
            rows += np.repeat(number, 9).tolist()
            columns += number * 9
            entries += stiffness.ravel().tolist()
            for k, n in enumerate(number):
                right[n] = right.get(n, 0.0) + load[k]
                moments[n] = moments.get(n, 0.0) + moment[k]
    size = len(nodes)
    K = scipy.sparse.csr_matrix((entries, (rows, columns)), (size, size))
    free = slice(1, None)  # chi is known up to a constant
    chi = np.zeros(size)
    chi[free] = scipy.sparse.linalg.spsolve(K[free, free].tocsc(), np.array([right[n] for n in range(1, size)]))
    along = sum(moments[n] * chi[n] for n in range(size)) + fixed
    return float(2 * (1 + nu) * of_x / (nu / 2 * (of_y - of_x) - area / of_x * along))


def _shape(s: float) -> Floats:
    return np.array([s * (s - 1) / 2, 1 - s * s, s * (s + 1) / 2])


def _slope(s: float) -> Floats:
    return np.array([s - 0.5, -2 * s, s + 0.5])
