"""Robots welded on a base: one robot whose root link is the base."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from loadpath.api import Robot
from loadpath.api.kinds import ClosedRobot
from loadpath.errors import warn
from loadpath.robot.beams.beam import Beam
from loadpath.robot.joints import Fixed, Planar
from loadpath.robot.loops import Coupling, Loop
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Joint, Link
from loadpath.robot.pose import Pose, PoseLike, pose_of
from loadpath.robot.tree import model_warnings
from loadpath.robot.wheels.base import BaseModel, ask_about_mount
from loadpath.robot.wheels.ground import Ground


def mounted(
    base: BaseModel, robot: RobotModel | None, at: PoseLike | None, prefix: str | None, ground: Ground
) -> Robot:
    """The base with a robot on it, as one robot."""
    gravity = (0.0, 0.0, -ground.gravity)
    root = Robot(base.name, (Link(base.name, base.body),), (), gravity)
    if robot is None:
        if at is not None or prefix is not None:
            raise ValueError("a pose or prefix was given, but no robot to mount")
        return root
    return welded(base, root, robot, at, prefix, ground)


def welded(
    base: BaseModel, root: Robot, robot: RobotModel, at: PoseLike | None, prefix: str | None, ground: Ground
) -> Robot:
    """A robot welded to the base, the root link of another, with the beams and compliant joints of both."""
    if not isinstance(robot, RobotModel) or robot.on_wheels:
        raise ValueError(f"a base can carry robots: {robot!r} is none")
    pose = _pose(at)
    if not base.on_links:
        ask_about_mount(base.name, base.positions, robot.name, pose.translation)
    _compare_gravity(robot, pose, ground)
    prefix = _prefix(root, robot, prefix)
    links, joints = _renamed(robot, prefix)
    weld = Joint(f"{links[0].name}_mount", root.base.name, links[0].name, Fixed(), pose)
    attached: dict[str, Any] = {
        "links": (*root.links, *links),
        "joints": (*root.joints, weld, *joints),
        # What is said about a robot was said when it was made: its other name is no reason to say it again.
        "known_faults": root.known_faults | robot.known_faults | frozenset(model_warnings(links, joints)),
        "guessed_masses": (*root.guessed_masses, *(prefix + link for link in robot.guessed_masses)),
        "parts": (*root.parts, *((prefix + joint, part) for joint, part in robot.parts)),
        "beams": (*root.beams, *((prefix + link, _beam(beam, prefix)) for link, beam in robot.beams)),
        "joint_compliances": (
            *root.joint_compliances,
            *((prefix + joint, soft) for joint, soft in robot.joint_compliances),
        ),
        "guides": (*root.guides, *((prefix + joint, guide) for joint, guide in robot.guides)),
    }
    return replace(root, **attached, **_loops(root, robot, prefix))


def _loops(root: Robot, robot: RobotModel, prefix: str) -> dict[str, Any]:
    """Loops, couplings, drives and a closed configuration of two robots together."""
    if not (root.held_by_loops or robot.held_by_loops):
        return {}
    loops: list[Loop] = [*root.loops]
    couplings: list[Coupling] = [*root.couplings]
    loops += [replace(loop, name=prefix + loop.name, first=prefix + loop.first, second=prefix + loop.second)
              for loop in robot.loops]
    couplings += [replace(coupling, name=prefix + coupling.name,
                          ratios=tuple((prefix + dof, factor) for dof, factor in coupling.ratios))
                  for coupling in robot.couplings]
    drives: list[str] = []
    near: list[float] = []
    for part, start in ((root, ""), (robot, prefix)):
        drives += [start + dof for dof in (part.driven if isinstance(part, ClosedRobot) else part.dof_names)]
        near += (part.home if isinstance(part, ClosedRobot) else part.neutral()).tolist()
    return {"loops": tuple(loops), "couplings": tuple(couplings), "drives": tuple(drives), "near": tuple(near)}


def _compare_gravity(robot: RobotModel, mount: Pose, ground: Ground) -> None:
    """Warn of a robot that has a gravity of its own, other than that of the ground."""
    strength = math.hypot(*robot.gravity)
    if abs(strength - ground.gravity) > 1e-2 * max(strength, ground.gravity):
        warn(f"robot '{robot.name}' has a gravity of {strength:.4g} m/s^2, the ground of {ground.gravity:.4g}: on a "
             "rover that of the ground counts")
        return
    own, down = np.array(robot.gravity), np.array([0.0, 0.0, -strength])
    here = np.array(mount.rotation).T @ down
    # Straight down in its own axes is the gravity of a robot whose mounting was never given.
    if not np.allclose(own, down, atol=1e-2 * strength) and not np.allclose(own, here, atol=1e-2 * strength):
        words = ["(" + ", ".join(f"{x:.4g}" for x in (vector + 0.0).tolist()) + ")" for vector in (own, here)]
        warn(f"robot '{robot.name}' has a gravity of {words[0]} m/s^2 in the axes of its base, and {words[1]} as it is "
             "mounted, on level ground: on a rover that of the ground counts; does 'at' turn the robot as it hangs?"
             )


def _beam(beam: Beam, prefix: str) -> Beam:
    return replace(beam, end=prefix + beam.end) if prefix and isinstance(beam.end, str) else beam


def _pose(at: PoseLike | None) -> Pose:
    return Pose() if at is None else pose_of(at, "at")


def _prefix(root: Robot, robot: RobotModel, prefix: str | None) -> str:
    taken = {*root.link_names, *root.joint_names}
    names = {*robot.link_names, *robot.joint_names, f"{robot.base.name}_mount"}
    if prefix is not None:
        if not isinstance(prefix, str):
            raise ValueError(f"prefix is {prefix!r}: expected text that goes before the names of robot '{robot.name}'")
        twice = sorted({prefix + entry for entry in names} & taken)
        if twice:
            raise ValueError(f"'{twice[0]}' is on the base already: give robot '{robot.name}' another prefix")
        return prefix
    tries = ["", f"{robot.name}_", *(f"{robot.name}{k}_" for k in range(2, len(taken) + 3))]
    return next(p for p in tries if not {p + entry for entry in names} & taken)


def _renamed(robot: RobotModel, prefix: str) -> tuple[Sequence[Link], Sequence[Joint]]:
    if not prefix:
        return robot.links, robot.joints
    links = tuple(replace(link, name=prefix + link.name) for link in robot.links)
    joints = tuple(
        replace(
            j,
            name=prefix + j.name,
            parent=prefix + j.parent,
            child=prefix + j.child,
            mimic=None if j.mimic is None else replace(j.mimic, joint=prefix + j.mimic.joint),
        )
        for j in robot.joints
    )
    return links, joints


def on_planar_joint(robot: Robot, ground: Ground, name: str = "ground") -> Robot:
    """The rover's robot on a joint that lets its base move on the ground: three more degrees of freedom in front,
    x, y (in the frame of the ground, x uphill) and the heading.
    """
    while name in robot.link_names or f"{name}_joint" in robot.joint_names:
        name += "_"
    joint = Joint(f"{name}_joint", name, robot.base.name, Planar())
    gravity = tuple(ground.gravity_in_base(0.0).tolist())
    values: dict[str, Any] = {"links": (Link(name), *robot.links), "joints": (joint, *robot.joints), "gravity": gravity}
    if isinstance(robot, ClosedRobot):  # the speeds of the base come first, and have forces as all others
        new = [f"{joint.name}.{label}" for label in joint.motion.labels]
        values |= {"near": (*joint.motion.neutral(), *robot.home.tolist()), "drives": (*new, *robot.driven)}
    return replace(robot, **values)
