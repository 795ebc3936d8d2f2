"""What links look like in SDF: `<visual>` and `<collision>` with `<pose>`, `<geometry>` and `<material>`.

No equation depends on it. So a shape that cannot be read never refuses a robot: it is left out, and one warning for the
file says which and why. Planes, height maps, images and polylines are of the world, not of robots, and passed over.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from loadpath.files.assets import Assets
from loadpath.files.reporting import Undrawn
from loadpath.files.sdf.frames import pose_between
from loadpath.files.sdf.models import FoundLink
from loadpath.files.sdf.values import number_in, read_pose
from loadpath.files.sdf.vocabulary import sdf_watch
from loadpath.files.urdf_places import placed
from loadpath.files.xml_node import Node
from loadpath.robot.numbers import Vector3
from loadpath.robot.pose import Pose
from loadpath.robot.shapes import (
    PURPOSES,
    BoxShape,
    CapsuleShape,
    Color,
    CylinderShape,
    EllipsoidShape,
    LinkShape,
    Purpose,
    SphereShape,
)

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
