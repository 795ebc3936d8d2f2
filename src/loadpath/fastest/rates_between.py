"""By how much a rate of change may be above that at points of an interval: a bound, from ranges.

Along an interval with s'' = u_0 + k (s - s_0), y = s', and w = a u + b x + c,

    dw/dt = y R,    R = (a_s + 2 b) u + a k + b_s x + c_s,

and between two points it is above that of the nearer one by no more than half of their distance in p times the largest
of its derivative by p, which the second derivatives of a, b and c give. Friction adds f'(v) (q' u + q'' x).

Next to a rest s goes as v^3 of a time v that runs from 0 to 1 over T = 3 h / sqrt(x_1), and

    T dw/dt = dw/dv = a (2/3) x_1 / h + 2 a_s x_1 v^3 + 4 b x_1 v^3 + 3 b_s h x_1 v^6 + 3 c_s h v^2,

of which the first term is nearly all on such a short interval: the sum of the largest of all is the bound.
"""

from __future__ import annotations

import numpy as np

from loadpath.fastest.jets import Jet
from loadpath.fastest.loads import Course
from loadpath.fastest.rising import Rising
from loadpath.scalars.types import Floats


def rates_between(
    course: Course, state: Rising, entry: tuple[Jet, Jet, Jet], joint: int, points: int, rubs: tuple[float, float]
) -> tuple[Floats, Floats]:
    """(intervals,) each, of a load of a joint and its friction, whose first and second derivative by its speed are at
    most `rubs`: by how much the rate may be above that at even points of an interval; and what it is at most on
    intervals next to a rest.
    """
    a, b, _ = entry
    of, rise = course.geometry, state.rise
    slowness = of.arc.inverse()
    u, x = state.jets(course)
    by_s = [_derivative(part) * slowness for part in entry]
    R = by_s[0] * u + b * u * 2.0 + a * rise + by_s[1] * x + by_s[2]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        y = x.sqrt()
        half = np.diff(course.grid.p) / (points - 1) / 2
        steep, bent = rubs
        change = (y * R).largest[1]
        acceleration = of.first[joint] * u + of.second[joint] * x
        change = change + steep * acceleration.largest[1]
        if bent:
            change = change + bent * (of.first[joint] * y).largest[1] * acceleration.largest[0]
        near = half * change
        return np.where(np.isnan(near), np.inf, near), _at_rest(course, state, entry, joint, steep)


def _derivative(jet: Jet) -> Jet:
    """By p, to the first order: the second is not known, and not asked for."""
    shares = np.array([1.0, 2.0])[:, None]
    none = np.zeros_like(jet.middle[:1])
    return Jet(np.concatenate([shares * jet.middle[1:], none]), np.concatenate([shares * jet.radius[1:], none]))


def _at_rest(course: Course, state: Rising, entry: tuple[Jet, Jet, Jet], joint: int, steep: float) -> Floats:
    """(intervals,): the largest rate on those that begin or end at rest."""
    h, x = course.grid.h, state.x.max(axis=1)
    slowness = course.geometry.arc.inverse().largest[0]
    a, b, c = (part.largest for part in entry)
    a_s, b_s, c_s = (part[1] * slowness for part in (a, b, c))
    by_v = a[0] * 2 / 3 * x / h + 2 * a_s * x + 4 * b[0] * x + 3 * b_s * h * x + 3 * c_s * h
    first, second = (each[joint].largest[0] for each in (course.geometry.first, course.geometry.second))
    found: Floats = by_v * np.sqrt(x) / (3 * h) + steep * (first * 2 / 3 * x / h + second * x)
    return found
