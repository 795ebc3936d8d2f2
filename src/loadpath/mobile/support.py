"""Where a base may tip: the edges of its support polygon, and the moment that holds it down about each.

The moment of the ground about an edge from contact i to contact j, counterclockwise, is the distance of the
zero-moment point inside the edge times the normal force. It is linear in (F_z, N_x, N_y), which serves where
F_z is small.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loadpath.mobile.hull import hull

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Edges:
    """Edges of the support polygon, (..., edges); where contacts move, every pair of them that may be one."""

    first: NDArray[np.intp]
    """(edges,): number of the contact where each begins."""
    second: NDArray[np.intp]
    start: Floats
    """(..., edges, 2)."""
    along: Floats
    """(..., edges, 2): unit vectors, the polygon to their left."""
    there: NDArray[np.bool_]
    """(..., edges): whether it is an edge."""

    def inside(self, points: Floats) -> Floats:
        """Distances (..., edges) of points (..., 2) inside the edges; infinite where there is none."""
        x, y = points[..., None, 0] - self.start[..., 0], points[..., None, 1] - self.start[..., 1]
        distance = self.along[..., 0] * y - self.along[..., 1] * x
        return distance if self.there.all() else np.where(self.there, distance, np.inf)

    def moments(self, load: Floats) -> Floats:
        """Moments (..., edges) of loads (..., 3), F_z, N_x, N_y, that keep the base down about the edges (N m)."""
        force, about_x, about_y = (load[..., None, k] for k in range(3))
        at = self.along[..., 1] * self.start[..., 0] - self.along[..., 0] * self.start[..., 1]
        moment = self.along[..., 0] * about_x + self.along[..., 1] * about_y + at * force
        return moment if self.there.all() else np.where(self.there, moment, np.inf)


def edges_of(points: Floats) -> Edges:
    """The edges of the polygon of contacts (..., contacts, 2)."""
    if points.ndim == 2:
        corners = np.array(hull(points), dtype=np.intp)
        first, second = corners, np.roll(corners, -1)
    else:
        count = points.shape[-2]
        pairs = np.array([(i, j) for i in range(count) for j in range(count) if i != j], dtype=np.intp)
        first, second = pairs[:, 0], pairs[:, 1]
    start = points[..., first, :]
    step = points[..., second, :] - start
    length = np.linalg.norm(step, axis=-1, keepdims=True)
    along = step / np.where(length > 0, length, 1.0)
    there = np.ones(first.shape, dtype=bool)
    if points.ndim > 2:
        size = np.ptp(points, axis=-2).max(axis=-1)[..., None]
        there = length[..., 0] > 1e-9 * size
        for k in range(points.shape[-2]):
            offset = points[..., None, k, :] - start
            there = there & (along[..., 0] * offset[..., 1] - along[..., 1] * offset[..., 0] >= -1e-9 * size)
    return Edges(first, second, start, along, there)
