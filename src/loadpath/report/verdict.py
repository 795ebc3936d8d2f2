"""The first page: does every part hold, for how long, what limits it, and what caused that?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from loadpath.errors import ModelError
from loadpath.report.blocks import Block, Figure, Section, Table, Text
from loadpath.report.numbers import NONE, number, seconds
from loadpath.report.rows import OWN_LIMITS, Judged, JudgedRow, is_load, row_words
from loadpath.states import LoadCase

if TYPE_CHECKING:
    from loadpath.api import Robot
    from loadpath.motion import Motion

TITLE = "Verdict"
MOST_ROWS = 40
OWN_ROWS = {"speed": 2, "position": 2}
"""Rows of the robot's own limits that are shown of a kind, else six: all of its parts have theirs."""
WITH_CAUSES = 8
"""Rows whose causes are shown: the most utilised."""
NO_PARTS = (
    "No parts were given: these are the robot's own limits. robot.with_parts({'joint2': [lp.CrossedRollerBearing(...), "
    "lp.StrainWaveGear(...), lp.Motor(...)]}) adds bearings, gears, motors and brakes with the numbers of their "
    "catalogues; the same can be written into cell.toml."
)


def judged(robot: Robot, motion: Motion, case: LoadCase, hours: float | None) -> Judged | None:
    """The verdict on a robot over a motion; None of one without parts and limits."""
    try:
        found: Judged = robot.verdict(motion, hours=hours, **case.keywords)
    except ModelError:
        if robot.parts:
            raise
        return None
    return found


def verdict_section(found: Judged, parts: bool) -> Section:
    """The rows of a verdict, the most utilised first, then what was not checked."""
    checked = sorted((row for row in found.checks if not math.isnan(row.utilisation)), key=lambda row: -row.utilisation)
    lives = [row for row in found.checks if math.isnan(row.utilisation) and row.life_hours is not None]
    missing = [row for row in found.checks if math.isnan(row.utilisation) and row.life_hours is None]
    failing = [row for row in checked if row.utilisation > 1]
    blocks: list[Block] = [Text(_sentence(found, checked, failing, missing), live="sentence")]
    shown = _shown(checked)
    loads = [row for row in shown if is_load(row)][:WITH_CAUSES]
    rows = [_cells(row, any(row is other for other in loads)) for row in [*shown, *lives]]
    columns = ["part", "joint", "check", "demand", "capacity", "unit", "utilisation", "life (h)", "mostly from"]
    if rows:
        left = [row for row in checked if not any(row is other for other in shown)]
        most = max((row.utilisation for row in left), default=0.0)
        more = f"{len(left)} more checks are not shown, with {_percent(most)} at most." if left else ""
        note = f"The most utilised first; the time is the instant that decides. {more}".rstrip()
        if not any(row.life_hours is not None for row in found.checks):
            rows = [row[:7] + row[8:] for row in rows]
            columns.remove("life (h)")
        blocks.append(Table("Checks", columns, rows, note, left=3, right=1, live="checks"))
    if missing:
        told = [[row.part, row.joint, row.check, row.note.removeprefix("not checked: ")] for row in missing]
        blocks.append(Table("Not checked", ["part", "joint", "check", "why"], told, left=4, steady=True))
    if not parts:
        blocks.append(Text(NO_PARTS, steady=True))
    return Section(TITLE, "", blocks, _figures(checked, failing, missing, found))


def _shown(checked: list[JudgedRow]) -> list[JudgedRow]:
    """Rows for the table: those that fail, those of parts, and of the robot's own limits the most utilised."""
    shown, of_kind = [], dict.fromkeys((row.check for row in checked), 0)
    for row in checked:
        if row.part == OWN_LIMITS and row.utilisation <= 1:
            of_kind[row.check] += 1
            if of_kind[row.check] > OWN_ROWS.get(row.check, 6):
                continue
        shown.append(row)
    return shown[:MOST_ROWS]


def _sentence(found: Judged, checked: list[JudgedRow], failing: list[JudgedRow], missing: list[JudgedRow]) -> str:
    count = len(found.checks)
    if failing:
        row = failing[0]
        words = f"Does not hold: {len(failing)} of {count} checks exceed their limits, most of all {row_words(row)} "
        words += f"with {_percent(row.utilisation)}."
    elif missing:
        words = f"Not known to hold: {len(missing)} of {count} checks could not be made; the others hold."
    elif not found.holds:
        words = "Not known to hold: states of the motion are not numbers."
    else:
        row = checked[0]
        words = f"Holds: all {count} checks. Most utilised is {row_words(row)}, {_percent(row.utilisation)}."
    return words


def _figures(
    checked: list[JudgedRow], failing: list[JudgedRow], missing: list[JudgedRow], found: Judged
) -> list[Figure]:
    word = "does not hold" if failing else "holds" if found.holds else "not known"
    note = f"{len(failing)} exceeded, {len(missing)} not checked, of {len(found.checks)}"
    figures = [Figure("All checks", word, note, word != "holds", _LIVE | {"of": "checks"})]
    if checked:
        row = checked[0]
        when = f", {seconds(row.at.time, row.at.sample)}" if row.at is not None else ""
        note = f"{row_words(row)}{when}"
        figures.append(Figure("Limiting", _percent(row.utilisation), note, row.utilisation > 1,
                              _LIVE | {"of": "limiting"}))  # fmt: skip
    lives = [row for row in found.checks if row.life_hours is not None and not math.isnan(row.life_hours)]
    if lives:
        row = min(lives, key=lambda row: row.life_hours or 0.0)
        figures.append(Figure("Shortest life", f"{number(row.life_hours or 0.0)} h", f"{row.part}, {row.joint}",
                              live=_LIVE | {"of": "life"}))  # fmt: skip
    return figures


_LIVE = {"show": "verdict"}


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if np.isfinite(share) else "no limit of it"


def _cells(row: JudgedRow, with_causes: bool) -> list[str | tuple[str, str]]:
    when = seconds(row.at.time, row.at.sample) if row.at is not None else ""
    demand = NONE if math.isnan(row.demand) else number(row.demand)
    capacity = NONE if math.isnan(row.capacity) else number(row.capacity)
    life = NONE if row.life_hours is None else number(row.life_hours)
    share = NONE if math.isnan(row.utilisation) else _percent(row.utilisation)
    return [row.part, row.joint, row.check, (demand, when) if when else demand, capacity, row.unit, share, life,
            _cause(row) if with_causes else ""]  # fmt: skip


def _cause(row: JudgedRow) -> str:
    try:
        found = [part for part in row.top(1) if abs(part.value) > 0]
    except (ValueError, AttributeError):  # a speed or a position has no causes
        return ""
    return str(found[0].cause) if found else ""
