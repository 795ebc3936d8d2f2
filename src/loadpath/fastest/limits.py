"""Limits of what is carried along a path, as rows in u and x, as utilisation, and as a bound of it between nodes.

A limit has no unit here: what it limits is divided by the capacity, so that 1 is reached and more is too much.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from loadpath.fastest.friction import friction, friction_between, speed, tangent
from loadpath.fastest.loads import DRIVE, GEAR, SPEED, Affine, Course, Model, State, What, bends
from loadpath.scalars.types import Floats, Ints


class Name(NamedTuple):
    """What is limited, as "torque" of "joint2", by how much, in which unit."""

    kind: str
    name: str
    capacity: float
    unit: str

    def __str__(self) -> str:
        return f"{self.kind} of '{self.name}'"


FIRST: Ints = np.zeros((1, 1), dtype=np.intp)


class Rows(NamedTuple):
    """alpha u + beta x_i <= gamma on every interval: (intervals, rows) each, node after node; and of which limit each
    row is, by its number, what fits (intervals, rows): without a word the first.
    """

    alpha: Floats
    beta: Floats
    gamma: Floats
    owner: Ints = FIRST


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
    load: What
    names: Sequence[Name]
    columns: Sequence[int]
    """Which entries are limited."""
    capacity: Floats
    """(limits,), in the unit of the entries."""

    def _loads(self, course: Course) -> Affine:
        return course.once((self, "loads"), lambda: Affine._make(
            self._own(part) for part in course.loads(self.model, self.load)))

    def _own(self, of_joints: Floats) -> Floats:
        """Of what is (..., n), what is limited, by the capacities."""
        found: Floats = of_joints[..., list(self.columns)] / self.capacity
        return found

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
        d = course.grid.d
        if self.load == SPEED:  # of one sign, and without u: the strictest is enough
            b = self._loads(course).b / (1 - tight[:, None]) ** 2
            owner = b.argmax(axis=-1)
            most = np.take_along_axis(b, owner[..., None], axis=-1)[..., 0]
            return [Rows(2 * d * most, most, np.ones_like(most), owner)]
        if self.rubs:
            slope, left = (self._own(part) for part in tangent(self.model, course, near[-1] if near else None))
            alpha, beta, value = self._both_ways(course, slope, left)
        else:
            alpha, beta, value = course.once((self, "both ways"), lambda: self._both_ways(course, 0.0, 0.0))
        times = 2 * d.shape[1]
        return [Rows(alpha, beta, np.tile(1 - tight, times) - value, np.tile(np.arange(len(self.names)), times))]

    def _both_ways(self, course: Course, slope: Floats | float, left: Floats | float) -> tuple[Floats, Floats, Floats]:
        """Rows alpha u + beta x + value of what is limited and of its opposite, with what goes with x and what is left
        besides.
        """
        a, b, c = self._loads(course)
        b, c = b + slope, c + left
        alpha, beta, value = (np.concatenate([part, -part], axis=-1).reshape(len(b), -1)
                              for part in (a + 2 * course.grid.d[..., None] * b, b, c))
        return alpha, beta, value

    def used(self, course: Course, state: State) -> Floats:
        """See `Limits`."""
        w = self._loads(course).at(state.u, state.x)
        if self.load == SPEED:
            return np.asarray(np.sqrt(np.maximum(w, 0.0)))
        if self.rubs:
            w = w + self._own(friction(self.model, course, speed(state)))
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
        return excess + self._own(friction_between(self.model, course, state)) if self.rubs else excess
