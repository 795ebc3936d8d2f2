"""What a robot is made from of a model that MuJoCo has compiled: the one list of it, which the compiler's process sends
and the caller checks.

A field says of which parts of the model it has an entry each, how many numbers that is, and what they may be.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from loadpath.errors import ModelError
from loadpath.foreign.messages import Message

Numbers = NDArray[np.float64]
Places = NDArray[np.int64]
Words = tuple[str, ...]

PARTS = ("body", "joint", "dof", "q", "geom", "mat", "site", "mesh", "eq", "tendon", "wrap", "actuator")
"""Parts of a model that are counted."""
JOINTS = ("free", "ball", "slide", "hinge")
GEOMS = ("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf")
EQUALITIES = ("connect", "weld", "joint", "tendon")


@dataclass(frozen=True)
class Each:
    """What a field has for each part of a kind."""

    part: str
    count: int = 1
    """Numbers for each part."""
    unit: bool = False
    """Whether these are quaternions of length one."""
    least: int | None = None
    """The least whole number; None where they are not whole."""
    of: str = ""
    """The parts that these whole numbers count."""
    words: Words | None = None
    """The words that are known, where there are words; none: any."""


def _numbers(part: str, count: int = 1) -> Each:
    return Each(part, count)


def _rotations(part: str) -> Each:
    return Each(part, 4, unit=True)


def _places(part: str, of: str = "", least: int = 0) -> Each:
    """Numbers of other parts of the model; -1, where that is the least one, for none."""
    return Each(part, least=least, of=of)


def _words(part: str, known: Words = ()) -> Each:
    return Each(part, words=known)


@dataclass(frozen=True)
class MujocoModel:
    """A compiled model in plain numbers and words, by MuJoCo's names where it has one."""

    name: str
    custom: str
    """The custom text that is ours."""
    disabled: frozenset[str]
    sensors: int
    gravity: Numbers
    density: float
    viscosity: float
    count: Mapping[str, int]

    body_name: Annotated[Words, _words("body")]
    body_parentid: Annotated[Places, _places("body", "body")]
    body_pos: Annotated[Numbers, _numbers("body", 3)]
    body_quat: Annotated[Numbers, _rotations("body")]
    body_ipos: Annotated[Numbers, _numbers("body", 3)]
    body_iquat: Annotated[Numbers, _rotations("body")]
    body_mass: Annotated[Numbers, _numbers("body")]
    body_inertia: Annotated[Numbers, _numbers("body", 3)]
    body_gravcomp: Annotated[Numbers, _numbers("body")]
    body_plugin: Annotated[Places, _places("body", least=-1)]
    body_mocapid: Annotated[Places, _places("body", least=-1)]
    body_jntadr: Annotated[Places, _places("body", least=-1)]
    body_jntnum: Annotated[Places, _places("body")]
    body_geomadr: Annotated[Places, _places("body", least=-1)]
    body_geomnum: Annotated[Places, _places("body")]

    jnt_name: Annotated[Words, _words("joint")]
    jnt_kind: Annotated[Words, _words("joint", JOINTS)]
    jnt_bodyid: Annotated[Places, _places("joint", "body")]
    jnt_qposadr: Annotated[Places, _places("joint", "q")]
    jnt_dofadr: Annotated[Places, _places("joint", "dof")]
    jnt_pos: Annotated[Numbers, _numbers("joint", 3)]
    jnt_axis: Annotated[Numbers, _numbers("joint", 3)]
    jnt_limited: Annotated[Places, _places("joint")]
    jnt_range: Annotated[Numbers, _numbers("joint", 2)]
    jnt_actfrclimited: Annotated[Places, _places("joint")]
    jnt_actfrcrange: Annotated[Numbers, _numbers("joint", 2)]
    jnt_stiffness: Annotated[Numbers, _numbers("joint")]
    jnt_bends: Annotated[Places, _places("joint")]
    """Whether its spring is not linear."""
    jnt_yields: Annotated[Places, _places("joint")]

    dof_damping: Annotated[Numbers, _numbers("dof")]
    dof_frictionloss: Annotated[Numbers, _numbers("dof")]
    dof_armature: Annotated[Numbers, _numbers("dof")]
    dof_bends: Annotated[Places, _places("dof")]
    """Whether its damping is not linear."""

    qpos0: Annotated[Numbers, _numbers("q")]
    qpos_spring: Annotated[Numbers, _numbers("q")]
    start: Annotated[Numbers, _numbers("q")]
    """The first keyframe, or as the model is written."""

    geom_name: Annotated[Words, _words("geom")]
    geom_kind: Annotated[Words, _words("geom", GEOMS)]
    geom_pos: Annotated[Numbers, _numbers("geom", 3)]
    geom_quat: Annotated[Numbers, _rotations("geom")]
    geom_size: Annotated[Numbers, _numbers("geom", 3)]
    geom_rgba: Annotated[Numbers, _numbers("geom", 4)]
    geom_matid: Annotated[Places, _places("geom", "mat", -1)]
    geom_dataid: Annotated[Places, _places("geom", least=-1)]
    geom_group: Annotated[Places, _places("geom", least=-(2**31))]
    geom_touches: Annotated[Places, _places("geom")]
    """Whether anything can touch it."""
    geom_contype: Annotated[Places, _places("geom")]
    """Whether it looks for what touches it; without any such geom there are no contacts."""
    mat_rgba: Annotated[Numbers, _numbers("mat", 4)]
    mesh_pos: Annotated[Numbers, _numbers("mesh", 3)]
    mesh_quat: Annotated[Numbers, _rotations("mesh")]

    site_name: Annotated[Words, _words("site")]
    site_bodyid: Annotated[Places, _places("site", "body")]
    site_pos: Annotated[Numbers, _numbers("site", 3)]
    site_quat: Annotated[Numbers, _rotations("site")]
    site_used: Annotated[Places, _places("site")]
    """Whether a sensor, a tendon or an actuator uses it."""

    eq_name: Annotated[Words, _words("eq")]
    eq_kind: Annotated[Words, _words("eq", EQUALITIES)]
    eq_ends: Annotated[Words, _words("eq", ("body", "site"))]
    """What a `connect` or `weld` ties; those of joints and tendons say it by their kind."""
    eq_obj1id: Annotated[Places, _places("eq", least=-1)]
    eq_obj2id: Annotated[Places, _places("eq", least=-1)]
    eq_active0: Annotated[Places, _places("eq")]
    eq_data: Annotated[Numbers, _numbers("eq", 11)]

    tendon_name: Annotated[Words, _words("tendon")]
    tendon_acting: Annotated[Words, _words("tendon")]
    """What it pulls with, as "stiffness and damping"."""
    tendon_spatial: Annotated[Places, _places("tendon")]
    tendon_limited: Annotated[Places, _places("tendon")]
    tendon_adr: Annotated[Places, _places("tendon", "wrap")]
    tendon_num: Annotated[Places, _places("tendon")]
    wrap_objid: Annotated[Places, _places("wrap", least=-1)]
    wrap_prm: Annotated[Numbers, _numbers("wrap")]

    actuator_name: Annotated[Words, _words("actuator")]
    actuator_acts: Annotated[Words, _words("actuator")]
    actuator_bias: Annotated[Words, _words("actuator")]
    actuator_gain: Annotated[Words, _words("actuator")]
    actuator_dyn: Annotated[Words, _words("actuator")]
    actuator_trnid: Annotated[Places, _places("actuator", least=-1)]
    actuator_gear: Annotated[Numbers, _numbers("actuator")]
    actuator_gainprm: Annotated[Numbers, _numbers("actuator")]
    actuator_forcelimited: Annotated[Places, _places("actuator")]
    actuator_forcerange: Annotated[Numbers, _numbers("actuator", 2)]
    actuator_ctrllimited: Annotated[Places, _places("actuator")]
    actuator_ctrlrange: Annotated[Numbers, _numbers("actuator", 2)]
    actuator_damping: Annotated[Numbers, _numbers("actuator")]
    actuator_armature: Annotated[Numbers, _numbers("actuator")]
    actuator_bends: Annotated[Places, _places("actuator")]
    """Whether its damping is not linear."""


SENT: Mapping[str, Each] = {
    name: kind.__metadata__[0]
    for name, kind in get_type_hints(MujocoModel, include_extras=True).items()
    if get_origin(kind) is Annotated
}
"""Fields with an entry for each part of a kind."""
_LENGTHS = {"free": (7, 6), "ball": (4, 3), "slide": (1, 1), "hinge": (1, 1)}


def model_of(message: Message) -> MujocoModel:
    """The model that the compiler's process has sent, if it is one: its counts, shapes, finite numbers, places."""
    given, count = message.fields, message.fields["count"]
    _demand(isinstance(count, dict) and set(count) == set(PARTS), "counts")
    _demand(all(type(number) is int and number >= 0 for number in count.values()), "counts")
    values: dict[str, Any] = {}
    for name, each in SENT.items():
        values[name] = (
            _checked_array(name, message.arrays.get(name), count, each, given)
            if each.words is None
            else _checked_words(name, given.get(name), count[each.part], each.words)
        )
    world = np.asarray(message.arrays.get("world", ()), dtype=float)
    _demand(world.shape == (5,) and bool(np.isfinite(world).all()), "options")
    model = MujocoModel(name=str(given["name"]), custom=str(given["custom"]), disabled=frozenset(given["disabled"]),
                        sensors=int(given["sensors"]), gravity=world[:3], density=float(world[3]),
                        viscosity=float(world[4]), count=count, **values)
    _check_tree(model)
    return model


def _demand(holds: bool, what: str) -> None:
    if not holds:
        raise ModelError(f"MuJoCo's compiler returns {what} that no model has: the file is damaged or made to break it")


def _checked_words(name: str, words: Any, count: int, known: Words) -> Words:
    _demand(isinstance(words, list) and len(words) == count and all(isinstance(word, str) for word in words), name)
    _demand(not known or all(not word or word in known for word in words), name)
    return tuple(words)


def _checked_array(name: str, array: Any, count: Mapping[str, int], each: Each, given: Mapping[str, Any]) -> Any:
    rows = count[each.part]
    if each.least is not None:
        _demand(array is not None and array.shape == (rows,) and array.dtype == np.int64, name)
        most = count[each.of] if each.of else 2**31
        _demand(not rows or bool(array.min() >= each.least and array.max() < most), name)
        return array
    shape = (rows,) if each.count == 1 else (rows, each.count)
    _demand(array is not None and array.shape == shape and array.dtype == np.float64, name)
    finite = np.isfinite(array).reshape(rows, each.count).all(axis=1)
    if not finite.all():
        raise ModelError(f"{_part(each.part, int(finite.argmin()), given)}: MuJoCo's {name} is "
                         f"{array[int(finite.argmin())]}: expected finite numbers")
    if each.unit and rows:
        off = np.abs(np.einsum("ij,ij->i", array, array) - 1)
        worst = int(off.argmax())
        if off[worst] > 1e-6:
            raise ModelError(f"{_part(each.part, worst, given)}: MuJoCo cannot bring its quaternion to length 1, and "
                             f"makes {name} {array[worst]} of it: write one of about that length")
    return array


def _part(part: str, number: int, given: Mapping[str, Any]) -> str:
    names = given.get("jnt_name" if part == "joint" else f"{part}_name")
    name = names[number] if isinstance(names, list) and number < len(names) else ""
    return f"{part} '{name}'" if name else f"{part} number {number}"


def _check_tree(model: MujocoModel) -> None:
    """Bodies after their parents, joints and geoms in the order of the bodies, all within what there is."""
    bodies, count = np.arange(model.count["body"]), model.count
    _demand(len(bodies) > 0 and bool((model.body_parentid[1:] < bodies[1:]).all()), "body_parentid")
    for first, number, most in (
        (model.body_jntadr, model.body_jntnum, count["joint"]),
        (model.body_geomadr, model.body_geomnum, count["geom"]),
        (model.tendon_adr, model.tendon_num, count["wrap"]),
    ):
        used = number > 0
        _demand(bool((first[used] >= 0).all() and (first + number)[used].max(initial=0) <= most), "ranges of parts")
    sizes = np.array([_LENGTHS.get(kind, (0, 0)) for kind in model.jnt_kind], dtype=int).reshape(-1, 2)
    _demand(bool((sizes > 0).all()), "kinds of joints")
    ends = model.jnt_qposadr + sizes[:, 0], model.jnt_dofadr + sizes[:, 1]
    _demand(ends[0].max(initial=0) <= count["q"] and ends[1].max(initial=0) <= count["dof"], "places of joints")
    pairs = list(zip(model.eq_kind, model.eq_ends, strict=True))
    ends_of = [kind if kind in ("joint", "tendon") else end for kind, end in pairs]
    tied = [end for kind, end in pairs if kind in ("connect", "weld")]
    _demand(set(tied) <= {"body", "site"}, "ends of equalities")
    for kind in ("body", "site", "joint", "tendon"):
        chosen = np.array([end == kind for end in ends_of], dtype=bool)
        both = np.concatenate([model.eq_obj1id[chosen], model.eq_obj2id[chosen]])
        _demand(both.max(initial=-1) < count[kind], "ends of equalities")
        least = 0 if kind in ("body", "site") else -1
        _demand(both.min(initial=0) >= least and model.eq_obj1id[chosen].min(initial=0) >= 0, "ends of equalities")
    for kind, acts in (("joint", ("joint", "jointinparent")), ("tendon", ("tendon",))):
        chosen = np.array([word in acts for word in model.actuator_acts], dtype=bool)
        ids = model.actuator_trnid[chosen]
        _demand(ids.min(initial=0) >= 0 and ids.max(initial=-1) < count[kind], "ends of actuators")
    for tendon in np.flatnonzero(model.tendon_spatial == 0):
        start = int(model.tendon_adr[tendon])
        joints = model.wrap_objid[start : start + int(model.tendon_num[tendon])]
        _demand(joints.min(initial=0) >= 0 and joints.max(initial=-1) < count["joint"], "joints of tendons")
