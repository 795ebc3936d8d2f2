"""What the compiler need not see, and what it would refuse though a robot may have it, replaced before it compiles.

Meshes are read only where an inertia comes from them: others stand in as spheres without mass, so that a file with
missing meshes loads, and loads fast. Textures, height fields, skins and pairs of geoms that touch go. Inertias that no
real body has (which one published robot in four has) stand in as those of a ball and come back after compiling, with
the warning that all robots give.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from loadpath.errors import ModelError
from loadpath.files.assets import Assets
from loadpath.files.mjcf.checking import CheckedFiles
from loadpath.files.mjcf.mesh_sources import MeshSource, mesh_name, mesh_source, path_on_disk

LARGEST_MESH = 2**30
"""Bytes of a mesh that is read for its inertia."""
_SMALLEST = 1e-15
"""MuJoCo refuses masses and moments of moving bodies that are smaller."""
_SLACK = 1e-6


@dataclass(frozen=True)
class RawInertia:
    """An inertia as the file gives it; moments or a whole tensor, about the mass center."""

    mass: float
    moments: tuple[float, ...]
    """Three about the axes of the inertial frame, or six of a tensor in the body's axes: xx yy zz xy xz yz."""


@dataclass
class StandIns:
    """Elements of the specification with what they stand in for; after compiling they know their numbers."""

    meshes: list[tuple[Any, MeshSource]] = field(default_factory=list)
    inertias: list[tuple[Any, RawInertia]] = field(default_factory=list)
    undrawn: list[Any] = field(default_factory=list)
    """Geoms that are no shapes: height fields, and solids fitted to a mesh that is not there."""
    missing: set[str] = field(default_factory=set)
    """Meshes that are not there."""


def put_stand_ins(mujoco: Any, spec: Any, assets: Assets, checked: CheckedFiles, room: Path, source: str) -> StandIns:
    """Replaces, in the specification, what the compiler need not see."""
    stand_ins = StandIns()
    _drop_what_moves_nothing(spec)
    meshes = {mesh_name(mesh): mesh for mesh in spec.meshes}
    needed: set[str] = set()
    for body in spec.bodies:
        for geom in body.geoms:
            if geom.type == mujoco.mjtGeom.mjGEOM_HFIELD:
                _as_sphere(mujoco, geom)
                stand_ins.undrawn.append(geom)
            elif geom.meshname in meshes and geom.type != mujoco.mjtGeom.mjGEOM_SDF:
                name = str(geom.meshname)
                compiled = _keep_or_replace(
                    mujoco, spec, body, geom, meshes[name], assets, checked, room, source, stand_ins
                )
                needed |= {name} if compiled else set()
    for name, mesh in meshes.items():
        if name not in needed and mesh.file:
            delete(spec, mesh)
    _replace_inertias(mujoco, spec, stand_ins)
    return stand_ins


def delete(spec: Any, element: Any) -> None:
    """Takes an element out of the specification, in old and new versions of MuJoCo."""
    if hasattr(element, "delete"):
        element.delete()
    else:
        spec.delete(element)


def _drop_what_moves_nothing(spec: Any) -> None:
    for material in spec.materials:
        material.textures = [""] * len(list(material.textures))
    for kind in ("textures", "skins", "hfields", "pairs", "excludes"):
        for element in list(getattr(spec, kind, ())):
            delete(spec, element)


def _keep_or_replace(mujoco: Any, spec: Any, body: Any, geom: Any, mesh: Any, assets: Assets, checked: CheckedFiles,
                     room: Path, source: str, stand_ins: StandIns) -> bool:  # fmt: skip
    """Whether MuJoCo reads the mesh of a geom: where an inertia or a fitted shape needs it, or nobody else can."""
    origin = mesh_source(mesh, spec, assets, checked, compiled=True)
    is_mesh = geom.type == mujoco.mjtGeom.mjGEOM_MESH
    weighs = _weighs(mujoco, spec, body, geom)
    if origin.uri and origin.found is None and weighs:
        raise ModelError(f"{source}: body '{body.name}': its inertia comes from the mesh '{origin.uri}', which is not "
                         "there: put the file in its place, or give the body an <inertial>")  # fmt: skip
    if not weighs and (origin.found is None or is_mesh) and (origin.uri and not (origin.found and origin.by_numbers)):
        _as_sphere(mujoco, geom)
        if is_mesh:
            stand_ins.meshes.append((geom, mesh_source(mesh, spec, assets, checked, compiled=False)))
        else:
            stand_ins.undrawn.append(geom)
        stand_ins.missing |= {origin.uri} if origin.found is None else set()
        return False
    if origin.found is not None:
        if not assets.members and Path(origin.found).stat().st_size > LARGEST_MESH:
            raise ModelError(f"{source}: the mesh '{origin.uri}' is larger than {LARGEST_MESH >> 20} MiB")
        mesh.file = path_on_disk(origin, assets, room)
    if is_mesh:
        stand_ins.meshes.append((geom, origin))
    return True


def _as_sphere(mujoco: Any, geom: Any) -> None:
    """A sphere keeps the place where the geom is; without mass it counts nowhere."""
    geom.type = mujoco.mjtGeom.mjGEOM_SPHERE
    geom.meshname = ""
    geom.hfieldname = ""
    geom.size = [1.0, 0.0, 0.0]
    geom.mass = 0.0


def _weighs(mujoco: Any, spec: Any, body: Any, geom: Any) -> bool:
    """Whether the inertia of a body comes from this geom."""
    compiler = getattr(body, "compiler", None) or spec.compiler
    inferred = int(compiler.inertiafromgeom)
    if inferred == 0 or (inferred == 2 and body.explicitinertial) or body.name == "world":
        return False
    low, high = compiler.inertiagrouprange
    if not low <= geom.group <= high:
        return False
    return bool(geom.mass != 0 if not math.isnan(geom.mass) else geom.density != 0)


def _replace_inertias(mujoco: Any, spec: Any, stand_ins: StandIns) -> None:
    for body in spec.bodies:
        compiler = getattr(body, "compiler", None) or spec.compiler
        corrected = compiler.balanceinertia or compiler.boundmass > 0 or compiler.boundinertia > 0
        if corrected or compiler.settotalmass > 0 or int(compiler.inertiafromgeom) == 1 or not body.explicitinertial:
            continue
        whole = not math.isnan(body.fullinertia[0])
        moments = tuple(float(entry) for entry in (body.fullinertia if whole else body.inertia))
        raw = RawInertia(float(body.mass), moments)
        if _would_be_refused(raw, moving=any(True for _ in _joints(body))):
            stand_ins.inertias.append((body, raw))
            body.mass, body.inertia = 1.0, [1.0, 1.0, 1.0]
            body.fullinertia = [math.nan, 0.0, 0.0, 0.0, 0.0, 0.0]


def _joints(body: Any) -> Iterator[Any]:
    yield from body.joints


def _would_be_refused(raw: RawInertia, moving: bool) -> bool:
    if len(raw.moments) == 6:
        xx, yy, zz, xy, xz, yz = raw.moments
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        if not np.isfinite(tensor).all():
            return False  # MuJoCo says what is wrong
        a, b, c = np.linalg.eigvalsh(tensor)
    else:
        a, b, c = sorted(raw.moments)
    smallest = _SMALLEST if moving else 0.0
    return bool(raw.mass < smallest or a < smallest or a + b < c * (1 + _SLACK))
