"""Results as HTML, for notebooks: tables that fit light and dark pages, names from users' files escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

import numpy as np

from loadpath.scalars.types import Floats

_CELL = "padding:2px 10px;border:0;border-bottom:1px solid rgba(128,128,128,.25);background:none"


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1, note: str = "") -> str:
    """A table under its title; the first `left` columns hold names, the others numbers.

    >>> "<td" in table("joints", ["name", "mass"], [["<arm>", "2.0"]]), "<arm>" in table("", ["a"], [["<arm>"]])
    (True, False)
    """

    def cells(texts: Sequence[str], tag: str) -> str:
        written = []
        for k, text in enumerate(texts):
            side = "left" if k < left else "right"
            written.append(f'<{tag} style="{_CELL};text-align:{side}">{escape(text)}</{tag}>')
        return "<tr>" + "".join(written) + "</tr>"

    head = f"<thead>{cells(columns, 'th')}</thead>"
    body = "".join(cells(row, "td") for row in rows)
    below = f'<p style="margin:4px 0;opacity:.7">{escape(note)}</p>' if note else ""
    style = "border-collapse:collapse;border:0;margin:4px 0;font-variant-numeric:tabular-nums"
    return (f'<div style="overflow-x:auto;margin:6px 0"><strong>{escape(title)}</strong>'
            f'<table style="{style}">{head}<tbody>{body}</tbody></table>{below}</div>')  # fmt: skip


def ranged(values: Floats) -> str:
    """A number, or the smallest and the largest of several, with four digits; what is not a number is left out.

    >>> ranged(np.array([2.0])), ranged(np.array([1.0, np.nan, 3.14159])), ranged(np.array([np.nan]))
    ('2', '1 to 3.142', '')
    """
    known = values[~np.isnan(values)]
    if not known.size:
        return ""
    low, high = float(known.min()) + 0.0, float(known.max()) + 0.0
    return f"{low:.4g}" if low == high else f"{low:.4g} to {high:.4g}"


def paragraph(text: str) -> str:
    """A line of text.

    >>> paragraph("2 < 3")
    '<p style="margin:4px 0">2 &lt; 3</p>'
    """
    return f'<p style="margin:4px 0">{escape(text)}</p>'
