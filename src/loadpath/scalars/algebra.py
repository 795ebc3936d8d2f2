"""Small vectors and matrices over any scalar: NumPy object arrays, and the few products that robots need.

Sums, differences and `@` of such arrays are NumPy's own. A product with one scalar goes through `scale`,
because a scalar may itself be an array (a batch of states), which `*` would try to broadcast.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

Scalar: TypeAlias = Any
"""A float, a NumPy or JAX batch array, a recorded value, a SymPy expression, a CasADi SX, a counting scalar."""

Array: TypeAlias = "np.ndarray[Any, np.dtype[np.object_]]"
"""A NumPy object array of scalars."""


def array(entries: Sequence[Any]) -> Array:
    """Object array of the given scalars (one level of nesting for a matrix); scalars are never looked into.

    >>> array([[1.0, 2.0], [3.0, 4.0]]).shape
    (2, 2)
    >>> array([np.zeros(5), 1.0]).shape          # two scalars, the first a batch of five
    (2,)
    """
    if entries and isinstance(entries[0], (list, tuple)):
        matrix = np.empty((len(entries), len(entries[0])), dtype=object)
        for i, row in enumerate(entries):
            for j, entry in enumerate(row):
                matrix[i, j] = entry
        return matrix
    column = np.empty(len(entries), dtype=object)
    for i, entry in enumerate(entries):
        column[i] = entry
    return column


def vector(x: Scalar, y: Scalar, z: Scalar) -> Array:
    """Vector of three scalars."""
    result = np.empty(3, dtype=object)
    result[0], result[1], result[2] = x, y, z
    return result


def zeros(*shape: int) -> Array:
    """Array of plain zeros: they cost nothing in any kind of scalar."""
    result = np.empty(shape, dtype=object)
    result.fill(0.0)
    return result


def identity(size: int) -> Array:
    """Identity matrix of plain ones and zeros."""
    result = zeros(size, size)
    for i in range(size):
        result[i, i] = 1.0
    return result


def is_zero(x: Scalar) -> bool:
    """Whether a scalar is a plain zero: a constant that costs nothing, not a result that happens to be zero."""
    return isinstance(x, (int, float)) and x == 0


def scale(factor: Scalar, of: Array) -> Array:
    """Scalar times array.

    >>> scale(2.0, vector(1.0, 2.0, 3.0))
    array([2.0, 4.0, 6.0], dtype=object)
    """
    result = np.empty(of.size, dtype=object)
    for k, entry in enumerate(of.ravel()):
        result[k] = factor * entry
    return result.reshape(of.shape)


def cross(a: Array, b: Array) -> Array:
    """Cross product a x b.

    >>> cross(vector(1.0, 0.0, 0.0), vector(0.0, 1.0, 0.0))
    array([0.0, 0.0, 1.0], dtype=object)
    """
    a0, a1, a2 = a
    b0, b1, b2 = b
    return vector(a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0)


def dot(a: Iterable[Scalar], b: Iterable[Scalar]) -> Scalar:
    """Sum of the products of the entries.

    >>> dot(vector(1.0, 2.0, 3.0), vector(4.0, 5.0, 6.0))
    32.0
    """
    total: Scalar = 0.0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total


def skew(a: Array) -> Array:
    """Cross-product matrix [a]x, with [a]x b = a x b."""
    x, y, z = a
    return array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def outer(a: Array, b: Array) -> Array:
    """Matrix a b^T."""
    return array([[x * y for y in b] for x in a])


# Inertia tensors from second moments of mass: the parallel-axis theorem, once, for any scalar.
#
# A body has the second moments S = sum of m r r^T over its points, and the inertia tensor tr(S) 1 - S about the same
# origin. Displaced by a, with the first moment c = sum of m r, it gains the second moments a c^T + c a^T + m a a^T.

def inertia_tensor(second: Array) -> Array:
    """Inertia tensor tr(S) 1 - S of the second moments S, of which the upper half is read.

    >>> inertia_tensor(array([[1, 2, 3], [2, 4, 5], [3, 5, 6]])).tolist()
    [[10, -2, -3], [-2, 7, -5], [-3, -5, 5]]
    """
    xx, yy, zz, xy, xz, yz = second[0, 0], second[1, 1], second[2, 2], second[0, 1], second[0, 2], second[1, 2]
    return array([[yy + zz, -xy, -xz], [-xy, xx + zz, -yz], [-xz, -yz, xx + yy]])


def symmetric_product(a: Array, b: Array) -> Array:
    """a b^T + b a^T."""
    return array([[2 * (x * b[i]) if i == j else x * b[j] + a[j] * b[i] for j in range(3)] for i, x in enumerate(a)])


def point_tensor(mass: Scalar, a: Array) -> Array:
    """Inertia tensor about the origin of a mass at the point a.

    >>> point_tensor(2, array([1, 0, 3])).tolist()
    [[18, 0, -6], [0, 20, 0], [-6, 0, 2]]
    """
    return inertia_tensor(scale(mass, outer(a, a)))


def parallel_axis(mass: Scalar, moment: Array, a: Array) -> Array:
    """What the inertia tensor of a body gains about an origin from where the present one is at a: the body has this
    mass and, about the present origin, this first moment.

    >>> parallel_axis(2.0, array([0.0, 0.0, 0.0]), array([1.0, 0.0, 3.0])).diagonal().tolist()
    [18.0, 20.0, 2.0]
    """
    return inertia_tensor(symmetric_product(a, moment + scale(0.5, scale(mass, a))))


# Factors of a symmetric matrix over any scalar: M = L^T D L, from the last row to the first.
#
# In this order (Featherstone, Rigid Body Dynamics Algorithms, section 6.5) the mass matrix of a tree has no fill-in:
# where two joints are not on one path to the base, M and L have a plain zero, and nothing is computed.

class LTDL(NamedTuple):
    """M = L^T D L with unit lower triangular L; `pivots` is the inverse of D."""

    L: Array
    pivots: list[Scalar]

    def solve(self, b: Array) -> Array:
        """x with M x = b."""
        n = len(b)
        x = b.copy()
        for i in reversed(range(n)):  # L^T y = b
            for j in range(i):
                if not is_zero(self.L[i, j]):
                    x[j] = x[j] - self.L[i, j] * x[i]
        for i in range(n):
            x[i] = self.pivots[i] * x[i]
            for j in range(i):  # L x = D^-1 y
                if not is_zero(self.L[i, j]):
                    x[i] = x[i] - self.L[i, j] * x[j]
        return x

    def inverse(self) -> Array:
        """The inverse of M: K D^-1 K^T with K = L^-1, which has the zeros of L."""
        n = len(self.pivots)
        K = identity(n)
        for i in range(n):
            for k in range(i):
                if not is_zero(self.L[i, k]):
                    for j in range(k + 1):
                        K[i, j] = K[i, j] - self.L[i, k] * K[k, j]
        scaled = zeros(n, n)
        for i in range(n):
            for j in range(i + 1):
                scaled[i, j] = K[i, j] * self.pivots[j]
        result = zeros(n, n)
        for i in range(n):
            for j in range(i + 1):
                entry: Scalar = 0.0
                for k in range(j + 1):
                    if not is_zero(scaled[i, k]) and not is_zero(K[j, k]):
                        entry = entry + scaled[i, k] * K[j, k]
                result[i, j] = result[j, i] = entry
        return result


def ltdl(matrix: Array) -> LTDL:
    """The factors of a symmetric positive definite matrix (its lower half is read).

    >>> from loadpath.scalars.algebra import array
    >>> ltdl(array([[2.0, 1.0], [1.0, 1.0]])).solve(array([3.0, 2.0]))
    array([1.0, 1.0], dtype=object)
    """
    M = matrix.copy()
    n = len(M)
    L = identity(n)
    pivots: list[Scalar] = [0.0] * n
    for k in reversed(range(n)):
        pivots[k] = 1.0 / M[k, k]
        for i in reversed(range(k)):
            if is_zero(M[k, i]):
                continue
            L[k, i] = M[k, i] * pivots[k]
            for j in range(i + 1):
                if not is_zero(M[k, j]):
                    M[i, j] = M[i, j] - L[k, i] * M[k, j]
    return LTDL(L, pivots)
