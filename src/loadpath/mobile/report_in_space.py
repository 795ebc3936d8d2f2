"""The section of a rover's report on a simulation in which its base was a free body: tilt, height, impacts, events."""

from __future__ import annotations

import math

import numpy as np

from loadpath.mobile.off_the_plane import OffThePlane
from loadpath.report.blocks import NONE, Block, Cell, Figure, Section, Table, number, seconds
from loadpath.report.charts import lines

_MOST_EVENTS = 40
"""Rows of events that are shown."""


def in_space(run: OffThePlane) -> Section:
    """How the base tilted and rose, what hit the ground, and all that happened."""
    simulation, t = run.run, run.run.times
    angles = {"pitch, nose down": np.degrees(simulation.pitch), "roll, left side up": np.degrees(simulation.roll)}
    blocks: list[Block] = [
        lines("Pitch and roll of the base", t, angles, "deg"),
        lines("Height of the base frame above the ground", t, {"height": 1e3 * simulation.position[:, 2]}, "mm"),
    ]
    if simulation.body_forces.any():
        points = {f"body point {k + 1}": simulation.body_forces[:, k] for k in range(simulation.body_forces.shape[1])}
        blocks.append(lines("Normal forces at points of the body", t, points, "N"))
    if run.impacts:
        blocks.append(_impacts(run))
    blocks.append(_events(run))
    said = []
    if run.impacts:
        said.append("Rigid contacts hit the ground in no time, with a force of no finite size: wheels, joints and "
                    "drives carry the impulses of the table in addition to the loads of this report. Wheels with a "
                    "stiffness and damping have forces instead.")
    return Section("In space", f"The base {run.words}.", blocks, _figures(run), said)


def _impacts(run: OffThePlane) -> Table:
    hits: dict[str, list[float]] = {}
    for event in run.impacts:
        hits.setdefault(event.part, []).append(event.impulse or 0.0)
    rows: list[list[Cell]] = []
    for name, impulses in hits.items():
        hardest = max((event for event in run.impacts if event.part == name), key=lambda event: event.impulse or 0.0)
        rows.append([name, str(len(impulses)), (number(max(impulses)), seconds(hardest.time)), number(sum(impulses)),
                     number(run.restitution(name))])
    lost = float(run.run.impact_heat[-1])
    return Table("Impacts", ["contact", "number", "largest impulse (N s)", "all impulses (N s)", "restitution"], rows,
                 f"Along the normal of the ground. {number(lost)} J were lost in impacts.")


def _events(run: OffThePlane) -> Table:
    events = run.run.events
    rows: list[list[Cell]] = [[f"{event.time:.4f}", event.part, event.kind, event.cause]
                              for event in events[:_MOST_EVENTS]]
    left = f"{len(events) - _MOST_EVENTS} later events are not shown." if len(events) > _MOST_EVENTS else ""
    return Table("What happened", ["time (s)", "part", "event", "why"], rows, left, left=4)


def _figures(run: OffThePlane) -> list[Figure]:
    t, most = run.run.times, int(run.tilt.argmax())
    left, _ = run.left_to_fall
    least = int(left.argmin())
    fell, leaves = run.falls, run.leaves
    ends = "stays on its wheels" if leaves is None else "rocks" if fell is None else "falls over"
    when = "" if leaves is None else f"leaves its stance at {leaves:.4g} s"
    when += "" if fell is None else f", beyond return at {fell:.4g} s"
    figures = [
        Figure("The base", ends, when, leaves is not None),
        Figure("Largest tilt", f"{number(math.degrees(float(run.tilt[most])))}°", f"at {t[most]:.3g} s"),
        Figure("Least tilt left to falling over", f"{number(math.degrees(float(left[least])))}°",
               f"until its mass center is over an edge, at {t[least]:.3g} s", bool(left[least] < 0)),
    ]
    hit = run.hardest
    if hit is not None:
        impulse = NONE if hit.impulse is None else f"{number(hit.impulse)} N s"
        figures.append(Figure("Hardest impact", impulse, f"{hit.part}, at {hit.time:.3g} s, restitution "
                                                         f"{run.restitution(hit.part):g}"))
    return figures
