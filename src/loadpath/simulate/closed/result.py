"""What the simulation of a closed chain gives back in addition to the motion: the dead points that were passed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from loadpath.scalars.types import Floats
from loadpath.simulate.result import Simulation


class DeadPoint(NamedTuple):
    """A moment at which the geometry lets a joint stand although the mechanism moves, or drives hold it no more.

    >>> import loadpath as lp
    >>> str(lp.DeadPoint(0.25, ("crank_joint",), driven=True))
    "drive 'crank_joint' at 0.25 s"
    """

    time: float
    """s."""
    joints: tuple[str, ...]
    """Names of the speeds that are dead: one, or all drives of a mechanism with several freedoms together."""
    driven: bool
    """Whether the drives are dead: with all of them locked the mechanism can move, and no torque of theirs holds it."""

    def __str__(self) -> str:
        what = "drive" if self.driven else "joint"
        return f"{what} {', '.join(repr(name) for name in self.joints)} at {self.time:.6g} s"


@dataclass(frozen=True, eq=False, repr=False)
class ClosedSimulation(Simulation):
    """A simulated motion of a closed chain. The first axis of every array is that of `times`.

    >>> import loadpath as lp
    >>> swing = lp.catalog.four_bar()
    >>> turn = swing.simulate(swing.home, [0, 0, 0], duration=0.1)
    >>> turn.q.shape, turn.dead_points
    ((11, 3), ())
    """

    dead_points: tuple[DeadPoint, ...] = ()
    """Dead points that were passed: of every joint where there is one freedom, of the drives where there are more."""
    closure: Floats = field(default_factory=lambda: np.empty(0))
    """(times,): largest distance of a loop from closed, m; angles times the size of the robot."""
    bifurcations: tuple[float, ...] = ()
    """Times (s) at which the mechanism could have gone on in more than one way; only with `strict=False`."""
