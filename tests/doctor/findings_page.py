"""The table of findings on the robots of example-robot-data, for the page `docs/checking_robots.md`.

Run `python tests/doctor/findings_page.py` to write it anew.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import loadpath as lp
from real_robots import REAL_ROBOTS

PAGE = Path(__file__).parents[2] / "docs" / "checking_robots.md"
BEGIN, END = "<!-- findings: begin -->\n", "<!-- findings: end -->\n"
HEAD = "| robot | errors | warnings | notes | of which |\n|---|---:|---:|---:|---|\n"


def row(name: str) -> str:
    """A robot in a line."""
    found = lp.check(REAL_ROBOTS[name])
    rules = Counter(finding.rule for finding in found.findings if finding.severity != "note")
    words = ", ".join(f"{rule} {count}" for rule, count in rules.items())
    counts = (str(found.count(severity) or "") for severity in ("error", "warning", "note"))
    return f"| {name} | {' | '.join(counts)} | {words} |\n"


def table() -> str:
    """All robots."""
    return HEAD + "".join(row(name) for name in REAL_ROBOTS)


def main() -> None:
    """Writes the table into the page."""
    made = table()
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    PAGE.write_text(before + BEGIN + made + END + after)


if __name__ == "__main__":
    main()
