"""One step towards a pose: damped least squares in the manner of Levenberg and Marquardt, within joint limits.

The damping goes with the square of the error, as T. Sugihara proposes (Solvability-unconcerned inverse kinematics by
the Levenberg-Marquardt method, IEEE Transactions on Robotics 27 (2011), 984-991): far from the target and near a
singularity the step stays short, close to the target it becomes Newton's.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from loadpath.mechanics.configuration import integrate
from loadpath.mechanics.kinematics import Placement, frame_placement, jacobian, placements
from loadpath.robot.mechanism import BASE, Mechanism
from loadpath.scalars import Array, Scalar, array, atan2, dot, ltdl, scale, sign, sqrt, vector, zeros
from loadpath.scalars.quaternion import TINY, length

DAMPING = 0.05
"""Damping per square of the error. Of 0.5 (Sugihara), 0.1, 0.02, 0.004 and 0.001 those in the middle took the fewest
steps on four six- and seven-joint arms, by a third."""
LEAST_DAMPING = 1e-9
AT_LIMIT = 1e-9
"""How near to its limit (rad or m) a coordinate counts as at it."""


def bounds(mechanism: Mechanism) -> list[tuple[float, float]]:
    """For each speed the limits of its coordinate; those of mimicking joints hold for the joint they follow.

    A quaternion has none: limits are of coordinates, and its speeds are not rates of single coordinates.
    """
    result = [(-math.inf, math.inf)] * mechanism.n
    for body in mechanism.bodies:
        if body.motion.coordinates != body.motion.dof or body.multiplier == 0:
            continue
        for k, limits in enumerate(body.joint.limits, start=body.v.start):
            ends = sorted((end - body.offset) / body.multiplier for end in (limits.lower, limits.upper))
            result[k] = max(result[k][0], ends[0]), min(result[k][1], ends[1])
    return result


class PoseError(NamedTuple):
    """How a frame must move to a target."""

    twist: Array
    """(6): displacement and rotation vector, in world axes."""
    hidden: Scalar
    """Square of the angle that the rotation vector does not show: at exactly half a turn it has no direction."""


def pose_error(at: Placement, target: Array) -> PoseError:
    """From where a frame is to a target (4, 4)."""
    rows = [target[i, :3] for i in range(3)]
    away = vector(*(target[i, 3] - at.origin[i] for i in range(3)))
    R = array([[dot(row, axis) for axis in at.rows] for row in rows])  # from where it points to where it should
    sines = scale(0.5, vector(R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]))
    sine = length(sines)
    angle = atan2(sine, 0.5 * (R[0, 0] + R[1, 1] + R[2, 2] - 1.0))
    short = angle * TINY / sine
    return PoseError(array([*away, *scale(angle / sine, sines)]), short * short)


def error_sizes(error: PoseError, counts: Array, weights: Array) -> Array:
    """Distance and angle along and about the axes that count (1, else 0), and the weighted error."""
    squares = [x * x for x in error.twist]
    about = 1.0 - (1.0 - counts[3]) * (1.0 - counts[4]) * (1.0 - counts[5])  # whether any rotation counts
    distance = dot(counts[:3], squares[:3])
    angle = dot(counts[3:], squares[3:]) + about * error.hidden
    weighted = dot([w * w for w in weights], squares) + dot(weights[3:], weights[3:]) * error.hidden
    return array([sqrt(distance), sqrt(angle), sqrt(weighted)])


def inverse_kinematics_step(
    mechanism: Mechanism, q: Array, target: Array, weights: Array, counts: Array, link: str
) -> tuple[Array, Array]:
    """The next q, and of the present q distance and angle from the target and the weighted error.

    With J and e the weighted Jacobian and error, dq = J^T (J J^T + damping 1)^-1 e. Joints at a limit that the error
    would push beyond take no part, and none goes beyond its limits.
    """
    frame = mechanism.link_frames[link]
    error = pose_error(frame_placement(mechanism, placements(mechanism, q), frame), target)
    J = jacobian(mechanism, q, link)
    e = array([weights[i] * error.twist[i] for i in range(6)])
    limits = bounds(mechanism)
    at = coordinate_of_speed(mechanism)
    columns: dict[int, Array] = {}
    for k in moving_speeds(mechanism, link):
        column = array([weights[i] * J[i, k] for i in range(6)])
        lower, upper = limits[k]
        if math.isfinite(lower) or math.isfinite(upper):
            column = scale(freedom_at_limit(q[at[k]], dot(column, e), lower, upper), column)
        columns[k] = column
    damping = DAMPING * dot(e, e) + LEAST_DAMPING
    A = zeros(6, 6)
    for i in range(6):
        for j in range(i + 1):
            A[i, j] = A[j, i] = dot((c[i] for c in columns.values()), (c[j] for c in columns.values()))
        A[i, i] = A[i, i] + damping
    y = ltdl(A).solve(e)
    step = zeros(mechanism.n)
    for k, column in columns.items():
        step[k] = dot(column, y)
    moved = integrate(mechanism, q, step)
    for k in columns:
        moved[at[k]] = between(moved[at[k]], *limits[k])
    return moved, error_sizes(error, counts, weights)


def moving_speeds(mechanism: Mechanism, link: str) -> list[int]:
    """Numbers of the speeds that move a link."""
    speeds: set[int] = set()
    i = mechanism.link_frames[link].body
    while i != BASE:
        speeds.update(range(mechanism.bodies[i].v.start, mechanism.bodies[i].v.stop))
        i = mechanism.bodies[i].parent
    return sorted(speeds)


def coordinate_of_speed(mechanism: Mechanism) -> dict[int, int]:
    """For each speed that is the rate of a coordinate, the number of that; any number for the others."""
    at: dict[int, int] = {}
    for body in mechanism.bodies:
        if body.joint.mimic is None:
            for k in range(body.motion.dof):
                at[body.v.start + k] = body.q.start + k
    return at


def not_negative(x: Scalar) -> Scalar:
    """1 where x is zero or more, else 0."""
    s = sign(x)
    return 0.5 * (1.0 + s) + 0.5 * (1.0 - s * s)


def freedom_at_limit(q: Scalar, push: Scalar, lower: float, upper: float) -> Scalar:
    """0 where a coordinate is at a limit and pushed beyond it, else 1."""
    free: Scalar = 1.0
    if math.isfinite(upper):
        free = free - not_negative(q - (upper - AT_LIMIT)) * not_negative(push)
    if math.isfinite(lower):
        free = free - not_negative((lower + AT_LIMIT) - q) * not_negative(-push)
    return free


def between(x: Scalar, lower: float, upper: float) -> Scalar:
    """x, but not beyond the limits."""
    if math.isfinite(upper):
        x = 0.5 * (x + upper - (x - upper) * sign(x - upper))
    if math.isfinite(lower):
        x = 0.5 * (x + lower + (x - lower) * sign(x - lower))
    return x
