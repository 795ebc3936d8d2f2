"""Limits of how fast a load changes: torque rates of drives, jerk of joints.

With w = a(s) u + b(s) x + c(s) and y = s', where u' = du/ds and dx/ds = 2 u,

    dw/dt = y (a_s u + a u' + b_s x + 2 b u + c_s),

so |dw/dt| <= R is a pair of rows against R / y. This is convex in x = y^2, so its tangent at a motion is less than it
everywhere: what keeps the rows with the tangent keeps the limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from loadpath.fastest.friction import BARELY, STEP, sense
from loadpath.fastest.jets import ROUNDING
from loadpath.fastest.limits import Limits, Name, Rows
from loadpath.fastest.loads import ACCELERATION, DRIVE, Course, Model, State, What
from loadpath.fastest.rates_between import rates_between
from loadpath.fastest.rising import Law, Rising, Speeds, law_of, spread
from loadpath.motion.via_points import speed_limits
from loadpath.quantities.carriers import driven
from loadpath.scalars.types import Floats

BETWEEN = 33
"""Points of an interval at which rates are looked at, by polynomials through the loads at its nodes."""
OF_RATES: dict[str, What] = {"torque_rate": DRIVE, "jerk": ACCELERATION}
"""What changes, by kinds of limits."""
FASTER = 1e-9
"""rad/s: of a joint as good as at rest, for the slope of its friction."""


@dataclass(frozen=True, eq=False)
class Rates:
    """|dw_k/dt| <= capacity_k for entries of a load. They are no rows of motions whose s'' jumps, and not used
    there.
    """

    model: Model
    load: What
    names: Sequence[Name]
    columns: Sequence[int]
    capacity: Floats

    @property
    def straight(self) -> bool:
        """See `Limits`."""
        return True

    def rows(self, course: Course, near: Sequence[State], tight: Floats) -> list[Rows]:
        """See `Limits`."""
        return []

    def used(self, course: Course, state: State) -> Floats:
        """See `Limits`."""
        if not isinstance(state, Rising):
            return np.zeros((*course.grid.d.shape, len(self.names)))
        return np.abs(self._values(course, state, np.eye(course.grid.d.shape[1])))

    def between(self, course: Course, state: State) -> Floats:
        """See `Limits`: rates at many points, from the loads at the nodes, and ranges of how fast they change between
        these.
        """
        if not isinstance(state, Rising):
            return np.zeros((len(course.grid.h), len(self.names)))
        every = course.ranges(self.model, self.load)
        rubs = self.load == DRIVE and self.model.rubs
        none = np.zeros(self.model.robot.n)
        of_friction = np.stack(self.model.friction_bends if rubs else (none, none), axis=1).tolist()
        found = [rates_between(course, state, every[k], k, BETWEEN, tuple(of_friction[k])) for k in self.columns]
        near, at_rest = (np.stack(part, axis=1) / self.capacity for part in zip(*found, strict=True))
        used = self.used(course, state).max(axis=1)
        seen = np.abs(self._values(course, state, lagrange(course.grid.d.shape[1], BETWEEN))).max(axis=1)
        most = np.where(state.at_rest[:, None], at_rest, seen + near) * (1 + ROUNDING)
        return np.asarray(np.maximum(most - used, 0.0))

    # Rates by u and x at the ends of intervals

    def _values(self, course: Course, state: Rising, to: Floats) -> Floats:
        """(intervals, points, limits), over the capacities."""
        law, steep, left = self.form(course, state.speeds, to)
        ends = state.speeds.ends()
        y = np.sqrt(np.maximum(spread(ends, law.reference), 0.0))
        rates = np.einsum("ijmk,ik->ijm", steep, ends) + left
        found: Floats = y[..., None] * rates
        return found

    def form(self, course: Course, near: Speeds, to: Floats) -> tuple[Law, Floats, Floats]:
        """What the rates over the capacities and y are of u and x at the ends of intervals, (intervals, points, limits,
        4), and without them, at points to which a matrix (points, nodes) leads from nodes.
        """
        grid = course.grid
        law = law_of(grid.d @ to.T, near.begins, near.stops)
        slope = to @ derivatives(grid.d.shape[1])
        span = np.diff(grid.p)[:, None] * (grid.rate @ to.T)
        parts = course.loads(self.model, self.load)
        a, b, _ = (self.own(at(to, part)) for part in parts)
        of_a, of_b, of_c = (self.own(at(slope, part)) / span[..., None] for part in parts)
        share = law.share[..., None]
        steep = (share * (of_a + 2 * b))[..., None] * law.u[:, :, None]
        steep += a[..., None] * law.slope[:, :, None] + (share * of_b)[..., None] * law.x[:, :, None]
        left = share * of_c
        if self.load == DRIVE and self.model.rubs:
            steep += self._of_friction(course, near, law, to)
        return law, steep, left

    def own(self, of_all: Floats) -> Floats:
        """Of what is (..., n), what is limited, by the capacities."""
        found: Floats = of_all[..., list(self.columns)] / self.capacity
        return found

    def _of_friction(self, course: Course, near: Speeds, law: Law, to: Floats) -> Floats:
        """What friction changes by with joint accelerations q' u + q'' x, at the speeds of a motion; what it jumps by
        where a joint begins to move or turns back is left out.
        """
        ends = near.ends()
        first, second = at(to, course.first), at(to, course.second)
        x, reference = (np.maximum(spread(ends, part), 0.0) for part in (law.x, law.reference))
        speed, way = np.maximum(np.abs(first) * np.sqrt(x)[..., None], FASTER), sense(course)
        more, less = (self.model.friction(np.maximum(speed * (1 + step), BARELY) * way) for step in (STEP, -STEP))
        slope = np.abs(way) * (way * (more - less)) / (2 * STEP * speed)
        slope = self.own(slope / np.sqrt(np.maximum(reference, 1e-300))[..., None])
        first, second = (part[..., list(self.columns)] for part in (first, second))
        found: Floats = (slope * first)[..., None] * law.u[:, :, None] + (slope * second)[..., None] * law.x[:, :, None]
        return found

    def rows_near(self, course: Course, near: Speeds, tight: Floats) -> list[tuple[Floats, Floats]]:
        """Rows steep @ (u_0, u_1, x_0, x_1) <= most, (intervals, nodes, limits, 4) and without the last axis, which
        hold what the limits hold: with the tangent of 1 / y at a motion, and times y there.
        """
        law, steep, left = self.form(course, near, np.eye(course.grid.d.shape[1]))
        x = np.maximum(spread(near.ends(), law.reference), 1e-300)[..., None]
        capacity = 1 - tight[:, None]
        tangent = (capacity / (2 * x))[..., None] * law.reference[:, :, None]
        y = np.sqrt(x)
        return [(y[..., None] * sign * steep + tangent, 1.5 * capacity - y * sign * left) for sign in (1.0, -1.0)]


def limits_of_rates(model: Model, kind: str, given: Any, share: float, suffix: str) -> list[Limits]:
    """Of one kind of rate, "torque_rate" or "jerk", by degrees of freedom."""
    if given is None or given is False:
        return []
    if given is True:
        raise ValueError(f"{kind} is True: robots have no such limit of their own; give numbers")
    robot, load = model.robot, OF_RATES[kind]
    capacity = share * speed_limits(given, np.full(robot.n, np.inf), robot.dof_names, kind)
    if load == DRIVE:
        capacity = np.where(driven(robot), capacity, np.inf)  # passive joints of loops give none
    columns = np.flatnonzero(np.isfinite(capacity)).tolist()
    if not columns:
        return []
    turning = [turns for joint in robot.joints if joint.mimic is None for turns in joint.motion.angular]
    units = ("N/s", "N m/s") if load == DRIVE else ("m/s^3", "rad/s^3")
    names = [Name(kind.replace("_", " "), robot.dof_names[k] + suffix, float(capacity[k]), units[turning[k]])
             for k in columns]
    return [Rates(model, load, names, columns, capacity[columns])]


def at(to: Floats, of_nodes: Floats) -> Floats:
    """(intervals, points, m), from nodes (intervals, nodes, m)."""
    found: Floats = np.einsum("pj,ijm->ipm", to, of_nodes)
    return found


def lagrange(nodes: int, points: int) -> Floats:
    """(points, nodes): the polynomial through values at even nodes, at even points.

    >>> lagrange(3, 5) @ [0.0, 1.0, 4.0]
    array([0.  , 0.25, 1.  , 2.25, 4.  ])
    """
    known, asked = np.linspace(0, 1, nodes), np.linspace(0, 1, points)
    columns = []
    for j in range(nodes):
        others = np.delete(known, j)
        columns.append(np.prod((asked[:, None] - others) / (known[j] - others), axis=1))
    return np.stack(columns, axis=1)


def derivatives(nodes: int) -> Floats:
    """(nodes, nodes): the derivative at even nodes from 0 to 1 of the polynomial through values there.

    >>> (derivatives(3) @ [0.0, 0.25, 1.0]).round(12).tolist()
    [0.0, 1.0, 2.0]
    """
    known = np.linspace(0, 1, nodes)
    powers: Any = np.arange(nodes)
    values = known[:, None] ** powers
    slopes = powers * known[:, None] ** np.maximum(powers - 1, 0)
    found: Floats = slopes @ np.linalg.inv(values)
    return found
