"""Parts by their kinds: classes of the library and of plugins, found by their words in a table or a project file."""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import TypeVar

from loadpath import parts, plugins
from loadpath.parts.part import Part

T = TypeVar("T")


@functools.cache
def part_classes() -> Mapping[str, type[Part]]:
    """By kind, as "crossed roller bearing", and by the name of the class.

    >>> part_classes()["crossed roller bearing"].__name__
    'CrossedRollerBearing'
    """
    for module in pkgutil.walk_packages(parts.__path__, f"{parts.__name__}."):
        importlib.import_module(module.name)
    return by_name((kind_of(made), made) for made in made_below(Part))  # type: ignore[type-abstract]


def part_class(kind: str) -> type[Part] | None:
    """The class of parts of that kind, ours or a plugin's.

    >>> part_class("Crossed roller bearing").__name__, part_class("flux capacitor")
    ('CrossedRollerBearing', None)
    """
    ours = part_classes()
    return ours.get(kind.lower()) or class_of_plugin("parts", kind, ours, Part)  # type: ignore[type-abstract]


def class_of_plugin(group: str, kind: str, ours: Iterable[str], base: type[T]) -> type[T] | None:
    """The class that a plugin has of that kind: a dataclass made from `base` that can be made."""

    def expected(found: object) -> str:
        right = isinstance(found, type) and issubclass(found, base) and is_dataclass(found)
        return "" if right and not inspect.isabstract(found) else f"a dataclass made from {base.__name__}"

    made: type[T] | None = plugins.find(group, kind, ours, expected)
    return made


def with_plugins(group: str, ours: Iterable[str], known: Iterable[str]) -> list[str]:
    """Kinds of ours, which are listed, and those that plugins add; `known` are all names that are taken."""
    return sorted([*ours, *(plugins.spelt(group, name) for name in plugins.offered(group, known))])


def kind_of(made: type[Part]) -> str:
    """What a class of parts is called in a table: its kind, or, if that is one of its numbers, the words of its
    name.
    """
    return words_of(made) if has_own_kind(made) else made.kind.lower()


def has_own_kind(made: type[Part]) -> bool:
    """Whether `kind` is a field that users give, as of pairs of bearings; in tables it is called `type`."""
    return any(part.name == "kind" for part in fields(made))  # type: ignore[arg-type]


def kinds() -> list[str]:
    """What parts can be asked for, in the words of tables."""
    return with_plugins("parts", {kind_of(made) for made in part_classes().values()}, part_classes())


def by_name(named: Iterable[tuple[str, type[T]]]) -> dict[str, type[T]]:
    """Classes by the words that stand for them, and by their names."""
    found: dict[str, type[T]] = {}
    for words, made in named:
        found[words] = made
        found[made.__name__.lower()] = made
    return found


def words_of(made: type) -> str:
    """The words of the name of a class: "rectangular tube"."""
    return re.sub(r"(?<!^)(?=[A-Z])", " ", made.__name__).lower()


def made_below(made: type[T]) -> list[type[T]]:
    """The library's own classes below one that can be made."""
    return [each for each in _below(made) if not inspect.isabstract(each) and each.__module__.startswith("loadpath.")]


def _below(made: type[T]) -> list[type[T]]:
    children: list[type[T]] = made.__subclasses__()
    return [each for child in children for each in (child, *_below(child))]
