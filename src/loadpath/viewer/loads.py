"""What every joint carries by cause, in well under a millisecond: the causes are differences of wrenches of one
compiled call, not a kernel of their own, which takes seconds to compile.

Wrenches are linear in gravity, accelerations and external forces, and quadratic in the speeds. So, for q:

| cause | wrench at | less that at |
|---|---|---|
| gravity | rest | |
| inertial | the accelerations alone | rest |
| centrifugal | each speed alone, summed | rest, each time |
| Coriolis | all speeds | rest, and centrifugal |
| payload | 1 kg more, times the mass | as it is |
| base, external, pull | with it | without |

`robot.load_breakdown` has the same sums, each for every link and joint that causes it. Springs pull at rest, with
gravity.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.quantities.wrench import JointWrenches, Wrench
from loadpath.viewer.state import Loads, State

if TYPE_CHECKING:
    from loadpath.api.kinds import ClosedRobot
    from loadpath.api.robot import Robot
    from loadpath.scalars.types import Floats

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

    def of(self, state: State, case: Mapping[str, Floats]) -> Loads:
        """The loads of a state; `case` has `base_velocity` and `base_acceleration` of a base that moves."""
        by_cause = self._of_motion(state)
        q, qd, qdd = state.q, state.qd, state.qdd
        tau = np.array(self.robot.inverse_dynamics(q, qd, qdd, **case), dtype=float)
        so_far = np.asarray(sum(by_cause.values()))
        if case:
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
    def _of_motion(self, state: State) -> dict[str, Floats]:
        """What gravity and the motion of the joints cause."""


class OpenLoads(CauseLoads):
    """Of a tree of joints."""

    def _of_motion(self, state: State) -> dict[str, Floats]:
        robot, qd, qdd = self.robot, state.qd, state.qdd
        if not state.moves:
            return {"gravity": six(robot.joint_wrenches(state.q, qd, qdd))}
        moving = np.flatnonzero(qd)
        rates = np.zeros((3 + len(moving), robot.n))
        rates[2] = qd
        rates[np.arange(3, len(rates)), moving] = qd[moving]
        changes = np.zeros_like(rates)
        changes[1] = qdd
        return _by_cause(six(robot.joint_wrenches(state.q, rates, changes)))


class ClosedLoads(CauseLoads):
    """Of a robot with loops: in place of joints, its independent drives, each with all that it moves."""

    robot: ClosedRobot

    def __init__(self, robot: ClosedRobot) -> None:
        super().__init__(robot)
        self.smooth = robot.without_friction()

    def _of_motion(self, state: State) -> dict[str, Floats]:
        robot, q = self.robot, state.q
        if not state.moves:
            return {"gravity": six(robot.joint_wrenches(q, state.qd, state.qdd))}
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
        found = _by_cause(six(self.smooth.joint_wrenches(q, qd, qdd)))
        rubbing = six(robot.joint_wrenches(q, state.qd, state.qdd)) - np.asarray(sum(found.values()))
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
