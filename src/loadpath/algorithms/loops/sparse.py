"""Products that pass over plain zeros: most entries of the matrices of loops are such."""

from __future__ import annotations

from collections.abc import Iterable

from loadpath.scalars import Array, Scalar, array, is_zero, zeros


def sparse_dot(a: Iterable[Scalar], b: Iterable[Scalar]) -> Scalar:
    """Sum of the products of entries of which neither is a plain zero.

    >>> sparse_dot([0.0, 2.0], [float("inf"), 3.0])
    6.0
    """
    total: Scalar = 0.0
    for x, y in zip(a, b, strict=True):
        if not is_zero(x) and not is_zero(y):
            total = total + x * y
    return total


def scaled(factor: Scalar, of: Array) -> Array:
    """Scalar times vector."""
    return array([0.0 if is_zero(factor) or is_zero(x) else factor * x for x in of])


def times(a: Array, b: Array) -> Array:
    """Products of the entries of two vectors."""
    return array([0.0 if is_zero(x) or is_zero(y) else x * y for x, y in zip(a, b, strict=True)])


def product(A: Array, B: Array) -> Array:
    """A B of two matrices, or of a matrix and a vector."""
    if B.ndim == 1:
        return array([sparse_dot(row, B) for row in A])
    result = zeros(A.shape[0], B.shape[1])
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            result[i, j] = sparse_dot(A[i], B[:, j])
    return result
