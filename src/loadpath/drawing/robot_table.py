"""A robot as a table, for notebooks: its joints with what they move, the joints that close its loops, its wheels."""

from __future__ import annotations

import math

from loadpath import html
from loadpath.closure.robot import ClosableRobot
from loadpath.digits import number
from loadpath.printable import printable
from loadpath.quantities.carriers import drive_names, is_closed
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Joint
from loadpath.robot.wheels.base import BaseModel
from loadpath.robot.wheels.contacts import Wheel

MOST_ROWS = 60
"""Rows of a table; the other joints are counted below it."""


def html_of(robot: ClosableRobot) -> str:
    """What a notebook shows of a robot.

    >>> import loadpath as lp
    >>> "panda_joint7" in html_of(lp.catalog.panda()), "caster" in html_of(lp.catalog.lau_rover())
    (True, True)
    """
    if robot.wheeled_base is not None:
        return _wheels(robot, robot.wheeled_base) + (html_of(robot.on_fixed_base) if robot.n else "")
    columns = ["joint", "type", "moves", "from", "axis", "range", "speed up to", "effort up to", "mass of the link"]
    joints = [joint for joint in robot.joints if joint.motion.dof]
    rows = [_row(robot, joint) for joint in joints[:MOST_ROWS]]
    mass = sum(link.inertia.mass for link in robot.links)
    speeds = "speeds" if is_closed(robot) else "degree of freedom" if robot.n == 1 else "degrees of freedom"
    count = f"{len(robot.links)} links, {robot.n} {speeds}, {number(mass)} kg"
    fixed = len(robot.joints) - len(joints)
    notes = [f"{len(joints) - MOST_ROWS} more joints" if len(joints) > MOST_ROWS else "",
             f"{fixed} fixed joint{'s' if fixed != 1 else ''} not shown" if fixed else ""]
    made = html.table(f"{printable(robot.name)}: {count}", columns, rows, left=5, note="; ".join(filter(None, notes)))
    if is_closed(robot):
        closing = [[loop.name, type(loop.motion).__name__, loop.first, loop.second] for loop in robot.loops]
        made += html.table("Joints that close loops", ["loop", "type", "first link", "second link"], closing, left=4)
        ratios = len(robot.couplings)
        words = f"driven: {', '.join(drive_names(robot)) or 'nothing'}"
        made += html.paragraph(words + (f"; {ratios} coupling{'s' if ratios != 1 else ''}" if ratios else ""))
    if robot.parts:
        made += html.paragraph(printable(f"parts: {parts_words(robot)}"))
    return made


def _wheels(robot: RobotModel, base: BaseModel) -> str:
    columns = ["contact", "type", "x (m)", "y (m)", "radius (m)", "driven"]
    rows = []
    for contact in base.wheels:
        wheel = [f"{contact.radius:.4g}", "yes" if contact.driven else "no"] if isinstance(contact, Wheel) else ["", ""]
        rows.append([printable(contact.name), contact.kind, *(f"{x:.4g}" for x in contact.position), *wheel])
    ground = "" if robot.ground is None else robot.ground.words
    title = f"{printable(robot.name)}: base of {number(base.mass)} kg on {len(rows)} contacts{ground}"
    return html.table(title, columns, rows, left=2)


def parts_words(robot: RobotModel) -> str:
    """The parts of a robot by their joints, in words; nothing of one without.

    >>> import loadpath as lp
    >>> parts_words(lp.catalog.planar(2))
    ''
    """
    by_joint: dict[str, list[str]] = {}
    for joint, part in robot.parts:
        by_joint.setdefault(joint, []).append(str(getattr(part, "label", type(part).__name__)))
    return "; ".join(f"{joint}: {', '.join(labels)}" for joint, labels in by_joint.items())


def _row(robot: RobotModel, joint: Joint) -> list[str]:
    motion, single = joint.motion, joint.motion.dof == 1
    angle = "rad" if any(motion.angular) else "m"
    force = "N m" if any(motion.angular) else "N"
    axis = motion.axis_direction()
    limits = joint.limits[0] if single and joint.limits else None
    cells = ["", "", ""]
    if limits is not None:
        low, high = limits.lower, limits.upper
        cells[0] = f"{low:.4g} to {high:.4g} {angle}" if math.isfinite(low) or math.isfinite(high) else ""
        cells[1] = f"{limits.velocity:.4g} {angle}/s" if math.isfinite(limits.velocity) else ""
        cells[2] = f"{limits.effort:.4g} {force}" if math.isfinite(limits.effort) else ""
    kind = type(motion).__name__ + (f" ({', '.join(motion.labels)})" if motion.dof > 1 else "")
    if joint.mimic is not None:
        kind += f", {joint.mimic.multiplier:.4g} times {joint.mimic.joint}"
    written = "" if axis is None else "(" + ", ".join(f"{x:.4g}" for x in axis) + ")"
    mass = f"{number(robot.link(joint.child).inertia.mass)} kg"
    names = [printable(text) for text in (joint.name, kind, joint.child, joint.parent)]
    return [*names, written, *cells, mass]
