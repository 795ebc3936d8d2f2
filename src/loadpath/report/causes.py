"""The section that says where the loads come from: the causes of every joint's wrench, stacked over the motion."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from loadpath.loads.breakdown.drive import DRIVE
from loadpath.loads.breakdown.index import cause_label
from loadpath.loads.breakdown.result import LoadBreakdown
from loadpath.loads.carriers import carriers, is_closed
from loadpath.loads.peaks.result import PeakLoads
from loadpath.loads.units import unit_of
from loadpath.loads.wrench import COMPONENTS
from loadpath.report.blocks import Block, Chart, Choice, Section, Text
from loadpath.report.charts import Part, stacked
from loadpath.report.peaks import number as short
from loadpath.robot.parts import Joint
from loadpath.scalars.types import Floats

NOTHING = 1e-9
"""Loads smaller than this (N, N m) are rounding."""


def leading_components(peaks: PeakLoads) -> dict[str, str]:
    """For every joint that carries anything the component to see first: its drive, if that has friction or a rotor;
    the one along the axis of a joint that has one, where its drive acts; else the largest.

    >>> import loadpath as lp
    >>> arm = lp.catalog.lau_arm()
    >>> leading_components(arm.peak_loads(lp.Motion.swing(arm)))
    {'theta1': 'torque_z', 'theta2': 'torque_y', 'd2': 'force_x'}
    """
    found = {}
    for joint, largest in zip(carriers(peaks.robot), peaks.components.magnitude, strict=True):
        if is_closed(peaks.robot):
            # Pins carry forces; what a drive gives comes through the loops, not along its own joint alone.
            if joint.name in peaks.drive_names:
                found[joint.name] = DRIVE
            elif largest.max() > NOTHING:
                half = slice(0, 3) if largest[:3].max() > NOTHING else slice(3, 6)
                found[joint.name] = COMPONENTS[half][int(np.argmax(largest[half]))]
            continue
        assert isinstance(joint, Joint)
        axis = joint.motion.axis_direction()
        friction = (*joint.viscous_friction, *joint.coulomb_friction, *joint.stribeck)
        inside = (*friction, *joint.rotor_inertia, *joint.springs)
        if joint.name in peaks.dof_names and any(inside):
            found[joint.name] = DRIVE
            continue
        if joint.motion.dof == 1 and axis is not None:
            along = int(np.argmax(np.abs(axis)))
            first = 3 + along if joint.motion.turns_about_line() else along
            if largest[first] > NOTHING:
                found[joint.name] = COMPONENTS[first]
                continue
        if largest.max() > NOTHING:
            half = slice(3, 6) if largest[3:].max() > NOTHING else slice(0, 3)
            found[joint.name] = COMPONENTS[half][int(np.argmax(largest[half]))]
    return found


def causes(t: Floats, breakdown: LoadBreakdown, leading: Mapping[str, str]) -> Section:
    """For every joint of `leading`: what that component is made of, and charts of all components. The states of the
    breakdown, at the times t, have the peaks of these components among them.
    """
    blocks: list[Block] = []
    for joint, shown in leading.items():
        names = (*COMPONENTS, DRIVE) if shown == DRIVE else COMPONENTS
        charts = {_words(name): _chart(breakdown, joint, name, t) for name in names}
        blocks.append(Choice(joint, charts, _words(shown)))
        blocks.append(Text(_sentence(breakdown, joint, shown, t)))
    lead = (
        "Each load is the sum of its causes: links that weigh, joints that accelerate (inertial) or turn "
        "(centrifugal), pairs that move at once (Coriolis), wrenches from outside. What pushes up is stacked above "
        "zero, what pushes down below; the line is the sum, the load that the joint carries. Components are in the "
        "joint's own frame, at its origin, exerted on the link beyond it; of a drive with friction or a rotor, all "
        "that it has to give."
    )
    return Section("Where the loads come from", lead, blocks)


def _words(component: str) -> str:
    return "drive load" if component == DRIVE else component.replace("_", " ")


def _chart(breakdown: LoadBreakdown, joint: str, component: str, t: Floats) -> Chart:
    found = breakdown.parts(joint, component)
    parts = [Part(cause_label(cause), cause[0], np.asarray(values)) for cause, values in found.items()]
    unit = unit_of(breakdown.robot, joint, component)
    return stacked(f"{joint}, {_words(component)}", t, parts, f"{_words(component)} ({unit})")


def _sentence(breakdown: LoadBreakdown, joint: str, component: str, t: Floats) -> str:
    """The peak in words: how much, when, and the three causes that add most there."""
    (where,) = breakdown.worst(joint, component)
    peak = sum(float(values[where]) for values in breakdown.parts(joint, component).values())
    parts = [
        f"{part.cause} ({'+' if part.value > 0 else ''}{short(part.value)})"
        for part in breakdown.top(joint, component, 3, state=where)
        if abs(part.value) > NOTHING
    ]
    load = f"{short(peak)} {unit_of(breakdown.robot, joint, component)}"
    return f"Largest {_words(component)}: {load} at {t[where]:.3g} s; most of it from {'; '.join(parts)}."
