"""One step towards a closed configuration: damped least squares in the manner of Levenberg and Marquardt.

The coordinates that are held keep their values, all others move. Rows are what is left open: the residuals of loops and
couplings, and how far links are from the poses they are to take. Lengths count in units of the robot's size, so that
the same numbers serve a crane and a watch. Damping goes with the square of the error, as for an open arm (see
`loadpath.algorithms.pose_steps`): near the goal the step is that of Newton and Gauss, which closes loops to rounding,
also where loops hold more directions than there are to hold.
"""

from __future__ import annotations

import math

from loadpath.algorithms.loops import closure, constraint_jacobian, constraint_rate
from loadpath.algorithms.loops.completion import completed, constraints
from loadpath.algorithms.loops.paths import length_of
from loadpath.algorithms.loops.residual import angular_speeds
from loadpath.algorithms.pose_steps import (
    between,
    bounds,
    coordinate_of_speed,
    error_sizes,
    freedom_at_limit,
    pose_error,
)
from loadpath.mechanics.configuration import integrate
from loadpath.mechanics.kinematics import frame_placement, jacobian, placements
from loadpath.robot.mechanism import Mechanism
from loadpath.scalars import Array, Scalar, array, dot, is_zero, ltdl, scale, sqrt, zeros

DAMPING = 0.05
LEAST_DAMPING = 1e-9
"""Keeps the system regular where rows depend on one another; loops close to rounding in spite of it."""


def assembly_step(
    mechanism: Mechanism, q: Array, free: Array, caution: Scalar, *, limits: bool, size: float
) -> tuple[Array, Scalar]:
    """The next q, and how far the loops of the present q are from closed (lengths in units of `size`).

    `free` (n) is 1 for speeds whose coordinates may move and 0 for those held; `caution` is a factor of the damping.
    With `limits` none goes beyond those of its joint.
    """
    rows, errors = loop_rows(mechanism, q, size)
    return _step(mechanism, q, free, caution, rows, errors, limits, size)


def posing_step(
    mechanism: Mechanism,
    q: Array,
    free: Array,
    caution: Scalar,
    poses: Array,
    weights: Array,
    *,
    links: tuple[str, ...],
    limits: bool,
    size: float,
) -> tuple[Array, Scalar]:
    """The same where links are to take poses (links, 4, 4) too; `weights` (links, 6) of their errors along and about
    the world's axes.
    """
    rows, errors = loop_rows(mechanism, q, size)
    bodies = placements(mechanism, q)
    for number, link in enumerate(links):
        twist = pose_error(frame_placement(mechanism, bodies, mechanism.link_frames[link]), poses[number]).twist
        J = jacobian(mechanism, q, link)
        for i in range(6):
            weight = weights[number, i] * (1.0 / size if i < 3 else 1.0)
            rows.append(array([weight * entry for entry in J[i]]))
            errors.append(-(weight * twist[i]))
    return _step(mechanism, q, free, caution, rows, errors, limits, size)


def pose_errors(
    mechanism: Mechanism, q: Array, poses: Array, weights: Array, *, links: tuple[str, ...]
) -> Array:
    """(links, 2): distance (m) and angle (rad) from the poses that links are to take, along axes with a weight."""
    bodies = placements(mechanism, q)
    found = zeros(len(links), 2)
    for number, link in enumerate(links):
        error = pose_error(frame_placement(mechanism, bodies, mechanism.link_frames[link]), poses[number])
        counts = array([_counts(weights[number, i]) for i in range(6)])
        found[number, :] = error_sizes(error, counts, counts)[:2]
    return found


def completion_and_pivot(mechanism: Mechanism, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array, Scalar]:
    """All speeds and accelerations (n) from the independent ones (f), and the smallest pivot: 0 at a dead point."""
    given = constraints(mechanism, q)
    speeds = completed(mechanism, given, qd)
    rates = completed(mechanism, given, qdd, constraint_rate(mechanism, q, speeds))
    return speeds, rates, given.factors.smallest_pivot()


def _counts(weight: Scalar) -> Scalar:
    """1 for a weight, 0 for none."""
    return weight / sqrt(weight * weight + 1e-300)


def loop_rows(mechanism: Mechanism, q: Array, size: float) -> tuple[list[Array], list[Scalar]]:
    """The rows of loops and couplings, and their residuals, lengths in units of `size`."""
    J, residual = constraint_jacobian(mechanism, q), closure(mechanism, q)
    scales = row_scales(mechanism, size)
    rows = [scale(factor, J[i]) for i, factor in enumerate(scales)]
    return rows, [factor * residual[i] for i, factor in enumerate(scales)]


def loop_lengths(mechanism: Mechanism, size: float) -> list[float]:
    """Lengths (m) against which loops, then couplings, count as open: of the loop itself, or of the robot if less."""
    loops = [min(size, length_of(mechanism, loop)) for loop in mechanism.loops]
    return loops + [size] * len(mechanism.coupling_rows)


def row_scales(mechanism: Mechanism, size: float) -> list[float]:
    """Factors that make the residuals of loops and couplings plain numbers: 1/size for those that are lengths, or one
    over the length of the loop, if that is less. Couplings are divided by their largest factor.
    """
    turning = angular_speeds(mechanism)
    scales: list[float] = []
    for loop, length in zip(mechanism.loops, loop_lengths(mechanism, size), strict=False):
        Q, b = loop.motion.placement(array(list(loop.motion.neutral())))
        angles = [all(is_zero(x) for x in force) for _, force in loop.motion.held(Q, b)]
        scales += [1.0 if angle else 1.0 / length for angle in angles]
    for row in mechanism.coupling_rows:
        given = [(abs(float(factor)), turns) for factor, turns in zip(row, turning, strict=True) if not is_zero(factor)]
        scales.append(1.0 / max(factor if turns else factor * size for factor, turns in given))
    return scales


def _step(
    mechanism: Mechanism,
    q: Array,
    free: Array,
    caution: Scalar,
    rows: list[Array],
    errors: list[Scalar],
    limits: bool,
    size: float,
) -> tuple[Array, Scalar]:
    n, m = mechanism.n, len(rows)
    at, ends, turning = coordinate_of_speed(mechanism), bounds(mechanism), angular_speeds(mechanism)
    columns = zeros(m, n)
    pull = zeros(n)
    for k in range(n):
        unit = 1.0 if turning[k] else size
        column = array([(unit * free[k]) * row[k] if not is_zero(row[k]) else 0.0 for row in rows])
        pull[k] = -dot(column, errors)
        if limits and any(math.isfinite(end) for end in ends[k]):
            unlocked = freedom_at_limit(q[at[k]], pull[k], *ends[k])
            column, pull[k] = scale(unlocked, column), unlocked * pull[k]
        columns[:, k] = column
    square = dot(errors, errors)
    damping = DAMPING * caution * square + LEAST_DAMPING
    step = _damped(columns, array(errors), pull, damping)
    speeds = array([(1.0 if turning[k] else size) * step[k] for k in range(n)])
    moved = integrate(mechanism, q, speeds)
    if limits:
        for k in range(n):
            if any(math.isfinite(end) for end in ends[k]):
                moved[at[k]] = free[k] * between(moved[at[k]], *ends[k]) + (1.0 - free[k]) * q[at[k]]
    return moved, sqrt(square)


def _damped(columns: Array, errors: Array, pull: Array, damping: Scalar) -> Array:
    """The least step x, by the smaller of the two systems: (A'A + d 1) x = -A'e, or x = -A'(A A' + d 1)^-1 e."""
    m, n = columns.shape
    if n <= m:
        A = _gram([columns[:, k] for k in range(n)], damping)
        return ltdl(A).solve(pull)
    y = ltdl(_gram([columns[i] for i in range(m)], damping)).solve(array([-entry for entry in errors]))
    return array([dot(columns[:, k], y) for k in range(n)])


def _gram(vectors: list[Array], damping: Scalar) -> Array:
    """Products of all pairs, and the damping on the diagonal."""
    count = len(vectors)
    A = zeros(count, count)
    for i in range(count):
        for j in range(i + 1):
            A[i, j] = A[j, i] = dot(vectors[i], vectors[j])
        A[i, i] = A[i, i] + damping
    return A
