"""Between the coordinates of a joint as functions of time and its speeds, which differ where there is a quaternion.

A joint says how its speeds move its coordinates, dq/dt = E(q) qd. Here that is solved for the speeds, and
differentiated once more for the accelerations; the joint's own equation is all that is used of it. States are rows.
"""

from __future__ import annotations

import numpy as np

from loadpath.robot.joints import JointType
from loadpath.scalars import array
from loadpath.scalars.dual import Dual, partial_of
from loadpath.scalars.types import Floats


def coordinate_rates(motion: JointType, q: Floats, qd: Floats, qdd: Floats) -> tuple[Floats, Floats]:
    """First and second derivative by time of a joint's coordinates (states, coordinates)."""
    rate = _rate(motion, q, qd)
    return rate, _rate_of_rate(motion, q, rate, qd, qdd)


def speeds(motion: JointType, q: Floats, rate: Floats, second: Floats) -> tuple[Floats, Floats]:
    """Speeds and accelerations of a joint from the derivatives of its coordinates, whose quaternions must be units
    (`of_unit_quaternion`).
    """
    columns = np.stack([_rate(motion, q, np.broadcast_to(e, (len(q), motion.dof))) for e in np.eye(motion.dof)], -1)
    transposed = columns.swapaxes(-1, -2)
    normal = transposed @ columns

    def solved(right: Floats) -> Floats:
        return np.asarray(np.linalg.solve(normal, transposed @ right[..., None])[..., 0], dtype=float)

    qd = solved(rate)
    return qd, solved(second - _rate_of_rate(motion, q, _rate(motion, q, qd), qd, np.zeros_like(qd)))


def of_unit_quaternion(q: Floats, rate: Floats, second: Floats) -> tuple[Floats, Floats, Floats]:
    """A quaternion over time (the last four columns) and its derivatives, made a unit quaternion at every time.

    The second derivative lacks its part along the quaternion, which only keeps the length: `speeds` does not see it.
    """
    length = np.linalg.norm(q[:, -4:], axis=1, keepdims=True)
    unit, first, twice = q[:, -4:] / length, rate[:, -4:] / length, second[:, -4:] / length
    growth = (unit * first).sum(axis=1, keepdims=True)  # rate of the length, as a share of it
    parts = ((q, unit), (rate, first - growth * unit), (second, twice - 2 * growth * first))
    made = (np.concatenate([all_columns[:, :-4], four], axis=1) for all_columns, four in parts)
    unit_q, unit_rate, unit_second = made
    return unit_q, unit_rate, unit_second


def same_side(quaternions: Floats) -> Floats:
    """Quaternions over time with signs chosen so that neighbours are near: q and -q are the same rotation."""
    flips = np.where((quaternions[1:] * quaternions[:-1]).sum(axis=1) < 0, -1.0, 1.0)
    signs: Floats = np.concatenate([[1.0], np.cumprod(flips)])
    result: Floats = quaternions * signs[:, None]
    return result


def moved(motion: JointType, q: Floats, v: Floats) -> Floats:
    """Coordinates after one unit of time at constant speeds v."""
    return _rows(motion.moved(array(list(q.T)), array(list(v.T))), len(q))


def displacement(motion: JointType, q: Floats, to: Floats) -> Floats:
    """Constant speeds that lead from q to other coordinates in one unit of time."""
    return _rows(motion.displacement(array(list(q.T)), array(list(to.T))), len(q))


def _rate(motion: JointType, q: Floats, qd: Floats) -> Floats:
    return _rows(motion.coordinate_rate(array(list(q.T)), array(list(qd.T))), len(q))


def _rate_of_rate(motion: JointType, q: Floats, rate: Floats, qd: Floats, qdd: Floats) -> Floats:
    """Derivative by time of E(q) qd."""
    coordinates = array([Dual(value, {0: slope}) for value, slope in zip(q.T, rate.T, strict=True)])
    velocities = array([Dual(value, {0: slope}) for value, slope in zip(qd.T, qdd.T, strict=True)])
    return _rows([partial_of(x, 0) for x in motion.coordinate_rate(coordinates, velocities)], len(q))


def _rows(columns: object, count: int) -> Floats:
    return np.stack([np.broadcast_to(np.asarray(column, dtype=float), (count,)) for column in columns], axis=1)  # type: ignore[attr-defined]
