"""Meshes from files, as triangles: STL, OBJ, DAE, PLY, OFF, glTF, by trimesh (extra `meshes`), in a process of
its own (see `loadpath.foreign`).

Coordinates are those of the file. A DAE's unit of length is applied; which way it says is up is not, as RViz, Gazebo
and Coal do: makers of robot files rely on that. STL, OBJ, PLY and OFF have no unit: the robot's file scales them.
"""

from __future__ import annotations

import importlib.util
import os
import re
from functools import lru_cache
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from loadpath.errors import ModelError, warn
from loadpath.foreign.messages import Message, as_bytes
from loadpath.foreign.process import Parser
from loadpath.printable import printable
from loadpath.robot.solids import Solid
from loadpath.robot.triangles import Triangles
from loadpath.scalars.types import Floats

LARGEST_MESH = 512 * 2**20
"""Bytes of a mesh file that are read."""
_XML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<[?!A-Za-z_]")
_ENCODING = re.compile(rb"""<\?xml[^>]*?encoding\s*=\s*["']([^"']*)""")
_OF_ASCII = re.compile(rb"utf-?8|(us-)?ascii|iso-8859-[0-9]+|latin-?1|(windows-|cp)125[0-9]", re.IGNORECASE)
"""Encodings in which a tag is written in the bytes of ASCII, and nothing else is."""
MESHES_KEPT = 256
"""Meshes that are kept in memory."""
_READER = Parser("loadpath.foreign.mesh_reader", "the reader of meshes")
_BESIDE = (".mtl", ".bin")
"""Endings of files that a mesh may name."""
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


@lru_cache(maxsize=MESHES_KEPT)
def _from_file(path: str, changed: int, size: int) -> Triangles:
    content = Path(path).read_bytes()
    return _parsed(path, Path(path).suffix.lower(), content, folder=Path(path).parent)


@lru_cache(maxsize=MESHES_KEPT)
def _from_content(name: str, ending: str, content: bytes) -> Triangles:
    return _parsed(name, ending, content, folder=None)


def _parsed(name: str, ending: str, content: bytes, folder: Path | None) -> Triangles:
    if importlib.util.find_spec("trimesh") is None:
        raise ImportError("meshes are read by trimesh: pip install 'loadpath[meshes]'")
    if ending == ".dae":
        _refuse_entities(name, content)
    request = Message({"ending": ending}, {"content": as_bytes(content)})
    try:
        reply = _READER.run(request, name, lambda question: _sent(folder, str(question.fields.get("file"))))
    except ImportError as problem:
        raise ImportError(f"{name}: {problem}") from None
    if not reply.arrays:
        raise ModelError(f"{name}: the mesh has no triangles; export it anew, as a surface of triangles")
    if not {"vertices", "faces"} <= set(reply.arrays) <= {"vertices", "faces", "colors"}:
        raise ModelError(f"{name}: the mesh has triangles without corners; export it anew")
    return _checked(name, **reply.arrays)


def _refuse_entities(name: str, content: bytes) -> None:
    """Entities of XML, which could stand for other files; and what could hide them from a look at the bytes: the
    reader would unpack an archive, and take UTF-16.
    """
    start = content[:1000]
    encoding = _ENCODING.search(start)
    if not _XML.match(start) or (encoding is not None and not _OF_ASCII.fullmatch(encoding[1])):
        raise ModelError(f"{name}: the mesh is no XML in UTF-8; export it anew")
    if b"<!ENTITY" in content or b"<!DOCTYPE" in content:
        raise ModelError(f"{name}: XML entities are refused in meshes")


def _checked(name: str, vertices: Floats, faces: NDArray[np.int64], colors: Floats | None = None) -> Triangles:
    """Triangles as the reader's process sends them, if they are some."""
    if not np.isfinite(vertices).all():
        raise ModelError(f"{name}: the mesh has corners at coordinates that are no finite numbers; export it anew")
    corners = vertices.shape[1:] == faces.shape[1:] == (3,) and faces.dtype == np.int64 and len(faces) > 0
    if not corners or faces.min() < 0 or faces.max() >= len(vertices):
        raise ModelError(f"{name}: the mesh has triangles without corners; export it anew")
    if colors is not None and (colors.shape != (len(faces), 4) or not np.isfinite(colors).all()):
        raise ModelError(f"{name}: the mesh has colors that are none; export it anew")
    return Triangles(vertices, faces, colors)


def _sent(folder: Path | None, written: str) -> Message:
    """A file that a mesh names: its buffers or materials, from its own folder and no other place. Pictures are not
    needed, and a mesh from an archive has nothing beside it.
    """
    name = written.strip().lstrip("/")
    if folder is None or not name.lower().endswith(_BESIDE):
        return Message()
    try:
        path = (folder / name).resolve()
        inside = path.is_relative_to(folder.resolve()) and path.is_file()
        if not inside or path.stat().st_size > LARGEST_MESH:
            return Message()
        return Message(arrays={"content": as_bytes(path.read_bytes())})
    except (OSError, ValueError):
        return Message()


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

