"""How far each loop, coupling and link with a pose is from where it should be."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from loadpath.algorithms.loops import closure_sizes
from loadpath.engine.program import Operand
from loadpath.engine.uncompiled import Uncompiled
from loadpath.kinematics.closed.subject import ClosedChain
from loadpath.robot.closed_mechanism import ClosedMechanism
from loadpath.scalars.types import Floats


class LoopErrors(NamedTuple):
    """Errors by part: the loops, the couplings, then the links that have poses to take."""

    names: tuple[str, ...]
    distances: Floats
    """(..., parts): m."""
    angles: Floats
    """(..., parts): rad."""

    def shaped(self, batch: tuple[int, ...]) -> LoopErrors:
        """The same with other batch axes."""
        parts = len(self.names)
        return LoopErrors(self.names, self.distances.reshape(*batch, parts), self.angles.reshape(*batch, parts))


def loop_errors(robot: ClosedChain, sizes: Floats, links: tuple[str, ...], of_links: Floats) -> LoopErrors:
    """By part, from the sizes (states, loops and couplings, 2) and those of links (states, links, 2)."""
    names = (*(loop.name for loop in robot.loops), *(coupling.name for coupling in robot.couplings), *links)
    every = np.concatenate([sizes, of_links], axis=1)
    # Rotations come as twice the tangent of half the angle.
    angles = every[..., 1].copy()
    angles[:, : len(robot.loops)] = 2.0 * np.arctan(0.5 * angles[:, : len(robot.loops)])
    return LoopErrors(names, every[..., 0], angles)


def uncompiled_errors(robot: ClosedChain, mechanism: ClosedMechanism, q: Floats) -> LoopErrors:
    """The same of a few states (states, nq), without compiling."""
    count = len(robot.loops) + len(robot.couplings)
    function = Uncompiled(
        "closure", lambda q: closure_sizes(mechanism, q), [Operand("q", (mechanism.nq,))], [Operand("e", (count, 2))]
    )
    return loop_errors(robot, function(q), (), np.zeros((len(q), 0, 2)))
