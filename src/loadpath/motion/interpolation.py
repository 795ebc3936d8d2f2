"""Motions between samples: in each interval the polynomial of degree five that has the position, speed and
acceleration of both its ends. Two derivatives are continuous; every sample is met exactly. Where the samples say that
the acceleration jumped in an interval, as in a trapezoidal profile, it jumps.
"""

from __future__ import annotations

import numpy as np

from loadpath.motion.layout import Layout
from loadpath.motion.rates import coordinate_rates, of_unit_quaternion, speeds
from loadpath.scalars.types import Floats

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
    (p0, v0, a0), (p1, v1, a1) = begin, end
    s, h = s[:, None], h[:, None]
    # What is left once the parabola of the beginning is taken off: three conditions for c3, c4, c5.
    position = p1 - p0 - h * v0 - h**2 * a0 / 2
    speed = h * (v1 - v0 - h * a0)
    bend = h**2 * (a1 - a0)
    c3 = 10 * position - 4 * speed + bend / 2
    c4 = -15 * position + 7 * speed - bend
    c5 = 6 * position - 3 * speed + bend / 2
    value = p0 + s * (h * v0 + s * (h**2 * a0 / 2 + s * (c3 + s * (c4 + s * c5))))
    first = v0 + s * (h * a0 + s * (3 * c3 + s * (4 * c4 + s * 5 * c5)) / h)
    second = a0 + s * (6 * c3 + s * (12 * c4 + s * 20 * c5)) / h**2
    return value, first, second


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
