"""How far the loops are from closed, in the directions that their joints hold."""

from __future__ import annotations

from loadpath.algorithms.loops.paths import relative_placement
from loadpath.robot.mechanism import ClosedLoop, Mechanism
from loadpath.scalars import Array, Scalar, array, dot, is_zero, scale, sqrt, zeros


def closure(mechanism: Mechanism, q: Array) -> Array:
    """The residual (m): for each held direction how far the second link is (m, rad) from where the joint would allow
    it, then how far the couplings are from their offsets. Where the loops are closed, its rate is J qd.
    """
    found: list[Scalar] = []
    for loop in mechanism.loops:
        found += [value for value, _ in _of_loop(mechanism, q, loop)]
    return array([*found, *_of_couplings(mechanism, q)])


def closure_sizes(mechanism: Mechanism, q: Array) -> Array:
    """(loops and couplings, 2): how far each is from closed, by length (m) and by angle (rad)."""
    sizes = zeros(len(mechanism.loops) + len(mechanism.coupling_rows), 2)
    for k, loop in enumerate(mechanism.loops):
        sizes[k] = _root(_squares(_of_loop(mechanism, q, loop)))
    turning = angular_speeds(mechanism)
    for k, value in enumerate(_of_couplings(mechanism, q)):
        sizes[len(mechanism.loops) + k] = _root(_squares([(value, _is_angle(mechanism, k, turning))]))
    return sizes


def total_closure(mechanism: Mechanism, q: Array) -> tuple[Scalar, Scalar]:
    """Root of the sum of squares of all residuals, of lengths and of angles."""
    turning = angular_speeds(mechanism)
    parts = [part for loop in mechanism.loops for part in _of_loop(mechanism, q, loop)]
    parts += [(value, _is_angle(mechanism, k, turning)) for k, value in enumerate(_of_couplings(mechanism, q))]
    length, angle = _root(_squares(parts))
    return length, angle


def _of_loop(mechanism: Mechanism, q: Array, loop: ClosedLoop) -> list[tuple[Scalar, bool]]:
    """For each held direction its residual, and whether that is an angle."""
    Q, b = relative_placement(mechanism, q, loop)
    turn, place = loop.motion.nearest(Q, b)
    directions = loop.motion.held(Q, b)
    shift = Q.T @ (b - place)
    turned = zeros(3)
    if turn is not Q and any(not is_zero(x) for torque, _ in directions for x in torque):
        E = turn.matrix().T @ Q.matrix()
        # Twice the tangent of half the angle, along the axis: grows without end towards half a turn.
        factor = 2.0 / (1.0 + E[0, 0] + E[1, 1] + E[2, 2])
        turned = scale(factor, array([E[2, 1] - E[1, 2], E[0, 2] - E[2, 0], E[1, 0] - E[0, 1]]))
    return [
        (dot(torque, turned) + dot(force, shift), all(is_zero(x) for x in force)) for torque, force in directions
    ]


def _of_couplings(mechanism: Mechanism, q: Array) -> list[Scalar]:
    together = zip(mechanism.coupling_positions, mechanism.coupling_offsets, strict=True)
    return [dot(factors, q) - offset for factors, offset in together]


def _is_angle(mechanism: Mechanism, coupling: int, turning: list[bool]) -> bool:
    """Whether a coupling is between angles; one of an angle and a length counts by the length."""
    factors = mechanism.coupling_rows[coupling]
    return all(angular for factor, angular in zip(factors, turning, strict=True) if not is_zero(factor))


def angular_speeds(mechanism: Mechanism) -> list[bool]:
    """For every speed whether it is an angular one."""
    turning = [False] * mechanism.n
    for body in mechanism.bodies:
        if body.joint.mimic is None:
            turning[body.v] = body.motion.angular
    return turning


def _squares(parts: list[tuple[Scalar, bool]]) -> tuple[Scalar, Scalar]:
    sums: list[Scalar] = [0.0, 0.0]
    for value, angular in parts:
        sums[angular] = sums[angular] + value * value
    return sums[0], sums[1]


def _root(squares: tuple[Scalar, Scalar]) -> Array:
    return array([x if is_zero(x) else sqrt(x) for x in squares])
