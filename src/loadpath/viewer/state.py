"""What a picture is of: one instant of a robot, and what is computed for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from loadpath.quantities.wrench import Wrench
from loadpath.scalars.types import Floats


@dataclass(frozen=True)
class Pull:
    """A force on the origin of a link, world axes (N)."""

    link: str
    force: Floats


@dataclass(frozen=True)
class Load:
    """A mass (kg) at the origin of a link."""

    link: str
    mass: float


@dataclass(frozen=True)
class BaseMotion:
    """How a rover's base moves: (v_x, v_y, w) and their rates, in its own axes; where it is, (x, y, heading)."""

    velocity: Floats = field(default_factory=lambda: np.zeros(3))
    acceleration: Floats = field(default_factory=lambda: np.zeros(3))
    pose: Floats = field(default_factory=lambda: np.zeros(3))


@dataclass(frozen=True)
class State:
    """One instant: coordinates, speeds, accelerations, and what loads the robot besides."""

    q: Floats
    qd: Floats
    qdd: Floats
    time: float | None = None
    """s, in a motion."""
    payload: Load | None = None
    pull: Pull | None = None
    external: Mapping[str, Wrench] | None = None
    """Wrenches that the motion brings: of a simulation, and of loads that it picks up."""
    always: Mapping[str, Wrench] | None = None
    """Wrenches that act in every state."""
    base: BaseMotion = field(default_factory=BaseMotion)

    @property
    def wrenches(self) -> dict[str, Wrench]:
        """All wrenches from outside, but for payload and pull."""
        found = dict(self.always or {})
        for link, wrench in (self.external or {}).items():
            found[link] = found[link] + wrench if link in found else wrench
        return found

    @property
    def moves(self) -> bool:
        """Whether anything but gravity, payload and pull makes loads."""
        return bool(self.qd.any() or self.qdd.any())


@dataclass(frozen=True)
class Loads:
    """What every joint carries, by cause."""

    by_cause: Mapping[str, Floats]
    """(joints, 6) each: force and torque by the parent on the child, at the joint's origin, in the child's joint frame,
    as `robot.joint_wrenches` has them. They sum to its total."""
    tau: Floats
    """(n,): forces and torques of the drives, friction and rotors included."""
    of_payload: Floats | None = None
    """(3,), N: what the payload exerts on its link, in the axes of the link."""

    @property
    def total(self) -> Floats:
        """(joints, 6)."""
        return np.asarray(sum(self.by_cause.values()))


@dataclass(frozen=True)
class Frame:
    """All that is drawn of one instant."""

    state: State
    poses: Floats
    """(links, 4, 4): of the links, in the robot's world."""
    joints: Floats
    """(joints, 4, 4): of the children's joint frames; of loops those on their second links."""
    loads: Loads | None
    """None where they are not known, as at a dead point."""
    acting: Mapping[str, Wrench]
    """Payload, pull and the wrenches of the motion, on their links, in world axes: for what takes them as external."""
    clock: float = 0.0
    """s, for what moves by itself."""
    plays: bool = False
    """Whether others follow at once, so that what people read need not be written anew in each."""
