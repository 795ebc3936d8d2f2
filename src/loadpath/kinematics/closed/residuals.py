"""How far each loop, coupling and link with a pose is from where it should be."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from loadpath.kinematics.closed.equations import rows_of_length
from loadpath.kinematics.closed.subject import ClosedChain, tree_of, unsplit
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
        return LoopErrors(
            self.names, self.distances.reshape(*batch, len(self.names)), self.angles.reshape(*batch, len(self.names))
        )


def loop_errors(robot: ClosedChain, residual: Floats, links: tuple[str, ...], of_links: Floats) -> LoopErrors:
    """By part, from residuals (states, rows) and the errors (states, links, 2) of links."""
    lengths = np.array(rows_of_length(unsplit(tree_of(robot))), dtype=bool)
    names = [*(loop.name for loop in robot.loops), *(coupling.name for coupling in robot.couplings), *links]
    counts = [loop.rows for loop in robot.loops] + [1] * len(robot.couplings)
    count = len(residual)
    distances, angles = np.zeros((count, len(names))), np.zeros((count, len(names)))
    start = 0
    for part, rows in enumerate(counts):
        here = np.zeros(len(lengths), dtype=bool)
        here[start : start + rows] = True
        distances[:, part] = np.linalg.norm(residual[:, here & lengths], axis=1)
        angles[:, part] = np.linalg.norm(residual[:, here & ~lengths], axis=1)
        start += rows
    distances[:, len(counts) :], angles[:, len(counts) :] = of_links[..., 0], of_links[..., 1]
    return LoopErrors(tuple(names), distances, angles)
