"""Equation numbers of the sources in the index: a search for "3-121" leads to its row on the page of the source.

Rows are those of the tables of docs/sources whose first column is "place". The search of Sphinx leaves out numbers in
the text, but not entries of the index.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

SOURCES = "sources/"
NUMBER = re.compile(r"\(((?:\d+[.-])?\d+[a-z]?)\)")
RANGE = re.compile(r"\((\d+[.-])(\d+)\) (?:to|–) \(\1(\d+)\)")  # noqa: RUF001


def equation_numbers(place: str) -> list[str]:
    """Equations that a place names: (3-100) to (3-102) are three; what stands before one is not it.

    >>> equation_numbers("D, (3-100) to (3-102), (3-98b), before (3-121)")
    ['3-100', '3-101', '3-102', '3-98b']
    """
    place = re.sub(r"before \([^)]*\)", "", place)
    found = [f"{chapter}{k}" for chapter, low, high in RANGE.findall(place) for k in range(int(low), int(high) + 1)]
    return list(dict.fromkeys([*found, *NUMBER.findall(place)]))


class EquationIndex(SphinxTransform):
    """Enters the places of all rows, before the index is collected."""

    default_priority = 820

    def apply(self, **kwargs: Any) -> None:
        if not self.env.docname.startswith(SOURCES):
            return
        used: set[str] = set()
        for table in list(self.document.findall(nodes.table)):
            rows = list(table.findall(nodes.row))
            if not rows or rows[0][0].astext().strip().lower() != "place":
                continue
            table["classes"].append("places")  # rows that a phone shows one cell below the other
            for row in rows[1:]:
                _enter(row[0], used)


def _enter(cell: nodes.Element, used: set[str]) -> None:
    """One entry for every equation of a cell; the first row of an equation is its anchor."""
    numbers = equation_numbers(cell.astext())
    if not numbers or not cell.children:
        return
    paragraph = cell[0]
    assert isinstance(paragraph, nodes.Element)
    entries = []
    for number in numbers:
        anchor = f"equation-{number.replace('.', '-')}"
        if anchor not in used:
            used.add(anchor)
            paragraph["ids"].append(anchor)
            entries.append(("single", f"({number})", anchor, "", None))
    if entries:
        cell.insert(0, addnodes.index(entries=entries))


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_transform(EquationIndex)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
