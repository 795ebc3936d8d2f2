"""Surfaces of solids as triangles, for drawing. Those of curved solids have their corners on the solid."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from loadpath.robot.triangles import Triangles
from loadpath.scalars.types import ArrayLike, Floats

SEGMENTS = 32
"""Corners around a circle."""


def box(size: ArrayLike) -> Triangles:
    """A box, from its whole lengths.

    >>> bool(np.isclose(box((1, 2, 3)).solid.volume, 6.0))
    True
    """
    corners = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = [three for a, b, c, d in quads for three in ((a, b, c), (a, c, d))]
    return Triangles(corners * np.asarray(size, dtype=float), np.array(faces))


def ellipsoid(radii: ArrayLike, segments: int = SEGMENTS) -> Triangles:
    """An ellipsoid, from its half axes."""
    polar = np.linspace(0, np.pi, segments // 2 + 1)
    return _turned(np.sin(polar), -np.cos(polar), segments).scaled(np.asarray(radii, dtype=float))


def cylinder(radius: float, length: float, segments: int = SEGMENTS) -> Triangles:
    """A cylinder along z."""
    half = length / 2
    return _turned(np.array([0.0, radius, radius, 0.0]), np.array([-half, -half, half, half]), segments)


def capsule(radius: float, length: float, segments: int = SEGMENTS) -> Triangles:
    """A cylinder along z with half a ball at each end."""
    polar = np.linspace(0, np.pi / 2, segments // 4 + 1)
    below = -length / 2 - radius * np.cos(polar)
    return _turned(np.concatenate([radius * np.sin(polar), radius * np.sin(polar)[::-1]]),
                   np.concatenate([below, -below[::-1]]), segments)


def _turned(radii: Floats, heights: Floats, segments: int) -> Triangles:
    """A profile turned about z, from its lower pole to its upper."""
    angle = np.arange(segments) * (2 * np.pi / segments)
    inner = np.stack([
        np.outer(radii[1:-1], np.cos(angle)),
        np.outer(radii[1:-1], np.sin(angle)),
        np.broadcast_to(heights[1:-1, None], (len(radii) - 2, segments)),
    ], axis=-1)
    vertices = np.concatenate([[(0, 0, heights[0])], inner.reshape(-1, 3), [(0, 0, heights[-1])]])
    here = np.arange(segments)
    beside = np.roll(here, -1)
    rings = 1 + segments * np.arange(len(radii) - 2)
    faces = [np.stack([np.zeros_like(here), rings[0] + beside, rings[0] + here], axis=-1)]
    for low, high in pairwise(rings):
        faces.append(np.stack([low + here, low + beside, high + beside], axis=-1))
        faces.append(np.stack([low + here, high + beside, high + here], axis=-1))
    top = np.full_like(here, len(vertices) - 1)
    faces.append(np.stack([rings[-1] + here, rings[-1] + beside, top], axis=-1))
    return Triangles(vertices.astype(float), np.concatenate(faces))
