"""The same robot in Pinocchio, if that is installed: what `loadpath bench` is compared with."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

import loadpath as lp
from loadpath.robot.pose import Pose
from loadpath.scalars.types import Floats

SAME_TORQUE = 1e-9
"""Torques of both may differ by so much, relatively: else it is not the same robot that is timed."""


class Twin(NamedTuple):
    """Functions of the robot in Pinocchio, for one state, by the names that they have here."""

    version: str
    functions: Mapping[str, Callable[[], object]]


def twin_of(robot: lp.Robot, state: tuple[Floats, ...]) -> tuple[Twin | None, str | None]:
    """The robot in Pinocchio in a state, or why there is no comparison."""
    try:
        pin = importlib.import_module("pinocchio")
    except ImportError:
        return None, "Pinocchio is not installed, so nothing is compared with it: pip install pin"
    if robot.held_by_loops or robot.is_elastic or not all(_is_plain(joint) for joint in robot.joints):
        return None, "Pinocchio is compared on robots of joints with one freedom, without loops, mimics and beams"
    bare = robot.without_friction().without_rotors().without_springs()
    model = _model(pin, bare)
    data, (q, qd, qdd) = model.createData(), state
    theirs, ours = pin.rnea(model, data, q, qd, qdd), np.asarray(bare.inverse_dynamics(q, qd, qdd))
    if np.abs(theirs - ours).max() > SAME_TORQUE * max(1.0, float(np.abs(ours).max())):
        return None, "Pinocchio computes other torques for this robot: nothing is compared"
    tau = theirs.copy()
    functions: dict[str, Callable[[], object]] = {
        "inverse_dynamics": lambda: pin.rnea(model, data, q, qd, qdd),
        "forward_dynamics": lambda: pin.aba(model, data, q, qd, tau),
        "mass_matrix": lambda: pin.crba(model, data, q),
        "gravity_forces": lambda: pin.computeGeneralizedGravity(model, data, q),
        "link_poses": lambda: pin.forwardKinematics(model, data, q),
    }
    return Twin(str(pin.__version__), functions), None


def _is_plain(joint: lp.Joint) -> bool:
    """Whether a joint is fixed, turns or slides about one axis, by itself."""
    plain = isinstance(joint.motion, (lp.Fixed, lp.Revolute, lp.Continuous, lp.Prismatic))
    return plain and joint.mimic is None


def _model(pin: Any, robot: lp.Robot) -> Any:
    """The tree of joints in Pinocchio, in the same order; links on fixed joints are welded to those that move."""
    model = pin.Model()
    model.gravity.linear = np.array(robot.gravity)
    at: dict[str, tuple[int, Pose]] = {robot.base.name: (0, Pose())}  # the joint that carries a link, and where it sits
    for joint in robot.joints:
        carrier, sits = at[joint.parent]
        placed = sits @ joint.origin
        if joint.motion.dof:
            own = _joint_model(pin, joint)
            carrier = model.addJoint(carrier, own, _se3(pin, placed), joint.name)
            at[joint.child] = carrier, joint.link_offset
        else:
            at[joint.child] = carrier, placed @ joint.link_offset
        body = robot.link(joint.child).inertia
        if not body.is_zero:
            carried = pin.Inertia(body.mass, np.array(body.center_of_mass), np.array(body.tensor))
            model.appendBodyToJoint(at[joint.child][0], carried, _se3(pin, at[joint.child][1]))
    return model


def _joint_model(pin: Any, joint: lp.Joint) -> Any:
    """A joint of one freedom; one along an axis of its frame is of Pinocchio's quicker kind."""
    axis = np.array(joint.motion.axis_direction())
    turns = joint.motion.angular[0]
    along = next((letter for letter, unit in zip("XYZ", np.eye(3), strict=True) if np.array_equal(axis, unit)), None)
    if along is not None:
        return getattr(pin, f"JointModelR{along}" if turns else f"JointModelP{along}")()
    return (pin.JointModelRevoluteUnaligned if turns else pin.JointModelPrismaticUnaligned)(*axis)


def _se3(pin: Any, pose: Pose) -> Any:
    return pin.SE3(pose.R, pose.p)
