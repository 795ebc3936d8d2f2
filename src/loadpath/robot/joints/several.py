"""Joints with two or three freedoms and no single axis: universal, planar, translational."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from loadpath.errors import ModelError
from loadpath.robot.joints.base import Columns, JointType, Tensor, X, Y, Z, angles_about, fixed_vector, needle
from loadpath.robot.numbers import Vector3, unit_vector
from loadpath.scalars import (
    IDENTITY,
    Array,
    Rotation,
    Scalar,
    compose,
    cross,
    dot,
    nearest_turn,
    scale,
    sqrt,
    turn_about,
    turn_by,
    vector,
    zeros,
)


@dataclass(frozen=True)
class Universal(JointType):
    """Turns about `first`, an axis of the parent, then about `second`, an axis of what the first turned.

    >>> import loadpath as lp
    >>> lp.Universal((1, 0, 0), (0, 1, 0)).dof
    2
    """

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
        first = turn_about(self.second, q[1]).T @ fixed_vector(self.first)
        return [(first, zeros(3)), (fixed_vector(self.second), zeros(3))]

    def subspace_rate(self, q: Array, qd: Array) -> Columns:
        first = turn_about(self.second, q[1]).T @ fixed_vector(self.first)
        return [(scale(qd[1], cross(first, fixed_vector(self.second))), zeros(3)), (zeros(3), zeros(3))]

    def nearest(self, Q: Rotation, b: Array) -> tuple[Rotation, Array]:
        first, second = fixed_vector(self.first), fixed_vector(self.second)
        # The first turn is the one that brings the second axis, seen along the first, to where it is.
        seen = Q @ second
        s = dot(first, cross(second, seen))
        c = dot(second, seen) - dot(first, second) * dot(first, seen)
        length = sqrt(c * c + s * s)
        turn = turn_by(self.first, c / length, s / length)
        return compose(turn, nearest_turn(self.second, compose(turn.T, Q))), zeros(3)

    def coordinates_at(self, turns: Tensor, shifts: Tensor) -> Tensor:
        first, second = np.array(self.first), np.array(self.second)
        seen = turns @ second
        sine = np.cross(second, seen) @ first
        angle = np.arctan2(sine, seen @ second - (first @ second) * (seen @ first))
        c, s = np.cos(angle)[..., None, None], np.sin(angle)[..., None, None]
        skew = np.array([[0.0, -first[2], first[1]], [first[2], 0.0, -first[0]], [-first[1], first[0], 0.0]])
        back = c * np.eye(3) - s * skew + (1.0 - c) * np.outer(first, first)
        return np.stack([angle, angles_about(self.second, back @ turns)], axis=-1)

    def held(self, Q: Rotation, b: Array) -> Columns:
        # Forces, and a torque about the normal to both axes.
        normal = cross(Q.T @ fixed_vector(self.first), fixed_vector(self.second))
        size = math.hypot(*np.cross(self.first, self.second))
        return [*((zeros(3), fixed_vector(axis)) for axis in (X, Y, Z)), (scale(1.0 / size, normal), zeros(3))]

    def shared_with_parent(self, mass: Scalar, moment: Array, tensor: Array) -> tuple[Scalar, Array, Array]:
        return mass, zeros(3), zeros(3, 3)  # a point mass at the crossing of the axes


@dataclass(frozen=True)
class Planar(JointType):
    """Slides along x and y of the joint frame, then turns about its z (fixed axes, so q = x, y, angle).

    >>> import loadpath as lp
    >>> lp.Planar().labels
    ('x', 'y', 'angle')
    """

    dof: ClassVar[int] = 3
    labels: ClassVar[tuple[str, ...]] = ("x", "y", "angle")
    angular: ClassVar[tuple[bool, ...]] = (False, False, True)

    def placement(self, q: Array) -> tuple[Rotation, Array]:
        return turn_about(Z, q[2]), vector(q[0], q[1], 0.0)

    def subspace(self, q: Array) -> Columns:
        turn = turn_about(Z, q[2])
        return [(zeros(3), turn.T @ fixed_vector(X)), (zeros(3), turn.T @ fixed_vector(Y)),
                (fixed_vector(Z), zeros(3))]

    def subspace_rate(self, q: Array, qd: Array) -> Columns:
        turn, z = turn_about(Z, q[2]), fixed_vector(Z)
        slides = [scale(qd[2], cross(turn.T @ fixed_vector(axis), z)) for axis in (X, Y)]
        return [(zeros(3), slides[0]), (zeros(3), slides[1]), (zeros(3), zeros(3))]

    def nearest(self, Q: Rotation, b: Array) -> tuple[Rotation, Array]:
        return nearest_turn(Z, Q), vector(b[0], b[1], 0.0)

    def coordinates_at(self, turns: Tensor, shifts: Tensor) -> Tensor:
        return np.concatenate([shifts[..., :2], angles_about(Z, turns)[..., None]], axis=-1)

    def shared_with_parent(self, mass: Scalar, moment: Array, tensor: Array) -> tuple[Scalar, Array, Array]:
        return 0.0, zeros(3), needle(tensor)


@dataclass(frozen=True)
class Translational(JointType):
    """Slides along x, y and z of the joint frame; does not turn.

    >>> import loadpath as lp
    >>> lp.Translational().labels
    ('x', 'y', 'z')
    """

    dof: ClassVar[int] = 3
    labels: ClassVar[tuple[str, ...]] = ("x", "y", "z")
    angular: ClassVar[tuple[bool, ...]] = (False, False, False)

    def placement(self, q: Array) -> tuple[Rotation, Array]:
        return IDENTITY, vector(q[0], q[1], q[2])

    def subspace(self, q: Array) -> Columns:
        return [(zeros(3), fixed_vector(axis)) for axis in (X, Y, Z)]

    def nearest(self, Q: Rotation, b: Array) -> tuple[Rotation, Array]:
        return IDENTITY, b

    def coordinates_at(self, turns: Tensor, shifts: Tensor) -> Tensor:
        return shifts

    def shared_with_parent(self, mass: Scalar, moment: Array, tensor: Array) -> tuple[Scalar, Array, Array]:
        return 0.0, zeros(3), tensor
