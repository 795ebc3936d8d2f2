"""The joints of MJCF, and what acts at them: friction, rotors, springs, limits, actuators; read and written."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from loadpath.errors import ModelError
from loadpath.files.joint_steps import JointStep, steps_of
from loadpath.files.mjcf.remembered import Remembered
from loadpath.files.xml_writing import number_text, numbers_text
from loadpath.foreign.mujoco_model import MujocoModel
from loadpath.robot.drive_train.drive import TorsionSpring
from loadpath.robot.joints import Fixed, Free, Helical, Prismatic, Revolute, Spherical, Z
from loadpath.robot.numbers import Vector3
from loadpath.robot.parts import Joint, Limits

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


# Joints as MJCF has them: hinges, slides, balls, free bodies. Others are several of these on one body, in their order,
# wherever the motion is the same.


@dataclass(frozen=True)
class Simple:
    """A joint of MJCF: what it is, its axis in the joint's frame, and which speeds of the whole joint it has."""

    kind: Literal["hinge", "slide", "ball", "free"]
    axis: Vector3 = Z
    speeds: tuple[int, ...] = (0,)
    label: str = ""
    """What is added to the name of the whole joint."""
    ref: float = 0.0
    """The coordinate where the link is as it is written."""
    pitch: float | None = None
    """Of a slide that follows the joint before it: m per rad."""


def simple_joints(joint: Joint, *, in_world: bool) -> tuple[Simple, ...]:
    """The joints of MJCF that together move as a joint does; `in_world` says whether its parent is the world."""
    motion = joint.motion
    if isinstance(motion, Free) and in_world:  # MuJoCo has free bodies in the world alone
        return (Simple("free", speeds=(0, 1, 2, 3, 4, 5)),)
    if isinstance(motion, Helical):
        slide = Simple("slide", motion.axis, (), "slide", pitch=motion.pitch)
        return (Simple("hinge", motion.axis, ref=0.0 - motion.zero), slide)
    if isinstance(motion, (Fixed, Revolute, Prismatic, Spherical)):
        return _simple(JointStep(motion))
    steps = steps_of(motion, ())
    if not steps:
        raise ModelError(f"joint '{joint.name}': MJCF has no joint that moves as a {type(motion).__name__}: take a "
                         "joint of another kind, or several")
    return tuple(simple for step in steps for simple in _simple(step))


def _simple(step: JointStep) -> tuple[Simple, ...]:
    """A joint that MJCF has; none for one that does not move."""
    motion, k = step.motion, step.first
    if isinstance(motion, Revolute):
        return (Simple("hinge", motion.axis, (k,), step.label, 0.0 - motion.zero),)
    if isinstance(motion, Prismatic):
        return (Simple("slide", motion.axis, (k,), step.label),)
    return (Simple("ball", speeds=(k, k + 1, k + 2)),) if isinstance(motion, Spherical) else ()


# Friction, rotors, springs and limits as attributes of a `<joint>` of MJCF.


def speed_attributes(
    joint: Joint, simple: Simple, name: str, remembered: Remembered, lost: list[str]
) -> dict[str, str | None]:
    """What of a joint's speeds belongs to one of the joints that it is written as; `lost` gets what cannot be said."""
    if not simple.speeds:
        return {}
    found: dict[str, str | None] = {}
    for attribute, values, what in (
        ("damping", joint.viscous_friction, "viscous friction"),
        ("frictionloss", joint.coulomb_friction, "Coulomb friction"),
        ("armature", joint.reflected_inertia, "rotor inertia"),
    ):
        own = {values[k] for k in simple.speeds}
        if len(own) > 1:
            raise ModelError(f"joint '{joint.name}': its {what} is {values}, MJCF has one number for all directions "
                             f"of a {simple.kind} joint: give it one")
        value = own.pop()
        found[attribute] = number_text(value) if value else None
    if any(joint.stribeck[k] for k in simple.speeds):
        lost.append(f"joint '{joint.name}': static friction with the Stribeck effect: MJCF has Coulomb friction alone")
    if joint.line_springs and 0 in simple.speeds:
        lost.append(f"joint '{joint.name}': a LineSpring: MJCF has springs at joints and tendons alone")
    if len(simple.speeds) > 1:
        return found
    (k,) = simple.speeds
    if joint.rotor_inertia[k]:
        remembered.ratio[name] = joint.gear_ratio[k]
    return {**found, **_spring(joint, k, lost), **_limits(joint, k, name, remembered)}


def _spring(joint: Joint, k: int, lost: list[str]) -> dict[str, str | None]:
    """Springs in parallel are one."""
    springs = [spring for spring in joint.springs[k] if isinstance(spring, TorsionSpring)]
    stiffness = sum(spring.stiffness for spring in springs)
    pull = sum(spring.preload + spring.stiffness * spring.rest for spring in springs)
    if not stiffness:
        if pull:
            lost.append(f"joint '{joint.name}': a spring of constant force {pull:g}: MJCF has none")
        return {}
    rest = springs[0].rest if len(springs) == 1 and not springs[0].preload else pull / stiffness
    return {"stiffness": number_text(stiffness), "springref": number_text(rest) if rest else None}


def _limits(joint: Joint, k: int, name: str, remembered: Remembered) -> dict[str, str | None]:
    limits = joint.limits[k]
    found: dict[str, str | None] = {}
    lower, upper = (limit if math.isfinite(limit) else math.copysign(INFINITE, limit)
                    for limit in (limits.lower, limits.upper))
    if limits.lower == limits.upper:  # which MuJoCo refuses
        remembered.position[name] = limits.lower
    elif math.isfinite(limits.lower) or math.isfinite(limits.upper):
        found["range"] = numbers_text((lower, upper))
    if limits.effort == 0:  # which MuJoCo refuses too
        remembered.effort[name] = 0.0
    elif math.isfinite(limits.effort):
        found["actuatorfrcrange"] = numbers_text((-limits.effort, limits.effort))
    if math.isfinite(limits.velocity):
        remembered.velocity[name] = limits.velocity
    return found


# Names for all bodies and joints of a compiled model: those of the file, and others where it gives none.


WORLD = "world"
"""MuJoCo's name for what everything stands in."""


@dataclass(frozen=True)
class Names:
    """Names of a model's parts in the robot."""

    bodies: tuple[str, ...]
    """By the number of the body; the first is the world."""
    joints: tuple[str, ...]
    """By the number of the joint."""
    welds: dict[int, str]
    """For bodies without joints."""
    between: dict[int, str]
    """For joints that are not the last of their body, and free ones that are a slide and a ball: the massless link that
    they move.
    """
    sites: tuple[str, ...]
    """By the number of the site; as frames."""


def names_of(model: MujocoModel, remembered: Remembered) -> Names:
    """Names of all parts."""
    given, given_joints = model.body_name, model.jnt_name
    links, joints = set(given) - {""}, set(given_joints) - {""}
    others = {link for body, link in remembered.links.items() if body != WORLD}
    bodies = [unique(remembered.links.get(WORLD, WORLD), others)]
    links.add(bodies[0])
    for body in range(1, len(given)):
        name = remembered.links.get(given[body], given[body]) or unique(f"body{body}", links)
        links.add(name)
        bodies.append(name)
    named_joints: list[str] = []
    for joint, kind in enumerate(model.jnt_kind):
        name = given_joints[joint] or unique(f"{bodies[model.jnt_bodyid[joint]]}_{kind}", joints)
        joints.add(name)
        named_joints.append(name)
    welds, between = {}, {}
    for body in range(1, len(given)):
        first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
        if not count:
            welds[body] = unique(remembered.welds.get(given[body], "") or f"{bodies[body]}_weld", joints)
            joints.add(welds[body])
        steps = range(first, first + count - 1)
        if count and in_world_axes(model, first):
            steps = range(first, first + 1)
        for joint in steps:
            wanted = remembered.links.get(given_joints[joint], f"{bodies[body]}.{named_joints[joint]}")
            between[joint] = unique(wanted, links)
            links.add(between[joint])
    sites = []
    for name in model.site_name:
        sites.append(unique(name if name not in links else f"{name}_site", links) if name else "")
        links.add(sites[-1])
    return Names(tuple(bodies), tuple(named_joints), welds, between, tuple(sites))


def unique(wanted: str, taken: set[str]) -> str:
    """A name that nothing else has.

    >>> unique("arm", {"arm", "arm2"})
    'arm3'
    """
    name, number = wanted, 2
    while name in taken:
        name, number = f"{wanted}{number}", number + 1
    return name
