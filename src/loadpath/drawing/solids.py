"""Joints as small solids, so that their axes are seen: cylinders about axes, boxes along slides, balls."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadpath.scalars.types import Floats

SIDES = 20


class Solid(NamedTuple):
    """A surface of triangles."""

    points: Floats
    """(points, 3)."""
    triangles: NDArray[np.int64]
    """(triangles, 3): numbers of their corners."""


def prism(center: Floats, axis: Floats, radius: float, length: float, sides: int = SIDES) -> Solid:
    """A prism about an axis: a cylinder with many sides, a box with four.

    >>> prism(np.zeros(3), np.array([0.0, 0.0, 1.0]), 0.1, 0.5, sides=4).triangles.shape
    (16, 3)
    """
    along = axis / np.linalg.norm(axis)
    aside = np.cross(along, np.eye(3)[int(np.argmin(np.abs(along)))])
    aside /= np.linalg.norm(aside)
    angles = 2 * np.pi * (np.arange(sides) + 0.5) / sides
    ring = radius * (np.outer(np.cos(angles), aside) + np.outer(np.sin(angles), np.cross(along, aside)))
    ends = [center + sign * 0.5 * length * along for sign in (-1, 1)]
    points = np.concatenate([ends[0] + ring, ends[1] + ring, ends])
    triangles = []
    for k in range(sides):
        following = (k + 1) % sides
        triangles += [(k, following, sides + k), (following, sides + following, sides + k)]
        triangles += [(following, k, 2 * sides), (sides + k, sides + following, 2 * sides + 1)]
    return Solid(points, np.array(triangles))


def ball(center: Floats, radius: float, sides: int = 12) -> Solid:
    """A ball.

    >>> bool(np.allclose(np.linalg.norm(ball(np.ones(3), 0.2).points - 1.0, axis=1), 0.2))
    True
    """
    polar, around = np.linspace(0, np.pi, sides), np.linspace(0, 2 * np.pi, 2 * sides)
    grid = np.stack([np.outer(np.sin(polar), np.cos(around)), np.outer(np.sin(polar), np.sin(around)),
                     np.outer(np.cos(polar), np.ones_like(around))], axis=-1)
    width, triangles = len(around), []
    for i in range(sides - 1):
        for j in range(width - 1):
            corner = i * width + j
            triangles += [(corner, corner + width, corner + 1), (corner + 1, corner + width, corner + width + 1)]
    return Solid(center + radius * grid.reshape(-1, 3), np.array(triangles))


def together(solids: list[Solid]) -> Solid:
    """Many as one."""
    starts = np.cumsum([0, *(len(solid.points) for solid in solids[:-1])])
    triangles = [solid.triangles + start for solid, start in zip(solids, starts, strict=True)]
    return Solid(np.concatenate([solid.points for solid in solids]), np.concatenate(triangles))
