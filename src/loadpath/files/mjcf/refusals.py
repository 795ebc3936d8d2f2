"""What of an MJCF file changes the motion of the robot and has no counterpart here: one error that names all of it.

Actuators are drives: what their controllers do is no property of the robot, and inverse dynamics says what they would
have to give. So they are left out, and what is left out is listed in `notes`. Cables that pull on links from outside
their joints load the bearings, so they cannot be left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from loadpath.errors import ModelError
from loadpath.files.mjcf.names import Names
from loadpath.files.mjcf.speeds import disabled, dof_of
from loadpath.files.written import named

_MOST = 6
"""Sentences of one error."""


def refuse(mujoco: Any, model: Any, names: Names, source: str) -> None:
    """An error if there is anything in the model that would be lost though it moves the robot."""
    found = list(dict.fromkeys([*_of_world(mujoco, model), *_of_bodies(mujoco, model, names),
                                *_of_joints(mujoco, model, names), *_of_tendons(mujoco, model),
                                *_of_actuators(mujoco, model)]))  # fmt: skip
    if found:
        more = [f"and {len(found) - _MOST} more"] if len(found) > _MOST else []
        listed = found[0] if len(found) == 1 else "".join(f"\n  {sentence}" for sentence in (*found[:_MOST], *more))
        raise ModelError(f"{source}: what moves this model cannot be kept: {listed}")


def name_of(mujoco: Any, model: Any, kind: str, number: int) -> str:
    """The name of an element, or its number."""
    name = mujoco.mj_id2name(model, getattr(mujoco.mjtObj, f"mjOBJ_{kind.upper()}"), number)
    return f"'{name}'" if name else f"number {number}"


def _of_world(mujoco: Any, model: Any) -> Iterator[str]:
    option = model.opt
    if option.density or option.viscosity:
        yield (f"a fluid of density {option.density:g} and viscosity {option.viscosity:g} (<option>) drags on the "
               "bodies: set both to 0 for a robot in air")  # fmt: skip
    if model.nflex:
        yield f"flex {name_of(mujoco, model, 'flex', 0)} is a deformable body: only rigid links can be kept"


def _of_bodies(mujoco: Any, model: Any, names: Names) -> Iterator[str]:
    held = (
        [names.bodies[k] for k in np.flatnonzero(model.body_gravcomp)]
        if "GRAVITY" not in disabled(mujoco, model)
        else []
    )
    if held:
        yield (f"gravcomp of {_bodies(held)} takes gravity off: set it to 0, and ask robot.gravity_forces for what "
               "a controller must add")  # fmt: skip
    elastic = [names.bodies[k] for k in range(model.nbody) if model.body_plugin[k] >= 0]
    if elastic:
        yield f"plugin at {_bodies(elastic)} bends or moves it: take it out"


def _bodies(names: Iterable[str]) -> str:
    names = list(names)
    return f"{'body' if len(names) == 1 else 'bodies'} {named(names)}"


def _of_joints(mujoco: Any, model: Any, names: Names) -> Iterator[str]:
    for joint, name in enumerate(names.joints):
        dof = dof_of(mujoco, model, joint)
        own = slice(int(model.jnt_dofadr[joint]), int(model.jnt_dofadr[joint]) + dof)
        kind = {6: "a free joint", 3: "a ball"}.get(dof, "a joint")
        if dof > 1 and model.jnt_stiffness[joint]:
            yield f"joint '{name}': stiffness {model.jnt_stiffness[joint]:g} of {kind}: springs need hinges or slides"
        for part, what in (
            ("jnt_stiffnesspoly", "a spring that is not linear"),
            ("jnt_springyield", "a spring that yields"),
        ):
            if getattr(model, part, None) is not None and np.any(getattr(model, part)[joint]):
                yield f"joint '{name}': {what}: only a constant stiffness can be kept"
        if hasattr(model, "dof_dampingpoly") and np.any(model.dof_dampingpoly[own]):
            yield f"joint '{name}': damping that is not proportional to speed: only a constant damping can be kept"


def _of_tendons(mujoco: Any, model: Any) -> Iterator[str]:
    words = ("stiffness", "damping", "frictionloss", "armature", "stiffnesspoly", "dampingpoly")
    known = {word: getattr(model, f"tendon_{word}") for word in words if hasattr(model, f"tendon_{word}")}
    for tendon in range(model.ntendon):
        acting = [word for word, values in known.items() if np.any(values[tendon])]
        if acting:
            yield (f"tendon {name_of(mujoco, model, 'tendon', tendon)} has {' and '.join(acting)}: what a tendon pulls "
                   "with cannot be kept; springs and friction of joints can")  # fmt: skip


def is_spatial(mujoco: Any, model: Any, tendon: int) -> bool:
    """Whether a tendon is a cable along points in space; a fixed one is a sum of joint coordinates."""
    return int(model.wrap_type[model.tendon_adr[tendon]]) != int(mujoco.mjtWrap.mjWRAP_JOINT)


def _of_actuators(mujoco: Any, model: Any) -> Iterator[str]:
    muscles, cables = [], []
    for actuator in range(len(model.actuator_trntype)):
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_ACTUATOR, actuator) or f"number {actuator}"
        bias, kind = int(model.actuator_biastype[actuator]), int(model.actuator_trntype[actuator])
        tendon = kind == int(mujoco.mjtTrn.mjTRN_TENDON)
        if bias == int(mujoco.mjtBias.mjBIAS_MUSCLE):
            muscles.append(name)
        elif tendon and is_spatial(mujoco, model, int(model.actuator_trnid[actuator, 0])):
            cables.append(name)
        joint = kind in (int(mujoco.mjtTrn.mjTRN_JOINT), int(mujoco.mjtTrn.mjTRN_JOINTINPARENT))
        single = joint and dof_of(mujoco, model, int(model.actuator_trnid[actuator, 0])) == 1
        for part in ("armature", "damping", "dampingpoly"):
            given = getattr(model, f"actuator_{part}", None)
            if given is not None and np.any(given[actuator]) and not (single and part != "dampingpoly"):
                yield f"actuator '{name}' has {part}, which only one of a hinge or slide can keep"
    if muscles:
        yield f"muscles {named(muscles)} pull on the links also when they rest: only rigid links and joints can be kept"
    if cables:
        yield (f"actuators {named(cables)} pull on cables (spatial tendons), whose forces load the joints: give the "
               "joints actuators of their own")  # fmt: skip


def notes_of(mujoco: Any, model: Any, names: Names) -> list[str]:
    """What is left out though it may matter to somebody: no warning, for tools that say what a conversion loses."""
    found = []
    count = len(model.actuator_trntype)
    servos = [mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_ACTUATOR, k) or f"number {k}" for k in range(count)
              if int(model.actuator_biastype[k]) != int(mujoco.mjtBias.mjBIAS_NONE)]  # fmt: skip
    if servos:
        found.append(f"actuators {named(servos)} follow a command by themselves: their controllers are no part of the "
                     "robot and left out")  # fmt: skip
    elif count:
        found.append(f"{count} actuators: drives, of which only limits of effort, armature and damping are kept")
    limited = [name_of(mujoco, model, "tendon", k) for k in range(model.ntendon) if model.tendon_limited[k]]
    if limited:
        found.append(f"limits of tendons {', '.join(limited[:4])}: left out")
    balls = [name for k, name in enumerate(names.joints) if model.jnt_limited[k] and dof_of(mujoco, model, k) > 1]
    if balls:
        found.append(f"limits of ball joints {named(balls)}: left out")
    moved = [names.bodies[k] for k in range(model.nbody) if model.body_mocapid[k] >= 0]
    if moved:
        found.append(f"mocap {_bodies(moved)}, which are moved from outside: they stand still here")
    if np.any(model.geom_contype) or model.npair:
        found.append("contacts: left out; forces of the ground or of things held are external wrenches")
    if model.nsensor:
        found.append(f"{model.nsensor} sensors: left out")
    return found
