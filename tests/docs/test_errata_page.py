"""docs/errata.md on Lau's thesis: every equation that was found wrong has its row, and the tests it names exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "errata.md").read_text(encoding="utf-8")
THESIS = PAGE[PAGE.index("## T.-C. Lau") :].split("\n## ", 1)[0]

CORRECTED = ["2-46", "2-47", "2-48", "2-49", "2-50", "2-63", "2-64", "2-65", "2-66", "2-75a", "2-75c", "2-76", "2-80", "2-86", "3-19", "3-20", "3-28", "3-32", "3-56", "3-66", "3-67", "3-70a", "3-71", "3-72", "3-75", "3-76", "3-78", "3-79", "3-80", "3-89", "3-98a", "3-98b", "3-99", "3-100", "3-101", "3-102", "3-104", "3-105", "3-106", "3-107", "3-109", "3-110", "3-116", "3-117", "3-119", "3-120", "3-121", "3-122", "3-123", "3-124", "4-18", "4-31", "4-37", "4-43", "4-47", "4-55", "4-57", "4-61", "4-87", "4-88", "4-92", "4-93", "4-96", "4-97", "4-98", "4-101", "4-102", "4-104", "4-106", "4-107", "4-108", "4-110", "4-111", "4-112", "4-114", "4-115", "4-116", "4-118", "4-124", "4-125", "4-127", "4-128", "4-129", "5-2", "5-3", "5-13", "5-17", "5-19", "5-21", "5-24", "5-25", "5-28", "5-31", "5-34", "5-38", "5-39", "5-46", "5-65", "5-71", "5-82", "5-77", "5-83", "5-84", "6-5", "6-6", "6-11", "6-15", "6-16", "6-23", "6-31", "6-33", "6-37", "6-38", "6-40", "6-42", "6-43", "6-44", "6-45", "6-62", "6-66", "6-67", "6-68", "6-69", "6-70", "6-71", "6-72", "6-74", "6-75", "6-76", "6-77", "6-81", "6-84", "6-85", "6-87", "6-88", "6-91", "6-95", "6-96", "6-97", "6-98", "7-2", "7-3", "7-4", "7-8", "7-10", "7-11", "7-12", "7-13", "7-14", "7-15", "7-16", "7-17", "7-18", "7-19", "7-20", "7-21", "7-22"]
"""Equations of the thesis that have a correction."""

WORDS = ["notation list", "section 3.1", "`D_11`", "`D_13`", "`D_21`", "`D_22`", "figure 15", "figure 17", "step 12",
         "three assumptions", "last table", "closing remark", "step A"]  # fmt: skip
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


@pytest.mark.parametrize("chapter", list("234567"))
def test_every_corrected_equation_of_the_thesis_has_a_row(chapter: str) -> None:
    missing = [number for number in CORRECTED if number.startswith(chapter) and number not in NAMED]
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
