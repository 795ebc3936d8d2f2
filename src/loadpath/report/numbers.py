"""Numbers as the page shows them."""

from __future__ import annotations

import numpy as np

from loadpath.scalars.types import Floats

Cell = str | tuple[str, str]
NONE = "\N{EN DASH}"
MINUS = "\N{MINUS SIGN}"
TOO_LONG = 1e12
"""From here on a number is written with its power of ten; `templates/page/numbers.js` does the same."""


def number(value: float) -> str:
    """A number as a table shows it: four digits, no rounding residue.

    >>> number(12.3456), number(1e-12), number(float("nan")) == NONE, number(123456.7)
    ('12.35', '0', True, '123,457')
    >>> number(2.0487e22)                                 # hours of a beam that hardly bends
    '2.049e+22'
    """
    if np.isnan(value):
        return NONE
    if abs(value) < 1e-9:
        return "0"
    text = f"{value:,.0f}" if 9999.5 <= abs(value) < TOO_LONG else f"{value:.4g}"
    return text.replace("-", MINUS)


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
