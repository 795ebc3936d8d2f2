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
    note: str = ""
    """Below it, and with it on one page of paper."""
    instants: Sequence[str] = ()
    """Of a picture that moves: what its slider says at each step; its traces have `frames`, one a step."""
    start: int = 0
    """The step that is shown first, and printed."""

    kind = "chart"


@dataclass(frozen=True)
class Choice:
    """Charts of which one is shown, chosen by its label."""

    title: str
    charts: Mapping[str, Chart]
    shown: str
    note: str = ""

    kind = "choice"


@dataclass(frozen=True)
class Table:
    """Rows of text; the first `left` columns hold names, the others numbers, aligned on their decimal points. A cell
    may carry a note, as the time of a peak, which stands below it in small type.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str | tuple[str, str]]]
    note: str = ""
    left: int = 1
    right: int = 0
    """So many of the last columns hold words, too."""

    kind = "table"


@dataclass(frozen=True)
class Text:
    """A paragraph."""

    text: str

    kind = "text"


@dataclass(frozen=True)
class Facts:
    """What is so, term by term: one line of text for each, or several."""

    title: str
    rows: Sequence[tuple[str, str | Sequence[str]]]

    kind = "facts"


@dataclass(frozen=True)
class Picture:
    """A drawing that comes with Loadpath, by the name of its SVG file among the templates."""

    title: str
    name: str
    note: str = ""

    kind = "picture"


Block = Chart | Choice | Table | Text | Facts | Picture


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
