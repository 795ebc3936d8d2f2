"""The robot that a user names: one of the catalog, or a file."""

from __future__ import annotations

import difflib
import inspect
import warnings
from pathlib import Path
from typing import NamedTuple

import loadpath as lp
from loadpath.errors import ModelError, ModelWarning


class Named(NamedTuple):
    """A robot, and the warnings that came with it."""

    robot: lp.Robot
    warnings: list[str]


def find(text: str) -> Named:
    """The robot of a name like `panda`, `planar:3` or `arm.urdf`.

    Whole numbers after colons are the arguments of the catalog's function.

    >>> find("planar:3").robot.n
    3
    >>> find("pnda")
    Traceback (most recent call last):
    loadpath.errors.ModelError: no robot 'pnda' in the catalog; did you mean 'panda'?
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", ModelWarning)
        robot = lp.load(text) if _is_file(text) else _from_catalog(text)
    return Named(robot, [line for warning in caught for line in _lines(str(warning.message))])


def _is_file(text: str) -> bool:
    path = Path(text)
    return bool(path.suffix) or len(path.parts) > 1 or path.is_file()


def _lines(message: str) -> list[str]:
    """A warning of several lines is a heading and one warning a line."""
    heading, *lines = message.splitlines()
    return [line.strip() for line in lines] or [heading]


def _from_catalog(text: str) -> lp.Robot:
    name, *arguments = text.split(":")
    if name not in lp.catalog.__all__:
        close = difflib.get_close_matches(name, lp.catalog.__all__, n=1)
        hint = f"did you mean '{close[0]}'?" if close else f"there are {', '.join(names())}, and files ending in .urdf"
        raise ModelError(f"no robot '{name}' in the catalog; {hint}")
    make = getattr(lp.catalog, name)
    try:
        numbers = [int(argument) for argument in arguments]
        inspect.signature(make).bind(*numbers)
    except (TypeError, ValueError):
        raise ModelError(f"'{text}' is not complete: write {_pattern(name)}, with whole numbers") from None
    robot: lp.Robot = make(*numbers)
    return robot


def names() -> list[str]:
    """What can be asked for, e.g. `panda` and `planar:N`."""
    return [_pattern(name) for name in lp.catalog.__all__]


def _pattern(name: str) -> str:
    parameters = inspect.signature(getattr(lp.catalog, name)).parameters.values()
    needed = [parameter.name.upper() for parameter in parameters if parameter.default is parameter.empty]
    return ":".join([name, *needed])
