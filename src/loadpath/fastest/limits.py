"""Limits of what is carried along a path, as rows in u and x, as utilisation, and as a bound of it between nodes.

A limit has no unit here: what it limits is divided by the capacity, so that 1 is reached and more is too much.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from loadpath.fastest.loads import DRIVE, GEAR, SPEED, Affine, Course, Model, State, bends
from loadpath.scalars.types import Floats


class Name(NamedTuple):
    """What is limited, as "torque" of "joint2", by how much, in which unit."""

    kind: str
    name: str
    capacity: float
    unit: str

    def __str__(self) -> str:
        return f"{self.kind} of '{self.name}'"


class Rows(NamedTuple):
    """alpha u + beta x_i <= gamma on every interval: (intervals, rows) each; and of which limit each row is, by its
    number, (intervals, rows).
    """

    alpha: Floats
    beta: Floats
    gamma: Floats
    owner: Floats


class Limits(Protocol):
    """Limits of one kind of load of one robot."""

    @property
    def names(self) -> Sequence[Name]:
        """What is limited."""

    @property
    def straight(self) -> bool:
        """Whether rows hold it exactly, near any motion."""

    def rows(self, course: Course, near: Sequence[State], tight: Floats) -> list[Rows]:
        """Rows that hold what the limits hold, near the last of the motions that earlier passes found (before any is
        known there is none), each limit made smaller by what `tight` (intervals, limits) says.
        """

    def used(self, course: Course, state: State) -> Floats:
        """(intervals, nodes, limits): utilisation at the nodes."""

    def between(self, course: Course, state: State) -> Floats:
        """(intervals, limits): by how much the utilisation between two nodes may be above that at both."""


@dataclass(frozen=True, eq=False)
class Magnitudes:
    """|w_k| <= capacity_k for entries of a load: forces of drives, accelerations, squares of speeds."""

    model: Model
    load: str
    names: Sequence[Name]
    columns: Sequence[int]
    """Which entries are limited."""
    capacity: Floats
    """(limits,), in the unit of the entries."""

    def _loads(self, course: Course) -> Affine:
        columns = list(self.columns)
        a, b, c = (part[..., columns] / self.capacity for part in course.loads(self.model, self.load))
        return Affine(a, b, c)

    @property
    def rubs(self) -> bool:
        """Whether friction adds to what is limited."""
        return self.load in (DRIVE, GEAR) and self.model.rubs

    @property
    def straight(self) -> bool:
        """See `Limits`."""
        return not self.rubs

    def rows(self, course: Course, near: Sequence[State], tight: Floats) -> list[Rows]:
        """See `Limits`."""
        a, b, c = self._loads(course)
        d = course.grid.d
        if self.load == SPEED:  # of one sign, and without u: the strictest is enough
            b = b / (1 - tight[:, None]) ** 2
            owner = b.argmax(axis=-1)
            most = np.take_along_axis(b, owner[..., None], axis=-1)[..., 0]
            return [Rows(2 * d * most, most, np.ones_like(most), owner.astype(float))]
        if self.rubs:
            slope, left = self._tangent(course, near[-1] if near else None)
            b, c = b + slope, c + left
        alpha = a + 2 * d[..., None] * b
        shape = (len(d), -1)
        left_over = 1 - tight[:, None]
        owner = np.broadcast_to(np.arange(len(self.names), dtype=float), alpha.shape)
        found = []
        for sign in (1.0, -1.0):
            every = (part.reshape(shape) for part in (sign * alpha, sign * b, left_over - sign * c, owner))
            found.append(Rows._make(every))
        return found

    def used(self, course: Course, state: State) -> Floats:
        """See `Limits`."""
        w = self._loads(course).at(state.u, state.x)
        if self.load == SPEED:
            return np.asarray(np.sqrt(np.maximum(w, 0.0)))
        if self.rubs:
            w = w + self._friction(course, np.sqrt(np.maximum(state.x, 0.0)))
        return np.abs(w)

    def between(self, course: Course, state: State) -> Floats:
        """See `Limits`."""
        entries = course.ranges(self.model, self.load)
        bend = bends([entries[k] for k in self.columns], course, state) / self.capacity
        excess = course.steps[:, None] ** 2 / 8 * bend
        if self.load == SPEED:  # of squares; of the roots it is what is left of it
            w = self._loads(course).at(state.u, state.x).max(axis=1)
            found: Floats = np.sqrt(np.maximum(w, 0.0) + excess) - np.sqrt(np.maximum(w, 0.0))
            return found
        return excess + self._friction_between(course, state) if self.rubs else excess

    # Friction: a function of sqrt(x), which rows take along its tangent at the motion before

    def _sense(self, course: Course) -> Floats:
        """(intervals, 1, n): which way each joint goes; zero of joints that rest."""
        first = course.grid.first
        middle = first[:, first.shape[1] // 2]
        found: Floats = np.where(np.abs(first).max(axis=1) > STILL, np.sign(middle), 0.0)[:, None]
        return found

    def _friction(self, course: Course, y: Floats) -> Floats:
        """(intervals, nodes, limits): utilisation by friction at ds/dt = y."""
        speed = np.maximum(np.abs(course.grid.first) * y[..., None], BARELY) * self._sense(course)
        found: Floats = self.model.friction(speed)[..., list(self.columns)] / self.capacity
        return found

    def _tangent(self, course: Course, near: State | None) -> tuple[Floats, Floats]:
        """Slope by x of the tangent, and its value at x = 0."""
        if near is None:
            still = self._friction(course, np.zeros_like(course.grid.d))
            return np.zeros_like(still), still
        y = np.sqrt(np.maximum(near.x, 0.0))
        y = np.maximum(y, LEAST * (y.max() or 1.0))
        more, less = (self._friction(course, y * (1 + step)) for step in (STEP, -STEP))
        slope = (more - less) / (4 * STEP * y[..., None] ** 2)
        return slope, self._friction(course, y) - slope * y[..., None] ** 2

    def _friction_between(self, course: Course, state: State) -> Floats:
        """(intervals, limits): by how much friction may be off its chord between two nodes.

        A joint's speed is the product of q'_k(p) and y(p) = sqrt(x): each is off its chord by so much, and the product
        of two chords is off its own by a quarter of the product of their differences. Friction itself bends where it
        has the Stribeck effect.
        """
        y = np.sqrt(np.maximum(state.x, 0.0))
        low, high, h2 = y[:, :-1], y[:, 1:], course.steps[:, None] ** 2 / 8
        both = np.maximum(high + low, 1e-300)
        of_y = (high - low) ** 2 / (4 * both)  # of the root of what is straight in s
        # x is straight in s, and bends by 2 u s'' in p: of its root that is less than (that) / (y + y).
        of_y = of_y + np.minimum(h2 * 2 * np.abs(state.u)[:, None] * course.geometry.arc.largest[1][:, None] / both,
                                 np.maximum(high, low))
        first = np.abs(course.grid.first)
        of_t = h2[..., None] * np.stack([each.largest[2] for each in course.geometry.first], axis=-1)[:, None]
        t, top = np.maximum(first[:, :-1], first[:, 1:]) + of_t, np.maximum(high, low)[..., None]
        crossed = np.abs(np.diff(first, axis=1)) * np.abs(high - low)[..., None] / 4
        off = t * of_y[..., None] + top * of_t + crossed
        width = np.abs(np.diff(first * y[..., None], axis=1)) + off
        steep, bent = self.model.friction_bends
        found = (steep * off + bent * width**2 / 8).max(axis=1)
        return np.asarray(found[:, list(self.columns)] / self.capacity)


STILL = 1e-9
"""|dq_k/ds| of a joint that rests."""
BARELY = 1e-12
"""rad/s: of a joint that is about to move."""
LEAST, STEP = 1e-6, 1e-4
"""Of the largest ds/dt: where it is less, the tangent is taken there; and the step of a difference, relatively."""
