"""Results as HTML, for notebooks: tables that fit light and dark pages, names from users' files escaped."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from loadpath.digits import number
from loadpath.scalars.types import Floats


class Markup(str):
    """Text that is HTML already."""


@dataclass(frozen=True)
class Look:
    """Styles of a table, of its cells and of what is around it."""

    around: str
    table: str
    cell: str


NOTEBOOK = Look("overflow-x:auto;margin:6px 0",
                "border-collapse:collapse;border:0;margin:4px 0;font-variant-numeric:tabular-nums",
                "padding:2px 10px;border:0;border-bottom:1px solid rgba(128,128,128,.25);background:none")


PANEL = Look("font-size:0.75em;padding:0 0.75em;overflow-x:auto",
             "border-collapse:collapse;font-variant-numeric:tabular-nums;width:100%", "padding:1px 2px")
"""Of the side of a viewer."""


def table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1,
    words: Collection[int] = (), note: str = "", look: Look = NOTEBOOK,
) -> str:
    """A table under its title; the first `left` columns and those whose numbers are `words` hold words, the others
    numbers. Without
    columns there is no heading.

    >>> "<td" in table("joints", ["name", "mass"], [["<arm>", "2.0"]]), "<arm>" in table("", ["a"], [["<arm>"]])
    (True, False)
    """

    def cells(texts: Sequence[str], tag: str) -> str:
        written = []
        for k, text in enumerate(texts):
            side = "left" if k < left or k in words else "right"
            written.append(f'<{tag} style="{look.cell};text-align:{side}">{_markup(text)}</{tag}>')
        return "<tr>" + "".join(written) + "</tr>"

    head = f"<thead>{cells(columns, 'th')}</thead>" if columns else ""
    body = "".join(cells(row, "td") for row in rows)
    below = f'<p style="margin:4px 0;opacity:.7">{escape(note)}</p>' if note else ""
    over = title if isinstance(title, Markup) else f"<strong>{escape(title)}</strong>"
    return (f'<div style="{look.around}">{over}<table style="{look.table}">{head}<tbody>{body}</tbody></table>{below}'
            "</div>")


def marked(text: str, color: str | None) -> Markup:
    """A text with a square of a colour before it.

    >>> marked("<a>", None), marked("b", "#ff0000")
    ('&lt;a&gt;', '<span style="color:#ff0000">■</span> b')
    """
    mark = f'<span style="color:{color}">■</span> ' if color else ""
    return Markup(f"{mark}{escape(text)}")


def _markup(text: str) -> str:
    return text if isinstance(text, Markup) else escape(text)


def ranged(values: Floats) -> str:
    """A number, or the smallest and the largest of several, with four digits; what is not a number is left out.

    >>> ranged(np.array([2.0])), ranged(np.array([1.0, np.nan, 3.14159])), ranged(np.array([np.nan]))
    ('2', '1 to 3.142', '')
    """
    known = values[~np.isnan(values)]
    if not known.size:
        return ""
    low, high = float(known.min()), float(known.max())
    return number(low) if low == high else f"{number(low)} to {number(high)}"


def paragraph(text: str) -> str:
    """A line of text.

    >>> paragraph("2 < 3")
    '<p style="margin:4px 0">2 &lt; 3</p>'
    """
    return f'<p style="margin:4px 0">{escape(text)}</p>'
