"""The largest load that a robot meets anywhere in a box of states, and a bound that no state of the box exceeds:
`robot.worst_case("joint2", "tilting_moment", over=...)`.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np

from loadpath.bounds.box import Box, refuse_unbounded
from loadpath.bounds.branch_and_bound import Bounded, maximize
from loadpath.bounds.harmonics import Expansion, Harmonics, along_direction, expanded, harmonics, merged_modes
from loadpath.bounds.intervals import UnboundedOperationError
from loadpath.bounds.mean_value import MeanValue
from loadpath.engine.arguments import Variant
from loadpath.engine.quantity import compiled_line
from loadpath.errors import ModelError
from loadpath.loads.resultants import RESULTANTS, unit_of
from loadpath.printable import printable
from loadpath.quantities.carriers import is_closed
from loadpath.quantities.load_keywords import LoadKeywords, takes_loads
from loadpath.quantities.wrench import COMPONENTS
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import known
from loadpath.scalars import array, cos, sin
from loadpath.scalars.recording import Recorded
from loadpath.scalars.types import Floats
from loadpath.states import LoadCase
from loadpath.tables import Table

if TYPE_CHECKING:
    from loadpath.quantities.table import RobotQuantities

Sense = Literal["magnitude", "max", "min"]
DRIVE = "drive"
SAMPLES = 4096
MOST_COSINES, COARSE = 1000, 200.0
"""With more cosines, so many times as much is left out of the sum: a hundredth of the value at a tolerance of 0.001."""
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
        title = (f"{self.quantity.replace('_', ' ')} of '{printable(self.name)}', {word}: {self.value:.6g} "
                 f"{self.unit}; {self._verdict()} ({self.boxes} boxes, {self.seconds:.2g} s; best of {self.samples} "
                 f"samples: {self.largest_sample:.6g})")
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

    def __init__(
        self, robot: RobotQuantities, name: str, quantity: str, sense: Sense | None, under: LoadCase | None = None
    ) -> None:
        known(quantity, (*COMPONENTS, *RESULTANTS, DRIVE), "quantity")
        self.robot, self.name, self.quantity, self.under = robot, name, quantity, under
        self.coulomb = 0.0
        """Of the drive that is asked for: times the sign of its speed."""
        self.rows = np.ones((1, 1))  # (functions, entries of what is computed)
        if quantity == DRIVE:
            self.place = robot.dof_names.index(known(name, robot.dof_names, "degree of freedom"))
            each = [f for joint in robot.joints if joint.mimic is None for f in joint.coulomb_friction]
            self.coulomb = each[self.place]
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
        if self.quantity == DRIVE:
            tau: Floats = np.asarray(self.robot.inverse_dynamics(q, qd, qdd, under=self.under))
            return tau[:, [self.place]]
        wrench = self.robot.joint_wrenches(q, qd, qdd, under=self.under)
        six = np.concatenate([wrench.force[:, self.place], wrench.torque[:, self.place]], axis=-1)
        found: Floats = six @ self.rows.T
        return found

    def smooth_parts(self, states: Floats) -> Floats:
        """The same without Coulomb friction."""
        parts = self.parts(states)
        if self.coulomb:
            parts = parts - self.coulomb * np.sign(states[:, [self.robot.n + self.place]])
        return parts

    def value(self, states: Floats) -> Floats:
        """(b,): what is to be as large as possible."""
        parts = self.parts(states)
        if self.count > 1 or self.sense == "magnitude":
            size: Floats = np.sqrt(np.einsum("bf,bf->b", parts, parts))
            return size
        return parts[:, 0] if self.sense == "max" else -parts[:, 0]

    def along(self, parts: Sequence[Any], direction: Sequence[Any]) -> Any:
        """What is to be as large as possible, of scalars of any kind: the parts along a direction."""
        if not len(direction):
            return parts[0] if self.sense != "min" else -parts[0]
        found = parts[0] * cos(direction[0])
        if self.count > 1:
            found = found + parts[1] * sin(direction[0])
        if self.count > 2:
            found = found * cos(direction[1]) + parts[2] * sin(direction[1])
        return found

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
            angles = (0.0, np.pi)[: 1 + self.directions]
            return [(np.full(self.directions, u), np.full(self.directions, u)) for u in angles]
        low, high = np.array([-np.pi, -np.pi / 2])[: self.directions], np.array([np.pi, np.pi / 2])[: self.directions]
        return [(low, high)]


class _BySeries:
    """The function that is asked for as a sum of cosines, over boxes of the variables that it has."""

    def __init__(self, asked: _Asked, expansion: Expansion, low: Floats, high: Floats, leave_out: float) -> None:
        self.asked, self.low, self.high = asked, low, high
        speed = asked.robot.n + asked.place
        self.speed = speed if asked.coulomb and (low[speed] != 0.0 or high[speed] != 0.0) else -1
        self.size = len(low)  # of a state; the sign of that speed is one more variable
        low, high = np.append(low, -1.0), np.append(high, 1.0)
        if self.speed >= 0:
            expansion = expansion.with_variable(self.size, asked.coulomb)
        if asked.sense == "min":
            expansion = replace(expansion, amplitudes=-expansion.amplitudes)
        self.sum: Harmonics
        self.sum, others, self.taken = harmonics(
            expansion,
            *merged_modes(*along_direction(expansion.amplitudes, expansion.multiples,
                                           both_signs=asked.sense == "magnitude")),
            low, high, leave_out, in_boxes={self.size},
        )
        self.angles, self.others = list(expansion.angles), list(others)
        self.fixed = np.append(np.clip(0.0, self.low, self.high), 0.0)

    def boxes(self) -> tuple[Floats, Floats]:
        """The boxes that the search begins with, (b, size)."""
        signs = [(-1.0, 1.0)]
        if self.speed >= 0:
            low, high = self.low[self.speed], self.high[self.speed]
            signs = [(s, s) for s in (1.0, -1.0) if (high if s > 0 else -low) > 0]
        ends = []
        for of_direction in self.asked.direction_boxes():
            for sign in signs:
                box = [np.append(self.low, sign[0]), np.append(self.high, sign[1])]
                if self.speed >= 0:
                    box[0 if sign[0] > 0 else 1][self.speed] *= box[0 if sign[0] > 0 else 1][self.speed] * sign[0] > 0
                ends.append([np.concatenate([end[self.angles], direction, end[self.others]])
                             for end, direction in zip(box, of_direction, strict=True)])
        found = np.array(ends)
        return found[:, 0], found[:, 1]

    def bounds(self, low: Floats, high: Floats) -> Bounded:
        return self.sum.bounds(low, high)

    def values(self, points: Floats) -> Floats:
        return self.asked.value(self.states(points))

    def states(self, points: Floats) -> Floats:
        """(b, 3 n), with the best of what is taken at once."""
        states = np.tile(self.fixed, (len(points), 1))
        states[:, self.angles] = points[:, : len(self.angles)]
        states[:, self.others] = points[:, self.sum.angles :]
        factors = self.sum.factors(points)
        for p, k in enumerate(self.taken):
            if k >= 0:
                states[:, k] = np.where(factors[:, p] >= 0, self.high[k], self.low[k])
        found: Floats = states[:, : self.size]
        return found

    def points(self, states: Floats) -> Floats:
        """(b, size) at states."""
        sign = np.sign(states[:, [self.speed]]) if self.speed >= 0 else np.zeros((len(states), 1))
        whole = np.hstack([states, sign])
        return np.concatenate([whole[:, self.angles], self.asked.direction(states), whole[:, self.others]], axis=1)

    def climb(self, point: Floats) -> Floats:
        """The point after a local search in the box where it is."""
        from scipy.optimize import minimize

        low, high = _box_of(point, *self.boxes())

        def downhill(x: Floats) -> tuple[float, Floats]:
            here = self.sum.bounds(x[None], x[None])
            return -float(here.plane[0]), -here.slope[0]

        result = minimize(downhill, np.clip(point, low, high), jac=True, method="L-BFGS-B",
                          bounds=list(zip(low, high, strict=True)),
                          options={"maxiter": 200, "ftol": 1e-15, "gtol": 1e-12})
        climbed: Floats = np.clip(result.x, low, high)
        return climbed


class _ByRanges:
    """The function that is asked for as its equations give it, over boxes of states, and of directions."""

    def __init__(self, asked: _Asked, low: Floats, high: Floats) -> None:
        self.asked, self.low, self.high = asked, low, high
        n = asked.robot.n
        quantity = compiled_line(asked.robot, "inverse_dynamics" if asked.quantity == DRIVE else "joint_wrenches")
        equations = quantity.equations(asked.robot, Variant())

        def function(x: list[Recorded]) -> Any:
            found = equations(*(array(x[k * n : (k + 1) * n]) for k in range(3)))
            if asked.quantity == DRIVE:
                parts = [found[asked.place]]
            else:
                six = [*found[0][asked.place], *found[1][asked.place]]
                parts = [sum((float(c) * part for c, part in zip(row, six, strict=True)), 0.0) for row in asked.rows]
            return asked.along(parts, x[3 * n :])

        self.mean_value = MeanValue(len(low) + asked.directions, function, self.values)
        self.bounds = self.mean_value.bounds

    def boxes(self) -> tuple[Floats, Floats]:
        """The boxes that the search begins with, (b, size)."""
        low, high = zip(*self.asked.direction_boxes(), strict=True)
        return (np.array([np.concatenate([self.low, end]) for end in low]),
                np.array([np.concatenate([self.high, end]) for end in high]))

    def values(self, points: Floats) -> Floats:
        return self.asked.value(self.states(points))

    def states(self, points: Floats) -> Floats:
        """(b, 3 n)"""
        return points[:, : len(self.low)]

    def points(self, states: Floats) -> Floats:
        """(b, size) at states."""
        return np.concatenate([states, self.asked.direction(states)], axis=1)

    def climb(self, point: Floats) -> Floats:
        """The point after a local search in the box where it is."""
        return self.mean_value.climb(point, *_box_of(point, *self.boxes()))


class _Unbounded(_ByRanges):
    """The function that is asked for where nothing bounds it: there is the local search alone, without derivatives."""

    def __init__(self, asked: _Asked, low: Floats, high: Floats) -> None:
        self.asked, self.low, self.high = asked, low, high

    def boxes(self) -> tuple[Floats, Floats]:
        return self.low[None], self.high[None]

    def points(self, states: Floats) -> Floats:
        return states

    def bounds(self, low: Floats, high: Floats) -> Bounded:
        """None."""
        unknown, none = np.full(len(low), np.inf), np.zeros_like(low)
        return Bounded(unknown, unknown, none, none, np.full_like(low, np.inf), high - low)

    def climb(self, point: Floats) -> Floats:
        """The point after a local search in the box."""
        from scipy.optimize import minimize

        result = minimize(lambda x: -float(self.values(x[None])[0]), point, method="L-BFGS-B",
                          bounds=list(zip(self.low, self.high, strict=True)))
        climbed: Floats = np.clip(result.x, self.low, self.high)
        return climbed


def _enclosure(asked: _Asked, low: Floats, high: Floats, leave_out: float) -> _BySeries | _ByRanges:
    """What bounds the function that is asked for, the sharpest that holds."""
    expansion = expanded(asked.smooth_parts, asked.robot.n, _turning(asked.robot), low, high)
    if expansion is not None:
        whole = _BySeries(asked, expansion, low, high, leave_out)
        if len(whole.sum.multiples) <= MOST_COSINES:
            return whole
        # It will not be certified in any time: fewer cosines bound more boxes.
        return _BySeries(asked, expansion, low, high, COARSE * leave_out)
    if asked.under is None or not asked.under.keywords:
        with contextlib.suppress(UnboundedOperationError):
            return _ByRanges(asked, low, high)
    return _Unbounded(asked, low, high)


def _box_of(point: Floats, lows: Floats, highs: Floats) -> tuple[Floats, Floats]:
    """The box in which a point is."""
    outside = np.maximum(lows - point, 0.0) + np.maximum(point - highs, 0.0)
    box = int(np.argmin(outside.sum(axis=1)))
    return lows[box], highs[box]


@takes_loads
def worst_case(
    robot: RobotQuantities,
    *what: str | tuple[str, str],
    over: Box | Mapping[str, object] | None = None,
    sense: Sense | None = None,
    tolerance: float = 1e-3,
    seconds: float = 60.0,
    **acting: Unpack[LoadKeywords],
) -> WorstCase:
    """The largest value of a load over a box of states, the state that attains it, and a bound that no state of the box
    exceeds: `robot.worst_case("joint2", "tilting_moment", over=...)`.

    What is asked for are the names of `peak_loads`: a joint with a component (`"torque_x"`) or a resultant
    (`"radial_force"`) of its wrench, or a degree of freedom with `"drive"`. `over` is an `lp.Box` of positions, speeds
    and accelerations, or a dict with `q`, `qd`, `qdd`; or a dict of positions by names. Positions and speeds that it
    does not name have the limits of the robot.

    `sense` is `"magnitude"`, `"max"` or `"min"`. The search ends when the bound is within `tolerance` of the value,
    relatively; then the result is `certified`. It ends without that after `seconds`, and says the gap.

    Samples come first, then local searches from the best of them, then branch and bound: see
    `loadpath.bounds.harmonics` for the bound.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(2)                                  # two rods of 1 m and 1 kg
    >>> arm.worst_case("joint1", "drive", over=lp.Box(qd=0))        # both level: 1 kg * g * (0.5 + 1.5) m
    <worst case of 'joint1': drive 19.62 N m, certified: at most 19.62 N m in every state of the box>
    """
    from scipy.stats import qmc

    name, quantity = _names(what)
    _refuse(robot)
    if not (math.isfinite(tolerance) and tolerance > 0):
        raise ValueError(f"tolerance is {tolerance}: expected a positive number like 1e-3")
    if not seconds > 0:
        raise ValueError(f"seconds is {seconds}: expected a positive number like 60")
    asked = _Asked(robot, name, quantity, sense, acting.get("under"))
    low, high = Box.read(over, robot).of(robot)
    began = time.monotonic()
    samples = low + (high - low) * qmc.Sobol(len(low), seed=1).random(SAMPLES)
    values = asked.value(samples)
    sign = -1.0 if asked.sense == "min" else 1.0
    if not np.isfinite(values).all():
        raise ValueError(f"{quantity} of '{name}' is no number in some states of the box")
    best = float(values.max())
    enclosure = _enclosure(asked, low, high, 0.05 * tolerance * abs(best))
    starts = enclosure.points(samples[np.argsort(-values)[:STARTS]])
    starts = np.concatenate([starts, [enclosure.climb(start) for start in starts]])
    left = 0.0 if isinstance(enclosure, _Unbounded) else seconds - (time.monotonic() - began)
    found = maximize(enclosure, *enclosure.boxes(), start=starts, tolerance=tolerance, seconds=left, least=1e-9,
                     climb=enclosure.climb)
    n, state = robot.n, enclosure.states(found.point[None])[0]
    return WorstCase(
        name, quantity, asked.sense, sign * found.value, sign * found.bound, tolerance, found.certified,
        state[:n], state[n : 2 * n], state[2 * n :], sign * best, SAMPLES, found.boxes, time.monotonic() - began,
        unit_of(robot, name, quantity), robot.dof_names,
    )


def _turning(robot: RobotModel) -> list[bool]:
    """Of each degree of freedom, whether its position is an angle."""
    return [turns for joint in robot.joints if joint.mimic is None for turns in joint.motion.angular]


def _refuse(robot: RobotQuantities) -> None:
    """Refuse robots whose states fill no box."""
    refuse_unbounded(robot)
    if is_closed(robot):
        raise ModelError(f"robot '{robot.name}' is closed by {', '.join(robot.closing_names)}: its states fill no box. "
                         "Ask peak_loads of states that robot.complete(q, qd, qdd) closes")


def _names(what: tuple[str | tuple[str, str], ...]) -> tuple[str, str]:
    parts = what[0] if len(what) == 1 and isinstance(what[0], tuple) else what
    if len(parts) != 2 or not all(isinstance(part, str) for part in parts):
        raise ValueError(f"worst_case is of a name and a quantity, like 'joint2', 'tilting_moment', not {what!r}")
    return str(parts[0]), str(parts[1])
