"""The directions that a loop's joint holds, and their rates where they change with the pose (a universal joint's)."""

from __future__ import annotations

from loadpath.robot.joints import JointType
from loadpath.scalars import Array, MatrixRotation, Rotation, Scalar, array, is_zero, zeros
from loadpath.scalars.dual import Dual, partial_of

Directions = list[tuple[Array, Array]]
"""For each held direction a unit wrench: torque and force, in the axes of the frame `on`."""


def held_rates(motion: JointType, Q: Rotation, b: Array, omega: Array, v: Array) -> Directions:
    """Rates of the held directions of a joint that is at (Q, b) and moves with the twist (omega, v), in `on` axes."""
    turn = Q.matrix()
    x, y, z = omega
    spin = array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    moving_turn, moving_b = _moving(turn, turn @ spin), _moving(b, Q @ v)
    moving = motion.held(MatrixRotation(moving_turn), moving_b)
    return [(_rate(torque), _rate(force)) for torque, force in moving]


def _moving(values: Array, rates: Array) -> Array:
    result = zeros(*values.shape)
    for index, value in enumerate(values.flat):
        rate: Scalar = rates.flat[index]
        result.flat[index] = value if is_zero(rate) else Dual(value, {0: rate})
    return result


def _rate(of: Array) -> Array:
    return array([partial_of(x, 0) for x in of])
