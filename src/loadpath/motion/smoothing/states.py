"""Which samples of a motion are smoothed, and the speeds and accelerations that follow from them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

import numpy as np

from loadpath.motion import checks
from loadpath.motion.interpolation import Derived, derived_accelerations, derived_speeds, same_side
from loadpath.motion.layout import Layout
from loadpath.motion.noise import Noise, jumps_by_turns, noise_of
from loadpath.motion.smoothing.operator import FEWEST_SMOOTHED, LEVELS, Smoother, chosen_cutoffs, noise_left
from loadpath.robot.numbers import number
from loadpath.scalars.types import Bools, Floats

# What smoothing did to a motion, in numbers and in words; and the filter that a user may ask for.


@dataclass(frozen=True)
class LowPass:
    """A filter for `smooth=`, without phase: of a frequency f it lets 1 / (1 + (f / cutoff)^6) through, `cutoff` in Hz.

    >>> import loadpath as lp
    >>> lp.LowPass(10.0)
    LowPass(cutoff=10.0)
    """

    cutoff: float

    def __post_init__(self) -> None:
        cutoff = number(self.cutoff, "cutoff")
        if not 0 < cutoff < math.inf:
            raise ValueError(f"cutoff is {cutoff:g}: expected a frequency (Hz), more than zero")
        object.__setattr__(self, "cutoff", cutoff)


@dataclass(frozen=True, eq=False, repr=False)
class Smoothing:
    """What was smoothed of a motion, an entry for each coordinate (or quaternion) that was.

    `what` is "positions" or "speeds", `names` are of coordinates, `units` theirs (empty if no robot is known), `cutoff`
    (Hz) is the frequency of which one half is left, `noise` what seems to be noise (standard deviation), `rms` and
    `largest` by how much samples were changed; of a quaternion as the angle of the turn.

    >>> import loadpath as lp
    >>> t = np.arange(0.0, 2.0, 0.01)
    >>> q = np.sin(3 * t)[:, None] + np.random.default_rng(0).normal(0, 1e-3, (200, 1))
    >>> smoothing = lp.Motion(t, q, smooth=True).smoothing
    >>> smoothing.names, bool(0.0008 < smoothing.rms[0] < 0.0012)
    (('joint1',), True)
    """

    what: str
    names: tuple[str, ...]
    units: tuple[str, ...]
    cutoff: Floats
    noise: Floats
    rms: Floats
    largest: Floats
    chosen: bool
    """By cross-validation; otherwise the cut-off was given."""
    uncertain: str = ""
    """What is still uncertain, in words."""
    position_noise: tuple[float, ...] = ()
    """Of smoothed speeds: what seemed to be noise of their positions, which were smoothed with them."""

    def taken_off(self, dof_names: Sequence[str]) -> tuple[Floats, Floats]:
        """The noise of positions and of speeds that smoothing the speeds took off, for each degree of freedom."""
        noise: dict[str, tuple[float, float]] = {}
        if self.what == "speeds":
            noise = dict(zip(self.names, zip(self.position_noise, self.noise, strict=True), strict=True))
        positions, speeds = np.array([noise.get(name, (0.0, 0.0)) for name in dof_names]).reshape(-1, 2).T
        return positions, speeds

    def __repr__(self) -> str:
        return f"<smoothing: {self.sentences[0]}>"

    @property
    def summary(self) -> str:
        """In one sentence."""
        worst = int(np.argmax(self.largest))
        how = "by cross-validation" if self.chosen else "as asked"
        low, high = float(self.cutoff.min()), float(self.cutoff.max())
        band = f"{low:.2g} Hz" if high < 1.05 * low else f"{low:.2g} to {high:.2g} Hz"
        more = f" and {len(self.names) - 1} others" if len(self.names) > 1 else ""
        return (
            f"{self.what} were smoothed before they were differentiated, {how}: '{self.names[worst]}'{more}, cut-off "
            f"{band}, changed by {_with_unit(self.rms[worst], self.units[worst])} rms and at most "
            f"{_with_unit(self.largest[worst], self.units[worst])}{self.uncertain}"
        )

    @property
    def sentences(self) -> tuple[str, ...]:
        """The summary, and a sentence for each coordinate."""
        each = (
            f"'{name}': cut-off {cutoff:.2g} Hz, changed by {_with_unit(rms, unit)} rms, at most "
            f"{_with_unit(largest, unit)}"
            for name, unit, cutoff, rms, largest in zip(
                self.names, self.units, self.cutoff, self.rms, self.largest, strict=True
            )
        )
        return (self.summary[0].upper() + self.summary[1:] + ".", *(f"{sentence}." for sentence in each))


def _with_unit(value: float, unit: str) -> str:
    return f"{value:.2g} {unit}".rstrip()


Smooth: TypeAlias = bool | LowPass | None
"""What a user may ask for: None smooths what is noisy, True all, False nothing, a filter all with its cut-off."""

MATTERS = 0.01
"""Part of the largest acceleration from which the noise of a derived one is worth smoothing."""
GAIN = {1: 1.8, 2: 4.4}
"""Of noise in the derivatives of splines through samples, times the rate of samples to that power: that of the
differentiation of a signal with all frequencies up to one half of the rate, pi^n / sqrt(2 n + 1).
"""
OVERSHOOT, JUMP_LENGTH = 0.11, 3
"""Part of a jump by which the second derivative of a spline through clean samples overshoots beside it, and samples
from the one side to the other.
"""
SMALL_ACCELERATION = 1e-3
"""Part of the largest acceleration of all joints below which one does not matter."""
CAREFUL = 4.0
"""Standard deviations of what is left of the noise that count as its largest."""
ONCE_MORE = 6.0
"""Times what smoothing takes off once more is about what it took off of the motion itself, at its ends too."""


class Completed(NamedTuple):
    """States with all rates, estimated errors of speeds and accelerations, what may be wrong, what was smoothed."""

    q: Floats
    qd: Floats
    qdd: Floats
    errors: tuple[Floats, Floats]
    problems: list[str]
    smoothing: Smoothing | None = None


class _Group(NamedTuple):
    """Columns that are smoothed alike: a coordinate, or the four of a quaternion."""

    name: str
    columns: list[int]
    speeds: list[int]
    turning: bool = False


def from_positions(layout: Layout, t: Floats, q: Floats, smooth: Smooth, units: Mapping[str, str]) -> Completed:
    """Speeds and accelerations from coordinates, which are smoothed before if they are noisy or it is asked for."""
    first, second = derived_speeds(layout, t, q)
    sided = _same_sides(layout, q)
    every = noise_of(t, sided)
    noise = _of_speeds(layout, every)
    groups = [group for group in _groups(layout) if _wanted(smooth, t, sided, group, second, every, 2)]
    problems = _turns(layout, t, q, units)
    smoothing, untouched = None, np.ones(layout.n, dtype=bool)
    qd_error, qdd_error = first.error, second.error
    if groups:
        smoother = _smoother(t, smooth)
        columns = [k for group in groups for k in group.columns]
        cutoffs = _cutoffs(smoother, sided[:, columns], groups, smooth)
        clean = _with_cutoffs(smoother, sided, groups, cutoffs)
        smoothing = _result("positions", groups, sided, clean, cutoffs, every, units, not isinstance(smooth, LowPass))
        first, second = derived_speeds(layout, t, clean)
        again = derived_speeds(layout, t, _with_cutoffs(smoother, clean, groups, cutoffs))
        qd_error, qdd_error = first.error.copy(), second.error.copy()
        for group, cutoff in zip(groups, cutoffs, strict=True):
            untouched[group.speeds] = False
            size = np.full(1, every.size[group.columns].max() * (2.0 if group.turning else 1.0))
            for k, (error, given, twice) in enumerate(((qd_error, first, again[0]), (qdd_error, second, again[1]))):
                off = np.abs(twice.values[:, group.speeds] - given.values[:, group.speeds]).max(axis=0)
                left = CAREFUL * noise_left(size, np.full(1, cutoff), smoother.rate, k + 1)
                error[group.speeds] = np.maximum(error[group.speeds], ONCE_MORE * off + left)
        q = q.copy()
        for group in groups:
            length = np.linalg.norm(clean[:, group.columns], axis=1, keepdims=True) if group.turning else 1.0
            q[:, group.columns] = clean[:, group.columns] / length
        smoothing = _with_uncertainty(smoothing, layout, second.values, qdd_error, ~untouched)
        if smooth is None:
            problems.append(f"{smoothing.summary}; smooth=False leaves them as they are")
    noise = _one_reason(t, noise, qdd_error, 2)
    qdd_error = np.where(untouched & noise.jumps, np.maximum(qdd_error, OVERSHOOT * _jump(second.values)), qdd_error)
    for what, values, error in (("speeds", first.values, qd_error), ("accelerations", second.values, qdd_error)):
        problems += checks.uncertain(layout, what, values, np.where(untouched, error, 0.0), noise)
    return Completed(q, first.values, second.values, (qd_error, qdd_error), problems, smoothing)


def from_speeds(
    layout: Layout, t: Floats, q: Floats, qd: Floats, smooth: Smooth, units: Mapping[str, str]
) -> Completed:
    """Accelerations from speeds, which are smoothed before if they are noisy or it is asked for. Where they are, their
    positions are too, if these are noisy.
    """
    derived, noise = derived_accelerations(t, qd), noise_of(t, qd)
    groups = [_Group(name, [k], [k]) for k, name in enumerate(layout.dof_names)]
    groups = [group for group in groups if _wanted(smooth, t, qd, group, derived, noise, 1)]
    problems: list[str] = []
    smoothing, untouched, error = None, np.ones(layout.n, dtype=bool), derived.error
    if groups:
        smoother = _smoother(t, smooth)
        cutoffs = _cutoffs(smoother, qd[:, [g.columns[0] for g in groups]], groups, smooth)
        clean = _with_cutoffs(smoother, qd, groups, cutoffs)
        of_speeds = {name: f"{unit}/s" for name, unit in units.items() if unit}
        smoothing = _result("speeds", groups, qd, clean, cutoffs, noise, of_speeds, not isinstance(smooth, LowPass))
        derived = derived_accelerations(t, clean)
        again = derived_accelerations(t, _with_cutoffs(smoother, clean, groups, cutoffs))
        error = derived.error.copy()
        for group, cutoff in zip(groups, cutoffs, strict=True):
            k = group.speeds[0]
            untouched[k] = False
            left = CAREFUL * noise_left(noise.size[[k]], np.full(1, cutoff), smoother.rate, 1)[0]
            off = float(np.abs(again.values[:, k] - derived.values[:, k]).max())
            error[k] = max(error[k], ONCE_MORE * off + left)
        smoothing = _with_uncertainty(smoothing, layout, derived.values, error, ~untouched)
        smoothing = replace(smoothing, position_noise=_noise_of_positions(layout, t, q, groups))
        q, qd = _positions_with(smoother, layout, t, q, groups, cutoffs), clean
        if smooth is None:
            problems.append(f"{smoothing.summary}; smooth=False leaves them as they are")
    shown, noise = np.where(untouched, error, 0.0), _one_reason(t, noise, error, 1)
    problems += checks.uncertain(layout, "accelerations", derived.values, shown, noise, "qd")
    return Completed(q, qd, derived.values, (np.zeros(layout.n), error), problems, smoothing)


def _wanted(
    smooth: Smooth, t: Floats, values: Floats, group: _Group, accelerations: Derived, noise: Noise, order: int
) -> bool:
    """Whether columns are smoothed: all that change if it is asked for, else those whose noise matters in
    accelerations, which are their derivatives of this order.
    """
    if smooth is False or not np.ptp(values[:, group.columns], axis=0).any():
        return False
    if smooth is not None:
        return True
    largest = np.abs(accelerations.values[:, group.speeds]).max(axis=0)
    error = accelerations.error[group.speeds]
    if noise.jumps[group.columns].any():  # which are most of that error
        error = np.minimum(error, _by_noise(t, noise.size[group.columns].max(keepdims=True), order))
    matters = error > np.maximum(MATTERS * largest, 1e-6)
    if not (noise.there[group.columns].any() and matters.any()):
        return False
    return any(len(np.unique(values[:, k])) >= LEVELS for k in group.columns)  # a gripper that opens has no noise


def _by_noise(t: Floats, size: Floats, order: int) -> Floats:
    """The largest error that noise of this size makes in derivatives of this order, if nothing is smoothed."""
    rate = (len(t) - 1) / float(t[-1] - t[0])
    error: Floats = CAREFUL * GAIN[order] * size * rate**order
    return error


def _one_reason(t: Floats, noise: Noise, error: Floats, order: int) -> Noise:
    """The same, with noise or jumps alone where there are both: that which makes most of the error of accelerations."""
    by_noise = noise.there & (_by_noise(t, noise.size, order) > error / 2)
    return noise._replace(there=noise.there & (by_noise | ~noise.jumps), jumps=noise.jumps & ~by_noise)


def _turns(layout: Layout, t: Floats, q: Floats, units: Mapping[str, str]) -> list[str]:
    """A sentence about angles that jump by a turn: their rates are nonsense there."""
    angles = [k for k, name in enumerate(layout.coordinate_names) if units.get(name) == "rad"]
    jumps = np.argwhere(jumps_by_turns(t, q[:, angles]))
    if not len(jumps):
        return []
    sample, column = int(jumps[0, 0]) + 1, angles[jumps[0, 1]]
    more = f" (and at {len(jumps) - 1} other places)" if len(jumps) > 1 else ""
    return [
        f"the angle of '{layout.coordinate_names[column]}' jumps by a turn at sample {sample} (t = {t[sample]:.6g} s)"
        f"{more}, as angles do that are kept within one: make it continuous, as np.unwrap(q, axis=0) does"
    ]


def _jump(accelerations: Floats) -> Floats:
    """The largest change of each within a few samples."""
    change: Floats = np.abs(accelerations[JUMP_LENGTH:] - accelerations[:-JUMP_LENGTH]).max(axis=0, initial=0.0)
    return change


def _smoother(t: Floats, smooth: Smooth) -> Smoother:
    if len(t) < FEWEST_SMOOTHED:
        raise ValueError(f"{len(t)} samples cannot be smoothed: expected {FEWEST_SMOOTHED} or more, or smooth=False")
    smoother = Smoother(t)
    if isinstance(smooth, LowPass) and not smoother.lowest <= smooth.cutoff <= smoother.highest:
        raise ValueError(f"a cut-off of {smooth.cutoff:g} Hz for {smoother.rate:.4g} samples a second: expected "
                         f"{smoother.lowest:.3g} to {smoother.highest:.3g} Hz")
    return smoother


def _cutoffs(smoother: Smoother, values: Floats, groups: Sequence[_Group], smooth: Smooth) -> Floats:
    """Of each group; the columns are those of the groups, one after the other."""
    if isinstance(smooth, LowPass):
        return np.full(len(groups), smooth.cutoff)
    ends = np.cumsum([len(group.columns) for group in groups])
    places = [range(end - len(group.columns), end) for end, group in zip(ends, groups, strict=True)]
    return chosen_cutoffs(smoother, values, places)


def _with_cutoffs(smoother: Smoother, values: Floats, groups: Sequence[_Group], cutoffs: Floats) -> Floats:
    """A copy with the columns of the groups smoothed."""
    result = values.copy()
    for cutoff in np.unique(cutoffs):
        columns = [k for group, own in zip(groups, cutoffs, strict=True) if own == cutoff for k in group.columns]
        result[:, columns] = smoother.smoothed(values[:, columns], float(cutoff))
    return result


def _positions_with(
    smoother: Smoother, layout: Layout, t: Floats, q: Floats, speeds: Sequence[_Group], cutoffs: Floats
) -> Floats:
    """Positions of the smoothed speeds, with the same cut-offs where they are noisy; quaternions stay as they are."""
    noisy = noise_of(t, q).there
    place = dict(zip(layout.plain_v.tolist(), layout.plain_q.tolist(), strict=True))
    pairs = [(place[g.columns[0]], cutoff) for g, cutoff in zip(speeds, cutoffs, strict=True) if g.columns[0] in place]
    groups = [_Group("", [column], []) for column, _ in pairs if noisy[column]]
    return _with_cutoffs(smoother, q, groups, np.array([cutoff for column, cutoff in pairs if noisy[column]]))


def _noise_of_positions(layout: Layout, t: Floats, q: Floats, speeds: Sequence[_Group]) -> tuple[float, ...]:
    """Of each group of speeds that of its coordinate; zero where there is none, or a quaternion."""
    noise = noise_of(t, q)
    sizes = dict(zip(layout.plain_v.tolist(), np.where(noise.there, noise.size, 0.0)[layout.plain_q], strict=True))
    return tuple(float(sizes.get(group.columns[0], 0.0)) for group in speeds)


def _result(what: str, groups: Sequence[_Group], before: Floats, after: Floats, cutoffs: Floats, noise: Noise,
            units: Mapping[str, str], chosen: bool) -> Smoothing:
    changes = [
        np.linalg.norm(after[:, g.columns] - before[:, g.columns], axis=1) * (2.0 if g.turning else 1.0) for g in groups
    ]
    return Smoothing(
        what,
        tuple(group.name for group in groups),
        tuple("rad" if group.turning else units.get(group.name, "") for group in groups),
        cutoffs,
        np.array([noise.size[g.columns].max() * (2.0 if g.turning else 1.0) for g in groups]),
        np.array([np.sqrt(np.mean(np.square(change))) for change in changes]),
        np.array([change.max() for change in changes]),
        chosen,
    )


def _with_uncertainty(
    smoothing: Smoothing, layout: Layout, values: Floats, error: Floats, touched: Bools
) -> Smoothing:
    """The same, with words for accelerations that are uncertain all the same."""
    largest = np.abs(values).max(axis=0)
    counts = error > max(1e-6, SMALL_ACCELERATION * float(largest.max()))  # of a joint at rest nobody asks
    doubtful = touched & (error > checks.UNCERTAIN * largest) & counts
    if not doubtful.any():
        return smoothing
    k = int(np.argmax(np.where(doubtful, error, 0.0)))
    words = (f"; the acceleration of '{layout.dof_names[k]}' is uncertain by up to {error[k]:.2g} where the largest is "
             f"{largest[k]:.2g}, most at ends and where it jumps")
    return replace(smoothing, uncertain=words)


def _groups(layout: Layout) -> list[_Group]:
    """The coordinates one by one, quaternions as one."""
    found = [
        _Group(layout.coordinate_names[q], [q], [v])
        for q, v in zip(layout.plain_q.tolist(), layout.plain_v.tolist(), strict=True)
    ]
    for joint in layout.turning:
        split, speeds = joint.q.stop - 4, list(range(joint.v.start, joint.v.stop))
        found += [_Group(layout.coordinate_names[k], [k], speeds) for k in range(joint.q.start, split)]
        found.append(_Group(joint.name, list(range(split, joint.q.stop)), speeds, True))
    return found


def _same_sides(layout: Layout, q: Floats) -> Floats:
    """A copy whose quaternions do not change their sign."""
    q = q.copy()
    for joint in layout.turning:
        four = slice(joint.q.stop - 4, joint.q.stop)
        q[:, four] = same_side(q[:, four])
    return q


def _of_speeds(layout: Layout, every: Noise) -> Noise:
    """Noise of the coordinates, for each speed; of joints with a quaternion the largest of their coordinates' noise."""
    found = Noise(np.zeros(layout.n), np.zeros(layout.n, dtype=bool), np.zeros(layout.n, dtype=bool))
    for part, of_coordinates in zip(found, every, strict=True):
        part[layout.plain_v] = of_coordinates[layout.plain_q]
        for joint in layout.turning:
            part[joint.v] = of_coordinates[joint.q].max()
    return found
