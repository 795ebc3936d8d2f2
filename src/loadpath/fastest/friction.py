"""What goes with the speed of joints and not with its square: friction, as a function of y = ds/dt.

Rows take it along its tangent at the motion before, by x = y^2. Between nodes a joint's speed is the product of q'_k(p)
and y(p), each off its chord by so much, and the product of two chords is off its own by a quarter of the product of
their differences.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from loadpath.fastest.jets import Jet
from loadpath.fastest.loads import Course, Model, State
from loadpath.scalars.types import Floats

STILL = 1e-9
"""|dq_k/ds| of a joint that rests."""
BARELY = 1e-12
"""rad/s: of a joint that is about to move."""
LEAST, STEP = 1e-6, 1e-4
"""Of the largest ds/dt: where it is less, the tangent is taken there; and the step of a difference, relatively."""


def sense(course: Course) -> Floats:
    """(intervals, 1, n): which way each joint goes; zero of joints that rest."""
    first = course.first
    middle = first[:, first.shape[1] // 2]
    found: Floats = np.where(np.abs(first).max(axis=1) > STILL, np.sign(middle), 0.0)[:, None]
    return found


def speed(state: State) -> Floats:
    """(intervals, nodes): ds/dt."""
    found: Floats = np.sqrt(np.maximum(state.x, 0.0))
    return found


def friction(model: Model, course: Course, y: Floats) -> Floats:
    """(intervals, nodes, n): what friction takes from the drives at ds/dt = y."""
    return model.friction(np.maximum(np.abs(course.first) * y[..., None], BARELY) * sense(course))


def tangent_speed(near: State) -> Floats:
    """(intervals, nodes): the y at which tangents are taken, not too near to rest."""
    y = speed(near)
    found: Floats = np.maximum(y, LEAST * (y.max() or 1.0))
    return found


def tangent(model: Model, course: Course, near: State | None) -> tuple[Floats, Floats]:
    """Slope by x of friction's tangent, and its value at x = 0, (intervals, nodes, n); without a motion, what it takes
    of a joint that begins to move.
    """
    if near is None:
        still = friction(model, course, np.zeros_like(course.grid.d))
        return np.zeros_like(still), still
    y = tangent_speed(near)
    more, less = (friction(model, course, y * (1 + step)) for step in (STEP, -STEP))
    slope = (more - less) / (4 * STEP * y[..., None] ** 2)
    return slope, friction(model, course, y) - slope * y[..., None] ** 2


def chord_of_speed(course: Course, state: State) -> Floats:
    """(intervals, nodes - 1): by how much ds/dt may be off its chord between two nodes."""
    y = speed(state)
    low, high, h2 = y[:, :-1], y[:, 1:], course.steps[:, None] ** 2 / 8
    both = np.maximum(high + low, 1e-300)
    of_root = (high - low) ** 2 / (4 * both)  # of the root of what is straight in s
    # x is straight in s, and bends by 2 u s'' in p: of its root that is less than (that) / (y + y).
    found: Floats = of_root + np.minimum(h2 * state.bends_of_x(course)[:, None] / both, np.maximum(high, low))
    return found


def speed_between(course: Course, state: State) -> tuple[Floats, Floats]:
    """(intervals, nodes - 1, n): by how much a joint's speed may be off its chord between two nodes, and how far it
    goes there.
    """
    return speeds_between(course, state, course.first, course.geometry.first)


def speeds_between(course: Course, state: State, rates: Floats, jets: Sequence[Jet]) -> tuple[Floats, Floats]:
    """The same of what goes with ds/dt: `rates` (intervals, nodes, m) for ds/dt = 1, and their jets."""
    y, of_y = speed(state), chord_of_speed(course, state)
    low, high, h2 = y[:, :-1], y[:, 1:], course.steps[:, None] ** 2 / 8
    first = np.abs(rates)
    of_t = h2[..., None] * np.stack([each.largest[2] for each in jets], axis=-1)[:, None]
    t, top = np.maximum(first[:, :-1], first[:, 1:]) + of_t, np.maximum(high, low)[..., None]
    crossed = np.abs(np.diff(first, axis=1)) * np.abs(high - low)[..., None] / 4
    off = t * of_y[..., None] + top * of_t + crossed
    return off, np.abs(np.diff(first * y[..., None], axis=1)) + off


def friction_between(model: Model, course: Course, state: State) -> Floats:
    """(intervals, n): by how much friction may be above its chord between two nodes."""
    off, width = speed_between(course, state)
    steep, bent = model.friction_bends
    found: Floats = (steep * off + bent * width**2 / 8).max(axis=1)
    return found
