"""Single samples that stand out from those beside them: lost bits, a jump of a sensor for one sample."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from loadpath.scalars.types import Floats, Ints

FEWEST = 20
"""Samples by which what is usual is known."""
FAR = 10.0
"""Times as far off as 95 of 100 samples are at most."""
ALONE = 0.1
"""Part of it by which its neighbours may be off what a single sample makes of them."""
SMALLEST = 1e-4
"""rad, m: smaller ones do not matter."""
MOST = 0.05
"""Of all samples: more that stand out are noise."""
NAMED = 5


def outliers(q: Floats, columns: Sequence[str], place: Callable[[int], str]) -> list[str]:
    """A sentence for each column with outliers, by the lines where they are.

    >>> smooth = np.sin(np.arange(50) / 10)
    >>> smooth[20] += 0.3
    >>> outliers(smooth[:, None], ["elbow"], lambda sample: f"line {sample + 2}")[0][:66]
    "line 22, column 'elbow': a single sample that stands out by 0.3 fr"
    """
    found = []
    for column, values in zip(columns, q.T, strict=True):
        samples, size = single_outliers(values)
        if not len(samples):
            continue
        others = [place(int(k)) for k in samples[1 : 1 + NAMED]]
        more = len(samples) - 1 - len(others)
        also = f", and so {', '.join(others)}{f' and {more} more' if more else ''}" if others else ""
        found.append(f"{place(int(samples[0]))}, column '{column}': a single sample that stands out by {size[0]:.3g} "
                     f"from those beside it{also}: an outlier? Smoothing spreads it; mend it in the log")
    return found


def single_outliers(values: Floats) -> tuple[Ints, Floats]:
    """Numbers of the samples that stand out, and by how much. A sample is held against the cubic through two on each
    side: one that is off alone is off by h, its neighbours by -2/3 h, which neither steps (-1) nor bends (-1/2) are.
    """
    none = np.zeros(0, dtype=np.intp), np.zeros(0)
    if len(values) < FEWEST:
        return none
    off = values[2:-2] - (4 * (values[1:-3] + values[3:-1]) - values[:-4] - values[4:]) / 6
    size = np.abs(off)
    inner = np.flatnonzero(size[1:-1] > SMALLEST) + 1
    beside = np.maximum(np.abs(off[inner - 1] + off[inner] * 2 / 3), np.abs(off[inner + 1] + off[inner] * 2 / 3))
    alone = inner[beside < ALONE * size[inner]]
    if not len(alone) or len(alone) > MOST * len(values):
        return none
    others = np.ones(len(size), dtype=bool)  # what no such sample has touched says what is usual
    for shift in range(-2, 3):
        others[np.clip(alone + shift, 0, len(size) - 1)] = False
    usual = float(np.quantile(size[others], 0.95)) if others.any() else np.inf
    alone = alone[size[alone] > FAR * usual]
    return alone + 2, size[alone]
