"""What the commands print of flexible arms and of bases on tyres."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import fields

import numpy as np
from rich.console import Console, Group

from loadpath.api.kinds import FlexibleRobot
from loadpath.cli.tables import Sheet, titled
from loadpath.mobile.rover import Rover
from loadpath.motion import Motion
from loadpath.printable import printable
from loadpath.report.collecting import asked_for, collected_warnings
from loadpath.robot.joint_compliance import RIGID, JointCompliance

INSTANTS_TRIED = 101
"""Instants of a motion at which the whole arm is tried for buckling and its frequencies are looked at."""


def beam_table(robot: FlexibleRobot, console: Console) -> Group:
    """The beams of a flexible arm: sections, materials, lengths."""
    table = Sheet(["beam of link", "section", "material", "length (m)"], left=3)
    for (link, beam), placed in zip(robot.beams, robot.placed_beams, strict=True):
        sections = dict.fromkeys(type(segment.section).__name__ for segment in beam.segments)
        materials = dict.fromkeys(segment.material.name for segment in beam.segments)
        table.add_row(link, ", ".join(sections), ", ".join(materials), f"{placed.length:.4g}")
    return titled("Beams", table)


def guide_table(robot: FlexibleRobot, console: Console) -> Group:
    """What holds the links that slide along beams."""
    table = Sheet(["guide of joint", "link that slides", "in", "guide"], left=4)
    for placed in robot.placed_guides:
        table.add_row(placed.joint, placed.inner, placed.outer, str(placed.guide))
    return titled("Guides", table)


def compliance_table(compliances: Sequence[tuple[str, JointCompliance]], console: Console) -> Group:
    """The joints that give way, and how stiff they are in which direction."""
    table = Sheet(["compliant joint", "stiffness (N m/rad, N/m), damping (N m s/rad, N s/m)"], left=2)
    for name, compliance in compliances:
        table.add_row(name, "; ".join(_stiffnesses(compliance)) or "by its compliance matrix")
    return titled("Compliant joints", table)


def _stiffnesses(compliance: JointCompliance) -> Iterable[str]:
    for part in fields(compliance):
        values = getattr(compliance, part.name)
        if part.name.startswith("resolved") or not isinstance(values, tuple):
            continue
        if any(value not in (RIGID, 0.0) for value in values):
            yield f"{part.name} {', '.join('rigid' if value == RIGID else f'{value:.4g}' for value in values)}"


def elastic_lines(arm: FlexibleRobot | Rover, motion: Motion) -> list[str]:
    """Sag, safety, buckling and lowest frequency of a flexible arm over a motion, a line each; of a rover, while its
    base stands, on its tyres if it has some.
    """
    few = np.unique(np.linspace(0, len(motion.t) - 1, INSTANTS_TRIED).round().astype(int))
    some = motion.q[few], motion.qd[few], motion.qdd[few]
    said: list[str] = []
    lines = []
    with collected_warnings() as warned:
        bent = arm.deflection(*some)
        moved = {name: np.linalg.norm(bent[name].displacement, axis=-1) for name in bent.ends}
        end = max(moved, key=lambda name: float(moved[name].max()))
        at = int(moved[end].argmax())
        lines.append(f"Largest deflection: {1e3 * moved[end][at]:.4g} mm of '{end}', at {motion.t[few][at]:.2f} s.")
        if (arm.robot if isinstance(arm, Rover) else arm).beams:
            worst = arm.stress(*some).worst
            where = f"link '{worst.link}', {worst.position:.3g} m along, at {motion.t[few][worst.state[0]]:.2f} s"
            lines.append(f"Smallest safety against yield: {worst.safety:.4g}, {where}.")
        buckling = asked_for(lambda: arm.buckling(*some), said)
        if buckling is not None:
            least = buckling.worst
            when = f"at {motion.t[few][least.state[0]]:.2f} s; '{least.link}' gives way most"
            many = f"{least.factor:.4g} times these loads, {when}"
            words = many if math.isfinite(least.factor) else "no multiple of these loads"
            lines.append(f"The arm buckles under {words}.")
        modes = asked_for(lambda: arm.natural_frequencies(some[0], 1, qd=some[1], qdd=some[2]), said)
        if modes is not None:
            lowest = modes.frequencies[:, 0]
            k = int(np.nanargmin(lowest))
            lines.append(f"Lowest natural frequency under load: {lowest[k]:.4g} Hz, at {motion.t[few][k]:.2f} s.")
    return [printable(line) for line in [*lines, *dict.fromkeys([*said, *warned])]]
