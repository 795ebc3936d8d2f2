"""The compiled steps that close a robot's loops, for some coordinates held and some links at given poses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loadpath.closure.chain import size_of
from loadpath.closure.search import Search
from loadpath.kinematics.closed.kernels import compiled
from loadpath.quantities.closed import ClosedQuantities
from loadpath.scalars.types import Floats

BLOCK = 4096
"""Rows that are walked together: so many stay in the processor's cache."""


CLOSING_STEPS = 6
CLOSED = 1e-12
"""Gap of the loops, in parts of the robot's size, at which nothing is left to close."""


def closed_nearby(robot: ClosedQuantities, q: Floats) -> Floats:
    """Configurations (rows, nq) whose loops are nearly closed, with their dependent joints where they close them.

    >>> import loadpath as lp
    >>> bar = lp.catalog.four_bar()
    >>> off = bar.home + [0.0, 1e-4, 2e-4]
    >>> bool(abs(closed_nearby(bar, off[None])[0] - bar.home).max() < 1e-12)
    True
    """
    free = np.zeros(robot.n)
    free[list(robot.split.dependent)] = 1.0
    step = compiled(robot, "assembly_step", (("limits", False), ("size", size_of(robot))))
    for _ in range(CLOSING_STEPS):
        q, error = step(q, free, 1.0)
        if np.max(error, initial=0.0) < CLOSED:
            break
    return q


@dataclass
class Targets:
    """Poses that links are to take."""

    links: tuple[str, ...] = ()
    poses: Floats | None = None
    """(rows, links, 4, 4)."""
    weights: Floats | None = None
    """(links, 6)."""


@dataclass
class Closing:
    """Closes the loops of one robot from given starts."""

    robot: ClosedQuantities
    free: Floats
    """(n,): 1 for speeds whose coordinates may move."""
    targets: Targets
    limits: bool

    def __post_init__(self) -> None:
        self.size = size_of(self.robot)
        choices = (("limits", self.limits), ("size", self.size))
        if self.targets.links:
            self._kernel = compiled(self.robot, "posing_step", (("links", self.targets.links), *choices))
        else:
            self._kernel = compiled(self.robot, "assembly_step", choices)

    def step(self, q: Floats, rows: NDArray[np.intp], caution: Floats | float = 1.0) -> tuple[Floats, Floats]:
        """The next q, and how far the present one is off."""
        if not self.targets.links:
            following, error = self._kernel(q, self.free, caution)
        else:
            assert self.targets.poses is not None
            following, error = self._kernel(q, self.free, caution, self.targets.poses[rows], self.targets.weights)
        return following, np.asarray(error)

    def close(self, search: Search, rows: NDArray[np.intp], q: Floats) -> None:
        """Walk rows from q, and look whether those that were hasty have arrived."""
        for first in range(0, len(rows), BLOCK):
            here = slice(first, first + BLOCK)
            search.walk(rows[here], q[here])
        if not np.all(rows[1:] > rows[:-1]):
            rows = np.unique(rows)
        short = search.look_again(rows, self._error(search.q[rows], rows))
        if len(short):
            search.walk(short, search.q[short], hasty=False)

    def _error(self, q: Floats, rows: NDArray[np.intp]) -> Floats:
        """How far configurations are off."""
        if self.targets.links:
            return self.step(q, rows)[1]
        apart = self.robot.closure(q)
        found: Floats = np.maximum(apart[..., 0] / self.size, apart[..., 1]).max(axis=-1, initial=0.0)
        return found

    def target_errors(self, q: Floats) -> Floats:
        """(rows, links, 2): distance and angle of links from their poses."""
        if not self.targets.links:
            return np.zeros((len(q), 0, 2))
        kernel = compiled(self.robot, "pose_errors", (("links", self.targets.links),))
        found: Floats = kernel(q, self.targets.poses, self.targets.weights)
        return found
