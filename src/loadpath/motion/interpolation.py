"""Motions between samples: in each interval the polynomial of degree five that has the position, speed and
acceleration of both its ends. Two derivatives are continuous; every sample is met exactly. Where the samples say that
the acceleration jumped in an interval, as in a trapezoidal profile, it jumps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from loadpath.motion.layout import Layout
from loadpath.robot.joints import JointType
from loadpath.scalars import array
from loadpath.scalars.dual import Dual, partial_of
from loadpath.scalars.types import Floats, Ints

# Between the coordinates of a joint as functions of time and its speeds, which differ where there is a quaternion.
#
# A joint says how its speeds move its coordinates, dq/dt = E(q) qd. Here that is solved for the speeds, and
# differentiated once more for the accelerations; the joint's own equation is all that is used of it. States are rows.


def coordinate_rates(motion: JointType, q: Floats, qd: Floats, qdd: Floats) -> tuple[Floats, Floats]:
    """First and second derivative by time of a joint's coordinates (states, coordinates)."""
    rate = _rate(motion, q, qd)
    return rate, _rate_of_rate(motion, q, rate, qd, qdd)


def speeds(motion: JointType, q: Floats, rate: Floats, second: Floats) -> tuple[Floats, Floats]:
    """Speeds and accelerations of a joint from the derivatives of its coordinates, whose quaternions must be units
    (`of_unit_quaternion`).
    """
    columns = np.stack([_rate(motion, q, np.broadcast_to(e, (len(q), motion.dof))) for e in np.eye(motion.dof)], -1)
    transposed = columns.swapaxes(-1, -2)
    normal = transposed @ columns

    def solved(right: Floats) -> Floats:
        return np.asarray(np.linalg.solve(normal, transposed @ right[..., None])[..., 0], dtype=float)

    qd = solved(rate)
    return qd, solved(second - _rate_of_rate(motion, q, _rate(motion, q, qd), qd, np.zeros_like(qd)))


def of_unit_quaternion(q: Floats, rate: Floats, second: Floats) -> tuple[Floats, Floats, Floats]:
    """A quaternion over time (the last four columns) and its derivatives, made a unit quaternion at every time.

    The second derivative lacks its part along the quaternion, which only keeps the length: `speeds` does not see it.
    """
    length = np.linalg.norm(q[:, -4:], axis=1, keepdims=True)
    unit, first, twice = q[:, -4:] / length, rate[:, -4:] / length, second[:, -4:] / length
    growth = (unit * first).sum(axis=1, keepdims=True)  # rate of the length, as a share of it
    parts = ((q, unit), (rate, first - growth * unit), (second, twice - 2 * growth * first))
    made = (np.concatenate([all_columns[:, :-4], four], axis=1) for all_columns, four in parts)
    unit_q, unit_rate, unit_second = made
    return unit_q, unit_rate, unit_second


def same_side(quaternions: Floats) -> Floats:
    """Quaternions over time with signs chosen so that neighbours are near: q and -q are the same rotation."""
    flips = np.where((quaternions[1:] * quaternions[:-1]).sum(axis=1) < 0, -1.0, 1.0)
    signs: Floats = np.concatenate([[1.0], np.cumprod(flips)])
    result: Floats = quaternions * signs[:, None]
    return result


def moved(motion: JointType, q: Floats, v: Floats) -> Floats:
    """Coordinates after one unit of time at constant speeds v."""
    return _rows(motion.moved(array(list(q.T)), array(list(v.T))), len(q))


def displacement(motion: JointType, q: Floats, to: Floats) -> Floats:
    """Constant speeds that lead from q to other coordinates in one unit of time."""
    return _rows(motion.displacement(array(list(q.T)), array(list(to.T))), len(q))


def _rate(motion: JointType, q: Floats, qd: Floats) -> Floats:
    return _rows(motion.coordinate_rate(array(list(q.T)), array(list(qd.T))), len(q))


def _rate_of_rate(motion: JointType, q: Floats, rate: Floats, qd: Floats, qdd: Floats) -> Floats:
    """Derivative by time of E(q) qd."""
    coordinates = array([Dual(value, {0: slope}) for value, slope in zip(q.T, rate.T, strict=True)])
    velocities = array([Dual(value, {0: slope}) for value, slope in zip(qd.T, qdd.T, strict=True)])
    return _rows([partial_of(x, 0) for x in motion.coordinate_rate(coordinates, velocities)], len(q))


def _rows(columns: object, count: int) -> Floats:
    return np.stack([np.broadcast_to(np.asarray(column, dtype=float), (count,)) for column in columns], axis=1)  # type: ignore[attr-defined]


JUMP = 1e-6
"""By how much a jump may miss the end of an interval, as a part of jump times length squared. An acceleration that
changes evenly misses it by 1 / 24; others might come close by chance.
"""
BLOCK = 2**15
"""Times that are computed at once: the steps in between take many times the memory of the result."""
DIGITS = 1e-9
"""The least jump times length squared that is believed, as a part of the position: below, positions are rounded."""


def quintic_between(
    s: Floats, h: Floats, begin: tuple[Floats, Floats, Floats], end: tuple[Floats, Floats, Floats]
) -> tuple[Floats, Floats, Floats]:
    """Value and two derivatives at the fractions s (0 to 1) of intervals of lengths h, whose ends have these.

    SciPy's `BPoly.from_derivatives` gives the same polynomials, but sets them up one interval after the other in
    Python: 20 times slower for as many times as samples, and several hundred times for a few.
    """
    (p0, v0, a0), s, h = begin, s[:, None], h[:, None]
    c3, c4, c5 = upper_coefficients(h, begin, end)
    value = p0 + s * (h * v0 + s * (h**2 * a0 / 2 + s * (c3 + s * (c4 + s * c5))))
    first = v0 + s * (h * a0 + s * (3 * c3 + s * (4 * c4 + s * 5 * c5)) / h)
    second = a0 + s * (6 * c3 + s * (12 * c4 + s * 20 * c5)) / h**2
    return value, first, second


def upper_coefficients(
    h: Floats | float, begin: tuple[Floats, Floats, Floats], end: tuple[Floats, Floats, Floats]
) -> tuple[Floats, Floats, Floats]:
    """Of s^3, s^4 and s^5 in the quintic of `quintic_between`; those below follow from its beginning alone."""
    (p0, v0, a0), (p1, v1, a1) = begin, end
    # What is left once the parabola of the beginning is taken off: three conditions for c3, c4, c5.
    position = p1 - p0 - h * v0 - h**2 * a0 / 2
    speed = h * (v1 - v0 - h * a0)
    bend = h**2 * (a1 - a0)
    return (10 * position - 4 * speed + bend / 2, -15 * position + 7 * speed - bend,
            6 * position - 3 * speed + bend / 2)


def at_times(
    layout: Layout, t: Floats, states: tuple[Floats, Floats, Floats], times: Floats
) -> tuple[Floats, Floats, Floats]:
    """Coordinates, speeds and accelerations at other times within t."""
    found = np.empty((len(times), layout.nq)), np.empty((len(times), layout.n)), np.empty((len(times), layout.n))
    for first in range(0, len(times), BLOCK):
        rows = slice(first, first + BLOCK)
        for part, values in zip(found, _at_times(layout, t, states, times[rows]), strict=True):
            part[rows] = values
    return found


def _at_times(
    layout: Layout, t: Floats, states: tuple[Floats, Floats, Floats], times: Floats
) -> tuple[Floats, Floats, Floats]:
    k = np.clip(np.searchsorted(t, times, side="right") - 1, 0, len(t) - 2)
    h = t[k + 1] - t[k]
    begin, end = ((states[0][i], states[1][i], states[2][i]) for i in (k, k + 1))
    found = within_intervals(layout, (times - t[k]) / h, h, begin, end)
    if layout.plain_q.size:
        pick = layout.plain_q, layout.plain_v, layout.plain_v
        plain = [tuple(part[:, columns] for part, columns in zip(ends, pick, strict=True)) for ends in (begin, end)]
        jumped = one_jump_between((times - t[k])[:, None], h[:, None], *plain)
        for part, columns, better in zip(found, pick, jumped, strict=True):
            part[:, columns] = np.where(np.isnan(better), part[:, columns], better)
    return found


def one_jump_between(
    time: Floats, h: Floats, begin: tuple[Floats, ...], end: tuple[Floats, ...]
) -> tuple[Floats, Floats, Floats]:
    """Value and two derivatives at these times in intervals of lengths h in which the second one jumps from that of the
    beginning to that of the end, if this leads from the one to the other; else NaN. A polynomial would overshoot there.

    >>> one = lambda *numbers: tuple(np.array([[number]]) for number in numbers)
    >>> up_then_down = one(0.0, 0.0, 2.0), one(0.875, 1.0, -2.0)                     # 0.75 s and 0.25 s
    >>> [float(part[0, 0]) for part in one_jump_between(*one(0.5, 1.0), *up_then_down)]
    [0.25, 1.0, 2.0]
    """
    (p0, v0, a0), (p1, v1, a1) = begin, end
    jump = a1 - a0
    far = np.abs(jump) * h**2
    with np.errstate(invalid="ignore", divide="ignore"):
        after = (v1 - v0 - h * a0) / jump  # s: how long before the end
        missed = np.abs(p1 - p0 - h * v0 - h**2 * a0 / 2 - jump * after**2 / 2)
        inside = (after >= -JUMP * h) & (after <= (1 + JUMP) * h)  # often it is at an end
        fits = (missed <= JUMP * far) & inside & (far > DIGITS * (np.abs(p0) + np.abs(p1)))
        after = np.clip(after, 0.0, h)
        since = np.maximum(time - (h - after), 0.0)
        value = p0 + v0 * time + a0 * time**2 / 2 + jump * since**2 / 2
        first = v0 + a0 * time + jump * since
    second = np.where((time < h - after) | (time == 0), a0, a1)
    return np.where(fits, value, np.nan), np.where(fits, first, np.nan), np.where(fits, second, np.nan)


def within_intervals(
    layout: Layout,
    s: Floats,
    h: Floats,
    begin: tuple[Floats, Floats, Floats],
    end: tuple[Floats, Floats, Floats],
) -> tuple[Floats, Floats, Floats]:
    """Coordinates, speeds, accelerations at the fractions s of intervals of lengths h with these ends, a row each."""
    new_q = np.empty((len(s), layout.nq))
    new_qd, new_qdd = np.empty((len(s), layout.n)), np.empty((len(s), layout.n))
    if layout.plain_q.size:
        plain = [(q[:, layout.plain_q], qd[:, layout.plain_v], qdd[:, layout.plain_v]) for q, qd, qdd in (begin, end)]
        between = quintic_between(s, h, *plain)
        new_q[:, layout.plain_q], new_qd[:, layout.plain_v], new_qdd[:, layout.plain_v] = between
    for joint in layout.turning:
        ends: list[tuple[Floats, Floats, Floats]] = []
        for q, qd, qdd in (begin, end):
            here = q[:, joint.q]
            if ends:  # the nearer of the two quaternions of this rotation
                side = np.where((here[:, -4:] * begin[0][:, joint.q][:, -4:]).sum(axis=1) < 0, -1.0, 1.0)
                here = np.concatenate([here[:, :-4], here[:, -4:] * side[:, None]], axis=1)
            ends.append((here, *coordinate_rates(joint.motion, here, qd[:, joint.v], qdd[:, joint.v])))
        moved = of_unit_quaternion(*quintic_between(s, h, *ends))
        new_q[:, joint.q] = moved[0]
        new_qd[:, joint.v], new_qdd[:, joint.v] = speeds(joint.motion, *moved)
    return new_q, new_qd, new_qdd


# Speeds and accelerations from sampled positions, and how far they can be trusted.
#
# A spline of degree five goes through the samples; its derivatives are exact for polynomials up to that degree and
# otherwise off by a power of the sample interval. The error is estimated from a second spline through every other
# sample: where the two differ, the samples are too few or too noisy to be differentiated.


Coarse: TypeAlias = tuple[Ints, tuple[Floats, ...]]
"""Numbers of some samples, and rates at these."""

DEGREE = 5
FEWEST_DIFFERENTIATED = 3
"""Samples without which there is no second derivative."""


class Derived(NamedTuple):
    """A derivative (samples, n), and the estimate of its largest error (n,); infinite where it is not known."""

    values: Floats
    error: Floats


def derived_speeds(layout: Layout, t: Floats, q: Floats) -> tuple[Derived, Derived]:
    """Speeds and accelerations from coordinates."""
    fine = _speeds(layout, t, q)
    coarse = _coarse(t, lambda rows: _speeds(layout, t[rows], q[rows]))
    return _with_errors(fine[0], coarse, 0), _with_errors(fine[1], coarse, 1)


def derived_accelerations(t: Floats, qd: Floats) -> Derived:
    """Accelerations from speeds."""
    fine = _spline_rates(t, qd)[0]
    coarse = _coarse(t, lambda rows: _spline_rates(t[rows], qd[rows])[:1])
    return _with_errors(fine, coarse, 0)


def _speeds(layout: Layout, t: Floats, q: Floats) -> tuple[Floats, Floats]:
    qd, qdd = np.empty((len(t), layout.n)), np.empty((len(t), layout.n))
    if layout.plain_q.size:
        qd[:, layout.plain_v], qdd[:, layout.plain_v] = _spline_rates(t, q[:, layout.plain_q])
    for joint in layout.turning:
        here = q[:, joint.q].copy()
        here[:, -4:] = same_side(here[:, -4:] / np.linalg.norm(here[:, -4:], axis=1, keepdims=True))
        rate, second = _spline_rates(t, here)
        qd[:, joint.v], qdd[:, joint.v] = speeds(joint.motion, *of_unit_quaternion(here, rate, second))
    return qd, qdd


def _spline_rates(t: Floats, values: Floats) -> tuple[Floats, Floats]:
    """First and second derivative at the samples of a spline through them, of degree five if there are enough."""
    degree = min(DEGREE, len(t) - 1)
    degree -= 1 - degree % 2  # splines of even degree swing between the samples
    if degree < 2:  # two or three samples: one parabola, or a straight line
        degree = len(t) - 1
    from scipy.interpolate import make_interp_spline  # slow to import, and not everyone needs it

    spline = make_interp_spline(t, values, k=degree)
    return spline(t, 1), (spline(t, 2) if degree > 1 else np.zeros_like(values))


def _coarse(t: Floats, rates: Callable[[Ints], tuple[Floats, ...]]) -> Coarse | None:
    """The numbers of every second sample, and the rates that follow from these samples alone."""
    rows = np.arange(0, len(t), 2)
    return None if len(rows) < FEWEST_DIFFERENTIATED else (rows, rates(rows))


def _with_errors(fine: Floats, coarse: Coarse | None, part: int) -> Derived:
    if coarse is None:
        return Derived(fine, np.full(fine.shape[1], np.inf))
    rows, values = coarse
    return Derived(fine, np.abs(fine[rows] - values[part]).max(axis=0))
