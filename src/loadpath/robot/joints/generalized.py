"""The generalized joint of Lau's thesis: any choice of six freedoms, turns first, then slides along the turned axes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from loadpath.cached import cached_property
from loadpath.errors import ModelError
from loadpath.robot.joints.base import Columns, JointType, Tensor, X, Y, Z, across, fixed_vector
from loadpath.robot.joints.one_axis import Cylindrical, Prismatic, Revolute
from loadpath.robot.joints.several import Universal
from loadpath.robot.numbers import Vector3, unit_vector
from loadpath.scalars import IDENTITY, Array, Rotation, Scalar, array, compose, cross, dot, scale, turn_about, zeros

# A freedom of a joint as it is written: selection vector and kind, "rz" a turn about z, "x" a slide along x.


FreedomLike: TypeAlias = str | tuple[str, Vector3]
"""A word like "rz", "x" or "-x", or a kind with an axis like ("turn", (0, 0.6, 0.8)) and ("slide", (1, 1, 0))."""

ALL = ("rx", "ry", "rz", "x", "y", "z")
_AXES = {"x": X, "y": Y, "z": Z}
_KINDS = {"turn": True, "slide": False}
_EXPECTED = (
    "expected 'rx', 'ry', 'rz', 'x', 'y', 'z', with a minus sign for the opposite direction, or a kind with an axis "
    "like ('turn', (0, 0.6, 0.8)) or ('slide', (1, 1, 0))"
)


@dataclass(frozen=True)
class Freedom:
    """A turn about an axis or a slide along it: the selection vector of chapter 4 of Lau's thesis, and its kind."""

    turns: bool
    axis: Vector3

    @property
    def label(self) -> str:
        """Its word without the sign; empty for an axis that has none."""
        for letter, axis in _AXES.items():
            if self.axis in (axis, _opposite(axis)):
                return f"r{letter}" if self.turns else letter
        return ""

    @property
    def given(self) -> FreedomLike:
        """As it is written."""
        if not self.label:
            return ("turn" if self.turns else "slide", self.axis)
        return self.label if sum(self.axis) > 0 else f"-{self.label}"

    @property
    def reversed(self) -> Freedom:
        """The same the other way round."""
        return Freedom(self.turns, _opposite(self.axis))


def _opposite(axis: Vector3) -> Vector3:
    x, y, z = (0.0 - entry for entry in axis)
    return x, y, z


def freedoms_of(given: object, what: str) -> tuple[Freedom, ...]:
    """Freedoms as they are written: a word, several in one text or in a sequence; "all" are the six.

    >>> [freedom.axis for freedom in freedoms_of("rz -x", "freedoms")]
    [(0.0, 0.0, 1.0), (-1.0, 0.0, 0.0)]
    >>> freedoms_of(3, "freedoms of joint 'j'")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    loadpath.errors.ModelError: freedoms of joint 'j' are 3: expected 'rx', 'ry', 'rz', 'x', 'y', 'z', with a minus ...
    """
    if isinstance(given, str):
        given = ALL if given.strip() == "all" else tuple(given.split())
    elif _is_pair(given):
        given = (given,)
    if not isinstance(given, Iterable):
        raise ModelError(f"{what} are {given!r}: {_EXPECTED}")
    return tuple(_freedom(entry, what) for entry in given)


def _is_pair(entry: object) -> bool:
    return isinstance(entry, (tuple, list)) and len(entry) == 2 and isinstance(entry[0], str) and entry[0] in _KINDS


def _freedom(entry: object, what: str) -> Freedom:
    if isinstance(entry, Freedom):
        return entry
    if isinstance(entry, str):
        word = entry.removeprefix("-")
        if word in ALL:
            axis = _AXES[word[-1]]
            return Freedom(len(word) == 2, axis if word == entry else _opposite(axis))
    elif isinstance(entry, (tuple, list)) and _is_pair(entry):
        return Freedom(_KINDS[entry[0]], unit_vector(entry[1], f"{what}: axis of the {entry[0]}"))
    raise ModelError(f"{what}: {entry!r} is not one: {_EXPECTED}")


# Axes nearer than this to a common plane (or line, or right angle) are taken to lie in it.
_FLAT = 1e-6


@dataclass(frozen=True)
class Generalized(JointType):
    """Turns, then slides along the turned axes, in any choice of the six directions: the joint of To-Choi Lau's thesis.

    `freedoms` are up to three turns, "rx", "ry", "rz", in the order in which they are made, each about an axis of what
    the ones before it turned; then up to three slides, "x", "y", "z". A minus sign reverses one, as in "-x"; another
    axis is given as ("turn", axis) or ("slide", axis). "all" are all six. q has one entry for each, in that order:
    angles and displacements. qd are their rates, and tau the torques about the axes of the turns, where these are at
    the moment, and the forces along those of the slides.

    Where there are three turns, they are at right angles to each other, and two of them fall on one line when the
    second angle is a quarter turn. There the joint has a freedom less, and forces do not determine its accelerations.
    Choose an order of turns that keeps away from it; `Spherical` and `Free` have no such attitude.

    >>> Generalized(("rz", "x")).dof
    2
    >>> Generalized("all").labels
    ('rx', 'ry', 'rz', 'x', 'y', 'z')
    >>> Generalized((("turn", (0, 3, 4)), "-x"))
    Generalized(freedoms=(('turn', (0.0, 0.6, 0.8)), '-x'))
    """

    freedoms: Sequence[FreedomLike] | FreedomLike

    def __post_init__(self) -> None:
        read = freedoms_of(self.freedoms, "freedoms of a generalized joint")
        object.__setattr__(self, "freedoms", tuple(freedom.given for freedom in read))
        what = f"freedoms of a generalized joint are {self.freedoms}"
        if not read:
            raise ModelError("a generalized joint has no freedoms: expected some of 'rx', 'ry', 'rz', 'x', 'y', 'z'; "
                             "one without any is lp.Fixed()")
        _refuse_slides_first(what, read)
        for kind, axes in (("turns", self.turns), ("slides", self.slides)):
            if len(axes) > 3 or _flatness(axes) < _FLAT:
                raise ModelError(f"{what}: its {kind} are about or along axes that depend on each other: take each "
                                 "direction once, and what moves twice make two joints")
        if len(self.turns) == 3 and np.abs(np.array(self.turns) @ np.array(self.turns).T - np.eye(3)).max() > _FLAT:
            raise ModelError(f"{what}: three turns need axes at right angles to each other, or there are attitudes "
                             "that they do not reach: give such axes, or take lp.Spherical()")

    @cached_property
    def _read(self) -> tuple[Freedom, ...]:
        return freedoms_of(self.freedoms, "freedoms of a generalized joint")

    @cached_property
    def turns(self) -> tuple[Vector3, ...]:
        """The axes of its turns, each in the axes that the ones before it turned."""
        return tuple(freedom.axis for freedom in self._read if freedom.turns)

    @cached_property
    def slides(self) -> tuple[Vector3, ...]:
        """The axes of its slides, in the turned axes."""
        return tuple(freedom.axis for freedom in self._read if not freedom.turns)

    @property
    def dof(self) -> int:
        return len(self._read)

    @property
    def labels(self) -> tuple[str, ...]:
        if len(self._read) == 1:
            return ("",)
        numbers = [sum(f.turns == g.turns for g in self._read[:k]) + 1 for k, f in enumerate(self._read)]
        return tuple(freedom.label or f"{'turn' if freedom.turns else 'slide'}{number}"
                     for freedom, number in zip(self._read, numbers, strict=True))

    @property
    def angular(self) -> tuple[bool, ...]:
        return tuple(freedom.turns for freedom in self._read)

    # Its motion

    def placement(self, q: Array) -> tuple[Rotation, Array]:
        turn = compose(*(turn_about(axis, angle) for axis, angle in zip(self.turns, q, strict=False)))
        return turn, turn @ self._slide(q[len(self.turns) :])

    def _slide(self, distances: Array) -> Array:
        """The displacement, in the turned axes."""
        d = zeros(3)
        for axis, distance in zip(self.slides, distances, strict=True):
            d = d + scale(distance, fixed_vector(axis))
        return d

    def _turning(self, q: Array) -> list[Array]:
        """The axis of each turn, in the axes that all of them turned."""
        found: list[Array] = []
        after = IDENTITY
        for axis, angle in reversed(list(zip(self.turns, q, strict=False))):
            found.append(after.T @ fixed_vector(axis))
            after = compose(turn_about(axis, angle), after)
        return found[::-1]

    def subspace(self, q: Array) -> Columns:
        d = self._slide(q[len(self.turns) :])
        turns: Columns = [(axis, cross(axis, d)) for axis in self._turning(q)]
        return turns + [(zeros(3), fixed_vector(axis)) for axis in self.slides]

    def subspace_rate(self, q: Array, qd: Array) -> Columns:
        count = len(self.turns)
        d, speed = self._slide(q[count:]), self._slide(qd[count:])
        turns: Columns = []
        after = zeros(3)  # angular velocity of the turned axes against those that have made this turn
        for axis, rate in reversed(list(zip(self._turning(q), qd, strict=False))):
            change = cross(axis, after)
            turns.append((change, cross(change, d) + cross(axis, speed)))
            after = after + scale(rate, axis)
        return turns[::-1] + [(zeros(3), zeros(3)) for _ in self.slides]

    # Where it closes a loop

    def nearest(self, Q: Rotation, b: Array) -> tuple[Rotation, Array]:
        turn = self._nearest_turn(Q, b)
        shown = turn.T @ b
        inside = array((_projection(self.slides) if self.slides else np.zeros((3, 3))).tolist())
        return turn, turn @ array([dot(row, shown) for row in inside])

    def _nearest_turn(self, Q: Rotation, b: Array) -> Rotation:
        if len(self.turns) == 3:
            return Q
        if len(self.turns) == 2:
            return Universal(*self.turns).nearest(Q, b)[0]
        return Revolute(self.turns[0]).nearest(Q, b)[0] if self.turns else IDENTITY

    def coordinates_at(self, turns: Tensor, shifts: Tensor) -> Tensor:
        angles = self._angles_at(turns, shifts)
        # The turn that the angles make, which need not be the one given.
        rotation = np.broadcast_to(np.eye(3), turns.shape)
        for k, axis in enumerate(self.turns):
            rotation = rotation @ _turn_matrices(axis, angles[..., k])
        shown = np.einsum("...ji,...j->...i", rotation, shifts)
        distances = shown @ np.linalg.pinv(np.array(self.slides)) if self.slides else np.zeros((*angles.shape[:-1], 0))
        return np.concatenate([angles, distances], axis=-1)

    def _angles_at(self, turns: Tensor, shifts: Tensor) -> Tensor:
        if len(self.turns) == 3:
            return _three_angles(self.turns, turns)
        if len(self.turns) == 2:
            return Universal(*self.turns).coordinates_at(turns, shifts)
        if self.turns:
            return Revolute(self.turns[0]).coordinates_at(turns, shifts)
        return np.zeros((*turns.shape[:-2], 0))

    def held(self, Q: Rotation, b: Array) -> Columns:
        # A force across the slides loads the turns unless it passes through their crossing, where d ends backwards.
        d = Q.T @ b
        forces = [fixed_vector(axis) for axis in _across_all(self.slides)]
        if len(self.turns) == 2:
            first, second = (fixed_vector(axis) for axis in self.turns)
            torques = [scale(1.0 / _flatness(self.turns), cross(Q.T @ first, second))]
        else:
            torques = [fixed_vector(axis) for axis in _across_all(self.turns)]
        return [(cross(force, d), force) for force in forces] + [(torque, zeros(3)) for torque in torques]

    # What it shares with simpler joints

    @cached_property
    def _plain(self) -> JointType | None:
        """The joint with one axis that moves in the same way, if there is one."""
        if not self.slides and len(self.turns) == 1:
            return Revolute(self.turns[0])
        if not self.turns and len(self.slides) == 1:
            return Prismatic(self.slides[0])
        same = len(self.turns) == len(self.slides) == 1 and np.abs(np.subtract(*self.turns, *self.slides)).max() == 0
        return Cylindrical(self.turns[0]) if same else None

    def axis_direction(self) -> Vector3 | None:
        return None if self._plain is None else self._plain.axis_direction()

    def turns_about_line(self) -> bool:
        return self._plain is not None and self._plain.turns_about_line()

    def along_z(self, zero: float) -> tuple[JointType, float]:
        return super().along_z(zero) if self._plain is None else self._plain.along_z(zero)

    def shared_with_parent(self, mass: Scalar, moment: Array, tensor: Array) -> tuple[Scalar, Array, Array]:
        if self._plain is not None:
            return self._plain.shared_with_parent(mass, moment, tensor)
        nothing = zeros(3), zeros(3, 3)
        if not self.slides:
            return mass, *nothing  # a point mass at the crossing of the axes
        if not self.turns:
            return 0.0, nothing[0], tensor
        if len(self.turns) == 1:  # a thin rod along the axis of the turn, as far as it has a moment only
            axis, (side, _) = np.array(self.turns[0]), across(self.turns[0])
            return 0.0, nothing[0], scale(
                dot(side, tensor @ array(side)), array((np.eye(3) - np.outer(axis, axis)).tolist()))
        return 0.0, *nothing


def _refuse_slides_first(what: str, read: Sequence[Freedom]) -> None:
    slide = next((k for k, freedom in enumerate(read) if not freedom.turns), len(read))
    turn = next((freedom for freedom in read[slide:] if freedom.turns), None)
    if turn is not None:
        ordered = tuple(f.given for f in sorted(read, key=lambda freedom: not freedom.turns))
        raise ModelError(f"{what}: the turn {turn.given!r} comes after the slide {read[slide].given!r}, but a "
                         f"generalized joint turns first and slides along the turned axes: write {ordered}, or make it "
                         "two joints")


def _flatness(axes: Sequence[Vector3]) -> float:
    """Length, area or volume that unit vectors span: zero where they depend on each other."""
    rows = np.array(axes, dtype=float).reshape(-1, 3)
    return float(np.sqrt(max(np.linalg.det(rows @ rows.T), 0.0))) if len(rows) else 1.0


def _projection(axes: Sequence[Vector3]) -> Tensor:
    """The matrix that takes a vector to its part in the space of the axes."""
    rows = np.array(axes)
    found: Tensor = np.linalg.pinv(rows) @ rows
    return np.where(np.abs(found) < 1e-15, 0.0, np.where(np.abs(found - 1) < 1e-15, 1.0, found))


def _across_all(axes: Sequence[Vector3]) -> Iterable[Vector3]:
    """A basis of the directions at right angles to all the axes."""
    if not axes:
        return X, Y, Z
    if len(axes) == 1:
        return across(axes[0])
    if len(axes) == 2:
        x, y, z = (np.cross(*np.array(axes)) / _flatness(axes)).tolist()
        return ((x, y, z),)
    return ()


def _turn_matrices(axis: Vector3, angles: Tensor) -> Tensor:
    """(..., 3, 3): turns about an axis."""
    a = np.array(axis)
    skew = np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])
    c, s = np.cos(angles)[..., None, None], np.sin(angles)[..., None, None]
    found: Tensor = c * np.eye(3) + s * skew + (1.0 - c) * np.outer(a, a)
    return found


def _three_angles(axes: Sequence[Vector3], turns: Tensor) -> Tensor:
    """(..., 3): angles of three turns about axes at right angles that together make rotations (..., 3, 3), the second
    from -pi/2 to pi/2; where it is at one of these ends, the first is zero.

    >>> _three_angles((X, Y, Z), _turn_matrices(Y, np.array(0.3))).round(12).tolist()
    [0.0, 0.3, 0.0]
    """
    first, second, third = np.array(axes)
    basis = np.column_stack([first, second, np.cross(first, second)])
    hand = float(np.sign(basis[:, 2] @ third))
    m = basis.T @ turns @ basis
    level = np.hypot(m[..., 0, 0], m[..., 0, 1])
    flat = level < 1e-12
    alpha = np.where(flat, 0.0, np.arctan2(-m[..., 1, 2], m[..., 2, 2]))
    gamma = np.where(flat, np.arctan2(m[..., 1, 0], m[..., 1, 1]), np.arctan2(-m[..., 0, 1], m[..., 0, 0]))
    return np.stack([alpha, np.arctan2(m[..., 0, 2], level), hand * gamma], axis=-1) + 0.0
