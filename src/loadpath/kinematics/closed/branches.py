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

from loadpath.closure.freedoms import poses_nearby
from loadpath.kinematics.closed.determinants import Block
from loadpath.kinematics.closed.kernels import compiled
from loadpath.kinematics.closed.rows import scaled_rows
from loadpath.quantities.closed import ClosedQuantities
from loadpath.scalars.types import Floats

SAMPLES = 5
ZERO, DEPENDENT = 1e-10, 1e-7


@dataclass(frozen=True, eq=False)
class Branches:
    """Which rows and speeds make up the blocks."""

    robot: ClosedQuantities
    links: tuple[str, ...]
    blocks: tuple[Block, ...]
    """None where the speeds are not determined."""

    @staticmethod
    def of_robot(robot: ClosedQuantities, free: tuple[int, ...], links: tuple[str, ...] = ()) -> Branches:
        """For the speeds that are not held, and the links that take poses."""
        return _branches(robot, free, links)

    def of(self, q: Floats) -> NDArray[np.int64]:
        """(states,): the label of each of the configurations (states, nq)."""
        label = np.zeros(len(q), dtype=np.int64)
        if not self.blocks or not len(q):
            return label
        values = compiled(self.robot, "block_determinants", (("blocks", self.blocks), ("links", self.links)))(q)
        lost = np.flatnonzero(~np.isfinite(values).all(axis=1) & np.isfinite(q).all(axis=1))
        if len(lost):  # a pivot was zero by chance
            J = scaled_rows(self.robot, q[lost], self.links)
            for number, block in enumerate(self.blocks):
                rows, columns = np.array(block.rows), np.array(block.columns)
                values[lost, number] = np.linalg.det(J[:, rows[:, None], columns])
        for number in range(min(len(self.blocks), 62)):
            label |= (values[:, number] > 0).astype(np.int64) << number
        return label


@lru_cache(maxsize=128)
def _branches(robot: ClosedQuantities, free: tuple[int, ...], links: tuple[str, ...]) -> Branches:
    J = scaled_rows(robot, poses_nearby(robot, SAMPLES), links)[:, :, list(free)]
    generic = max(J, key=lambda matrix: len(independent_rows(matrix)))  # home itself may be a dead point
    rows = independent_rows(generic)
    if len(rows) < len(free):
        return Branches(robot, links, ())
    blocks = []
    for of_rows, columns in diagonal_blocks(np.asarray((np.abs(J) > ZERO).any(axis=0))[rows]):
        first, second = pivots(generic[rows[of_rows][:, None], columns])
        places = rows[of_rows][first].tolist(), np.array(free)[columns[second]].tolist()
        blocks.append(Block(tuple(places[0]), tuple(places[1])))
    return Branches(robot, links, tuple(blocks))


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


def pivots(matrix: Floats) -> tuple[list[int], list[int]]:
    """Rows and columns of a square matrix in the order of elimination by its largest entries."""
    left = matrix.copy()
    rows: list[int] = []
    columns: list[int] = []
    for _ in range(len(matrix)):
        size = np.abs(left)
        size[rows], size[:, columns] = -1.0, -1.0
        i, j = np.unravel_index(int(size.argmax()), size.shape)
        left = left - np.outer(left[:, j], left[i]) / left[i, j]
        rows.append(int(i))
        columns.append(int(j))
    return rows, columns


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
