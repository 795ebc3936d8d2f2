"""Every equation number of Lau's thesis is on its page, by itself or in a range; the page has no number besides."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from source_page import cells

PAGE = Path(__file__).parents[2] / "docs" / "sources" / "lau.md"
LAST = {2: 110, 3: 124, 4: 129, 5: 84, 6: 98, 7: 23}
"""The last number of each chapter."""
MISSING = {
    2: {53, 54, 55},
    3: {86, 95},
    4: set(),
    5: {75, 76},
    6: {10, 14, 20, *range(24, 31), 39, *range(50, 60)},
    7: set(),
}
"""Numbers that the copy of the thesis neither prints nor refers to (6-50 it does, by mistake for 6-60)."""
LETTERED = {(2, 75): "abc", (3, 70): "ab", (3, 98): "ab"}
NUMBERS = {(chapter, k) for chapter, last in LAST.items() for k in range(1, last + 1) if k not in MISSING[chapter]}
_RANGE = re.compile(r"\((\d)-(\d+)([a-z]?)\)(?: to \((\d)-(\d+)([a-z]?)\))?")
Number = tuple[int, int, str]


def numbers_in(cell: str) -> list[Number]:
    """All numbers that a cell names, those of ranges too."""
    found: list[Number] = []
    for chapter, first, letter, last_chapter, last, last_letter in _RANGE.findall(cell):
        assert last_chapter in ("", chapter), cell
        if letter and last_letter:
            found += [(int(chapter), int(first), chr(k)) for k in range(ord(letter), ord(last_letter) + 1)]
        else:
            found += [(int(chapter), k, letter) for k in range(int(first), int(last or first) + 1)]
    return found


def table_cells(column: str) -> list[tuple[int, str]]:
    """Line and text of every cell in the columns of this name."""
    found, head = [], None
    for line, text in enumerate(PAGE.read_text(encoding="utf-8").splitlines(), start=1):
        if not text.startswith("|"):
            head = None
        elif head is None:
            head = [name.lower() for name in cells(text)]
        elif column in head and not set(text) <= set("|- "):
            found.append((line, cells(text)[head.index(column)]))
    return found


def assert_known(line: int, number: Number) -> None:
    chapter, k, letter = number
    assert (chapter, k) in NUMBERS, f"lau.md:{line}: the thesis has no ({chapter}-{k})"
    assert not letter or letter in LETTERED.get((chapter, k), ""), f"lau.md:{line}: no ({chapter}-{k}{letter})"


def test_every_number_is_covered_once() -> None:
    named = Counter(number for _, cell in table_cells("numbers") for number in numbers_in(cell))
    expected = {(*number, letter) for number in NUMBERS for letter in LETTERED.get(number, " ")}
    expected = {(chapter, k, letter.strip()) for chapter, k, letter in expected}
    assert len(NUMBERS) == 540 and len(expected) == 544
    assert expected - set(named) == set(), "not on the page"
    assert {number: count for number, count in named.items() if count > 1} == {}, "in two ranges"


@pytest.mark.parametrize("column", ["numbers", "place"])
def test_no_row_has_a_number_that_the_thesis_has_not(column: str) -> None:
    found = [(line, number) for line, cell in table_cells(column) for number in numbers_in(cell)]
    assert len(found) > 150
    for line, number in found:
        assert_known(line, number)


def test_results_have_rows_of_their_own() -> None:
    """What a derivation ends in is executed, not only described."""
    rows = {(chapter, k) for _, cell in table_cells("place") for chapter, k, _ in numbers_in(cell)}
    results = [(2, 99), (5, 18), (5, 31), (6, 49), *((6, k) for k in (*range(60, 70), *range(73, 89))),
               *((7, k) for k in range(1, 24))]
    assert [number for number in results if number not in rows] == []


def test_references_to_rows_lead_to_rows() -> None:
    """Where a range says "row (3-38)", that row is there."""
    rows = {number for _, cell in table_cells("place") for number in numbers_in(cell)}
    for line, cell in table_cells("here"):
        if re.match(r"rows? \(", cell):
            for number in numbers_in(cell.split(":")[0].split(";")[0]):
                assert number in rows or (*number[:2], "") in rows, f"lau.md:{line}: no row {number}"


def test_pages_go_up() -> None:
    """Pages of the thesis, within those of its chapters in its table of contents."""
    begins = {2: 6, 3: 37, 4: 76, 5: 104, 6: 125, 7: 149, 8: 165}
    before = 0
    for (line, page), (_, numbers) in zip(table_cells("page"), table_cells("numbers"), strict=True):
        first, _, last = page.partition("\N{EN DASH}")
        chapter = numbers_in(numbers)[0][0]
        assert before <= int(first) <= int(last or first), f"lau.md:{line}"
        assert begins[chapter] <= int(first) and int(last or first) <= begins[chapter + 1], f"lau.md:{line}"
        before = int(first)
