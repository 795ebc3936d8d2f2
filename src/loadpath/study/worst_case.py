"""The largest load that a robot meets anywhere in a box of states, and a bound that no state of the box exceeds:
`robot.worst_case("joint2", "tilting_moment", over=...)`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy.optimize import minimize
from scipy.stats import qmc

from loadpath.errors import ModelError
from loadpath.loads.resultants import RESULTANTS, unit_of
from loadpath.printable import printable
from loadpath.quantities.carriers import is_closed
from loadpath.quantities.wrench import COMPONENTS
from loadpath.robot.joints import Prismatic, Revolute
from loadpath.robot.numbers import known
from loadpath.scalars.types import Floats
from loadpath.study.box import Box, refuse_unbounded
from loadpath.study.branch_and_bound import Bounded, Maximum, maximize
from loadpath.study.harmonics import Expansion, Harmonics, along_direction, expanded, harmonics, merged_modes
from loadpath.tables import Table

if TYPE_CHECKING:
    from loadpath.quantities.table import RobotQuantities

Sense = Literal["magnitude", "max", "min"]
SAMPLES = 4096
STARTS = 8
"""Samples from which local searches begin."""


@dataclass(frozen=True, eq=False, repr=False)
class WorstCase:
    """The largest value over a box of states that was computed, the state that attains it, and what bounds all."""

    name: str
    """Of the joint or the degree of freedom."""
    quantity: str
    sense: Sense
    value: float
    """The largest value (for "min" the smallest, for "magnitude" that of the magnitude): attained at the state."""
    bound: float
    """No state of the box has a larger value (for "min" a smaller one). Infinite where nothing bounds it."""
    tolerance: float
    """Relative gap below which it counts as certified."""
    certified: bool
    """Whether the gap is below the tolerance."""
    q: Floats
    qd: Floats
    qdd: Floats
    largest_sample: float
    """The largest value (for "min" the smallest) among the samples, before any search."""
    samples: int
    boxes: int
    """Boxes of states that were bounded."""
    seconds: float
    unit: str = field(default="")
    dof_names: tuple[str, ...] = field(default=())

    @property
    def gap(self) -> float:
        """Between value and bound, in the unit of the value."""
        return abs(self.bound - self.value)

    @property
    def relative_gap(self) -> float:
        """The gap by the value; infinite by a value of zero."""
        return 0.0 if self.gap == 0.0 else self.gap / abs(self.value) if self.value else math.inf

    @property
    def state(self) -> tuple[Floats, Floats, Floats]:
        """q, qd and qdd that attain the value."""
        return self.q, self.qd, self.qdd

    def _verdict(self) -> str:
        what = "at least" if self.sense == "min" else "at most"
        if self.certified:
            return f"certified: {what} {self.bound:.6g} {self.unit} in every state of the box"
        if math.isinf(self.bound):
            return "not certified: without a bound"
        return f"not certified: {what} {self.bound:.6g} {self.unit}, a gap of {100 * self.relative_gap:.3g} %"

    def _table(self) -> Table:
        word = {"magnitude": "largest magnitude", "max": "largest", "min": "smallest"}[self.sense]
        title = (f"{self.quantity.replace('_', ' ')} of '{printable(self.name)}', {word}: {self.value:.6g} {self.unit}; "
                 f"{self._verdict()} ({self.boxes} boxes, {self.seconds:.2g} s; largest of {self.samples} samples: "
                 f"{self.largest_sample:.6g})")
        rows = [[printable(name), *(f"{x:.6g}" for x in row)]
                for name, *row in zip(self.dof_names, *self.state, strict=True)]
        return Table(title, ["degree of freedom", "q", "qd", "qdd"], rows)

    def to_table(self) -> str:
        """The value, the bound and the state as text."""
        table = self._table()
        return f"{table.title}\n{table.text()}"

    def _repr_html_(self) -> str:
        return self._table().html()

    def __repr__(self) -> str:
        return (f"<worst case of '{printable(self.name)}': {self.quantity} {self.value:.6g} {self.unit}, "
                f"{self._verdict()}>")


class _Asked:
    """The function of a state that is asked for: the magnitude of one to three numbers, or one with a sign."""

    def __init__(self, robot: RobotQuantities, name: str, quantity: str, sense: Sense | None) -> None:
        known(quantity, (*COMPONENTS, *RESULTANTS, "drive"), "quantity")
        self.robot, self.name, self.quantity = robot, name, quantity
        self.rows = np.ones((1, 1))  # (functions, entries of what is computed)
        if quantity == "drive":
            self.place = robot.dof_names.index(known(name, robot.dof_names, "degree of freedom"))
        else:
            self.place = robot.joint_names.index(known(name, robot.joint_names, "joint"))
            self.rows = self._directions()
        self.count = len(self.rows)
        self.sense: Sense = "magnitude" if sense is None else sense
        if self.sense not in ("magnitude", "max", "min"):
            raise ValueError(f"sense is {sense!r}: expected 'magnitude', 'max' or 'min'")
        if self.count > 1 and self.sense == "min":
            raise ValueError(f"{quantity} is a magnitude: of it there is the largest, not sense='min'")

    def _directions(self) -> Floats:
        """(functions, 6)"""
        rows = np.eye(6)
        if self.quantity in COMPONENTS:
            return rows[[COMPONENTS.index(self.quantity)]]
        half = slice(0, 3) if self.quantity.endswith("force") else slice(3, 6)
        if self.quantity in ("force", "torque"):
            return rows[half]
        axis = self.robot.joint(self.name).motion.axis_direction()
        if axis is None:
            raise ValueError(f"joint '{self.name}' has no single axis, so it has no {self.quantity.replace('_', ' ')}")
        along = np.array(axis)
        if self.quantity.startswith("axial"):
            across = along[None]
        else:
            across = np.linalg.svd(along[None])[2][1:]
            across[np.abs(across) < 1e-15] = 0.0
        result = np.zeros((len(across), 6))
        result[:, half] = across
        return result

    def parts(self, states: Floats) -> Floats:
        """(b, functions) at states (b, 3 n)."""
        n = self.robot.n
        q, qd, qdd = states[:, :n], states[:, n : 2 * n], states[:, 2 * n :]
        if self.quantity == "drive":
            return np.asarray(self.robot.inverse_dynamics(q, qd, qdd))[:, [self.place]]
        wrench = self.robot.joint_wrenches(q, qd, qdd)
        six = np.concatenate([wrench.force[:, self.place], wrench.torque[:, self.place]], axis=-1)
        found: Floats = six @ self.rows.T
        return found

    def value(self, states: Floats) -> Floats:
        """(b,): what is to be as large as possible."""
        parts = self.parts(states)
        if self.count > 1 or self.sense == "magnitude":
            return np.sqrt(np.einsum("bf,bf->b", parts, parts))
        return parts[:, 0] if self.sense == "max" else -parts[:, 0]

    @property
    def directions(self) -> int:
        """Angles of a direction that the largest value is sought over, too."""
        return self.count - 1 if self.count > 1 else int(self.sense == "magnitude")

    def direction(self, states: Floats) -> Floats:
        """(b, directions): those angles at states."""
        parts = self.parts(states)
        if not self.directions:
            return np.zeros((len(parts), 0))
        if self.count == 1:
            return np.where(parts >= 0, 0.0, np.pi)
        u = np.arctan2(parts[:, 1], parts[:, 0])
        if self.count == 2:
            return u[:, None]
        return np.stack([u, np.arctan2(parts[:, 2], np.hypot(parts[:, 0], parts[:, 1]))], axis=1)

    def direction_boxes(self) -> list[tuple[Floats, Floats]]:
        """Boxes of those angles."""
        if self.count == 1:
            return [(np.full(self.directions, u), np.full(self.directions, u)) for u in (0.0, np.pi)[: 1 + self.directions]]
        low, high = np.array([-np.pi, -np.pi / 2])[: self.directions], np.array([np.pi, np.pi / 2])[: self.directions]
        return [(low, high)]


class _BySeries:
    """The function that is asked for as a sum of cosines, over boxes of the variables that it has."""

    def __init__(self, asked: _Asked, expansion: Expansion, low: Floats, high: Floats, leave_out: float) -> None:
        self.asked, self.low, self.high = asked, low, high
        amplitudes = expansion.amplitudes if asked.sense != "min" else -expansion.amplitudes
        self.sum: Harmonics
        self.sum, self.others, self.taken = harmonics(
            expansion,
            *merged_modes(*along_direction(amplitudes, expansion.multiples, both_signs=asked.sense == "magnitude")),
            low, high, leave_out,
        )
        self.angles = expansion.angles
        self.fixed = np.clip(0.0, low, high)

    def boxes(self) -> tuple[Floats, Floats]:
        """The boxes that the search begins with, (b, size)."""
        at = [*self.angles], [*self.others]
        pairs = [
            tuple(np.concatenate([end[at[0]], direction, end[at[1]]])
                  for end, direction in ((self.low, of[0]), (self.high, of[1])))
            for of in self.asked.direction_boxes()
        ]
        low, high = (np.array(ends) for ends in zip(*pairs, strict=True))
        return low, high

    def bounds(self, low: Floats, high: Floats) -> Bounded:
        return self.sum.bounds(low, high)

    def values(self, points: Floats) -> Floats:
        return self.asked.value(self.states(points))

    def states(self, points: Floats) -> Floats:
        """(b, 3 n), with the best of what is taken at once."""
        states = np.tile(self.fixed, (len(points), 1))
        states[:, [*self.angles]] = points[:, : len(self.angles)]
        states[:, [*self.others]] = points[:, self.sum.angles :]
        factors = self.sum.factors(points)
        for p, k in enumerate(self.taken):
            if k >= 0:
                states[:, k] = np.where(factors[:, p] >= 0, self.high[k], self.low[k])
        return states

    def points(self, states: Floats) -> Floats:
        """(b, size) at states."""
        return np.concatenate([states[:, [*self.angles]], self.asked.direction(states), states[:, [*self.others]]], axis=1)

    def climb(self, point: Floats) -> Floats:
        """The point after a local search in the box."""
        lows, highs = self.boxes()
        low, high = lows.min(axis=0), highs.max(axis=0)
        fixed = lows.shape[0] > 1
        if fixed:  # the sign stays
            k = len(self.angles)
            low[k] = high[k] = point[k]

        def downhill(x: Floats) -> tuple[float, Floats]:
            here = self.sum.bounds(x[None], x[None])
            return -float(here.upper[0]), -here.slope[0]

        result = minimize(downhill, point, jac=True, method="L-BFGS-B", bounds=list(zip(low, high, strict=True)),
                          options={"maxiter": 200, "ftol": 1e-15, "gtol": 1e-12})
        climbed: Floats = np.clip(result.x, low, high)
        return climbed


def worst_case(
    robot: RobotQuantities,
    *what: str | tuple[str, str],
    over: Box | Mapping[str, object] | None = None,
    sense: Sense | None = None,
    tolerance: float = 1e-3,
    seconds: float = 60.0,
) -> WorstCase:
    """The largest value of a load over a box of states, the state that attains it, and a bound on all states.
    """
    name, quantity = _names(what)
    refuse_unbounded(robot)
    asked = _Asked(robot, name, quantity, sense)
    low, high = Box.read(over, robot).of(robot)
    n = robot.n
    sampler = qmc.Sobol(3 * n, seed=1)
    samples = low + (high - low) * sampler.random(SAMPLES)
    values = asked.value(samples)
    expansion = expanded(asked.parts, n, [a for j in robot.joints for a in j.motion.angular], low, high)
    best = float(values.max())
    series = _BySeries(asked, expansion, low, high, 0.05 * tolerance * best)
    starts = series.points(samples[np.argsort(-values)[:STARTS]])
    starts = np.concatenate([starts, [series.climb(start) for start in starts]])
    found = maximize(series, *series.boxes(), start=starts, tolerance=tolerance, seconds=seconds, least=1e-9,
                     climb=series.climb)
    state = series.states(found.point[None])[0]
    sign = -1.0 if asked.sense == "min" else 1.0
    return WorstCase(name, quantity, asked.sense, sign * found.value, sign * found.bound, tolerance, found.certified,
                     state[:n], state[n : 2 * n], state[2 * n :], sign * best, SAMPLES, found.boxes, found.seconds,
                     unit_of(robot, name, quantity), robot.dof_names)


def _names(what: tuple[str | tuple[str, str], ...]) -> tuple[str, str]:
    parts = what[0] if len(what) == 1 and isinstance(what[0], tuple) else what
    if len(parts) != 2 or not all(isinstance(part, str) for part in parts):
        raise ValueError(f"worst_case is of a name and a quantity, like 'joint2', 'tilting_moment', not {what!r}")
    return str(parts[0]), str(parts[1])
