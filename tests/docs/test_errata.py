"""The page of errata: every row of the four shorter sources names a test that runs it."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "errata.md"
NAMED = re.compile(r"`(test_\w+)`")
WITHOUT_TEST = {
    "algorithm 7.4.1, first line",  # an index
    "its speeds",  # a transpose
    "size of g",  # a matter of convention
}
"""Rows that have nothing to run."""


def test_every_row_of_the_four_shorter_sources_names_its_test() -> None:
    text = PAGE.read_text(encoding="utf-8")
    rows = 0
    for section in text.split("\n## ")[1:]:
        if section.startswith("T.-C. Lau"):
            continue
        for line in section.splitlines():
            cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
            if not line.startswith("|") or len(cells) != 4 or cells[0] in ("where", "---|---|---|---"):
                continue
            rows += 1
            if cells[0] not in WITHOUT_TEST:
                assert NAMED.search(cells[3]) or '"' in cells[3] or cells[3].startswith("the same"), cells[0]
    assert rows == 13 + 17 + 15 + 15
