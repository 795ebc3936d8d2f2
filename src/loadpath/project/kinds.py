"""Parts, sections and wheels by their kinds: classes of the library, found by what they are called in a table."""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import TypeVar

from loadpath import parts, structure
from loadpath.mobile import Contact
from loadpath.parts.part import Part
from loadpath.structure import Section, Shape

T = TypeVar("T")


@functools.cache
def part_classes() -> Mapping[str, type[Part]]:
    """By kind, as "crossed roller bearing", and by the name of the class.

    >>> part_classes()["crossed roller bearing"].__name__
    'CrossedRollerBearing'
    """
    for module in pkgutil.walk_packages(parts.__path__, f"{parts.__name__}."):
        importlib.import_module(module.name)
    return _by_name((kind_of(made), made) for made in _made_below(Part))  # type: ignore[type-abstract]


@functools.cache
def section_classes() -> Mapping[str, type]:
    """Cross sections by the words of their names, as "rectangular tube"; "section" is one from its numbers.

    >>> section_classes()["rectangular tube"].__name__, section_classes()["ibeam"].__name__
    ('RectangularTube', 'IBeam')
    """
    every: list[type] = [Section, *_made_below(Shape)]
    public = [made for made in every if made.__name__ in structure.__all__]
    return _by_name((_words(made), made) for made in public)


@functools.cache
def wheel_classes() -> Mapping[str, type[Contact]]:
    """Wheels and feet by their kinds, as "caster wheel", or "caster" for short.

    >>> wheel_classes()["caster"].__name__, wheel_classes()["support"].__name__
    ('CasterWheel', 'Support')
    """
    made = [one for one in _made_below(Contact) if is_dataclass(one) and one.kind not in ("contact", "wheel")]
    made = [one for one in made if not one.__name__.startswith("_")]
    short = ((one.kind.removesuffix(" wheel"), one) for one in made)
    return _by_name([*((one.kind, one) for one in made), *short])


def kind_of(made: type[Part]) -> str:
    """What a class of parts is called in a table: its kind, or, if that is one of its numbers, the words of its
    name.
    """
    return _words(made) if has_own_kind(made) else made.kind.lower()


def has_own_kind(made: type[Part]) -> bool:
    """Whether `kind` is a field that users give, as of pairs of bearings; in tables it is called `type`."""
    return any(part.name == "kind" for part in fields(made))  # type: ignore[arg-type]


def kinds() -> list[str]:
    """What parts can be asked for, in the words of tables."""
    return sorted({kind_of(made) for made in part_classes().values()})


def section_kinds() -> list[str]:
    """What sections can be asked for."""
    return sorted({_words(made) for made in section_classes().values()})


def wheel_kinds() -> list[str]:
    """What wheels and feet can be asked for."""
    return sorted({made.kind for made in wheel_classes().values()})


def _by_name(named: Iterable[tuple[str, type[T]]]) -> dict[str, type[T]]:
    found: dict[str, type[T]] = {}
    for words, made in named:
        found[words] = made
        found[made.__name__.lower()] = made
    return found


def _words(made: type) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", " ", made.__name__).lower()


def _made_below(made: type[T]) -> list[type[T]]:
    """The library's own classes below one that can be made."""
    return [each for each in _below(made) if not inspect.isabstract(each) and each.__module__.startswith("loadpath.")]


def _below(made: type[T]) -> list[type[T]]:
    children: list[type[T]] = made.__subclasses__()
    return [each for child in children for each in (child, *_below(child))]
