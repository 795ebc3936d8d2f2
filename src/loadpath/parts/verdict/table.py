"""A verdict as text, HTML, CSV, a data frame and a figure."""

from __future__ import annotations

import math
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loadpath.csv_tables import write_table
from loadpath.parts.verdict.words import in_shown_unit, number, percent
from loadpath.plotting import label
from loadpath.printable import printable
from loadpath.tables import Table

if TYPE_CHECKING:
    from loadpath.parts.verdict.result import Verdict, VerdictRow

WIDTH = 140
"""Of the text, unless names need more: these are not broken."""
COLUMNS = ("part", "joint", "check", "demand", "capacity", "unit", "utilisation", "life_hours", "motion", "sample",
           "time", "cause", "note")
SHOWN = ["joint", "part", "check", "demand", "capacity", "unit", "used", "life (h)", "at", "mostly by"]
"""Headings of the text and of the command's table."""
WORDS = ("unit", "mostly by")
"""Those that hold words, beside the first three."""


def text(verdict: Verdict) -> str:
    """The sentence, and a table of all rows, the most utilised first, those that were not checked last."""
    lines = [title(verdict), *table(verdict).text(WIDTH, rule="─").splitlines()]
    lines += [printable(f"{row.words}: {row.note}") for row in verdict.not_checked]
    if verdict.tip_error is not None:
        lines.append(f"Twist of gears: {repr(verdict.tip_error)[1:-1]}")
    return "\n".join(lines)


def table(verdict: Verdict) -> Table:
    """All rows, the most utilised first, those that were not checked last."""
    notes = "; ".join(f"{row.words}: {row.note}" for row in verdict.not_checked)
    rows = [cells(row) for row in ordered(verdict)]
    return Table(title(verdict), SHOWN, rows, printable(notes), left=3, words=WORDS)


def html_of(verdict: Verdict) -> str:
    """The same for notebooks."""
    return table(verdict).html()


def title(verdict: Verdict) -> str:
    """The line above the table."""
    return printable(f"Verdict on '{verdict.name}': {verdict.summary}")


def ordered(verdict: Verdict) -> list[VerdictRow]:
    """The most utilised first, then lives that nobody asked for, then what was not checked."""
    lives = [row for row in verdict.checks if not row.checked and row.life_hours is not None]
    return [*verdict.ranked, *lives, *verdict.not_checked]


def cells(row: VerdictRow) -> list[str]:
    """The cells of a row, in the order of `SHOWN`."""
    used = percent(row.utilisation) if row.checked else "" if row.life_hours is not None else "not checked"
    life = "" if row.life_hours is None else number(row.life_hours)
    demand, capacity, unit = in_shown_unit(row.demand, row.capacity, row.unit)
    names = [printable(name) for name in (row.joint, row.part, row.check)]
    return [*names, number(demand), number(capacity), unit, used, life, when(row), printable(main_cause(row))]


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
    found = row.top(1)
    return found[0].cause if found else ""


def as_dict(verdict: Verdict) -> dict[str, Any]:
    """What a verdict says as plain data."""
    worst = verdict.worst
    return {
        "robot": verdict.name, "holds": verdict.holds, "outcome": verdict.outcome, "headline": verdict.headline,
        "summary": verdict.summary, "basis": verdict.basis.as_dict(), "hours": verdict.hours,
        "exceeded": len(verdict.failing), "not_checked": len(verdict.not_checked),
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
                  row.note)
        found.append(dict(zip(COLUMNS, values, strict=True)))
    return found


def dataframe(verdict: Verdict) -> Any:
    """The same as a pandas data frame."""
    try:
        import pandas as pd
    except ImportError:
        raise ImportError("to_dataframe needs pandas: pip install pandas") from None
    return pd.DataFrame(records(verdict), columns=list(COLUMNS))


def write_csv(verdict: Verdict, path: str | PathLike[str]) -> Path:
    """The same as a CSV file."""
    return write_table(path, COLUMNS, records(verdict))


def plot(verdict: Verdict) -> Any:
    """Utilisations as bars."""
    from plotly import graph_objects

    rows = list(reversed(verdict.ranked))
    names = [label(printable(f"{row.joint}: {row.part}, {row.check}")) for row in rows]
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
