"""What may be wrong with a motion of a robot: positions and speeds outside limits, units that look wrong, speeds that
are not the rates of the positions. Each sentence names the joint, the sample and the numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from loadpath.motion.interpolation import displacement
from loadpath.motion.layout import Layout, has_quaternion
from loadpath.motion.noise import Noise, noise_of
from loadpath.robot.joints import Continuous
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Joint, Limits
from loadpath.robot.units import DEGREES, FASTEST_JOINT, MANY_TURNS
from loadpath.scalars.types import Bools, Floats

LIMIT_SLACK = 1e-6
"""Of a limit: by so much, relatively, a sample may be beyond it without a word (limits are rounded in files)."""
LOOSE = 0.05
"""By so much more, relatively, when it is asked whether another unit would fit."""
WRONG_SPEEDS = 0.05
WRONG_ACCELERATIONS = 0.15
"""Part of the motion by which integrated speeds (accelerations) may miss the positions (speeds)."""
FEWEST_COMPARED = 5
"""Samples by which speeds can be compared with positions."""
FAR_OFF = 8.0
"""Standard deviations of noise by which they may differ: of the worst of many samples, and of the first."""
COUNTING = 0.03
"""Of the speed limits: what is slower throughout, in steps of exactly 1 s, may be counted in samples."""
FEWEST_COUNTED = 20
UNCERTAIN = 0.1
"""Part of the largest derived acceleration from which there is a warning of its estimated error."""
LONG_STEP = 0.5
"""s: motions sampled more often are not asked about milliseconds; for smaller units in proportion."""
SHORT_UNITS = {"milliseconds": 1e3, "microseconds": 1e6, "nanoseconds": 1e9}
COARSE_STEP, COARSE_ACCELERATION = 2e-5, 0.02
"""Parts of the time step, and of the largest acceleration, by which the rounding of times may shift them."""
USUAL_TURNING, USUAL_SLIDING = math.pi, 1.0
"""rad/s, m/s: taken for the speed limit of a joint without one."""
LEAST_USE, MOST_USE, LEAST_TRAVEL = 0.03, 3.0, 0.05
"""Of the speed limits, as used by the quickest joint of a motion; and what some joint travels (rad or m) at least."""
UNITS = {
    180 / math.pi: ("degrees where radians are expected", "radians where degrees are meant"),
    1000.0: (
        "millimetres where metres, or milliseconds where seconds are expected",
        "metres where millimetres are meant",
    ),
    30 / math.pi: ("revolutions per minute where radians per second are expected", "rad/s where rpm are meant"),
}


class Track(NamedTuple):
    """A speed of a joint with its limits: of the robot, or of a joint that mimics."""

    joint: Joint
    label: str
    k: int
    """Which speed of the joint."""
    v: int
    multiplier: float
    offset: float
    coordinate: int | None
    """Where its coordinate stands in q; none with a quaternion."""


def tracks(robot: RobotModel) -> Iterator[Track]:
    """All speeds of all joints, those of mimicking joints too."""
    for joint in robot.joints:
        if not joint.motion.dof:
            continue
        mimic = robot.mimic_of(joint)
        q, v = robot.q_slices[joint.name].start, robot.v_slices[joint.name].start
        for k, label in enumerate(joint.motion.labels):
            name = f"{joint.name}.{label}" if label else joint.name
            place = None if has_quaternion(joint.motion) else q + k
            yield Track(joint, name, k, v + k, mimic.multiplier, mimic.offset, place)


def outside_limits(robot: RobotModel, t: Floats, q: Floats, qd: Floats, speed_error: Floats | None = None) -> list[str]:
    """Positions and speeds outside the robot's limits; derived speeds by more than their estimated error."""
    found = []
    for track in tracks(robot):
        limits, angular = track.joint.limits[track.k], track.joint.motion.angular[track.k]
        unit = ""
        if track.coordinate is not None:
            values = track.multiplier * q[:, track.coordinate] + track.offset
            size = max((abs(x) for x in (limits.lower, limits.upper) if math.isfinite(x)), default=1.0)
            beyond = np.maximum(limits.lower - values, values - limits.upper)
            if (beyond > LIMIT_SLACK * max(size, 1.0)).any():
                unit = _other_unit(values, limits.lower, limits.upper, angular)
                where = _where(t, beyond, LIMIT_SLACK * max(size, 1.0))
                found.append(f"joint '{track.label}' is at {values[np.argmax(beyond)]:.6g}{where}, outside its limits "
                             f"{limits.lower:.6g} to {limits.upper:.6g}{unit}")
        values = abs(track.multiplier) * np.abs(qd[:, track.v])
        if not unit and _unlimited(track) and _in_degrees(float(values.max(initial=0.0))):
            worst = int(values.argmax())
            found.append(f"joint '{track.label}' moves at {values[worst]:.6g} rad/s at sample {worst} (t = "
                         f"{t[worst]:.6g} s), {values[worst] * 30 / math.pi:.0f} rpm: degrees?")
        beyond, slack = values - limits.velocity, LIMIT_SLACK * limits.velocity
        if speed_error is not None:
            slack += min(abs(track.multiplier) * float(speed_error[track.v]), UNCERTAIN * limits.velocity)
        if not unit and limits.velocity > 0 and (beyond > slack).any():  # one question is enough
            unit = _other_unit(values, 0.0, limits.velocity, angular)
            found.append(f"joint '{track.label}' moves at {values[np.argmax(beyond)]:.6g}"
                         f"{_where(t, beyond, slack)}, faster than its limit "
                         f"{limits.velocity:.6g}{unit}")
    return found


def _unlimited(track: Track) -> bool:
    """Whether a joint that turns, but is not made to turn without end, has no limits to compare with."""
    limits, motion = track.joint.limits[track.k], track.joint.motion
    bounds = (limits.lower, limits.upper, limits.velocity or math.inf)
    return motion.dof == 1 and motion.angular[0] and not isinstance(motion, Continuous) and not any(map(math.isfinite,
                                                                                                         bounds))


def _in_degrees(speed: float) -> bool:
    """Whether a speed is more than a joint has, and would be usual in degrees a second."""
    return speed > FASTEST_JOINT and speed * math.pi / 180 < 4 * USUAL_TURNING


def in_other_units(robot: RobotModel, q: Floats, qd: Floats) -> list[str]:
    """Of states (..., nq) and (..., n) the joints that are far outside their limits, and would be inside in degrees or
    millimetres. Joints without limits are asked about beyond three turns, unless they are made to turn without end.
    """
    found = []
    if not (q.size and qd.size):  # no states, or no joint that moves
        return []
    q, qd = q.reshape(-1, q.shape[-1]), qd.reshape(-1, qd.shape[-1])
    for track in tracks(robot):
        limits, angular = track.joint.limits[track.k], track.joint.motion.angular[track.k]
        if track.coordinate is not None:
            values = track.multiplier * q[:, track.coordinate] + track.offset
            bounded = any(math.isfinite(x) for x in (limits.lower, limits.upper))
            if bounded:
                unit = _other_unit(values, limits.lower, limits.upper, angular)
            else:
                turns = angular and not isinstance(track.joint.motion, Continuous) and track.joint.motion.dof == 1
                unit = ": degrees?" if turns and MANY_TURNS < np.abs(values).max() <= DEGREES else ""
            if unit:
                bounds = f", outside its limits {limits.lower:.6g} to {limits.upper:.6g}" if bounded else ""
                found.append(f"joint '{track.label}' is at {values[np.argmax(np.abs(values))]:.6g}{bounds}{unit}")
                continue
        speeds = abs(track.multiplier) * np.abs(qd[:, track.v])
        if 0 < limits.velocity < math.inf and (unit := _other_unit(speeds, 0.0, limits.velocity, angular)):
            found.append(f"joint '{track.label}' moves at {speeds.max():.6g}, faster than its limit "
                         f"{limits.velocity:.6g}{unit}")
    return found


def _where(t: Floats, beyond: Floats, slack: float) -> str:
    """The worst sample, and how many others there are."""
    worst, count = int(np.argmax(beyond)), int((beyond > slack).sum())
    others = f", and beyond it at {count - 1} others" if count > 1 else ""
    return f" at sample {worst} (t = {t[worst]:.6g} s{others})"


def _other_unit(values: Floats, lower: float, upper: float, angular: bool) -> str:
    """A question, where values that are far outside would be inside in another unit."""
    factor, question = (math.pi / 180, ": degrees?") if angular else (1e-3, ": millimetres?")
    room = LOOSE * max(abs(x) for x in (lower, upper) if math.isfinite(x))
    largest = max((abs(x) for x in (lower, upper) if math.isfinite(x)), default=math.inf)
    fits = (factor * values >= lower - room).all() and (factor * values <= upper + room).all()
    return question if fits and np.abs(values).max() > 3 * largest else ""


def inconsistent_speeds(
    layout: Layout, t: Floats, q: Floats, qd: Floats, taken_off: tuple[Floats, Floats] | None = None
) -> list[str]:
    """Speeds that do not lead from position to position. `taken_off` is the noise of positions and of speeds that was
    smoothed: something of the one, and all that the other sums up to, is still in them.
    """
    travelled = np.empty((len(t) - 1, layout.n))
    travelled[:, layout.plain_v] = np.diff(q[:, layout.plain_q], axis=0)
    for joint in layout.turning:
        travelled[:, joint.v] = displacement(joint.motion, q[:-1, joint.q], q[1:, joint.q])
    words = "speeds (qd)", "rates of its positions (q)"
    return _mismatch(layout, t, words, travelled, qd, WRONG_SPEEDS, taken_off)


def inconsistent_accelerations(layout: Layout, t: Floats, qd: Floats, qdd: Floats) -> list[str]:
    """Accelerations that do not lead from speed to speed."""
    words = "accelerations (qdd)", "rates of its speeds (qd)"
    return _mismatch(layout, t, words, np.diff(qd, axis=0), qdd, WRONG_ACCELERATIONS)


def _mismatch(
    layout: Layout, t: Floats, words: tuple[str, str], steps: Floats, rates: Floats, tolerance: float,
    taken_off: tuple[Floats, Floats] | None = None,
) -> list[str]:
    """Where sums of steps and of integrated rates part by more than a share of all. What the integral itself may
    be off, where samples are few, is seen by taking every other sample.
    """
    travelled, summed = np.cumsum(steps, axis=0), _integral(t, rates)
    size = np.maximum(np.abs(travelled).max(axis=0), np.abs(summed).max(axis=0))
    gap = np.abs(travelled - summed)
    noises = _noise(t[1:], travelled), _noise(t, rates)
    if taken_off is not None:
        noises = np.maximum(noises[0], taken_off[0]), np.maximum(noises[1], taken_off[1])
    noise = FAR_OFF * (noises[0] + noises[1] * _walk(t))
    coarse = np.abs(summed[1::2] - _integral(t[::2], rates[::2])[: len(summed[1::2])]).max(axis=0, initial=0.0)
    found = []
    for k in np.flatnonzero((gap.max(axis=0) > tolerance * size + coarse + noise + 1e-9) & (len(t) >= FEWEST_COMPARED)):
        square = float((summed[:, k] ** 2).sum())
        ratio = float((travelled[:, k] * summed[:, k]).sum()) / square if square > 0 else math.inf
        worst = int(gap[:, k].argmax()) + 1
        found.append(f"joint '{layout.dof_names[k]}': its {words[0]} are not the {words[1]}: summed up to sample "
                     f"{worst} (t = {t[worst]:.6g} s) they give {summed[worst - 1, k]:.6g} instead of "
                     f"{travelled[worst - 1, k]:.6g}{_factor(ratio)}")
    return found


def _noise(t: Floats, values: Floats) -> Floats:
    """Standard deviation of the noise of each column; zero where there is none."""
    noise = noise_of(t, values)
    return np.where(noise.there, noise.size, 0.0)


def _walk(t: Floats) -> float:
    """How far the sum of noisy rates strays, of their noise: a random walk."""
    return float(np.sqrt(np.square(np.diff(t)).sum()))


def _integral(t: Floats, rates: Floats) -> Floats:
    """By the trapezoid rule, from the first sample to each other."""
    result: Floats = np.cumsum(np.diff(t)[:, None] * (rates[1:] + rates[:-1]) / 2, axis=0)
    return result


def _factor(ratio: float) -> str:
    """What a constant factor between the two would mean."""
    if abs(ratio + 1) < 0.03:
        return ": is the sign right?"
    for factor, (too_large, too_small) in UNITS.items():
        if abs(ratio * factor - 1) < 0.03:
            return f": {too_large}?"
        if abs(ratio / factor - 1) < 0.03:
            return f": {too_small}?"
    return ""


def uncertain(layout: Layout, what: str, values: Floats, error: Floats, noise: Noise | None = None,
              source: str = "q") -> list[str]:
    """Derivatives whose estimated error is a good part of themselves: because the samples that they were derived from
    are noisy (`noise`, of each speed), or because they are too few, or have rates that jump.
    """
    if np.isinf(error).any():
        return [f"{what} had to be derived from {len(values)} samples, too few to know how good they are: give them, "
                "or more samples"]
    largest = np.abs(values).max(axis=0)
    doubtful = (error > UNCERTAIN * largest) & (error > 1e-6)
    noisy = doubtful & noise.there if noise is not None else np.zeros_like(doubtful)
    jumping = doubtful & noise.jumps if noise is not None else np.zeros_like(doubtful)
    found = [
        f"joint '{layout.dof_names[k]}': its {what} had to be derived, and are uncertain by up to {error[k]:.3g} where "
        f"the largest is {largest[k]:.3g}: give them, or more samples"
        for k in np.flatnonzero(doubtful & ~noisy & ~jumping)
    ]
    if jumping.any():
        k, others = _worst(jumping, error, largest)
        found.append(
            f"joint '{layout.dof_names[k]}'{others}: its {what} had to be derived, and are uncertain by up to "
            f"{error[k]:.3g} where the largest is {largest[k]:.3g}: do its accelerations jump, as in a trapezoidal "
            f"profile? Then give the {what}, which samples of {source} do not determine there"
        )
    if noise is not None and noisy.any():
        k, others = _worst(noisy, error, largest)
        found.append(
            f"joint '{layout.dof_names[k]}'{others}: its {what} had to be derived from noisy samples, and are "
            f"uncertain by up to {error[k]:.3g} where the largest is {largest[k]:.3g}: by their differences the "
            f"samples of {source} are off by {noise.size[k]:.2g} rms, and more samples a second would make it worse; "
            f"give measured {what}, or let the samples be smoothed: smooth=True, or smooth=lp.LowPass(cutoff)"
        )
    return found


def _worst(which: Bools, error: Floats, largest: Floats) -> tuple[int, str]:
    """Of some speeds the one whose error is the largest part of itself, and words for the others."""
    k = int(np.argmax(np.where(which, error / np.maximum(largest, 1e-300), 0.0)))
    return k, f" (and {which.sum() - 1} others)" if which.sum() > 1 else ""


def rounded_times(layout: Layout, t: Floats, qd: Floats, qdd: Floats) -> list[str]:
    """Whether times are so far from zero (since 1970, say) that numbers there are too far apart for their steps."""
    if len(t) < 2 or not layout.n:
        return []
    tick, step = float(np.spacing(np.abs(t).max())), float(np.median(np.diff(t)))
    shift = tick / step**2 * np.abs(qd).max(axis=0)
    if tick < COARSE_STEP * step or not (shift > COARSE_ACCELERATION * np.abs(qdd).max(axis=0)).any():
        return []
    return [f"times near {t[-1]:.6g} s are rounded to {tick:.2g} s, which in steps of {step:.3g} s shifts "
            f"accelerations between the samples, and derived ones, by {shift.max():.2g} or more: count them from the "
            "beginning of the motion, and subtract that while they are whole numbers (of ns, say)"]


def times_in_other_units(robot: RobotModel, layout: Layout, t: Floats, qd: Floats) -> list[str]:
    """Whether times are in milliseconds, or micro- or nanoseconds as clocks of computers give them: samples seconds
    apart, all joints thousands of times slower than they could be, and as quick as in most motions if it were so.
    """
    step = float(np.median(np.diff(t)))
    if step < LONG_STEP or not layout.n:
        return []
    usual = np.full(layout.n, np.inf)
    for track in tracks(robot):
        limit = track.joint.limits[track.k].velocity
        if not (0 < limit < math.inf):
            limit = USUAL_TURNING if track.joint.motion.angular[track.k] else USUAL_SLIDING
        usual[track.v] = min(usual[track.v], limit / max(abs(track.multiplier), 1e-12))
    quickest = float((np.abs(qd).max(axis=0) / usual).max())
    travelled = float((np.abs(qd).mean(axis=0) * (t[-1] - t[0])).max())
    if travelled < LEAST_TRAVEL:
        return []
    counted = len(t) >= FEWEST_COUNTED and t[0] in (0.0, 1.0) and bool((np.diff(t) == 1.0).all())
    if counted and quickest < COUNTING:
        return [f"t counts {t[0]:g}, {t[0] + 1:g}, {t[0] + 2:g}, ..., and no joint is quicker than {quickest:.2g} of "
                "what it could be: are these numbers of samples, or milliseconds? Divide them by the samples a second"
                ]
    return [
        f"the motion takes {t[-1] - t[0]:.6g} s in steps of {step:.3g} s, and no joint is quicker than "
        f"{quickest:.2g} of what it could be: is t in {unit}?"
        for unit, factor in SHORT_UNITS.items()
        if step >= LONG_STEP * factor / 1e3 and LEAST_USE <= factor * quickest <= MOST_USE
    ]


# The limits of each speed of a robot, with those of the joints that mimic it: where one stops, all stop.


def limits_with_followers(robot: RobotModel) -> list[Limits]:
    """For each speed the limits of its joint (position and speed), tightened by those of the joints that mimic it.

    Followers that leave no range at all are left out: their limits cannot all be kept.

    >>> from loadpath.robot.catalog import panda
    >>> limits_with_followers(panda(hand=True))[-1].upper
    0.04
    """
    own = {track.v: track.joint.limits[track.k] for track in tracks(robot) if track.joint.mimic is None}
    for track in tracks(robot):
        if track.joint.mimic is None or track.multiplier == 0:
            continue
        limits, before = track.joint.limits[track.k], own[track.v]
        ends = sorted((end - track.offset) / track.multiplier for end in (limits.lower, limits.upper))
        lower, upper = max(before.lower, ends[0]), min(before.upper, ends[1])
        if lower < upper:
            own[track.v] = replace(before, lower=lower, upper=upper)
        if limits.velocity > 0:
            speed = limits.velocity / abs(track.multiplier)
            slower = min(before.velocity, speed) if before.velocity > 0 else speed
            own[track.v] = replace(own[track.v], velocity=slower)
    return [own[v] for v in range(robot.n)]
