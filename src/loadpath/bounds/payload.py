"""A payload whose mass and mass center range over a box, too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.bounds.asked import Asked
from loadpath.bounds.box import Box
from loadpath.bounds.expansion import second_degree
from loadpath.bounds.powers import Monomials
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.quantities.table import RobotQuantities

NAMES = ("payload", "payload x", "payload y", "payload z")
"""Of the last four entries of a state: mass (kg), and its center (m)."""


@dataclass(frozen=True, eq=False)
class Carrying:
    """A robot with a point mass whose mass and place are the last four entries of a state.

    With all else fixed a load is its mass times a polynomial of second degree of where it is, beside what the robot
    carries without: masses at ten places, or at one where the place is fixed, give it for all.
    """

    robot: RobotQuantities
    low: Floats
    """(4,)"""
    high: Floats
    link: str | None

    @classmethod
    def of(cls, robot: RobotQuantities, box: Box) -> Carrying | None:
        """What a box says of the payload; None where it says nothing."""
        ends = box.payload_ends()
        if ends is None:
            return None
        one = cls(robot, ends[:, 0], ends[:, 1], box.payload_link)
        loaded = one.loaded(1.0, ends[1:, 0])  # asked once where it hangs
        added = next(name for name in loaded.joint_names if name not in robot.joint_names)
        return replace(one, link=loaded.joint(added).parent)

    def with_ends(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """Ends of a box, and those of the payload after them."""
        return np.concatenate([low, self.low]), np.concatenate([high, self.high])

    def loaded(self, mass: float, center: Floats) -> RobotQuantities:
        """The robot with one payload."""
        taken = {*self.robot.link_names, *(name.removesuffix("_joint") for name in self.robot.joint_names)}
        name = next(name for name in ("payload", *(f"payload{k}" for k in range(2, 1000))) if name not in taken)
        x, y, z = center.tolist()
        whole: Any = self.robot
        found: RobotQuantities = whole.with_payload(mass, (x, y, z), link=self.link, name=name)
        return found

    def robot_of(self, state: Floats) -> RobotQuantities:
        """The robot with the payload of a state."""
        return self.loaded(float(state[-4]), state[-3:])

    def asked(self, of: Callable[[RobotQuantities], Asked]) -> Asked:
        """What is asked for, with the payload among the entries of its states."""
        free = of(self.robot)
        moved = [k for k in range(3) if self.high[1 + k] > self.low[1 + k]]
        places = second_degree(moved)
        middle = (self.low[1:] + self.high[1:]) / 2
        reach = float((self.high[1:] - self.low[1:]).max()) / 2 or 1.0
        each = []
        for node in places.nodes:
            center = middle.copy()
            for k, x in node.items():
                center[k] += reach * x
            each.append(of(self.loaded(1.0, center)))
        exponents = np.zeros((len(places.terms), 3), dtype=int)
        weights = np.zeros((len(places.terms), len(each)))
        for p, (degrees, of_nodes) in enumerate(places.terms):
            exponents[p, list(degrees)] = list(degrees.values())
            weights[p, list(of_nodes)] = list(of_nodes.values())
        monomials = Monomials(exponents)

        def parts(states: Floats) -> Floats:
            mass, center = states[:, -4], states[:, -3:]
            share = monomials((center - middle) / reach)[0] @ weights  # (b, nodes)
            motion = states[:, :-4]
            without = free.parts(motion)
            total = without.copy()
            for k, one in enumerate(each):
                total += (mass * share[:, k])[:, None] * (one.parts(motion) - without)
            return total

        first = len(free.variables.names)
        variables = replace(free.variables, names=(*free.variables.names, *NAMES), mass=first,
                            center=tuple(first + 1 + k for k in moved))
        return replace(free, parts=parts, variables=variables, equations=None,
                       size=lambda states: each[0].size(states[:, :-4]))
