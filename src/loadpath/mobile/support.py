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


def ends_of_edges(points: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Numbers of the contacts where each edge begins and ends; where contacts (..., contacts, 2) move, all pairs."""
    if points.ndim == 2:
        corners = np.array(hull(points), dtype=np.intp)
        return corners, np.roll(corners, -1)
    first, second = np.triu_indices(points.shape[-2], 1)
    return np.concatenate([first, second]), np.concatenate([second, first])


def edges_of(points: Floats) -> Edges:
    """The edges of the polygon of contacts (..., contacts, 2)."""
    first, second = ends_of_edges(points)
    start = points[..., first, :]
    if points.ndim == 2:
        step = points[second] - start
        return Edges(
            first, second, start, step / np.linalg.norm(step, axis=-1, keepdims=True), np.ones(len(first), bool)
        )
    # Pairs there, then the same back: contacts left of the one are right of the other.
    half = len(first) // 2
    step = points[..., second[:half], :] - start[..., :half, :]
    length = np.hypot(step[..., 0], step[..., 1])
    size = np.ptp(points, axis=-2).max(axis=-1)[..., None]
    apart = length > 1e-9 * size
    along = step / np.where(apart, length, 1.0)[..., None]
    left, right = np.zeros(length.shape), np.zeros(length.shape)
    x, y = start[..., :half, 0], start[..., :half, 1]
    for k in range(points.shape[-2]):
        beside = along[..., 0] * (points[..., k, 1, None] - y) - along[..., 1] * (points[..., k, 0, None] - x)
        np.minimum(left, beside, out=left)
        np.maximum(right, beside, out=right)
    there = np.concatenate([apart & (left >= -1e-9 * size), apart & (right <= 1e-9 * size)], axis=-1)
    return Edges(first, second, start, np.concatenate([along, -along], axis=-2), there)
