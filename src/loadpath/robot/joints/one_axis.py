"""Joints with one axis: welded, turning about it, sliding along it, or both."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from loadpath.errors import warn
from loadpath.robot.joints.base import Columns, JointType, Tensor, Z, along, angles_about, fixed_vector, needle
from loadpath.robot.numbers import Vector3, number, unit_vector
from loadpath.scalars import (
    IDENTITY,
    Array,
    Rotation,
    Scalar,
    array,
    dot,
    nearest_turn,
    scale,
    turn_about,
    vector,
    zeros,
)


@dataclass(frozen=True)
class Fixed(JointType):
    """A weld.

    >>> import loadpath as lp
    >>> lp.Fixed().dof
    0
    """

    dof: ClassVar[int] = 0
    labels: ClassVar[tuple[str, ...]] = ()

    def placement(self, q: Array) -> tuple[Rotation, Array]:
        return IDENTITY, zeros(3)

    def subspace(self, q: Array) -> Columns:
        return []

    def nearest(self, Q: Rotation, b: Array) -> tuple[Rotation, Array]:
        return IDENTITY, zeros(3)

    def coordinates_at(self, turns: Tensor, shifts: Tensor) -> Tensor:
        return np.zeros((*shifts.shape[:-1], 0))

    def shared_with_parent(self, mass: Scalar, moment: Array, tensor: Array) -> tuple[Scalar, Array, Array]:
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
    """Turns about an axis.

    >>> import loadpath as lp
    >>> lp.Revolute((0, 0, 2)).axis
    (0.0, 0.0, 1.0)
    """

    dof: ClassVar[int] = 1
    angular: ClassVar[tuple[bool, ...]] = (True,)

    def placement(self, q: Array) -> tuple[Rotation, Array]:
        return turn_about(self.axis, q[0], self.zero), zeros(3)

    def subspace(self, q: Array) -> Columns:
        return [(fixed_vector(self.axis), zeros(3))]

    def nearest(self, Q: Rotation, b: Array) -> tuple[Rotation, Array]:
        return nearest_turn(self.axis, Q), zeros(3)

    def coordinates_at(self, turns: Tensor, shifts: Tensor) -> Tensor:
        return (angles_about(self.axis, turns) - self.zero)[..., None]

    def shared_with_parent(self, mass: Scalar, moment: Array, tensor: Array) -> tuple[Scalar, Array, Array]:
        # A thin rod on the axis: turning it about itself changes nothing.
        return mass, vector(0.0, 0.0, moment[2]), needle(tensor)


@dataclass(frozen=True)
class Continuous(Revolute):
    """A revolute joint that may turn without end.

    >>> import loadpath as lp
    >>> lp.Continuous((0, 0, 2)).axis
    (0.0, 0.0, 1.0)
    """


@dataclass(frozen=True)
class Prismatic(_OneAxis):
    """Slides along an axis.

    >>> import loadpath as lp
    >>> lp.Prismatic((2, 0, 0)).axis
    (1.0, 0.0, 0.0)
    """

    dof: ClassVar[int] = 1
    angular: ClassVar[tuple[bool, ...]] = (False,)

    def placement(self, q: Array) -> tuple[Rotation, Array]:
        return IDENTITY, scale(q[0], fixed_vector(self.axis))

    def subspace(self, q: Array) -> Columns:
        return [(zeros(3), fixed_vector(self.axis))]

    def nearest(self, Q: Rotation, b: Array) -> tuple[Rotation, Array]:
        return IDENTITY, along(self.axis, b)

    def coordinates_at(self, turns: Tensor, shifts: Tensor) -> Tensor:
        found: Tensor = (shifts @ np.array(self.axis))[..., None]
        return found

    def along_z(self, zero: float) -> tuple[JointType, float]:
        return Prismatic(Z), zero

    def shared_with_parent(self, mass: Scalar, moment: Array, tensor: Array) -> tuple[Scalar, Array, Array]:
        # It keeps the parent's orientation, so only mass and first moment care that it slides.
        return 0.0, zeros(3), tensor


@dataclass(frozen=True)
class Helical(_OneLine):
    """Turns about an axis and slides along it by `pitch` meters per radian (not per revolution). With a pitch of zero
    it is a `Revolute`, and a warning asks whether that is meant: the second argument is `zero`, not `pitch`.

    >>> import loadpath as lp
    >>> lp.Helical((0, 0, 1), pitch=0.01).pitch
    0.01
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
        return turn_about(self.axis, q[0], self.zero), scale(self.pitch * q[0], fixed_vector(self.axis))

    def subspace(self, q: Array) -> Columns:
        return [(fixed_vector(self.axis), scale(self.pitch, fixed_vector(self.axis)))]

    def nearest(self, Q: Rotation, b: Array) -> tuple[Rotation, Array]:
        if not self.pitch:
            return nearest_turn(self.axis, Q), zeros(3)
        # By its slide: the angle alone does not say how often it has turned.
        return self.placement(array([dot(fixed_vector(self.axis), b) / self.pitch]))

    def coordinates_at(self, turns: Tensor, shifts: Tensor) -> Tensor:
        if not self.pitch:
            return (angles_about(self.axis, turns) - self.zero)[..., None]
        found: Tensor = (shifts @ np.array(self.axis) / self.pitch)[..., None]
        return found

    def along_z(self, zero: float) -> tuple[JointType, float]:
        # Without a pitch it was asked about when it was made; its copies in the equations are what it is.
        return super().along_z(zero) if self.pitch else (Revolute(Z, self.zero + zero), 0.0)

    def shared_with_parent(self, mass: Scalar, moment: Array, tensor: Array) -> tuple[Scalar, Array, Array]:
        return 0.0, zeros(3), needle(tensor)


@dataclass(frozen=True)
class Cylindrical(_OneLine):
    """Turns about an axis (first speed) and slides along it (second), independently.

    >>> import loadpath as lp
    >>> lp.Cylindrical((0, 0, 1)).dof, lp.Cylindrical().labels
    (2, ('angle', 'slide'))
    """

    dof: ClassVar[int] = 2
    labels: ClassVar[tuple[str, ...]] = ("angle", "slide")
    angular: ClassVar[tuple[bool, ...]] = (True, False)

    def placement(self, q: Array) -> tuple[Rotation, Array]:
        return turn_about(self.axis, q[0], self.zero), scale(q[1], fixed_vector(self.axis))

    def subspace(self, q: Array) -> Columns:
        axis = fixed_vector(self.axis)
        return [(axis, zeros(3)), (zeros(3), axis)]

    def nearest(self, Q: Rotation, b: Array) -> tuple[Rotation, Array]:
        return nearest_turn(self.axis, Q), along(self.axis, b)

    def coordinates_at(self, turns: Tensor, shifts: Tensor) -> Tensor:
        return np.stack([angles_about(self.axis, turns) - self.zero, shifts @ np.array(self.axis)], axis=-1)

    def shared_with_parent(self, mass: Scalar, moment: Array, tensor: Array) -> tuple[Scalar, Array, Array]:
        return 0.0, zeros(3), needle(tensor)
