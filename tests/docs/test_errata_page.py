"""docs/errata.md on Lau's thesis: every equation that was found wrong has its row, and the tests it names exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "errata.md").read_text(encoding="utf-8")
THESIS = PAGE[PAGE.index("## T.-C. Lau") :].split("\n## ", 1)[0]

CORRECTED = {
    2: "46 47 48 49 50 63 64 65 66 75a 75c 76 80 86",
    3: "19 20 28 32 56 66 67 70a 71 72 75 76 78 79 80 89 98a 98b 99 100 101 102 104 105 106 107 109 110 116 "
       "117 119 120 121 122 123 124",
    4: "18 31 37 43 47 55 57 61 87 88 92 93 96 97 98 101 102 104 106 107 108 110 111 112 114 115 116 118 124 "
       "125 127 128 129",
    5: "2 3 13 17 19 21 24 25 28 31 34 38 39 46 65 71 82 77 83 84",
    6: "5 6 11 15 16 23 31 33 37 38 40 42 43 44 45 62 66 67 68 69 70 71 72 74 75 76 77 81 84 85 87 88 91 95 "
       "96 97 98",
    7: "2 3 4 8 10 11 12 13 14 15 16 17 18 19 20 21 22",
}
"""Equations of the thesis that have a correction, by chapter."""

WORDS = ["notation list", "section 3.1", "`D_11`", "`D_13`", "`D_21`", "`D_22`", "figure 15", "figure 17", "step 12",
         "three assumptions", "last table", "closing remark", "step A"]
"""Rows on something that has no number."""


def wheres(text: str) -> list[str]:
    """The first cells of all rows of tables."""
    return [line.split("|")[1].strip() for line in text.splitlines() if line.startswith("| ")]


def numbers(cell: str) -> set[str]:
    """Equations that a cell names: (3-100) to (3-102) are three."""
    found = {part for group in re.findall(r"\(([^()]*\d-\d[^()]*)\)", cell) for part in re.split(r",\s*", group)}
    for chapter, low, high in re.findall(r"\((\d)-(\d+)\) to \(\1-(\d+)\)", cell):
        found |= {f"{chapter}-{k}" for k in range(int(low), int(high) + 1)}
    return found


NAMED = set().union(*(numbers(cell) for cell in wheres(THESIS)))


@pytest.mark.parametrize("chapter", CORRECTED)
def test_every_corrected_equation_of_the_thesis_has_a_row(chapter: int) -> None:
    missing = [number for number in CORRECTED[chapter].split() if f"{chapter}-{number}" not in NAMED]
    assert missing == []


def test_rows_without_a_number_are_there() -> None:
    rows = [line for line in THESIS.splitlines() if line.startswith("| ")]
    assert [words for words in WORDS if not any(words in row for row in rows)] == []
    assert "not covered" not in THESIS


def test_every_test_that_the_errata_name_exists() -> None:
    known = set()
    for path in (ROOT / "tests").rglob("test_*.py"):
        known |= set(re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE))
    named = set(re.findall(r"`(test_\w+)`", PAGE))
    assert len(named) > 40
    assert sorted(named - known) == []
