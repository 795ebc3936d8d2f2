"""Many searches for closed configurations at once: every row walks by itself, by one compiled step.

Rows that have arrived, or that no longer get nearer, leave the batch. Few rows are walked uncompiled, so that a robot
that is only looked at is not compiled for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from loadpath.scalars.types import Bools, Floats

Step: TypeAlias = Callable[[Floats, NDArray[np.intp], Floats | float], tuple[Floats, Floats]]
"""From q (rows, nq), the numbers of the rows and a factor of the damping: the next q, and how far the present q is off.
"""

ROUNDING = 1e-13
"""A row is at its goal when it is off by no more (lengths in units of the robot's size)."""
NEWTON = 1e-8
"""From here the next step of Newton arrives at rounding, unless the configuration is nearly singular."""
PATIENCE, PROGRESS = 8, 0.9
"""A row that within so many steps does not get below this share of its error stops."""
ITERATIONS = 60
SETTLING, MOST_CAUTION, SETTLED = 200, 1e9, 1e-7
"""Steps of rows that cannot arrive towards the nearest there is, largest factor of their damping, and the part by which
a step must get nearer not to be the last."""


@dataclass
class Search:
    """The best q found so far for every row."""

    step: Step
    q: Floats
    """(rows, nq)."""
    error: Floats = field(init=False)
    """(rows,): infinite where nothing was tried yet."""
    iterations: NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        self.error = np.full(len(self.q), np.inf)
        self.iterations = np.zeros(len(self.q), dtype=np.int64)

    def closed(self, tolerance: float) -> Bools:
        """Which rows are at their goals."""
        result: Bools = self.error <= tolerance
        return result

    def walk(self, rows: NDArray[np.intp], q: Floats, *, hasty: bool = True) -> None:
        """Step from q until rows arrive or no longer get nearer; a row may come several times, from several q.

        `hasty` rows take their last step unseen; the caller has to look at them afterwards.
        """
        nearest = np.full(len(rows), np.inf)
        waited = np.zeros(len(rows), dtype=np.int64)
        for count in range(ITERATIONS + 1):
            if not len(rows):
                return
            following, error = self.step(q, rows, 1.0)
            last = error <= (NEWTON if hasty else ROUNDING)
            nearer = error < PROGRESS * nearest
            nearest = np.where(nearer, error, nearest)
            waited = np.where(nearer, 0, waited + 1)
            leaving = last | (waited >= PATIENCE) | (count == ITERATIONS) | ~np.isfinite(error)
            if leaving.any():
                at_goal = last & hasty
                self._keep(
                    rows[leaving],
                    np.where(at_goal[:, None], following, q)[leaving],
                    np.where(at_goal, 0.0, error)[leaving],
                    count,
                )
                going = np.flatnonzero(~leaving)
                following, rows = following[going], rows[going]
                nearest, waited = nearest[going], waited[going]
            q = following

    def settle(self, rows: NDArray[np.intp]) -> None:
        """Bring rows that did not arrive to the nearest there is: steps that lead away are taken back, and shorter."""
        caution = np.ones(len(rows))
        for _ in range(SETTLING):
            if not len(rows):
                return
            following, before = self.step(self.q[rows], rows, caution)
            _, error = self.step(following, rows, caution)
            nearer = error < before
            better = rows[nearer]
            self.q[better], self.error[better] = following[nearer], error[nearer]
            self.iterations[rows] += 1
            going = np.where(nearer, before - error > SETTLED * before, caution < MOST_CAUTION)
            caution = np.where(nearer, np.maximum(caution / 4.0, 1e-3), 6.0 * caution)[going]
            rows = rows[going]

    def look_again(self, rows: NDArray[np.intp], error: Floats) -> NDArray[np.intp]:
        """Put in errors that were computed otherwise; the rows that a step of Newton did not bring to rounding."""
        self.error[rows] = error
        return rows[(error > ROUNDING) & (error < 1e3 * NEWTON)]

    def _keep(self, rows: NDArray[np.intp], q: Floats, error: Floats, count: int) -> None:
        np.add.at(self.iterations, rows, count)
        better = np.flatnonzero(error < self.error[rows])
        better = better[np.argsort(-error[better], kind="stable")]  # of the same row the best comes last, and stays
        self.q[rows[better]], self.error[rows[better]] = q[better], error[better]
