"""The functions and methods that an expression of xacro may call: those of this list and no others.

Each takes and returns plain data. Where a result could be much larger than what goes in, its size is known before.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from loadpath.errors import ModelError

# What the evaluation of one file of xacro may take: every step is counted, and no value grows beyond a size.
#
# A file of a few lines can ask for any amount of work (`${9**9**9}`, `${[0]*10**9}`, macros that call themselves
# twice). Each value is weighed when it is made, so whatever is done with values later (compared, sorted, written) is
# bounded.


LONGEST_EXPRESSION = 5_000
"""Characters of an expression."""
DEEPEST_EXPRESSION = 100
"""Operations inside one another in an expression."""
LARGEST_VALUE = 100_000
"""Items and characters of a value."""
LARGEST_BITS = 2_048
"""Binary digits of a whole number."""
MOST_STEPS = 1_000_000
"""Operations and pieces of text of a file with all that it includes. A large robot takes some 10,000."""
MOST_ELEMENTS = 100_000
"""Elements that a file may make. A large robot has some 5,000."""
MOST_TEXT = 2**24
"""Characters of the attributes and texts that a file may make."""
DEEPEST_NESTING = 100
"""Macros, files, elements and properties inside one another."""
MOST_FILES = 1_000
"""Files that may be included."""
LARGEST_YAML = 2**18
"""Bytes of a file of YAML."""
LONGEST_MESSAGE = 1_000
"""Characters of what is said of an error."""


@dataclass
class Steps:
    """A count of what a file has used up.

    >>> Steps(left=2).take(3)
    Traceback (most recent call last):
    loadpath.errors.ModelError: it takes more than 1,000,000 steps to evaluate, which no robot needs
    """

    left: int = MOST_STEPS

    def take(self, count: int = 1) -> None:
        self.left -= count
        if self.left < 0:
            raise ModelError(f"it takes more than {MOST_STEPS:,} steps to evaluate, which no robot needs")


def weighed(value: object, steps: Steps) -> object:
    """A value, or an error if it is too large or not plain data: None, numbers, texts, and lists, tuples, ranges and
    dicts of them. What is shared inside it counts each time.
    """
    if isinstance(value, (bool, float)) or value is None:
        return value
    if isinstance(value, int):
        refuse_long_integer(value.bit_length())
        return value
    weight, level = 0, [value]
    for _ in range(DEEPEST_NESTING):
        inner: list[object] = []
        for item in level:
            if isinstance(item, (str, list, tuple, range, dict)):
                weight += 1 + len(item)
            elif item is None or isinstance(item, (bool, int, float)):
                weight += 1
            else:
                raise ModelError(f"a value is of the type '{type(item).__name__}': expected a number, text, list or "
                                 "dict")
            refuse_large(weight)
            if isinstance(item, (list, tuple)):
                inner += item
            elif isinstance(item, dict):
                inner += (*item.keys(), *item.values())
        level = inner
        if not level:
            break
    else:  # to compare or to hash what is deeper would overflow the stack
        raise ModelError(f"a value has lists more than {DEEPEST_NESTING} deep, which no robot needs")
    steps.take(1 + weight // 4)
    return value


def refuse_large(weight: int) -> None:
    """An error for a value of so many items and characters, before it is made."""
    if weight > LARGEST_VALUE:
        raise ModelError(f"a value has more than {LARGEST_VALUE:,} items or characters, which no robot needs")


def refuse_long_integer(bits: int) -> None:
    """An error for a whole number of so many binary digits, before it is made."""
    if bits > LARGEST_BITS:
        raise ModelError(f"a whole number has more than {LARGEST_BITS:,} binary digits, which no robot needs")


_WIDEST = 200
"""Characters to which a text may be filled up."""
_LARGEST_FACTORIAL, _MOST_DIGITS = 170, 400
_PLACEHOLDER = re.compile(r"%[-+ 0#]*[0-9]{0,2}(?:\.[0-9]{0,2})?[diouxXeEfFgGcrs%]|%")


@dataclass(frozen=True)
class Function:
    """A function that expressions may call. It is no value: it is in no list, and has no attributes."""

    name: str
    call: Callable[..., Any]
    kind: type | None = None
    """The type that it makes, for `isinstance`."""


class Names(ABC):
    """Something whose entries are asked for by a dot: a module, or the names of an included file."""

    @abstractmethod
    def look_up(self, name: str) -> object:
        """What has this name in it; KeyError if nothing has."""


@dataclass(frozen=True)
class Module(Names):
    """Functions and constants under one name, as `math.pi`."""

    name: str
    entries: Mapping[str, object]

    def look_up(self, name: str) -> object:
        return self.entries[name]


def _range(*ends: int) -> range:
    made = range(*ends)
    refuse_large(len(made))
    return made


def _round(value: float, digits: int | None = None) -> float:
    if digits is not None and abs(digits) > _MOST_DIGITS:  # of a whole number they would be written out
        raise ValueError(f"round() to {digits} digits: expected at most {_MOST_DIGITS}")
    return round(value, digits)


def _sum(values: Any, start: Any = 0) -> Any:
    items = list(values)
    if not all(isinstance(item, (int, float)) for item in (*items, start)):
        raise TypeError("sum() takes numbers")
    return sum(items, start)


def _map(function: object, *lists: Any) -> list[Any]:
    if not isinstance(function, Function):
        raise TypeError("map() takes a function and a list")
    return [function.call(*items) for items in zip(*lists, strict=False)]


def _isinstance(value: object, kinds: Any) -> bool:
    asked = kinds if isinstance(kinds, tuple) else (kinds,)
    if not all(isinstance(kind, Function) and kind.kind is not None for kind in asked):
        raise TypeError("isinstance() takes a value and a type, like python.str")
    return isinstance(value, tuple(kind.kind for kind in asked))


def _factorial(n: int) -> int:
    if n > _LARGEST_FACTORIAL:
        raise ModelError(f"factorial({n}): expected at most {_LARGEST_FACTORIAL}")
    return math.factorial(n)


_TYPES: dict[str, type] = {"list": list, "dict": dict, "tuple": tuple, "str": str, "float": float, "int": int,
                           "bool": bool}
_BUILTINS: dict[str, Callable[..., Any]] = {
    **_TYPES,
    "map": _map, "range": _range, "sum": _sum, "isinstance": _isinstance, "len": len, "min": min, "max": max,
    "round": _round, "sorted": sorted, "abs": abs, "all": all, "any": any, "divmod": divmod, "ord": ord, "repr": repr,
    "enumerate": lambda *given: list(enumerate(*given)), "reversed": lambda values: list(reversed(values)),
    "zip": lambda *lists: list(zip(*lists, strict=False)),
}
_MATH = (
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos", "cosh",
    "degrees", "dist", "erf", "erfc", "exp", "exp2", "expm1", "fabs", "floor", "fmod", "frexp", "fsum", "gamma",
    "gcd", "hypot", "isclose", "isfinite", "isinf", "isnan", "isqrt", "ldexp", "lgamma", "log", "log10", "log1p",
    "log2", "modf", "nextafter", "pow", "radians", "remainder", "sin", "sinh", "sqrt", "tan", "tanh", "trunc",
    "ulp",
)
_CONSTANTS = {"pi": math.pi, "e": math.e, "tau": math.tau, "inf": math.inf, "nan": math.nan}

PYTHON = {name: Function(name, call, _TYPES.get(name)) for name, call in _BUILTINS.items()}
MATH: dict[str, object] = {
    **{name: Function(name, getattr(math, name)) for name in _MATH},
    "factorial": Function("factorial", _factorial),
    **_CONSTANTS,
}
_BARE = ("list", "dict", "map", "len", "str", "float", "int", "bool", "min", "max", "round", "sorted", "range")
GLOBAL: dict[str, object] = {
    **{name: PYTHON[name] for name in _BARE},
    **MATH,
    "python": Module("python", PYTHON),
    "math": Module("math", MATH),
}
"""Names that every expression knows; the other functions of Python are asked for as `python.abs`."""


# Methods of texts, lists and dicts


def _replace(text: str, old: str, new: str) -> str:
    refuse_large(len(text) + (text.count(old) if old else len(text) + 1) * len(new))
    return text.replace(old, new)


def _join(text: str, parts: Any) -> str:
    items = list(parts)
    refuse_large(sum(len(item) for item in items) + len(text) * len(items))
    return text.join(items)


def _rsplit(text: str, separator: str | None = None, most: int = -1) -> list[str]:
    if separator is not None and len(separator) > _WIDEST:  # it is searched for in time of the product of both lengths
        raise ValueError(f"a separator of {len(separator)} characters: expected at most {_WIDEST}")
    return text.rsplit(separator, most)


def _filled(method: Callable[..., str]) -> Callable[..., str]:
    def fill(text: str, width: int, *sign: str) -> str:
        if not 0 <= width <= _WIDEST:
            raise ValueError(f"a width of {width}: expected at most {_WIDEST}")
        return method(text, width, *sign)

    return fill


_TEXT_METHODS = ("capitalize", "casefold", "count", "endswith", "find", "index", "isalnum", "isalpha", "isdecimal",
                 "isdigit", "islower", "isnumeric", "isspace", "isupper", "lower", "lstrip", "partition",
                 "removeprefix", "removesuffix", "rstrip", "split", "splitlines",
                 "startswith", "strip", "swapcase", "title", "upper")
METHODS: dict[type, dict[str, Callable[..., Any]]] = {
    str: {
        **{name: getattr(str, name) for name in _TEXT_METHODS},
        **{name: _filled(getattr(str, name)) for name in ("center", "ljust", "rjust", "zfill")},
        "rsplit": _rsplit,
        "replace": _replace,
        "join": _join,
    },
    list: {"count": list.count, "index": list.index, "copy": list.copy},
    tuple: {"count": tuple.count, "index": tuple.index},
    dict: {
        "get": dict.get,
        "keys": list,
        "values": lambda entries: list(entries.values()),
        "items": lambda entries: list(entries.items()),
        "copy": dict.copy,
    },
}


def filled_in(text: str, values: object) -> str:
    """A text with placeholders as `%.3f`, filled in; widths have two digits at most.

    >>> filled_in("%s_%.2f", ("arm", 0.5))
    'arm_0.50'
    """
    for spec in _PLACEHOLDER.findall(text):
        if spec == "%":
            raise ValueError("a placeholder after % is not known: expected one like %d, %.3f or %s")
    return text % values
