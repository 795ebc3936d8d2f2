"""The section that says where the loads come from: the causes of every joint's wrench, stacked over the motion."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from loadpath.loads.breakdown import LoadBreakdown
from loadpath.loads.breakdown_index import COMPONENTS, cause_label, component_number
from loadpath.report.blocks import Block, Chart, Choice, Section, Text
from loadpath.report.charts import Part, stacked

if TYPE_CHECKING:
    from loadpath.api import Robot

Floats = NDArray[np.float64]

UNITS = {"force": "N", "torque": "N m"}
NOTHING = 1e-9
"""Loads smaller than this (N, N m) are rounding."""


def causes(robot: Robot, t: Floats, breakdown: LoadBreakdown) -> Section:
    """For every joint that carries anything: what its largest component is made of, and charts of all components."""
    blocks: list[Block] = []
    for joint in robot.joint_names:
        totals = _values(breakdown, joint)
        if float(np.abs(totals).max(initial=0.0)) < NOTHING:
            continue
        shown = _most_telling(robot, joint, totals)
        charts = {_words(name): _chart(breakdown, joint, name, t) for name in COMPONENTS}
        blocks.append(Choice(joint, charts, _words(shown)))
        blocks.append(Text(_sentence(breakdown, joint, shown, t)))
    lead = (
        "Each load is the sum of its causes: links that weigh, joints that accelerate (inertial) or turn "
        "(centrifugal), pairs that move at once (Coriolis), wrenches from outside. What pushes up is stacked above "
        "zero, what pushes down below; the line is the sum, the load that the joint carries. Components are in the "
        "joint's own frame, at its origin, exerted on the link beyond it."
    )
    return Section("Where the loads come from", lead, blocks)


def _values(breakdown: LoadBreakdown, joint: str) -> Floats:
    wrench = breakdown.total(joint)
    return np.concatenate([wrench.force, wrench.torque], axis=-1)


def _words(component: str) -> str:
    kind, axis = component.split("_")
    return f"{kind} {axis}"


def _most_telling(robot: Robot, joint: str, totals: Floats) -> str:
    """The component to see first: along the axis of a joint that has one, where its drive acts; else the largest."""
    motion = robot.joint(joint).motion
    axis = motion.axis_direction()
    if motion.dof == 1 and axis is not None:
        along = int(np.argmax(np.abs(axis)))
        first = 3 + along if motion.turns_about_line() else along
        if float(np.abs(totals[..., first]).max()) > NOTHING:
            return COMPONENTS[first]
    largest = np.abs(totals).reshape(-1, 6).max(axis=0)
    half = slice(3, 6) if largest[3:].max() > NOTHING else slice(0, 3)
    return COMPONENTS[half][int(np.argmax(largest[half]))]


def _chart(breakdown: LoadBreakdown, joint: str, component: str, t: Floats) -> Chart:
    number, unit = component_number(component), UNITS[component.split("_", maxsplit=1)[0]]
    parts = [
        Part(cause_label(cause), cause[0], np.asarray(breakdown._sum(rows))[..., number])
        for cause, rows in breakdown.index.of_joint(joint).items()
    ]
    return stacked(f"{joint}, {_words(component)}", t, parts, f"{_words(component)} ({unit})")


def _sentence(breakdown: LoadBreakdown, joint: str, component: str, t: Floats) -> str:
    """The peak in words: how much, when, and the three causes that add most there."""
    (where,) = breakdown.worst(joint, component)
    number, unit = component_number(component), UNITS[component.split("_", maxsplit=1)[0]]
    peak = float(_values(breakdown, joint)[where, number])
    parts = [
        f"{part.cause} {part.value:+.4g}"
        for part in breakdown.top(joint, component, 3, state=where)
        if abs(part.value) > NOTHING
    ]
    return f"Largest {_words(component)}: {peak:.4g} {unit} at {t[where]:.3g} s; most of it from {', '.join(parts)}."
