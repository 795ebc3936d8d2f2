"""Surfaces with fewer triangles, for pages that are sent by mail: corners that are near to each other become one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from loadpath.drawing.surfaces import Surface

STEPS = 30
"""Halvings of the range of cells: after them the number of triangles does not change."""


def coarse(surfaces: Sequence[Surface], most: int) -> list[Surface]:
    """The same surfaces with no more than so many triangles in all, as fine as that allows; where all have few
    triangles, as they are.

    >>> from loadpath.drawing.scene import ball
    >>> fine = Surface(*ball(np.zeros(3), 1.0, sides=40), color=(0, 0, 0))
    >>> len(fine.triangles), len(coarse([fine], 500)[0].triangles) <= 500
    (6162, True)
    """
    if _count(surfaces) <= most:
        return list(surfaces)
    extent = max(float(np.ptp(surface.points, axis=0).max()) for surface in surfaces if len(surface.points))
    fine, rough = np.log(1e-5 * extent), np.log(extent)
    best = [_clustered(surface, extent) for surface in surfaces]
    for _ in range(STEPS):
        cell = 0.5 * (fine + rough)
        tried = [_clustered(surface, float(np.exp(cell))) for surface in surfaces]
        if _count(tried) > most:
            fine = cell
        else:
            rough, best = cell, tried
            if _count(tried) > 0.95 * most:
                break
    return best


def _count(surfaces: Sequence[Surface]) -> int:
    return sum(len(surface.triangles) for surface in surfaces)


def _clustered(surface: Surface, cell: float) -> Surface:
    """Corners in one cube of a grid become their mean; triangles without three corners are left out, and twins."""
    if not len(surface.points):
        return surface
    cube = np.floor((surface.points - surface.points.min(axis=0)) / cell).astype(np.int64)
    high = cube.max(axis=0) + 1
    _, number, members = np.unique(
        (cube[:, 0] * high[1] + cube[:, 1]) * high[2] + cube[:, 2], return_inverse=True, return_counts=True
    )
    number = number.reshape(-1)
    points = np.stack([np.bincount(number, surface.points[:, k]) / members for k in range(3)], axis=-1)
    triangles = number[surface.triangles]
    a, b, c = triangles.T
    triangles = triangles[(a != b) & (b != c) & (c != a)]
    if len(triangles):
        turned = np.stack([np.roll(triangles, -k, axis=1) for k in range(3)])
        least = np.argmin(triangles, axis=1)  # each begins with its least corner: twins are the same rows
        triangles = np.unique(turned[least, np.arange(len(triangles))], axis=0)
    return surface._replace(points=points, triangles=triangles.astype(np.int64))
