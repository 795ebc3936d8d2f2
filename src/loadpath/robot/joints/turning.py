"""Joints that turn freely, with a quaternion: spherical, free, a point that stays on a line or a plane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from loadpath.robot.joints.base import Columns, JointType, Tensor, X, Y, Z, across, along, fixed_vector, quaternions_of
from loadpath.robot.numbers import Vector3, unit_vector
from loadpath.scalars import Array, MatrixRotation, Rotation, Scalar, array, cross, scale, zeros
from loadpath.scalars import quaternion as quaternions


def _quaternion_rotation(quaternion: Array) -> Rotation:
    return MatrixRotation(quaternions.rotation_matrix(quaternion))


def _quaternion_rate(quaternion: Array, omega: Array) -> list[Scalar]:
    """Rate of a quaternion for an angular velocity in the turned axes: half the product with it."""
    x, y, z, w = quaternion
    a, b, c = omega
    return [0.5 * (w * a + y * c - z * b), 0.5 * (w * b + z * a - x * c), 0.5 * (w * c + x * b - y * a),
            -0.5 * (x * a + y * b + z * c)]


@dataclass(frozen=True)
class Spherical(JointType):
    """Turns freely: q is a quaternion x, y, z, w; qd the relative angular velocity in the child's axes.

    >>> import loadpath as lp
    >>> lp.Spherical().dof, lp.Spherical().coordinates
    (3, 4)
    """

    dof: ClassVar[int] = 3
    labels: ClassVar[tuple[str, ...]] = ("wx", "wy", "wz")
    angular: ClassVar[tuple[bool, ...]] = (True, True, True)
    twists: ClassVar[tuple[int, ...]] = (0, 1, 2)

    @property
    def coordinates(self) -> int:
        return 4

    @property
    def coordinate_labels(self) -> tuple[str, ...]:
        return ("qx", "qy", "qz", "qw")

    def placement(self, q: Array) -> tuple[Rotation, Array]:
        return _quaternion_rotation(q), zeros(3)

    def subspace(self, q: Array) -> Columns:
        return [(fixed_vector(axis), zeros(3)) for axis in (X, Y, Z)]

    def neutral(self) -> tuple[float, ...]:
        return (0.0, 0.0, 0.0, 1.0)

    def coordinate_rate(self, q: Array, qd: Array) -> Array:
        return array(_quaternion_rate(q, qd))

    def moved(self, q: Array, v: Array) -> Array:
        return quaternions.unit(quaternions.product(q, quaternions.exponential(v)))

    def displacement(self, q: Array, to: Array) -> Array:
        return quaternions.logarithm(quaternions.product(quaternions.conjugate(q), to))

    def normalised(self, q: Array) -> Array:
        return quaternions.unit(q)

    def nearest(self, Q: Rotation, b: Array) -> tuple[Rotation, Array]:
        return Q, zeros(3)

    def coordinates_at(self, turns: Tensor, shifts: Tensor) -> Tensor:
        return quaternions_of(turns)

    def shared_with_parent(self, mass: Scalar, moment: Array, tensor: Array) -> tuple[Scalar, Array, Array]:
        return mass, zeros(3), zeros(3, 3)  # a point mass at the center


@dataclass(frozen=True)
class Free(JointType):
    """Moves freely: q is a position in the parent's axes and a quaternion x, y, z, w; qd the relative velocity
    of the child's origin and its relative angular velocity, both in the child's axes.

    >>> import loadpath as lp
    >>> lp.Free().dof, lp.Free().coordinates
    (6, 7)
    """

    dof: ClassVar[int] = 6
    labels: ClassVar[tuple[str, ...]] = ("vx", "vy", "vz", "wx", "wy", "wz")
    angular: ClassVar[tuple[bool, ...]] = (False, False, False, True, True, True)
    twists: ClassVar[tuple[int, ...]] = (0, 1, 2, 3, 4, 5)

    @property
    def coordinates(self) -> int:
        return 7

    @property
    def coordinate_labels(self) -> tuple[str, ...]:
        return ("x", "y", "z", "qx", "qy", "qz", "qw")

    def placement(self, q: Array) -> tuple[Rotation, Array]:
        return _quaternion_rotation(q[3:]), array(list(q[:3]))

    def subspace(self, q: Array) -> Columns:
        axes = [fixed_vector(axis) for axis in (X, Y, Z)]
        return [(zeros(3), axis) for axis in axes] + [(axis, zeros(3)) for axis in axes]

    def neutral(self) -> tuple[float, ...]:
        return (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)

    def coordinate_rate(self, q: Array, qd: Array) -> Array:
        turn = _quaternion_rotation(q[3:])
        return array([*(turn @ qd[:3]), *_quaternion_rate(q[3:], qd[3:])])

    def moved(self, q: Array, v: Array) -> Array:
        shift = _quaternion_rotation(q[3:]) @ quaternions.screw_displacement(v[:3], v[3:])
        return array([*(q[:3] + shift), *Spherical().moved(q[3:], v[3:])])

    def displacement(self, q: Array, to: Array) -> Array:
        turn = Spherical().displacement(q[3:], to[3:])
        shift = _quaternion_rotation(q[3:]).T @ (to[:3] - q[:3])
        return array([*quaternions.screw_velocity(shift, turn), *turn])

    def nearest(self, Q: Rotation, b: Array) -> tuple[Rotation, Array]:
        return Q, b

    def coordinates_at(self, turns: Tensor, shifts: Tensor) -> Tensor:
        return np.concatenate([shifts, quaternions_of(turns)], axis=-1)

    def normalised(self, q: Array) -> Array:
        return array([*q[:3], *quaternions.unit(q[3:])])


@dataclass(frozen=True)
class PointOnLine(JointType):
    """A point of the child (its joint origin) stays on a line of the parent, along `axis` through the joint's origin,
    and the child turns freely about it. q is the place on the line and a quaternion x, y, z, w; qd the speed along the
    line and the relative angular velocity in the child's axes.

    >>> PointOnLine((1, 0, 0)).dof
    4
    """

    dof: ClassVar[int] = 4
    labels: ClassVar[tuple[str, ...]] = ("slide", "wx", "wy", "wz")
    angular: ClassVar[tuple[bool, ...]] = (False, True, True, True)
    twists: ClassVar[tuple[int, ...]] = (1, 2, 3)
    axis: Vector3 = Z

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit_vector(self.axis, "axis of a point on a line"))

    @property
    def coordinates(self) -> int:
        return 5

    @property
    def coordinate_labels(self) -> tuple[str, ...]:
        return ("slide", "qx", "qy", "qz", "qw")

    def _slides(self) -> tuple[Vector3, ...]:
        """The directions, in parent axes, in which the point can move."""
        return (self.axis,)

    def placement(self, q: Array) -> tuple[Rotation, Array]:
        b = zeros(3)
        slides = self._slides()
        for k, direction in enumerate(slides):
            b = b + scale(q[k], fixed_vector(direction))
        return _quaternion_rotation(q[len(slides) :]), b

    def subspace(self, q: Array) -> Columns:
        turn, _ = self.placement(q)
        slides: Columns = [(zeros(3), turn.T @ fixed_vector(direction)) for direction in self._slides()]
        return slides + [(fixed_vector(axis), zeros(3)) for axis in (X, Y, Z)]

    def subspace_rate(self, q: Array, qd: Array) -> Columns:
        slides = self._slides()
        omega = qd[len(slides) :]
        columns = self.subspace(q)
        turning: Columns = [(zeros(3), cross(linear, omega)) for _, linear in columns[: len(slides)]]
        return turning + [(zeros(3), zeros(3)) for _ in range(3)]

    def nearest(self, Q: Rotation, b: Array) -> tuple[Rotation, Array]:
        return Q, along(self.axis, b)

    def coordinates_at(self, turns: Tensor, shifts: Tensor) -> Tensor:
        return np.concatenate([shifts @ np.array(self._slides()).T, quaternions_of(turns)], axis=-1)

    def held(self, Q: Rotation, b: Array) -> Columns:
        return [(zeros(3), Q.T @ fixed_vector(direction)) for direction in across(self.axis)]

    def neutral(self) -> tuple[float, ...]:
        return (*(0.0 for _ in self._slides()), 0.0, 0.0, 0.0, 1.0)

    def coordinate_rate(self, q: Array, qd: Array) -> Array:
        count = len(self._slides())
        return array([*qd[:count], *_quaternion_rate(q[count:], qd[count:])])

    def moved(self, q: Array, v: Array) -> Array:
        count = len(self._slides())
        return array([*(q[:count] + v[:count]), *Spherical().moved(q[count:], v[count:])])

    def displacement(self, q: Array, to: Array) -> Array:
        count = len(self._slides())
        return array([*(to[:count] - q[:count]), *Spherical().displacement(q[count:], to[count:])])

    def normalised(self, q: Array) -> Array:
        count = len(self._slides())
        return array([*q[:count], *quaternions.unit(q[count:])])


@dataclass(frozen=True)
class PointOnPlane(PointOnLine):
    """A point of the child (its joint origin) stays on a plane of the parent through the joint's origin, `axis` being
    its normal, and the child turns freely about it. q is the place in the plane, along two directions of it, and a
    quaternion x, y, z, w; qd their speeds and the relative angular velocity in the child's axes.

    >>> PointOnPlane((0, 0, 1)).labels
    ('x', 'y', 'wx', 'wy', 'wz')
    """

    dof: ClassVar[int] = 5
    labels: ClassVar[tuple[str, ...]] = ("x", "y", "wx", "wy", "wz")
    angular: ClassVar[tuple[bool, ...]] = (False, False, True, True, True)
    twists: ClassVar[tuple[int, ...]] = (2, 3, 4)

    @property
    def coordinates(self) -> int:
        return 6

    @property
    def coordinate_labels(self) -> tuple[str, ...]:
        return ("x", "y", "qx", "qy", "qz", "qw")

    def _slides(self) -> tuple[Vector3, ...]:
        return across(self.axis)

    def nearest(self, Q: Rotation, b: Array) -> tuple[Rotation, Array]:
        return Q, b - along(self.axis, b)

    def held(self, Q: Rotation, b: Array) -> Columns:
        return [(zeros(3), Q.T @ fixed_vector(self.axis))]
