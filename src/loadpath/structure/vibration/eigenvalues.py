"""The largest eigenvalues of many symmetric matrices: block power iteration, checked; where it fails, the full solver.

A mass matrix in energy coordinates has eigenvalues 1 / omega^2, which fall quickly: a block of a few vectors more than
are wanted converges within a few products. What has not converged by then goes to LAPACK.
"""

from __future__ import annotations

import numpy as np

from loadpath.scalars.types import Floats

SPARE = 10
"""Vectors in the block beyond those that are wanted."""
STEPS = 10
RESIDUAL = 1e-7
"""Of an eigenvector, as a share of its eigenvalue; the eigenvalue is good to about the square of it."""


def largest_eigenpairs(M: Floats, count: int) -> tuple[Floats, Floats]:
    """The `count` largest eigenvalues (matrices, count) of matrices (matrices, n, n), largest first, with unit vectors
    as rows (matrices, count, n).

    >>> values, vectors = largest_eigenpairs(np.diag(np.arange(1.0, 200.0))[None], 2)
    >>> values.round(9).tolist()
    [[199.0, 198.0]]
    """
    size, block = M.shape[-1], count + SPARE
    if size <= 4 * block:
        return _all(M, count)
    values, vectors = np.empty((len(M), count)), np.empty((len(M), count, size))
    start = np.linalg.qr(np.random.default_rng(0).normal(size=(size, block)))[0]
    left = np.arange(len(M))
    Y = M @ start
    for _ in range(STEPS):
        Y = np.linalg.qr(Y)[0]
        MY = M[left] @ Y
        found, turn = np.linalg.eigh(np.swapaxes(Y, -1, -2) @ MY)
        found, turn = found[:, ::-1], turn[:, :, ::-1]
        Y, MY = Y @ turn, MY @ turn
        residual = np.linalg.norm(MY - Y * found[:, None, :], axis=1)[:, :count]
        done = (residual <= RESIDUAL * np.abs(found[:, :count])).all(axis=1)
        values[left[done]] = found[done, :count]
        vectors[left[done]] = np.swapaxes(Y[done, :, :count], -1, -2)
        left, Y = left[~done], MY[~done]
        if not len(left):
            return values, vectors
    values[left], vectors[left] = _all(M[left], count)
    return values, vectors


def _all(M: Floats, count: int) -> tuple[Floats, Floats]:
    values, vectors = np.linalg.eigh(M)
    return values[:, ::-1][:, :count].astype(float), np.swapaxes(vectors, -1, -2)[:, ::-1][:, :count].astype(float)
