"""Where the meshes of an MJCF file come from: files, found as MuJoCo finds them, or numbers in the file itself."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from loadpath.files.assets import Assets
from loadpath.files.mjcf.checking import CheckedFiles
from loadpath.robot.numbers import Vector3

_UNREADABLE_ELSEWHERE = (".msh",)
"""MuJoCo's own format of meshes, which nobody else reads."""


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

    @property
    def by_numbers(self) -> bool:
        """Whether only the compiled model has its vertices in a form that others can read."""
        turned = abs(self.refquat[0]) != 1.0 and len(set(self.scale)) > 1
        return not self.uri or self.uri.lower().endswith(_UNREADABLE_ELSEWHERE) or turned


def mesh_source(mesh: Any, spec: Any, assets: Assets, checked: CheckedFiles, compiled: bool) -> MeshSource:
    """Where a mesh of a specification comes from."""
    uri, found = _located(mesh, spec, assets, checked) if mesh.file else ("", None)
    x, y, z = (float(entry) for entry in mesh.scale)
    a, b, c = (float(entry) for entry in mesh.refpos)
    w, i, j, k = (float(entry) for entry in mesh.refquat)
    return MeshSource(uri, found, (x, y, z), (a, b, c), (w, i, j, k), mesh_name(mesh), compiled)


def mesh_name(mesh: Any) -> str:
    """A mesh without a name has that of its file."""
    return str(mesh.name) or PurePosixPath(str(mesh.file).replace("\\", "/")).stem


def _located(mesh: Any, spec: Any, assets: Assets, checked: CheckedFiles) -> tuple[str, str | None]:
    """The file of a mesh from the folder of the model, and where it is."""
    file = str(mesh.file).replace("\\", "/")
    compiler = getattr(mesh, "compiler", None) or spec.compiler
    folder = str(getattr(compiler, "meshdir", "") or getattr(spec, "meshdir", "")).replace("\\", "/")
    if getattr(spec, "strippath", False):
        file = posixpath.basename(file)
    uri = posixpath.join(folder, file)
    around = {posixpath.dirname(name) for name in checked.names}  # attached models have their own folders
    for candidate in (uri, file, *(posixpath.join(place, uri) for place in sorted(around))):
        found = assets.locate(candidate)
        if found is not None:
            return uri, found
    return uri, None


def path_on_disk(source: MeshSource, assets: Assets, room: Path) -> str:
    """The path of a mesh that is there; one of an archive is written to a file first."""
    found = source.found or ""
    if not assets.members:
        return found
    path = room / found.replace("/", "_")
    path.write_bytes(assets.members[found])
    return str(path)
