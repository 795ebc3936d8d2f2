"""Means of torques as limits: what a gear carries on average, by the cube root of the mean cube over its turns,

    T_m = (integral of |T|^3 |q'| ds / integral of |q'| ds)^(1/3),

T as the gear passes it on. On a path the turns are given, so the mean is that of convex functions of u and x with
fixed weights: no row at a point, but a convex limit of the whole, see `loadpath.fastest.within_means`. Integrals are
Simpson's over the nodes of each interval.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from loadpath.fastest.friction import friction, speed, tangent
from loadpath.fastest.limits import Name, Rows
from loadpath.fastest.loads import GEAR, Course, Model, State
from loadpath.fastest.within_means import Mean
from loadpath.robot.numbers import known, number
from loadpath.scalars.types import Floats

KIND = "mean_torque"
KEPT = 1 - 1e-7
"""Of a mean is allowed: it is summed over nodes."""


@dataclass(frozen=True, eq=False)
class Means:
    """Mean torques of gears, one for each of some joints."""

    model: Model
    names: Sequence[Name]
    columns: Sequence[int]

    @property
    def straight(self) -> bool:
        """See `Limits`."""
        return not self.model.rubs

    def rows(self, course: Course, near: Sequence[State], tight: Floats) -> list[Rows]:
        """See `Limits`: it has none."""
        return []

    def means(self, course: Course, near: Sequence[State], tight: Floats) -> list[Mean]:
        """The limits themselves, near the last of the motions that earlier passes found, and smaller by what `tight`
        (intervals, limits) says at most.
        """
        a, b, c = course.loads(self.model, GEAR)
        if self.model.rubs:
            slope, left = tangent(self.model, course, near[-1] if near else None)
            b, c = b + slope, c + left
        d, weights = course.grid.d, self._weights(course)
        return [Mean(a[..., k] + 2 * d * b[..., k], b[..., k], c[..., k], weights[..., j] / name.capacity**3,
                     (KEPT * (1 - float(tight[:, j].max()))) ** 3)
                for j, (k, name) in enumerate(zip(self.columns, self.names, strict=True))]

    def _weights(self, course: Course) -> Floats:
        """(intervals, nodes, limits): of cubes, with the sum one."""
        turns = np.abs(course.first[..., list(self.columns)])
        each = course.grid.h[:, None, None] * _simpson(turns.shape[1])[:, None] * turns
        whole = each.sum(axis=(0, 1))
        found: Floats = each / np.where(whole > 0, whole, 1.0)
        return found

    def used(self, course: Course, state: State) -> Floats:
        """See `Limits`: of the whole, so the same at all nodes."""
        torque = course.loads(self.model, GEAR).at(state.u, state.x)
        if self.model.rubs:
            torque = torque + friction(self.model, course, speed(state))
        cubes = (self._weights(course) * np.abs(torque[..., list(self.columns)]) ** 3).sum(axis=(0, 1))
        share = np.cbrt(cubes) / np.array([name.capacity for name in self.names])
        return np.broadcast_to(share, (*course.grid.d.shape, len(share)))

    def between(self, course: Course, state: State) -> Floats:
        """See `Limits`: there is nothing between nodes that a mean would not have."""
        return np.zeros((len(course.grid.h), len(self.names)))


def limits_of_means(model: Model, given: Any, share: float, suffix: str) -> list[Means]:
    """Of gears, by joints with drives."""
    if given is None or given is False:
        return []
    if not isinstance(given, Mapping):
        raise ValueError(f"{KIND} is {given!r}: expected a dict from joints with drives to torques, like "
                         "{'joint1': 50.0}")
    names, columns = [], []
    for joint, value in given.items():
        known(joint, model.robot.dof_names, "degree of freedom")
        most = share * number(value, f"{KIND} of '{joint}'")
        if most <= 0:
            raise ValueError(f"{KIND} of '{joint}' is {value}: expected more than zero")
        columns.append(list(model.robot.dof_names).index(joint))
        names.append(Name("mean torque of the gear", joint + suffix, most, "N m"))
    return [Means(model, names, columns)]


def _simpson(nodes: int) -> Floats:
    """Weights over evenly spaced nodes, an odd number of them, with the sum one."""
    weights = np.ones(nodes)
    weights[1:-1:2], weights[2:-1:2] = 4.0, 2.0
    found: Floats = weights / weights.sum()
    return found
