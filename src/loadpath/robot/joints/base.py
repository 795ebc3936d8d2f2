"""What every joint says about itself: each class contributes its motion, and no other code asks for its type.

A joint carries frame F (on the parent) to frame G (on the child). It says, for coordinates `q`:

- `placement(q)`: rotation `Q` with `[v]_F = Q [v]_G`, and the displacement of G's origin in F axes;
- `subspace(q)`: for each speed, the angular velocity and the velocity of G's origin that a unit of it gives
  the child against the parent, in G axes;
- `subspace_rate(q, qd)`: the time derivative of these components.

To close a loop a joint has no coordinates. There it says, for the pose (Q, b) of G in F:

- `nearest(Q, b)`: the placement that it allows which is nearest to that pose;
- `held(Q, b)`: the wrenches that it can carry, one for each freedom that it takes away.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from loadpath.cached import kept
from loadpath.errors import ModelError
from loadpath.robot.numbers import Vector3
from loadpath.scalars import Array, Rotation, Scalar, array, dot, scale, zeros

Columns: TypeAlias = list[tuple[Array, Array]]
"""For each speed: angular and linear velocity per unit, in the child's axes."""

Tensor: TypeAlias = NDArray[np.float64]

X: Vector3 = (1.0, 0.0, 0.0)
Y: Vector3 = (0.0, 1.0, 0.0)
Z: Vector3 = (0.0, 0.0, 1.0)


def fixed_vector(v: Vector3) -> Array:
    """A constant direction."""
    return array(v)


def needle(tensor: Array) -> Array:
    """The part of a tensor that a turn about z leaves as it is and that has no moment about z."""
    yy = tensor[1, 1]
    return array([[yy, 0.0, 0.0], [0.0, yy, 0.0], [0.0, 0.0, 0.0]])


@dataclass(frozen=True)
class JointType(ABC):
    """What every joint says about itself.

    >>> import loadpath as lp
    >>> isinstance(lp.Revolute(), lp.JointType)
    True
    """

    # Classes give these as plain values, like `dof: ClassVar[int] = 1`.

    @property
    @abstractmethod
    def dof(self) -> int:
        """Number of speeds."""

    @property
    def labels(self) -> tuple[str, ...]:
        """A suffix for each speed, to name it."""
        return ("",)

    @property
    def angular(self) -> tuple[bool, ...]:
        """For each speed: is it an angular one (rad/s, and its force a torque)?"""
        return ()

    @property
    def twists(self) -> tuple[int, ...]:
        """Numbers of the speeds that are not rates of coordinates, but velocities in the child's axes."""
        return ()

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

    def nearest(self, Q: Rotation, b: Array) -> tuple[Rotation, Array]:
        """Of the placements that the joint allows, the nearest to the pose of the child's axes (Q, b)."""
        raise ModelError(f"a {type(self).__name__} joint cannot close a loop: its class does not say `nearest`")

    def held(self, Q: Rotation, b: Array) -> Columns:
        """Torque and force, in child axes at the child's origin, of each wrench that the joint carries when the child
        is placed by (Q, b): a basis of all that do no work on its freedoms, 6 - dof of them.
        """
        return complement(self)

    def coordinates_at(self, turns: Tensor, shifts: Tensor) -> Tensor:
        """Coordinates (..., coordinates) of the placements that the joint allows nearest to poses of the child's axes:
        rotations (..., 3, 3), origins (..., 3).
        """
        raise ModelError(f"a {type(self).__name__} joint that closes a loop has no coordinates: its class does not say "
                         "`coordinates_at`")

    @property
    def coordinate_labels(self) -> tuple[str, ...]:
        """A suffix for each coordinate, to name it."""
        return self.labels

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

    def shared_with_parent(self, mass: Scalar, moment: Array, tensor: Array) -> tuple[Scalar, Array, Array]:
        """The part of the child's mass, first moment and tensor (about the joint's origin, child axes, axis on z)
        that could as well sit on the parent: the joint's motion does not change it, it loads no speed of the joint.
        """
        return 0.0, zeros(3), zeros(3, 3)



def complement(motion: JointType) -> Columns:
    """Torque and force of each wrench that does no work on the freedoms of a joint whose freedoms, seen from the child,
    are always the same; forces along x, y, z and torques about them where they will do.

    >>> from loadpath.robot.joints import Revolute
    >>> [(torque.tolist(), force.tolist()) for torque, force in complement(Revolute((0, 1, 0)))][2:4]
    [([0.0, 0.0, 0.0], [0.0, 0.0, 1.0]), ([1.0, 0.0, 0.0], [0.0, 0.0, 0.0])]
    """
    return [(array(held[:3]), array(held[3:])) for held in _held(motion)]


@kept()
def _held(motion: JointType) -> list[list[float]]:
    """Torque and force, six numbers each, of the wrenches of `complement`."""
    freedoms = _span(motion, motion.neutral())
    elsewhere = [0.3 + 0.1 * k for k in range(motion.coordinates)]
    other = _span(motion, motion.normalised(array(elsewhere)))
    if len(freedoms) and np.abs(other - other @ freedoms.T @ freedoms).max() > 1e-9:
        raise ModelError(f"a {type(motion).__name__} joint cannot close a loop: its class does not say what it has "
                         "`held`, and its freedoms, seen from the child, change with its position")
    directions: list[Tensor] = list(freedoms)
    for k in (3, 4, 5, 0, 1, 2):  # forces first
        unit = np.eye(6)[k]
        for _ in range(2):
            unit = unit - sum((direction * (direction @ unit) for direction in directions), np.zeros(6))
        if (length := math.sqrt(unit @ unit)) > 1e-6:
            directions.append(unit / length)
    return [np.where(np.abs(held) < 1e-15, 0.0, held).tolist() for held in directions[len(freedoms) :]]


def _span(motion: JointType, q: Sequence[float] | Array) -> Tensor:
    """An orthonormal basis, in rows, of a joint's freedoms: angular, then linear."""
    columns = motion.subspace(array(list(q)))
    rows = np.array([[float(x) for x in (*angular, *linear)] for angular, linear in columns]).reshape(-1, 6)
    basis: Tensor = np.linalg.qr(rows.T)[0].T if len(rows) else rows
    return basis


def angles_about(axis: Vector3, turns: Tensor) -> Tensor:
    """(...): angles, from -pi to pi, of the turns about an axis nearest to rotations (..., 3, 3).

    >>> float(angles_about((0.0, 0.0, 1.0), np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])).round(6))
    1.570796
    """
    a = np.array(axis)
    x, y, z = (turns[..., i, j] - turns[..., j, i] for i, j in ((2, 1), (0, 2), (1, 0)))
    twice_sine = a[0] * x + a[1] * y + a[2] * z
    twice_cosine = np.trace(turns, axis1=-2, axis2=-1) - np.einsum("i,...ij,j->...", a, turns, a)
    found: Tensor = np.arctan2(twice_sine, twice_cosine)
    return found


def quaternions_of(turns: Tensor) -> Tensor:
    """(..., 4): quaternions x, y, z, w, w not negative, of rotations (..., 3, 3).

    >>> quaternions_of(np.diag([1.0, -1.0, -1.0])).tolist()
    [1.0, 0.0, 0.0, 0.0]
    """
    a, b, c = (turns[..., k, k] for k in range(3))
    # Four times the products of all pairs of components; the row of the largest has them all, well conditioned.
    products = np.empty((*turns.shape[:-2], 4, 4))
    squares = (1 + a - b - c, 1 - a + b - c, 1 - a - b + c, 1 + a + b + c)
    for k, square in enumerate(squares):
        products[..., k, k] = square
    for i, j in ((0, 1), (0, 2), (1, 2)):
        products[..., i, j] = products[..., j, i] = turns[..., i, j] + turns[..., j, i]
    for k, (i, j) in enumerate(((2, 1), (0, 2), (1, 0))):
        products[..., k, 3] = products[..., 3, k] = turns[..., i, j] - turns[..., j, i]
    largest = np.argmax(np.stack(squares, axis=-1), axis=-1)
    found = np.take_along_axis(products, largest[..., None, None], axis=-2)[..., 0, :]
    found = found / np.linalg.norm(found, axis=-1, keepdims=True)
    result: Tensor = np.where(found[..., 3:] < 0, -found, found) + 0.0
    return result


def along(axis: Vector3, v: Array) -> Array:
    """The part of a vector along a unit vector."""
    direction = fixed_vector(axis)
    return scale(dot(direction, v), direction)


def across(axis: Vector3) -> tuple[Vector3, Vector3]:
    """Two unit vectors that with `axis` make a right-handed frame.

    >>> across((0.0, 0.0, 1.0))
    ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    """
    n = np.array(axis)
    start = np.eye(3)[(int(np.abs(n).argmax()) + 1) % 3]
    first = start - n * (n @ start)
    first = first / math.sqrt(first @ first)
    second = np.cross(n, first)
    x, y = ([float(entry) + 0.0 for entry in direction] for direction in (first, second))
    return (x[0], x[1], x[2]), (y[0], y[1], y[2])
