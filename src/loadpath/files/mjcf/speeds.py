"""What acts at the joints of a compiled model: friction, rotors, springs, limits; and the limits of its actuators."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from loadpath.files.mjcf.remembered import Remembered
from loadpath.foreign.mujoco_model import MujocoModel
from loadpath.robot.drive_train.springs import TorsionSpring
from loadpath.robot.parts import Limits

INFINITE = 1e10
"""MuJoCo's largest number, which stands for a limit on one side that there is not."""


class Speeds:
    """Drives of the joints of a model, by number."""

    def __init__(self, model: MujocoModel, names: tuple[str, ...], remembered: Remembered) -> None:
        self.model, self.names, self.remembered = model, names, remembered
        self.actuators = actuators_of(model)
        self.efforts = _efforts(model, self.actuators)
        off = switched_off(model)
        self.damps, self.springs, self.rubs = "DAMPER" not in off, "SPRING" not in off, "FRICTIONLOSS" not in off

    def fields(self, joint: int, speeds: range | None = None) -> dict[str, Any]:
        """What `lp.Joint` has of a joint beyond its motion; of some of its speeds if these are given."""
        model, name = self.model, self.names[joint]
        speeds = range(dof_of(model, joint)) if speeds is None else speeds
        first, dof = int(model.jnt_dofadr[joint]) + speeds.start, len(speeds)
        own = slice(first, first + dof)
        damping, armature = self._of_actuators(joint)
        ratio = self.remembered.ratio.get(name)  # without one, nothing is known of a shaft before a gear
        rotors = [float(entry) + armature for entry in model.dof_armature[own]]
        found: dict[str, Any] = {
            "viscous_friction": tuple(float(entry) + damping for entry in model.dof_damping[own] * self.damps),
            "coulomb_friction": tuple(float(entry) for entry in model.dof_frictionloss[own] * self.rubs),
            "armature": tuple(rotors) if ratio is None else (),
            "rotor_inertia": () if ratio is None else tuple(entry / (ratio * ratio) for entry in rotors),
            "gear_ratio": (ratio or 1.0,) * dof,
        }
        if dof == 1:
            found["limits"] = (self._limits(joint),)
            stiffness = float(model.jnt_stiffness[joint]) * self.springs
            if stiffness:
                rest = float(model.qpos_spring[model.jnt_qposadr[joint]])
                found["springs"] = ((TorsionSpring(stiffness, rest),),)
        return found

    def _limits(self, joint: int) -> Limits:
        model, name = self.model, self.names[joint]
        lower, upper = -math.inf, math.inf
        if model.jnt_limited[joint]:
            low, high = (float(entry) for entry in model.jnt_range[joint])
            lower, upper = (low if low != -INFINITE else lower), (high if high != INFINITE else upper)
        kept = self.remembered
        if name in kept.position:
            lower = upper = kept.position[name]
        effort = self.efforts.get(joint, kept.effort.get(name, math.inf))
        return Limits(lower, upper, kept.velocity.get(name, math.inf), effort)

    def _of_actuators(self, joint: int) -> tuple[float, float]:
        """Damping and armature that actuators add to a joint, through their gears."""
        model, damping, armature = self.model, 0.0, 0.0
        for k in self.actuators.get(joint, ()):
            gear = float(model.actuator_gear[k])
            damping += gear * gear * float(model.actuator_damping[k]) * self.damps
            armature += gear * gear * float(model.actuator_armature[k])
        return damping, armature


def dof_of(model: MujocoModel, joint: int) -> int:
    """How many speeds a joint has."""
    return {"free": 6, "ball": 3}.get(model.jnt_kind[joint], 1)


def in_world_axes(model: MujocoModel, joint: int) -> bool:
    """Whether armature or dry friction of a free joint act along the axes of the world: then it is a slide in these,
    and a ball.
    """
    own = slice(int(model.jnt_dofadr[joint]), int(model.jnt_dofadr[joint]) + 6)
    given = np.any(model.dof_armature[own]) or np.any(model.dof_frictionloss[own])
    return bool(dof_of(model, joint) == 6 and given)


def switched_off(model: MujocoModel) -> set[str]:
    """What the file has switched off, by MuJoCo's words; springs and dampers each by its own."""
    found = set(model.disabled)
    if "PASSIVE" in found:
        found |= {"SPRING", "DAMPER"}
    if "CONSTRAINT" in found:
        found |= {"EQUALITY", "FRICTIONLOSS"}
    return found


def actuators_of(model: MujocoModel) -> dict[int, list[int]]:
    """For joints that actuators act on by themselves: the numbers of these."""
    found: dict[int, list[int]] = {}
    for actuator, acts in enumerate(model.actuator_acts):
        if acts in ("joint", "jointinparent"):
            found.setdefault(int(model.actuator_trnid[actuator]), []).append(actuator)
    return found


def _efforts(model: MujocoModel, actuators: dict[int, list[int]]) -> dict[int, float]:
    """Largest efforts (N m, N) of joints with one speed: those given at the joint, or those of its one actuator."""
    found: dict[int, float] = {}
    for joint in range(model.count["joint"]):
        if dof_of(model, joint) != 1:
            continue
        if model.jnt_actfrclimited[joint]:
            found[joint] = float(abs(model.jnt_actfrcrange[joint]).max())
            continue
        acting = actuators.get(joint, [])
        effort = _effort(model, acting[0]) if len(acting) == 1 else None
        if effort is not None:
            found[joint] = effort
    return found


def _effort(model: MujocoModel, actuator: int) -> float | None:
    """What an actuator gives at most at its joint; None where that depends on more than its limits."""
    gear = abs(float(model.actuator_gear[actuator]))
    if model.actuator_forcelimited[actuator]:
        return gear * float(abs(model.actuator_forcerange[actuator]).max())
    kinds = model.actuator_gain[actuator], model.actuator_bias[actuator], model.actuator_dyn[actuator]
    if kinds == ("fixed", "none", "none") and model.actuator_ctrllimited[actuator]:
        ctrl = model.actuator_ctrlrange[actuator]
        return gear * abs(float(model.actuator_gainprm[actuator])) * float(abs(ctrl).max())
    return None
