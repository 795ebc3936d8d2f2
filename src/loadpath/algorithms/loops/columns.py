"""Orthonormal columns of a matrix by Gram and Schmidt, over any scalar: A = U R.

A dependent set of columns shows in a pivot that falls away, which is returned with the factors; the last columns may
depend on others, and are left out in the states where they do. Nothing is chosen or
exchanged, so the program has the same shape for every state. Plain zeros cost nothing: columns that share no row are
not compared at all, so loops that share no passive joint stay apart.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

from loadpath.algorithms.loops.sparse import scaled, sparse_dot
from loadpath.scalars import Array, Scalar, is_zero, sign, sqrt, zeros

NOTHING = 1e-9
"""A column that is much shorter than this moves nothing, and has a pivot of zero too."""

DEPENDENT = 1e-5
"""A column that may depend on others does where a smaller part of it is left without them."""


class Orthonormal(NamedTuple):
    """A = U R, with orthonormal columns U and an upper triangular R."""

    U: list[Array]
    R: Array
    inverse_pivots: list[Scalar]
    """The inverse of the diagonal of R."""
    pivots: list[Scalar]
    """For each column the square of the part of its length that is left without the columns before it: 1 good, 0
    dependent. Not of columns that may be.
    """
    stays: list[Scalar]
    """For each column 1; of those that may depend on others 0 where they do."""

    def solve(self, b: Array) -> Array:
        """x with A x = b, where there is one; the nearest otherwise."""
        p = len(self.U)
        x = zeros(p)
        for j in reversed(range(p)):
            known = sparse_dot(self.U[j], b)
            for k in range(j + 1, p):
                if not is_zero(self.R[j, k]) and not is_zero(x[k]):
                    known = known - self.R[j, k] * x[k]
            x[j] = self.inverse_pivots[j] * known
        return x

    def solve_transposed(self, b: Array) -> Array:
        """The shortest y with A^T y = b."""
        y = zeros(len(self.U[0]) if self.U else 0)
        for part, column in zip(self.coordinates(b), self.U, strict=True):
            y = y + scaled(part, column)
        return y

    def coordinates(self, b: Array, count: int | None = None) -> list[Scalar]:
        """U^T y for all y with A^T y = b; of the first columns, if a number is given."""
        found: list[Scalar] = []
        for j in range(len(self.U) if count is None else count):
            known = b[j]
            for i in range(j):
                if not is_zero(self.R[i, j]) and not is_zero(found[i]):
                    known = known - self.R[i, j] * found[i]
            found.append(known if is_zero(known) else self.inverse_pivots[j] * known)
        return found

    def remainder(self, y: Array) -> Array:
        """The part of y that is orthogonal to all columns."""
        for column in self.U:
            y = y - scaled(sparse_dot(column, y), column)
        return y

    def smallest_pivot(self) -> Scalar:
        """The smallest part of a column's length that is left without the columns before it; 1 without columns."""
        return sqrt(functools.reduce(smaller, self.pivots)) if self.pivots else 1.0


def smaller(a: Scalar, b: Scalar) -> Scalar:
    """The smaller of two scalars; not a number where one of them is none.

    >>> smaller(2.0, 3.0), smaller(3.0, -2.0)
    (2.0, -2.0)
    """
    difference = a - b
    return 0.5 * (a + b - difference * sign(difference))


def orthonormal(columns: list[Array], independent: int | None = None) -> Orthonormal:
    """The factors of the matrix with the given columns (modified Gram-Schmidt). The first `independent` are so, save at
    dead points; all, if no number is given.

    >>> from loadpath.scalars import array
    >>> factors = orthonormal([array([3.0, 4.0]), array([1.0, 0.0])])
    >>> [round(pivot, 3) for pivot in factors.pivots], [round(x, 12) for x in factors.solve(array([4.0, 4.0]))]
    ([1.0, 0.64], [1.0, 1.0])
    """
    p = len(columns)
    U: list[Array] = []
    R = zeros(p, p)
    inverse_pivots: list[Scalar] = []
    pivots: list[Scalar] = []
    stays: list[Scalar] = []
    for j, column in enumerate(columns):
        v, changed = column, False
        for i in range(j):
            R[i, j] = sparse_dot(U[i], v)
            if not is_zero(R[i, j]):
                v, changed = v - scaled(R[i, j], U[i]), True
        square = sparse_dot(v, v)
        whole = sparse_dot(column, column) if changed else square
        if independent is None or j < independent:
            stays.append(1.0)
            R[j, j] = sqrt(square)
            inverse_pivots.append(1.0 / R[j, j])
            pivots.append(square / (whole + NOTHING * NOTHING))
        else:
            stays.append(0.5 + 0.5 * sign(square - (DEPENDENT * DEPENDENT) * whole))
            R[j, j] = stays[j] * sqrt(square)
            inverse_pivots.append(inverse_or_zero(R[j, j], stays[j]))
        U.append(scaled(inverse_pivots[j], v))
    return Orthonormal(U, R, inverse_pivots, pivots, stays)


def inverse_or_zero(length: Scalar, stays: Scalar) -> Scalar:
    """1 / length where `stays` is one, zero where it is zero.

    >>> inverse_or_zero(0.5, 1.0), inverse_or_zero(0.0, 0.0)
    (2.0, 0.0)
    """
    return stays / (length + (1.0 - stays))
