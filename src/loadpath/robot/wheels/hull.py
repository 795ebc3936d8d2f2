"""The support polygon: the convex hull of the points where a base touches the ground."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from loadpath.scalars.types import Floats

# Points nearer to an edge than this part of the polygon's size lie on it.
_FLAT = 1e-9


def hull(points: Floats) -> list[int]:
    """Numbers of the points at the corners of the convex hull, counterclockwise; fewer than three if there is none.

    >>> hull(np.array([(0, 0), (1, 0), (0.5, 0.2), (1, 1), (0, 1)], dtype=float))
    [0, 1, 3, 4]
    """
    size = float(np.ptp(points, axis=0).max(initial=0.0))
    order = sorted(range(len(points)), key=lambda i: (points[i, 0], points[i, 1]))

    def chain(numbers: Sequence[int]) -> list[int]:
        kept: list[int] = []
        for i in numbers:
            while len(kept) > 1 and _left_of(points[kept[-2]], points[kept[-1]], points[i]) <= _FLAT * size * size:
                kept.pop()
            kept.append(i)
        return kept

    lower, upper = chain(order), chain(order[::-1])
    corners = list(dict.fromkeys(lower[:-1] + upper[:-1]))
    if len(corners) < 3:
        return corners
    first = corners.index(min(corners))
    return corners[first:] + corners[:first]


def _left_of(a: Floats, b: Floats, c: Floats) -> float:
    """Twice the area of the triangle a, b, c: positive if c is left of the line from a to b."""
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def distances_inside(corners: Floats, points: Floats) -> Floats:
    """Distance (..., edges) of points (..., 2) to the edges from each corner (counterclockwise) to the next, positive
    inside.

    >>> distances_inside(np.array([(0, 0), (1, 0), (0, 1.0)]), np.array([0.25, 0.1])).round(3).tolist()
    [0.1, 0.46, 0.25]
    """
    along = np.roll(corners, -1, axis=-2) - corners
    along = along / np.linalg.norm(along, axis=-1, keepdims=True)
    x, y = points[..., None, 0] - corners[..., 0], points[..., None, 1] - corners[..., 1]
    inside: Floats = along[..., 0] * y - along[..., 1] * x
    return inside
