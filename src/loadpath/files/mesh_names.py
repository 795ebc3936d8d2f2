"""How written files name the meshes of links."""

from __future__ import annotations

import re
from pathlib import Path

from loadpath.robot.parts import Link
from loadpath.robot.shapes import MeshShape

_SCHEME = re.compile(r"[a-z]+://", re.IGNORECASE)


def mesh_name(shape: MeshShape) -> str:
    """How to name a mesh in a file: as its source names it, but a path from the folder of that file as a whole path, if
    the mesh is there.

    >>> mesh_name(MeshShape("/a/b.stl", uri="package://a/b.stl")), mesh_name(MeshShape("b.stl"))
    ('package://a/b.stl', 'b.stl')
    """
    if shape.uri and (_SCHEME.match(shape.uri) or shape.content is not None or not Path(shape.file).is_absolute()):
        return shape.uri
    return shape.file


def not_written(shape: MeshShape, link: Link) -> list[str]:
    """What is to be said of a mesh whose file is not beside the one that is written."""
    if shape.content is None:
        return []
    return [f"mesh '{shape.file}' of link '{link.name}' came in an archive: it is named, and not written"]
