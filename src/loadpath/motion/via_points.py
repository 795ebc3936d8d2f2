"""Motions through given configurations, all joints together, within limits of speed and acceleration.

Stopping at every point, the joints move on a straight line in joint space (a screw, for joints with quaternions): all
share one step from 0 to 1, as quick as the slowest of them lets it be. Passing through, every coordinate is a spline
of degree five, at rest at both ends.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from loadpath.motion.interpolation import displacement, moved, of_unit_quaternion, same_side, speeds
from loadpath.motion.layout import Layout
from loadpath.motion.logs.table import check_samples
from loadpath.robot.arrays import numbers
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from scipy.interpolate import BSpline


# How a step from 0 to 1 is made in time: by a quintic polynomial, or at constant acceleration, speed and braking.


PEAK_SPEED = 15 / 8
"""Largest speed of a quintic step of height and duration one."""
PEAK_ACCELERATION = 10 / math.sqrt(3)
"""Its largest acceleration."""


def quintic_step(s: Floats) -> tuple[Floats, Floats, Floats]:
    """From 0 to 1 as s goes from 0 to 1, with its first two derivatives; these are zero at both ends.

    >>> [float(part[0]) for part in quintic_step(np.array([0.5]))]
    [0.5, 1.875, 0.0]
    """
    return s**3 * (10 - 15 * s + 6 * s**2), 30 * s**2 * (1 - s) ** 2, 60 * s * (1 - s) * (1 - 2 * s)


class Trapezoid(NamedTuple):
    """A step from 0 to 1 at constant acceleration, constant speed, constant braking; speeds in 1/s."""

    blend: float
    """Time of accelerating, and of braking, s."""
    duration: float

    @property
    def speed(self) -> float:
        """Largest speed."""
        return 1 / (self.duration - self.blend)

    @property
    def acceleration(self) -> float:
        """Acceleration, and braking."""
        return self.speed / self.blend

    def at(self, t: Floats) -> tuple[Floats, Floats, Floats]:
        """Height, speed and acceleration at times t from 0 to the duration; where the acceleration jumps, it is the
        one that begins there, at the end the one that ends.
        """
        v, a, left = self.speed, self.acceleration, self.duration - t
        # Beginnings of phases are found with some slack: t comes out of sums.
        slack = 1e-12 * self.duration
        rising, braking = t < self.blend - slack, t >= self.duration - self.blend - slack
        height = np.where(rising, a * t**2 / 2, np.where(braking, 1 - a * left**2 / 2, v * (t - self.blend / 2)))
        speed = np.where(rising, a * t, np.where(braking, a * left, v))
        return height, speed, np.where(rising, a, np.where(braking, -a, 0.0))


def fastest_trapezoid(speed: float, acceleration: float) -> Trapezoid:
    """The quickest step within a speed and an acceleration; a triangle where the speed is never reached.

    >>> fastest_trapezoid(speed=0.5, acceleration=1.0)
    Trapezoid(blend=0.5, duration=2.5)
    >>> fastest_trapezoid(speed=9.0, acceleration=1.0)
    Trapezoid(blend=1.0, duration=2.0)
    """
    if speed * speed >= acceleration:
        blend = 1 / math.sqrt(acceleration)
        return Trapezoid(blend, 2 * blend)
    blend = speed / acceleration
    return Trapezoid(blend, 1 / speed + blend)


def timed_trapezoid(duration: float, speed: float, acceleration: float) -> Trapezoid | None:
    """A step of given duration within a speed and an acceleration, or None if there is none: a third of the time to
    accelerate and a third to brake, or as near to that as the limits let it be.

    >>> timed_trapezoid(3.0, speed=np.inf, acceleration=np.inf)
    Trapezoid(blend=1.0, duration=3.0)
    >>> timed_trapezoid(3.0, speed=0.4, acceleration=np.inf)
    Trapezoid(blend=0.5, duration=3.0)
    """
    shortest = 0.0 if math.isinf(acceleration) else None
    longest = duration - 1 / speed  # a longer blend needs a higher speed
    if shortest is None:
        # acceleration = 1 / (blend (duration - blend))
        root = duration**2 - 4 / acceleration
        if root < -1e-12 * duration**2:
            return None
        shortest = (duration - math.sqrt(max(root, 0.0))) / 2
    blend = min(max(duration / 3, shortest), longest, duration / 2)
    if blend <= 0 or blend < shortest * (1 - 1e-9):
        return None
    return Trapezoid(blend, duration)


Profile = Literal["quintic", "trapezoidal"]
Sampled = tuple[Floats, Floats, Floats, Floats]
Step = Callable[[Floats], tuple[Floats, Floats, Floats]]

RATE = 500.0
"""Samples a second of motions through via-points."""
FEWEST_IN_PHASE = 20
"""Samples there are at least in every phase of a motion."""
TIMED_SLACK = 1e-9
SAMPLES_BETWEEN, CLOSE_ENOUGH = 2000, 1e-6
"""Samples between two points among which extremes of turns are found, and by what they may be larger in between."""


def speed_limits(given: Any, own: Floats, names: tuple[str, ...], what: str) -> Floats:
    """Limits (n,) of all speeds from one number, one each, or some by name; those not named keep their own."""
    if given is None:
        return own
    if isinstance(given, Mapping):
        unknown = [name for name in given if name not in names]
        if unknown:
            raise ValueError(f"{what} limit of '{unknown[0]}': there is no such joint; there are {', '.join(names)}")
        result = own.copy()
        for name, value in given.items():
            limit = numbers(value, f"{what} limit of joint '{name}'")
            if limit.shape:
                raise ValueError(f"{what} limit of joint '{name}' is {value!r}: expected one number")
            result[names.index(name)] = limit
    else:
        result = numbers(given, f"{what} limits")
        if result.shape not in ((), (len(names),)):
            raise ValueError(f"{what} limits have the shape {result.shape}: expected one number or {len(names)}, or a "
                             f"dict by name")
        result = np.broadcast_to(result, (len(names),))
    if not (result > 0).all():
        k = int(np.argmin(result > 0))
        raise ValueError(f"{what} limit of joint '{names[k]}' is {result[k]:g}: expected more than zero")
    return result


# Stopping at every point


def stopping(
    layout: Layout,
    points: Floats,
    times: Floats | None,
    limits: tuple[Floats, Floats],
    profile: Profile,
    rate: float,
) -> Sampled:
    """Through all points, at rest at each."""
    parts: list[Sampled] = []
    count, begin = 0, 0.0 if times is None else float(times[0])
    for k, (start, end) in enumerate(pairwise(points)):
        travel = _displacement(layout, start, end)
        duration = None if times is None else float(times[k + 1] - times[k])
        step, breaks = _step(layout, travel, k, duration, limits, profile)
        local = instants(breaks, rate, layout.width, count)
        count += len(local)
        height, first, second = (part[:, None] for part in step(local))
        q = _from_start(layout, start, height * travel)
        q[-1], q[0] = _same_turns(layout, q[-1], end), start
        sampled = (begin + local, q, first * travel, second * travel)
        parts.append(sampled if k == 0 else (sampled[0][1:], sampled[1][1:], sampled[2][1:], sampled[3][1:]))
        begin = begin + breaks[-1] if times is None else float(times[k + 1])
    t, q, qd, qdd = (np.concatenate(part) for part in zip(*parts, strict=True))
    return t, q, qd, qdd


def _displacement(layout: Layout, start: Floats, end: Floats) -> Floats:
    """Speeds that lead from one configuration to another in one unit of time."""
    travel = np.zeros(layout.n)
    travel[layout.plain_v] = (end - start)[layout.plain_q]
    for joint in layout.turning:
        travel[joint.v] = displacement(joint.motion, start[None, joint.q], end[None, joint.q])[0]
    return travel


def _from_start(layout: Layout, start: Floats, travels: Floats) -> Floats:
    """Configurations that such displacements from the start lead to."""
    q = np.empty((len(travels), layout.nq))
    q[:, layout.plain_q] = start[layout.plain_q] + travels[:, layout.plain_v]
    for joint in layout.turning:
        q[:, joint.q] = moved(joint.motion, np.broadcast_to(start[joint.q], (len(travels), joint.motion.coordinates)),
                              travels[:, joint.v])
    return q


def _same_turns(layout: Layout, reached: Floats, end: Floats) -> Floats:
    """The end as it was given, its quaternions on the side on which they are reached."""
    end = end.copy()
    for joint in layout.turning:
        four = slice(joint.q.stop - 4, joint.q.stop)
        end[four] *= 1.0 if reached[four] @ end[four] >= 0 else -1.0
    return end


def _step(
    layout: Layout,
    travel: Floats,
    k: int,
    duration: float | None,
    limits: tuple[Floats, Floats],
    profile: Profile,
) -> tuple[Step, list[float]]:
    """The step that all joints share, and the instants (from 0 to its duration) where its phases begin."""
    size = np.abs(travel)
    if duration is None and not size.any():
        raise ValueError(f"points {k} and {k + 1} are the same, so the time between them is not known: give times, or "
                         "leave one out")
    with np.errstate(divide="ignore", over="ignore"):
        speed, acceleration = (np.where(size > 0, limit / np.where(size > 0, size, 1.0), np.inf) for limit in limits)
    v, a = float(speed.min(initial=np.inf)), float(acceleration.min(initial=np.inf))
    if duration is None and math.isinf(v) and math.isinf(a):
        raise ValueError("the robot has no limit of speed for the joints that move: give times, velocity= or "
                         "acceleration=")
    if profile == "quintic":
        shortest = max(PEAK_SPEED / v, math.sqrt(PEAK_ACCELERATION / a))
        total = shortest if duration is None else duration
        if total < shortest * (1 - TIMED_SLACK):
            _refuse(layout, k, total, shortest, speed * shortest <= PEAK_SPEED * (1 + 1e-9), acceleration)

        def quintic(t: Floats) -> tuple[Floats, Floats, Floats]:
            height, first, second = quintic_step(t / total)
            return height, first / total, second / total**2

        return quintic, [0.0, total]
    if duration is not None:
        timed = timed_trapezoid(duration, v * (1 + TIMED_SLACK), a * (1 + TIMED_SLACK))
        if timed is None:
            shortest = fastest_trapezoid(v, a).duration if math.isfinite(a) else 1 / v
            _refuse(layout, k, duration, shortest, speed * duration <= 2, acceleration)
        assert timed is not None
        trapezoid = timed
    elif math.isinf(a):
        trapezoid = timed_trapezoid(1.5 / v, np.inf, np.inf)  # type: ignore[assignment]  # there is always one
    else:
        trapezoid = fastest_trapezoid(v, a)
    breaks = [0.0, trapezoid.blend, trapezoid.duration - trapezoid.blend, trapezoid.duration]
    return trapezoid.at, breaks


def _refuse(layout: Layout, k: int, given: float, needed: float, fast: Any, acceleration: Floats) -> None:
    which = int(np.argmax(fast)) if np.any(fast) else int(np.argmin(acceleration))
    raise ValueError(f"from point {k} to {k + 1} in {given:.6g} s, joint '{layout.dof_names[which]}' would be beyond "
                     f"its limits of speed or acceleration: {needed:.6g} s are needed")


def instants(breaks: list[float], rate: float, width: int, before: int = 0) -> Floats:
    """Times at least as close as the rate asks, with the beginnings of all phases among them; of samples of so many
    numbers, after so many others.
    """
    check_samples(before + FEWEST_IN_PHASE * len(breaks) + breaks[-1] * rate, width, f"{rate:g} samples a second")
    parts = [np.array([0.0])]
    for begin, end in pairwise(breaks):
        if end - begin > 1e-9 * breaks[-1]:
            count = max(FEWEST_IN_PHASE, math.ceil((end - begin) * rate - 1e-9))
            parts.append(np.linspace(begin, end, count + 1)[1:])
    return np.concatenate(parts)


# Passing through


def passing(
    layout: Layout, points: Floats, times: Floats | None, limits: tuple[Floats, Floats], rate: float
) -> Sampled:
    """Through all points without stopping but at the ends."""
    given = times is not None
    points = points.copy()
    for joint in layout.turning:
        points[:, joint.q][:, -4:] = same_side(points[:, joint.q][:, -4:])
    if times is None:
        times = _first_guess(layout, points, limits)
    spline = _spline(times, points)
    need = _needed_slowness(layout, spline, times, limits)
    if given and need > 1 + TIMED_SLACK:
        raise ValueError(f"through these points in these times, limits of speed or acceleration would be broken: "
                         f"{need:.4g} times as much time is needed")
    if not given:
        margin = 1 + CLOSE_ENOUGH if layout.turning else 1.0
        times = times[0] + (times - times[0]) * need * margin
        spline = _spline(times, points)
    t = times[0] + instants(list(times - times[0]), rate, layout.width)
    return (t, *_states(layout, spline, t))


def _first_guess(layout: Layout, points: Floats, limits: tuple[Floats, Floats]) -> Floats:
    """Times in proportion to what each stretch needs by itself at full speed (or acceleration)."""
    durations = []
    for k, (start, end) in enumerate(pairwise(points)):
        size = np.abs(_displacement(layout, start, end))
        if not size.any():
            raise ValueError(f"points {k} and {k + 1} are the same: leave one out, or give times")
        needed = float(np.maximum(size / limits[0], np.sqrt(size / limits[1])).max())
        if needed == 0:
            raise ValueError("the robot has no limit of speed for the joints that move: give times, velocity= or "
                             "acceleration=")
        durations.append(needed)
    return np.concatenate([[0.0], np.cumsum(durations)])


def _spline(times: Floats, points: Floats) -> BSpline:
    at_rest = [(1, np.zeros(points.shape[1])), (2, np.zeros(points.shape[1]))]
    from scipy.interpolate import make_interp_spline

    return make_interp_spline(times, points, k=5, bc_type=(at_rest, at_rest))


def _states(layout: Layout, spline: BSpline, t: Floats) -> tuple[Floats, Floats, Floats]:
    q, rate, second = spline(t), spline(t, 1), spline(t, 2)
    qd, qdd = np.empty((len(t), layout.n)), np.empty((len(t), layout.n))
    qd[:, layout.plain_v], qdd[:, layout.plain_v] = rate[:, layout.plain_q], second[:, layout.plain_q]
    for joint in layout.turning:
        turned = of_unit_quaternion(q[:, joint.q], rate[:, joint.q], second[:, joint.q])
        q[:, joint.q] = turned[0]
        qd[:, joint.v], qdd[:, joint.v] = speeds(joint.motion, *turned)
    return q, qd, qdd


def _needed_slowness(layout: Layout, spline: BSpline, times: Floats, limits: tuple[Floats, Floats]) -> float:
    """By how much the time must be stretched so that all limits are kept: exact but for joints with quaternions, whose
    extremes are found among samples.
    """
    from scipy.interpolate import BSpline, PPoly

    samples = SAMPLES_BETWEEN if layout.turning else 1
    critical = [np.linspace(begin, end, samples + 1) for begin, end in pairwise(times)]
    for k in layout.plain_q:
        pieces = PPoly.from_spline(BSpline(spline.t, spline.c[:, k], spline.k))
        for order in (2, 3):  # extremes of the first derivative are where the second is zero
            roots = pieces.derivative(order).roots(discontinuity=False, extrapolate=False)
            critical.append(roots[np.isfinite(roots)])
    _, qd, qdd = _states(layout, spline, np.concatenate(critical))
    speed, acceleration = (np.abs(part).max(axis=0) for part in (qd, qdd))
    return float(max((speed / limits[0]).max(), np.sqrt((acceleration / limits[1]).max())))
