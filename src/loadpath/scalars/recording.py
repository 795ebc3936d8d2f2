"""The scalar that records what is done with it, each value once: what is computed again is found by what it is made of.

A `Recording` keeps the values of one trace. A `Recorded` is an operation on others, or an input. Zeros, ones and signs
are folded as they come, and nothing else is rewritten: half of what an equation writes down for general vectors are
zeros and ones in a given robot, and a sign that is drawn out of a product meets another one or becomes a difference.
A plain number stays a plain number until a recorded value meets it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from loadpath.scalars.functions import atan2, cos, exp, sign, sin, sqrt

INPUT, NUMBER = "input", "number"
COMMUTATIVE = frozenset(("add", "mul", "fmin", "fmax", "eq", "ne", "and", "or", "hypot"))

_PLAIN = (int, float, np.number)


class Recording:
    """The values of one trace, in the order in which they came to be."""

    def __init__(self) -> None:
        self._count = 0
        self._made: dict[Any, Recorded] = {}

    def inputs(self, size: int) -> list[Recorded]:
        """New values that nothing is known of."""
        return [self._new(INPUT, ()) for _ in range(size)]

    def number(self, value: float) -> Recorded:
        """A plain number as the argument of an operation."""
        key = value, math.copysign(1.0, value)  # zeros have signs
        made = self._made.get(key)
        if made is None:
            made = self._made[key] = self._new(NUMBER, (), value)
        return made

    def operation(self, name: str, *arguments: Recorded) -> Recorded:
        """The value of an operation, the same one for the same operation on the same values."""
        if len(arguments) == 2:
            return self.of_two(name, *arguments)
        (a,) = arguments
        key = name, a.place
        made = self._made.get(key)
        if made is None:
            made = self._made[key] = self._new(name, arguments)
        return made

    def of_two(self, name: str, a: Recorded, b: Recorded) -> Recorded:
        """`operation` with two arguments."""
        key = (name, b.place, a.place) if b.place < a.place and name in COMMUTATIVE else (name, a.place, b.place)
        made = self._made.get(key)
        if made is None:
            made = self._made[key] = self._new(name, (a, b))
        return made

    def _new(self, name: str, arguments: tuple[Recorded, ...], value: float = 0.0) -> Recorded:
        self._count += 1
        return Recorded(self, name, arguments, value, self._count)


def recording_among(values: Iterable[Any]) -> Recording:
    """The recording of the first recorded value there is; a new one if there is none."""
    return next((value.recording for value in values if isinstance(value, Recorded)), None) or Recording()


class Recorded:
    """A recorded value.

    >>> x, y = Recording().inputs(2)
    >>> (x + 0 is x, x * 1.0 is x, x * 0, x - x, x * y is y * x, (-x) * y + y is y - x * y)
    (True, True, 0.0, 0.0, True, True)
    """

    __slots__ = ("arguments", "name", "place", "recording", "value")

    def __init__(
        self, recording: Recording, name: str, arguments: tuple[Recorded, ...], value: float, place: int
    ) -> None:
        self.recording = recording
        self.name = name
        """Of its operation, or `INPUT` or `NUMBER`."""
        self.arguments = arguments
        self.value = value
        """Of a number."""
        self.place = place
        """In the recording; those of the arguments are smaller."""

    def __add__(self, other: Any) -> Any:
        if type(other) is not Recorded:
            if not isinstance(other, _PLAIN):
                return NotImplemented
            if other == 0:
                return self
            other = self.recording.number(float(other))
        return _sum(self, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        if type(other) is not Recorded:
            if not isinstance(other, _PLAIN):
                return NotImplemented
            if other == 0:
                return self
            other = self.recording.number(float(other))
        return _difference(self, other)

    def __rsub__(self, other: Any) -> Any:
        if not isinstance(other, _PLAIN):
            return NotImplemented
        return -self if other == 0 else _difference(self.recording.number(float(other)), self)

    def __mul__(self, other: Any) -> Any:
        if type(other) is not Recorded:
            if not isinstance(other, _PLAIN):
                return NotImplemented
            if other == 0:
                return 0.0
            if other in (1, -1):
                return self if other == 1 else -self
            other = self.recording.number(float(other))
        return _product(self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if type(other) is not Recorded:
            if not isinstance(other, _PLAIN):
                return NotImplemented
            if other in (1, -1):
                return self if other == 1 else -self
            other = self.recording.number(float(other))
        return _quotient(self, other)

    def __rtruediv__(self, other: Any) -> Any:
        if not isinstance(other, _PLAIN):
            return NotImplemented
        return 0.0 if other == 0 else _quotient(self.recording.number(float(other)), self)

    def __neg__(self) -> Recorded:
        return self.arguments[0] if self.name == "neg" else self.recording.operation("neg", self)

    def __pos__(self) -> Recorded:
        return self

    def __bool__(self) -> bool:
        raise TypeError("a formulation may not ask for the value of a scalar: it would hold for this state only")

    def sin(self) -> Recorded:
        return -self.arguments[0].sin() if self.name == "neg" else self.recording.operation("sin", self)

    def cos(self) -> Recorded:
        return self.arguments[0].cos() if self.name == "neg" else self.recording.operation("cos", self)

    def sqrt(self) -> Recorded:
        return self.recording.operation("sqrt", self)

    def exp(self) -> Recorded:
        return self.recording.operation("exp", self)

    def sign(self) -> Recorded:
        return self.recording.operation("sign", self)

    @staticmethod
    def atan2(y: Any, x: Any) -> Recorded:
        recording: Recording = (y if isinstance(y, Recorded) else x).recording
        return recording.operation("atan2", *(
            a if isinstance(a, Recorded) else recording.number(float(a)) for a in (y, x)
        ))


def applied(recording: Recording, name: str, *arguments: Any) -> Any:
    """An operation by its name on recorded values and plain numbers.

    >>> recording = Recording()
    >>> x, = recording.inputs(1)
    >>> applied(recording, "mul", x, 1.0) is x, applied(recording, "sq", 3.0), applied(recording, "tan", x).name
    (True, 9.0, 'tan')
    """
    if name in _WRITTEN:
        return _WRITTEN[name](*arguments)
    return recording.operation(name, *(a if isinstance(a, Recorded) else recording.number(float(a)) for a in arguments))


_WRITTEN: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda a: -a,
    "inv": lambda a: 1.0 / a,
    "sq": lambda a: a * a,
    "twice": lambda a: a + a,
    **{function.__name__: function for function in (sin, cos, sqrt, exp, sign, atan2)},
}
"""Operations that equations write, on scalars of any kind."""


def _alone(value: Recorded) -> Any:
    """What is left of an operation: a number is a plain one again."""
    return value.value if value.name == NUMBER else value


def _sum(x: Recorded, y: Recorded) -> Any:  # noqa: PLR0911
    if y.name == "neg":
        return _difference(x, y.arguments[0])
    if x.name == "neg":
        return _difference(y, x.arguments[0])
    if x is y:
        return x.recording.operation("twice", x)
    if x.name == "sub" and x.arguments[1] is y:
        return _alone(x.arguments[0])
    if y.name == "sub" and y.arguments[1] is x:
        return _alone(y.arguments[0])
    if x.name == "sq" and y.name == "sq":
        a, b = x.arguments[0], y.arguments[0]
        if {a.name, b.name} == {"sin", "cos"} and a.arguments == b.arguments:
            return 1.0
    return x.recording.of_two("add", x, y)


def _difference(x: Recorded, y: Recorded) -> Any:  # noqa: PLR0911
    if x is y:
        return 0.0
    if y.name == "neg":
        return _sum(x, y.arguments[0])
    if x.name == "neg":
        return -_sum(x.arguments[0], y)
    if x.name == "add" and y in x.arguments:
        return _alone(x.arguments[x.arguments[0] is y])
    if y.name == "add" and x in y.arguments:
        return -_alone(y.arguments[y.arguments[0] is x])
    if x.name == "sub" and x.arguments[0] is y:
        return -_alone(x.arguments[1])
    if y.name == "sub" and y.arguments[0] is x:
        return _alone(y.arguments[1])
    return x.recording.of_two("sub", x, y)


def _product(x: Recorded, y: Recorded) -> Any:  # noqa: PLR0911
    if x.name == "neg" and x is not y:
        return -_product(x.arguments[0], y)
    if y.name == "neg":
        return _product(y.arguments[0], y.arguments[0]) if x is y else -_product(x, y.arguments[0])
    if x is y:
        return x.recording.operation("sq", x)
    if x.name == NUMBER:
        x, y = y, x
    if y.name == NUMBER:
        return _multiple(x, y)
    if y.name == "inv":
        return _quotient(x, y.arguments[0])
    if x.name == "inv":
        return _quotient(y, x.arguments[0])
    if x.name == "div" and x.arguments[1] is y:
        return _alone(x.arguments[0])
    if y.name == "div" and y.arguments[1] is x:
        return _alone(y.arguments[0])
    return x.recording.of_two("mul", x, y)


def _multiple(x: Recorded, factor: Recorded) -> Any:
    """By a number: two of them are one, and the double is a sum."""
    if factor.value == 2.0:
        return x.recording.operation("twice", x)
    if x.name == "mul" and x.arguments[1].name == NUMBER:
        return x.arguments[0] * (x.arguments[1].value * factor.value)
    return x.recording.of_two("mul", x, factor)


def _quotient(x: Recorded, y: Recorded) -> Any:  # noqa: PLR0911
    if x is y:
        return 1.0
    if x.name == "neg":
        return -_quotient(x.arguments[0], y)
    if y.name == "neg":
        return -_quotient(x, y.arguments[0])
    if y.name == "inv":
        return _product(x, y.arguments[0])
    if x.name == "mul" and y in x.arguments:
        return _alone(x.arguments[x.arguments[0] is y])
    if x.name == NUMBER and x.value == 1.0:
        return x.recording.operation("inv", y)
    return x.recording.of_two("div", x, y)


def needed_for(values: Iterable[Any]) -> list[Recorded]:
    """The recorded values among these, and all that they are made of, in the order in which they came to be."""
    waiting = [value for value in values if isinstance(value, Recorded)]
    there: dict[int, Recorded] = {}
    while waiting:
        value = waiting.pop()
        if value.place not in there:
            there[value.place] = value
            waiting += value.arguments
    return [there[place] for place in sorted(there)]


def replaced(values: Iterable[Any], old: Iterable[Recorded], new: Iterable[Any]) -> list[Any]:
    """The values with other values or numbers in place of some inputs.

    >>> x, y = Recording().inputs(2)
    >>> replaced([x * x + y], [x], [2.0])[0] is y + 4.0
    True
    """
    values = list(values)
    now: dict[int, Any] = {symbol.place: value for symbol, value in zip(old, new, strict=True)}
    for value in needed_for(values):
        if any(argument.place in now for argument in value.arguments):
            arguments = [now.get(argument.place, argument) for argument in value.arguments]
            plain = [a.value if isinstance(a, Recorded) and a.name == NUMBER else a for a in arguments]
            now[value.place] = applied(value.recording, value.name, *plain)
    return [now.get(value.place, value) if isinstance(value, Recorded) else value for value in values]
