"""What the drives together take from a supply: the sum of their mechanical powers, those that brake giving back to the
others.

With y = s' it is y (A u + B x + C), where A, B and C are those of the drives' loads along dq/ds, summed. So its limit
is A u + B x + C <= P / y, and P / y is convex in x: its tangent at a motion is less than it everywhere. Rows with the
tangent are on the safe side, and each pass is at least as quick as the one before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from loadpath.fastest.friction import chord_of_speed, friction, speed, speed_between, tangent, tangent_speed
from loadpath.fastest.limits import Limits, Name, Rows
from loadpath.fastest.loads import DRIVE, Affine, Course, Model, State, bends
from loadpath.robot.numbers import number
from loadpath.scalars.types import Floats


@dataclass(frozen=True, eq=False)
class Power:
    """sum_k tau_k qd_k <= capacity."""

    model: Model
    name: Name

    @property
    def names(self) -> Sequence[Name]:
        """See `Limits`."""
        return (self.name,)

    @property
    def straight(self) -> bool:
        """See `Limits`."""
        return False

    def _along(self, course: Course, of_drives: Floats) -> Floats:
        """(intervals, nodes): what is (intervals, nodes, n), along dq/ds, over the capacity."""
        found: Floats = (course.first * of_drives).sum(axis=-1) / self.name.capacity
        return found

    def _loads(self, course: Course) -> Affine:
        return course.once((self, "loads"), lambda: Affine._make(
            self._along(course, part) for part in course.loads(self.model, DRIVE)))

    def rows(self, course: Course, near: Sequence[State], tight: Floats) -> list[Rows]:
        """See `Limits`."""
        if not near:
            return []
        a, b, c = self._loads(course)
        y, capacity = tangent_speed(near[-1]), 1 - tight
        if self.model.rubs:
            slope, left = (self._along(course, part) for part in tangent(self.model, course, near[-1]))
            b, c = b + slope, c + left
        b = b + capacity / (2 * y**3)
        return [Rows(a + 2 * course.grid.d * b, b, 1.5 * capacity / y - c)]

    def _by_y(self, course: Course, state: State) -> Floats:
        """(intervals, nodes): without friction, over s'."""
        a, b, c = self._loads(course)
        found: Floats = a * state.u.reshape(len(c), -1) + b * state.x + c
        return found

    def used(self, course: Course, state: State) -> Floats:
        """See `Limits`: nothing while the drives give back more than they take."""
        y, load = speed(state), self._by_y(course, state)
        if self.model.rubs:
            load = load + self._along(course, friction(self.model, course, y))
        return np.maximum(y * load, 0.0)[..., None]

    def between(self, course: Course, state: State) -> Floats:
        """See `Limits`: a product is off its chord by what its factors are, and by a quarter of the product of their
        differences.
        """
        first = course.geometry.first
        parts = course.ranges(self.model, DRIVE)
        entry = [sum((t * each[k] for t, each in zip(first[1:], parts[1:], strict=True)), first[0] * parts[0][k])
                 for k in range(3)]
        bend = bends([(entry[0], entry[1], entry[2])], course, state) / self.name.capacity
        y, load, off_y = speed(state), self._by_y(course, state), chord_of_speed(course, state)
        off_load = course.steps[:, None] ** 2 / 8 * bend
        low, high = np.abs(load[:, :-1]), np.abs(load[:, 1:])
        top = np.maximum(y[:, :-1], y[:, 1:]) + off_y
        off = (np.maximum(low, high) + off_load) * off_y + top * off_load
        off = off + np.abs(np.diff(y, axis=1) * np.diff(load, axis=1)) / 4
        if self.model.rubs:
            off = off + self._of_friction(course, state)
        found: Floats = off.max(axis=1)[:, None]
        return found

    def _of_friction(self, course: Course, state: State) -> Floats:
        """(intervals, nodes - 1): of sum_k v_k f_k(v_k), by the speeds v."""
        off, width = speed_between(course, state)
        y = speed(state)
        held = np.abs(friction(self.model, course, y))
        v = np.abs(course.first) * y[..., None]
        steep, bent = self.model.friction_bends
        most = np.maximum(v[:, :-1], v[:, 1:]) + off
        force = np.maximum(held[:, :-1], held[:, 1:]) + steep * width
        slope, curve = force + most * steep, 2 * steep + most * bent
        found: Floats = (slope * off + curve * width**2 / 8).sum(axis=-1) / self.name.capacity
        return found


def limits_of_power(model: Model, given: Any, share: float, suffix: str) -> list[Limits]:
    """Of the supply of all drives."""
    if given is None or given is False:
        return []
    capacity = share * number(given, "limit of power")
    if capacity <= 0:
        raise ValueError(f"limit of power is {given}: expected more than zero (W)")
    return [Power(model, Name("power", "the supply" + suffix, capacity, "W"))]
