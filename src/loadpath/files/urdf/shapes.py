"""What links look like in a URDF: `<visual>` and `<collision>` with `<origin>`, `<geometry>` and `<material>`.

No equation depends on it. So a shape that cannot be read never refuses a robot: it is left out, and one warning for the
file says which and why. Meshes are located, not read. Textures are passed over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from loadpath.errors import ModelError, warn
from loadpath.files.assets import Assets
from loadpath.files.contract import mesh_name, not_written
from loadpath.files.urdf.words import placed, read_origin, urdf_watch
from loadpath.files.xml_reading import Node
from loadpath.files.xml_writing import Tag, number_text, numbers_text, roll_pitch_yaw
from loadpath.printable import printable
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

_NO_SCALE: Vector3 = (1.0, 1.0, 1.0)
_SOLIDS: dict[str, Callable[[Node, Assets, dict[str, Any]], LinkShape]] = {
    "box": lambda node, assets, look: BoxShape(node.vector("size"), **look),
    "cylinder": lambda node, assets, look: CylinderShape(node.number("radius"), node.number("length"), **look),
    "sphere": lambda node, assets, look: SphereShape(node.number("radius"), **look),
    "capsule": lambda node, assets, look: CapsuleShape(node.number("radius"), node.number("length"), **look),
    "mesh": lambda node, assets, look: assets.mesh(_filename(node), scale=node.vector("scale", _NO_SCALE), **look),
}


def _filename(mesh: Node) -> str:
    written = mesh.element.attributes.get("filename", "").strip()
    return written or mesh.text("filename")


@dataclass
class ShapeReader:
    """Reads the shapes of all links of a file, and remembers what was left out."""

    root: Node
    assets: Assets
    left_out: list[str] = field(default_factory=list)
    colors: dict[str, Color] = field(default_factory=dict)
    """Of materials, by name: those of the robot, and those that the visual of a link defines for all."""

    def __post_init__(self) -> None:
        of_links = (visual for link in self.root.children("link") for visual in link.children("visual"))
        for owner in (self.root, *of_links):  # a material may be used before a later link defines it
            for material in owner.children("material"):
                name = material.element.attributes.get("name", "")
                if name and name not in self.colors and material.children("color"):
                    with self._noting():
                        self.colors[name] = _rgba(material)

    def of(self, link: Node) -> tuple[LinkShape, ...]:
        """The shapes of a link: those to be seen, then those to be touched."""
        found: list[LinkShape] = []
        for purpose in PURPOSES:
            for node in link.children(purpose):
                with self._noting():
                    found.append(self._shape(node, purpose))
        return tuple(found)

    def report(self, source: str) -> None:
        """One warning with what was left out, if anything was."""
        if self.left_out:
            more = f"; and {len(self.left_out) - 1} more" if len(self.left_out) > 1 else ""
            warn(f"{source}: the robot is drawn without what cannot be read: {self.left_out[0]}{more}; motion and "
                 "loads do not depend on it")

    @contextmanager
    def _noting(self) -> Iterator[None]:
        """What is wrong inside is noted, each once, and nothing more."""
        try:
            yield
        except ModelError as problem:
            said = printable(str(problem).removeprefix(f"{self.root.source}, "))
            if said not in self.left_out:
                self.left_out.append(said)

    def _shape(self, node: Node, purpose: Purpose) -> LinkShape:
        geometry = node.needed_child("geometry")
        inner = geometry.element.children
        if len(inner) != 1 or inner[0].tag not in _SOLIDS:
            tags = ", ".join(f"<{child.tag}>" for child in inner) or "nothing"
            geometry.fail(f"<geometry> of <{purpose}> holds {tags}: expected one of <{'>, <'.join(_SOLIDS)}>")
        solid = Node(inner[0], node.owner, node.source)
        look = {
            "pose": read_origin(node, urdf_watch()),  # words that are not known here count for nothing
            "color": self._color(node),
            "purpose": purpose,
            "name": node.element.attributes.get("name", ""),
        }
        with placed(solid):
            return _SOLIDS[solid.tag](solid, self.assets, look)

    def _color(self, node: Node) -> Color | None:
        """The color of a shape, written with it or by the name of its material; None if there is none to be read."""
        material = node.child("material")
        if material is None:
            return None
        if material.children("color"):
            with self._noting():
                return _rgba(material)
        return self.colors.get(material.element.attributes.get("name", ""))


def _rgba(material: Node) -> Color:
    color = material.needed_child("color")
    red, green, blue, opacity = color.numbers("rgba", 4)
    if not all(0.0 <= part <= 1.0 for part in (red, green, blue, opacity)):
        color.fail(f"rgba of <color> is {(red, green, blue, opacity)}: expected red, green, blue and opacity, each "
                   "from 0 to 1")
    return red, green, blue, opacity


# What links look like, as URDF writes it: `<visual>` and `<collision>`.


@dataclass
class ShapeWriter:
    """Writes the shapes of links; equal colors are one material."""

    lost: list[str] = field(default_factory=list)
    materials: dict[Color, str] = field(default_factory=dict)

    def write(self, link: Link, tag: Tag) -> None:
        """The shapes of a link, into its element."""
        for shape in link.shapes:
            geometry = Tag("geometry")
            if not self._geometry(geometry, shape, link):
                continue
            inside = tag.add(shape.purpose, name=shape.name)
            if shape.pose != Pose():
                angles = roll_pitch_yaw(shape.pose)
                inside.add("origin", xyz=numbers_text(shape.pose.translation),
                           rpy=numbers_text(angles) if any(angles) else None)
            inside.children.append(geometry)
            if shape.color is not None:
                name = self.materials.setdefault(shape.color, f"color_{len(self.materials) + 1}")
                inside.add("material", name=name).add("color", rgba=numbers_text(shape.color))

    def _geometry(self, tag: Tag, shape: LinkShape, link: Link) -> bool:
        match shape:
            case BoxShape():
                tag.add("box", size=numbers_text(shape.size))
            case SphereShape():
                tag.add("sphere", radius=number_text(shape.radius))
            case CylinderShape():
                tag.add("cylinder", radius=number_text(shape.radius), length=number_text(shape.length))
            case CapsuleShape():
                tag.add("capsule", radius=number_text(shape.radius), length=number_text(shape.length))
            case MeshShape():
                scale = None if shape.scale == (1.0, 1.0, 1.0) else numbers_text(shape.scale)
                tag.add("mesh", filename=mesh_name(shape), scale=scale)
                self.lost += not_written(shape, link)
            case EllipsoidShape() if len(set(shape.radii)) == 1:
                tag.add("sphere", radius=number_text(shape.radii[0]))
            case _:
                self.lost.append(f"{shape.kind} of link '{link.name}': URDF has no such shape")
                return False
        return True
