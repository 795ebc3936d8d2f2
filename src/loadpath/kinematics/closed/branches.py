"""Assembly modes, by the signs of determinants.

Where some coordinates are held, the loops determine the others as long as the matrix of their rows in the other speeds
has full rank. Its determinant changes its sign only through a dead point. The matrix falls into blocks along its
diagonal (each loop of a chain of four-bars is one): each block has a determinant of its own, and the signs together are
the label. Where loops hold a direction twice, as many rows are chosen as there are speeds, once for the mechanism.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from loadpath.kinematics.closed.freedoms import poses_nearby
from loadpath.kinematics.closed.rows import scaled_rows
from loadpath.kinematics.closed.subject import ClosedChain
from loadpath.scalars.types import Floats

SAMPLES = 5
ZERO, DEPENDENT = 1e-10, 1e-7


@dataclass(frozen=True, eq=False)
class Branches:
    """Which rows and speeds make up the blocks."""

    robot: ClosedChain
    free: tuple[int, ...]
    """Speeds that are not held."""
    links: tuple[str, ...]
    blocks: tuple[tuple[NDArray[np.intp], NDArray[np.intp]], ...]
    """Rows and columns (of the free speeds) of each block; none where the speeds are not determined."""

    @staticmethod
    def of_robot(robot: ClosedChain, free: tuple[int, ...], links: tuple[str, ...] = ()) -> Branches:
        """For the coordinates that are held, and the links that take poses."""
        return _branches(robot, free, links)

    def of(self, q: Floats) -> NDArray[np.int64]:
        """(states,): the label of each of the configurations (states, nq)."""
        label = np.zeros(len(q), dtype=np.int64)
        if not self.blocks or not len(q):
            return label
        J = scaled_rows(self.robot, q, self.links)
        free = np.array(self.free)
        for number, (rows, columns) in enumerate(self.blocks[:62]):
            sign = _determinant(J[:, rows[:, None], free[columns]]) > 0
            label |= sign.astype(np.int64) << number
        return label


def _determinant(matrices: Floats) -> Floats:
    size = matrices.shape[-1]
    if size == 1:
        first: Floats = matrices[:, 0, 0]
        return first
    if size == 2:
        second: Floats = matrices[:, 0, 0] * matrices[:, 1, 1] - matrices[:, 0, 1] * matrices[:, 1, 0]
        return second
    found: Floats = np.linalg.det(matrices)
    return found


@lru_cache(maxsize=128)
def _branches(robot: ClosedChain, free: tuple[int, ...], links: tuple[str, ...]) -> Branches:
    J = scaled_rows(robot, poses_nearby(robot, SAMPLES), links)[:, :, list(free)]
    rows = max((independent_rows(matrix) for matrix in J), key=len)  # home itself may be a dead point
    if len(rows) < len(free):
        return Branches(robot, free, links, ())
    blocks = diagonal_blocks(np.asarray((np.abs(J) > ZERO).any(axis=0))[rows])
    return Branches(robot, free, links, tuple((rows[of_rows], columns) for of_rows, columns in blocks))


def independent_rows(matrix: Floats) -> NDArray[np.intp]:
    """Rows that span all, largest first: Gram and Schmidt with pivoting."""
    left = matrix.copy()
    found: list[int] = []
    largest = np.sqrt((left * left).sum(axis=1)).max(initial=0.0)
    for _ in range(min(matrix.shape)):
        sizes = np.sqrt((left * left).sum(axis=1))
        k = int(sizes.argmax())
        if sizes[k] <= DEPENDENT * largest:
            break
        found.append(k)
        unit = left[k] / sizes[k]
        left = left - np.outer(left @ unit, unit)
    return np.array(sorted(found), dtype=np.intp)


def diagonal_blocks(pattern: NDArray[np.bool_]) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """The finest blocks along the diagonal that a square matrix with these entries can be permuted to."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components, maximum_bipartite_matching

    size = len(pattern)
    row_of = maximum_bipartite_matching(csr_matrix(pattern), perm_type="row")  # for each column a row
    if size == 0 or (row_of < 0).any():
        return []
    _, part = connected_components(csr_matrix(pattern[row_of]), directed=True, connection="strong")
    found = []
    for label in dict.fromkeys(part.tolist()):
        columns = np.flatnonzero(part == label)
        found.append((np.sort(row_of[columns]), columns))
    return sorted(found, key=lambda block: int(block[1][0]))
