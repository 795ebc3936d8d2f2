"""What loops, couplings and passive joints bring to a robot, a line each, and how it gets them."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from loadpath.api.closed_refused import ClosedRefusals
from loadpath.errors import ModelError
from loadpath.in_room import InRoom, function_in_room
from loadpath.quantities.closed import ClosedQuantities
from loadpath.robot.joints import JointType, Revolute
from loadpath.robot.loops import Coupling, Loop
from loadpath.robot.numbers import number
from loadpath.robot.pose import Pose, pose_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from loadpath.api.robot import Robot
    from loadpath.kinematics.closed import assembly, completion, inverse, loop_positions, mobility, motions, singular
    from loadpath.loads import preload as closed_preload
    from loadpath.scalars.types import Floats

refuse_apart = function_in_room("loadpath.closure.freedoms", "refuse_apart")


class WithLoops(ClosedRefusals, ClosedQuantities):
    """Assembly, completion, freedoms and dead points, forces of redundant drives, the motion in time."""

    if TYPE_CHECKING:
        assemble = assembly.assemble
        inverse_kinematics = inverse.inverse_kinematics
        loop_positions = loop_positions.loop_positions
        motion = motions.motion
        complete = completion.complete
        mobility_report = mobility.mobility_report
        singularities = singular.singularities
        preload_for = closed_preload.preload_for
    else:
        assemble = InRoom("loadpath.kinematics.closed.assembly")
        inverse_kinematics = InRoom("loadpath.kinematics.closed.inverse")
        loop_positions = InRoom("loadpath.kinematics.closed.loop_positions")
        motion = InRoom("loadpath.kinematics.closed.motions")
        complete = InRoom("loadpath.kinematics.closed.completion")
        mobility_report = InRoom("loadpath.kinematics.closed.mobility")
        singularities = InRoom("loadpath.kinematics.closed.singular")
        preload_for = InRoom("loadpath.loads.preload")


def configuration(robot: Robot, q: ArrayLike, what: str) -> Floats:
    """One configuration, as numbers."""
    try:
        start = np.asarray(q, dtype=float)
    except (TypeError, ValueError):
        raise ModelError(f"{what}: q is {q!r}: expected {robot.nq} numbers") from None
    if start.shape != (robot.nq,):
        raise ModelError(f"{what}: q has the shape {start.shape}: expected ({robot.nq},), one configuration of robot "
                         f"'{robot.name}'")
    for name, value in zip(robot.coordinate_names, start, strict=False):
        number(float(value), f"{what}: q of '{name}'")
    return start


def with_loop(
    robot: Robot,
    name: str,
    first: str,
    second: str,
    *,
    motion: JointType | None = None,
    at: Pose | ArrayLike | None = None,
    on: Pose | ArrayLike | None = None,
    q: ArrayLike | None = None,
) -> Robot:
    """The robot with one more loop, closed by a joint between two of its links. Without `on` the second frame is where
    the first one is at `q` (or at the start of the robot); with both, they meet at `q`, but for rounding.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(3)
    >>> bar = arm.with_loop("pin", "base", "link3", at=(1.0, 0, 0), on=(1.0, 0, 0), motion=lp.Revolute((0, 0, 1)))
    """
    start = np.array(robot.near or robot.neutral()) if q is None else configuration(robot, q, f"loop '{name}'")
    pose_at = Pose() if at is None else pose_of(at, f"frame 'at' of loop '{name}'")
    if on is None:
        poses = dict(zip(robot.link_names, robot.link_poses(start), strict=True))
        both = np.linalg.inv(poses[robot.link(second).name]) @ poses[robot.link(first).name]
        on = Pose.from_matrix(both) @ pose_at
    loop = Loop(name, first, second, motion or Revolute(), pose_at, pose_of(on, f"frame 'on' of loop '{name}'"))
    closed = replace(robot, loops=(*robot.loops, loop), near=robot.near if q is None else tuple(start.tolist()))
    if q is not None:
        refuse_apart(closed, len(closed.loops) - 1, start)
    return closed


def with_coupling(
    robot: Robot, ratios: Mapping[str, float], *, name: str | None = None, offset: float = 0.0
) -> Robot:
    """The robot with a fixed ratio between speeds: the sum of ratios times speeds is zero."""
    numbered = (f"coupling{k}" for k in itertools.count(len(robot.couplings) + 1))
    chosen = name or next(entry for entry in numbered if entry not in robot.closing_names)
    coupling = Coupling(chosen, ratios, offset)  # type: ignore[arg-type]
    return replace(robot, couplings=(*robot.couplings, coupling))
