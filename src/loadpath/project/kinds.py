"""Sections and wheels by their kinds, as parts are: classes of ours and of plugins, by their words in a table."""

from __future__ import annotations

import functools
import os
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from loadpath import structure
from loadpath.errors import ModelError, ModelWarning
from loadpath.mobile import Contact
from loadpath.parts.kinds import by_name, class_of_plugin, made_below, with_plugins, words_of
from loadpath.project.document import Document, meant
from loadpath.robot.measures import Measures, measured_by
from loadpath.robot.units_of_text import in_si
from loadpath.structure import Section, Shape

T = TypeVar("T")
Where: TypeAlias = "tuple[tuple[str, ...], str, int]"
"""A table, a key in it, and which one of several tables."""


@functools.cache
def section_classes() -> Mapping[str, type]:
    """Cross sections by the words of their names, as "rectangular tube"; "section" is one from its numbers.

    >>> section_classes()["rectangular tube"].__name__, section_classes()["ibeam"].__name__
    ('RectangularTube', 'IBeam')
    """
    every: list[type] = [Section, *made_below(Shape)]
    public = [made for made in every if made.__name__ in structure.__all__]
    return by_name((words_of(made), made) for made in public)


@functools.cache
def wheel_classes() -> Mapping[str, type[Contact]]:
    """Wheels and feet by their kinds, as "caster wheel", or "caster" for short.

    >>> wheel_classes()["caster"].__name__, wheel_classes()["support"].__name__
    ('CasterWheel', 'Support')
    """
    made = [one for one in made_below(Contact) if is_dataclass(one) and one.kind not in ("contact", "wheel")]
    made = [one for one in made if not one.__name__.startswith("_")]
    short = ((one.kind.removesuffix(" wheel"), one) for one in made)
    return by_name([*((one.kind, one) for one in made), *short])


def section_class(kind: str) -> type | None:
    """The class of sections of that kind, ours or a plugin's.

    >>> section_class("Tube").__name__, section_class("moebius strip")
    ('Tube', None)
    """
    ours = section_classes()
    return ours.get(kind.lower()) or class_of_plugin("sections", kind, ours, Shape)


def wheel_class(kind: str) -> type[Contact] | None:
    """The class of wheels or feet of that kind, ours or a plugin's.

    >>> wheel_class("caster").__name__, wheel_class("square wheel")
    ('CasterWheel', None)
    """
    ours = wheel_classes()
    return ours.get(kind.lower()) or class_of_plugin("wheels", kind, ours, Contact)


def looked_up(document: Document, find: Callable[[str], T], kind: str, place: Where) -> T:
    """What there is of a kind, ours or a plugin's; what is wrong with plugins is said with its place in the file."""
    try:
        return find(kind)
    except ModelError as problem:
        document.refuse(str(problem), *place)


def section_kinds() -> list[str]:
    """What sections can be asked for."""
    return with_plugins("sections", {words_of(made) for made in section_classes().values()}, section_classes())


def wheel_kinds() -> list[str]:
    """What wheels and feet can be asked for."""
    return with_plugins("wheels", {made.kind for made in wheel_classes().values()}, wheel_classes())


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
    document.files.append(path)
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
