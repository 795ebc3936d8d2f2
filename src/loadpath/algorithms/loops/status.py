"""Whether a result about a closed chain can be trusted, as numbers of the state: closed? moving as the loops allow? is
the motion determined by the independent speeds?
"""

from __future__ import annotations

from typing import NamedTuple

from loadpath.algorithms.loops.completion import Constraints
from loadpath.algorithms.loops.residual import angular_speeds, total_closure
from loadpath.algorithms.loops.rows import constraint_rate
from loadpath.algorithms.loops.sparse import sparse_dot
from loadpath.robot.mechanism import Mechanism
from loadpath.scalars import Array, Scalar, array, is_zero, sqrt


class Status(NamedTuple):
    """The entries of a status, in order."""

    length: Scalar
    """How far the loops are open (m): root of the sum of squares."""
    angle: Scalar
    """The same in angles (rad)."""
    speed: Scalar
    """Speed in the held directions, |J qd|, which the loops forbid (m/s and rad/s together)."""
    speed_scale: Scalar
    """What that speed is made of: root of the sum of squares of the columns of J times their speeds."""
    acceleration: Scalar
    """Acceleration in the held directions, |J qdd + Jdot qd|."""
    acceleration_scale: Scalar
    """What that acceleration is made of."""
    pivot: Scalar
    """How well the independent speeds determine the others: 1 well, 0 at a dead point."""


ENTRIES = len(Status._fields)


def status(
    mechanism: Mechanism, q: Array, given: Constraints, qd: Array | None = None, qdd: Array | None = None
) -> Array:
    """The status of a state; speeds and accelerations count where they are given."""
    return state_of_rows(mechanism, q, given.J, given.factors.smallest_pivot(), qd, qdd)


def state_of_rows(
    mechanism: Mechanism,
    q: Array,
    J: Array,
    pivot: Scalar = 1.0,
    qd: Array | None = None,
    qdd: Array | None = None,
) -> Array:
    """The same from the rows J alone, where no speeds are taken as independent."""
    if not mechanism.rows:  # of a tree: nothing is held
        return array(list(Status(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, pivot)))
    length, angle = total_closure(mechanism, q)
    speeds = accelerations = (0.0, 0.0)
    if qd is not None:
        speeds = _length([sparse_dot(row, qd) for row in J]), _root(_scale(J, qd))
    if qd is not None and qdd is not None:
        accelerations = _accelerations(mechanism, q, J, qd, qdd)
    return array(list(Status(length, angle, *speeds, *accelerations, pivot)))


def _accelerations(mechanism: Mechanism, q: Array, J: Array, qd: Array, qdd: Array) -> tuple[Scalar, Scalar]:
    gamma = constraint_rate(mechanism, q, qd)
    found = [sparse_dot(J[r], qdd) + gamma[r] for r in range(len(gamma))]
    turning: Scalar = 0.0
    for speed, angular in zip(qd, angular_speeds(mechanism), strict=True):
        if angular and not is_zero(speed):
            turning = turning + speed * speed
    # Centripetal accelerations are speeds times angular speeds; they may cancel, so they are not taken from gamma.
    return _length(found), _root(_scale(J, qdd) + _scale(J, qd) * turning)


def _scale(J: Array, values: Array) -> Scalar:
    total: Scalar = 0.0
    for k, value in enumerate(values):
        size = sparse_dot(J[:, k], J[:, k])
        if not is_zero(size) and not is_zero(value):
            total = total + size * (value * value)
    return total


def _length(entries: list[Scalar]) -> Scalar:
    return _root(sparse_dot(entries, entries))


def _root(x: Scalar) -> Scalar:
    return x if is_zero(x) else sqrt(x)
