"""Noise of samples, seen from their differences: what remains of a smooth motion gets smaller from difference to
difference, noise does not. Nor do the jumps of a rate, as in a trapezoidal profile; but these are larger between
samples that are further apart, and noise is not. Where there are both, jumps are in few of the differences, and noise
is in all: medians tell.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from loadpath.motion.layout import Layout, units_of
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Bools, Floats

LOW, HIGH = 4, 6
"""Orders of the differences that are compared."""
LASTING = 0.6
"""Share of the estimate by the lower differences that remains by the higher ones if it is noise."""

SCATTER = 8.0
"""Over the root of the number of samples: by how much, relatively, noise may seem larger in every other sample."""
FAR_GROWTH = 2.5
"""How many times as large jumps are at least in every fourth sample; noise that was rounded may grow a little too."""
MEDIAN = 1.4826
"""Standard deviations of a normal distribution in the median of its absolute values."""


class Noise(NamedTuple):
    """Standard deviation of the noise of each column, whether there is noise, and whether its rates jump."""

    size: Floats
    there: Bools
    jumps: Bools


def noise_of(t: Floats, values: Floats) -> Noise:
    """Noise of samples (samples, columns).

    >>> t = np.linspace(0, 1, 200)
    >>> dirty = np.sin(3 * t) + np.random.default_rng(0).normal(0, 1e-3, 200)
    >>> found = noise_of(t, np.column_stack([dirty, np.sin(3 * t)]))
    >>> found.size[0].round(4), found.there.tolist()
    (np.float64(0.001), [True, False])
    >>> bends = np.column_stack([np.abs(t - 0.5) * (t - 0.5)])         # its second rate jumps
    >>> noise_of(t, bends).there.tolist(), noise_of(t, bends).jumps.tolist()
    ([False], [True])
    """
    columns = values.shape[1]
    if len(t) < 4 * HIGH:
        return Noise(np.zeros(columns), np.zeros(columns, dtype=bool), np.zeros(columns, dtype=bool))
    low, high = (_by_differences(t, values, order) for order in (LOW, HIGH))
    rounding = 1e-14 * np.abs(values).max(axis=0)
    lasting = (high > LASTING * low) & (high > rounding)
    growing = _in_every(2, t, values) > (1 + SCATTER / math.sqrt(len(t))) * high
    if len(t) >= 16 * HIGH:
        growing &= _in_every(4, t, values) > FAR_GROWTH * high
    jumps, there = lasting & growing, lasting & ~growing
    if jumps.any():
        low, between = (_by_differences(t, values[:, jumps], order, typical=True) for order in (LOW, HIGH))
        there[jumps] = (between > LASTING * low) & (between > rounding[jumps])
        high[jumps] = np.where(there[jumps], between, high[jumps])
    return Noise(high, there, jumps)


def _in_every(stride: int, t: Floats, values: Floats) -> Floats:
    """What the noise would be by the differences of samples that are further apart."""
    parts = [_by_differences(t[k::stride], values[k::stride], HIGH) for k in range(stride)]
    size: Floats = np.sqrt(np.mean(np.square(parts), axis=0))
    return size


def _by_differences(t: Floats, values: Floats, order: int, typical: bool = False) -> Floats:
    """Standard deviation of white noise with divided differences of that size; time steps may be uneven. A `typical`
    one is by the median of those that are not zero, as rounded samples of a robot at rest are.
    """
    rows = len(t) - order
    ends = [t[k : k + rows] for k in range(order + 1)]
    span = ends[-1] - ends[0]
    shares = np.empty((order + 1, rows))
    for k in range(order + 1):
        apart = np.ones(rows)
        for j in range(order + 1):
            if j != k:
                apart *= (ends[k] - ends[j]) / span
        shares[k] = 1 / apart
    shares /= np.sqrt(np.square(shares).sum(axis=0))
    differences = sum(shares[k, :, None] * values[k : k + rows] for k in range(order + 1))
    if typical:
        return np.array([MEDIAN * float(np.median(d[d > 0])) if d.any() else 0.0 for d in np.abs(differences).T])
    size: Floats = np.sqrt(np.mean(np.square(differences), axis=0))
    return size


# Angles that are kept within one turn: where such a joint passes half a turn, its angle jumps by a whole one.


TURN = 2 * math.pi
LEAST_TURN = 0.75
"""Part of a turn that a joint must jump from one sample to the next, to be the jump of an angle and not a motion."""
USUAL = 0.1
"""Part of a turn below which its other steps are, most of them."""
GAP = 5.0
"""Usual times between samples, after which it is not known what happened in between."""
NEAR_LIMIT = 1e-3
"""Turns by which a joint may be outside of its limits."""


def jumps_by_turns(t: Floats, q: Floats) -> Floats:
    """Turns, plus or minus one, by which angles (samples, columns) jump from one sample to the next.

    >>> jumps_by_turns(np.arange(6.0), np.array([[3.0], [3.1], [-3.1], [-3.0], [-3.1], [3.1]])).ravel().tolist()
    [0.0, -1.0, 0.0, 0.0, 1.0]
    """
    steps, lengths = np.diff(q, axis=0), np.diff(t)[:, None]
    quiet = np.median(np.abs(steps), axis=0, keepdims=True) < USUAL * TURN
    soon = lengths < GAP * np.median(lengths)  # in a time without samples it may well have turned
    sure = (np.abs(steps) > LEAST_TURN * TURN) & (np.abs(steps) < (2 - LEAST_TURN) * TURN)
    turns: Floats = np.where(sure & quiet & soon, np.sign(steps), 0.0)
    return turns


def without_turns(
    t: Floats, q: Floats, robot: RobotModel, layout: Layout, place: Callable[[int], str]
) -> tuple[Floats, list[str]]:
    """Coordinates whose angles do not jump, within the limits of their joints where whole turns lead there, and a
    sentence for each that did.
    """
    units = units_of(robot)
    angles = [k for k, name in enumerate(layout.coordinate_names) if units.get(name) == "rad"]
    jumps = jumps_by_turns(t, q[:, angles]) if len(t) > 1 else np.zeros((0, len(angles)))
    if not jumps.any():
        return q, []
    q, said = q.copy(), []
    for column, of in zip(angles, jumps.T, strict=True):
        places = np.flatnonzero(of)
        if places.size:
            q[1:, column] -= TURN * np.cumsum(of)
            name = layout.coordinate_names[column]
            q[:, column] += TURN * _shift(robot, name, q[:, column])
            more = f" and {places.size - 1} other places" if places.size > 1 else ""
            said.append(f"{place(int(places[0]) + 1)}{more}: the angle of '{name}' jumps by a turn, as angles do that "
                        "are kept within one; it was made continuous")
    return q, said


def _shift(robot: RobotModel, name: str, angles: Floats) -> float:
    """Whole turns after which angles are within the limits of their joint; zero where none are."""
    limits = next((joint.limits[0] for joint in robot.joints if joint.name == name and joint.motion.dof == 1), None)
    if limits is None:
        return 0.0
    fewest = (limits.lower - float(angles.min())) / TURN
    most = (limits.upper - float(angles.max())) / TURN
    low = math.ceil(fewest - NEAR_LIMIT) if fewest > -math.inf else -math.inf
    high = math.floor(most + NEAR_LIMIT) if most < math.inf else math.inf
    return float(min(max(0.0, low), high)) if low <= high else 0.0
