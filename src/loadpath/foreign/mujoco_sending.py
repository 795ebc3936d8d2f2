"""A model that MuJoCo has compiled, as the message that `mujoco_model` lists; runs in the compiler's process."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from loadpath.foreign.messages import Message
from loadpath.foreign.mujoco_model import EQUALITIES, GEOMS, JOINTS, SENT

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
