"""What a page is made of: sections of charts and tables. Pure data; `page.py` turns it into HTML."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from loadpath import digits
from loadpath.scalars.types import Floats
from loadpath.tables import Table as PlainTable

# Numbers as the page shows them.

Cell = str | tuple[str, str]
NONE = "\N{EN DASH}"
MINUS = "\N{MINUS SIGN}"


def number(value: float) -> str:
    """A number as a table of the page shows it: `digits.number` with a true minus sign.

    >>> number(12.3456), number(float("nan")) == NONE, number(-1.0) == f"{MINUS}1"
    ('12.35', True, True)
    """
    return digits.number(value, NONE).replace("-", MINUS)


def alike(values: Iterable[float], none: str = NONE) -> list[str]:
    """A column of numbers with the same decimals: `digits.alike` with a true minus sign.

    >>> alike([32.7, 0.202]), alike([-1.0]) == [f"{MINUS}1.000"]
    (['32.70', '0.20'], True)
    """
    return [text.replace("-", MINUS) for text in digits.alike(values, none)]


def seconds(time: float | None, sample: int | None = None) -> str:
    """When something happens, below a number: to the millisecond, or in a long motion to five digits.

    >>> seconds(0.39051), seconds(12345.678), seconds(None, 7)
    ('0.391 s', '12346 s', 'sample 7')
    """
    if time is None:
        return f"sample {sample}"
    return f"{time:.3f} s" if abs(time) < 100 else f"{time:.5g} s"


def largest(values: Floats) -> float:
    """The largest of the values that are numbers; NaN where there is none.

    >>> largest(np.array([1.0, np.nan, 3.0]))
    3.0
    """
    known = values[~np.isnan(values)]
    return float(known.max()) if known.size else float("nan")


def vector(values: Floats | tuple[float, ...]) -> str:
    """A vector in words.

    >>> vector((0.0, 0.5, -1.0)) == f"(0, 0.5, {MINUS}1)"
    True
    """
    return f"({', '.join(number(float(value)) for value in values)})"


def listed(names: list[str], most: int = 8) -> str:
    """Names in a sentence.

    >>> listed(["a", "b"]), listed(list("abcd"), most=2)
    ("'a', 'b'", "'a', 'b' and 2 more")
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(f"'{name}'" for name in names[:most]) + more


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
    live: Mapping[str, Any] | None = None
    """How the page computes its curves again as its controls move: see `loadpath.report.live.bindings`."""

    kind = "chart"
    steady = False


@dataclass(frozen=True)
class Choice:
    """Charts of which one is shown, chosen by its label."""

    title: str
    charts: Mapping[str, Chart]
    shown: str
    note: str = ""

    kind = "choice"
    steady = False

    @property
    def live(self) -> bool:
        """Whether the page computes its charts again."""
        return all(chart.live for chart in self.charts.values())


@dataclass(frozen=True)
class Table(PlainTable):
    """Rows of text; the first `left` columns hold names, the others numbers, aligned on their decimal points, but for
    the last `right`, which hold words. A cell may carry a note, as the time of a peak, which stands below it in small
    type.
    """

    live: Sequence[Sequence[str]] | str = ()
    """What the page computes again as its controls move: for each cell a binding of `loadpath.report.live.bindings`, or
    none; or the name of a table that the page writes anew."""
    steady: bool = False
    """Whether its numbers are the same whatever the controls say."""
    mixed: bool = False
    """Whether the numbers of a column are in several units, and cannot be called small beside each other."""
    as_written: bool = False
    """Whether its numbers have the digits that they shall show: none are filled with zeros."""
    left_out: str = ""
    """After the note: what is not in it, and why, as it was computed."""

    kind = "table"

    @property
    def bindings(self) -> Sequence[Sequence[str]]:
        """For each cell its binding."""
        if isinstance(self.live, str) or not self.live:
            return [[""] * len(self.columns)] * len(self.rows)
        return self.live


@dataclass(frozen=True)
class Text:
    """A paragraph."""

    text: str
    live: str = ""
    """The name of a sentence that the page writes anew as its controls move."""
    steady: bool = False

    kind = "text"


@dataclass(frozen=True)
class Facts:
    """What is so, term by term: one line of text for each, or several."""

    title: str
    rows: Sequence[tuple[str, str | Sequence[str]]]

    kind = "facts"
    live = False
    steady = False


@dataclass(frozen=True)
class Picture:
    """A drawing that comes with Loadpath, by the name of its SVG file among the templates."""

    title: str
    name: str
    note: str = ""

    kind = "picture"
    live = False
    steady = True


Block = Chart | Choice | Table | Text | Facts | Picture


@dataclass(frozen=True)
class Figure:
    """A number to see first: what it is of, the number with its unit, and where it was found."""

    label: str
    value: str
    note: str = ""
    alarming: bool = False
    live: Mapping[str, Any] | None = None
    """How the page finds it again as its controls move; None: it stays as it was computed, and says so."""


@dataclass(frozen=True)
class Section:
    """A part of the page under its own heading."""

    title: str
    lead: str = ""
    blocks: Sequence[Block] = ()
    figures: Sequence[Figure] = ()
    """Shown large at the head of the section."""
    warnings: Sequence[str] = ()

    @property
    def answers(self) -> bool:
        """Whether anything in it follows the controls of the page."""
        return any(block.live for block in self.blocks) or any(figure.live for figure in self.figures)
