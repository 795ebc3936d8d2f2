"""Exceptional cases on the page: a section for each, with what happens, what it loads, and the momentary limits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.digits import percent
from loadpath.report.blocks import Block, Chart, Figure, Section, Table, Text, number
from loadpath.report.charts import lines
from loadpath.report.over_time import NAMES, UNITS, kinds
from loadpath.report.verdict import COLUMNS, cells
from loadpath.states import LoadCase

if TYPE_CHECKING:
    from loadpath.parts.verdict.exceptions import Exceptional, ExceptionalCase
    from loadpath.parts.verdict.result import Verdict
    from loadpath.quantities.table import RobotQuantities

TITLE = "Exception"
NAME = "exceptions"
"""What `only` may name."""
LEAD = "Counted apart from the motion: it meets momentary limits, not lives, means and temperatures."


def refuse_wheels(robot: RobotQuantities, exceptions: Sequence[ExceptionalCase]) -> None:
    """Exceptional cases are of robots on a base that stands."""
    if exceptions and robot.on_wheels:
        raise ValueError(f"exceptions= are of robots without wheels, and '{robot.name}' is a rover: ask for those of "
                         "rover.robot")


def exception_sections(found: Verdict | None) -> list[Section]:
    """A section for each exceptional case of a verdict."""
    return [] if found is None else [_section(case) for case in found.exceptions]


def _section(case: Exceptional) -> Section:
    count = "" if case.count is None else f" {number(case.count)} times in life."
    begins = f" From cycle '{case.cycle}'." if case.cycle else ""
    blocks: list[Block] = [Text(f"{case.headline}.{begins}{count}", steady=True)]
    if case.facts:
        rows = [[fact.words, number(fact.value), fact.unit] for fact in case.facts]
        blocks.append(Table("What happens", ["", "value", "unit"], rows, left=1, steady=True, mixed=True))
    blocks += _joints(case.found)
    blocks += _checks(case)
    blocks += _charts(case.found)
    if case.notes:
        blocks.append(Text(" ".join(case.notes), steady=True))
    return Section(f"{TITLE}: {case.name}", LEAD, blocks, [_figure(case)])


def _figure(case: Exceptional) -> Figure:
    worst = case.verdict.worst
    if worst is None:
        return Figure(case.name, "nothing checked", "no part has a momentary limit", not case.holds)
    return Figure(case.name, percent(worst.utilisation), worst.words, not case.holds)


def _joints(found: Any) -> list[Block]:
    """The result's own table, by joint."""
    if not callable(getattr(found, "table", None)):
        return []
    plain = found.table()
    return [Table("By joint", plain.columns, [list(map(str, row)) for row in plain.rows], left=1, right=1, steady=True,
                  mixed=True)]


def _checks(case: Exceptional) -> list[Block]:
    found = case.verdict
    blocks: list[Block] = []
    if found.ranked:
        rows = [cells(row) for row in found.ranked]
        blocks.append(Table("Momentary limits", [*COLUMNS[:7], COLUMNS[-1]], [row[:7] + row[8:] for row in rows],
                            "Times are those of the case.", left=3, right=1, steady=True, mixed=True))
    if found.not_checked:
        told = [[row.part, row.joint, row.check, row.note.removeprefix("not checked: ")] for row in found.not_checked]
        blocks.append(Table("Not checked", ["part", "joint", "check", "why"], told, left=4, steady=True))
    return blocks


def _charts(found: Any) -> Sequence[Chart]:
    """Force of a contact, torques at the joints, speeds and heat, over the time of the case."""
    motion = getattr(found, "motion", None)
    if motion is None:
        return []
    robot, t = found.robot, np.asarray(motion.t)
    external = getattr(found, "external", None)
    acting = LoadCase(external=external).keywords if external else {}
    charts = []
    force = getattr(found, "force", None)
    if force is not None and len(force) == len(t):
        charts.append(lines("Force of the contact", t, {"force": np.asarray(force)}, "N"))
    tau = np.asarray(robot.inverse_dynamics(motion, **acting))
    for kind, words in NAMES.items():
        own = [k for k, freedom in enumerate(kinds(robot)) if freedom == kind]
        if own:
            what = words.replace("of the drives", "at the joints").replace("of the sliding drives", "at sliding joints")
            charts.append(lines(what, t, {robot.dof_names[k]: tau[:, k] for k in own}, UNITS[kind]["force"]))
            charts.append(lines(f"Speeds, {kind}", t, {robot.dof_names[k]: motion.qd[:, k] for k in own},
                                f"{UNITS[kind]['position']}/s"))
    run = getattr(found, "simulation", None)
    heat = np.empty(0) if run is None or run.joint_brake_heat is None else np.asarray(run.joint_brake_heat)
    if run is not None and heat.size:
        names = [f"{name}, brake {k}" if run.joint_brake_names.count(name) > 1 else name
                 for k, name in enumerate(run.joint_brake_names, start=1)]
        charts.append(lines("Heat of the brakes", run.times, {name: heat[:, k] for k, name in enumerate(names)}, "J",
                            x_title="time without power (s)"))
    return charts
