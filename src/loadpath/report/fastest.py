"""The section on the fastest motion along the path of the report's own: how long it takes, what rules where, and what
each limit costs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.fastest.asked import Given
from loadpath.fastest.chart import HEIGHT, chart_data
from loadpath.fastest.infeasible import NoMotionError
from loadpath.parts.verdict.duties import is_spectrum
from loadpath.quantities.table import RobotQuantities
from loadpath.report.blocks import Block, Chart, Figure, Section, Table, Text, number
from loadpath.states import MotionLike

if TYPE_CHECKING:
    from loadpath.fastest.result import Fastest
    from loadpath.motion import DutySpectrum

TITLE = "Fastest motion"
LEAD = (
    "The path of the motion, timed anew: as quickly as the limits of drives and parts let it be. What is used of each "
    "limit is bounded between the points of the grid, too."
)
NOTE = "Below, in which stretch which limit rules: to be quicker there, raise that one."
FEW = 12
"""Limits that are all shown, of more those that rule somewhere."""
Asked = bool | Given
"""Whether there is such a section; or within which limits, as `robot.fastest` takes them."""


def found_on(
    robot: RobotQuantities, motion: MotionLike | DutySpectrum, asked: Asked, acting: Mapping[str, Any]
) -> Fastest | NoMotionError:
    """The fastest motion along the path of another, or why there is none; of a rover that while it stands."""
    if is_spectrum(motion):
        raise ValueError("fastest= is for one motion, and this is a duty spectrum: ask for each of its motions")
    given = {name: value for name, value in acting.items() if value is not None}
    stands = robot.on_wheels and np.ndim(given.get("heading", 0.0)) == 0
    heading = {"heading": given.pop("heading")} if stands and "heading" in given else {}
    if given:
        raise ValueError(f"fastest= of a motion while {', '.join(map(str, given))} act: the fastest motion is without "
                         "them; leave one out")
    try:
        limits = None if isinstance(asked, bool) else asked
        found: Fastest = robot.fastest(motion, limits, **heading)  # type: ignore[attr-defined]  # every robot has it
        return found
    except NoMotionError as problem:
        return problem


def fastest_section(found: Fastest | NoMotionError, before: float | None = None, title: str = TITLE) -> Section:
    """The section; `before` is how long the motion takes as it is."""
    if isinstance(found, NoMotionError):
        none = Figure(title, "none", "no timing of this path keeps all limits", True)
        return Section(title, LEAD, _why(found), [none])
    note = f"the motion takes {number(before)} s" if before is not None else ""
    figures = [Figure("Duration", f"{number(found.duration)} s", note),
               Figure("Largest use of a limit", f"{100 * found.certificate:.4f} %", "bounded between points, too")]
    costs = found.costs
    if costs:
        name, saved = next(iter(costs.items()))
        figures.append(Figure("Costs most", f"{number(saved)} s", f"less if 10 % more of: {name}"))
    traces, layout = chart_data(found)
    blocks: list[Block] = [Chart("Speed, limits, and what rules", traces, layout, HEIGHT, None, NOTE)]
    plain = found.table()
    rows = [[row[0], *str(row[1]).split(" ", 1), *row[2:]] for row in plain.rows
            if row[3] != "0.000" or row[4] != "-" or len(plain.rows) <= FEW]
    left = len(plain.rows) - len(rows)
    more = f"{left} limits that rule nowhere are not shown." if left else ""
    blocks.append(Table("Limits", ["limit", "capacity", "unit", *plain.columns[2:]], rows, more, left=1, steady=True,
                        mixed=True))
    if found.left_out:
        blocks.append(Text(f"No limits here, but in the verdict: {', '.join(found.left_out)}.", steady=True))
    return Section(title, LEAD, blocks, figures)


def fastest_figure(label: str, found: Fastest | NoMotionError) -> Figure:
    """How long it takes, of one design among others."""
    title = f"Fastest motion of {label}"
    if isinstance(found, NoMotionError):
        return Figure(title, "none", "no timing of the path keeps all limits", True)
    most = next(iter(found.costs), "")
    return Figure(title, f"{number(found.duration)} s", f"costs most: {most}" if most else "")


def _why(problem: NoMotionError) -> list[Block]:
    blocks: list[Block] = [Text("No timing of this path keeps all limits.", steady=True)]
    if problem.at_rest:
        rows = [[each.limit, number(each.begin), number(each.end), number(each.utilisation)]
                for each in problem.at_rest]
        blocks.append(Table("Exceeded at rest", ["limit", "from s", "to s", "utilisation"], rows, left=1, steady=True))
    if problem.pair:
        pairs = [[each.limit, each.asks, number(each.s)] for each in problem.pair]
        blocks.append(Table("These leave nothing between them", ["limit", "asks for", "at s"], pairs, left=2,
                            steady=True))
    return blocks


def fastest_compared(labels: tuple[str, str], both: tuple[Fastest | NoMotionError, Fastest | NoMotionError]) -> Table:
    """Durations of two designs, and for how long and at which cost their limits rule."""
    durations: list[str] = []
    ruling: list[dict[str, float]] = []
    costs: list[dict[str, float]] = []
    for found in both:
        rules: dict[str, float] = {}
        if isinstance(found, NoMotionError):
            durations.append("none")
            costs.append(rules)
        else:
            durations.append(f"{number(found.duration)} s")
            costs.append(found.costs)
            for stretch in found.rules:
                if stretch.limit:
                    rules[stretch.limit] = rules.get(stretch.limit, 0.0) + stretch.end - stretch.begin
        ruling.append(rules)
    rows = [["duration", *durations, "", ""]]
    names = sorted(dict.fromkeys([*ruling[0], *ruling[1]]),
                   key=lambda name: -max(of.get(name, 0.0) for of in (*costs, *ruling)))
    rows += [[name, *(number(of.get(name, 0.0)) for of in ruling), *(number(of.get(name, 0.0)) for of in costs)]
             for name in names]
    columns = ["limit", *(f"{label}: rules (s)" for label in labels), *(f"{label}: 10 % more saves (s)" for label in
                                                                         labels)]
    return Table(TITLE, columns, rows, "On the path of the motion.", left=1, steady=True)
