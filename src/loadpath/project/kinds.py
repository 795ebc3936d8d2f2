"""Parts, sections and wheels by their kinds: classes of the library, found by what they are called in a table."""

from __future__ import annotations

import functools
import importlib
import inspect
import os
import pkgutil
import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar

from loadpath import parts, structure
from loadpath.errors import ModelWarning
from loadpath.mobile import Contact
from loadpath.parts.part import Part
from loadpath.project.document import Document, meant
from loadpath.robot.measures import Measures, measured_by
from loadpath.robot.units_of_text import in_si
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


# From the keys of a table to an object of the library: units converted, keys checked, errors with their place.


def file_of(document: Document, name: object, table: tuple[str, ...], number: int = 0) -> Path:
    """A path, relative to the folder of the project file."""
    if not isinstance(name, str) or not name:
        said = f"file is {name!r}: expected a path, relative to the folder of this file"
        document.refuse(said, table, "file", number)
    document.refuse_outside(name, table, "file", number)
    path = document.path.parent / name
    if not os.path.isfile(path):  # noqa: PTH113  # no error for any name
        document.refuse(f"there is no file '{name}' ({path})", table, "file", number)
    return path


def converted(
    document: Document,
    given: Mapping[str, Any],
    table: tuple[str, ...],
    number: int = 0,
    *,
    of: type | Mapping[str, Measures],
    slides: bool | None = None,
) -> dict[str, Any]:
    """The values of a table in SI units; text with a unit that its key does not take is refused. What keys measure is
    said by the fields of the class that they are `of`, or, where there is none, by name.
    """
    known = measured_by(of) if isinstance(of, type) else of
    found = {}
    for key, value in given.items():
        try:
            found[key] = in_si(value, known.get(key, ()), key, slides)
        except ValueError as problem:
            document.refuse(str(problem), table, key, number)
    return found


def first_refused(make: Callable[[int], object], count: int, problem: Exception) -> tuple[int, Exception]:
    """The number of the first of `count` pieces that cannot be added to those before it, and what is wrong with it;
    `make` adds the first ones, so many, and has the `problem` with all of them.

    >>> first_refused(lambda few: int("0" * few + "x") if few > 2 else 0, 5, ValueError())[0]
    2
    """
    works, fails = 0, count
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        while fails - works > 1:
            few = (works + fails) // 2
            try:
                make(few)
                works = few
            except (ValueError, TypeError) as one:
                fails, problem = few, one
    return fails - 1, problem


def made_of(
    document: Document,
    kind: type,
    values: Mapping[str, Any],
    table: tuple[str, ...],
    key: str | None = None,
    number: int = 0,
) -> Any:
    """A dataclass of the library from the keys of a table."""
    assert is_dataclass(kind)
    names = keys_of(kind)
    for name in values:
        if name not in names:
            document.refuse(f"'{name}' is not known of {called(kind)}{meant(name, names)}", table, key or name, number)
    missing = [part.name for part in fields(kind)
               if part.init and part.default is MISSING and part.default_factory is MISSING
               and part.name not in values]
    if missing:
        document.refuse(f"{called(kind)} needs {', '.join(missing)}", table, key or "kind", number)
    try:
        return kind(**values)
    except (ValueError, TypeError) as problem:
        document.refuse(str(problem), table, key or named_in(values, str(problem)) or "kind", number)


def keys_of(kind: type) -> list[str]:
    """What a table of a dataclass may have; what the library settles later is left out."""
    assert is_dataclass(kind)
    return [part.name for part in fields(kind) if part.init and not part.name.startswith("resolved")]


def tuples(value: Any) -> Any:
    """Lists as tuples, which frozen objects keep."""
    return tuple(tuples(entry) for entry in value) if isinstance(value, list) else value


def named_in(values: Mapping[str, Any], problem: str) -> str | None:
    """The key that an error is about, if it names one."""
    return next((name for name in values if re.search(rf"(?<!\w){re.escape(name)}\b", problem)), None)


def called(kind: type) -> str:
    """What a class is called in messages."""
    return str(getattr(kind, "kind", kind.__name__.lower()))
