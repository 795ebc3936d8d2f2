"""Robots and rovers as data, for `loadpath info --json`."""

from __future__ import annotations

import math
from typing import Any

import loadpath as lp
from loadpath.cli.robots import Named
from loadpath.robot.parts import Joint, Limits


def described(named: Named) -> dict[str, Any]:
    """Links, joints, limits, beams, wheels, loops and parts."""
    robot = named.robot
    return {
        "robot": robot.name,
        "degrees_of_freedom": robot.n,
        "mass": sum(link.inertia.mass for link in robot.links),
        "gravity": robot.gravity,
        "links": [_link(link) for link in robot.links],
        "joints": [_joint(joint) for joint in robot.joints],
        "loops": [{"name": loop.name, "type": _kind(loop.motion), "first": loop.first, "second": loop.second}
                  for loop in robot.loops],
        "beams": [{"link": link, "sections": [type(part.section).__name__ for part in beam.segments],
                   "materials": [part.material.name for part in beam.segments]}
                  for link, beam in _beams(robot)],
        "wheels": [] if named.rover is None else [
            {"name": wheel.name, "type": wheel.kind, "position": wheel.position} for wheel in named.rover.base.wheels
        ],
        "parts": [{"joint": joint, "part": part.label} for joint, part in robot.parts],  # type: ignore[attr-defined]
        "warnings": named.warnings,
    }  # fmt: skip


def _beams(robot: lp.Robot) -> Any:
    flexible = robot.cut if isinstance(robot, lp.ClosedFlexibleRobot) else robot
    return flexible.beams


def _link(link: lp.Link) -> dict[str, Any]:
    body = link.inertia
    return {"name": link.name, "mass": body.mass, "center_of_mass": body.center_of_mass, "inertia": body.tensor,
            "principal_moments": None if body.is_zero else body.principal_moments}  # fmt: skip


def _joint(joint: Joint) -> dict[str, Any]:
    freedoms = [
        {"name": label, "unit": "rad" if turns else "m", "lower": _bound(limits.lower), "upper": _bound(limits.upper),
         "velocity": _bound(limits.velocity), "effort": _bound(limits.effort), "viscous_friction": viscous,
         "coulomb_friction": coulomb}
        for label, turns, limits, viscous, coulomb in zip(
            joint.motion.labels, joint.motion.angular, _limits(joint), joint.viscous_friction, joint.coulomb_friction,
            strict=True)
    ]  # fmt: skip
    mimic = joint.mimic
    follows = None if mimic is None else {"joint": mimic.joint, "multiplier": mimic.multiplier, "offset": mimic.offset}
    return {"name": joint.name, "type": _kind(joint.motion), "parent": joint.parent, "child": joint.child,
            "mimic": follows, "freedoms": freedoms}  # fmt: skip


def _limits(joint: Joint) -> tuple[Limits, ...]:
    return tuple(joint.limits)


def _kind(motion: object) -> str:
    return type(motion).__name__.lower()


def _bound(value: float) -> float | None:
    """A limit, None where there is none."""
    return value if math.isfinite(value) else None
