"""Shapes of links as geoms: what is seen in group 2, touching nothing; what is touched in group 3."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from loadpath.files.mjcf.names import unique
from loadpath.files.mjcf.places import quaternion_of
from loadpath.files.xml_writing import Tag, number_text, numbers_text
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

_READ_BY_MUJOCO = (".stl", ".obj", ".msh")


@dataclass
class MeshAssets:
    """Meshes of the file, each once."""

    asset: Tag
    lost: list[str]
    known: dict[tuple[object, ...], str] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    geoms: set[str] = field(default_factory=set)

    def name(self, link: str, shape: MeshShape) -> str | None:
        """The name of the asset; None where MuJoCo cannot have it."""
        path = Path(shape.file)
        if path.suffix.lower() not in _READ_BY_MUJOCO:
            self.lost.append(f"link '{link}': the mesh '{path.name}': MuJoCo reads STL and OBJ")
            return None
        if shape.content is not None or not path.is_file():
            why = "is in an archive" if shape.content is not None else "is not there"
            self.lost.append(f"link '{link}': the mesh '{path.name}' {why}: MuJoCo needs it in a file")
            return None
        key = (shape.file, shape.scale)
        if key not in self.known:
            name = unique(path.stem, self.names)
            self.names.add(name)
            self.known[key] = name
            scale = numbers_text(shape.scale) if shape.scale != (1.0, 1.0, 1.0) else None
            self.asset.add("mesh", name=name, file=str(path), scale=scale)
        return self.known[key]


def write_shape(body: Tag, link: str, shape: LinkShape, meshes: MeshAssets) -> None:
    """A geom of a body."""
    sized = _sized(link, shape, meshes)
    if sized is None:
        return
    name = shape.name if shape.name not in meshes.geoms else ""
    meshes.geoms.add(name)
    seen = {"contype": "0", "conaffinity": "0", "group": "2"} if shape.purpose == "visual" else {"group": "3"}
    place = {"pos": numbers_text(shape.pose.translation), "quat": numbers_text(quaternion_of(shape.pose))}
    at = place if shape.pose != Pose() else {}
    color = {"rgba": numbers_text(shape.color)} if shape.color is not None else {}
    body.add("geom", name=name, **sized, **at, **color, **seen)


def _sized(link: str, shape: LinkShape, meshes: MeshAssets) -> dict[str, str] | None:
    if isinstance(shape, MeshShape):
        name = meshes.name(link, shape)
        return None if name is None else {"type": "mesh", "mesh": name}
    sizes: dict[type, tuple[float, ...]] = {}
    if isinstance(shape, BoxShape):
        sizes[BoxShape] = tuple(length / 2 for length in shape.size)
    elif isinstance(shape, EllipsoidShape):
        sizes[EllipsoidShape] = shape.radii
    elif isinstance(shape, SphereShape):
        sizes[SphereShape] = (shape.radius,)
    elif isinstance(shape, (CylinderShape, CapsuleShape)):
        sizes[type(shape)] = (shape.radius, shape.length / 2)
    size = next(iter(sizes.values()), ())
    if not size or min(size) <= 0:
        meshes.lost.append(f"link '{link}': a {shape.kind} of size {' '.join(map(number_text, size))}: MuJoCo wants "
                           "sizes above 0")
        return None
    return {"type": shape.kind, "size": numbers_text(size)}
