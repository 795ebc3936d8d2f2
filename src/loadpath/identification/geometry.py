"""Where the frames of a robot sit, with symbols for its lengths and angles, and their values.

A pose of a Denavit-Hartenberg row becomes its elementary steps, with a, d and alpha of its row; zeros stay zeros and
quarter turns stay exact. Poses of another kind get symbols x, y and z for their lengths if they turn by quarters, and
stay numbers otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import sympy

from loadpath.identification.grouping import group
from loadpath.identification.parameters import TENSOR, DynamicParameters
from loadpath.quantities.table import RobotQuantities
from loadpath.robot.inertia import Inertia
from loadpath.robot.joints import JointType
from loadpath.robot.numbers import Vector3
from loadpath.robot.parts import Joint, Link
from loadpath.robot.pose import Pose
from loadpath.scalars import Array, AxisTurn, Scalar, array, inertia_tensor, outer, scale, symmetric_product, zeros
from loadpath.scalars.types import Floats

_ROUNDING = 1e-12


@dataclass
class Symbols:
    """The symbols made so far, with their values."""

    values: dict[sympy.Symbol, float] = field(default_factory=dict)

    def length(self, name: str, value: float) -> Scalar:
        """A symbol for a length; an exact zero if it is none."""
        if abs(value) <= _ROUNDING:
            return 0
        return self._symbol(name, value)

    def cosine_and_sine(self, name: str, angle: float) -> tuple[Scalar, Scalar]:
        """Of an angle; exact for quarter turns."""
        quarters = round(angle / (math.pi / 2))
        if abs(angle - quarters * math.pi / 2) <= _ROUNDING:
            return ((1, 0), (0, 1), (-1, 0), (0, -1))[quarters % 4]
        symbol = self._symbol(name, angle)
        return sympy.cos(symbol), sympy.sin(symbol)

    def number(self, expression: Scalar) -> float:
        """The value of an expression for this robot."""
        return float(sympy.sympify(expression).subs(self.values))

    def vanishes(self, expression: Scalar) -> bool:
        """Whether an expression is zero for any geometry, not for this one only."""
        trials = ({symbol: 0.3 + math.sin(7.0 * k + seed) for k, symbol in enumerate(self.values)} for seed in (1, 2))
        return all(abs(float(expression.subs(trial))) < 1e-9 for trial in trials)

    def _symbol(self, name: str, value: float) -> Scalar:
        symbol = sympy.Symbol(name, real=True)
        self.values[symbol] = value
        return symbol


@dataclass(frozen=True, eq=False)
class Step:
    """A turn and then a displacement, in axes before the turn."""

    R: Array
    p: Array

    def inverse(self) -> Step:
        """The step back; elementary steps do only one of both."""
        return Step(self.R.T, -(self.R.T @ self.p))


Steps = list[Step]


def along(steps: Iterable[Step]) -> Array:
    """The 10 x 10 matrix that brings inertial parameters from the last frame of the steps to the first."""
    result = None
    for step in steps:
        matrix = moved(step.R, step.p)
        result = matrix if result is None else result @ matrix
    return _identity(10) if result is None else result


def back(steps: Steps) -> Steps:
    """The steps from the last frame to the first."""
    return [step.inverse() for step in reversed(steps)]


def of_joint(joint: Joint, number: int, symbols: Symbols) -> tuple[Steps, Steps]:
    """Steps from the parent link's frame to the joint's, and from there, after the motion, to the child link's."""
    origin, offset = joint.origin, joint.link_offset
    if _is_identity(offset) and (modified := _modified(origin, number, symbols)) is not None:
        return modified, []
    if (standard := _standard(origin, offset, number, symbols)) is not None:
        return standard
    return _general(origin, "", number, symbols), _general(offset, "l", number, symbols)


def onto_axis(axis: tuple[float, float, float]) -> Step:
    """The turn that takes z to a joint's axis, in whole numbers where it is a coordinate axis."""
    z = np.array(axis)
    x = np.eye(3)[(int(np.argmax(np.abs(z))) + 1) % 3]
    x = x - (x @ z) * z
    x /= np.linalg.norm(x)
    return _step(_exact(np.column_stack([x, np.cross(z, x), z])))


def _modified(origin: Pose, i: int, symbols: Symbols) -> Steps | None:
    """Rot(x, alpha) Trans(x, a) Rot(z, theta) Trans(z, d), if the pose has this form."""
    r, p = origin.R, origin.p
    if abs(r[0, 2]) > _ROUNDING or abs(r[1, 2] * p[2] - r[2, 2] * p[1]) > _ROUNDING:
        return None
    alpha, theta = math.atan2(-r[1, 2], r[2, 2]), math.atan2(-r[0, 1], r[0, 0])
    d = float(r[1, 2] * p[1] + r[2, 2] * p[2])
    return [*_along_x(float(p[0]), alpha, i, symbols), *_about_z(theta, i, symbols), *_along_z(d, i, symbols)]


def _standard(origin: Pose, offset: Pose, i: int, symbols: Symbols) -> tuple[Steps, Steps] | None:
    """Rot(z, theta) before the motion, Trans(z, d) Trans(x, a) Rot(x, alpha) after it, if the poses have this form."""
    r, p, before = offset.R, offset.p, origin.R
    is_turn_about_z = max(abs(before[0, 2]), abs(before[1, 2]), np.abs(origin.p).max(), abs(before[2, 2] - 1))
    if is_turn_about_z > _ROUNDING or max(abs(p[1]), abs(r[0, 1]), abs(r[0, 2]), abs(r[0, 0] - 1)) > _ROUNDING:
        return None
    alpha, theta = math.atan2(r[2, 1], r[2, 2]), math.atan2(before[1, 0], before[0, 0])
    after = [*_along_z(float(p[2]), i, symbols), *_along_x(float(p[0]), alpha, i, symbols)]
    return _about_z(theta, i, symbols), after


def _general(pose: Pose, prefix: str, i: int, symbols: Symbols) -> Steps:
    turn = _exact(pose.R)
    if np.array_equal(turn, np.round(turn)):
        lengths = [symbols.length(f"{prefix}{axis}{i}", float(v)) for axis, v in zip("xyz", pose.p, strict=True)]
    else:
        lengths = [float(v) if v else 0 for v in pose.p]
    return [Step(_identity(3), array(lengths)), _step(turn)]


def _along_x(a: float, alpha: float, i: int, symbols: Symbols) -> Steps:
    c, s = symbols.cosine_and_sine(f"alpha{i}", alpha)
    return [Step(_identity(3), array([symbols.length(f"a{i}", a), 0, 0])), Step(_matrix(0, c, s), _no_displacement())]


def _about_z(theta: float, i: int, symbols: Symbols) -> Steps:
    c, s = symbols.cosine_and_sine(f"theta{i}", theta)
    return [] if (c, s) == (1, 0) else [Step(_matrix(2, c, s), _no_displacement())]


def _along_z(d: float, i: int, symbols: Symbols) -> Steps:
    return [Step(_identity(3), array([0, 0, symbols.length(f"d{i}", d)]))]


def _step(rotation: Floats) -> Step:
    entries = [[int(x) if float(x).is_integer() else float(x) for x in row] for row in rotation]
    return Step(array(entries), _no_displacement())


def _matrix(axis: int, c: Scalar, s: Scalar) -> Array:
    turn = AxisTurn(axis, c, s)
    columns = [list(turn @ array([int(i == k) for i in range(3)])) for k in range(3)]
    return array(columns).T


def _identity(size: int) -> Array:
    """The identity in whole numbers, which keep symbols exact."""
    return array([[int(i == k) for k in range(size)] for i in range(size)])


def _no_displacement() -> Array:
    return array([0, 0, 0])


def _exact(matrix: Floats) -> Floats:
    whole = np.round(matrix)
    exact: Floats = np.where(np.abs(matrix - whole) <= _ROUNDING, whole, matrix)
    return exact


def _is_identity(pose: Pose) -> bool:
    return pose == Pose()


# What a link can share with its parent: bodies that a joint's motion leaves as they are and that load none of its
# speeds. A thin rod on a revolute axis is one: whether it turns with the child or stays with the parent changes
# nothing.
#
# Everything is over any scalar: ten parameters are a vector, and the move to another frame is a 10 x 10 matrix.

PAIRS = ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2))
"""Rows and columns of the tensor's entries in the order of the parameters."""


def moved(R: Array, p: Array) -> Array:
    """Matrix that takes the ten parameters of a body from a frame with that pose to the frame that the pose is in.

    >>> point_mass = array([2, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    >>> (moved(array([[1, 0, 0], [0, 1, 0], [0, 0, 1]]), array([3, 0, 0])) @ point_mass).tolist()
    [2, 6, 0, 0, 0, 0, 18, 0, 0, 18]
    """
    columns = []
    for k in range(10):
        ten = [int(i == k) for i in range(10)]
        m, c = ten[0], R @ array(ten[1:4])
        tensor = R @ array([[ten[TENSOR[i][j]] for j in range(3)] for i in range(3)]) @ R.T
        gained = inertia_tensor(outer(p, p) if m else symmetric_product(p, c))  # no halves: whole numbers stay whole
        columns.append([m, *(c + scale(m, p)), *((tensor + gained)[i, j] for i, j in PAIRS)])
    return array(columns).T


def shared(motion: JointType) -> Floats:
    """(10, k): a basis of what a joint with its axis on z lets a link share with its parent, in whole numbers."""
    found = np.zeros((10, 10))
    for k in range(10):
        ten = np.eye(10)[k]
        m, c, tensor = motion.shared_with_parent(float(ten[0]), ten[1:4], ten[np.array(TENSOR)])
        found[:, k] = [m, *c, *(tensor[i, j] for i, j in PAIRS)]
    distinct = found[:, np.abs(found).any(axis=0)]
    return np.unique(distinct, axis=1)


def loaded_on_ground(motion: JointType, gravity: Vector3) -> list[int]:
    """Which of the ten parameters, in the frame of a joint on the ground with gravity in it, load the joint at all.

    >>> from loadpath.robot.joints import Prismatic, Revolute
    >>> loaded_on_ground(Revolute(), (0.0, 0.0, -9.81)), loaded_on_ground(Prismatic(), (0.0, 0.0, -9.81))
    ([9], [0])
    """
    links = (Link("ground"), Link("link", Inertia.from_moments(1.0, ixx=0.3, iyy=0.4, izz=0.5)))
    alone = RobotQuantities("alone", links, (Joint("joint", "ground", "link", motion),), gravity)
    # The model is enough: too few states are asked for to compile anything.
    idle = group(DynamicParameters(alone), 1e-4).idle
    return [j - 10 for j in range(10, 20) if j not in idle]


def as_columns(matrix: Floats) -> Array:
    """A matrix of whole numbers as scalars that stay exact."""
    result = zeros(*matrix.shape)
    for index in np.ndindex(matrix.shape):
        result[index] = int(matrix[index])
    return result
