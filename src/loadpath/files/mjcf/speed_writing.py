"""Friction, rotors, springs and limits as attributes of a `<joint>` of MJCF."""

from __future__ import annotations

import math

from loadpath.errors import ModelError
from loadpath.files.mjcf.remembered import Remembered
from loadpath.files.mjcf.simple_joints import Simple
from loadpath.files.mjcf.speeds import INFINITE
from loadpath.files.xml_writing import number_text, numbers_text
from loadpath.robot.drive_train.springs import TorsionSpring
from loadpath.robot.parts import Joint


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
