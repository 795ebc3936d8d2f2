"""Rotations over any scalar, kept as products of turns about coordinate axes where they are such products.

A rotation `Q` takes components in turned axes to components in the axes before the turn: `[v]_i = Q [v]_{i+1}`.
A turn about a coordinate axis costs 4 multiplications and 2 additions per vector, so the rotation between two
Denavit-Hartenberg frames, a product of two such turns, costs the 8 and 4 of the book (7.23, 7.24), where a
full matrix costs 9 and 6.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from loadpath.scalars.algebra import Array, Scalar, array, dot, identity, vector
from loadpath.scalars.functions import cos, cosine_and_sine_of_sum, sin, sqrt

QUARTER_TURN = math.pi / 2

# Two numbers that differ by less than this are the same number with rounding on it (entries of rotation
# matrices are at most 1, and come out of a handful of products).
_ROUNDING = 1e-15


class Rotation(ABC):
    """A rotation matrix that knows how to be multiplied cheaply."""

    @abstractmethod
    def __matmul__(self, v: Array) -> Array:
        """Components in the axes before the turn of a vector given in the turned axes."""

    @property
    @abstractmethod
    def T(self) -> Rotation:
        """The inverse rotation."""

    def tensor(self, t: Array) -> Array:
        """Q T Q^T: a symmetric tensor given in the turned axes, in the axes before the turn."""
        half = array([list(self @ column) for column in t])  # rows are Q times the columns of T, so half = T Q^T
        turned = [self @ column for column in half.T]
        return array([[turned[j][i] if i <= j else turned[i][j] for j in range(3)] for i in range(3)])

    def matrix(self) -> Array:
        """The 3 x 3 matrix."""
        columns = [self @ vector(*(1.0 if k == axis else 0.0 for k in range(3))) for axis in range(3)]
        return array([[columns[j][i] for j in range(3)] for i in range(3)])


@dataclass(frozen=True, eq=False)
class _Identity(Rotation):
    def __matmul__(self, v: Array) -> Array:
        return v

    @property
    def T(self) -> Rotation:
        return self

    def tensor(self, t: Array) -> Array:
        return t


IDENTITY: Rotation = _Identity()
"""The rotation that does nothing and costs nothing."""


@dataclass(frozen=True, eq=False)
class AxisTurn(Rotation):
    """Turn about coordinate axis 0, 1 or 2 by the angle with cosine `c` and sine `s`."""

    axis: int
    c: Scalar
    s: Scalar

    def __matmul__(self, v: Array) -> Array:
        y, z = (self.axis + 1) % 3, (self.axis + 2) % 3
        result = v.copy()
        result[y] = self.c * v[y] - self.s * v[z]
        result[z] = self.s * v[y] + self.c * v[z]
        return result

    @property
    def T(self) -> Rotation:
        return AxisTurn(self.axis, self.c, -self.s)

    def tensor(self, t: Array) -> Array:
        # The trace stays, so one of the two turned moments is free: 12 multiplications, 8 additions.
        x, y, z = self.axis, (self.axis + 1) % 3, (self.axis + 2) % 3
        yy, zz, yz, xy, xz = t[y, y], t[z, z], t[y, z], t[x, y], t[x, z]
        a, b = self.c * yy - self.s * yz, self.c * yz - self.s * zz
        result = t.copy()
        result[y, y] = self.c * a - self.s * b
        result[z, z] = yy + zz - result[y, y]
        result[y, z] = result[z, y] = self.s * a + self.c * b
        result[x, y] = result[y, x] = self.c * xy - self.s * xz
        result[x, z] = result[z, x] = self.s * xy + self.c * xz
        return result


@dataclass(frozen=True, eq=False)
class MatrixRotation(Rotation):
    """Rotation given by its nine entries."""

    entries: Array

    def __matmul__(self, v: Array) -> Array:
        a = self.entries
        return array([a[i, 0] * v[0] + a[i, 1] * v[1] + a[i, 2] * v[2] for i in range(3)])

    @property
    def T(self) -> Rotation:
        return MatrixRotation(self.entries.T)

    def matrix(self) -> Array:
        return self.entries


@dataclass(frozen=True, eq=False)
class _Product(Rotation):
    parts: tuple[Rotation, ...]

    def __matmul__(self, v: Array) -> Array:
        for part in reversed(self.parts):
            v = part @ v
        return v

    @property
    def T(self) -> Rotation:
        return _Product(tuple(part.T for part in reversed(self.parts)))

    def tensor(self, t: Array) -> Array:
        for part in reversed(self.parts):
            t = part.tensor(t)
        return t


def compose(*parts: Rotation) -> Rotation:
    """The product of rotations, applied from the right as matrices are.

    >>> x, z = turn_about((1, 0, 0), 0.3), turn_about((0, 0, 1), 0.4)
    >>> v = vector(1.0, 2.0, 3.0)
    >>> bool(np.allclose((compose(x, z) @ v).astype(float), (x @ (z @ v)).astype(float)))
    True
    """
    kept = tuple(part for part in parts if part is not IDENTITY)
    if not kept:
        return IDENTITY
    return kept[0] if len(kept) == 1 else _Product(kept)


def merged(*parts: Rotation) -> Rotation:
    """The product of rotations, with neighbours that turn about the same coordinate axis made one turn: cheaper where
    it is applied to more than one vector.

    >>> a, b = turn_about((0, 0, 1), 0.3), turn_about((0, 0, 1), 0.4)
    >>> float(round(merged(a, b).s - math.sin(0.7), 15))
    0.0
    """
    kept: list[Rotation] = []
    singles = [single for part in parts for single in (part.parts if isinstance(part, _Product) else (part,))]
    for part in singles:
        if part is IDENTITY:
            continue
        last = kept[-1] if kept else None
        if isinstance(part, AxisTurn) and isinstance(last, AxisTurn) and part.axis == last.axis:
            c, s = last.c * part.c - last.s * part.s, last.s * part.c + last.c * part.s
            kept[-1] = AxisTurn(part.axis, c, s)
        else:
            kept.append(part)
    return compose(*kept)


def _cosine_and_sine(angle: Scalar, zero: float) -> tuple[Scalar, Scalar]:
    """Of `angle + zero`; whole quarter turns of the zero swap them instead of being added."""
    quarters = round(zero / QUARTER_TURN)
    remainder = zero - quarters * QUARTER_TURN
    if abs(remainder) > 4 * _ROUNDING:
        return cosine_and_sine_of_sum(angle, zero)
    c, s = cos(angle), sin(angle)
    turned: list[tuple[Scalar, Scalar]] = [(c, s), (-s, c), (-c, -s), (s, -c)]
    return turned[quarters % 4]


def turn_about(axis: Sequence[float], angle: Scalar, zero: float = 0.0) -> Rotation:
    """Rotation about a unit vector by `angle + zero`.

    >>> (turn_about((0, 0, 1), 0.0, zero=math.pi / 2) @ vector(0.0, 2.0, 0.0)).tolist()   # exact, no 1e-17
    [-2.0, 0.0, 0.0]
    """
    return turn_by(axis, *_cosine_and_sine(angle, zero))


def turn_by(axis: Sequence[float], c: Scalar, s: Scalar) -> Rotation:
    """Rotation about a unit vector by the angle with cosine c and sine s.

    >>> (turn_by((0, 0, 1), 0.0, 1.0) @ vector(0.0, 2.0, 0.0)).tolist()
    [-2.0, 0.0, 0.0]
    """
    for k in range(3):
        # Not by the 1 alone: an axis tilted by 1e-8 has a component of 1 to the last digit.
        if abs(axis[k]) == 1.0 and max(abs(axis[k - 1]), abs(axis[k - 2])) <= _ROUNDING:
            return AxisTurn(k, c, s if axis[k] > 0 else -s)
    x, y, z = (float(a) for a in axis)
    v = 1.0 - c
    return MatrixRotation(
        array(
            [
                [x * x * v + c, x * y * v - z * s, x * z * v + y * s],
                [x * y * v + z * s, y * y * v + c, y * z * v - x * s],
                [x * z * v - y * s, y * z * v + x * s, z * z * v + c],
            ]
        )
    )


def nearest_turn(axis: Sequence[float], rotation: Rotation) -> Rotation:
    """The turn about a unit vector that is nearest to a rotation.

    >>> turned = compose(turn_about((0, 0, 1), 0.3), turn_about((1, 0, 0), 1e-9))
    >>> round(float(nearest_turn((0, 0, 1), turned).matrix()[1, 0]), 12) == round(math.sin(0.3), 12)
    True
    """
    R = rotation.matrix()
    x, y, z = (float(a) for a in axis)
    s = x * (R[2, 1] - R[1, 2]) + y * (R[0, 2] - R[2, 0]) + z * (R[1, 0] - R[0, 1])  # 2 sin, if it is such a turn
    along = dot(array([x, y, z]), rotation @ array([x, y, z]))
    c = R[0, 0] + R[1, 1] + R[2, 2] - along  # 2 cos
    length = sqrt(c * c + s * s)
    return turn_by(axis, c / length, s / length)


def rotation_from_matrix(entries: Sequence[Sequence[float]]) -> Rotation:
    """The cheapest rotation equal to a numeric matrix: none, a turn about a coordinate axis, or the matrix.

    Entries within rounding of 0 or +-1 are taken as 0 and +-1.

    >>> rotation_from_matrix(np.eye(3)) is IDENTITY
    True
    """
    a = np.asarray(entries, dtype=float)
    for exact in (0.0, 1.0, -1.0):
        a = np.where(np.abs(a - exact) <= 4 * _ROUNDING, exact, a)
    if np.array_equal(a, np.eye(3)):
        return IDENTITY
    for k in range(3):
        y, z = (k + 1) % 3, (k + 2) % 3
        # Not by the 1 alone: the cosine of a tilt of 1e-8 is 1 to the last digit, but its sine is not 0.
        if a[k, k] == 1.0 and not any((a[k, y], a[k, z], a[y, k], a[z, k])):
            return AxisTurn(k, float(a[y, y]), float(a[z, y]))
    result = identity(3)
    for i in range(3):
        for j in range(3):
            result[i, j] = float(a[i, j])
    return MatrixRotation(result)
