"""The page docs/benchmarks.md from one run: what stands between its two marks is written anew, nothing is mixed in."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.report import Row, markdown

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
BEGIN, END = "<!-- written by python -m benchmarks --write -->", "<!-- end of the run -->"
OTHERS = "## Other runs"
"""Heading of tables of earlier runs, or of some tables alone, which go when a run has all tables."""
NOT_THERE = re.compile(r"\n\nNot in this run: .*\.(?=\n)")


def of_run(page: str, day: str, machine: str, tables: Mapping[str, tuple[str, Sequence[Row]]]) -> str:
    """The text of the page with the tables of a run, by name with title and rows; a table without rows was not run."""
    before, _, after = _parts(page)
    missing = [name for name, (_, rows) in tables.items() if not rows]
    text = [
        f"Of one run that ended on {day}: {machine}. The times beside the ratios are of that machine and that run only."
    ]
    if missing:
        text.append(f"Not in this run: {', '.join(missing)}.")
    text += [markdown(title, rows).rstrip() for title, rows in tables.values() if rows]
    kept = after if missing else after.partition(OTHERS)[0]
    return f"{before}{BEGIN}\n\n" + "\n\n".join(text) + f"\n\n{END}{kept.rstrip()}\n"


def with_other(page: str, day: str, machine: str, tables: Mapping[str, tuple[str, Sequence[Row]]],
               known: Mapping[str, str]) -> str:
    """The text of the page with some tables of another run below the one run, which says what of the `known` tables
    (titles by name) is not of it. Tables of the same titles from other runs before are replaced.
    """
    before, run, after = _parts(page)
    missing = [name for name, title in known.items() if f"### {title}\n" not in run]
    run = NOT_THERE.sub("", run)
    if missing:
        head, _, rest = run.partition("\n\n###")
        run = f"{head}\n\nNot in this run: {', '.join(missing)}.\n\n###{rest}"
    text = after.partition(OTHERS)[2].strip()
    for title, _ in tables.values():
        text = re.sub(rf"^#### {re.escape(title)}\n.*?(?=^###|\Z)", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"^### [^\n]*\s*(?=^### |\Z)", "", text, flags=re.MULTILINE).strip()
    new = [f"### {day}: {machine}", *(f"#{markdown(title, rows).rstrip()}" for title, rows in tables.values() if rows)]
    whole = "\n\n".join([OTHERS, *new, *([text] if text else [])])
    return f"{before}{BEGIN}{run}{END}\n\n{whole}\n"


def _parts(page: str) -> tuple[str, str, str]:
    """What is before, between and after the marks."""
    before, begin, rest = page.partition(BEGIN)
    run, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page of the benchmarks has not both marks, {BEGIN} and {END}: nothing was written")
    return before, run, after
