"""Meshes from files, as triangles: STL, OBJ, DAE, PLY, OFF, glTF, by trimesh (extra `meshes`).

Coordinates are those of the file. A DAE's unit of length is applied; which way it says is up is not, as RViz, Gazebo
and Coal do: makers of robot files rely on that. STL, OBJ, PLY and OFF have no unit: the robot's file scales them.
"""

from __future__ import annotations

import io
import os
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from loadpath.errors import ModelError, warn
from loadpath.printable import printable
from loadpath.robot.solids import Solid
from loadpath.robot.triangles import Triangles

LARGEST_MESH = 512 * 2**20
"""Bytes of a mesh file that are read."""
KEPT = 256
"""Meshes that are kept in memory."""
ENDINGS = (".stl", ".obj", ".dae", ".ply", ".off", ".gltf", ".glb")

IfOpen: TypeAlias = Literal["hull", "refuse"]
"""What to do about a mesh with holes, which bounds no volume: take its convex hull and warn, or refuse it."""


def read_mesh(file: str | os.PathLike[str], content: bytes | None = None) -> Triangles:
    """The triangles of a mesh file, or of its content, where `file` only names it. A file is read again only after it
    has changed.

    >>> read_mesh("nowhere.stl")
    Traceback (most recent call last):
    loadpath.errors.ModelError: nowhere.stl: there is no such mesh file: is the folder of its package known?
    """
    name = printable(os.fspath(file))
    ending = Path(name).suffix.lower()
    if ending not in ENDINGS:
        raise ModelError(f"{name}: meshes ending in '{ending}' are not read; there are {', '.join(ENDINGS)}")
    if content is not None:
        if len(content) > LARGEST_MESH:
            raise ModelError(_too_large(name))
        return _from_content(name, ending, content)
    path = Path(file)
    try:
        status = path.stat()
    except (OSError, ValueError):
        raise ModelError(f"{name}: there is no such mesh file: is the folder of its package known?") from None
    if not path.is_file():
        raise ModelError(f"{name}: this is no file: expected a mesh, like forearm.stl")
    if status.st_size > LARGEST_MESH:
        raise ModelError(_too_large(name))
    return _from_file(str(path.resolve()), status.st_mtime_ns, status.st_size)


def _too_large(name: str) -> str:
    return f"{name}: the mesh is larger than {LARGEST_MESH >> 20} MiB: expected one with fewer triangles"


@lru_cache(maxsize=KEPT)
def _from_file(path: str, changed: int, size: int) -> Triangles:
    content = Path(path).read_bytes()
    return _parsed(path, Path(path).suffix.lower(), content, folder=Path(path).parent)


@lru_cache(maxsize=KEPT)
def _from_content(name: str, ending: str, content: bytes) -> Triangles:
    return _parsed(name, ending, content, folder=None)


def _parsed(name: str, ending: str, content: bytes, folder: Path | None) -> Triangles:
    try:
        import trimesh
    except ImportError as problem:
        raise ImportError("meshes are read by trimesh: pip install 'loadpath[meshes]'") from problem
    if ending in (".dae", ".gltf") and (b"<!ENTITY" in content or b"<!DOCTYPE" in content):
        raise ModelError(f"{name}: XML entities are refused in meshes")
    resolver = None if folder is None else trimesh.resolvers.FilePathResolver(str(folder))
    try:
        scene = trimesh.load_scene(io.BytesIO(content), file_type=ending[1:], resolver=resolver, process=False)
        parts = scene.dump(concatenate=False)
        made = _one(parts)
    except ImportError as problem:
        raise ImportError(f"{name}: reading it needs {problem.name}: pip install 'loadpath[meshes]'") from problem
    except Exception as problem:  # whatever a parser of a broken file may raise
        why = printable(str(problem) or type(problem).__name__)[:200]
        raise ModelError(f"{name}: the mesh cannot be read as {ending[1:].upper()}: {why}; export it anew") from None
    if made is None:
        raise ModelError(f"{name}: the mesh has no triangles; export it anew, as a surface of triangles")
    if not np.isfinite(made.vertices).all():
        raise ModelError(f"{name}: the mesh has corners at coordinates that are no finite numbers; export it anew")
    return made


def _one(parts: list[Any]) -> Triangles | None:
    """All surfaces of a scene as one, with what is no surface left out (points, lines, cameras)."""
    surfaces = [part for part in parts if len(getattr(part, "faces", ())) and len(part.vertices)]
    if not surfaces:
        return None
    vertices, faces, colors, count = [], [], [], 0
    for part in surfaces:
        vertices.append(np.asarray(part.vertices, dtype=float) * _metres(part))
        faces.append(np.asarray(part.faces, dtype=np.int64) + count)
        colors.append(_colors(part))
        count += len(part.vertices)
    known = any(color is not None for color in colors)
    grey = np.array([0.6, 0.6, 0.6, 1.0])
    painted = [
        np.broadcast_to(grey, (len(face), 4)) if color is None else color
        for color, face in zip(colors, faces, strict=True)
    ]
    return Triangles(np.concatenate(vertices), np.concatenate(faces), np.concatenate(painted) if known else None)


def _metres(part: Any) -> float:
    """The unit of length of a DAE (trimesh writes it as "0.01 * meters")."""
    written = str(part.metadata.get("units") or part.units or "meters")
    factor, star, _ = written.partition("*")
    return float(factor) if star else 1.0


def _colors(part: Any) -> Any:
    """Of each face, where the file has any; of a texture, its material's color."""
    visual = part.visual
    if not visual.defined:
        return None
    if visual.kind == "texture":
        color = np.asarray(visual.material.main_color, dtype=float).reshape(-1)
        color = np.concatenate([color, [255.0]])[:4]
        return np.broadcast_to(color / 255, (len(part.faces), 4))
    return np.asarray(visual.face_colors, dtype=float) / 255


def solid_of_mesh(surface: Triangles, what: str, if_open: IfOpen) -> Solid:
    """The solid that a mesh bounds; `what` names it in messages."""
    if if_open not in ("hull", "refuse"):
        raise ValueError(f"if_open is {if_open!r}: expected 'hull' or 'refuse'")
    try:
        if surface.is_closed:
            return surface.solid
        if if_open == "refuse":
            raise ModelError(f"{surface.why_open}. Close it, or take its convex hull with if_open='hull'")
        found = surface.hull.solid
    except ModelError as problem:
        raise ModelError(f"{what}: {problem}") from None
    warn(f"{what}: {surface.why_open}. The volume is that of its convex hull, more than that of the part")
    return found

