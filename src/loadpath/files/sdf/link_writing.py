"""A link as `<link>` of SDF: its inertia about its mass center, and its shapes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from loadpath.files.exact_angles import roll_pitch_yaw
from loadpath.files.sdf.naming import NAME, Names, remembered
from loadpath.files.sdf.values import scaled, turned_by
from loadpath.files.written import mesh_name
from loadpath.files.xml_writing import Tag, number_text, numbers_text
from loadpath.robot.inertia import Inertia
from loadpath.robot.joints.base import quaternions_of
from loadpath.robot.parts import Link
from loadpath.robot.pose import Pose
from loadpath.robot.shapes import (
    BoxShape,
    CapsuleShape,
    CylinderShape,
    EllipsoidShape,
    LinkShape,
    MeshShape,
    SphereShape,
)


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
