"""The shapes of links as triangles: what a browser draws of boxes, cylinders and meshes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadpath.errors import warn
from loadpath.robot.model import RobotModel
from loadpath.robot.shapes import (
    BoxShape,
    CapsuleShape,
    CylinderShape,
    EllipsoidShape,
    LinkShape,
    MeshShape,
    SphereShape,
)
from loadpath.scalars.types import Floats
from loadpath.viewer.colors import BODY, Color, rgb

SMOOTH = 0.5
"""Edges that turn by less than this (rad) are drawn round."""


class Piece(NamedTuple):
    """A surface of one colour, in the frame of its link."""

    points: Floats
    triangles: NDArray[np.int64]
    color: Color
    opacity: float


def pieces_of(robot: RobotModel) -> tuple[dict[str, list[Piece]], list[str]]:
    """The visible shapes of every link that has any, and the links of which a mesh could not be read: one warning
    names them all.
    """
    found: dict[str, list[Piece]] = {}
    problems: list[str] = []
    without: list[str] = []
    for link in robot.links:
        pieces: list[Piece] = []
        for shape in link.shapes:
            if shape.purpose != "visual":
                continue
            try:
                pieces += _pieces(shape)
            except (OSError, ValueError) as problem:
                problems.append(f"link '{link.name}': {problem}")
                without.append(link.name)
        if pieces:
            found[link.name] = pieces
    if problems:
        others = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        warn(f"robot '{robot.name}' is drawn without some meshes: {problems[0]}{others}")
    return found, without


def _pieces(shape: LinkShape) -> list[Piece]:
    R, p = np.asarray(shape.pose.R, dtype=float), np.asarray(shape.pose.p, dtype=float)
    found = []
    for mesh in _meshes(shape):
        color, opacity = _color(shape, mesh)
        rounded = mesh.smooth_shaded if len(mesh.faces) < 60_000 else mesh
        points = np.asarray(rounded.vertices, dtype=float) @ R.T + p
        found.append(Piece(points, np.asarray(rounded.faces, dtype=np.int64), color, opacity))
    return found


def _meshes(shape: LinkShape) -> Sequence[Any]:
    """The shape in its own frame, as meshes of trimesh."""
    import trimesh
    from trimesh import creation

    if isinstance(shape, BoxShape):
        return [creation.box(extents=shape.size)]
    if isinstance(shape, CylinderShape):
        return [creation.cylinder(radius=shape.radius, height=shape.length, sections=48)]
    if isinstance(shape, CapsuleShape):
        made = creation.capsule(radius=shape.radius, height=shape.length)
        made.apply_translation([0, 0, -0.5 * shape.length])
        return [made]
    if isinstance(shape, (SphereShape, EllipsoidShape)):
        made = creation.icosphere(subdivisions=3, radius=1.0)
        made.apply_scale(shape.radius if isinstance(shape, SphereShape) else shape.radii)
        return [made]
    if not isinstance(shape, MeshShape):
        raise ValueError(f"a {shape.kind} cannot be drawn")
    loaded = trimesh.load(shape.file, force="scene", process=True)
    found = [mesh for mesh in loaded.dump() if getattr(mesh, "faces", None) is not None and len(mesh.faces)]
    for mesh in found:
        mesh.apply_scale(shape.scale)
    if not found:
        raise ValueError(f"mesh '{shape.file}' has no triangles")
    return found


def _color(shape: LinkShape, mesh: Any) -> tuple[Color, float]:
    if shape.color is not None:
        r, g, b, a = shape.color
        return (round(255 * r), round(255 * g), round(255 * b)), a
    visual = getattr(mesh, "visual", None)
    if visual is not None and getattr(visual, "defined", False):
        main = getattr(getattr(visual, "material", visual), "main_color", None)
        if main is not None:
            r, g, b, a = (int(v) for v in np.asarray(main)[:4])
            return (r, g, b), max(a / 255.0, 0.2)
    return rgb(BODY), 1.0
