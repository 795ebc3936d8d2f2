"""The same robot for fewer operations: frames put on the joint axes, inertias regrouped. Results do not change.

Frames (Khalil's modified Denavit-Hartenberg, for trees and any joint). Links welded together share one frame, so
a fixed joint costs nothing. A link that turns about or slides along an axis has its z on that axis, its x on the
common normal to the next axis, and its origin at the foot of the common normal from the axis before. Then the
constant turn from link to link is one turn about x, and the arm between origins has no y component. The base's
frame is put on the first axis. Where the user's frames sit on these is remembered.

Inertias. A thin rod on a revolute axis may sit on either of the two links: turning about itself it makes no
difference. So the mass, the moment along the axis and a rod's inertia go over to the parent, and so on down to the
base, where they count only if it moves. Each joint type says what of an inertia can go
(`JointType.shared_with_parent`). This keeps kinetic and potential energy, so the torques and the wrench on the base,
whatever the base does; but not the joint wrenches.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from loadpath.robot.joints import JointType
from loadpath.robot.mechanism import (
    BASE,
    BaseInertia,
    Body,
    Frame,
    Mechanism,
    base_inertia_of,
    floats,
    frame_on,
    make_body,
    with_line_springs,
    with_loops,
)
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Joint
from loadpath.robot.pose import Pose
from loadpath.scalars import IDENTITY, Array, AxisTurn, Rotation, Scalar, array, compose, parallel_axis, scale

Vector = NDArray[np.float64]

_ROUNDING = 4e-15
# Axes nearer to parallel than this have their common normal so far away that its foot would cost digits.
_NEARLY_PARALLEL = 0.05
# Farther along its axis than this (m), the inertia of a link's mass about its origin would hide the link's own.
_FAR = 100.0
# A mass that would add more than this many times the parent's own inertia stays: (Iyy - Ixx) of the parent would lose
# its digits, and may be all that its joint feels.
_HIDES = 1e7


def reframed(robot: RobotModel) -> Mechanism:
    """The robot with its frames on the joint axes and every link's inertia its own: for joint wrenches."""
    frames = _choose_frames(robot)
    bodies = [_body(robot, frames, index) for index in range(len(robot.joints))]
    on_base = frames.body_frame[robot.base.name].inverse()
    number = {robot.base.name: BASE} | {joint.child: i for i, joint in enumerate(robot.joints)}
    made = Mechanism(
        bodies=tuple(bodies),
        n=robot.n,
        nq=robot.nq,
        gravity=floats(_clean(on_base.R @ np.array(robot.gravity))),
        base=frame_on(BASE, on_base),
        base_inertia=base_inertia_of(robot.base.inertia.seen_from(on_base)),
        link_frames={
            link: frame_on(number[link], frames.on_body(link, frames.link_pose[link])) for link in robot.link_names
        },
        joint_frames={
            joint.name: _joint_frame(frames, joint, number[joint.child]) for joint in robot.joints
        },
    )
    return with_loops(with_line_springs(made), robot)


def reduced(robot: RobotModel) -> Mechanism:
    """The robot with its frames on the joint axes and its inertias regrouped: for torques, not for wrenches."""
    return regrouped(reframed(robot))


def regrouped(mechanism: Mechanism) -> Mechanism:
    """Move towards the base what of each body's inertia could as well sit on its parent."""
    return _with_inertias(mechanism, [_cleaned_inertia(each) for each in _passed_on(mechanism, _stays)[0]])


def regrouped_as(mechanism: Mechanism, own: Mechanism) -> Mechanism:
    """The same of a mechanism whose inertias may be any scalars, with what numbers decide decided by those of a robot's
    own mechanism; what depends on no parameter is the number that it is there.
    """
    numbers, staying = _passed_on(own, _stays)
    scalars, _ = _passed_on(mechanism, lambda i, *_: i in staying)
    merged = []
    for each, number in zip(scalars, map(_cleaned_inertia, numbers), strict=True):
        mass, moment, tensor = (
            array([y if isinstance(x, (int, float)) else x for x, y in zip(np.ravel(a), np.ravel(b), strict=True)])
            for a, b in zip(each, number, strict=True)
        )
        merged.append((mass[0], moment, tensor.reshape(3, 3)))
    return _with_inertias(mechanism, merged)


_Inertia: TypeAlias = tuple[Scalar, Array, Array]
"""Mass, first moment and tensor about the origin of a body."""


def _passed_on(mechanism: Mechanism, stays: Callable[[int, Array, Array], bool]) -> tuple[list[_Inertia], set[int]]:
    """What all bodies are left with, the base last, and the bodies that kept all of theirs. `stays` is asked of a body,
    with the tensor that it would give and that of its parent.
    """
    parts: list[Body | BaseInertia] = [*mechanism.bodies, mechanism.base_inertia]
    inertias: list[_Inertia] = [(part.mass, part.moment, part.inertia) for part in parts]
    staying = set()
    for i in reversed(range(len(mechanism.bodies))):
        body, (mass, moment, tensor) = mechanism.bodies[i], inertias[i]
        shared = body.motion.shared_with_parent(mass, moment, tensor)
        m, c, t = _carried_over(*shared, body)
        parent_mass, parent_moment, parent_tensor = inertias[body.parent]
        if stays(i, t, parent_tensor):
            staying.add(i)
            continue
        inertias[i] = mass - shared[0], moment - shared[1], tensor - shared[2]
        inertias[body.parent] = parent_mass + m, parent_moment + c, parent_tensor + t
    return inertias, staying


def _stays(_body: int, carried: Array, parents: Array) -> bool:
    return bool(0.0 < _HIDES * np.abs(parents.astype(float)).max() < np.abs(carried.astype(float)).max())


def _with_inertias(mechanism: Mechanism, inertias: Sequence[_Inertia]) -> Mechanism:
    *of_bodies, of_base = inertias
    bodies = (replace(body, mass=m, moment=c, inertia=t)
              for body, (m, c, t) in zip(mechanism.bodies, of_bodies, strict=True))
    return replace(mechanism, bodies=tuple(bodies), base_inertia=BaseInertia(*of_base))


def _cleaned_inertia(inertia: _Inertia) -> _Inertia:
    mass, moment, tensor = inertia
    return float(mass), floats(_clean(moment.astype(float))), floats(_clean(tensor.astype(float)))


def _carried_over(mass: Scalar, moment: Array, tensor: Array, body: Body) -> _Inertia:
    """An inertia about a joint's origin, in the axes there, seen from the parent's origin in the parent's axes."""
    c = body.turn @ moment
    return mass, c + scale(mass, body.arm), body.turn.tensor(tensor) + parallel_axis(mass, c, body.arm)


# Choosing the frames


@dataclass
class _Frames:
    """For every link: the moving link that carries it, its pose there, and the frame chosen for its body.

    All poses are in the user's frame of the carrier, which is its joint's frame after the motion (or the base's).
    """

    carrier: dict[str, str]
    link_pose: dict[str, Pose]
    body_frame: dict[str, Pose]
    """Of carriers only."""
    joint_pose: dict[str, Pose]
    """Of every joint, before its motion, on the carrier of its parent link."""

    def on_body(self, link: str, pose: Pose) -> Pose:
        """A pose on a link's carrier, seen from the frame chosen for that body."""
        return self.body_frame[self.carrier[link]].inverse() @ pose


def _choose_frames(robot: RobotModel) -> _Frames:
    frames = _Frames({robot.base.name: robot.base.name}, {robot.base.name: Pose()}, {}, {})
    for joint in robot.joints:
        at = frames.link_pose[joint.parent] @ joint.origin
        frames.joint_pose[joint.name] = at
        moves = joint.motion.dof > 0
        frames.carrier[joint.child] = joint.child if moves else frames.carrier[joint.parent]
        frames.link_pose[joint.child] = joint.link_offset if moves else at @ joint.link_offset
    main = _main_children(robot, frames)
    _put_on_axes(robot, frames, main)
    return frames


def _main_children(robot: RobotModel, frames: _Frames) -> dict[str, Joint]:
    """For each carrier the joint with the most joints after it: it gets the x axis."""
    after = dict.fromkeys(frames.carrier.values(), 0)
    best: dict[str, Joint] = {}
    for joint in reversed(robot.joints):
        if joint.motion.dof:
            carrier = frames.carrier[joint.parent]
            if carrier not in best or after[joint.child] >= after[best[carrier].child]:
                best[carrier] = joint
            after[carrier] += 1 + after[joint.child]
    return best


def _put_on_axes(robot: RobotModel, frames: _Frames, main: dict[str, Joint]) -> None:
    moving = [joint for joint in robot.joints if joint.motion.dof]
    mover = {joint.child: joint for joint in moving}
    base = robot.base.name
    first = main.get(base)
    # Origins first, from the base outwards: each is the foot of a normal from the axis before.
    origin: dict[str, Vector] = {base: np.zeros(3)}
    if first is not None:
        origin[base] = frames.joint_pose[first.name].p
    for joint in moving:
        carrier = frames.carrier[joint.parent]
        before = mover[carrier].motion if carrier != base else None
        origin[joint.child] = _origin(joint.motion, frames.joint_pose[joint.name], before, origin[carrier])
    # Then the directions of x: towards the axis of the main child.
    for joint in moving:
        axis = joint.motion.axis_direction()
        if axis is None:
            frames.body_frame[joint.child] = Pose()
            continue
        aligned = _z_onto(np.array(axis))
        child = main.get(joint.child)
        angle = 0.0
        if child is not None and (next_axis := child.motion.axis_direction()) is not None:
            at = frames.joint_pose[child.name]
            direction = aligned.T @ _normal(np.array(axis), at.R @ np.array(next_axis),
                                            at.transform(origin[child.child]) - origin[joint.child])
            angle = _angle_mod_half_turn(direction)
        frames.body_frame[joint.child] = _pose(aligned @ _about_z(angle), origin[joint.child])
    if first is None:
        frames.body_frame[base] = Pose()
    else:
        at, chosen = frames.joint_pose[first.name], frames.body_frame[first.child]
        frames.body_frame[base] = _pose(_exact(at.R @ chosen.R), at.transform(chosen.p))


def _origin(motion: JointType, at: Pose, before: JointType | None, parent_origin: Vector) -> Vector:
    """Where to put a body's origin, in the frame of its joint after the motion."""
    axis = motion.axis_direction()
    if axis is None:
        return np.zeros(3)  # its motion is given at this very point
    inverse = at.inverse()
    seen = inverse.transform(parent_origin)
    if not motion.turns_about_line():
        return seen  # a slide has no line: let it pass through the parent's origin
    z = np.array(axis)
    along = float(z @ seen)  # nearest to the parent's origin
    if before is not None and before.turns_about_line():
        z_before = inverse.R @ np.array(before.axis_direction())
        normal = np.cross(z_before, z)
        if float(np.linalg.norm(normal)) > _NEARLY_PARALLEL:
            # Foot on this axis of the common normal from the axis before, which passes through `seen`.
            along = _foot(z, z_before, seen)
    return along * z if abs(along) <= _FAR else np.zeros(3)


def _foot(z: Vector, z_before: Vector, point_before: Vector) -> float:
    """Parameter s of the point s z nearest to the line point_before + t z_before."""
    c = float(z @ z_before)
    return float((z - c * z_before) @ point_before) / (1.0 - c * c)


def _normal(z: Vector, z_next: Vector, arm: Vector) -> Vector:
    """A direction for x: along z x z_next; for parallel axes from one to the other; zero if they coincide."""
    normal = np.cross(z, z_next)
    if float(np.linalg.norm(normal)) > _ROUNDING:
        return normal
    across = arm - float(z @ arm) * z
    return across if float(np.linalg.norm(across)) > _ROUNDING * float(np.abs(arm).max(initial=1.0)) else np.zeros(3)


def _angle_mod_half_turn(direction: Vector) -> float:
    """Angle of x about z towards a direction or its opposite, in (-pi/2, pi/2]; exact for whole quarter turns."""
    x, y = float(direction[0]), float(direction[1])
    size = math.hypot(x, y)
    if size == 0.0 or abs(y) <= _ROUNDING * size:
        return 0.0
    if abs(x) <= _ROUNDING * size:
        return math.pi / 2
    return math.atan(y / x)


def _z_onto(axis: Vector) -> Vector:
    """A rotation that takes z to the axis; a permutation of axes where that is enough."""
    for k in range(3):
        if abs(axis[k]) == 1.0 and max(abs(axis[k - 1]), abs(axis[k - 2])) <= _ROUNDING:
            columns = np.zeros((3, 3))
            columns[k, 2] = axis[k]
            columns[(k + 1) % 3, 0] = 1.0
            columns[(k + 2) % 3, 1] = axis[k]
            return columns
    k = int(np.argmin(np.abs(axis)))
    x = np.cross(np.eye(3)[k], axis)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(axis, x), axis])


def _about_z(angle: float) -> Vector:
    c, s = math.cos(angle), math.sin(angle)
    return _exact(np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]))


# From frames to bodies


def _body(robot: RobotModel, frames: _Frames, index: int) -> Body:
    joint = robot.joints[index]
    parent = robot.link_names.index(joint.parent) - 1  # link_names: base, then the child of each joint
    link = robot.link(joint.child)
    inertia = link.inertia.seen_from(frames.on_body(joint.child, frames.link_pose[joint.child]))
    if joint.motion.dof == 0:
        return _cleaned(make_body(robot, joint, joint.motion, parent, placement=Pose(), inertia=inertia))
    at = frames.on_body(joint.parent, frames.joint_pose[joint.name])
    own = frames.body_frame[joint.child]
    if joint.motion.axis_direction() is None:
        return _cleaned(make_body(robot, joint, joint.motion, parent, placement=at, inertia=inertia))
    # Pose of the body's frame at q = 0 in the parent's; the joint turns it about or slides it along its z.
    turn, zero = _about_z_x_then_z(_exact(at.R @ own.R))
    motion, left_over = joint.motion.along_z(zero)
    if left_over:
        turn = compose(turn, _turn(2, math.cos(left_over), math.sin(left_over)))
    arm = at.transform(own.p)
    scale = max(np.abs(at.p).max(), np.abs(own.p).max())
    arm = np.where(np.abs(arm) <= _ROUNDING * scale, 0.0, arm)
    body = make_body(robot, joint, motion, parent, placement=Pose(), inertia=inertia)
    return _cleaned(replace(body, turn=turn, arm=array(arm.tolist())))


def _joint_frame(frames: _Frames, joint: Joint, number: int) -> Frame:
    pose = Pose() if joint.motion.dof else frames.joint_pose[joint.name]
    return frame_on(number, frames.on_body(joint.child, pose))


def _about_z_x_then_z(r: Vector) -> tuple[Rotation, float]:
    """A rotation as constant turns about z and x, and the angle of a last turn about z (for the joint to take)."""
    s = math.hypot(r[0, 2], r[1, 2])
    if s <= _ROUNDING:
        first, cz, sz, cx, sx = IDENTITY, 1.0, 0.0, math.copysign(1.0, r[2, 2]), 0.0
    elif abs(r[0, 2]) <= _ROUNDING:  # x is on the common normal already
        first, cz, sz, cx, sx = IDENTITY, 1.0, 0.0, float(r[2, 2]), -float(r[1, 2])
    else:
        cz, sz, cx, sx = -r[1, 2] / s, r[0, 2] / s, float(r[2, 2]), s
        first = _turn(2, cz, sz)
    second = _turn(0, cx, sx)
    done = compose(first, second).matrix().astype(float)
    remainder = done.T @ r
    return compose(first, second), math.atan2(remainder[1, 0], remainder[0, 0])


def _turn(axis: int, c: float, s: float) -> Rotation:
    c, s = (
        0.0 if abs(x) <= _ROUNDING else math.copysign(1.0, x) if abs(abs(x) - 1) <= _ROUNDING else x for x in (c, s)
    )
    return IDENTITY if (c, s) == (1.0, 0.0) else AxisTurn(axis, float(c), float(s))


# Rounding


def _exact(matrix: Vector) -> Vector:
    """Entries within rounding of 0 and +-1 made exact."""
    for value in (0.0, 1.0, -1.0):
        matrix = np.where(np.abs(matrix - value) <= _ROUNDING, value, matrix)
    return matrix


def _pose(rotation: Vector, translation: Vector) -> Pose:
    return Pose(_exact(rotation).tolist(), translation.tolist())


def _clean(values: Vector) -> Vector:
    """Entries that are only rounding, compared with the largest, made zero."""
    return np.where(np.abs(values) <= _ROUNDING * np.abs(values).max(initial=0.0), 0.0, values)


def _cleaned(body: Body) -> Body:
    moment, inertia = body.moment.astype(float), body.inertia.astype(float)
    return replace(body, moment=floats(_clean(moment)), inertia=floats(_clean(inertia)))
