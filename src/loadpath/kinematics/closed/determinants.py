"""Determinants of blocks of the rows of loops, over any scalar: by elimination in an order chosen beforehand."""

from __future__ import annotations

from typing import NamedTuple

from loadpath.algorithms.loops import constraint_jacobian
from loadpath.mechanics.kinematics import jacobian
from loadpath.robot.mechanism import Mechanism
from loadpath.scalars import Array, Scalar, array, is_zero


class Block(NamedTuple):
    """Rows and speeds of a square block, in the order of elimination."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]


def block_determinants(
    mechanism: Mechanism, q: Array, *, blocks: tuple[Block, ...], links: tuple[str, ...]
) -> Array:
    """(blocks,): the determinant of each block of the rows of loops and couplings, then six rows of each link."""
    rows = list(constraint_jacobian(mechanism, q))
    for link in links:
        rows += list(jacobian(mechanism, q, link))
    return array([_determinant([[rows[i][k] for k in block.columns] for i in block.rows]) for block in blocks])


def _determinant(matrix: list[list[Scalar]]) -> Scalar:
    """Product of the pivots."""
    result: Scalar = 1.0
    size = len(matrix)
    for k in range(size):
        result = result * matrix[k][k]
        if k + 1 == size:
            break
        inverse = 1.0 / matrix[k][k]
        for i in range(k + 1, size):
            if is_zero(matrix[i][k]):
                continue
            factor = matrix[i][k] * inverse
            for j in range(k + 1, size):
                if not is_zero(matrix[k][j]):
                    matrix[i][j] = matrix[i][j] - factor * matrix[k][j]
    return result
