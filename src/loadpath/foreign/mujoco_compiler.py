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

import mujoco
import numpy as np

from loadpath.errors import ModelError
from loadpath.foreign.messages import Message
from loadpath.foreign.mujoco_model import EQUALITIES, GEOMS, JOINTS, SENT

# A model that MuJoCo has compiled, as the message that `mujoco_model` lists; runs in the compiler's process.


CUSTOM = "loadpath"
"""The name of the custom text that is ours."""
_SWITCHES = ("GRAVITY", "SPRING", "DAMPER", "FRICTIONLOSS", "EQUALITY", "CONSTRAINT", "LIMIT", "PASSIVE")
_PULLS = ("stiffness", "damping", "frictionloss", "armature", "stiffnesspoly", "dampingpoly")


def sent_model(model: Any) -> Message:
    """What a robot is made from of a compiled model."""
    count = {"body": model.nbody, "joint": model.njnt, "dof": model.nv, "q": model.nq, "geom": model.ngeom,
             "mat": model.nmat, "site": model.nsite, "mesh": model.nmesh, "eq": model.neq, "tendon": model.ntendon,
             "wrap": model.nwrap, "actuator": len(model.actuator_trntype)}
    count = {part: int(number) for part, number in count.items()}
    values = {**_words(model, count), **_derived(model, count)}
    reply = Message({
        "count": count,
        "name": _text(model.names, 0) or "MuJoCo Model",
        "custom": _custom(model),
        "disabled": [word for word in _SWITCHES if _is_off(model, word)],
        "sensors": int(model.nsensor),
    })
    option = model.opt
    reply.arrays["world"] = np.array([*option.gravity, option.density, option.viscosity], dtype="<f8")
    for name, each in SENT.items():
        value = values[name] if name in values else getattr(model, name)
        if each.words is not None:
            reply.fields[name] = value
        else:
            reply.arrays[name] = np.array(value, dtype="<f8" if each.least is None else "<i8")
    return reply


def _words(model: Any, count: dict[str, int]) -> dict[str, list[str]]:
    names = {
        f"{prefix}_name": [mujoco.mj_id2name(model, kind, number) or "" for number in range(count[part])]
        for prefix, part, kind in (
            ("body", "body", mujoco.mjtObj.mjOBJ_BODY), ("jnt", "joint", mujoco.mjtObj.mjOBJ_JOINT),
            ("geom", "geom", mujoco.mjtObj.mjOBJ_GEOM), ("site", "site", mujoco.mjtObj.mjOBJ_SITE),
            ("eq", "eq", mujoco.mjtObj.mjOBJ_EQUALITY), ("tendon", "tendon", mujoco.mjtObj.mjOBJ_TENDON),
            ("actuator", "actuator", mujoco.mjtObj.mjOBJ_ACTUATOR),
        )
    }
    return {
        **names,
        "jnt_kind": _kinds(mujoco.mjtJoint, "mjJNT_", model.jnt_type, JOINTS),
        "geom_kind": _kinds(mujoco.mjtGeom, "mjGEOM_", model.geom_type, GEOMS),
        "eq_kind": _kinds(mujoco.mjtEq, "mjEQ_", model.eq_type, EQUALITIES),
        "eq_ends": _kinds(mujoco.mjtObj, "mjOBJ_", model.eq_objtype, ("body", "site")),
        "actuator_acts": _kinds(mujoco.mjtTrn, "mjTRN_", model.actuator_trntype),
        "actuator_bias": _kinds(mujoco.mjtBias, "mjBIAS_", model.actuator_biastype),
        "actuator_gain": _kinds(mujoco.mjtGain, "mjGAIN_", model.actuator_gaintype),
        "actuator_dyn": _kinds(mujoco.mjtDyn, "mjDYN_", model.actuator_dyntype),
        "tendon_acting": [
            " and ".join(word for word in _PULLS if np.any(getattr(model, f"tendon_{word}", [0] * count["tendon"])[k]))
            for k in range(count["tendon"])
        ],
    }


def _kinds(numbers: Any, prefix: str, values: Any, known: tuple[str, ...] = ()) -> list[str]:
    names = {int(number): name.removeprefix(prefix).lower() for name, number in numbers.__members__.items()}
    words = [names.get(int(value), "") for value in values]
    return [word if not known or word in known else "" for word in words]


def _derived(model: Any, count: dict[str, int]) -> dict[str, Any]:
    """What is not an array of the model as it is, or not in all versions of MuJoCo."""

    def any_of(name: str, rows: int) -> Any:
        values = np.asarray(getattr(model, name, np.zeros(rows)))
        return np.any(values.reshape(rows, -1) != 0, axis=1) if rows else np.zeros(0)

    acts, joints, dofs = count["actuator"], count["joint"], count["dof"]
    none = np.zeros(acts)
    key = model.key_qpos[0] if model.nkey else model.qpos0
    wraps = np.asarray(model.wrap_type)
    used = np.zeros(count["site"], dtype=bool)
    used[sorted(_used_sites(model))] = True
    return {
        "jnt_bends": any_of("jnt_stiffnesspoly", joints),
        "jnt_yields": any_of("jnt_springyield", joints),
        "dof_bends": any_of("dof_dampingpoly", dofs),
        "actuator_bends": any_of("actuator_dampingpoly", acts),
        "jnt_actfrclimited": getattr(model, "jnt_actfrclimited", np.zeros(joints)),
        "jnt_actfrcrange": getattr(model, "jnt_actfrcrange", np.zeros((joints, 2))),
        "start": key,
        "eq_data": np.asarray(model.eq_data)[:, :11],
        "geom_touches": (np.asarray(model.geom_contype) != 0) | (np.asarray(model.geom_conaffinity) != 0),
        "geom_contype": np.asarray(model.geom_contype) != 0,
        "site_used": used,
        "tendon_spatial": wraps[np.asarray(model.tendon_adr)] != int(mujoco.mjtWrap.mjWRAP_JOINT) if count["tendon"]
        else np.zeros(0),
        "actuator_trnid": np.asarray(model.actuator_trnid).reshape(acts, 2)[:, 0],
        "actuator_gear": np.asarray(model.actuator_gear).reshape(acts, 6)[:, 0],
        "actuator_gainprm": np.asarray(model.actuator_gainprm).reshape(acts, -1)[:, 0] if acts else none,
        "actuator_damping": getattr(model, "actuator_damping", none),
        "actuator_armature": getattr(model, "actuator_armature", none),
    }


def _used_sites(model: Any) -> set[int]:
    """Sites that something in the model uses: sensors, tendons, actuators."""
    site = int(mujoco.mjtObj.mjOBJ_SITE)
    found: set[int] = set()
    for kinds, numbers in ((model.sensor_objtype, model.sensor_objid), (model.sensor_reftype, model.sensor_refid)):
        found |= {int(number) for kind, number in zip(kinds, numbers, strict=True) if int(kind) == site}
    wrapped = (int(mujoco.mjtWrap.mjWRAP_SPHERE), int(mujoco.mjtWrap.mjWRAP_CYLINDER))
    for kind, number, side in zip(model.wrap_type, model.wrap_objid, model.wrap_prm, strict=True):
        if int(kind) == int(mujoco.mjtWrap.mjWRAP_SITE):
            found.add(int(number))
        elif side >= 0 and int(kind) in wrapped:
            found.add(int(side))  # the side of a wrapped body
    with_sites = {int(mujoco.mjtTrn.mjTRN_SITE), int(mujoco.mjtTrn.mjTRN_SLIDERCRANK)}
    for kind, numbers in zip(model.actuator_trntype, model.actuator_trnid, strict=True):
        if int(kind) in with_sites:
            found |= {int(number) for number in numbers}
    return {number for number in found if 0 <= number < model.nsite}


def _is_off(model: Any, word: str) -> bool:
    flags = mujoco.mjtDisableBit
    return bool(hasattr(flags, f"mjDSBL_{word}") and model.opt.disableflags & int(getattr(flags, f"mjDSBL_{word}")))


def _text(data: Any, start: int) -> str:
    raw = data if isinstance(data, bytes) else bytes(bytearray(data))
    end = raw.find(b"\x00", start)
    return raw[start : end if end >= 0 else None].decode("utf-8", errors="replace").strip()


def _custom(model: Any) -> str:
    number = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_TEXT, CUSTOM)
    return "" if number < 0 else _text(model.text_data, int(model.text_adr[number]))


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
_SMALLEST_MASS = 1e-15
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
    smallest = _SMALLEST_MASS if moving else 0.0
    return bool(mass < smallest or a < smallest or a + b < c * (1 + _SLACK))


def _send_numbers(model: Any, mesh: int, number: int, reply: Message) -> None:
    """Vertices and faces of a mesh that only the compiled model has."""
    first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
    reply.arrays[f"vertices {number}"] = np.array(model.mesh_vert[first : first + count], dtype="<f4")
    first, count = int(model.mesh_faceadr[mesh]), int(model.mesh_facenum[mesh])
    reply.arrays[f"faces {number}"] = np.array(model.mesh_face[first : first + count], dtype="<i8")
