"""Where a base may tip: the edges of its support polygon, and the moment that holds it down about each.

The moment of the ground about an edge from contact i to contact j, counterclockwise, is the distance of the
zero-moment point inside the edge times the normal force. It is linear in (F_z, N_x, N_y), which serves where
F_z is small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loadpath.mobile.arrangement import Arrangement
from loadpath.mobile.contacts.plane import ContactModel, Pair, headings, points
from loadpath.robot.wheels.base import hull
from loadpath.scalars import Array, Scalar, array, atan2, sign, sqrt
from loadpath.scalars.types import Bools, Floats

_TOGETHER = 1e-9
"""Contacts nearer to a line than this part of the base's size lie on it."""
TURNS = 1e-9
"""Of the size of a base: with a margin of less, a free body turns over an edge."""


def edge_moment(along: Pair, start: Pair, load: Sequence[Scalar]) -> Scalar:
    """Moment about an edge of a load F_z, N_x, N_y that keeps the base down (N m)."""
    force, about_x, about_y = load
    return along[0] * about_x + along[1] * about_y + (along[1] * start[0] - along[0] * start[1]) * force


def inside(along: Pair, start: Pair, x: Scalar, y: Scalar) -> Scalar:
    """Distance of a point inside an edge, to its left."""
    return along[0] * (y - start[1]) - along[1] * (x - start[0])


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

    def moments(self, load: Floats) -> Floats:
        """Moments (..., edges) of loads (..., 3), F_z, N_x, N_y, that keep the base down about the edges (N m)."""
        along, start = ((part[..., 0], part[..., 1]) for part in (self.along, self.start))
        moment: Floats = np.asarray(edge_moment(along, start, [load[..., None, k] for k in range(3)]))
        return moment if self.there.all() else np.where(self.there, moment, np.inf)

    def angles(self, force: Floats, moments: Floats, mass_center: Floats) -> Floats:
        """Angles (..., edges) of the net force to the edges, where all of them are there."""
        along, start = ((part[..., 0], part[..., 1]) for part in (self.along, self.start))
        f, h = ([part[..., None, k] for k in range(3)] for part in (force, mass_center))
        return np.asarray(_edge_angle(along, start, f, moments, h))


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
    apart = length > _TOGETHER * size
    along = step / np.where(apart, length, 1.0)[..., None]
    left, right = np.zeros(length.shape), np.zeros(length.shape)
    edge = (along[..., 0], along[..., 1]), (start[..., :half, 0], start[..., :half, 1])
    for k in range(points.shape[-2]):
        distance = np.asarray(inside(*edge, points[..., k, 0, None], points[..., k, 1, None]))
        np.minimum(left, distance, out=left)
        np.maximum(right, distance, out=right)
    there = np.concatenate([apart & (left >= -_TOGETHER * size), apart & (right <= _TOGETHER * size)], axis=-1)
    return Edges(first, second, start, np.concatenate([along, -along], axis=-2), there)


def zero_moment(vertical: Floats, least: Floats) -> tuple[Floats, Floats]:
    """Margin (...) and zero-moment point (..., 2) of loads F_z, N_x, N_y with the least moment about an edge."""
    force = vertical[..., 0]
    pressed: Bools = np.asarray(force > 0)
    safe = np.where(pressed, force, 1.0)
    margin = np.where(pressed, least / safe, -np.inf)
    point = np.stack([-vertical[..., 2] / safe, vertical[..., 1] / safe], axis=-1) + 0.0
    point = np.where(pressed[..., None], point, np.inf)
    bad: Bools = np.asarray(np.isnan(vertical).any(axis=-1) | np.isnan(least))
    if bad.any():
        margin, point = np.where(bad, np.nan, margin), np.where(bad[..., None], np.nan, point)
    return margin, point


# The same over scalars, to be compiled


def edge_ends(wheels: Arrangement) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Numbers of the contacts where each edge of a base begins and ends: all pairs where contacts move."""
    still = wheels.at_rest.points
    return ends_of_edges(still if wheels.fixed_points else still[None])


def _edges(model: ContactModel, at: Sequence[Pair]) -> list[tuple[Pair, Pair, Scalar]]:
    """Direction and beginning of every edge, and 1 if it is one, else 0."""
    if not any(wheel.trail for wheel in model.wheels):
        corners = hull(np.array([wheel.position for wheel in model.wheels]))
        ends = zip(corners, corners[1:] + corners[:1], strict=True)
        return [(_direction(at[i], at[j])[0], at[i], 1.0) for i, j in ends]
    near = _TOGETHER * model.size
    there: list[tuple[Pair, Pair, Scalar]] = []
    back: list[tuple[Pair, Pair, Scalar]] = []
    for i in range(len(at)):
        for j in range(i + 1, len(at)):
            (x, y), length = _direction(at[i], at[j])
            left = right = _is_positive(length - near)
            for k in range(len(at)):
                if k not in (i, j):
                    distance = inside((x, y), at[i], *at[k])
                    left, right = left * _is_positive(distance + near), right * _is_positive(near - distance)
            there.append(((x, y), at[i], left))
            back.append(((-x, -y), at[j], right))
    return there + back


def _direction(start: Pair, end: Pair) -> tuple[Pair, Scalar]:
    x, y = end[0] - start[0], end[1] - start[1]
    length = sqrt(x * x + y * y)
    safe = length + (1.0 - sign(length))
    return (x / safe, y / safe), length


def _is_positive(x: Scalar) -> Scalar:
    return sign(x + sign(x) * x)


def edge_moments(
    model: ContactModel, force: Array, torque: Array, velocity: Array, steering: Array, aligned: bool = True
) -> Array:
    """Moments about the edges (N m) that keep the base down; infinite for pairs of contacts that are no edge."""
    at = points(model, headings(model, velocity, None if aligned else steering))
    load = (force[2], torque[0], torque[1])
    return array([_or_infinite(edge_moment(along, start, load), there) for along, start, there in _edges(model, at)])


def edge_angles(
    model: ContactModel,
    force: Array,
    torque: Array,
    mass_center: Array,
    velocity: Array,
    steering: Array,
    aligned: bool = True,
) -> Array:
    """Angles (rad) between the net force and the lines from the mass center to the edges, in the planes across these
    (Papadopoulos and Rey); infinite for pairs of contacts that are no edge.
    """
    at = points(model, headings(model, velocity, None if aligned else steering))
    load = (force[2], torque[0], torque[1])
    return array([
        _or_infinite(_edge_angle(along, start, list(force), edge_moment(along, start, load), list(mass_center)), there)
        for along, start, there in _edges(model, at)
    ])


def _edge_angle(
    along: Pair, start: Pair, force: Sequence[Scalar], moment: Scalar, mass_center: Sequence[Scalar]
) -> Scalar:
    # f . l: f what presses on the ground, l from the mass center to the edge; the moment only adds across l.
    sideways = force[1] * along[0] - force[0] * along[1]
    reach = inside(along, start, mass_center[0], mass_center[1])
    return atan2(moment, sideways * reach + force[2] * mass_center[2])


def _or_infinite(value: Scalar, there: Scalar) -> Scalar:
    return value + (1.0 / there - 1.0) if not isinstance(there, float) else value
