"""The section of a rover's report on tests of standards: clause, assumption, numbers and result of every row."""

from __future__ import annotations

import math
from collections.abc import Sequence

from loadpath.digits import percent
from loadpath.errors import ModelError
from loadpath.mobile.standards.result import StandardRow, StandardTest
from loadpath.report.blocks import Block, Cell, Figure, Section, Table, number

_COLUMNS = ["test", "demand", "limit", "unit", "used", "result", "after", "with"]


def standards_section(tests: Sequence[StandardTest]) -> Section:
    """A table for each test."""
    for one in tests:
        if not isinstance(one, StandardTest):
            raise ModelError(f"{one!r} among the standards: expected tests like rover.standards.braking(...)")
    blocks: list[Block] = []
    for test in tests:
        rows = [_row(row) for row in test]
        blocks.append(Table(f"{test.title[0].upper()}{test.title[1:]}", _COLUMNS, rows, test.assumptions, left=1,
                            right=3, mixed=True))
    passed = sum(test.passes for test in tests)
    worst = max(tests, key=lambda test: _sort(test.worst.utilisation))
    figures = [
        Figure("Tests of standards", f"{passed} of {len(tests)} pass",
               ", ".join(test.title for test in tests if not test.passes) or "all of them", passed < len(tests)),
        Figure("Nearest to its limit", _used(worst.worst), f"{worst.title}: {worst.worst.test}", not worst.passes),
    ]
    lead = ("Calculations after standards and practice, of the rover as it is: \"after\" names where a row comes from. "
            "They are no substitute for the tests themselves, and a standard's numbers count only with its text.")
    return Section("Standards", lead, blocks, figures)


def _sort(used: float) -> float:
    return math.inf if math.isnan(used) else used


def _used(row: StandardRow) -> str:
    return "not known" if math.isnan(row.utilisation) else percent(row.utilisation)


def _row(row: StandardRow) -> list[Cell]:
    numbers = "; ".join(f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}"
                        for name, value in row.numbers.items())
    limit = "no limit" if math.isinf(row.limit) else number(row.limit)
    return [row.test, number(row.demand), limit, row.unit, _used(row), "passes" if row.passes else "fails", row.clause,
            numbers]
