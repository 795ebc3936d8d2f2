"""Quaternions x, y, z, w over any scalar: products, rotation matrices and rotation vectors.

No function branches, so all kinds of scalars can take them. Where a formula divides by the length of a vector that
may be zero, the length is taken of a vector `TINY` longer in an additional direction: ratios like sin(x)/x are 1 to
the last digit for both.
"""

from __future__ import annotations

from loadpath.scalars.algebra import Array, Scalar, array, cross, dot, scale
from loadpath.scalars.functions import atan2, cos, sign, sin, sqrt

TINY = 1e-15


def length(v: Array) -> Scalar:
    """Length of a vector, never zero."""
    return sqrt(dot(v, v) + TINY * TINY)


def conjugate(quaternion: Array) -> Array:
    """The inverse rotation, of the same length."""
    x, y, z, w = quaternion
    return array([-x, -y, -z, w])


def product(a: Array, b: Array) -> Array:
    """The quaternion of rotation a followed, in the turned axes, by rotation b."""
    p, q = a[:3], b[:3]
    return array([*(scale(a[3], q) + scale(b[3], p) + cross(p, q)), a[3] * b[3] - dot(p, q)])


def unit(quaternion: Array) -> Array:
    """The same rotation by a quaternion of length one.

    >>> unit(array([0.0, 0.0, 0.0, 2.0])).tolist()
    [0.0, 0.0, 0.0, 1.0]
    """
    return scale(1.0 / sqrt(dot(quaternion, quaternion)), quaternion)


def rotation_matrix(quaternion: Array) -> Array:
    """The rotation matrix of a quaternion of any length but zero: only its direction counts.

    >>> rotation_matrix(array([0.0, 0.0, 2.0, 0.0])).tolist()        # half a turn about z
    [[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    x, y, z, w = quaternion
    k = 2.0 / (x * x + y * y + z * z + w * w)
    kx, ky, kz = k * x, k * y, k * z
    return array(
        [
            [1.0 - (ky * y + kz * z), kx * y - kz * w, kx * z + ky * w],
            [kx * y + kz * w, 1.0 - (kx * x + kz * z), ky * z - kx * w],
            [kx * z - ky * w, ky * z + kx * w, 1.0 - (kx * x + ky * y)],
        ]
    )


def exponential(turn: Array) -> Array:
    """The quaternion of a rotation vector: axis times angle.

    >>> exponential(array([0.0, 0.0, 0.0])).tolist()
    [0.0, 0.0, 0.0, 1.0]
    """
    angle = length(turn)
    return array([*scale(sin(0.5 * angle) / angle, turn), cos(0.5 * angle)])


def logarithm(quaternion: Array) -> Array:
    """The rotation vector, at most half a turn long, of a quaternion of any length but zero.

    >>> logarithm(array([1.0, 0.0, 0.0, 0.0])).tolist()        # half a turn
    [3.141592653589793, 0.0, 0.0]
    """
    xyz, w = quaternion[:3], quaternion[3]
    side = sign(w)
    side = side + (1.0 - side * side)  # either will do for w = 0, but not none
    sine = length(xyz)
    return scale(side * 2.0 * atan2(sine, side * w) / sine, xyz)


def screw_displacement(linear: Array, turn: Array) -> Array:
    """Displacement, in the axes at the beginning, by a velocity constant in axes that turn by `turn` meanwhile.

    V v = v + (1 - cos a)/a^2 w x v + (1 - sin(a)/a)/a^2 w x (w x v), with a the length of w.
    """
    angle = length(turn)
    half = sin(0.5 * angle) / angle
    swing = cross(turn, linear)
    factor = (1.0 - sin(angle) / angle) / (angle * angle)
    result: Array = linear + scale(2.0 * half * half, swing) + scale(factor, cross(turn, swing))
    return result


def screw_velocity(displacement: Array, turn: Array) -> Array:
    """The constant velocity in turning axes that gives a displacement: the inverse of `screw_displacement`.

    V^-1 d = d - w x d / 2 + (1 - a/2 cot(a/2))/a^2 w x (w x d).
    """
    angle = length(turn)
    swing = cross(turn, displacement)
    factor = (1.0 - 0.5 * angle * cos(0.5 * angle) / sin(0.5 * angle)) / (angle * angle)
    result: Array = displacement - scale(0.5, swing) + scale(factor, cross(turn, swing))
    return result
