"""Motions between samples: in each interval the polynomial of degree five that has the position, speed and
acceleration of both its ends. Two derivatives are continuous; every sample is met exactly.
"""

from __future__ import annotations

import numpy as np

from loadpath.motion.layout import Layout
from loadpath.motion.rates import coordinate_rates, of_unit_quaternion, speeds
from loadpath.scalars.types import Floats


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
    k = np.clip(np.searchsorted(t, times, side="right") - 1, 0, len(t) - 2)
    h = t[k + 1] - t[k]
    begin, end = ((states[0][i], states[1][i], states[2][i]) for i in (k, k + 1))
    return within_intervals(layout, (times - t[k]) / h, h, begin, end)


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
