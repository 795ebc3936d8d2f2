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
from loadpath.identification.measurements import Measurements
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
