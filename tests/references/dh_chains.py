"""Chains in standard Denavit-Hartenberg frames, as the sources have them, in plain floats, and as robots."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import loadpath as lp
from references.angeles_printed import Row

GRAVITY = np.array([1.0, -2.0, -9.0])


def random_rows(kinds: str, seed: int) -> list[Row]:
    """A row for each letter, R or P, nothing in it zero."""
    rng = np.random.default_rng(seed)
    rows = []
    for kind in kinds:
        theta, alpha = rng.uniform(0.3, 1.2, 2) * rng.choice((-1, 1), 2)
        b, a = rng.uniform(0.2, 0.5, 2)
        spread = rng.normal(size=(3, 3))
        spread = spread @ spread.T / 20
        tensor = np.trace(spread) * np.eye(3) - spread
        rows.append(Row(kind == "P", theta, b, a, alpha, rng.uniform(0.5, 2), rng.uniform(-0.2, 0.2, 3), tensor))
    return rows


def as_robot(rows: Sequence[Row]) -> lp.Robot:
    """The same chain as a robot."""
    return lp.from_dh(
        [
            lp.DHRow(r.theta, r.b, r.a, r.alpha, "prismatic" if r.prismatic else "revolute", mass=r.mass,
                     center_of_mass=r.center, inertia=r.tensor)
            for r in rows
        ],
        gravity=GRAVITY.tolist(),
    )


def random_motion(n: int, seed: int) -> np.ndarray:
    """q, qd, qdd; fast, so that terms with products of speeds weigh."""
    rng = np.random.default_rng(seed)
    return rng.uniform(0.3, 1.0, (3, n)) * rng.choice((-1, 1), (3, n)) * [[1.0], [5.0], [3.0]]


def dh_matrix(row: Row, x: float, last_column: float | None = None) -> np.ndarray:
    """^{i-1}A_i; `last_column` in place of a_i, as misprinted."""
    theta, d = (row.theta, row.b + x) if row.prismatic else (row.theta + x, row.b)
    a = row.a if last_column is None else last_column
    c, s, ca, sa = np.cos(theta), np.sin(theta), np.cos(row.alpha), np.sin(row.alpha)
    return np.array([[c, -ca * s, sa * s, a * c], [s, ca * c, -sa * c, a * s], [0, sa, ca, d], [0, 0, 0, 1]])


def skew(v: np.ndarray) -> np.ndarray:
    x, y, z = v
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
