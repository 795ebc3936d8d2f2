"""Parts by their kinds: the classes of `loadpath.parts`, found by what they are called in tables or in Python."""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
import re
from collections.abc import Mapping
from dataclasses import fields

from loadpath import parts
from loadpath.parts.part import Part


@functools.cache
def part_classes() -> Mapping[str, type[Part]]:
    """By kind, as "crossed roller bearing", and by the name of the class.

    >>> part_classes()["crossed roller bearing"].__name__
    'CrossedRollerBearing'
    """
    for module in pkgutil.walk_packages(parts.__path__, f"{parts.__name__}."):
        importlib.import_module(module.name)
    found: dict[str, type[Part]] = {}
    for made in _below(Part):  # type: ignore[type-abstract]
        if not inspect.isabstract(made) and made.__module__.startswith("loadpath."):
            found[kind_of(made)] = made
            found[made.__name__.lower()] = made
    return found


def kind_of(made: type[Part]) -> str:
    """What a class of parts is called in cells: its kind, or, if that is one of its numbers, the words of its name."""
    if has_own_kind(made):
        return re.sub(r"(?<!^)(?=[A-Z])", " ", made.__name__).lower()
    return made.kind.lower()


def has_own_kind(made: type[Part]) -> bool:
    """Whether `kind` is a field that users give, as of pairs of bearings; in cells it is called `type`."""
    return any(part.name == "kind" for part in fields(made))  # type: ignore[arg-type]


def kinds() -> list[str]:
    """What can be asked for, in the words of tables."""
    return sorted({kind_of(made) for made in part_classes().values()})


def _below(made: type[Part]) -> list[type[Part]]:
    children: list[type[Part]] = made.__subclasses__()
    return [each for child in children for each in (child, *_below(child))]
