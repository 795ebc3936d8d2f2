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
from loadpath.files.xacro.limits import refuse_large

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
