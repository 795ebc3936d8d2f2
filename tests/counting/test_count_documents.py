"""The page of operation counts shows what is counted, and so does the command line."""

from __future__ import annotations

from pathlib import Path

import loadpath as lp
from loadpath.counting import TABLE_7_3, compared
from loadpath.scalars import OperationCount

PAGE = Path(__file__).parents[2] / "docs" / "operation_counts.md"


def test_the_table_of_the_page_is_what_is_counted() -> None:
    arm = lp.catalog.random_dh_arm(6, seed=1)
    rows = compared(arm, list(lp.Robot.inverse_dynamics.formulations), 6)
    text = PAGE.read_text()
    for row in rows:
        count: OperationCount = row.operations
        line = f"| {row.what} | {row.kind} | {row.where} | {count.multiplications:,} | {count.additions:,} |"
        assert line in text
    kinds = ("printed", "corrected", "quoted", "as written", "compiled")
    assert sum(f"| {kind} |" in line for line in text.splitlines() for kind in kinds) == len(rows)


def test_table_7_3_of_the_page_is_the_one_of_the_library() -> None:
    lines = PAGE.read_text().splitlines()
    start = lines.index("| authors | method | multiplications | additions | n = 6 |") + 2
    found = []
    for line in lines[start : start + len(TABLE_7_3)]:
        authors, method, *formulas, six = (cell.strip() for cell in line.strip("|").split("|"))
        found.append((authors, method, f"{formulas[0]} multiplications, {formulas[1]} additions", six))
    assert found == [
        (e.authors, e.method, str(e.formula), f"{e.formula(6).multiplications}, {e.formula(6).additions}")
        for e in TABLE_7_3
    ]
