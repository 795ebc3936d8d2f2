"""Whether measured forces can be those of the robot in these states at all, and what may be wrong if not.

A fit always gives numbers, and small standard deviations with them: these assume that only the forces are noisy and
that the states are right. Where the fit leaves a good part of a joint's force, other readings of the same measurements
are tried (angles in degrees, forces in another order, with other signs, or later). Nothing here changes a result.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from loadpath.identification.base import BaseParameters
from loadpath.identification.least_squares import Fit, least_squares
from loadpath.identification.measurements import Measurements, compressed
from loadpath.scalars.types import Bools, Floats

SOME = 0.15
"""Residual over force from which on other readings are tried."""
LITTLE = 0.5
"""Residual over force from which on it is asked why, unless it may be noise."""
MORE_THAN_ALL = 1.1
"""A residual that much larger than the force itself is never noise alone."""
BOTH = 1.3
"""Squares of residual and expected force over the square of the force: 1 if the residual is noise."""
WHITE = 0.7
"""Half the mean square of a signal's steps over its mean square: 1 of white noise, 0 of a smooth signal."""
SMOOTH = 0.05
"""The same of coordinates that are those of one motion, row after row."""
BETTER = 2.0
"""Another reading must leave so many times less, in the mean of all joints, to be mentioned."""
ROWS = 500
"""States by which other readings are compared, more where there are many parameters."""
LAGS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50)
"""Rows by which forces may come later, or earlier, than the states."""
NO_FORCE = 1e-3
"""Forces of joints that are less, as part of the largest, are not compared."""
SCALE = 100.0
"""Forces so many times as large as the given robot's are in another unit."""
_ROUNDING = 1e-14


@dataclass(frozen=True, eq=False)
class Sizes:
    """Root mean squares of each drive force (about its mean where an offset is sought): as measured, as left by the
    fit, as the given robot would have it.
    """

    force: Floats
    residual: Floats
    expected: Floats

    @property
    def share(self) -> Floats:
        """Residual over force; 0 where there is no force."""
        return np.divide(self.residual, self.force, out=np.zeros_like(self.force), where=self.force > 0)


def questions(
    base: BaseParameters, data: Measurements, sizes: Sizes, left: Floats, noisy: list[str], *, offsets: bool
) -> list[str]:
    """What is to be asked about a fit; `left` (states, n) is what it leaves of the forces, row by row, and `noisy` what
    is asked about the states already.
    """
    names, share = base.robot.dof_names, sizes.share
    ordered = is_ordered(base, data)
    found = list(noisy)
    unexplained = (share > LITTLE) & ~_may_be_noise(sizes, left, ordered)
    if (share > SOME).any() and (better := _better_reading(base, data, offsets)):
        return [f"{_what_is_left(names, sizes, share > SOME)}; {better}", *found]
    if unexplained.any():
        why = "" if found else (": are all angles in radians, are the columns in the order of the robot's joints, and "
                                "are the speeds and accelerations free of noise?")
        found.insert(0, f"{_what_is_left(names, sizes, unexplained)}{why}")
    return found


def question_of_scale(names: Sequence[str], sizes: Sizes) -> str:
    """Whether all forces are in another unit. A joint with next to no force, as a passive one, does not tell."""
    known = sizes.expected > NO_FORCE * sizes.expected.max(initial=0.0)
    ratio = sizes.force[known] / sizes.expected[known]
    if len(ratio) and np.median(ratio) > SCALE:
        return (
            f"the forces are {np.median(ratio):.3g} times as large as those of the given robot (in the median of the "
            f"joints; '{names[int(np.argmax(known))]}': {sizes.force[known][0]:.3g} instead of "
            f"{sizes.expected[known][0]:.3g} rms): N mm?"
        )
    return ""


def _what_is_left(names: Sequence[str], sizes: Sizes, which: Bools) -> str:
    parts = [
        f"{max(0.0, 1 - sizes.share[k] ** 2):.0%} of '{names[k]}' (residual {sizes.residual[k]:.3g} where the force is "
        f"{sizes.force[k]:.3g} rms)"
        for k in np.flatnonzero(which).tolist()
    ]
    more = f" and {len(parts) - 3} more" if len(parts) > 3 else ""
    return (
        f"the fit explains only {', '.join(parts[:3])}{more}, so its values and standard deviations are not to be "
        "believed"
    )


def _may_be_noise(sizes: Sizes, left: Floats, ordered: bool) -> Bools:
    """Whether a residual may be noise of the force: it is white, or the force is as much larger than expected."""
    noise = sizes.share**2 + (sizes.expected / np.maximum(sizes.force, 1e-300)) ** 2 < BOTH
    if ordered:
        noise |= _roughness(left) > WHITE
    result: Bools = noise & (sizes.share < MORE_THAN_ALL)
    return result


def _roughness(values: Floats) -> Floats:
    """Half the mean square of the steps over the mean square, of each column; 0 of a column of zeros."""
    square = np.mean(values**2, axis=0)
    steps = np.mean(np.diff(values, axis=0) ** 2, axis=0) / 2
    result: Floats = np.divide(steps, square, out=np.zeros_like(steps), where=square > 0)
    return result


def is_ordered(base: BaseParameters, data: Measurements) -> bool:
    """Whether the rows follow each other in time, so that neighbours are alike."""
    if len(data) < 20:
        return False
    q = data.q - data.q.mean(axis=0)
    return bool((_roughness(q) < SMOOTH).all()) and base.robot.n > 0


# Other readings


class _Normal(NamedTuple):
    """All that least squares needs of some states, for each joint's rows and each column of forces."""

    matrix: Floats
    """(n, p, p): Y' Y of each joint."""
    right: Floats
    """(n, n, p): Y' tau, of each joint with each column."""
    squares: Floats
    """(n, n): tau' tau, less what is known of each joint."""

    @classmethod
    def of(cls, base: BaseParameters, data: Measurements, offsets: bool) -> _Normal:
        return next(cls.of_forces(base, data, [np.asarray(data.tau)], offsets))

    @classmethod
    def of_forces(
        cls, base: BaseParameters, data: Measurements, forces: Iterable[Floats], offsets: bool
    ) -> Iterator[_Normal]:
        """Those of the same states with each of several forces."""
        Y = np.moveaxis(base.parameters.regressor(data.q, data.qd, data.qdd)[..., list(base.grouping.kept)], 1, 0)
        known = base.parameters.known_forces(data.q, data.qd, data.qdd)
        of_joints = np.broadcast_to(known, data.qd.shape)[:, :, None]
        if offsets:  # the best ones are out when the means are
            Y = Y - Y.mean(axis=1, keepdims=True)
        matrix = np.swapaxes(Y, 1, 2) @ Y
        for force in forces:
            tau = force[:, None, :] - of_joints  # states, joint, column
            tau = tau - tau.mean(axis=0) if offsets else tau
            yield cls(matrix, np.einsum("jsp,sjk->jkp", Y, tau), np.einsum("sjk,sjk->jk", tau, tau))

    def left(self, columns: Sequence[int], signs: Floats) -> Floats:
        """What a fit of all joints leaves of each joint's force (sum of squares), the forces being those columns with
        those signs. Joints are weighted by what the fit before left.
        """
        joints = np.arange(len(columns))
        right, squares = self.right[joints, columns] * signs[:, None], self.squares[joints, columns]
        weight = 1 / np.maximum(squares, 1e-300)
        left = squares
        for _ in range(4):
            values = np.linalg.lstsq(np.tensordot(weight, self.matrix, axes=1), weight @ right, rcond=1e-12)[0]
            left = np.einsum("p,jpk,k->j", values, self.matrix, values) - 2 * right @ values + squares
            left = np.maximum(left, _ROUNDING * squares)
            weight = 1 / np.maximum(left, 1e-300)
        return left

    def order(self) -> list[int]:
        """For each joint the column of forces that its own rows explain best, each column once."""
        from scipy.optimize import linear_sum_assignment

        cost = np.zeros(self.squares.shape)
        for joint, matrix in enumerate(self.matrix):
            values = np.linalg.lstsq(matrix, self.right[joint].T, rcond=1e-12)[0]
            left = self.squares[joint] - np.einsum("kp,pk->k", self.right[joint], values)
            share = left / np.maximum(self.squares[joint], 1e-300)
            cost[joint] = np.log(np.maximum(share, _ROUNDING))
        return [int(k) for k in linear_sum_assignment(cost)[1]]


def _better_reading(base: BaseParameters, data: Measurements, offsets: bool) -> str:
    """The question of the reading that explains far more than the given one, if there is one."""
    n = base.robot.n
    count = max(ROWS, 5 * base.number)
    lags = [lag for lag in LAGS if lag < len(data) / 20] if is_ordered(base, data) else []
    most = max(lags, default=0)
    rows = np.unique(np.linspace(most, len(data) - 1 - most, count).astype(int))
    tau = np.asarray(data.tau)
    some = Measurements(data.q[rows], data.qd[rows], data.qdd[rows], tau[rows])
    given = _Normal.of(base, some, offsets)
    before = given.left(range(n), np.ones(n))
    shifts = [sign * lag for lag in lags for sign in (1, -1)]
    shifted = _Normal.of_forces(base, some, (tau[rows + shift] for shift in shifts), offsets)
    later = [(f"tau of {abs(shift)} row{'s' * (abs(shift) > 1)} {'later' if shift > 0 else 'earlier'}",
              normal.left(range(n), np.ones(n))) for shift, normal in zip(shifts, shifted, strict=True)]
    best, found = BETTER, ""
    for words, after in (*_readings(base, some, given, offsets), *later):
        gain = math.exp(float(np.mean(np.log(np.maximum(before, 1e-300) / np.maximum(after, 1e-300)))) / 2)
        if gain > best:
            best, found = gain, f"{words} would leave {gain:.3g} times less: is that how they were measured?"
    return found


def _readings(
    base: BaseParameters, data: Measurements, given: _Normal, offsets: bool
) -> Iterator[tuple[str, Floats]]:
    """Other readings in words, and what a fit leaves with each."""
    robot = base.robot
    n, forward = robot.n, np.ones(robot.n)
    turning = [a for joint in robot.joints if joint.mimic is None for a in joint.motion.angular]
    if any(turning) and robot.nq == n:
        degree = np.where(turning, math.pi / 180, 1.0)
        yield "q in degrees", _Normal.of(base, replace(data, q=data.q * degree), offsets).left(range(n), forward)
        all_three = Measurements(data.q * degree, data.qd * degree, data.qdd * degree, data.tau)
        yield "q, qd and qdd in degrees", _Normal.of(base, all_three, offsets).left(range(n), forward)
    order = given.order()
    if order != list(range(n)):
        names = ", ".join(robot.dof_names[order.index(k)] for k in range(n))
        yield f"columns of tau in the order {names}", given.left(order, forward)
    for k in range(n if n > 1 else 0):  # the sign of all forces at once makes no difference to least squares
        signs = np.where(np.arange(n) == k, -1.0, 1.0)
        yield f"tau of '{robot.dof_names[k]}' with the opposite sign", given.left(range(n), signs)


# Noise in the measured speeds and accelerations, which least squares takes as exact.
#
# Positions are measured, speeds and accelerations differentiated from them, and what noise the positions had is
# magnified. In the regressor it makes the values too small and their standard deviations meaningless. How much of a
# signal is noise is seen against a smooth curve through its neighbours, whatever the noise's colour. Whether it
# matters is seen by trial: all signals are smoothed alike, which leaves a right fit as it is, and the values must not
# move.

NOISY = 0.3
"""Share of noise in speeds or accelerations that spoils any fit."""
SOME_NOISE = 0.01
"""Share of noise from which on it is tried whether the values depend on it."""
MOVED = 4.0
"""Standard deviations by which smoothing may move a value."""
WINDOW, DEGREE = 11, 5
"""Rows and degree of the smooth curve, which is within 0.3 % of a sine of 15 rows or more."""
CAUGHT = 0.88
"""Share of noise that differs from the curve: 0.82 of white noise, 0.96 of noise that was differentiated twice."""


def questions_of_noise(
    base: BaseParameters, data: Measurements, offsets: bool, units: Floats, fit: Fit
) -> Iterator[str]:
    """What is to be asked about speeds and accelerations whose rows follow each other in time."""
    if len(data) < 2 * WINDOW:
        return
    names = base.robot.dof_names
    some = False
    for what, values in (("speeds (qd)", data.qd), ("accelerations (qdd)", data.qdd)):
        noise, size = noise_in(values), np.sqrt(np.mean(values**2, axis=0))
        share = np.divide(noise, size, out=np.zeros_like(size), where=size > 0)
        k = int(np.argmax(share))
        some |= bool(share[k] > SOME_NOISE)
        if share[k] > NOISY:
            yield (
                f"the {what} are noisy: of '{names[k]}' {noise[k]:.3g} of {size[k]:.3g} rms differ from row to row "
                "like noise; least squares takes them as exact, which makes its values too small and its standard "
                "deviations wrong: filter q before it is differentiated, and tau alike"
            )
            return
    if some and (moved := _moved(base, data, offsets, units, fit)):
        group, before, after, deviations = moved
        yield (
            f"noise in the speeds and accelerations moves the values: {group} is {before:.4g}, and {after:.4g} if all "
            f"signals are smoothed over {WINDOW} rows, {deviations:.1f} standard deviations away; least squares takes "
            "qd and qdd as exact: filter q before it is differentiated, and tau alike"
        )


def noise_in(values: Floats) -> Floats:
    """Standard deviation of the noise in each column, about a smooth curve through its rows. Single jumps do not count.

    Noise is found whatever its colour: white, or differentiated once or twice.

    >>> noise = np.random.default_rng(0).normal(0, 0.1, (5000, 1))
    >>> smooth = np.sin(np.linspace(0, 60, 5000))[:, None]
    >>> [float(noise_in(smooth + part)[0].round(1)) for part in (noise, np.gradient(noise, axis=0) * 2**0.5)]
    [0.1, 0.1]
    """
    from scipy.signal import savgol_filter

    left = values - savgol_filter(values, WINDOW, DEGREE, axis=0)
    found: Floats = 1.4826 * np.median(np.abs(left), axis=0) / CAUGHT
    return found


def _moved(
    base: BaseParameters, data: Measurements, offsets: bool, units: Floats, fit: Fit
) -> tuple[str, float, float, float] | None:
    """The base parameter that smoothing moves most, if it moves one: its name, value, value then, and how far in
    standard deviations.
    """
    from scipy.signal import savgol_filter

    if base.robot.nq != base.robot.n:
        return None  # unit quaternions are not smoothed number by number
    signals = (data.q, data.qd, data.qdd, np.asarray(data.tau))
    smooth = Measurements(*(savgol_filter(values, WINDOW, DEGREE, axis=0) for values in signals))
    rows = compressed(base, smooth, offsets=offsets)
    again = least_squares(rows, units, "by noise")
    deviation = np.sqrt(np.diag(fit.covariance))
    moved = np.abs(again.values - fit.values) / deviation
    k = int(np.argmax(moved))
    if moved[k] <= MOVED:
        return None
    return base.groups[k], float(fit.values[k] * units[k]), float(again.values[k] * units[k]), float(moved[k])
