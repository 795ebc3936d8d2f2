"""The largest eigenvalues of many symmetric matrices: by blocks of vectors, checked; where they fail, the full solver.

A mass matrix in energy coordinates has eigenvalues 1 / omega^2, which fall quickly: a block of a few vectors more than
are wanted converges within a few products. A geometric stiffness has eigenvalues of both signs, and the largest
positive one may be smaller than the others: there the products of one vector are kept, and the best of all their
combinations is taken (Lanczos). What has not converged by then goes to LAPACK.
"""

from __future__ import annotations

import numpy as np

from loadpath.scalars.types import Floats

SPARE = 10
"""Vectors in the block beyond those that are wanted."""
STEPS = 10
RESIDUAL = 1e-7
"""Of an eigenvector, as a share of its eigenvalue; the eigenvalue is good to about the square of it."""
RESIDUAL_OF_LOADS = 1e-5
"""The same in `largest_positive`."""


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


def largest_pairs_with_stiffness(M: Floats, B: Floats, count: int) -> tuple[Floats, Floats]:
    """The `count` largest mu (matrices, count) with M x = mu B x, B positive definite, largest first; vectors as rows
    (matrices, count, n), x B x = 1.

    >>> mass, stiffness = np.diag([1.0, 2.0, 3.0]), np.diag([0.1, 1.0, 1.0])
    >>> values, vectors = largest_pairs_with_stiffness(mass[None], stiffness[None], 2)
    >>> values.round(9).tolist()
    [[10.0, 3.0]]
    """
    lower = np.linalg.cholesky(B)
    back = np.linalg.inv(lower)
    values, vectors = largest_eigenpairs(back @ M @ np.swapaxes(back, -1, -2), count)
    return values, vectors @ back


LOOKS = (12, 20, 32, 48)
"""Numbers of products after which `largest_positive` looks at what has converged."""


def largest_positive(A: Floats, start: Floats | None = None) -> tuple[Floats, Floats]:
    """The algebraically largest eigenvalue (matrices,) of symmetric matrices (matrices, n, n) of any sign, with its
    unit vector (matrices, n). `start` (matrices, n) are guesses of the vectors.

    >>> values, _ = largest_positive(np.diag([*np.linspace(-9.0, 0.0, 99), 0.5])[None])
    >>> values.round(9).tolist()
    [0.5]
    """
    size, count = A.shape[-1], len(A)
    if size <= 2 * LOOKS[0]:
        each, columns = np.linalg.eigh(A)
        return each[:, -1].astype(float), columns[:, :, -1].astype(float)
    values, vectors = np.empty(count), np.empty((count, size))
    first = np.random.default_rng(0).normal(size=size) / np.sqrt(size)
    first = np.broadcast_to(first, (count, size)) if start is None else start + 1e-3 * first
    left, basis = np.arange(count), np.empty((count, LOOKS[-1] + 1, size))
    T = np.zeros((count, LOOKS[-1], LOOKS[-1]))
    basis[:, 0] = first / np.linalg.norm(first, axis=-1, keepdims=True)
    done_so_far = 0
    for steps in (k for k in LOOKS if k < size):
        for j in range(done_so_far, steps):
            w = (A @ basis[:, j, :, None])[..., 0]
            for turn in range(2):  # once leaves rounding behind
                V = basis[:, : j + 1]
                share = V @ w[..., None]
                w = w - (np.swapaxes(share, -1, -2) @ V)[:, 0]
                if turn == 0:
                    T[:, j, : j + 1] = T[:, : j + 1, j] = share[..., 0]
            length = np.linalg.norm(w, axis=-1)
            basis[:, j + 1] = w / np.where(length > 0, length, 1.0)[:, None]
        done_so_far = steps
        found, turns = np.linalg.eigh(T[:, :steps, :steps])
        best = turns[:, :, -1]
        most = np.abs(found).max(axis=-1)
        residual = length * np.abs(best[:, -1])
        done = residual <= np.maximum(RESIDUAL_OF_LOADS * np.abs(found[:, -1]), 1e-14 * most)
        values[left[done]] = found[done, -1]
        vectors[left[done]] = (best[done, None] @ basis[done, :steps])[:, 0]
        if done.all():
            return values, vectors
        if done.any():
            left, basis, T, A = left[~done], basis[~done], T[~done], A[~done]
    each, columns = np.linalg.eigh(A)
    values[left], vectors[left] = each[:, -1], columns[:, :, -1]
    return values, vectors
