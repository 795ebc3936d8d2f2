"""A robot and how its loops let it move: a configuration in which they are closed, and which speeds are free in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from loadpath.cached import cached_property
from loadpath.engine.purpose import purpose
from loadpath.in_room import function_in_room
from loadpath.robot.mechanism import Split
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.closure.freedoms import closed_configuration, split_of
else:  # imported with the first robot that has loops
    closed_configuration = function_in_room("loadpath.closure.freedoms", "closed_configuration")
    split_of = function_in_room("loadpath.closure.freedoms", "split_of")


@dataclass(frozen=True, eq=False, repr=False)  # frozen for attributes that are no fields, too
class ClosableRobot(RobotModel):
    """A robot whose loops, if it has any, are closed."""

    _purpose = "Its freedoms"

    @cached_property
    def _home(self) -> Floats:
        start = np.array(self.near) if self.near else self.neutral()
        return closed_configuration(self, start) if self.held_by_loops else start

    @property
    def home(self) -> Floats:
        """A configuration, (nq,), in which its loops are closed: the one found from `near`; of a tree, the unmoved."""
        return self._home.copy()

    @cached_property
    def split(self) -> Split:
        """Which speeds are driven, independent and dependent, by number."""
        if not self.held_by_loops:
            return Split.of_tree(self.n)
        return split_of(self, tuple(self.dof_names.index(dof) for dof in self.drives))

    @property
    def mobility(self) -> int:
        """How many freedoms there really are: speeds less the rank of what the loops hold."""
        return len(self.split.independent)

    @property
    def gruebler(self) -> int:
        """Freedoms by the count of Gruebler and Kutzbach; `mobility_report()` explains the difference to `mobility`."""
        return self.n - self._rows

    @property
    def _rows(self) -> int:
        return sum(loop.rows for loop in self.loops) + len(self.couplings)

    @property
    def driven(self) -> tuple[str, ...]:
        """Names of the speeds that have a drive."""
        return tuple(self.dof_names[k] for k in self.split.driven)

    @property
    def passive(self) -> tuple[str, ...]:
        """Names of the speeds without a drive."""
        return tuple(name for k, name in enumerate(self.dof_names) if k not in self.split.driven)

    @property
    def independent(self) -> tuple[str, ...]:
        """Names of the speeds that determine all others."""
        return tuple(self.dof_names[k] for k in self.split.independent)

    @cached_property
    @purpose("What it consists of")
    def sizes(self) -> Mapping[str, int]:
        """What the letters in signatures of compiled quantities stand for; with loops, in addition to a tree's: `w` all
        joints, `m` held directions, `f` freedoms, `k` loops.
        """
        if not self.held_by_loops:
            return super().sizes
        closed = {"w": len(self.closed_joint_names), "m": self._rows, "f": self.mobility, "k": len(self.loops)}
        return {**super().sizes, **closed}
