"""`loadpath info`: what a robot or rover is made of."""

from __future__ import annotations

import math
from typing import Any

import loadpath as lp
from loadpath.cli.app import will_run
from loadpath.cli.options import AsJson, RobotName

if will_run():
    from loadpath.cli import tables
    from loadpath.cli.json_output import print_json
    from loadpath.cli.messages import errors_reported, heading, print_all_warnings, show, terminal
    from loadpath.cli.robots import Named, find
    from loadpath.drawing.robot_table import parts_words
    from loadpath.printable import printable
    from loadpath.robot.parts import Joint, Limits


def info(robot: RobotName = "panda", *, as_json: AsJson = False) -> None:
    """Links, joints, masses and limits of a robot, and warnings about them."""
    with errors_reported():
        named = find(robot)
        if as_json:
            print_json(**_described(named))
            return
    console = terminal()
    parts = [tables.link_table(named.robot), tables.joint_table(named.robot)]
    with errors_reported():
        if named.rover is not None:
            parts = [tables.contact_table(named.rover), tables.edge_table(named.rover), *parts]
    if isinstance(named.robot, (lp.FlexibleRobot, lp.ClosedFlexibleRobot)):
        placed = named.robot.cut if isinstance(named.robot, lp.ClosedFlexibleRobot) else named.robot
        if placed.beams:
            parts.append(tables.beam_table(placed))
        if placed.placed_guides:
            parts.append(tables.guide_table(placed))
        if named.robot.joint_compliances:
            parts.append(tables.compliance_table(named.robot.joint_compliances))
    if any(joint.mimic for joint in named.robot.joints):
        parts.append(tables.mimic_table(named.robot))
    lines: list[str] = []
    if isinstance(named.robot, lp.ClosedRobot):
        with errors_reported():
            lines = tables.freedom_lines(named.robot)
        if named.robot.loops:
            parts.append(tables.loop_table(named.robot))
        if named.robot.couplings:
            parts.append(tables.coupling_table(named.robot))
    if named.robot.parts:
        lines.append(printable(f"Parts: {parts_words(named.robot)}"))
    show(console, heading(named.robot), *lines, "", *parts)
    print_all_warnings(named.warnings)


def _described(named: Named) -> dict[str, Any]:
    """Links, joints, limits, beams, wheels, loops and parts as data."""
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
    }


def _beams(robot: lp.Robot) -> Any:
    flexible = robot.cut if isinstance(robot, lp.ClosedFlexibleRobot) else robot
    return flexible.beams


def _link(link: lp.Link) -> dict[str, Any]:
    body = link.inertia
    return {"name": link.name, "mass": body.mass, "center_of_mass": body.center_of_mass, "inertia": body.tensor,
            "principal_moments": None if body.is_zero else body.principal_moments}


def _joint(joint: Joint) -> dict[str, Any]:
    freedoms = [
        {"name": label, "unit": "rad" if turns else "m", "lower": _bound(limits.lower), "upper": _bound(limits.upper),
         "velocity": _bound(limits.velocity), "effort": _bound(limits.effort), "viscous_friction": viscous,
         "coulomb_friction": coulomb}
        for label, turns, limits, viscous, coulomb in zip(
            joint.motion.labels, joint.motion.angular, _limits(joint), joint.viscous_friction, joint.coulomb_friction,
            strict=True)
    ]
    mimic = joint.mimic
    follows = None if mimic is None else {"joint": mimic.joint, "multiplier": mimic.multiplier, "offset": mimic.offset}
    return {"name": joint.name, "type": _kind(joint.motion), "parent": joint.parent, "child": joint.child,
            "mimic": follows, "freedoms": freedoms}


def _limits(joint: Joint) -> tuple[Limits, ...]:
    return tuple(joint.limits)


def _kind(motion: object) -> str:
    return type(motion).__name__.lower()


def _bound(value: float) -> float | None:
    """A limit, None where there is none."""
    return value if math.isfinite(value) else None
