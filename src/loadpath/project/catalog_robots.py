"""Robots of the catalog by name, as `planar:3`: whole numbers after colons are the arguments of its function."""

from __future__ import annotations

import inspect
import re

from loadpath import catalog
from loadpath.errors import ModelError
from loadpath.project.document import meant

LARGEST = 1_000
"""Joints of a robot of the catalog that may be asked for."""
SIZES = ("n", "joints", "links")
"""How arguments of the catalog are called that are a number of joints."""


def from_catalog(text: str, others: str = "") -> object:
    """The robot or rover of a name; `others` says what else there is, where it is not known.

    >>> from_catalog("planar:3")
    <Robot 'planar3': 5 links, 4 joints, 3 degrees of freedom>
    >>> from_catalog("pnda")
    Traceback (most recent call last):
    loadpath.errors.ModelError: no robot 'pnda' in the catalog; did you mean 'panda'?
    """
    name, *arguments = text.split(":")
    if name not in catalog.__all__:
        hint = meant(name, catalog.__all__)
        if not hint.startswith("; did you mean"):
            hint = f"; there are {', '.join(names())}{others}"
        raise ModelError(f"no robot '{name}' in the catalog{hint}")
    make = getattr(catalog, name)
    try:
        numbers = [_whole(argument) for argument in arguments]
        bound = inspect.signature(make).bind(*numbers)
    except (TypeError, ValueError):
        pattern = _pattern(name)
        how = f"{pattern}, with whole numbers" if ":" in pattern else pattern
        raise ModelError(f"'{text}' is {'not complete' if text == name else 'not understood'}: write {how}") from None
    for parameter, value in bound.arguments.items():
        if parameter in SIZES and value > LARGEST:
            raise ModelError(f"'{text}': {parameter.upper()} is {_short(value)}, expected at most {LARGEST:,}")
    try:
        found: object = make(*numbers)
    except ValueError as problem:
        raise ModelError(f"'{text}': {problem}") from None
    return found


def names() -> list[str]:
    """What can be asked for, e.g. `panda` and `planar:N`."""
    return [_pattern(name) for name in catalog.__all__]


def _whole(text: str) -> int:
    if len(text) > 1000 or not re.fullmatch(r"[+-]?[0-9]+", text):  # int() takes 1_0 and digits of all scripts
        raise ValueError("no whole number")
    return int(text)


def _short(value: int) -> str:
    text = str(value)
    return text if len(text) < 30 else f"a number of {len(text)} digits"


def _pattern(name: str) -> str:
    """How to ask for a robot: `panda`, `planar:N`."""
    parameters = inspect.signature(getattr(catalog, name)).parameters.values()
    needed = [parameter.name.upper() for parameter in parameters if parameter.default is parameter.empty]
    return ":".join([name, *needed])
