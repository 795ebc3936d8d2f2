"""Limits of what is carried as a whole: tilting moments, equivalent loads of bearings, bolts, friction cones, stress in
beams, deflections, wheels.

Each is a demand on a load, as the wrench of a joint, a function that is convex and grows in proportion with it
(magnitudes, their sums, the largest of some, forces along an axis): a `Sum` with its gradient in closed form, or of
parts of one's own another function. Its planes are outside of what it permits: demand'(w_0) w <= capacity for any w_0.
So rows begin with the planes of a few directions, and each pass adds those of the loads that it found, which meets the
cone itself to second order. Between nodes a demand is at most that of the nodes plus that of what the load is off its
chord.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from loadpath.cached import cached_property
from loadpath.fastest.demands import Demand, sum_of
from loadpath.fastest.limits import Name, Rows
from loadpath.fastest.loads import WRENCH, Affine, Carried, Course, Model, State, bends
from loadpath.scalars.types import Floats

PLANES = 8
"""Of the last passes: those of earlier ones are left out."""
STEP = 1e-6
"""Of a difference, relative to the wrench."""


FEW_ENTRIES = 6
"""Loads with so many entries begin with planes of each of them; others with those of their own directions."""


@dataclass(frozen=True, eq=False)
class Cone:
    """demand(entries of a load) <= capacity. `scale` is what utilisation is measured with, another number than the
    capacity where that may be zero, as of a load that friction alone holds: it is 1 + (demand - capacity) / scale.
    """

    model: Model
    name: Name
    demand: Demand
    capacity: float
    scale: float
    load: Carried
    columns: slice
    """Which entries."""

    @classmethod
    def of_joint(
        cls, model: Model, joint: int, name: Name, demand: Demand, capacity: float, scale: float | None = None
    ) -> Cone:
        """Of the wrench of a joint, by its number."""
        columns = slice(6 * joint, 6 * joint + 6)
        return cls(model, name, demand, capacity, capacity if scale is None else scale, WRENCH, columns)

    @property
    def names(self) -> Sequence[Name]:
        """See `Limits`."""
        return (self.name,)

    @property
    def straight(self) -> bool:
        """See `Limits`."""
        return False

    def _loads(self, course: Course) -> Affine:
        return course.once((self, "loads"), lambda: Affine._make(
            np.ascontiguousarray(part[..., self.columns]) for part in course.loads(self.model, self.load)))

    def _fixed(self, course: Course) -> list[Floats]:
        """Planes to begin with, (m,) of forces and moments along the axes, or (intervals, nodes, m)."""
        a, b, c = self._loads(course)
        if a.shape[-1] > FEW_ENTRIES:
            return [self.demand.gradient(direction) for direction in (a, -a, b, c, a + c, c - a)]
        return self._along_axes

    @cached_property
    def _along_axes(self) -> list[Floats]:
        m = self.columns.stop - self.columns.start
        every = self.demand.gradient(np.concatenate([np.eye(m), -np.eye(m)]))
        kept: list[Floats] = []
        for plane in every:
            if np.abs(plane).max() > 0 and not any(np.allclose(plane, other) for other in kept):
                kept.append(plane)
        return kept

    def rows(self, course: Course, near: Sequence[State], tight: Floats) -> list[Rows]:
        """See `Limits`."""
        most = self.capacity / self.scale - tight
        planes = [] if near else [*course.once((self, "fixed"), partial(self._at_first, course))]
        planes += [course.once((self, state), partial(self._near, course, state)) for state in near[-PLANES:]]
        return [Rows(alpha, beta, most - along) for alpha, beta, along in planes]

    # Rows of planes at all nodes, each without the capacity

    def _at_first(self, course: Course) -> list[tuple[Floats, Floats, Floats]]:
        return [self._row(course, plane / self.scale) for plane in self._fixed(course)]

    def _near(self, course: Course, state: State) -> tuple[Floats, Floats, Floats]:
        return self._row(course, self.demand.gradient(self._loads(course).at(state.u, state.x)) / self.scale)

    def _row(self, course: Course, plane: Floats) -> tuple[Floats, Floats, Floats]:
        a, b, c = (np.vecdot(plane, part) for part in self._loads(course))
        return a + 2 * course.grid.d * b, b, c

    def used(self, course: Course, state: State) -> Floats:
        """See `Limits`."""
        demand = self.demand(self._loads(course).at(state.u, state.x))
        return 1 + (demand - self.capacity)[..., None] / self.scale

    def between(self, course: Course, state: State) -> Floats:
        """See `Limits`."""
        entries = course.ranges(self.model, self.load)[self.columns]
        off = course.steps[:, None] ** 2 / 8 * bends(entries, course, state)
        found: Floats = self.demand.most(off)[:, None] / self.scale
        return found


PROBES = 60
CONVEX = 1e-9


@dataclass(frozen=True, eq=False)
class ByDifferences:
    """A demand that is no sum of magnitudes."""

    function: Callable[[Floats], Floats]

    def __call__(self, wrench: Floats) -> Floats:
        """(...,)"""
        return self.function(wrench)

    def gradient(self, wrench: Floats) -> Floats:
        """(..., 6): by differences on both sides."""
        step = STEP * np.maximum(np.linalg.norm(wrench, axis=-1, keepdims=True), 1e-9)
        aside = step[..., None] * np.eye(6)
        there, back = (self.function(wrench[..., None, :] + sign * aside) for sign in (1.0, -1.0))
        return np.asarray((there - back) / (2 * step))

    def most(self, within: Floats) -> Floats:
        """(...,): see `Demand`; the sum of what each entry does by itself."""
        each = np.maximum(self.function(np.eye(6)), self.function(-np.eye(6)))
        return np.asarray(within @ np.maximum(each, 0.0))


def demand_of(function: Callable[[Any], Any]) -> Demand | None:
    """A function of wrenches as a demand, with its gradient; None of one that is no cone."""
    return sum_of(function) or (ByDifferences(function) if is_cone(function) else None)


def is_cone(demand: Callable[[Floats], Floats]) -> bool:
    """Whether a demand is convex and grows in proportion with the wrench, at random wrenches.

    >>> is_cone(lambda w: np.hypot(w[..., 0], w[..., 1])), is_cone(lambda w: np.minimum(w[..., 0], w[..., 1]))
    (True, False)
    """
    rng = np.random.default_rng(0)
    one, other = rng.normal(size=(2, PROBES, 6)) * rng.choice([0.01, 1.0, 100.0], (2, PROBES, 6))
    a, b, both = demand(one), demand(other), demand(one + other)
    size = CONVEX * (np.abs(a) + np.abs(b) + np.abs(both)) + 1e-300
    return bool(np.isfinite(both).all() and (both <= a + b + size).all()
                and (np.abs(demand(3 * one) - 3 * a) <= 3 * size).all())


@dataclass(frozen=True)
class FrictionCone:
    """What lies on, hangs from or is held by a link, and must not slip or lift off: the force that a joint passes on to
    its child stays within a cone about an axis,

        (force across the axis) <= friction * (hold + force along the axis).

    `axis` is a direction in the child's joint frame, in which the parent presses the child; `hold` (N) presses as well,
    as a sucking cup or a magnet does. A tray with a glass: `axis=(0, 0, 1)`, and for friction the tangent of the angle
    at which it tips or spills. Fingers that press from two sides hold twice `friction * force` across their own axis,
    whatever is along it: `fingers=force`, in place of `hold`. Moments at the contact are not looked at.

    >>> FrictionCone(axis=(0, 0, 1), friction=0.5, hold=20.0).friction
    0.5
    """

    axis: tuple[float, float, float]
    friction: float
    hold: float = 0.0
    fingers: float | None = None

    def __post_init__(self) -> None:
        axis = np.asarray(self.axis, dtype=float)
        if axis.shape != (3,) or not np.isfinite(axis).all() or not np.linalg.norm(axis) > 0:
            raise ValueError(f"axis of a FrictionCone is {self.axis!r}: expected a direction (x, y, z)")
        object.__setattr__(self, "axis", tuple((axis / np.linalg.norm(axis)).tolist()))
        if not (np.isfinite(self.friction) and self.friction > 0):
            raise ValueError(f"friction of a FrictionCone is {self.friction!r}: expected more than zero")
        for what in ("hold", "fingers"):
            value = getattr(self, what)
            if value is not None and not (np.isfinite(value) and value >= 0):
                raise ValueError(f"{what} of a FrictionCone is {value!r}: expected a force (N), zero or more")

    def demand(self, wrench: Floats) -> Floats:
        """N, of wrenches (..., 6): what friction must hold beyond what the pressing load itself gives."""
        axis, force = np.array(self.axis), wrench[..., :3]
        along = force @ axis
        across: Floats = np.linalg.norm(force - along[..., None] * axis, axis=-1)
        return across if self.fingers is not None else across - self.friction * along

    @property
    def capacity(self) -> float:
        """N"""
        return self.friction * (self.hold if self.fingers is None else 2 * self.fingers)
