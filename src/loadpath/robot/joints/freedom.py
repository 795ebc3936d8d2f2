"""A freedom of a joint as it is written: selection vector and kind, "rz" a turn about z, "x" a slide along x."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from loadpath.errors import ModelError
from loadpath.robot.joints.base import X, Y, Z
from loadpath.robot.numbers import Vector3, unit_vector

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
