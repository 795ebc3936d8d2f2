"""The section that says where the loads come from: the causes of every joint's wrench, stacked over the motion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from loadpath.loads.breakdown.calculation import load_breakdown
from loadpath.loads.breakdown.drive import DRIVE
from loadpath.loads.breakdown.result import LoadBreakdown
from loadpath.loads.peaks.result import PeakLoads
from loadpath.loads.resultants import unit_of
from loadpath.quantities.carriers import carriers, is_closed
from loadpath.quantities.load_index import cause_label
from loadpath.quantities.wrench import COMPONENTS
from loadpath.report.blocks import Block, Chart, Choice, Section, seconds
from loadpath.report.blocks import number as short
from loadpath.report.charts import Part, stacked
from loadpath.report.live.bindings import stack
from loadpath.report.shown import NOTHING, Shown
from loadpath.robot.parts import Joint
from loadpath.scalars.types import Floats, Ints


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
        inside = (*friction, *joint.reflected_inertia, *joint.springs)
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


def causes(peaks: PeakLoads, t: Floats, rows: Mapping[str, Ints], leading: Mapping[str, str], shown: Shown) -> Section:
    """For every joint of `rows`: what the component of `leading` is made of, and charts of all components, at the
    samples of `rows`, which have its peak among them.
    """
    blocks: dict[str, Block] = {}
    groups: dict[tuple[int, int], list[str]] = {}
    for joint, samples in rows.items():
        groups.setdefault((int(samples[0]), int(samples[-1])), []).append(joint)
    for joints in groups.values():
        samples = np.unique(np.concatenate([rows[joint] for joint in joints]))
        states, case = peaks.states.rows(samples), peaks.states.case_of(samples).keywords
        breakdown = load_breakdown(peaks.robot, *states, **case, compiled=False)
        for joint in joints:
            blocks[joint] = _choice(breakdown, joint, leading[joint], t, samples)
    lead = (
        "Each load is the sum of its causes: links that weigh, joints that accelerate (inertial) or turn "
        "(centrifugal), pairs that move at once (Coriolis), wrenches from outside. What pushes up is stacked above "
        "zero, what pushes down below; the line is the sum, the load that the joint carries. Components are in the "
        "joint's own frame, at its origin, exerted on the link beyond it; of a drive with friction or a rotor, all "
        f"that it has to give. {shown.in_tables_only}"
    ).rstrip()
    return Section("Where the loads come from", lead, [blocks[joint] for joint in rows])


def _choice(breakdown: LoadBreakdown, joint: str, shown: str, t: Floats, samples: Ints) -> Choice:
    times = t[samples]
    names = (*COMPONENTS, DRIVE) if shown == DRIVE else COMPONENTS
    assert breakdown.robot is not None
    place = breakdown.robot.closed_joint_names.index(joint)
    charts = {_words(name): _chart(breakdown, joint, name, times, stack(place, name, shown)) for name in names}
    note = _sentence(breakdown, joint, shown, times)
    if samples[0] > 0 or samples[-1] < len(t) - 1:
        note += (f" The chart has {seconds(float(times[0]))} to {seconds(float(times[-1]))} of the motion, about that "
                 "instant: a chart of all of it could not show each oscillation.")
    return Choice(joint, charts, _words(shown), note)


def _words(component: str) -> str:
    return "drive load" if component == DRIVE else component.replace("_", " ")


def _chart(breakdown: LoadBreakdown, joint: str, component: str, t: Floats, live: dict[str, Any]) -> Chart:
    found = breakdown.parts(joint, component)
    parts = [Part(cause_label(cause), cause[0], np.asarray(values)) for cause, values in found.items()]
    unit = unit_of(breakdown.robot, joint, component)
    chart = stacked(f"{joint}, {_words(component)}", t, parts, f"{_words(component)} ({unit})")
    return replace(chart, live={**live, "unit": unit, "words": _words(component)})


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
    return f"Largest {_words(component)}: {load} at {seconds(float(t[where]))}; most of it from {'; '.join(parts)}."
