"""What is shown: a robot or a rover, how it moves and what loads it. The one place that asks which kind it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from loadpath.api.kinds import ClosedFlexibleRobot, FlexibleRobot
from loadpath.cached import cached_property
from loadpath.drawing.skeleton import pins_and_points
from loadpath.mobile.motions import loads_on_robot
from loadpath.mobile.rover import Rover
from loadpath.quantities.carriers import carriers, is_closed
from loadpath.quantities.wrench import Wrench
from loadpath.robot.ends import ends_of
from loadpath.viewer.loads import CauseLoads, ClosedLoads, OpenLoads
from loadpath.viewer.moving import ClosedMoving, Moving, OpenMoving
from loadpath.viewer.skeletons import Ends, ends_of_carrier
from loadpath.viewer.state import BaseMotion, Frame, Loads, State

if TYPE_CHECKING:
    from loadpath.api.kinds import ClosedRobot
    from loadpath.api.robot import Robot
    from loadpath.scalars.types import Floats


@dataclass(frozen=True, eq=False)
class Subject:
    """A robot, or the robots on a rover."""

    robot: Robot
    rover: Rover | None
    arm: FlexibleRobot | None
    """The robot, if it has beams or compliant joints and no loops."""
    closed_arm: ClosedFlexibleRobot | None
    """The robot, if it has both."""
    moving: Moving
    loads: CauseLoads
    size: float
    """m, the largest extent in its home."""
    ends: tuple[str, ...]
    """Links that nothing hangs on: what the gizmo, the payload and the trail may be on."""

    @property
    def name(self) -> str:
        """As the user calls it."""
        return self.robot.name if self.rover is None else self.rover.name

    def at(self, q: Floats) -> State:
        """At rest in a pose."""
        still = np.zeros(self.robot.n)
        return State(np.array(q, dtype=float), still, still)

    def frame(self, state: State, clock: float = 0.0, plays: bool = False) -> Frame:
        """All that is computed of one instant. A state without numbers, or at a dead point, has no loads."""
        poses = np.asarray(self.robot.link_poses(state.q), dtype=float)
        joints = poses[self._seconds] @ self._frames
        try:
            loads = self.loads.of(state, self.case(state.base))
        except ValueError:  # a dead point of a closed chain
            return Frame(state, poses, joints, None, {}, clock, plays)
        if not all(np.isfinite(part).all() for part in loads.by_cause.values()):
            return Frame(state, poses, joints, None, {}, clock, plays)
        return Frame(state, poses, joints, loads, self._acting(state, poses, loads), clock, plays)

    def _acting(self, state: State, poses: Floats, loads: Loads) -> Mapping[str, Wrench]:
        """All that acts on links from outside, the payload as the force that it exerts."""
        found = state.wrenches

        def add(link: str, force: Floats) -> None:
            found[link] = found[link] + Wrench(force) if link in found else Wrench(force)

        if state.payload is not None and loads.of_payload is not None:
            turn = poses[self.robot.link_names.index(state.payload.link), :3, :3]
            add(state.payload.link, turn @ loads.of_payload)
        if state.pull is not None and state.pull.force.any():
            add(state.pull.link, state.pull.force)
        return found

    def case(self, base: BaseMotion) -> Mapping[str, Floats]:
        """What a moving base does to the robot on it; empty while it stands on level ground."""
        if self.rover is None or not (self.rover.ground.slope or base.velocity.any() or base.acceleration.any()):
            return {}
        heading = float(base.pose[2]) if self.rover.ground.slope else None
        given: dict[str, Any] = {"velocity": base.velocity, "acceleration": base.acceleration, "heading": heading}
        found = loads_on_robot(self.rover, given)
        return {name: value for name, value in found.items() if value is not None}

    @cached_property
    def _ends(self) -> list[Ends]:
        return [ends_of_carrier(carrier) for carrier in carriers(self.robot)]

    @cached_property
    def _seconds(self) -> list[int]:
        return [self.robot.link_names.index(ends.second) for ends in self._ends]

    @cached_property
    def _frames(self) -> Floats:
        """(joints, 4, 4): of the joints, on their second links."""
        return np.array([ends.on.matrix for ends in self._ends], dtype=float).reshape(-1, 4, 4)


def subject_of(thing: Robot | Rover) -> Subject:
    """The subject of a robot or rover.

    >>> import loadpath as lp
    >>> subject = subject_of(lp.catalog.planar(2))
    >>> subject.ends, round(subject.size, 6)
    (('tip',), 2.0)
    """
    rover = thing if isinstance(thing, Rover) else None
    robot: Robot = thing.robot if isinstance(thing, Rover) else thing
    closed = is_closed(robot)
    at = cast("ClosedRobot", robot).home if closed else robot.neutral()
    size = _size(robot, at, rover)
    moving: Moving = ClosedMoving(cast("ClosedRobot", robot), size) if closed else OpenMoving(robot, size)
    loads: CauseLoads = ClosedLoads(cast("ClosedRobot", robot)) if closed else OpenLoads(robot)
    arm = robot if isinstance(robot, FlexibleRobot) else None
    closed_arm = robot if isinstance(robot, ClosedFlexibleRobot) else None
    return Subject(robot, rover, arm, closed_arm, moving, loads, size, ends_of(robot))


def _size(robot: Robot, q: Floats, rover: Rover | None) -> float:
    poses = np.asarray(robot.link_poses(q), dtype=float)
    named = dict(zip(robot.link_names, poses, strict=True))
    _, points = pins_and_points(robot, named, np.zeros((len(carriers(robot)), 3)))
    every = [poses[:, :3, 3], *(np.array(found).reshape(-1, 3) for found in points.values())]
    if rover is not None:
        every.append(np.pad(np.array([wheel.position for wheel in rover.base.wheels], dtype=float), ((0, 0), (0, 1))))
    return float(np.ptp(np.concatenate(every), axis=0).max(initial=0.0)) or 1.0


def stopped(state: State, q: Floats) -> State:
    """A state at rest elsewhere, under the same loads."""
    still = np.zeros_like(state.qd)
    return replace(state, q=q, qd=still, qdd=still, time=None, external=None)
