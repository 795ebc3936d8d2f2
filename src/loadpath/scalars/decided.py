"""A scalar that knows what number it is in one design: code that asks which of two numbers is larger can be run for all
designs of a family at once.

Where a robot is laid out for equations, numbers decide: which section of a beam is nearest to a payload, whether a wall
is the thinner one. A `Decided` is a scalar of any kind with the number that it has in one design, which answers such
questions; each answer is noted with what was compared. Of other designs it is known by the notes whether they would be
laid out the same way (`Decisions.hold`).
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from loadpath.scalars.algebra import Array, Scalar, array
from loadpath.scalars.functions import atan2, cos, exp, sign, sin, sqrt
from loadpath.scalars.rotation import MatrixRotation
from loadpath.scalars.types import Bools

_PLAIN = (int, float, np.number)
Numbers: TypeAlias = "np.ndarray[Any, Any]"
"""An array of floats, or an object array of scalars."""


class NumberNeededError(TypeError):
    """A formula that works on plain numbers alone met one that is a parameter."""


class Decision(NamedTuple):
    """A question that was asked, and how it was answered."""

    question: str
    first: Scalar
    second: Scalar
    answer: int


_QUESTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq,
    "rounded up": lambda a, b: np.ceil(a - b),
}


class Decisions:
    """What numbers decided."""

    def __init__(self) -> None:
        self.noted: list[Decision] = []

    def ask(self, question: str, first: Any, second: Any) -> int:
        """The answer, by the numbers of one design."""
        answer = _QUESTIONS[question](number_of(first), number_of(second))
        self.noted.append(Decision(question, bare(first), bare(second), int(answer)))
        return int(answer)

    @property
    def answers(self) -> tuple[int, ...]:
        """All answers, in the order of the questions: designs with the same ones are laid out alike."""
        return tuple(decision.answer for decision in self.noted)

    def hold(self, shape: tuple[int, ...]) -> Bools:
        """Of which designs the answers would have been the same, where the scalars are arrays of this shape."""
        alike = np.ones(shape, dtype=bool)
        with np.errstate(all="ignore"):
            for question, first, second, answer in self.noted:
                alike &= np.broadcast_to(_QUESTIONS[question](first, second) == answer, shape)
        return alike


    def patterns(self, shape: tuple[int, ...]) -> Bools:
        """(questions, *shape): which of the designs would have answered each question like the one that decided."""
        with np.errstate(all="ignore"):
            alike = [np.broadcast_to(_QUESTIONS[question](first, second) == answer, shape)
                     for question, first, second, answer in self.noted]
        return np.array(alike, dtype=bool).reshape(len(alike), *shape)


class Decided:
    """A scalar with its number in one design.

    >>> decisions = Decisions()
    >>> wall = Decided(0.003, np.array([0.003, 0.05]), decisions)
    >>> (2 * wall < 0.08, decisions.hold((2,)).tolist(), (wall * wall).scalar.tolist())
    (True, [True, False], [9e-06, 0.0025000000000000005])
    """

    __slots__ = ("decisions", "number", "scalar")

    def __init__(self, number: float, scalar: Scalar, decisions: Decisions) -> None:
        self.number, self.scalar, self.decisions = float(number), scalar, decisions

    def _with(self, number: float, scalar: Scalar) -> Any:
        # What became a plain number (as x - x) is one.
        return scalar if isinstance(scalar, (int, float)) else Decided(number, scalar, self.decisions)

    def _of(self, function: Callable[[Any, Any], Any], first: Any, second: Any) -> Any:
        numbers = [number_of(part) for part in (first, second)]
        with np.errstate(all="ignore"):
            number = float(function(np.float64(numbers[0]), np.float64(numbers[1])))
            return self._with(number, function(bare(first), bare(second)))

    def __add__(self, other: Any) -> Any:
        return self._of(operator.add, self, other) if _is_scalar(other) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return self._of(operator.add, other, self) if _is_scalar(other) else NotImplemented

    def __sub__(self, other: Any) -> Any:
        return self._of(operator.sub, self, other) if _is_scalar(other) else NotImplemented

    def __rsub__(self, other: Any) -> Any:
        return self._of(operator.sub, other, self) if _is_scalar(other) else NotImplemented

    def __mul__(self, other: Any) -> Any:
        return self._of(operator.mul, self, other) if _is_scalar(other) else NotImplemented

    def __rmul__(self, other: Any) -> Any:
        return self._of(operator.mul, other, self) if _is_scalar(other) else NotImplemented

    def __truediv__(self, other: Any) -> Any:
        return self._of(operator.truediv, self, other) if _is_scalar(other) else NotImplemented

    def __rtruediv__(self, other: Any) -> Any:
        return self._of(operator.truediv, other, self) if _is_scalar(other) else NotImplemented

    def __pow__(self, power: int) -> Any:
        if not isinstance(power, (int, np.integer)) or power < 1:
            raise NumberNeededError(f"a power of {power} of a parameter")
        return functools.reduce(operator.mul, [self] * int(power))

    def __neg__(self) -> Any:
        return self._with(-self.number, -self.scalar)

    def __pos__(self) -> Decided:
        return self

    def __abs__(self) -> Any:
        return -self if self < 0.0 else self

    def __lt__(self, other: Any) -> bool:
        return bool(self.decisions.ask("<", self, other))

    def __le__(self, other: Any) -> bool:
        return bool(self.decisions.ask("<=", self, other))

    def __gt__(self, other: Any) -> bool:
        return bool(self.decisions.ask(">", self, other))

    def __ge__(self, other: Any) -> bool:
        return bool(self.decisions.ask(">=", self, other))

    def __eq__(self, other: object) -> bool:
        return self is other or (_is_scalar(other) and bool(self.decisions.ask("==", self, other)))

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.number)

    def __bool__(self) -> bool:
        return self != 0.0

    def __ceil__(self) -> int:
        return self.decisions.ask("rounded up", self, 0.0)

    def __float__(self) -> float:
        raise NumberNeededError("a number is needed, and it is a parameter")

    __int__ = __index__ = __float__

    def sin(self) -> Any:
        return self._with(math.sin(self.number), sin(self.scalar))

    def cos(self) -> Any:
        return self._with(math.cos(self.number), cos(self.scalar))

    def sqrt(self) -> Any:
        return self._with(float(np.sqrt(self.number)), sqrt(self.scalar))

    def exp(self) -> Any:
        return self._with(math.exp(self.number), exp(self.scalar))

    def sign(self) -> Any:
        return self._with(float(np.sign(self.number)), sign(self.scalar))

    @staticmethod
    def atan2(y: Any, x: Any) -> Any:
        of: Decided = y if isinstance(y, Decided) else x
        return of._with(math.atan2(number_of(y), number_of(x)), atan2(bare(y), bare(x)))

    def __repr__(self) -> str:
        return f"<{self.number:g}, decided>"


def _is_scalar(value: object) -> bool:
    return isinstance(value, (Decided, *_PLAIN))


def number_of(x: Any) -> float:
    """The number of a scalar in the one design, without noting that it was asked for."""
    return x.number if isinstance(x, Decided) else float(x)


def is_plain(*values: Any) -> bool:
    """Whether all of these numbers and arrays are plain numbers."""
    return all(value.dtype != object or all(isinstance(x, _PLAIN) for x in value.flat)
               if isinstance(value, np.ndarray) else isinstance(value, _PLAIN) for value in values)


def numbers(entries: Any) -> Numbers:
    """An array of floats where all entries are numbers, of scalars otherwise.

    >>> numbers([1.0, 2.0]).dtype, numbers([1.0, Decided(2.0, 2.5, Decisions())]).dtype
    (dtype('float64'), dtype('O'))
    """
    made = entries if isinstance(entries, np.ndarray) else array(list(entries))
    return made.astype(float) if is_plain(made) else made


def norm(v: Numbers) -> Any:
    """Length of a vector of numbers or scalars."""
    return float(np.linalg.norm(v.astype(float))) if is_plain(v) else sqrt(sum(x * x for x in v))


def snapped(v: Numbers, tolerance: float) -> Numbers:
    """Entries that are a whole number but for rounding, as that number.

    >>> snapped(np.array([1e-17, 0.5, 1 - 1e-16]), 1e-15).tolist()
    [0.0, 0.5, 1.0]
    """
    if is_plain(v):
        v = v.astype(float)
        return np.where(np.abs(v - np.round(v)) < tolerance, np.round(v), v)
    entries = [float(np.round(number_of(x))) if abs(x - float(np.round(number_of(x)))) < tolerance else x
               for x in v.flat]
    return numbers(array(entries).reshape(v.shape))


def bare(value: Any) -> Any:  # noqa: PLR0911
    """The same without the numbers of the one design: a scalar, or all scalars in arrays, tuples, mappings, rotations
    and dataclasses.

    >>> bare((Decided(2.0, "x", Decisions()), 1.0))
    ('x', 1.0)
    """
    if isinstance(value, Decided):
        return value.scalar
    if isinstance(value, np.ndarray):
        return value if value.dtype != object else _bare_array(value)
    if isinstance(value, MatrixRotation):
        entries = bare(value.entries)
        return value if entries is value.entries else MatrixRotation(entries)
    if isinstance(value, tuple):
        parts = [bare(part) for part in value]
        if all(a is b for a, b in zip(parts, value, strict=True)):
            return value
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(value, dict):
        made = {key: bare(part) for key, part in value.items()}
        return value if all(made[key] is value[key] for key in value) else made
    if is_dataclass(value) and not isinstance(value, type):
        return _bare_fields(value)
    return value


def _bare_array(value: Array) -> Array:
    if not any(isinstance(x, Decided) for x in value.flat):
        return value
    entries: Iterable[Any] = (bare(x) for x in value.flat)
    return array(list(entries)).reshape(value.shape)


def _bare_fields(value: Any) -> Any:
    changed = {}
    for part in fields(value):
        if part.name in value.__dict__ and (made := bare(value.__dict__[part.name])) is not value.__dict__[part.name]:
            changed[part.name] = made
    if not changed:
        return value
    made = object.__new__(type(value))
    names = {part.name for part in fields(value)}  # what it has computed of itself is computed again
    made.__dict__.update({name: part for name, part in value.__dict__.items() if name in names} | changed)
    return made
