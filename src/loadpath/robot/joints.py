"""The joints, 0 to 6 degrees of freedom: each class contributes its motion, and no other code asks for its type.

A joint carries frame F (on the parent) to frame G (on the child). It says, for coordinates `q`:

- `placement(q)`: rotation `Q` with `[v]_F = Q [v]_G`, and the displacement of G's origin in F axes;
- `subspace(q)`: for each speed, the angular velocity and the velocity of G's origin that a unit of it gives
  the child against the parent, in G axes;
- `subspace_rate(q, qd)`: the time derivative of these components.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from loadpath.errors import ModelError, warn
from loadpath.robot.numbers import Vector3, number, unit_vector
from loadpath.scalars import (
    IDENTITY,
    Array,
    MatrixRotation,
    Rotation,
    Scalar,
    array,
    compose,
    cross,
    scale,
    turn_about,
    vector,
    zeros,
)
from loadpath.scalars import quaternion as quaternions

Columns: TypeAlias = list[tuple[Array, Array]]
"""For each speed: angular and linear velocity per unit, in the child's axes."""

Tensor: TypeAlias = NDArray[np.float64]

X: Vector3 = (1.0, 0.0, 0.0)
Y: Vector3 = (0.0, 1.0, 0.0)
Z: Vector3 = (0.0, 0.0, 1.0)


def _fixed_vector(v: Vector3) -> Array:
    return array(v)


def _needle(tensor: Tensor) -> Tensor:
    """The part of a tensor that a turn about z leaves as it is and that has no moment about z."""
    return float(tensor[1, 1]) * np.diag([1.0, 1.0, 0.0])


@dataclass(frozen=True)
class JointType(ABC):
    """What every joint says about itself."""

    dof: ClassVar[int]
    """Number of speeds."""
    labels: ClassVar[tuple[str, ...]] = ("",)
    """A suffix for each speed, to name it."""
    angular: ClassVar[tuple[bool, ...]] = ()
    """For each speed: is it an angular one (rad/s, and its force a torque)?"""

    @property
    def coordinates(self) -> int:
        """Number of coordinates; more than `dof` only where there is a quaternion."""
        return self.dof

    @abstractmethod
    def placement(self, q: Array) -> tuple[Rotation, Array]:
        """Rotation from the child's axes to the parent's, displacement of the child's origin in parent axes."""

    @abstractmethod
    def subspace(self, q: Array) -> Columns:
        """Angular and linear velocity per unit of each speed, in child axes."""

    def subspace_rate(self, q: Array, qd: Array) -> Columns:
        """Time derivative of the components of `subspace`; zero for most joints."""
        return [(zeros(3), zeros(3)) for _ in range(self.dof)]

    def neutral(self) -> tuple[float, ...]:
        """Coordinates of the unmoved joint."""
        return (0.0,) * self.coordinates

    def coordinate_rate(self, q: Array, qd: Array) -> Array:
        """Time derivative of the coordinates; the speeds themselves unless there is a quaternion."""
        return qd

    def moved(self, q: Array, v: Array) -> Array:
        """Coordinates after one unit of time at the constant speeds v."""
        result: Array = q + v
        return result

    def displacement(self, q: Array, to: Array) -> Array:
        """The constant speeds that lead from q to other coordinates in one unit of time, the shorter way round."""
        result: Array = to - q
        return result

    def normalised(self, q: Array) -> Array:
        """The same position with a unit quaternion, where there is a quaternion."""
        return q

    def axis_direction(self) -> Vector3 | None:
        """The single direction about or along which the joint moves, if there is one."""
        return None

    def turns_about_line(self) -> bool:
        """Whether that axis is a line in space; a sliding joint has a direction only."""
        return False

    def along_z(self, zero: float) -> tuple[JointType, float]:
        """The same joint with its axis on z and its child's axes turned about z by `zero`; what of that turn the
        joint cannot take into its own angle comes back, to be made before the motion.
        """
        raise ModelError(f"a {type(self).__name__} joint has no single axis")

    def shared_with_parent(self, mass: float, moment: Tensor, tensor: Tensor) -> tuple[float, Tensor, Tensor]:
        """The part of the child's mass, first moment and tensor (about the joint's origin, child axes, axis on z)
        that could as well sit on the parent: the joint's motion does not change it, it loads no speed of the joint.
        """
        return 0.0, np.zeros(3), np.zeros((3, 3))


@dataclass(frozen=True)
class Fixed(JointType):
    """A weld."""

    dof: ClassVar[int] = 0
    labels: ClassVar[tuple[str, ...]] = ()

    def placement(self, q: Array) -> tuple[Rotation, Array]:
        return IDENTITY, zeros(3)

    def subspace(self, q: Array) -> Columns:
        return []

    def shared_with_parent(self, mass: float, moment: Tensor, tensor: Tensor) -> tuple[float, Tensor, Tensor]:
        return mass, moment, tensor


@dataclass(frozen=True)
class _OneAxis(JointType):
    """Joints with one axis of any direction (in the joint frame; normalised)."""

    axis: Vector3 = Z

    def __post_init__(self) -> None:
        kind = type(self).__name__.lower()
        object.__setattr__(self, "axis", unit_vector(self.axis, f"axis of a {kind} joint"))

    def axis_direction(self) -> Vector3 | None:
        return self.axis


@dataclass(frozen=True)
class _OneLine(_OneAxis):
    """Joints that turn about their axis; `zero` is the angle at q = 0."""

    zero: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        kind = type(self).__name__.lower()
        object.__setattr__(self, "zero", number(self.zero, f"zero of a {kind} joint"))

    def turns_about_line(self) -> bool:
        return True

    def along_z(self, zero: float) -> tuple[JointType, float]:
        return replace(self, axis=Z, zero=self.zero + zero), 0.0


@dataclass(frozen=True)
class Revolute(_OneLine):
    """Turns about an axis."""

    dof: ClassVar[int] = 1
    angular: ClassVar[tuple[bool, ...]] = (True,)

    def placement(self, q: Array) -> tuple[Rotation, Array]:
        return turn_about(self.axis, q[0], self.zero), zeros(3)

    def subspace(self, q: Array) -> Columns:
        return [(_fixed_vector(self.axis), zeros(3))]

    def shared_with_parent(self, mass: float, moment: Tensor, tensor: Tensor) -> tuple[float, Tensor, Tensor]:
        # A thin rod on the axis: turning it about itself changes nothing.
        return mass, np.array([0.0, 0.0, moment[2]]), _needle(tensor)


@dataclass(frozen=True)
class Continuous(Revolute):
    """A revolute joint that may turn without end."""


@dataclass(frozen=True)
class Prismatic(_OneAxis):
    """Slides along an axis."""

    dof: ClassVar[int] = 1
    angular: ClassVar[tuple[bool, ...]] = (False,)

    def placement(self, q: Array) -> tuple[Rotation, Array]:
        return IDENTITY, scale(q[0], _fixed_vector(self.axis))

    def subspace(self, q: Array) -> Columns:
        return [(zeros(3), _fixed_vector(self.axis))]

    def along_z(self, zero: float) -> tuple[JointType, float]:
        return Prismatic(Z), zero

    def shared_with_parent(self, mass: float, moment: Tensor, tensor: Tensor) -> tuple[float, Tensor, Tensor]:
        # It keeps the parent's orientation, so only mass and first moment care that it slides.
        return 0.0, np.zeros(3), tensor


@dataclass(frozen=True)
class Helical(_OneLine):
    """Turns about an axis and slides along it by `pitch` meters per radian (not per revolution). With a pitch of zero
    it is a `Revolute`, and a warning asks whether that is meant: the second argument is `zero`, not `pitch`.
    """

    dof: ClassVar[int] = 1
    angular: ClassVar[tuple[bool, ...]] = (True,)
    pitch: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "pitch", number(self.pitch, "pitch of a helical joint"))
        if self.pitch == 0.0:
            meant = f"pitch={self.zero:g}, which is now its zero" if self.zero else "pitch=, in m per rad"
            warn(f"pitch of a helical joint is 0, so that it turns and does not slide: is {meant}, missing?")

    def placement(self, q: Array) -> tuple[Rotation, Array]:
        return turn_about(self.axis, q[0], self.zero), scale(self.pitch * q[0], _fixed_vector(self.axis))

    def subspace(self, q: Array) -> Columns:
        return [(_fixed_vector(self.axis), scale(self.pitch, _fixed_vector(self.axis)))]

    def along_z(self, zero: float) -> tuple[JointType, float]:
        # Without a pitch it was asked about when it was made; its copies in the equations are what it is.
        return super().along_z(zero) if self.pitch else (Revolute(Z, self.zero + zero), 0.0)

    def shared_with_parent(self, mass: float, moment: Tensor, tensor: Tensor) -> tuple[float, Tensor, Tensor]:
        return 0.0, np.zeros(3), _needle(tensor)


@dataclass(frozen=True)
class Cylindrical(_OneLine):
    """Turns about an axis (first speed) and slides along it (second), independently."""

    dof: ClassVar[int] = 2
    labels: ClassVar[tuple[str, ...]] = ("angle", "slide")
    angular: ClassVar[tuple[bool, ...]] = (True, False)

    def placement(self, q: Array) -> tuple[Rotation, Array]:
        return turn_about(self.axis, q[0], self.zero), scale(q[1], _fixed_vector(self.axis))

    def subspace(self, q: Array) -> Columns:
        axis = _fixed_vector(self.axis)
        return [(axis, zeros(3)), (zeros(3), axis)]

    def shared_with_parent(self, mass: float, moment: Tensor, tensor: Tensor) -> tuple[float, Tensor, Tensor]:
        return 0.0, np.zeros(3), _needle(tensor)


@dataclass(frozen=True)
class Universal(JointType):
    """Turns about `first`, an axis of the parent, then about `second`, an axis of what the first turned."""

    dof: ClassVar[int] = 2
    labels: ClassVar[tuple[str, ...]] = ("first", "second")
    angular: ClassVar[tuple[bool, ...]] = (True, True)
    first: Vector3 = X
    second: Vector3 = Y

    def __post_init__(self) -> None:
        first = unit_vector(self.first, "first axis of a universal joint")
        second = unit_vector(self.second, "second axis of a universal joint")
        if math.hypot(*np.cross(first, second)) < 1e-6:
            raise ModelError(f"axes of a universal joint are parallel: {first} and {second}")
        object.__setattr__(self, "first", first)
        object.__setattr__(self, "second", second)

    def placement(self, q: Array) -> tuple[Rotation, Array]:
        return compose(turn_about(self.first, q[0]), turn_about(self.second, q[1])), zeros(3)

    def subspace(self, q: Array) -> Columns:
        first = turn_about(self.second, q[1]).T @ _fixed_vector(self.first)
        return [(first, zeros(3)), (_fixed_vector(self.second), zeros(3))]

    def subspace_rate(self, q: Array, qd: Array) -> Columns:
        first = turn_about(self.second, q[1]).T @ _fixed_vector(self.first)
        return [(scale(qd[1], cross(first, _fixed_vector(self.second))), zeros(3)), (zeros(3), zeros(3))]

    def shared_with_parent(self, mass: float, moment: Tensor, tensor: Tensor) -> tuple[float, Tensor, Tensor]:
        return mass, np.zeros(3), np.zeros((3, 3))  # a point mass at the crossing of the axes


@dataclass(frozen=True)
class Planar(JointType):
    """Slides along x and y of the joint frame, then turns about its z (fixed axes, so q = x, y, angle)."""

    dof: ClassVar[int] = 3
    labels: ClassVar[tuple[str, ...]] = ("x", "y", "angle")
    angular: ClassVar[tuple[bool, ...]] = (False, False, True)

    def placement(self, q: Array) -> tuple[Rotation, Array]:
        return turn_about(Z, q[2]), vector(q[0], q[1], 0.0)

    def subspace(self, q: Array) -> Columns:
        turn = turn_about(Z, q[2])
        return [(zeros(3), turn.T @ _fixed_vector(X)), (zeros(3), turn.T @ _fixed_vector(Y)),
                (_fixed_vector(Z), zeros(3))]  # fmt: skip

    def subspace_rate(self, q: Array, qd: Array) -> Columns:
        turn, z = turn_about(Z, q[2]), _fixed_vector(Z)
        slides = [scale(qd[2], cross(turn.T @ _fixed_vector(axis), z)) for axis in (X, Y)]
        return [(zeros(3), slides[0]), (zeros(3), slides[1]), (zeros(3), zeros(3))]

    def shared_with_parent(self, mass: float, moment: Tensor, tensor: Tensor) -> tuple[float, Tensor, Tensor]:
        return 0.0, np.zeros(3), _needle(tensor)


@dataclass(frozen=True)
class Translational(JointType):
    """Slides along x, y and z of the joint frame; does not turn."""

    dof: ClassVar[int] = 3
    labels: ClassVar[tuple[str, ...]] = ("x", "y", "z")
    angular: ClassVar[tuple[bool, ...]] = (False, False, False)

    def placement(self, q: Array) -> tuple[Rotation, Array]:
        return IDENTITY, vector(q[0], q[1], q[2])

    def subspace(self, q: Array) -> Columns:
        return [(zeros(3), _fixed_vector(axis)) for axis in (X, Y, Z)]

    def shared_with_parent(self, mass: float, moment: Tensor, tensor: Tensor) -> tuple[float, Tensor, Tensor]:
        return 0.0, np.zeros(3), tensor


def _quaternion_rotation(quaternion: Array) -> Rotation:
    return MatrixRotation(quaternions.rotation_matrix(quaternion))


def _quaternion_rate(quaternion: Array, omega: Array) -> list[Scalar]:
    """Rate of a quaternion for an angular velocity in the turned axes: half the product with it."""
    x, y, z, w = quaternion
    a, b, c = omega
    return [0.5 * (w * a + y * c - z * b), 0.5 * (w * b + z * a - x * c), 0.5 * (w * c + x * b - y * a),
            -0.5 * (x * a + y * b + z * c)]  # fmt: skip


@dataclass(frozen=True)
class Spherical(JointType):
    """Turns freely: q is a quaternion x, y, z, w; qd the relative angular velocity in the child's axes."""

    dof: ClassVar[int] = 3
    labels: ClassVar[tuple[str, ...]] = ("wx", "wy", "wz")
    angular: ClassVar[tuple[bool, ...]] = (True, True, True)

    @property
    def coordinates(self) -> int:
        return 4

    def placement(self, q: Array) -> tuple[Rotation, Array]:
        return _quaternion_rotation(q), zeros(3)

    def subspace(self, q: Array) -> Columns:
        return [(_fixed_vector(axis), zeros(3)) for axis in (X, Y, Z)]

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

    def shared_with_parent(self, mass: float, moment: Tensor, tensor: Tensor) -> tuple[float, Tensor, Tensor]:
        return mass, np.zeros(3), np.zeros((3, 3))  # a point mass at the center


@dataclass(frozen=True)
class Free(JointType):
    """Moves freely: q is a position in the parent's axes and a quaternion x, y, z, w; qd the relative velocity
    of the child's origin and its relative angular velocity, both in the child's axes.
    """

    dof: ClassVar[int] = 6
    labels: ClassVar[tuple[str, ...]] = ("vx", "vy", "vz", "wx", "wy", "wz")
    angular: ClassVar[tuple[bool, ...]] = (False, False, False, True, True, True)

    @property
    def coordinates(self) -> int:
        return 7

    def placement(self, q: Array) -> tuple[Rotation, Array]:
        return _quaternion_rotation(q[3:]), array(list(q[:3]))

    def subspace(self, q: Array) -> Columns:
        axes = [_fixed_vector(axis) for axis in (X, Y, Z)]
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

    def normalised(self, q: Array) -> Array:
        return array([*q[:3], *quaternions.unit(q[3:])])
