"""A verdict as text, HTML, CSV, a data frame and a figure."""

from __future__ import annotations

import math
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loadpath.digits import compared, in_shown_unit, life_words, percent
from loadpath.parts.part import GROUND
from loadpath.parts.verdict.limits import LABEL
from loadpath.plotting import label
from loadpath.printable import printable
from loadpath.tables import Table, data_frame, write_table

if TYPE_CHECKING:
    from loadpath.parts.verdict.result import Verdict, VerdictRow


# The words of a verdict: every surface (text, HTML, page, command line, JSON) takes them from here.


HOLDS, EXCEEDED, UNKNOWN, BARE, NOTHING = (
    "holds", "does not hold", "not known to hold", "no limit exceeded", "nothing could be checked",
)
NO_EMERGENCIES = ", emergencies not given"
"""What follows where all else holds."""


def row_words(part: str, joint: str, check: str, kind: str) -> str:
    """What was checked, and where.

    >>> row_words("limits", "elbow", "speed", "limits"), row_words("gear 2", "elbow", "peak torque", "gear")
    ("speed limit of 'elbow'", "peak torque of gear 2 at 'elbow'")
    >>> row_words("wheel", "left", "slip", "wheel"), row_words("base", "cart", "tipping over", "base")
    ("slip of wheel 'left'", "tipping over of base 'cart'")
    """
    if part == LABEL:
        return f"{check} limit of '{joint}'"
    if kind == "beam":
        return f"{check} of the beam of '{joint}'"
    if part == kind and kind in ("wheel", "base"):
        return f"{check} of {part} '{joint}'"
    return f"{check} of {part} at '{joint}'"


def is_alarming(verdict: Verdict) -> bool:
    """Whether something is exceeded, or not known."""
    return outcome(verdict) not in (HOLDS, BARE)


def outcome(verdict: Verdict) -> str:
    """What it comes to, in two or three words. That everything holds is said only of a motion that was given, with
    parts or beams, and without guesses.
    """
    if verdict.failing:
        return EXCEEDED
    if not verdict.ranked:
        return NOTHING
    if not verdict.holds_in_duty:
        return UNKNOWN
    return f"{HOLDS if verdict.basis.sound else BARE}{NO_EMERGENCIES if verdict.not_given else ''}"


def counts(verdict: Verdict) -> str:
    """How many checks there are, how many are exceeded, how many could not be made."""
    return count_words(len(verdict.checks), len(verdict.failing), len(verdict.not_checked), len(verdict.not_given))


def count_words(every: int, failing: int, missing: int, unsaid: int = 0) -> str:
    """In words.

    >>> count_words(23, 4, 0), count_words(1, 0, 0), count_words(5, 0, 2, 1)
    ('4 exceeded of 23 checks', '1 check', '2 not checked, 1 emergency not given of 5 checks')
    """
    parts = [f"{failing} exceeded"] if failing else []
    parts += [f"{missing} not checked"] if missing else []
    parts += [f"{unsaid} emergenc{'y' if unsaid == 1 else 'ies'} not given"] if unsaid else []
    total = f"{every} check{'s' if every != 1 else ''}"
    return f"{', '.join(parts)} of {total}" if parts else total


def headline(verdict: Verdict) -> str:
    """The outcome, over which motion, how many checks, and what else it rests on."""
    unknown = f"; {verdict.unknown_words}" if verdict.unknown_count else ""
    said = outcome(verdict)
    comma = "," if said.endswith(NO_EMERGENCIES) else ""
    return f"{said}{comma} over {verdict.basis.over}: {counts(verdict)}{unknown}; {verdict.basis.rest}"


def summary(verdict: Verdict) -> str:
    """The headline, and the check that is nearest to its limit, or farthest beyond it."""
    worst = verdict.worst
    return headline(verdict) if worst is None else f"{headline(verdict)}; worst: {worst_words(worst)}"


def worst_words(row: VerdictRow) -> str:
    """A row and its utilisation."""
    return f"{row.words}, {percent(row.utilisation)}"


WIDTH = 140
"""Of the text, unless names need more: these are not broken."""
COLUMNS = ("part", "joint", "check", "demand", "capacity", "unit", "utilisation", "life_hours", "motion", "sample",
           "time", "cause", "note", "rests_on", "exception")
SHOWN = ["joint", "part", "check", "demand", "capacity", "unit", "used", "life (h)", "at", "mostly by"]
"""Headings of the text and of the command's table."""
WORDS = ("unit", "mostly by")
"""Those that hold words, beside the first three."""


def text(verdict: Verdict) -> str:
    """The sentence, and a table of all rows, the most utilised first, those that were not checked last."""
    lines = [title(verdict), *table(verdict).text(WIDTH, rule="─").splitlines()]
    lines += map(printable, [*open_words(verdict), *exception_words(verdict)])
    if verdict.tip_error is not None:
        lines.append(f"Twist of gears: {repr(verdict.tip_error)[1:-1]}")
    return "\n".join(lines)


def open_words(verdict: Verdict) -> list[str]:
    """Why checks were not made, a line each; what nobody said of emergencies in one line for all gears."""
    lines = [f"{row.words}: {row.note}" for row in verdict.not_checked]
    if verdict.not_given:
        joints = ", ".join(dict.fromkeys(f"'{row.joint}'" for row in verdict.not_given))
        lines.append(f"emergencies of the gears at {joints} are not given: list exceptional cases (exceptions=, "
                     "[[exception]] in a project file), or say the gears' emergency_torque")
    return lines


def exception_words(verdict: Verdict) -> list[str]:
    """What happens in each exceptional case, a line each."""
    return [f"{case.name}: {case.headline}" for case in verdict.exceptions]


def table(verdict: Verdict) -> Table:
    """All rows, the most utilised first, those that were not checked last."""
    notes = "; ".join([*open_words(verdict), *exception_words(verdict)])
    rows = [cells(row) for row in ordered(verdict)]
    columns = list(SHOWN)
    if verdict.spreads:
        place = columns.index("used") + 1
        columns.insert(place, "spread")
        for row, shown in zip(ordered(verdict), rows, strict=True):
            shown.insert(place, spread_words(row.spread))
    return Table(title(verdict), columns, rows, printable(notes), left=3, words=WORDS)


def html_of(verdict: Verdict) -> str:
    """The same for notebooks."""
    return table(verdict).html()


def title(verdict: Verdict) -> str:
    """The line above the table."""
    return printable(f"Verdict on '{verdict.name}': {verdict.summary}")


def ordered(verdict: Verdict) -> list[VerdictRow]:
    """The most utilised first, then lives that nobody asked for, then what was not checked."""
    lives = [row for row in verdict.checks if not row.checked and row.life_hours is not None]
    return [*verdict.ranked, *lives, *verdict.not_checked, *verdict.not_given]


def cells(row: VerdictRow) -> list[str]:
    """The cells of a row, in the order of `SHOWN`."""
    used = percent(row.utilisation) if row.checked else "" if row.life_hours is not None else \
        "not given" if row.not_given else "not checked"
    life = "" if row.life_hours is None else life_words(row.life_hours)
    demand, capacity, unit = shown_sizes(row)
    names = [printable(name) for name in (row.joint, row.part, row.named_check)]
    return [*names, demand, capacity, unit, used, life, when(row), printable(main_cause(row))]


def shown_sizes(row: VerdictRow, none: str = "") -> tuple[str, str, str]:
    """Demand, capacity and unit as they are shown."""
    demand, capacity, unit = in_shown_unit(row.demand, row.capacity, row.unit)
    return *compared(demand, capacity, none), unit


def spread_words(spread: float | None, none: str = "") -> str:
    r"""One standard deviation of a utilisation.

    >>> ascii(spread_words(0.0123)), spread_words(None)
    ("'\\xb1 1.2 %'", '')
    """
    return none if spread is None else f"\N{PLUS-MINUS SIGN} {100 * spread:.1f} %"


def when(row: VerdictRow) -> str:
    """The instant that decides, in words."""
    if row.at is None:
        return ""
    words = f"{row.at.time:.4g} s" if not math.isnan(row.at.time) else f"state {row.at.sample}"
    several = row._of is not None and len(row._of.duties) > 1
    return f"{row._of.duties[row.at.motion].name}, {words}" if several and row._of is not None else words


def main_cause(row: VerdictRow) -> str:
    """The cause that adds most; nothing of a row without causes."""
    if row.at is None or row.along is None:
        return ""
    try:
        found = row.top(1)
    except ValueError:
        if row.along != GROUND:
            raise
        return ""  # of a wheel whose share no cause has by itself
    return found[0].cause if found else ""


def as_dict(verdict: Verdict) -> dict[str, Any]:
    """What a verdict says as plain data."""
    worst = verdict.worst
    return {
        "robot": verdict.name, "holds": verdict.holds, "outcome": verdict.outcome, "headline": verdict.headline,
        "summary": verdict.summary, "basis": verdict.basis.as_dict(), "hours": verdict.hours,
        "exceeded": len(verdict.failing), "not_checked": len(verdict.not_checked),
        "not_given": len(verdict.not_given), "exceptions": [case.as_dict() for case in verdict.exceptions],
        "worst": None if worst is None else worst.words,
        "states_that_are_not_numbers": verdict.unknown_count, "checks": records(verdict),
    }


def records(verdict: Verdict) -> list[dict[str, Any]]:
    """Rows as dictionaries of plain values; None for what is not known."""

    def plain(value: float | None) -> float | None:
        return None if value is None or math.isnan(value) else value

    found = []
    for row in verdict.checks:
        at = row.at
        values = (row.part, row.joint, row.check, plain(row.demand), plain(row.capacity), row.unit,
                  plain(row.utilisation), plain(row.life_hours), None if at is None else at.motion,
                  None if at is None else at.sample, None if at is None else plain(at.time), main_cause(row),
                  row.note, row.rests_on, row.case)
        found.append(dict(zip(COLUMNS, values, strict=True)))
    return found


def dataframe(verdict: Verdict) -> Any:
    """The same as a pandas data frame."""
    return data_frame(records(verdict), COLUMNS)


def write_csv(verdict: Verdict, path: str | PathLike[str]) -> Path:
    """The same as a CSV file."""
    return write_table(path, COLUMNS, records(verdict))


def plot(verdict: Verdict) -> Any:
    """Utilisations as bars."""
    from plotly import graph_objects

    rows = list(reversed(verdict.ranked))
    names = [label(printable(f"{row.joint}: {row.part}, {row.named_check}")) for row in rows]
    colors = ["#d1495b" if not row.holds else "#e08e0b" if row.utilisation > 0.8 else "#2e8b57" for row in rows]
    most = max((row.utilisation for row in rows if math.isfinite(row.utilisation)), default=1.0)
    sizes = [100 * min(row.utilisation, 1.2 * max(most, 1.0)) for row in rows]
    hover = [label(printable(str(row))) for row in rows]
    bars = graph_objects.Bar(x=sizes, y=names, orientation="h", marker_color=colors, hovertext=hover, hoverinfo="text")
    figure = graph_objects.Figure(bars)
    figure.add_vline(x=100, line_color="#5c6b78", line_dash="dash")
    figure.update_layout(
        title=label(printable(f"Verdict on '{verdict.name}'")), xaxis_title="utilisation (%)", showlegend=False,
        template="plotly_white", height=120 + 24 * len(rows), margin={"l": 10, "r": 10, "t": 50, "b": 40},
        yaxis={"automargin": True},
    )
    return figure
