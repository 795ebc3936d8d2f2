"""What is shown: a robot or a rover, how it moves and what loads it. The one place that asks which kind it is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from loadpath.api.kinds import ClosedFlexibleRobot, FlexibleRobot
from loadpath.cached import cached_property
from loadpath.drawing.skeleton import pins_and_points
from loadpath.drawing.surfaces import Ends, ends_of_carrier
from loadpath.errors import warn
from loadpath.mobile.motions import loads_on_robot
from loadpath.mobile.rover import Rover
from loadpath.quantities.carriers import carriers, is_closed
from loadpath.quantities.wrench import JointWrenches, Wrench
from loadpath.robot.ends import ends_of
from loadpath.viewer.moving import ClosedMoving, Moving, OpenMoving
from loadpath.viewer.stage import BaseMotion, Frame, Loads, State

if TYPE_CHECKING:
    from loadpath.api.kinds import ClosedRobot
    from loadpath.api.robot import Robot
    from loadpath.scalars.types import Floats


# What every joint carries by cause, in well under a millisecond: the causes are differences of wrenches of one
# compiled call, not a kernel of their own, which takes seconds to compile.
#
# Wrenches are linear in gravity, accelerations and external forces, and quadratic in the speeds. So, for q:
#
# | cause | wrench at | less that at |
# |---|---|---|
# | gravity | rest | |
# | inertial | the accelerations alone | rest |
# | centrifugal | each speed alone, summed | rest, each time |
# | Coriolis | all speeds | rest, and centrifugal |
# | payload | 1 kg more, times the mass | as it is |
# | base, external, pull | with it | without |
#
# `robot.load_breakdown` has the same sums, each for every link and joint that causes it. Springs pull at rest, with
# gravity.


CAUSES = ("gravity", "inertial", "centrifugal", "coriolis", "friction", "base", "external", "payload", "pull")
"""In the order in which they are shown."""


def six(wrenches: JointWrenches) -> Floats:
    """(..., joints, 6)."""
    return np.concatenate([np.asarray(wrenches.force), np.asarray(wrenches.torque)], axis=-1)


class CauseLoads(ABC):
    """Loads of a robot by cause."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.heavier = lru_cache(maxsize=8)(self._heavier)

    def of(self, state: State, case: Mapping[str, Any]) -> Loads:
        """The loads of a state; `case` has `base_velocity` and `base_acceleration` of a base that moves, and gravity as
        it acts on a slope.
        """
        weight = {name: part for name, part in case.items() if name == "gravity"}
        by_cause = self._of_motion(state, weight)
        q, qd, qdd = state.q, state.qd, state.qdd
        tau = np.array(self.robot.inverse_dynamics(q, qd, qdd, **case), dtype=float)
        so_far = np.asarray(sum(by_cause.values()))
        if case.keys() - weight.keys():
            with_base = six(self.robot.joint_wrenches(q, qd, qdd, **case))
            by_cause["base"] = with_base - so_far
            so_far = with_base
        own_tau, on_link = tau, None
        if state.wrenches:
            acting: Any = {"external": state.wrenches, **case}
            by_cause["external"] = six(self.robot.joint_wrenches(q, qd, qdd, **acting)) - so_far
            tau = tau + np.asarray(self.robot.inverse_dynamics(q, qd, qdd, **acting)) - own_tau
        if state.payload is not None and state.payload.mass > 0:
            robot, rows, own = self.heavier(state.payload.link)
            wrenches = six(robot.joint_wrenches(q, qd, qdd, **case))
            by_cause["payload"] = state.payload.mass * (wrenches[rows] - so_far)
            on_link = -state.payload.mass * wrenches[own, :3]
            tau = tau + state.payload.mass * (np.asarray(robot.inverse_dynamics(q, qd, qdd, **case)) - own_tau)
        if state.pull is not None and state.pull.force.any():
            pulled: Any = {"external": {state.pull.link: Wrench(state.pull.force)}, **case}
            by_cause["pull"] = six(self.robot.joint_wrenches(q, qd, qdd, **pulled)) - so_far
            tau = tau + np.asarray(self.robot.inverse_dynamics(q, qd, qdd, **pulled)) - own_tau
        return Loads(by_cause, tau, on_link)

    def _heavier(self, link: str) -> tuple[Robot, list[int], int]:
        """The robot with a mass of 1 kg at the origin of a link, which of its joints are those of this one, and which
        holds the mass.
        """
        name = _unused("payload", (*self.robot.link_names, *self.robot.closed_joint_names))
        robot = self.robot.with_payload(1.0, link=link, name=name)
        names = robot.closed_joint_names
        holds = next(joint.name for joint in robot.joints if joint.child == name)
        return robot, [names.index(joint) for joint in self.robot.closed_joint_names], names.index(holds)

    @abstractmethod
    def _of_motion(self, state: State, weight: Mapping[str, Any]) -> dict[str, Floats]:
        """What gravity and the motion of the joints cause."""


class OpenLoads(CauseLoads):
    """Of a tree of joints."""

    def _of_motion(self, state: State, weight: Mapping[str, Any]) -> dict[str, Floats]:
        robot, qd, qdd = self.robot, state.qd, state.qdd
        if not state.moves:
            return {"gravity": six(robot.joint_wrenches(state.q, qd, qdd, **weight))}
        moving = np.flatnonzero(qd)
        rates = np.zeros((3 + len(moving), robot.n))
        rates[2] = qd
        rates[np.arange(3, len(rates)), moving] = qd[moving]
        changes = np.zeros_like(rates)
        changes[1] = qdd
        return _by_cause(six(robot.joint_wrenches(state.q, rates, changes, **weight)))


class ClosedLoads(CauseLoads):
    """Of a robot with loops: in place of joints, its independent drives, each with all that it moves."""

    robot: ClosedRobot

    def __init__(self, robot: ClosedRobot) -> None:
        super().__init__(robot)
        self.smooth = robot.without_friction()

    def _of_motion(self, state: State, weight: Mapping[str, Any]) -> dict[str, Floats]:
        robot, q = self.robot, state.q
        if not state.moves:
            return {"gravity": six(robot.joint_wrenches(q, state.qd, state.qdd, **weight))}
        free = list(robot.split.independent)
        count = len(free)
        speeds, rates = np.zeros((3 + count, count)), np.zeros((3 + count, count))
        speeds[2], rates[1] = state.qd[free], state.qdd[free]
        speeds[np.arange(3, 3 + count), np.arange(count)] = state.qd[free]
        names = robot.independent
        qd, qdd = robot.complete(
            np.broadcast_to(q, (len(speeds), robot.nq)),
            {name: speeds[:, k] for k, name in enumerate(names)},
            {name: rates[:, k] for k, name in enumerate(names)},
        )
        found = _by_cause(six(self.smooth.joint_wrenches(q, qd, qdd, **weight)))
        rubbing = six(robot.joint_wrenches(q, state.qd, state.qdd, **weight)) - np.asarray(sum(found.values()))
        if self.smooth != robot:
            found["friction"] = rubbing
        return found


def _by_cause(rows: Floats) -> dict[str, Floats]:
    """From wrenches at rest, with accelerations alone, with all speeds, and with each speed alone."""
    rest = rows[0]
    centrifugal = np.asarray((rows[3:] - rest).sum(axis=0))
    return {
        "gravity": rest,
        "inertial": rows[1] - rest,
        "centrifugal": centrifugal,
        "coriolis": rows[2] - rest - centrifugal,
    }


def _unused(name: str, taken: tuple[str, ...]) -> str:
    while name in taken:
        name += "_"
    return name


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
        if base.in_space is not None:
            free = base.in_space.free
            return {"base_velocity": free.velocity[0], "base_acceleration": free.acceleration[0],
                    "gravity": free.gravity[0]}
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
    if isinstance(thing, Rover) and thing.ground.plane is not thing.ground:
        warn(f"view: '{thing.name}' is shown on the plane of its ground, at rest: its surface, patches and motion are "
             "left out")
        thing = thing.on(thing.ground.plane)
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
