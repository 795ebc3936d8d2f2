"""Writes docs/combinations.md from the table of combinations: `python tests/combinations/combination_page.py`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import combination_table as table
from combination_table import Feature, Independent, Nothing, Outcome, Refuses, Works

PAGE = Path(__file__).parents[2] / "docs" / "combinations.md"

HEAD = """# What works with what

A feature that meets another works, or raises an error that names both and what to do instead. Nothing is dropped
without a word. This page shows every public quantity against every feature. It is written from the data that a test
walks (`tests/combinations/`), cell by cell: a ✓ is a number that is compared with an independent one, in pictures and
reports too; a ✗ or = is an error whose words are compared with those at the end of this page. The rows of robots are
the lines of their table: a new quantity has its row, and fails the test until something is there to compare it with.

| mark | what it means |
|---|---|
| ✓ | works; the number is checked as the next table says |
| ✗ | refused with an error; its words, and what to do instead, stand under that number at the end |
| = | nothing is missing: it does not depend on this, or takes it under another name; an error says so |
| · | the two do not meet: there is no such call, as where a method takes no states |

COUNTED

Rigid quantities of an arm with beams are those of the rigid arm: `deflection` and its kin have what bends. Quantities
of robots with wheels and on a slope are asked of the rover, and are those of the robots on its base; those that a rover
has with another meaning (`mass_matrix`, `forward_dynamics`, `simulate`, `report`, ...) are asked of `rover.robot` here,
and have rows of their own below.

## How the numbers are checked

| feature | what a number is compared with |
|---|---|
"""

SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

Cell = Callable[[str, str], Outcome]


class Notes:
    """The refusals, numbered as they come."""

    def __init__(self) -> None:
        self.numbers: dict[Refuses | Independent, int] = {}
        self.counted: Counter[type[Outcome]] = Counter()

    def mark(self, outcome: Outcome) -> str:
        """A cell."""
        self.counted[type(outcome)] += 1
        if isinstance(outcome, Works):
            return outcome.mark
        if isinstance(outcome, Nothing):
            return "·"
        number = self.numbers.setdefault(outcome, len(self.numbers) + 1)
        return ("=" if isinstance(outcome, Independent) else "✗") + str(number).translate(SUPERSCRIPT)

    def lines(self) -> list[str]:
        """The list at the end."""
        return [f"{number}. “… {one.words} …”{': ' if one.instead else ''}{one.instead}."
                for one, number in self.numbers.items()]

    def sum(self) -> str:
        """How many cells there are of each kind."""
        works, refuses, independent, nothing = (self.counted[kind] for kind in (Works, Refuses, Independent, Nothing))
        return (f"Of {self.counted.total()} cells {works} work, {refuses} are refused, {independent} are independent, "
                f"{nothing} do not meet.")


def one(rows: Iterable[str], features: Mapping[str, Feature], cell: Cell, notes: Notes, prefix: str = "") -> list[str]:
    """A table."""
    lines = ["| | " + " | ".join(feature.title for feature in features.values()) + " |"]
    lines.append("|---" + "|:---:" * len(features) + "|")
    for row in rows:
        marks = " | ".join(notes.mark(cell(row, feature)) for feature in features)
        lines.append(f"| `{prefix}{row}` | {marks} |")
    return lines


def both(title: str, rows: Iterable[str], cell: Cell, notes: Notes, *, prefix: str = "", said: str = "") -> list[str]:
    """A room: what robots can have, and, where any of its rows takes states, how calls can be made."""
    rows = list(rows)
    lines = [f"## {title}", "", *([said, ""] if said else []), *one(rows, table.OF_ROBOT, cell, notes, prefix), ""]
    meeting = [row for row in rows if not all(isinstance(cell(row, feature), Nothing) for feature in table.OF_CALL)]
    if meeting:
        lines += [*one(meeting, table.OF_CALL, cell, notes, prefix), ""]
    return lines


def page() -> str:
    """The whole page."""
    notes = Notes()
    lines = [f"| {feature.title} | {feature.check} |" for feature in table.FEATURES.values()]
    lines.append("")
    for title, rows in table.ROBOT_ROOMS.items():
        lines += both(title, rows, table.robot_cell, notes)
    lines += both(
        "Arms with beams and compliant joints", table.FLEXIBLE_ROWS, table.flexible_cell, notes,
        said="Methods of `robot.with_beams(...)`. A rover that carries such an arm has them, too.",
    )
    lines += ["## Robots with loops", "", "Methods that `lp.ClosedRobot` has in addition, of closed robots with every "
              "feature. On wheels they are asked of the rover.", ""]
    lines += [*one(table.CLOSED_ROWS, table.OF_ROBOT, table.closed_cell, notes), ""]
    lines += both(
        "Rovers", table.ROVER_ROWS, table.rover_cell, notes,
        said="Methods of `base.carrying(robot)`. Features of robots are those of the robot that is carried.",
    )
    lines += both("Functions", table.FUNCTION_ROWS, table.function_cell, notes, prefix="lp.")
    lines += both(
        "Commands", table.COMMAND_ROWS, table.command_cell, notes, prefix="loadpath ",
        said="Robots of every kind come from a Python file that makes them, `loadpath info robots.py:arm`. The numbers "
        "that a command prints are read back and compared with those that Python gives.",
    )
    lines += ["## Refusals", "", "The words are part of the error's message.", "", *notes.lines(), ""]
    return HEAD.replace("COUNTED", notes.sum()) + "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
