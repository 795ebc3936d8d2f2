"""What links look like, as URDF writes it: `<visual>` and `<collision>`."""

from __future__ import annotations

from dataclasses import dataclass, field

from loadpath.files.exact_angles import roll_pitch_yaw
from loadpath.files.written import mesh_name, not_written
from loadpath.files.xml_writing import Tag, number_text, numbers_text
from loadpath.robot.parts import Link
from loadpath.robot.pose import Pose
from loadpath.robot.shapes import (
    BoxShape,
    CapsuleShape,
    Color,
    CylinderShape,
    EllipsoidShape,
    LinkShape,
    MeshShape,
    SphereShape,
)


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
