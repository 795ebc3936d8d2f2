"""The dependent speeds and accelerations from the independent ones.

J qd = 0 splits into J_P qd_P = -J_I qd_I. J_P has full column rank, save at dead points, though it may have more rows
than columns (a hinge in a plane linkage holds three directions that nothing moves along). So qd = T qd_I, with T the
natural orthogonal complement of the loops (Angeles and Lee): J T = 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from loadpath.algorithms.loops.columns import Orthonormal, orthonormal
from loadpath.algorithms.loops.rows import constraint_jacobian, constraint_rate
from loadpath.algorithms.loops.sparse import scaled
from loadpath.robot.mechanism import Mechanism
from loadpath.scalars import Array, is_zero, zeros


class Constraints(NamedTuple):
    """The rows of the loops with the factors of their dependent columns."""

    J: Array
    """(m, n)."""
    moving: list[int]
    """Numbers of the rows that some joint moves: the others are plain zeros."""
    dependent: list[int]
    """The dependent speeds in the order of the factors: those that move few loops first, which leaves most zeros."""
    factors: Orthonormal
    """Of the dependent columns, without the rows of plain zeros."""

    def column(self, k: int) -> Array:
        """A column of J without the rows of plain zeros."""
        result: Array = self.J[self.moving, k]
        return result


def constraints(mechanism: Mechanism, q: Array) -> Constraints:
    """J and its factors."""
    return factored(mechanism, constraint_jacobian(mechanism, q))


def factored(mechanism: Mechanism, J: Array) -> Constraints:
    """J with the factors of its dependent columns."""
    moving, dependent = moving_rows(J), by_fill(J, mechanism.split.dependent)
    return Constraints(J, moving, dependent, orthonormal([J[moving, k] for k in dependent]))


def held_by_drives(mechanism: Mechanism, J: Array) -> Constraints:
    """J with the factors of the columns that forces of the drives follow from: the dependent ones. With more drives
    than freedoms, those of all passive speeds and then those of the drives, of which some follow from the others: which
    of the drives are taken as independent does not matter then, nor where these alone have a dead point.
    """
    if len(mechanism.split.driven) <= len(mechanism.split.independent):
        return factored(mechanism, J)
    moving = moving_rows(J)
    passive = by_fill(J, [k for k in range(mechanism.n) if k not in mechanism.split.driven])
    order = [*passive, *mechanism.split.driven]
    return Constraints(J, moving, order, orthonormal([J[moving, k] for k in order], len(passive)))


def moving_rows(J: Array) -> list[int]:
    """Numbers of the rows that are not all plain zeros."""
    return [r for r in range(len(J)) if not all(is_zero(x) for x in J[r])]


def by_fill(J: Array, columns: Iterable[int]) -> list[int]:
    """Columns with few entries first."""
    filled = {k: sum(not is_zero(x) for x in J[:, k]) for k in columns}
    return sorted(filled, key=lambda k: filled[k])


def complement(mechanism: Mechanism, given: Constraints) -> Array:
    """T (n, f) with qd = T qd_I, and J T = 0."""
    T = zeros(mechanism.n, len(mechanism.split.independent))
    for column, k in enumerate(mechanism.split.independent):
        T[k, column] = 1.0
        T[given.dependent, column] = given.factors.solve(-given.column(k))
    return T


def completed(mechanism: Mechanism, given: Constraints, independent: Array, rate: Array | None = None) -> Array:
    """All speeds from the independent ones; with a `rate` Jdot qd, all accelerations."""
    result = zeros(mechanism.n)
    known = zeros(len(given.moving)) if rate is None else rate[given.moving]
    for value, k in zip(independent, mechanism.split.independent, strict=True):
        result[k] = value
        if not is_zero(value):
            known = known + scaled(value, given.column(k))
    result[given.dependent] = given.factors.solve(-known)
    return result


def completion(mechanism: Mechanism, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array]:
    """All speeds and accelerations (n) from the independent ones (f)."""
    given = constraints(mechanism, q)
    speeds = completed(mechanism, given, qd)
    return speeds, completed(mechanism, given, qdd, constraint_rate(mechanism, q, speeds))


def speed_completion(mechanism: Mechanism, q: Array, qd: Array) -> Array:
    """All speeds (n) from the independent ones (f)."""
    return completed(mechanism, constraints(mechanism, q), qd)
