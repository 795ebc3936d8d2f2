"""What was measured when: one line of JSON for each run, with its day, commit and machine; the trend of every row as a
table and as a page. Numbers of different machines are not compared: a trend is of one machine.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.report import Row

FILE = Path(__file__).with_name("history.jsonl")
SHOWN = 6
"""Runs in the table, the last ones."""
NOTICED = 0.15
"""Of a number: changes below are noise on a machine that does other things as well."""


class Trend(NamedTuple):
    """A row over the runs on one machine, in the order of time."""

    table: str
    what: str
    unit: str
    better: str
    """`higher`, `lower`, or nothing where nothing is required."""
    days: tuple[str, ...]
    values: tuple[float, ...]

    @property
    def change(self) -> float:
        """Of the last run against the one before, as a share; positive is better where it is known what is."""
        if len(self.values) < 2 or not self.values[-2]:
            return 0.0
        change = self.values[-1] / self.values[-2] - 1
        return -change if self.better == "lower" else change


def record(day: str, machine: str, tables: Mapping[str, tuple[str, Sequence[Row]]], commit: str = "") -> dict[str, Any]:
    """A run as plain data."""
    rows = [
        {"table": name, "what": row.what, "value": row.value, "unit": row.unit,
         "required": row.at_least if row.at_least is not None else row.at_most,
         "better": "higher" if row.at_least is not None else "lower" if row.at_most is not None else ""}
        for name, (_, rows) in tables.items() for row in rows
    ]
    return {"day": day, "commit": commit or commit_here(), "machine": machine, "rows": rows}


def append(run: Mapping[str, Any], file: Path = FILE) -> None:
    """Add a run to the file; what is there stays as it is."""
    with file.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(run, ensure_ascii=False) + "\n")


def runs(file: Path = FILE) -> list[dict[str, Any]]:
    """All runs, the oldest first."""
    if not file.exists():
        return []
    lines = file.read_text(encoding="utf-8").splitlines()
    return sorted((json.loads(line) for line in lines if line.strip()), key=lambda run: run["day"])


def commit_here() -> str:
    """The commit that was measured, marked where files differ from it; nothing outside of a repository."""
    try:
        said = subprocess.run(["git", "describe", "--always", "--dirty=+", "--exclude=*"], cwd=FILE.parent, check=True,
                              capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return said.stdout.strip()


def processor(machine: str) -> str:
    """What makes runs comparable: the processor and its cores, not the versions of packages.

    >>> processor("AMD EPYC (znver5, vectors of 8 doubles), 2 cores; loadpath 0.1.0, numpy 2.4.6")
    'AMD EPYC (znver5, vectors of 8 doubles), 2 cores'
    """
    return machine.partition(";")[0]


def trends(every: Iterable[Mapping[str, Any]], on: str | None = None) -> list[Trend]:
    """The rows of the runs on one machine, by default that of the last run."""
    listed = list(every)
    if not listed:
        return []
    chosen = processor(listed[-1]["machine"]) if on is None else on
    found: dict[tuple[str, str], list[tuple[str, Mapping[str, Any]]]] = {}
    for run in listed:
        if processor(run["machine"]) == chosen:
            for row in run["rows"]:
                found.setdefault((row["table"], row["what"]), []).append((run["day"], row))
    return [
        Trend(table, what, rows[-1][1]["unit"], rows[-1][1]["better"], tuple(day for day, _ in rows),
              tuple(float(row["value"]) for _, row in rows))
        for (table, what), rows in found.items()
    ]


def print_trends(found: Sequence[Trend], machine: str) -> None:
    """The last runs of every row, what has become worse in red."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    days = sorted({day for trend in found for day in trend.days})[-SHOWN:]
    table = Table(title=f"Trend on {machine}", title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    for heading in ("table", "what", "unit", *days, "change"):
        table.add_column(heading, justify="right" if heading in (*days, "change") else "left")
    for trend in found:
        by_day = dict(zip(trend.days, trend.values, strict=True))
        style = "red" if trend.better and trend.change < -NOTICED else ""
        cells = [f"{by_day[day]:.4g}" if day in by_day else "" for day in days]
        table.add_row(trend.table, trend.what, trend.unit, *cells, words(trend), style=style)
    Console().print(table)


def words(trend: Trend) -> str:
    """The change since the run before.

    >>> words(Trend("t", "x", "s", "lower", ("a", "b"), (1.0, 1.5)))
    '+50 %, worse'
    """
    if len(trend.values) < 2 or not trend.values[-2]:
        return ""
    plain = trend.values[-1] / trend.values[-2] - 1
    judged = "" if not trend.better or abs(plain) < NOTICED else ", better" if trend.change > 0 else ", worse"
    return f"{100 * plain:+.0f} %{judged}"


def plot(found: Sequence[Trend], machine: str, path: Path) -> None:
    """A page with a line for every row that was measured twice or more, as a share of its first value."""
    import plotly.graph_objects as go

    figure = go.Figure()
    for trend in found:
        if len(trend.values) > 1 and trend.values[0]:
            label = f"{trend.table}: {trend.what}" + (f" ({trend.unit})" if trend.unit else "")
            figure.add_scatter(x=trend.days, y=[value / trend.values[0] for value in trend.values], name=label[:80],
                               text=[f"{value:.4g} {trend.unit}" for value in trend.values], mode="lines+markers",
                               hovertemplate=f"{label}<br>%{{x}}: %{{text}}<extra></extra>")
    figure.update_layout(title=f"Benchmarks on {machine}, as a share of the first run", xaxis_title="day",
                         yaxis_title="value / first value", yaxis_type="log", template="simple_white", height=900)
    path.write_text(figure.to_html(include_plotlyjs=True, full_html=True), encoding="utf-8")
