"""Results as text, for whoever types their name: a row for each joint or wheel, units beside the numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from loadpath.printable import printable

MOST_ROWS = 30
FEW_NUMBERS = 64
"""Of an array that is printed in full."""
VECTOR = ("x", "y", "z")


def named_rows(title: str, names: Sequence[str], columns: Mapping[str, Any]) -> str:
    """A title, then for each name its numbers, arrays (..., names) by heading with unit: of one state as they are, of
    many the smallest and the largest.

    >>> import numpy as np
    >>> print(named_rows("Wheel loads", ["front", "rear"], {"normal (N)": np.array([[1.0, 2.0], [3.0, 2.0]])}))
    Wheel loads, smallest to largest over 2 states
           normal (N)
    front      1 to 3
    rear            2
    """
    try:
        arrays = {heading: np.asarray(values, dtype=float) for heading, values in columns.items()}
    except Exception:  # traced or symbolic: there are no numbers to show
        return f"{title}: {', '.join(map(printable, names))}; {', '.join(columns)}"
    batch = next((values.shape[:-1] for values in arrays.values()), ())
    flat = {heading: values.reshape(-1, len(names)) for heading, values in arrays.items()}
    largest = max((float(np.abs(x[np.isfinite(x)]).max(initial=0.0)) for x in flat.values()), default=0.0)
    rows = [[printable(name), *(_spread(values[:, k], 1e-13 * largest) for values in flat.values())]
            for k, name in enumerate(names[:MOST_ROWS])]
    table = [["", *arrays], *rows]
    widths = [max(len(row[k]) for row in table) for k in range(len(table[0]))]
    lines = [f"{row[0]:<{widths[0]}}" + "".join(f"  {cell:>{width}}" for cell, width in zip(row[1:], widths[1:],
             strict=True)) for row in table]
    count = int(np.prod(batch)) if batch else 1
    over = f", smallest to largest over {count:,} states" if batch else ""
    more = [f"and {len(names) - MOST_ROWS} more"] if len(names) > MOST_ROWS else []
    return "\n".join([title + over, *(line.rstrip() for line in lines), *more])


def vectors(heading: str, unit: str, values: Any) -> dict[str, Any]:
    """Columns of the three components of vectors (..., names, 3).

    >>> [*vectors("force", "N", np.zeros((2, 3)))]
    ['force x (N)', 'force y (N)', 'force z (N)']
    """
    return {f"{heading} {axis} ({unit})": values[..., k] for k, axis in enumerate(VECTOR)}


def parts(title: str, arrays: Mapping[str, tuple[Any, str]]) -> str:
    """A title, then each array by its name with its shape and unit, small ones with their numbers.

    >>> print(parts("Momentum", {"linear": (np.array([0.0, 1.5]), "N s")}))
    Momentum
      linear (2,), N s: [0, 1.5]
    """
    lines = [title]
    for name, (values, unit) in arrays.items():
        measured = f", {unit}" if unit else ""
        try:
            array = np.asarray(values)
        except Exception:  # traced: there are no numbers to show
            lines.append(f"  {name} {np.shape(values)}{measured}")
            continue
        shown = f": {_numbers(array)}" if array.size <= FEW_NUMBERS else ""
        lines.append(f"  {name} {array.shape}{measured}{shown}")
    return "\n".join(lines)


def number(value: float) -> str:
    """Four digits, and no minus before zero.

    >>> number(-0.0), number(117.7199)
    ('0', '117.7')
    """
    return f"{value + 0.0:.4g}"


def _numbers(array: Any) -> str:
    if array.ndim == 0:
        return number(float(array)) if array.dtype.kind in "fiu" else str(array)
    return f"[{', '.join(map(_numbers, array))}]"


def _spread(values: Any, rounding: float) -> str:
    known = values[~np.isnan(values)]
    if not len(known):
        return "nan"
    low, high = (0.0 if abs(x) <= rounding else float(x) for x in (known.min(), known.max()))
    text = number(low) if number(low) == number(high) else f"{number(low)} to {number(high)}"
    return text if len(known) == len(values) else f"{text}, or nan"
