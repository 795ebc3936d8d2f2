"""MuJoCo compiles a model; runs in a process of its own. It opens no file: texts and meshes come from the caller.

What the compiler need not see, and what it would refuse though a robot may have it, is replaced before it compiles.
Meshes are read only where an inertia comes from them: others stand in as spheres without mass, so that a file with
missing meshes loads, and loads fast. Textures, height fields, skins and pairs of geoms that touch go. Inertias that no
real body has (which one published robot in four has) stand in as those of a ball and come back after compiling, with
the warning that all robots give.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

import numpy as np

from loadpath.errors import ModelError
from loadpath.foreign.messages import Message
from loadpath.foreign.mujoco_sending import sent_model

try:
    import mujoco
except ImportError as problem:
    raise ImportError("MJCF is read by MuJoCo's own compiler: pip install loadpath[mjcf]") from problem
if not hasattr(getattr(mujoco, "MjsGeom", None), "id"):
    raise ImportError(f"MJCF is read through mujoco.MjSpec of MuJoCo 3.3.1 or newer, this is {mujoco.__version__}: "
                      "pip install --upgrade loadpath[mjcf]")

MAIN = "main"
"""The text that includes the others."""
_UNREADABLE_ELSEWHERE = (".msh",)
"""MuJoCo's own format of meshes, which nobody else reads."""
_SMALLEST = 1e-15
"""MuJoCo refuses masses and moments of moving bodies that are smaller."""
_SLACK = 1e-6
_SHORT_OF_MEMORY = ("unknown exception", "bad_alloc", "could not allocate", "out of memory")

Ask = Callable[[dict[str, Any]], Message]


@dataclass
class _StandIns:
    """Elements of the specification with what they stand in for; after compiling they know their numbers, as long as
    the specification is there.
    """

    spec: Any
    meshes: list[tuple[Any, int, bool]] = field(default_factory=list)
    """A geom, the number of its mesh, and whether MuJoCo reads that."""
    inertias: list[tuple[Any, float, tuple[float, ...]]] = field(default_factory=list)
    """A body, with mass and moments as the file gives them."""
    undrawn: list[Any] = field(default_factory=list)
    """Geoms that are no shapes: height fields, and solids fitted to a mesh that is not there."""
    missing: set[int] = field(default_factory=set)
    """Numbers of meshes that are not there."""


def run(request: Message, ask: Ask) -> Message:
    """The compiled model of texts, or MuJoCo's words on why there is none."""
    try:
        with _heard() as heard:
            model, meshes, stand_ins = compiled(request.arrays, ask)
    except (ValueError, RuntimeError, TypeError) as problem:
        if isinstance(problem, ModelError):
            raise
        if any(words in str(problem).lower() for words in _SHORT_OF_MEMORY):
            raise MemoryError from None
        return Message({"problem": str(problem)})
    reply = sent_model(model)
    reply.fields["said"] = heard
    reply.fields["undrawn"] = [int(geom.id) for geom in stand_ins.undrawn]
    reply.fields["missing"] = sorted(stand_ins.missing)
    reply.fields["meshes"] = [[int(geom.id), number, read] for geom, number, read in stand_ins.meshes]
    reply.fields["inertias"] = [[int(body.id), len(moments)] for body, _, moments in stand_ins.inertias]
    reply.arrays["raw_inertias"] = np.array(
        [[mass, *moments, *[0.0] * (6 - len(moments))] for _, mass, moments in stand_ins.inertias], dtype="<f8"
    ).reshape(-1, 7)
    reply.fields["mesh_names"] = [mesh.name for mesh in meshes]
    reply.arrays["mesh_frames"] = np.array([mesh.frame for mesh in meshes], dtype="<f8").reshape(-1, 10)
    for geom, number, read in stand_ins.meshes:
        if read and meshes[number].by_numbers:
            _send_numbers(model, int(model.geom_dataid[geom.id]), number, reply)
    return reply


def compiled(texts: Mapping[str, Any], ask: Ask) -> tuple[Any, list[_Mesh], _StandIns]:
    """The `mujoco.MjModel` of texts, the meshes of its specification, and what stands in it for other things."""
    content = {name: text.tobytes() for name, text in texts.items()}
    spec = mujoco.MjSpec.from_string(content.pop(MAIN).decode(), include=content)
    # Welded bodies and shapes that nothing touches are left out of simulations; here they are wanted.
    spec.compiler.fusestatic = False
    spec.compiler.discardvisual = False
    _drop_what_moves_nothing(spec)
    meshes = [_Mesh(mesh, spec) for mesh in spec.meshes]
    places = ask({"meshes": [[mesh.file, mesh.folder, mesh.stripped] for mesh in meshes]}).fields
    for mesh, uri, there in zip(meshes, places["uris"], places["there"], strict=True):
        mesh.uri, mesh.there = str(uri), bool(there)
    stand_ins = _StandIns(spec)
    read = _replace_meshes(spec, meshes, stand_ins)
    numbers = sorted(number for number in read if meshes[number].there)
    sent = ask({"contents": numbers}).arrays if numbers else {}
    spec.assets = {meshes[number].given_to_mujoco(number): sent[str(number)].tobytes() for number in numbers}
    for number, mesh in enumerate(meshes):
        if number not in read and mesh.file:
            _delete(spec, mesh.element)
    _replace_inertias(spec, stand_ins)
    return spec.compile(), meshes, stand_ins


@contextmanager
def _heard() -> Iterator[list[str]]:
    """What MuJoCo warns of, which it would otherwise print and write to a file."""
    found: list[str] = []
    mujoco.set_mju_user_warning(found.append)
    try:
        with warnings.catch_warnings(record=True) as python:
            warnings.simplefilter("always")
            yield found
    finally:
        mujoco.set_mju_user_warning(None)
    found += [str(warning.message) for warning in python]


class _Mesh:
    """A mesh of a specification: where it comes from."""

    def __init__(self, element: Any, spec: Any) -> None:
        self.element = element
        self.file = str(element.file).replace("\\", "/")
        compiler = getattr(element, "compiler", None) or spec.compiler
        self.folder = str(getattr(compiler, "meshdir", "") or getattr(spec, "meshdir", "")).replace("\\", "/")
        self.stripped = bool(getattr(spec, "strippath", False))
        self.name = str(element.name) or PurePosixPath(self.file).stem  # without a name it has that of its file
        self.frame = [float(entry) for part in ("scale", "refpos", "refquat") for entry in getattr(element, part)]
        self.uri, self.there = "", False

    @property
    def by_numbers(self) -> bool:
        """Whether only the compiled model has its vertices in a form that others can read."""
        turned = abs(self.frame[6]) != 1.0 and len(set(self.frame[:3])) > 1
        return not self.uri or self.uri.lower().endswith(_UNREADABLE_ELSEWHERE) or turned

    def given_to_mujoco(self, number: int) -> str:
        """Names the mesh by its number, so that no two are one: MuJoCo knows files by the last part of their names."""
        self.element.name = self.name
        self.element.file = f"mesh{number}{PurePosixPath(self.uri).suffix}"
        return str(self.element.file)


def _drop_what_moves_nothing(spec: Any) -> None:
    for material in spec.materials:
        material.textures = [""] * len(list(material.textures))
    for kind in ("textures", "skins", "hfields", "pairs", "excludes"):
        for element in list(getattr(spec, kind, ())):
            _delete(spec, element)


def _delete(spec: Any, element: Any) -> None:
    """Takes an element out of the specification, in old and new versions of MuJoCo."""
    if hasattr(element, "delete"):
        element.delete()
    else:
        spec.delete(element)


def _replace_meshes(spec: Any, meshes: list[_Mesh], stand_ins: _StandIns) -> set[int]:
    """The numbers of meshes that MuJoCo reads: where an inertia or a fitted shape needs it, or nobody else can."""
    numbers = {mesh.name: number for number, mesh in enumerate(meshes)}
    read: set[int] = set()
    for body in spec.bodies:
        for geom in body.geoms:
            if geom.type == mujoco.mjtGeom.mjGEOM_HFIELD:
                _as_sphere(geom)
                stand_ins.undrawn.append(geom)
            elif geom.meshname in numbers and geom.type != mujoco.mjtGeom.mjGEOM_SDF:
                number = numbers[geom.meshname]
                if _reads(spec, body, geom, meshes[number], number, stand_ins):
                    read.add(number)
    return read


def _reads(spec: Any, body: Any, geom: Any, mesh: _Mesh, number: int, stand_ins: _StandIns) -> bool:
    """Whether MuJoCo reads the mesh of a geom; otherwise a sphere stands in for it."""
    is_mesh = geom.type == mujoco.mjtGeom.mjGEOM_MESH
    weighs = _weighs(spec, body, geom)
    if mesh.uri and not mesh.there and weighs:
        raise ModelError(f"body '{body.name}': its inertia comes from the mesh '{mesh.uri}', which is not there: put "
                         "the file in its place, or give the body an <inertial>")
    if not weighs and (not mesh.there or is_mesh) and (mesh.uri and not (mesh.there and mesh.by_numbers)):
        _as_sphere(geom)
        if is_mesh:
            stand_ins.meshes.append((geom, number, False))
        else:
            stand_ins.undrawn.append(geom)
        stand_ins.missing |= set() if mesh.there else {number}
        return False
    if is_mesh:
        stand_ins.meshes.append((geom, number, True))
    return True


def _as_sphere(geom: Any) -> None:
    """A sphere keeps the place where the geom is; without mass it counts nowhere."""
    geom.type = mujoco.mjtGeom.mjGEOM_SPHERE
    geom.meshname = ""
    geom.hfieldname = ""
    geom.size = [1.0, 0.0, 0.0]
    geom.mass = 0.0


def _weighs(spec: Any, body: Any, geom: Any) -> bool:
    """Whether the inertia of a body comes from this geom."""
    compiler = getattr(body, "compiler", None) or spec.compiler
    inferred = int(compiler.inertiafromgeom)
    if inferred == 0 or (inferred == 2 and body.explicitinertial) or body.name == "world":
        return False
    low, high = compiler.inertiagrouprange
    if not low <= geom.group <= high:
        return False
    return bool(geom.mass != 0 if not math.isnan(geom.mass) else geom.density != 0)


def _replace_inertias(spec: Any, stand_ins: _StandIns) -> None:
    for body in spec.bodies:
        compiler = getattr(body, "compiler", None) or spec.compiler
        corrected = compiler.balanceinertia or compiler.boundmass > 0 or compiler.boundinertia > 0
        if corrected or compiler.settotalmass > 0 or int(compiler.inertiafromgeom) == 1 or not body.explicitinertial:
            continue
        whole = not math.isnan(body.fullinertia[0])
        moments = tuple(float(entry) for entry in (body.fullinertia if whole else body.inertia))
        if _would_be_refused(float(body.mass), moments, moving=any(True for _ in body.joints)):
            stand_ins.inertias.append((body, float(body.mass), moments))
            body.mass, body.inertia = 1.0, [1.0, 1.0, 1.0]
            body.fullinertia = [math.nan, 0.0, 0.0, 0.0, 0.0, 0.0]


def _would_be_refused(mass: float, moments: tuple[float, ...], moving: bool) -> bool:
    if len(moments) == 6:
        xx, yy, zz, xy, xz, yz = moments
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        if not np.isfinite(tensor).all():
            return False  # MuJoCo says what is wrong
        a, b, c = np.linalg.eigvalsh(tensor)
    else:
        a, b, c = sorted(moments)
    smallest = _SMALLEST if moving else 0.0
    return bool(mass < smallest or a < smallest or a + b < c * (1 + _SLACK))


def _send_numbers(model: Any, mesh: int, number: int, reply: Message) -> None:
    """Vertices and faces of a mesh that only the compiled model has."""
    first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
    reply.arrays[f"vertices {number}"] = np.array(model.mesh_vert[first : first + count], dtype="<f4")
    first, count = int(model.mesh_faceadr[mesh]), int(model.mesh_facenum[mesh])
    reply.arrays[f"faces {number}"] = np.array(model.mesh_face[first : first + count], dtype="<i8")
