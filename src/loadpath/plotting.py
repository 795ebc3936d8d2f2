"""What all figures share: colours, and names from users' files as text that Plotly takes as it stands."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

MOST_POINTS = 4000
"""Samples drawn of a curve; more are not seen and make the page slow."""

COLORS = ("#0b5cad", "#d1495b", "#2e8b57", "#e08e0b", "#7b4fa3", "#00868b", "#8c564b", "#5c6b78", "#b8860b", "#c2569b")
"""For lines of joints, wheels or links, in their order."""


def seen(values: NDArray[np.float64], most: int = MOST_POINTS) -> NDArray[np.intp]:
    """Numbers of the samples that a curve is drawn through: all, or of a long one the smallest and the largest of each
    stretch, so that a fast oscillation shows its envelope, not a beat that is not there.

    >>> fast = np.sin(np.linspace(0, 2e4, 100_000))
    >>> drawn = fast[seen(fast)]
    >>> len(drawn) <= 4000, float(drawn.max()) > 0.999
    (True, True)
    """
    if len(values) <= most:
        return np.arange(len(values))
    ends = np.linspace(0, len(values), most // 2).round().astype(int)
    found = {0, len(values) - 1}
    for begin, end in pairwise(ends):
        stretch = values[begin:end]
        if np.isnan(stretch).all():
            found.add(begin)
        else:
            found |= {begin + int(np.nanargmin(stretch)), begin + int(np.nanargmax(stretch))}
    return np.array(sorted(found))


def envelope(
    t: NDArray[np.float64], values: NDArray[np.float64], most: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Times and values (samples, curves) to draw curves through that share their times: all samples, or of many the
    smallest and the largest of each stretch, in the order in which they come, at the stretch's first and last time.

    >>> fast = np.sin(np.linspace(0, 2e4, 100_000))[:, None]
    >>> t, drawn = envelope(np.linspace(0.0, 1.0, 100_000), fast, 1000)
    >>> drawn.shape, bool((drawn.min(axis=0) < -0.999).all())
    ((1000, 1), True)
    """
    count = len(t)
    if count <= most or most < 4:
        return t, values
    first = np.linspace(0, count, most // 2 + 1).round().astype(int)[:-1]
    last = np.append(first[1:], count) - 1
    low, high = np.fmin.reduceat(values, first, axis=0), np.fmax.reduceat(values, first, axis=0)
    # Which of the two comes first: of a stretch that rises the low one. Exact where it is monotone, and a peak inside
    # moves by less than the stretch, which is less than a pixel.
    rises = values[last] >= values[first]
    drawn = np.stack([np.where(rises, low, high), np.where(rises, high, low)], axis=1)
    return np.stack([t[first], t[last]], axis=1).ravel(), drawn.reshape(-1, *values.shape[1:])


def label(text: str) -> str:
    """A name for a figure: Plotly reads a few HTML tags in its texts and sees none in this one.

    >>> label("<b>arm</b>")
    '&lt;b&gt;arm&lt;/b&gt;'
    """
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
