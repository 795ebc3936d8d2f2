"""Links and joints of a compiled model.

A body with several joints becomes a chain: after each joint but the last a link without mass, in the frame of the body
as far as it has been moved. So every joint keeps its name, its limits and its drive, and the last one carries the body.
A joint's anchor is its origin; the link's frame is that of the body. A free joint with friction or armature, which act
along the axes of the world, is a slide in these and a ball.
"""

from __future__ import annotations

import numpy as np

from loadpath.errors import ModelError
from loadpath.files.mjcf.compiling import CompiledModel
from loadpath.files.mjcf.names import Names
from loadpath.files.mjcf.places import pose_at
from loadpath.files.mjcf.remembered import Remembered
from loadpath.files.mjcf.speeds import Speeds, in_world_axes
from loadpath.foreign.mujoco_model import MujocoModel
from loadpath.robot.inertia import Inertia
from loadpath.robot.joints import Continuous, Fixed, Free, JointType, Prismatic, Revolute, Spherical, Translational
from loadpath.robot.numbers import Vector3
from loadpath.robot.parts import Joint, Link
from loadpath.robot.pose import Pose
from loadpath.robot.shapes import LinkShape


def links_of(compiled: CompiledModel, names: Names, shapes: dict[int, tuple[LinkShape, ...]]) -> list[Link]:
    """The world, the bodies, and the massless links between several joints of one body."""
    model = compiled.model
    links = [Link(names.bodies[0], shapes=shapes.get(0, ()))]
    for body in range(1, model.count["body"]):
        try:
            inertia = _inertia(compiled, body)
        except ModelError as problem:
            raise ModelError(f"body '{names.bodies[body]}': {problem}") from None
        links.append(Link(names.bodies[body], inertia, shapes.get(body, ())))
    return links + [Link(name) for name in names.between.values()]


def _inertia(compiled: CompiledModel, body: int) -> Inertia:
    model = compiled.model
    frame = pose_at(model.body_ipos[body], model.body_iquat[body])
    raw = compiled.inertias.get(body)
    mass = float(model.body_mass[body]) if raw is None else raw.mass
    moments = [float(entry) for entry in model.body_inertia[body]] if raw is None else list(raw.moments)
    if not mass and not any(moments):
        return Inertia()  # MuJoCo gives it a mass center
    if len(moments) == 6:  # in the axes of the body
        names = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
        return Inertia.from_moments(mass, frame.translation, **dict(zip(names, moments, strict=True)))
    xx, yy, zz = moments
    return Inertia.from_moments(mass, ixx=xx, iyy=yy, izz=zz).seen_from(frame)


def joints_of(model: MujocoModel, names: Names, speeds: Speeds, remembered: Remembered) -> list[Joint]:
    """The joints, in the order of the bodies."""
    joints: list[Joint] = []
    for body in range(1, model.count["body"]):
        parent, child = names.bodies[model.body_parentid[body]], names.bodies[body]
        place = pose_at(model.body_pos[body], model.body_quat[body])
        first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
        if not count:
            joints.append(Joint(names.welds[body], parent, child, Fixed(), place))
        if count and in_world_axes(model, first):
            joints += _slide_and_ball(first, names, speeds, child)
            continue
        for joint in range(first, first + count):
            moved = names.between.get(joint, child)
            joints.append(_joint(model, joint, names.joints[joint], parent, moved, place, speeds, remembered))
            parent, place = moved, Pose()
    return joints


def _slide_and_ball(joint: int, names: Names, speeds: Speeds, child: str) -> list[Joint]:
    """A free joint whose friction or armature acts along the axes of the world."""
    name, between = names.joints[joint], names.between[joint]
    slide = Joint(name, names.bodies[0], between, Translational(), **speeds.fields(joint, range(3)))
    return [slide, Joint(f"{name}.turn", between, child, Spherical(), **speeds.fields(joint, range(3, 6)))]


def _joint(model: MujocoModel, joint: int, name: str, parent: str, child: str, place: Pose, speeds: Speeds,
           remembered: Remembered) -> Joint:
    kind = model.jnt_kind[joint]
    fields = speeds.fields(joint)
    if kind == "free":  # its coordinates say where the body is in the world
        return Joint(name, parent, child, Free(), **fields)
    anchor = model.jnt_pos[joint]
    origin, offset = place @ pose_at(anchor), pose_at(-anchor + 0.0)
    if kind == "ball":
        return Joint(name, parent, child, Spherical(), origin, offset, **fields)
    x, y, z = (float(entry) for entry in model.jnt_axis[joint])
    axis: Vector3 = (x, y, z)
    zero = 0.0 - float(model.qpos0[model.jnt_qposadr[joint]])  # where the body is as written, the coordinate is `ref`
    if kind == "slide":
        shifted = origin @ Pose(translation=tuple((zero * np.array(axis)).tolist())) if zero else origin
        return Joint(name, parent, child, Prismatic(axis), shifted, offset, **fields)
    endless = not model.jnt_limited[joint] and name not in remembered.revolute and name not in remembered.position
    motion: JointType = Continuous(axis, zero) if endless else Revolute(axis, zero)
    return Joint(name, parent, child, motion, origin, offset, **fields)


def frames_of(model: MujocoModel, names: Names, unused: set[int]) -> tuple[list[Link], list[Joint]]:
    """Named sites that nothing in the file uses are frames for users, as of a tool: massless links."""
    links, joints = [], []
    taken = {*names.joints, *names.welds.values()}
    for site in sorted(unused):
        name = names.sites[site]
        weld = f"{name}_weld"
        while weld in taken:
            weld += "_"
        taken.add(weld)
        place = pose_at(model.site_pos[site], model.site_quat[site])
        links.append(Link(name))
        joints.append(Joint(weld, names.bodies[model.site_bodyid[site]], name, Fixed(), place))
    return links, joints
