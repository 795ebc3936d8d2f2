"""Geoms of a compiled model as shapes of links.

A geom that nothing touches (contype and conaffinity 0) is to be seen, others are to be touched; what is touched is also
what is seen where a body has nothing else, in the groups that MuJoCo shows (0 to 2). Planes and height fields are the
ground, no shape of a link. Meshes are in the frame of their own file, which MuJoCo moves to their mass center.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from loadpath.files.assets import Assets
from loadpath.files.mjcf.compiling import CompiledModel, MeshSource
from loadpath.files.mjcf.joints import unique
from loadpath.files.mjcf.remembered import pose_at, quaternion_of
from loadpath.files.xml_writing import Tag, number_text, numbers_text
from loadpath.foreign.mujoco_model import MujocoModel
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

_SHOWN = 2
"""The last group of geoms that MuJoCo's viewer shows."""


def shapes_of(compiled: CompiledModel, assets: Assets) -> dict[int, tuple[LinkShape, ...]]:
    """Shapes by the number of the body."""
    model = compiled.model
    found: dict[int, tuple[LinkShape, ...]] = {}
    for body in range(model.count["body"]):
        first = int(model.body_geomadr[body])
        geoms = range(first, first + int(model.body_geomnum[body]))
        seen: list[tuple[int, LinkShape]] = []
        touched: list[tuple[int, LinkShape]] = []
        for geom in geoms:
            shape = _shape(compiled, geom, assets)
            if shape is not None:
                touches = bool(model.geom_touches[geom])
                (touched if touches else seen).append((int(model.geom_group[geom]), shape))
        also = (
            [] if any(group <= _SHOWN for group, _ in seen) else [shape for group, shape in touched if group <= _SHOWN]
        )
        shapes = (*(shape for _, shape in seen), *also, *(replace(shape, purpose="collision") for _, shape in touched))
        if shapes:
            found[body] = shapes
    return found


def _shape(compiled: CompiledModel, geom: int, assets: Assets) -> LinkShape | None:
    model = compiled.model
    size = [float(entry) for entry in model.geom_size[geom]]
    common: dict[str, Any] = {
        "pose": pose_at(model.geom_pos[geom], model.geom_quat[geom]),
        "color": _color(model, geom),
        "name": model.geom_name[geom],
    }
    if geom in compiled.undrawn:
        return None
    origin = compiled.meshes.get(geom)
    if origin is not None:
        return _mesh(model, geom, origin, assets, common)
    return _solid(model.geom_kind[geom], size, common)


def _solid(kind: str, size: list[float], common: dict[str, Any]) -> LinkShape | None:
    a, b, c = size
    make: dict[str, Callable[[], LinkShape]] = {
        "sphere": lambda: SphereShape(a, **common),
        "box": lambda: BoxShape((2 * a, 2 * b, 2 * c), **common),
        "ellipsoid": lambda: EllipsoidShape((a, b, c), **common),
        "cylinder": lambda: CylinderShape(a, 2 * b, **common),
        "capsule": lambda: CapsuleShape(a, 2 * b, **common),
    }
    return make[kind]() if kind in make else None


def _color(model: MujocoModel, geom: int) -> Color:
    material = int(model.geom_matid[geom])
    own = model.geom_rgba[geom]
    unchanged = np.allclose(own, 0.5 * np.ones(4) + [0, 0, 0, 0.5])
    red, green, blue, opacity = model.mat_rgba[material] if material >= 0 and unchanged else own
    return tuple(float(min(max(entry, 0.0), 1.0)) for entry in (red, green, blue, opacity))  # type: ignore[return-value]


def _mesh(model: MujocoModel, geom: int, origin: MeshSource, assets: Assets, common: dict[str, Any]) -> LinkShape:
    if origin.numbers is not None:
        return MeshShape(f"{origin.name}.obj", content=origin.numbers, **common)
    pose: Pose = common["pose"]
    if origin.compiled:
        mesh = int(model.geom_dataid[geom])
        pose = pose @ pose_at(model.mesh_pos[mesh], model.mesh_quat[mesh]).inverse()
    # The file's vertices are moved by refpos, turned by refquat, then scaled.
    turn = pose_at((0.0, 0.0, 0.0), origin.refquat).inverse()
    shift = np.array(origin.scale) * (turn.R @ -np.array(origin.refpos))
    pose = pose @ Pose(turn.rotation, tuple((shift + 0.0).tolist()))
    located = origin.found if origin.found is not None else origin.uri
    content = assets.members.get(located) if assets.members else None
    return MeshShape(located, origin.scale, content=content, uri=origin.uri, **{**common, "pose": pose})


# Shapes of links as geoms: what is seen in group 2, touching nothing; what is touched in group 3.


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
