"""What a formulation reads: the moving bodies of a robot, parents first, each with its constants.

A `Mechanism` is the robot with its frames chosen. `plain` keeps the user's frames; `reduction.reduced` chooses
frames and regroups inertias so that the same equations cost fewer operations. A formulation cannot know which
one it is given, and its constants may be any scalars (symbols, say).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from loadpath.robot.drive_train.drive import LineSpring
from loadpath.robot.inertia import Inertia
from loadpath.robot.joints import JointType
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Joint
from loadpath.robot.pose import Pose
from loadpath.scalars import IDENTITY, Array, Rotation, Scalar, array, rotation_from_matrix, zeros

BASE = -1
"""The parent of bodies that are joined to the base."""


@dataclass(frozen=True, eq=False)
class Frame:
    """A frame fixed on a body: `rotation` takes its components to the body's axes, `origin` is in body axes."""

    body: int
    rotation: Rotation = IDENTITY
    origin: Array = field(default_factory=lambda: zeros(3))


@dataclass(frozen=True, eq=False)
class PlacedSpring:
    """A line spring with its ends on bodies."""

    spring: LineSpring
    on_parent: Array
    """From the parent's origin, in the parent's axes."""
    on_child: Array
    """From the body's own origin, in its own axes."""


@dataclass(frozen=True, eq=False)
class Body:
    """One moving body and the joint that moves it.

    The body's frame is the joint's frame after the motion; its origin is the joint's origin `O_i`.
    """

    name: str
    parent: int
    """Number of the parent body, or BASE."""
    turn: Rotation
    """Constant: from the axes before the joint's motion to the parent's axes."""
    arm: Array
    """Constant: from the parent's origin to the joint's, in parent axes (the book's a_{i-1})."""
    motion: JointType
    joint: Joint
    q: slice
    v: slice
    multiplier: float
    """Of a mimicking joint: its own q is multiplier * q + offset; 1 and 0 otherwise."""
    offset: float
    mass: Scalar
    moment: Array
    """Mass times the vector rho_i from the origin to the mass center, in body axes."""
    inertia: Array
    """3 x 3, about the body's origin, in body axes."""
    line_springs: tuple[PlacedSpring, ...] = ()
    """Springs between this body and its parent."""


@dataclass(frozen=True, eq=False)
class BaseInertia:
    """What the base itself weighs: it counts only where the base moves."""

    mass: Scalar
    moment: Array
    """Mass times the vector from the origin of the base's frame to the mass center, in its axes."""
    inertia: Array
    """3 x 3, about the origin of the base's frame, in its axes."""


@dataclass(frozen=True, eq=False)
class Mechanism:
    """Bodies with parents first, and where the user's frames sit on them."""

    bodies: tuple[Body, ...]
    n: int
    nq: int
    gravity: Array
    """Acceleration of gravity in the axes of the base."""
    base: Frame
    """The world frame in the frame of the base (body = BASE); the root link's own frame is there too."""
    base_inertia: BaseInertia
    link_frames: Mapping[str, Frame]
    joint_frames: Mapping[str, Frame]
    """For every joint the child's joint frame, on the child's body: where joint wrenches are reported."""


def floats(values: NDArray[np.float64]) -> Array:
    """An array of plain Python floats, which no kind of scalar trips over."""
    return array(values.tolist())


def frame_on(body: int, pose: Pose) -> Frame:
    """The frame with that pose on a body."""
    return Frame(body, rotation_from_matrix(pose.rotation), array(pose.translation))


def base_inertia_of(inertia: Inertia) -> BaseInertia:
    """A base with that inertia, given in the base's frame."""
    return BaseInertia(inertia.mass, floats(inertia.first_moment), floats(inertia.at_origin()))


def make_body(
    robot: RobotModel, joint: Joint, motion: JointType, parent: int, *, placement: Pose, inertia: Inertia
) -> Body:
    """A body in the frame that `joint` moves, `placement` being the pose of that frame before the motion."""
    mimic = robot.mimic_of(joint)
    nothing = slice(0, 0)
    return Body(
        name=joint.child,
        parent=parent,
        turn=rotation_from_matrix(placement.rotation),
        arm=array(placement.translation),
        motion=motion,
        joint=joint,
        q=robot.q_slices.get(joint.name, nothing),
        v=robot.v_slices.get(joint.name, nothing),
        multiplier=mimic.multiplier,
        offset=mimic.offset,
        mass=inertia.mass,
        moment=floats(inertia.first_moment),
        inertia=floats(inertia.at_origin()),
    )


def plain(robot: RobotModel) -> Mechanism:
    """The robot in its own frames: a body for each joint, fixed ones too, in the joint's frame after the motion."""
    number = {robot.base.name: BASE}
    offset = {robot.base.name: Pose()}
    bodies: list[Body] = []
    for joint in robot.joints:
        placement = offset[joint.parent] @ joint.origin
        inertia = robot.link(joint.child).inertia.seen_from(joint.link_offset)
        bodies.append(make_body(robot, joint, joint.motion, number[joint.parent], placement=placement, inertia=inertia))
        number[joint.child] = len(bodies) - 1
        offset[joint.child] = joint.link_offset
    made = Mechanism(
        bodies=tuple(bodies),
        n=robot.n,
        nq=robot.nq,
        gravity=array(robot.gravity),
        base=Frame(BASE),
        base_inertia=base_inertia_of(robot.base.inertia),
        link_frames={link: frame_on(number[link], offset[link]) for link in robot.link_names},
        joint_frames={joint.name: Frame(number[joint.child]) for joint in robot.joints},
    )
    return with_line_springs(made)


def with_line_springs(mechanism: Mechanism) -> Mechanism:
    """The mechanism with the springs between its links put on their bodies."""
    if not any(body.joint.line_springs for body in mechanism.bodies):
        return mechanism
    frames = mechanism.link_frames

    def placed(link: str, point: tuple[float, float, float]) -> Array:
        result: Array = frames[link].origin + frames[link].rotation @ array(point)
        return result

    bodies = []
    for body in mechanism.bodies:
        joint = body.joint
        springs = tuple(
            PlacedSpring(spring, placed(joint.parent, spring.on_parent), placed(joint.child, spring.on_child))
            for spring in joint.line_springs
        )
        bodies.append(replace(body, line_springs=springs))
    return replace(mechanism, bodies=tuple(bodies))
