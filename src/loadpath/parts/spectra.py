"""Load spectra of the joints of a robot over a motion: `robot.load_spectra(motion)`.

Components of the joints come block by block; turning points and histograms are kept, so that a million samples fit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import ArrayLike

from loadpath.loads.resultants import RESULTANTS, axes_of, resultants
from loadpath.motion import DutySpectrum
from loadpath.parts.verdict.duties import Duty, duties_of
from loadpath.printable import printable
from loadpath.quantities.load_keywords import DriveLoadKeywords, takes_loads
from loadpath.quantities.wrench import COMPONENTS
from loadpath.robot.numbers import known as known_name
from loadpath.scalars.types import Floats
from loadpath.states import StatesLike
from loadpath.states.batch import time_weights
from loadpath.states.unknown import not_finite
from loadpath.structure.fatigue.damage import TurningPoints
from loadpath.tables import data_frame, write_table

if TYPE_CHECKING:
    from pandas import DataFrame

    from loadpath.quantities.table import RobotQuantities


# Cycles and time at level of one series: `lp.rainflow`, `lp.time_at_level`.


class RainflowCycles(NamedTuple):
    """Cycles of a series: (cycles,) each, ranges from the largest to the smallest.

    >>> rainflow([0.0, 2.0, 1.0, 3.0, 0.0]).ranges.tolist()
    [3.0, 1.0]
    """

    ranges: Floats
    """From valley to peak."""
    means: Floats
    counts: Floats
    """1 for closed cycles, 0.5 for half cycles."""


def rainflow(series: ArrayLike) -> RainflowCycles:
    """Cycles of a series that happens once, counted by ASTM E1049-85, section 5.4.4: closed ones count 1, the ranges of
    what is left count 0.5. Equal cycles stand in one row.

    >>> found = rainflow([-2, 1, -3, 5, -1, 3, -4, 4, -2])                       # the example of the standard, figure 6
    >>> [(float(r), float(n)) for r, n in zip(found.ranges, found.counts)]
    [(9.0, 0.5), (8.0, 0.5), (8.0, 0.5), (6.0, 0.5), (4.0, 1.0), (4.0, 0.5), (3.0, 0.5)]
    """
    values = np.asarray(series, dtype=float)
    if values.ndim != 1:
        raise ValueError(f"rainflow counts one series, (samples,), and this has the shape {values.shape}")
    if not np.isfinite(values).all():
        bad = np.flatnonzero(~np.isfinite(values))
        raise ValueError(f"rainflow: {len(bad)} of {len(values)} samples are not numbers, the first is sample {bad[0]}")
    return _gathered(list(cycles_of(turning_points_of(values))))


def turning_points_of(values: Floats) -> list[float]:
    """The first sample, all peaks and valleys, the last sample."""
    seen = TurningPoints()
    seen.add(values[None])
    found = seen.histories()
    points = [] if not found else [float(x) for x in found[0]]
    return points if len(points) < 2 or points[-1] != points[-2] else points[:-1]


def cycles_of(points: Sequence[float]) -> Iterator[tuple[float, float, float]]:
    """Ranges, means and counts by the three-point rule: ASTM E1049-85, 5.4.4, steps (1) to (6)."""
    stack: list[float] = []
    for point in points:
        stack.append(point)
        while len(stack) >= 3:
            X, Y = abs(stack[-1] - stack[-2]), abs(stack[-2] - stack[-3])
            if X < Y:
                break
            if len(stack) == 3:  # Y contains the starting point: half a cycle
                yield Y, 0.5 * (stack[0] + stack[1]), 0.5
                stack.pop(0)
            else:
                yield Y, 0.5 * (stack[-3] + stack[-2]), 1.0
                del stack[-3:-1]
    for first, second in pairwise(stack):
        if first != second:
            yield abs(second - first), 0.5 * (first + second), 0.5


def _gathered(cycles: Sequence[tuple[float, float, float]]) -> RainflowCycles:
    """Equal cycles in one row, the largest first."""
    found: dict[tuple[float, float, bool], float] = {}
    for size, mean, count in cycles:
        found[size, mean, count == 1.0] = found.get((size, mean, count == 1.0), 0.0) + count
    ordered = sorted(found.items(), key=lambda pair: (-pair[0][0], not pair[0][2], pair[0][1]))
    rows = np.array([(size, mean, count) for (size, mean, _), count in ordered], dtype=float).reshape(-1, 3)
    return RainflowCycles(rows[:, 0], rows[:, 1], rows[:, 2])


def time_at_level(series: ArrayLike, t: ArrayLike | None, levels: ArrayLike) -> Floats:
    """(levels - 1,): time (s) that a series spends between each level and the next, of samples at the times `t` (s),
    each of which counts for half of the steps beside it; without times, shares of the samples. A level belongs to the
    class above it, the last one to the class below it. Values beyond the levels count nowhere.

    >>> time_at_level([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 2.0, 3.0], [0, 1.5, 3]).tolist()
    [1.5, 1.5]
    """
    values, edges = np.asarray(series, dtype=float), np.asarray(levels, dtype=float)
    if values.ndim != 1:
        raise ValueError(f"time_at_level takes one series, (samples,), and this has the shape {values.shape}")
    if edges.ndim != 1 or len(edges) < 2 or not (np.diff(edges) > 0).all():
        raise ValueError(f"levels are {levels!r}: expected two or more rising numbers")
    if not np.isfinite(values).all():
        raise ValueError(f"time_at_level: {np.count_nonzero(~np.isfinite(values))} samples are not numbers")
    if t is None:
        weights = np.full(len(values), 1 / max(len(values), 1))
    else:
        times = np.asarray(t, dtype=float)
        if times.shape != values.shape:
            raise ValueError(f"t has the shape {times.shape}: expected {values.shape}, a time for each sample")
        if not (np.diff(times) > 0).all():
            raise ValueError("t does not rise everywhere: expected rising times in s")
        span = float(times[-1] - times[0]) if len(times) > 1 else 1.0
        weights = time_weights(times) * span
    return np.histogram(values, edges, weights=weights)[0]


QUANTITIES = (*COMPONENTS, *RESULTANTS, "drive")


@dataclass(frozen=True, eq=False)
class LoadSpectrum:
    """One quantity of one joint over all motions."""

    joint: str
    quantity: str
    cycles: RainflowCycles
    """Counts are those of one pass through each motion, times `repeats` of a spectrum."""
    levels: Floats
    """(classes + 1,): rising."""
    shares: Floats
    """(classes,): of all time, in each class; they sum to one."""


@dataclass(frozen=True, eq=False, repr=False)
class LoadSpectra:
    """Spectra of joints over a motion: `spectra["joint2", "tilting_moment"]`; as CSV, `to_csv` and `cycles_to_csv`.

    >>> import loadpath as lp
    >>> lp.catalog.planar(2).load_spectra(([0, 0], [0, 0], [0, 0]), quantities=["force"])
    <3 load spectra: joint1, joint2, tip_joint>
    """

    spectra: tuple[LoadSpectrum, ...]

    def __iter__(self) -> Iterator[LoadSpectrum]:
        return iter(self.spectra)

    def __len__(self) -> int:
        return len(self.spectra)

    def __getitem__(self, key: tuple[str, str]) -> LoadSpectrum:
        for one in self.spectra:
            if (one.joint, one.quantity) == key:
                return one
        joints = ", ".join(dict.fromkeys(one.joint for one in self.spectra))
        quantities = ", ".join(dict.fromkeys(one.quantity for one in self.spectra))
        raise ValueError(f"no spectrum {key!r}: there are the joints {joints} and the quantities {quantities}")

    def __repr__(self) -> str:
        return printable(f"<{len(self)} load spectra: {', '.join(dict.fromkeys(one.joint for one in self.spectra))}>")

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {"joint": one.joint, "quantity": one.quantity, "from": low, "to": high, "share": share}
            for one in self.spectra
            for low, high, share in zip(one.levels[:-1].tolist(), one.levels[1:].tolist(), one.shares.tolist(),
                                        strict=True)
        ]

    def to_dataframe(self) -> DataFrame:
        """Time at level: a row for each class of each spectrum."""
        return data_frame(self._rows())

    def to_csv(self, path: str | PathLike[str]) -> Path:
        """The same as a CSV file: joint, quantity, from, to (N or N m), share of the time."""
        return write_table(path, ("joint", "quantity", "from", "to", "share"), self._rows())

    def cycles_to_csv(self, path: str | PathLike[str]) -> Path:
        """Rainflow cycles as a CSV file: joint, quantity, range, mean (N or N m), count."""
        rows = [
            {"joint": one.joint, "quantity": one.quantity, "range": size, "mean": mean, "count": count}
            for one in self.spectra
            for size, mean, count in zip(*(part.tolist() for part in one.cycles), strict=True)
        ]
        return write_table(path, ("joint", "quantity", "range", "mean", "count"), rows)


@takes_loads
def load_spectra(
    robot: RobotQuantities,
    motion: StatesLike | DutySpectrum,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    joints: Sequence[str] | None = None,
    quantities: Sequence[str] = ("radial_force", "axial_force", "tilting_moment"),
    classes: int = 32,
    **acting: Unpack[DriveLoadKeywords],
) -> LoadSpectra:
    """Rainflow cycles and time at level of the loads of joints over a motion, or a spectrum of motions.

    `quantities` are components ("force_x" ... "torque_z"), resultants ("axial_force", "radial_force", "axial_torque",
    "tilting_moment", "force", "torque") or "drive"; of `joints`, or of all for which they are known. Levels are
    `classes` equal steps from the smallest to the largest value. Cycles are counted in each motion once through (ASTM
    E1049-85) and weighed by how often it comes in one pass of the spectrum. The other arguments are as in `peak_loads`.

    >>> import loadpath as lp
    >>> arm = lp.catalog.panda()
    >>> spectra = arm.load_spectra(lp.Motion.swing(arm), joints=["panda_joint2"])
    >>> float(spectra["panda_joint2", "tilting_moment"].shares.sum().round(9))
    1.0
    """
    if isinstance(classes, bool) or not isinstance(classes, int) or classes < 1:
        raise ValueError(f"classes is {classes!r}: expected a number of classes, 1 or more")
    for name in (quantities := [quantities] if isinstance(quantities, str) else list(quantities)):
        known_name(name, QUANTITIES, "quantity")
    case = acting["under"]
    duties = duties_of(robot, "load_spectra", motion, qd, qdd, case)
    repeats = getattr(motion, "repeats", None) or (1.0,) * len(duties)
    asked = _asked(robot, joints, quantities)
    low, high, turns = _turning(robot, duties, asked)
    shares = _shares(robot, duties, asked, low, high, classes)
    made = []
    for k, (joint, quantity) in enumerate(asked):
        cycles = [(size, mean, count * repeat) for points, repeat in zip(turns, repeats, strict=True)
                  for size, mean, count in cycles_of(points[k])]
        made.append(LoadSpectrum(joint, quantity, _weighed(cycles), _levels(low[k], high[k], classes), shares[k]))
    return LoadSpectra(tuple(made))


def _asked(robot: RobotQuantities, joints: Sequence[str] | None, quantities: Sequence[str]) -> list[tuple[str, str]]:
    """Joint and quantity of each series that there is."""
    every = robot.closed_joint_names
    if isinstance(joints, str):
        joints = (joints,)
    names = every if joints is None else [known_name(name, every, "joint") for name in joints]
    axes = dict(zip(every, np.atleast_1d(~np.isnan(axes_of(robot)).any(axis=-1)), strict=True))
    found = []
    for name in names:
        for quantity in quantities:
            if quantity == "drive":
                there = name in robot.dof_names
            else:
                there = quantity in (*COMPONENTS, "force", "torque") or bool(axes[name])
            if there:
                found.append((name, quantity))
            elif joints is not None:
                raise ValueError(f"joint '{name}' has no {quantity.replace('_', ' ')}: it has no single axis, or no "
                                 "drive of one freedom")
    if not found:
        raise ValueError(f"no joint of robot '{robot.name}' has {' or '.join(quantities)}")
    return found


def _series(robot: RobotQuantities, duty: Duty, asked: Sequence[tuple[str, str]]) -> Iterator[tuple[Floats, Floats]]:
    """Values (states, series) and weights (states,) of the states of a motion that are numbers, block by block."""
    every = robot.closed_joint_names
    columns = [every.index(joint) for joint, _ in asked]
    axes = axes_of(robot)[columns]
    for block in duty.blocks():
        found = robot.joint_wrenches(*block.arrays, **block.case.keywords)
        force, torque = np.asarray(found.force)[:, columns], np.asarray(found.torque)[:, columns]
        six = np.concatenate([force, torque], axis=-1)
        across = resultants(axes, force, torque)
        tau = np.asarray(robot.inverse_dynamics(*block.arrays, **block.case.keywords))
        values = np.stack([
            tau[:, robot.dof_names.index(joint)] if quantity == "drive"
            else six[:, k, COMPONENTS.index(quantity)] if quantity in COMPONENTS
            else across[:, k, RESULTANTS.index(quantity)]
            for k, (joint, quantity) in enumerate(asked)
        ], axis=-1)
        bad = not_finite(values)
        if bad.any():
            raise ValueError(f"load_spectra: {int(bad.sum())} states are not numbers, the first is "
                             f"{duty.states.where(block.first + int(np.flatnonzero(bad)[0]))}")
        yield values, block.weight


def _turning(
    robot: RobotQuantities, duties: tuple[Duty, ...], asked: Sequence[tuple[str, str]]
) -> tuple[Floats, Floats, list[list[list[float]]]]:
    """Smallest and largest value of each series, and of each motion the turning points."""
    low, high = np.full(len(asked), np.inf), np.full(len(asked), -np.inf)
    turns = []
    for duty in duties:
        seen = TurningPoints()
        for values, _ in _series(robot, duty, asked):
            seen.add(np.ascontiguousarray(values.T))
            low, high = np.minimum(low, values.min(axis=0)), np.maximum(high, values.max(axis=0))
        turns.append([[float(x) for x in row] for row in seen.histories()])
    return low, high, turns


def _levels(low: float, high: float, classes: int) -> Floats:
    """Equal steps; of a series that does not change, a step about it."""
    if not high > low:
        half = max(1e-9, 1e-9 * abs(low))
        low, high = low - half, high + half
    return np.linspace(low, high, classes + 1)


def _shares(
    robot: RobotQuantities,
    duties: tuple[Duty, ...],
    asked: Sequence[tuple[str, str]],
    low: Floats,
    high: Floats,
    classes: int,
) -> Floats:
    """(series, classes): share of all time in each class."""
    found = np.zeros((len(asked), classes))
    edges = [_levels(low[k], high[k], classes) for k in range(len(asked))]
    for duty in duties:
        for values, weight in _series(robot, duty, asked):
            for k, levels in enumerate(edges):
                found[k] += np.histogram(values[:, k], levels, weights=weight)[0]
    return found


def _weighed(cycles: Sequence[tuple[float, float, float]]) -> RainflowCycles:
    """Cycles with any counts, the largest first."""
    rows = np.array(sorted(cycles, key=lambda row: -row[0]), dtype=float).reshape(-1, 3)
    return RainflowCycles(rows[:, 0], rows[:, 1], rows[:, 2])
