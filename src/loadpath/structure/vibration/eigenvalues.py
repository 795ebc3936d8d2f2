"""The largest eigenvalues of many symmetric matrices: by blocks of vectors, checked; where they fail, the full solver.

A mass matrix in energy coordinates has eigenvalues 1 / omega^2, which fall quickly: a block of a few vectors more than
are wanted converges within a few products. A geometric stiffness has eigenvalues of both signs, and the largest
positive one may be smaller than the others: there the products of one vector are kept, and the best of all their
combinations is taken (Lanczos). What has not converged by then goes to LAPACK.

Most coordinates of an arm hardly matter for its buckling: extension and shear of slender beams, and the higher
polynomials of short pieces. So the coordinates that matter are found on some states of the batch, the eigenvalue of
each state is solved in them, and its residual in *all* coordinates says what the others would add: to second
order residual^2 / eigenvalue. That is added; where it is more than a given share of the eigenvalue, more coordinates
are taken, and at last all of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from loadpath.scalars.types import Floats, Ints
from loadpath.states import Batch
from loadpath.structure.vibration.geometric_stiffness import LoadedCoordinates, loaded_coordinates
from loadpath.structure.vibration.model import VibrationModel, row_blocks
from loadpath.structure.vibration.piece_loads import dead_loads
from loadpath.structure.vibration.world_axes import frames_of_joints

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


# Buckling, from few of the coordinates


ADDED = 1e-3
"""What the coordinates that are left out may add to an eigenvalue, as a share of it, unless another is given."""
COARSE = 3e-2
"""Squares of all that the coordinates left out couple to, as a share of the eigenvalue's square: for a bound."""
LEVELS = ((0.7, 0.8), (0.3, 1.0))
"""Share of the energy that the coordinates left out take in the shapes, as a part of what they may add, and of which
part of the samples: for the eigenvalue itself.
"""
SAMPLES = 48
"""States on which the coordinates that matter are found."""
FEW = 60
"""Coordinates, or states, up to which all coordinates are taken."""


class Solved(NamedTuple):
    """Of some states."""

    values: Floats
    """(states,): largest eigenvalue of -K_G."""
    vectors: Floats
    """(states, size): its unit vector."""
    estimated: Floats
    """(states,): share of the eigenvalue that coordinates add which were left out; it is not more wrong than that."""


class BucklingSolver:
    """A model without guides, and the coordinates of it that matter in the states of a batch."""

    def __init__(self, model: VibrationModel, batch: Batch, rows: Ints | None = None, added: float = ADDED) -> None:
        self.model, self.added = model, min(added, ADDED)
        self.all = loaded_coordinates(model)
        self.levels: list[LoadedCoordinates] = []
        self.coarse: LoadedCoordinates | None = None
        numbers = np.arange(len(batch)) if rows is None else rows
        if model.size > FEW and len(numbers) > FEW:
            self._choose(batch, numbers[np.linspace(0, len(numbers) - 1, SAMPLES).round().astype(int)])

    def _choose(self, batch: Batch, rows: Ints) -> None:
        for chosen in row_blocks(self.model, batch, rows):  # one block, or a few of which the first is enough
            states = batch.rows(chosen)
            loads = dead_loads(self.model.arm, states, batch.case_of(chosen))
            K = self.all.stiffness(frames_of_joints(self.model.arm, states[0])[0], loads)
            values, vectors = largest_positive(-K)
            good = values > 0
            if not good.any():
                return
            dangerous = values >= np.median(values[good])
            coupled = (K[dangerous] ** 2).sum(axis=-1) / values[dangerous, None] ** 2
            self.coarse = loaded_coordinates(self.model, _kept(coupled, COARSE))
            for level, part in LEVELS:
                columns = _kept(vectors[good] ** 2, level * self.added, part)
                if len(columns) < 0.7 * self.model.size:
                    self.levels.append(loaded_coordinates(self.model, columns))
            return

    def bounds(self, R: Floats, loads: Floats, norms: Floats) -> Floats:
        """(states,): what the eigenvalues cannot exceed, from the norms (Frobenius's) of the whole matrices. With a the
        eigenvalue in few coordinates, and F, f the norms of the whole and of that part: sqrt(a^2 + F^2 - f^2).
        """
        if self.coarse is None:
            return norms
        A = -self.coarse.stiffness(R, loads)
        largest = np.maximum(np.linalg.eigvalsh(A)[:, -1], 0.0)
        left = np.maximum(norms**2 - np.einsum("sik,sik->s", A, A), 0.0)
        result: Floats = np.minimum(norms, np.sqrt(largest**2 + left) * (1 + 1e-9))
        return result

    def solve(self, R: Floats, loads: Floats) -> Solved:
        """For the links' rotations (states, links, 3, 3) and the pieces' loads (states, pieces, 18)."""
        count = len(R)
        values, vectors, estimated = np.zeros(count), np.zeros((count, self.model.size)), np.zeros(count)
        left = np.arange(count)
        guess: Floats | None = None
        for level in self.levels:
            start = None if guess is None else guess[:, level.columns]
            found, part = largest_positive(-level.stiffness(R[left], loads[left]), start)
            guess = np.zeros((len(left), self.model.size))
            guess[:, level.columns] = part
            residual = -self.all.product(R[left], loads[left], guess) - found[:, None] * guess
            added = (residual**2).sum(axis=-1)
            done = (found > 0) & (added <= self.added * found**2)
            rows = left[done]
            values[rows] = found[done] + added[done] / found[done]
            estimated[rows] = added[done] / found[done] ** 2
            better = guess[done] + residual[done] / found[done, None]
            vectors[rows] = better / np.linalg.norm(better, axis=-1, keepdims=True)
            left, guess = left[~done], guess[~done]
            if not len(left):
                return Solved(values, vectors, estimated)
        values[left], vectors[left] = largest_positive(-self.all.stiffness(R[left], loads[left]), guess)
        return Solved(values, vectors, estimated)


def _kept(shares: Floats, level: float, part: float = 1.0) -> Ints:
    """The coordinates without which this part of the states (states, coordinates) loses no more than `level`."""
    order = np.argsort(shares.mean(axis=0))
    lost = np.quantile(np.cumsum(shares[:, order], axis=1), part, axis=0)
    return np.sort(order[int(np.searchsorted(lost, level)) :])
