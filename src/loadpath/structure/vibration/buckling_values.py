"""The largest eigenvalue of -K_G in many states, from few of the coordinates where these are enough.

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
from loadpath.structure.vibration.eigenvalues import largest_positive
from loadpath.structure.vibration.geometric_stiffness import LoadedCoordinates, loaded_coordinates
from loadpath.structure.vibration.loaded import row_blocks
from loadpath.structure.vibration.model import VibrationModel
from loadpath.structure.vibration.piece_loads import dead_loads
from loadpath.structure.vibration.world_axes import frames_of_joints

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
