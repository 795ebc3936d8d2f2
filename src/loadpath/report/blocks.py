"""What a page is made of: sections of charts and tables. Pure data; `page.py` turns it into HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Chart:
    """A Plotly figure as plain data, so that numbers can be rounded and no name goes unescaped."""

    title: str
    traces: Sequence[Mapping[str, Any]]
    layout: Mapping[str, Any] = field(default_factory=dict)
    height: int = 320
    x: Any = None
    """Of all traces that have none of their own."""

    kind = "chart"


@dataclass(frozen=True)
class Choice:
    """Charts of which one is shown, chosen by its label."""

    title: str
    charts: Mapping[str, Chart]
    shown: str

    kind = "choice"


@dataclass(frozen=True)
class Table:
    """Rows of text; the first `left` columns hold names, the others numbers. A cell may carry a note (a tooltip)."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str | tuple[str, str]]]
    note: str = ""
    left: int = 1

    kind = "table"


@dataclass(frozen=True)
class Text:
    """A paragraph."""

    text: str

    kind = "text"


Block = Chart | Choice | Table | Text


@dataclass(frozen=True)
class Figure:
    """A number to see first: what it is of, the number with its unit, and where it was found."""

    label: str
    value: str
    note: str = ""
    alarming: bool = False


@dataclass(frozen=True)
class Section:
    """A part of the page under its own heading."""

    title: str
    lead: str = ""
    blocks: Sequence[Block] = ()
    figures: Sequence[Figure] = ()
    """Shown large at the head of the section."""
    warnings: Sequence[str] = ()
