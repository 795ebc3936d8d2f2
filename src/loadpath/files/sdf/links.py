"""A `<link>` of SDF as a Link. What it does not say has SDF's defaults, which are not zero: 1 kg and 1 kg m^2."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from loadpath.files.assets import Assets
from loadpath.files.contract import Undrawn, mesh_name
from loadpath.files.sdf.frames import NAME, Names, pose_between, remembered
from loadpath.files.sdf.models import FoundLink
from loadpath.files.sdf.words import attribute, number_in, read_pose, scaled, sdf_watch, truth, truth_in, turned_by
from loadpath.files.urdf.words import placed
from loadpath.files.vocabulary import Watch
from loadpath.files.xml_reading import Node
from loadpath.files.xml_writing import Tag, number_text, numbers_text, roll_pitch_yaw
from loadpath.robot.inertia import Inertia
from loadpath.robot.joints.base import quaternions_of
from loadpath.robot.numbers import Vector3
from loadpath.robot.parts import Link
from loadpath.robot.pose import Pose
from loadpath.robot.shapes import (
    PURPOSES,
    BoxShape,
    CapsuleShape,
    Color,
    CylinderShape,
    EllipsoidShape,
    LinkShape,
    MeshShape,
    Purpose,
    SphereShape,
)

# What links look like in SDF: `<visual>` and `<collision>` with `<pose>`, `<geometry>` and `<material>`.
#
# No equation depends on it. So a shape that cannot be read never refuses a robot: it is left out, and one warning for
# the file says which and why. Planes, height maps, images and polylines are of the world, not of robots, and passed
# over.


_SOLIDS: dict[str, Callable[[Node, Assets, dict[str, Any]], LinkShape]] = {
    "box": lambda node, assets, look: BoxShape(node.needed_child("size").content_vector(), **look),
    "cylinder": lambda node, assets, look: CylinderShape(_size(node, "radius"), _size(node, "length"), **look),
    "sphere": lambda node, assets, look: SphereShape(_size(node, "radius"), **look),
    "capsule": lambda node, assets, look: CapsuleShape(_size(node, "radius"), _size(node, "length"), **look),
    "ellipsoid": lambda node, assets, look: EllipsoidShape(node.needed_child("radii").content_vector(), **look),
    "mesh": lambda node, assets, look: assets.mesh(node.needed_child("uri").content(), scale=_scale(node), **look),
}
_OF_THE_WORLD = ("plane", "heightmap", "image", "polyline", "empty")


def _size(node: Node, tag: str) -> float:
    return node.needed_child(tag).content_number()


def _scale(node: Node) -> Vector3:
    scale = node.child("scale")
    return (1.0, 1.0, 1.0) if scale is None else scale.content_vector()


@dataclass
class ShapeReader:
    """Reads the shapes of all links of a file, and remembers what was left out."""

    undrawn: Undrawn

    def of(self, found: FoundLink) -> tuple[LinkShape, ...]:
        """The shapes of a link: those to be seen, then those to be touched."""
        shapes: list[LinkShape] = []
        for purpose in PURPOSES:
            for node in found.node.children(purpose):
                with self.undrawn.noting():
                    shape = shape_of(node, purpose, found)
                    shapes += [] if shape is None else [shape]
        return tuple(shapes)


def shape_of(node: Node, purpose: Purpose, found: FoundLink) -> LinkShape | None:
    """The shape of a `<visual>` or `<collision>`; None for those of the world."""
    geometry = node.child("geometry")
    inner = [] if geometry is None else geometry.element.children
    if not inner or inner[0].tag in _OF_THE_WORLD:
        return None
    solid = Node(inner[0], node.owner, node.source)
    if solid.tag not in _SOLIDS:
        solid.fail(f"<geometry> of <{purpose}> holds <{solid.tag}>: expected one of <{'>, <'.join(_SOLIDS)}>")
    look = {
        "pose": _pose(node, found),
        "color": _color(node),
        "purpose": purpose,
        "name": node.element.attributes.get("name", ""),
    }
    with placed(solid):
        return _SOLIDS[solid.tag](solid, found.library.assets, look)


def _pose(node: Node, found: FoundLink) -> Pose:
    """Where it is in the frame of its link."""
    written = read_pose(node, sdf_watch())  # words that are not known here count for nothing
    if not written.relative_to:
        return written.pose
    named = found.scope.find(written.relative_to, node, "relative_to")
    return pose_between(found.frame, named) @ written.pose


def _color(node: Node) -> Color | None:
    """The diffuse color of a shape; None if there is none."""
    material = node.child("material")
    color = None if material is None else material.child("diffuse") or material.child("ambient")
    if color is None:
        return None
    count = len(color.content().split())
    red, green, blue, *opacity = color.content_numbers(4 if count == 4 else 3)
    seen = (opacity[0] if opacity else 1.0) * (1.0 - number_in(node, "transparency", 0.0))
    red, green, blue, seen = (min(max(part, 0.0), 1.0) for part in (red, green, blue, seen))
    return red, green, blue, seen


# `<inertial auto="true">` of SDF 1.11: a link's inertia from its collision shapes, full and of given density.


DENSITY = 1000.0
"""What SDF takes for a collision without a `<density>` (kg/m^3): that of water."""


def inertia_of_collisions(node: Node, found: FoundLink, watch: Watch) -> Inertia:
    """The sum of the link's collisions; a `<mass>` that is given scales it."""
    collisions = found.node.children("collision")
    if not collisions:
        node.fail('<inertial auto="true"> is computed from collisions, and the link has none: write <mass> and '
                  "<inertia>")
    if node.child("pose") is not None or node.child("inertia") is not None:
        watch.note(f'{node.owner}: <inertial auto="true"> has a <pose> or an <inertia>, which are computed instead')
    density = number_in(node, "density", DENSITY)
    total = Inertia()
    for collision in collisions:
        total += _of_collision(collision, number_in(collision, "density", density), found)
    if node.child("mass") is None:
        return total
    mass = number_in(node, "mass", 1.0)
    with placed(node):
        return Inertia(mass, total.center_of_mass, (np.array(total.tensor) * (mass / total.mass)).tolist())


def _of_collision(node: Node, density: float, found: FoundLink) -> Inertia:
    shape = shape_of(node, "collision", found)
    if shape is None:
        node.fail("the inertia of the link is to be computed from this collision, which has no volume: write <mass> "
                  "and <inertia>")
    with placed(node):
        found_inertia = shape.inertia(density, if_open="refuse")
    if not found_inertia.mass > 0:
        node.fail("the inertia of the link is to be computed from this collision, which has no volume: expected sizes "
                  "above zero")
    return found_inertia


_MOMENTS = {"ixx": 1.0, "iyy": 1.0, "izz": 1.0, "ixy": 0.0, "ixz": 0.0, "iyz": 0.0}


def read_link(found: FoundLink, watch: Watch, shapes: ShapeReader) -> Link:
    """A link with its inertia and shapes."""
    node = found.node
    watch.look(node)
    if truth_in(node, "kinematic", False):
        node.fail("<kinematic> is true: it would move as told, whatever the forces; take it out")
    _note_decay(node, watch)
    inertial = node.child("inertial")
    inertia = _default(node, watch) if inertial is None else _inertia(inertial, found, watch)
    return Link(found.frame.name, inertia, shapes.of(found))


def has_weight(node: Node) -> bool:
    """Whether gravity acts on a link."""
    return truth_in(node, "gravity", True)


def _default(node: Node, watch: Watch) -> Inertia:
    watch.note(f"{node.owner}: no <inertial>, which SDF takes for 1 kg with moments of 1 kg m^2")
    return Inertia.from_moments(1.0, ixx=1.0, iyy=1.0, izz=1.0)


def _inertia(node: Node, found: FoundLink, watch: Watch) -> Inertia:
    watch.look(node)
    if node.child("fluid_added_mass") is not None:
        node.needed_child("fluid_added_mass").fail("<fluid_added_mass> changes the dynamics of the link and is not "
                                                   "known here: take it out to load the robot in air")
    if truth(node, attribute(node, "auto") or "false", "auto of <inertial>"):
        return inertia_of_collisions(node, found, watch)
    written = read_pose(node, watch)
    if written.relative_to:
        node.fail(f"<pose> of <inertial> has relative_to='{written.relative_to}': it is given in the frame of its "
                  "link, always")
    mass, tensor = node.child("mass"), node.child("inertia")
    if mass is None or tensor is None:
        missing, taken = ("mass", "1 kg") if mass is None else ("inertia", "moments of 1 kg m^2")
        watch.note(f"{node.owner}: <inertial> without <{missing}>, which SDF takes for {taken}")
    if tensor is not None:
        watch.look(tensor)
    moments = {tag: default if tensor is None else number_in(tensor, tag, default)
               for tag, default in _MOMENTS.items()}
    absent = [tag for tag in ("ixx", "iyy", "izz") if tensor is not None and tensor.child(tag) is None]
    if absent:
        watch.note(f"{node.owner}: <inertia> without {', '.join(absent)}, which SDF takes for 1 kg m^2")
    with placed(mass or node):
        in_own_axes = Inertia.from_moments(number_in(node, "mass", 1.0), **moments)
    with placed(node):
        return in_own_axes.seen_from(written.pose)


def _note_decay(node: Node, watch: Watch) -> None:
    decay = node.child("velocity_decay")
    if decay is None:
        return
    values = [number_in(decay, tag, 0.0) for tag in ("linear", "angular")]
    if any(values):
        watch.note(f"{node.owner}: <velocity_decay> is {values[0]:g} and {values[1]:g}: a simulator's means against "
                   "jitter, not used")


# A link as `<link>` of SDF: its inertia about its mass center, and its shapes.


def put(parent: Tag, tag: str, text: str, **attributes: str | None) -> Tag:
    """An element with text between its tags."""
    child = parent.add(tag, **attributes)
    child.text = text
    return child


def put_pose(parent: Tag, pose: Pose, relative_to: str | None = None) -> None:
    """A `<pose>`; none where it says nothing. Quarter turns have a quaternion of whole numbers, but no exact angles."""
    if pose == Pose() and not relative_to:
        return
    angles = roll_pitch_yaw(pose)
    tag = put(parent, "pose", numbers_text((*pose.translation, *angles)), relative_to=relative_to)
    if Pose.from_xyz_rpy(rpy=angles).rotation == pose.rotation:
        return
    quaternion = [round(entry, 12) + 0.0 for entry in scaled(quaternions_of(pose.R)).tolist()]
    if turned_by(quaternion) == pose.rotation:
        tag.attributes["rotation_format"] = "quat_xyzw"
        tag.text = numbers_text((*pose.translation, *quaternion))


def write_link(model: Tag, link: Link, name: str) -> Tag:
    """The element of a link; where it is, its joint says."""
    tag = model.add("link", name=name)
    tag.attributes[NAME] = remembered(name, link.name)
    write_inertia(tag, link.inertia)
    names = Names()
    for shape in link.shapes:
        _write_shape(tag, shape, names)
    return tag


def write_inertia(tag: Tag, inertia: Inertia) -> None:
    """`<inertial>`; also of a link without mass, which SDF would take for 1 kg."""
    inertial = tag.add("inertial")
    put_pose(inertial, Pose(translation=inertia.center_of_mass))
    put(inertial, "mass", number_text(inertia.mass))
    moments = inertial.add("inertia")
    for word, (i, j) in {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2),
                         "izz": (2, 2)}.items():
        put(moments, word, number_text(inertia.tensor[i][j]))


def _write_shape(link: Tag, shape: LinkShape, names: Names) -> None:
    tag = link.add(shape.purpose, name=names.give(shape.name or shape.purpose, "shape"))
    put_pose(tag, shape.pose)
    geometry = tag.add("geometry").add(_WORDS[type(shape)])
    for word, value in _SIZES[type(shape)](shape).items():
        put(geometry, word, value)
    if shape.color is not None and shape.purpose == "visual":
        material = tag.add("material")
        for word in ("ambient", "diffuse"):
            put(material, word, numbers_text(shape.color))


_WORDS: Mapping[type, str] = {
    BoxShape: "box",
    CylinderShape: "cylinder",
    SphereShape: "sphere",
    CapsuleShape: "capsule",
    EllipsoidShape: "ellipsoid",
    MeshShape: "mesh",
}
_SIZES: Mapping[type, Callable[[Any], dict[str, str]]] = {
    BoxShape: lambda shape: {"size": numbers_text(shape.size)},
    CylinderShape: lambda shape: {"radius": number_text(shape.radius), "length": number_text(shape.length)},
    SphereShape: lambda shape: {"radius": number_text(shape.radius)},
    CapsuleShape: lambda shape: {"radius": number_text(shape.radius), "length": number_text(shape.length)},
    EllipsoidShape: lambda shape: {"radii": numbers_text(shape.radii)},
    MeshShape: lambda shape: {"uri": mesh_name(shape), "scale": numbers_text(shape.scale)},
}
