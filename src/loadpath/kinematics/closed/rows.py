"""The rows of loops, couplings and links with poses as numbers: speeds in, rates of residuals out, without units."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from loadpath.algorithms.loops import constraint_jacobian
from loadpath.algorithms.loops.residual import angular_speeds
from loadpath.engine.program import Operand
from loadpath.engine.uncompiled import Uncompiled
from loadpath.kinematics.closed import equations
from loadpath.kinematics.closed.subject import ClosedChain, quantity, size_of, tree_of, unsplit
from loadpath.robot.closed_mechanism import ClosedMechanism
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Floats


def scaled_rows(robot: ClosedChain, q: Floats, links: tuple[str, ...] = ()) -> Floats:
    """(states, rows, n): the rows of loops and couplings, then six of each link, lengths in units of the robot's size,
    for speeds in units of the size too where they are not turning.
    """
    tree = tree_of(robot)
    mechanism, size = unsplit(tree), size_of(tree)
    J = constraint_rows(robot, q) * _row_scales(mechanism, size)[:, None]
    if links:
        of_links = [quantity(robot, "jacobian", q, link) for link in links]
        J = np.concatenate([J, *(part / np.repeat([size, 1.0], 3)[:, None] for part in of_links)], axis=1)
    found: Floats = J * column_scales(mechanism, size)
    return found


@lru_cache(maxsize=64)
def column_scales(mechanism: ClosedMechanism, size: float) -> Floats:
    """(n,): the size for speeds that slide, 1 for those that turn."""
    return np.array([1.0 if turning else size for turning in angular_speeds(mechanism)])


@lru_cache(maxsize=64)
def loop_lengths(robot: RobotModel) -> Floats:
    """(loops and couplings,): lengths (m) against which they count as open."""
    return np.array(equations.loop_lengths(unsplit(robot), size_of(robot)))


@lru_cache(maxsize=64)
def _row_scales(mechanism: ClosedMechanism, size: float) -> Floats:
    return np.array(equations.row_scales(mechanism, size))


def constraint_rows(robot: ClosedChain, q: Floats) -> Floats:
    """(states, rows, n): the rows of loops and couplings in the tree's speeds, SI units."""
    found: Floats = quantity(robot, "constraint_jacobian", q)
    return found


def uncompiled_rows(mechanism: ClosedMechanism, q: Floats) -> Floats:
    """The same of a mechanism, for a few states, without compiling."""
    shape = (mechanism.rows, mechanism.n)
    function = Uncompiled(
        "rows",
        lambda q: constraint_jacobian(mechanism, q),
        [Operand("q", (mechanism.nq,))],
        [Operand("J", shape)],
    )
    found: Floats = function(q) if shape[0] else np.zeros((*q.shape[:-1], *shape))
    return found
