"""Where the meshes of an MJCF file come from: files, found as MuJoCo finds them, or numbers in the file itself."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from pathlib import Path

from loadpath.errors import ModelError
from loadpath.files.assets import Assets
from loadpath.files.mjcf.checking import CheckedFiles
from loadpath.robot.numbers import Vector3

LARGEST_MESH = 2**30
"""Bytes of a mesh that is read for its inertia."""
_ENDINGS = (".stl", ".obj", ".msh")
"""Meshes that MuJoCo reads."""


@dataclass(frozen=True)
class MeshSource:
    """Where a geom's mesh comes from."""

    uri: str
    """Its file, as the model finds it; empty where its numbers are in the model."""
    found: str | None
    """Where it is; None if it is not there."""
    scale: Vector3
    refpos: Vector3
    refquat: tuple[float, float, float, float]
    name: str
    compiled: bool
    """Whether MuJoCo has read it: then its frame in the compiled model is another one."""
    numbers: bytes | None = None
    """The mesh in the OBJ format, where only the compiled model has its vertices in a form that others can read."""


def mesh_located(
    file: str, folder: str, stripped: bool, assets: Assets, checked: CheckedFiles
) -> tuple[str, str | None]:
    """The file of a mesh from the folder of the model, and where it is."""
    file = posixpath.basename(file) if stripped else file
    uri = posixpath.join(folder, file)
    around = {posixpath.dirname(name) for name in checked.others}  # attached models have their own folders
    for candidate in (uri, file, *(posixpath.join(place, uri) for place in sorted(around))):
        found = assets.locate(candidate)
        if found is not None:
            return uri, found
    return uri, None


def mesh_content(found: str, uri: str, assets: Assets) -> bytes:
    """A mesh that an inertia comes from."""
    if not found.lower().endswith(_ENDINGS):
        raise ModelError(f"the mesh '{uri}' gives an inertia: expected one that MuJoCo reads, {', '.join(_ENDINGS)}")
    size = len(assets.members[found]) if assets.members else Path(found).stat().st_size
    if size > LARGEST_MESH:
        raise ModelError(f"the mesh '{uri}' is larger than {LARGEST_MESH >> 20} MiB")
    return assets.members[found] if assets.members else Path(found).read_bytes()
