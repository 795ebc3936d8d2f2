"""What of an MJCF file changes the motion of the robot and has no counterpart here: one error that names all of it.

Actuators are drives: what their controllers do is no property of the robot, and inverse dynamics says what they would
have to give. So they are left out, and what is left out is listed in `notes`. Cables that pull on links from outside
their joints load the bearings, so they cannot be left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from loadpath.errors import ModelError
from loadpath.files.mjcf.names import Names
from loadpath.files.mjcf.speeds import dof_of, switched_off
from loadpath.files.written import named
from loadpath.foreign.mujoco_model import MujocoModel

_MOST = 6
"""Sentences of one error."""


def refuse(model: MujocoModel, names: Names, source: str) -> None:
    """An error if there is anything in the model that would be lost though it moves the robot."""
    found = list(dict.fromkeys([*_of_world(model), *_of_bodies(model, names),
                                *_of_joints(model, names), *_of_tendons(model),
                                *_of_actuators(model)]))
    if found:
        more = [f"and {len(found) - _MOST} more"] if len(found) > _MOST else []
        listed = found[0] if len(found) == 1 else "".join(f"\n  {sentence}" for sentence in (*found[:_MOST], *more))
        raise ModelError(f"{source}: what moves this model cannot be kept: {listed}")


def name_of(names: Sequence[str], number: int) -> str:
    """The name of an element, or its number."""
    return f"'{names[number]}'" if names[number] else f"number {number}"


def _of_world(model: MujocoModel) -> Iterator[str]:
    if model.density or model.viscosity:
        yield (f"a fluid of density {model.density:g} and viscosity {model.viscosity:g} (<option>) drags on the "
               "bodies: set both to 0 for a robot in air")


def _of_bodies(model: MujocoModel, names: Names) -> Iterator[str]:
    held = (
        [names.bodies[k] for k in np.flatnonzero(model.body_gravcomp)]
        if "GRAVITY" not in switched_off(model)
        else []
    )
    if held:
        yield (f"gravcomp of {_bodies(held)} takes gravity off: set it to 0, and ask robot.gravity_forces for what "
               "a controller must add")
    elastic = [names.bodies[k] for k in range(model.count["body"]) if model.body_plugin[k] >= 0]
    if elastic:
        yield f"plugin at {_bodies(elastic)} bends or moves it: take it out"


def _bodies(names: Iterable[str]) -> str:
    names = list(names)
    return f"{'body' if len(names) == 1 else 'bodies'} {named(names)}"


def _of_joints(model: MujocoModel, names: Names) -> Iterator[str]:
    for joint, name in enumerate(names.joints):
        dof = dof_of(model, joint)
        own = slice(int(model.jnt_dofadr[joint]), int(model.jnt_dofadr[joint]) + dof)
        kind = {6: "a free joint", 3: "a ball"}.get(dof, "a joint")
        if dof > 1 and model.jnt_stiffness[joint]:
            yield f"joint '{name}': stiffness {model.jnt_stiffness[joint]:g} of {kind}: springs need hinges or slides"
        for what, those in (("is not linear", model.jnt_bends), ("yields", model.jnt_yields)):
            if those[joint]:
                yield f"joint '{name}': a spring that {what}: only a constant stiffness can be kept"
        if np.any(model.dof_bends[own]):
            yield f"joint '{name}': damping that is not proportional to speed: only a constant damping can be kept"


def _of_tendons(model: MujocoModel) -> Iterator[str]:
    for tendon, acting in enumerate(model.tendon_acting):
        if acting:
            yield (f"tendon {name_of(model.tendon_name, tendon)} has {acting}: what a tendon pulls with cannot be "
                   "kept; springs and friction of joints can")


def _of_actuators(model: MujocoModel) -> Iterator[str]:
    muscles, cables = [], []
    for actuator, acts in enumerate(model.actuator_acts):
        name = model.actuator_name[actuator] or f"number {actuator}"
        at = int(model.actuator_trnid[actuator])
        if model.actuator_bias[actuator] == "muscle":
            muscles.append(name)
        elif acts == "tendon" and model.tendon_spatial[at]:
            cables.append(name)
        single = acts in ("joint", "jointinparent") and dof_of(model, at) == 1
        for part, values in (("armature", model.actuator_armature), ("damping", model.actuator_damping)):
            if values[actuator] and not single:
                yield f"actuator '{name}' has {part}, which only one of a hinge or slide can keep"
        if model.actuator_bends[actuator]:
            yield f"actuator '{name}' has damping that is not proportional to speed: only a constant one can be kept"
    if muscles:
        yield f"muscles {named(muscles)} pull on the links also when they rest: only rigid links and joints can be kept"
    if cables:
        yield (f"actuators {named(cables)} pull on cables (spatial tendons), whose forces load the joints: give the "
               "joints actuators of their own")


def notes_of(model: MujocoModel, names: Names) -> list[str]:
    """What is left out though it may matter to somebody: no warning, for tools that say what a conversion loses."""
    found = []
    count = model.count["actuator"]
    servos = [model.actuator_name[k] or f"number {k}" for k in range(count) if model.actuator_bias[k] != "none"]
    if servos:
        found.append(f"actuators {named(servos)} follow a command by themselves: their controllers are no part of the "
                     "robot and left out")
    elif count:
        found.append(f"{count} actuators: drives, of which only limits of effort, armature and damping are kept")
    limited = [name_of(model.tendon_name, int(k)) for k in np.flatnonzero(model.tendon_limited)]
    if limited:
        found.append(f"limits of tendons {', '.join(limited[:4])}: left out")
    balls = [name for k, name in enumerate(names.joints) if model.jnt_limited[k] and dof_of(model, k) > 1]
    if balls:
        found.append(f"limits of ball joints {named(balls)}: left out")
    moved = [names.bodies[k] for k in range(model.count["body"]) if model.body_mocapid[k] >= 0]
    if moved:
        found.append(f"mocap {_bodies(moved)}, which are moved from outside: they stand still here")
    if np.any(model.geom_contype):
        found.append("contacts: left out; forces of the ground or of things held are external wrenches")
    if model.sensors:
        found.append(f"{model.sensors} sensors: left out")
    return found
