"""Factors of a symmetric matrix over any scalar: M = L^T D L, from the last row to the first.

In this order (Featherstone, Rigid Body Dynamics Algorithms, section 6.5) the mass matrix of a tree has no fill-in:
where two joints are not on one path to the base, M and L have a plain zero, and nothing is computed.
"""

from __future__ import annotations

from typing import NamedTuple

from loadpath.scalars.algebra import Array, Scalar, identity, is_zero, zeros


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
