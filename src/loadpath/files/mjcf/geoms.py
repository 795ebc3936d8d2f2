"""Geoms of a compiled model as shapes of links.

A geom that nothing touches (contype and conaffinity 0) is to be seen, others are to be touched; what is touched is also
what is seen where a body has nothing else, in the groups that MuJoCo shows (0 to 2). Planes and height fields are the
ground, no shape of a link. Meshes are in the frame of their own file, which MuJoCo moves to their mass center.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from loadpath.files.assets import Assets
from loadpath.files.mjcf.compiling import CompiledModel
from loadpath.files.mjcf.mesh_sources import MeshSource
from loadpath.files.mjcf.places import pose_at
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
