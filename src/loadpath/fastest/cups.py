"""Cups: open vessels on links, whose contents must not spill.

What lies in a vessel feels the acceleration of the place less gravity, f = a - g. A surface that has time to follow is
at right angles to it, so contents stay in as long as f stays within an angle about the axis of the vessel: a friction
cone with the tangent of that angle. Sloshing is not in this.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from loadpath.errors import ModelWarning
from loadpath.fastest.cones import Cone, FrictionCone
from loadpath.fastest.demands import known_sum
from loadpath.fastest.limits import Limits, Name
from loadpath.fastest.loads import Model
from loadpath.robot.edit import with_payload
from loadpath.robot.numbers import known, number, vector3

FEELER = "felt"
"""The link that is there for its acceleration."""


@dataclass(frozen=True)
class Cup:
    """An open vessel on a link: what is felt in it, acceleration less gravity, may tilt by `angle` (rad) against its
    `axis`, the direction in the link's frame that is up while it stands; `at` (m, in that frame) is where. For a
    liquid the angle is that at which its surface reaches the brim, atan(2 * freeboard / diameter).

    >>> Cup(angle=0.3).axis
    (0.0, 0.0, 1.0)
    """

    angle: float
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    at: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        angle = number(self.angle, "angle of a Cup")
        if not 0 < angle < math.pi / 2:
            raise ValueError(f"angle of a Cup is {self.angle}: expected radians between 0 and pi/2")
        object.__setattr__(self, "angle", angle)
        object.__setattr__(self, "axis", FrictionCone(self.axis, 1.0).axis)
        object.__setattr__(self, "at", vector3(self.at, "at of a Cup"))


def limits_of_cups(model: Model, given: Any, share: float, suffix: str) -> list[Limits]:
    """Of cups by their links: the wrench of a joint that carries one kilogram there, and nothing else."""
    if given is None or given is False:
        return []
    if not isinstance(given, Mapping) or not all(isinstance(each, Cup) for each in given.values()):
        raise ValueError(f"spill is {given!r}: expected a dict from links to lp.Cup, like "
                         "{'tool': lp.Cup(angle=0.3)}")
    robot = model.robot
    weight = float(np.linalg.norm(robot.gravity))
    found: list[Limits] = []
    for link, cup in given.items():
        known(link, robot.link_names, "link")
        if not weight > 0:
            raise ValueError(f"spill of '{link}': without gravity nothing stays in a cup")
        most = share * cup.angle
        cone = FrictionCone(cup.axis, math.tan(min(most, 0.999 * math.pi / 2)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelWarning)  # of its mass
            feeling = with_payload(robot, 1.0, cup.at, link=link, name=FEELER)
        joint = len(feeling.joint_names) - 1
        name = Name("spill", link + suffix, most, "rad")
        found.append(Cone.of_joint(Model(feeling), joint, name, known_sum(cone.demand), 0.0, cone.friction * weight))
    return found

