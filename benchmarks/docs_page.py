"""The page docs/benchmarks.md from one run: what stands between its two marks is written anew, nothing is mixed in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.report import Row, markdown

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
BEGIN, END = "<!-- written by python -m benchmarks --write -->", "<!-- end of the run -->"
OTHERS = "## Other runs"
"""Heading of tables of earlier runs, which go when a run has all tables."""


def of_run(page: str, day: str, machine: str, tables: Mapping[str, tuple[str, Sequence[Row]]]) -> str:
    """The text of the page with the tables of a run, by name with title and rows; a table without rows was not run."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page of the benchmarks has not both marks, {BEGIN} and {END}: nothing was written")
    missing = [name for name, (_, rows) in tables.items() if not rows]
    text = [
        f"Of one run that ended on {day}: {machine}. The times beside the ratios are of that machine and that run only."
    ]
    if missing:
        text.append(f"Not in this run: {', '.join(missing)}.")
    text += [markdown(title, rows).rstrip() for title, rows in tables.values() if rows]
    kept = after if missing else after.partition(OTHERS)[0]
    return f"{before}{begin}\n\n" + "\n\n".join(text) + f"\n\n{end}{kept.rstrip()}\n"
