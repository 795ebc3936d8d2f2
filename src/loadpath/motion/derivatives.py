"""Speeds and accelerations from sampled positions, and how far they can be trusted.

A spline of degree five goes through the samples; its derivatives are exact for polynomials up to that degree and
otherwise off by a power of the sample interval. The error is estimated from a second spline through every other
sample: where the two differ, the samples are too few or too noisy to be differentiated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from loadpath.motion.layout import Layout
from loadpath.motion.rates import of_unit_quaternion, same_side, speeds
from loadpath.scalars.types import Floats, Ints

Coarse: TypeAlias = tuple[Ints, tuple[Floats, ...]]
"""Numbers of some samples, and rates at these."""

DEGREE = 5
FEWEST = 3
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
    return None if len(rows) < FEWEST else (rows, rates(rows))


def _with_errors(fine: Floats, coarse: Coarse | None, part: int) -> Derived:
    if coarse is None:
        return Derived(fine, np.full(fine.shape[1], np.inf))
    rows, values = coarse
    return Derived(fine, np.abs(fine[rows] - values[part]).max(axis=0))
