"""The first page: does every part hold, for how long, what limits it, and what caused that? What it says is what the
verdict says: this only lays it out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from loadpath.digits import life_words, percent
from loadpath.errors import ModelError
from loadpath.parts.verdict import running
from loadpath.parts.verdict.limits import LABEL
from loadpath.parts.verdict.table import is_alarming, main_cause, shown_sizes, spread_words
from loadpath.quantities.table import RobotQuantities
from loadpath.report.blocks import MINUS, NONE, Block, Figure, Section, Table, Text, number, seconds
from loadpath.states import LoadCase

if TYPE_CHECKING:
    from loadpath.motion import DutySpectrum, Motion
    from loadpath.parts.verdict.exceptions import ExceptionalCase
    from loadpath.parts.verdict.result import Verdict, VerdictRow

TITLE = "Verdict"
SPREAD = "A spread is one standard deviation; the section on uncertainty says of what."
COLUMNS = ("part", "joint", "check", "demand", "capacity", "unit", "utilisation", "life (h)", "mostly from")
MOST_ROWS = 40
OWN_ROWS = {"speed": 2, "position": 2}
"""Rows of the robot's own limits that are shown of a kind, else six: all of its parts have theirs."""
NO_PARTS = (
    "No parts were given, so no bearing, gear, motor or brake was checked. "
    "robot.with_parts({'joint2': [lp.CrossedRollerBearing(...), lp.StrainWaveGear(...), lp.Motor(...)]}) "
    "adds them with the numbers of their catalogues; the same can be written into a project file."
)


def judged(
    robot: RobotQuantities, motion: Motion | DutySpectrum, case: LoadCase, hours: float | None,
    exceptions: Sequence[ExceptionalCase] = (),
) -> Verdict | None:
    """The verdict on a robot over a motion; None of one without parts and limits."""
    of_rover: Any = robot  # whose wheels, tipping and slip are judged, too
    try:
        if robot.on_wheels:
            return of_rover.verdict(motion, hours=hours, **case.keywords)  # type: ignore[no-any-return]
        return running.verdict(robot, motion, hours=hours, under=case, exceptions=exceptions)
    except ModelError:
        if robot.parts or exceptions:
            raise
        return None


def verdict_section(found: Verdict) -> Section:
    """The rows of a verdict, the most utilised first, then what was not checked."""
    lives = [row for row in found.checks if not row.checked and row.life_hours is not None]
    blocks: list[Block] = [Text(f"{found.summary[0].upper()}{found.summary[1:]}.", live="sentence")]
    shown = _shown(found)
    rows = [cells(row) for row in [*shown, *lives]]
    columns = list(COLUMNS)
    if rows:
        left = [row for row in found.ranked if not any(row is other for other in shown)]
        most = max((row.utilisation for row in left), default=0.0)
        more = f"{len(left)} more checks are not shown, with {percent(most)} at most." if left else ""
        note = f"The most utilised first; the time is the instant that decides. {more}".rstrip()
        if not any(row.life_hours is not None for row in found.checks):
            rows = [row[:7] + row[8:] for row in rows]
            columns.remove("life (h)")
        if found.spreads:
            place = columns.index("utilisation") + 1
            columns.insert(place, "spread")
            for row, made in zip([*shown, *lives], rows, strict=True):
                made.insert(place, spread_words(row.spread, NONE))
            note = f"{note} {SPREAD}"
        blocks.append(Table("Checks", columns, rows, note, left=3, right=1, live="checks", mixed=True))
    if found.not_checked or found.not_given:
        told = [[row.part, row.joint, row.named_check, row.note.removeprefix("not checked: ")]
                for row in (*found.not_checked, *found.not_given)]
        blocks.append(Table("Not checked", ["part", "joint", "check", "why"], told, left=4, steady=True))
    if not found.basis.parts:
        blocks.append(Text(NO_PARTS, steady=True))
    return Section(TITLE, "", blocks, _figures(found))


def _shown(found: Verdict) -> list[VerdictRow]:
    """Rows for the table: those that fail, those of parts, and of the robot's own limits the most utilised."""
    shown, of_kind = [], dict.fromkeys((row.check for row in found.ranked), 0)
    for row in found.ranked:
        if row.part == LABEL and row.holds:
            of_kind[row.check] += 1
            if of_kind[row.check] > OWN_ROWS.get(row.check, 6):
                continue
        shown.append(row)
    return shown[:MOST_ROWS]


def _figures(found: Verdict) -> list[Figure]:
    note = f"{found.counts}; {found.basis}"
    figures = [Figure("All checks", found.outcome, note, is_alarming(found), _LIVE | {"of": "checks"})]
    row = found.worst
    if row is not None:
        when = f", {_when(row)}" if row.at is not None else ""
        figures.append(Figure("Limiting", percent(row.utilisation), f"{row.words}{when}", not row.holds,
                              _LIVE | {"of": "limiting"}))
    row = found.shortest_life
    if row is not None and row.life_hours is not None and not math.isnan(row.life_hours):
        asked = "" if found.hours is None else f"; {number(found.hours)} h required"
        figures.append(Figure("Shortest life", f"{life_words(row.life_hours)} h", f"{row.part}, {row.joint}{asked}",
                              live=_LIVE | {"of": "life"}))
    return figures


_LIVE = {"show": "verdict"}


def cells(row: VerdictRow) -> list[str | tuple[str, str]]:
    when = _when(row)
    demand, capacity, unit = (text.replace("-", MINUS) for text in shown_sizes(row, NONE))
    life = NONE if row.life_hours is None else life_words(row.life_hours, NONE)
    share = percent(row.utilisation) if row.checked else NONE
    note = "; ".join(words for words in (row.note, row.rests_on) if words)
    check = (row.named_check, note) if note else row.named_check
    return [row.part, row.joint, check, (demand, when) if when else demand, capacity, unit,
            share, life, main_cause(row)]


def _when(row: VerdictRow) -> str:
    """The instant that decides, of several motions with the name of its motion."""
    if row.at is None:
        return ""
    when = seconds(None if math.isnan(row.at.time) else row.at.time, row.at.sample)
    several = row._of is not None and len(row._of.duties) > 1
    return f"{row._of.duties[row.at.motion].name}, {when}" if several and row._of is not None else when
