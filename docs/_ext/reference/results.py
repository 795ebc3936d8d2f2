"""Classes that users meet only as results: found from what public functions say they return."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping

from docs._ext.reference import places
from docs._ext.reference.entries import Member, annotation, function_of, members
from loadpath.engine.quantity import Compiled

NAME = re.compile(r"\b[A-Z]\w+")
DEPTH = 2
"""Results, and what their methods return."""
INSIDE = tuple(f"loadpath.{room}." for room in ("robot", "mechanics", "engine", "structure.beams", "states"))
"""Rooms whose classes are the library's own tools, though a method returns one."""


def returned(things: Iterable[object]) -> list[type]:
    """Classes of the package that these functions and the methods of these classes return, in order."""
    found: dict[type, None] = {}
    asked = list(things)
    for _ in range(DEPTH):
        named = [cls for thing in asked for cls in _named(thing)]
        asked = [cls for cls in dict.fromkeys(named) if cls not in found and _is_result(cls)]
        found |= dict.fromkeys(asked)
    return list(found)


def _is_result(cls: type) -> bool:
    return not cls.__name__.startswith("_") and not f"{cls.__module__}.".startswith(INSIDE)


def makers(things: Mapping[str, object]) -> dict[type, list[str]]:
    """For each class of the package that is returned, the functions and methods of these things that return it."""
    found: dict[type, list[str]] = {}
    for name, thing in things.items():
        if inspect.isclass(thing):
            for member in members(thing).values():
                for cls in dict.fromkeys(_of_member(member)):
                    found.setdefault(cls, []).append(f"{name}.{member.name}")
        else:
            for cls in dict.fromkeys(_of_function(thing)):
                found.setdefault(cls, []).append(name)
    return found


def _named(thing: object) -> Iterator[type]:
    if not inspect.isclass(thing):
        yield from _of_function(thing)
        return
    yield from _of_function(thing.__dict__.get("__getitem__"))
    for member in members(thing).values():
        yield from _of_member(member)


def _of_member(member: Member) -> Iterator[type]:
    if not isinstance(member.value, Compiled):
        yield from _of_function(function_of(member.value))
        return
    wrap = member.value.wrap
    for name in getattr(getattr(wrap, "__code__", None), "co_names", ()):
        found = getattr(wrap, "__globals__", {}).get(name)
        if inspect.isclass(found) and found.__module__.startswith("loadpath"):
            yield found


def _of_function(function: object) -> Iterator[type]:
    if inspect.isfunction(function):
        function = inspect.unwrap(function)
        yield from _in(annotation(inspect.signature(function).return_annotation), function.__module__)


def _in(kind: str, module: str) -> Iterator[type]:
    for name in NAME.findall(kind):
        cls = places.class_named(name, module) if module.startswith("loadpath") else None
        if cls is not None:
            yield cls
