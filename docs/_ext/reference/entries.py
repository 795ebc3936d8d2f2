"""Entries of the reference: a name with its signature, its docstring, its members and its source."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import inspect
import re
from collections.abc import Callable, Container, Iterator
from typing import Any, NamedTuple

import loadpath as lp
from docs._ext.reference import places
from docs._ext.reference.markdown import markdown
from loadpath.api.with_beams import WithBeams, WithLoopsAndBeams
from loadpath.api.with_loops import WithLoops
from loadpath.books.book import Constant
from loadpath.engine.attached import ByAttachment, line_of
from loadpath.engine.quantity import Compiled
from loadpath.engine.refused import Refused
from loadpath.in_room import InRoom
from loadpath.mobile.quantities import RoverQuantities
from loadpath.structure.quantities import ElasticQuantities

ANONYMOUS = re.compile(r"<[^>]*>")
TABLES = (
    *WithLoops.__mro__, *WithBeams.__mro__, ElasticQuantities, WithLoopsAndBeams, RoverQuantities, *lp.Robot.__mro__
)
"""Where the lines of robots are written, by what is attached to them."""
OUTER, INNER = "`" * 8, "`" * 6


class Member(NamedTuple):
    """An attribute of a class as it is written there, and the class that it is written in."""

    name: str
    value: object
    owner: type


def members(cls: type) -> dict[str, Member]:
    """Public members of a class that are written in this package."""
    found: dict[str, Member] = {}
    for owner in cls.__mro__:
        if not owner.__module__.startswith("loadpath"):
            continue
        for name in [*inspect.get_annotations(owner), *vars(owner)]:
            if name.startswith("_") or name in found:
                continue
            value = owner.__dict__.get(name)
            if isinstance(value, ByAttachment):
                value = line_of(cls, name)
                if value is None:
                    continue
            if isinstance(value, InRoom):
                value = value.resolved()
            written = next((table for table in TABLES if vars(table).get(name) is value), owner)
            found[name] = Member(name, value, written if isinstance(value, Compiled | Refused) else owner)
    return found


def function_of(value: object) -> Callable[..., Any] | None:
    """The function of a method, a class method or a property; none for data."""
    if isinstance(value, staticmethod | classmethod):
        return value.__func__
    if isinstance(value, property):
        return value.fget
    if isinstance(value, functools.cached_property):
        return value.func
    return value if inspect.isfunction(value) else None


def docstring(member: Member) -> str | None:
    """What a member says of itself; not what those say that it overrides."""
    if isinstance(member.value, Compiled | Refused | Constant):
        return member.value.__doc__
    function = function_of(member.value)
    if function is not None:
        return function.__doc__
    return places.module(member.owner.__module__).texts.get(f"{member.owner.__qualname__}.{member.name}")


def annotation(kind: object) -> str:
    """A type as it is written in the source."""
    if kind is inspect.Parameter.empty:
        return ""
    return kind if isinstance(kind, str) else inspect.formatannotation(kind)


def signature(function: Callable[..., Any], *, bound: bool = False) -> str:
    """Parameters and result as text, without `self`."""
    found = inspect.signature(function)
    parameters = list(found.parameters.values())[1 if bound else 0 :]
    parts: list[str] = []
    starred = False
    for parameter in parameters:
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            parts.append("*")
            starred = True
        text = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "") + parameter.name
        starred = starred or parameter.kind is parameter.VAR_POSITIONAL
        kind = annotation(parameter.annotation)
        text += f": {kind}" if kind else ""
        if parameter.default is not parameter.empty:
            text += (" = " if kind else "=") + _value(parameter.default)
        parts.append(text)
    result = annotation(found.return_annotation)
    return f"({', '.join(parts)})" + (f" -> {result}" if result and result != "None" else "")


def _value(default: object) -> str:
    if inspect.isfunction(default) or inspect.isclass(default):
        return default.__name__
    text = repr(default)
    return "..." if ANONYMOUS.search(text) or "\n" in text else text


def directive(kind: str, head: str, body: str, *options: str, fence: str = INNER) -> str:
    """A directive of the Python domain, in MyST."""
    lines = [f"{fence}{{py:{kind}}} {head}", *options, "", body.strip(), fence, ""]
    return "\n".join(lines)


def source(module: str, qualified: str) -> str:
    """A line that leads to the source."""
    target = places.link(module, qualified)
    return f'\n\n[Source]({target} "source")\n' if target else ""


def member_entry(member: Member, prefix: str) -> str:
    """The entry of one member; `prefix` is the name of its class as users see it."""
    head, text = f"{prefix}.{member.name}", docstring(member) or ""
    value, owner = member.value, member.owner
    function = function_of(value)
    if isinstance(value, Constant):
        body = markdown(text) + source(owner.__module__, f"{owner.__qualname__}.{member.name}")
        return directive("method", f"{head}()", body)
    if isinstance(value, Compiled):
        body = markdown(text) + source(owner.__module__, f"{owner.__qualname__}.{member.name}")
        return directive("method", head + signature(value, bound=True), body)
    if isinstance(value, property | functools.cached_property):
        assert function is not None
        kind = annotation(inspect.signature(function).return_annotation)
        body = markdown(text) + source(function.__module__, function.__qualname__)
        return directive("property", head, body, *([f":type: {kind}"] if kind else []))
    if function is not None:
        bound = not isinstance(value, staticmethod)
        options = [f":{name}:" for name, kind in (("classmethod", classmethod), ("staticmethod", staticmethod))
                   if isinstance(value, kind)]
        body = markdown(text) + source(function.__module__, function.__qualname__)
        return directive("method", head + signature(function, bound=bound), body, *options)
    kind = places.module(owner.__module__).annotations.get(f"{owner.__qualname__}.{member.name}", "")
    kind = re.sub(r"^ClassVar\[(.*)\]$", r"\1", kind)
    return directive("attribute", head, markdown(text), *([f":type: {kind}"] if kind else []))


def shown_members(cls: type, known: dict[str, Member], shared: Container[type] = ()) -> Iterator[Member]:
    """Members of a class that its entry has: with a text of their own or fields, and not those known from another or
    shared with others by a class that has its own entry.
    """
    fields = {field.name for field in dataclasses.fields(cls)} if dataclasses.is_dataclass(cls) else set()
    fields |= set(getattr(cls, "_fields", ()))
    for member in members(cls).values():
        if member.name in known and known[member.name].value is member.value:
            continue
        if isinstance(member.value, Refused) or (member.owner in shared and member.owner is not cls):
            continue
        if docstring(member) or member.name in fields:
            yield member


def refusals(cls: type) -> dict[str, str]:
    """Why a class refuses what its base offers, by reason: the names, comma separated."""
    found: dict[str, list[str]] = {}
    for member in members(cls).values():
        if isinstance(member.value, Refused):
            found.setdefault(member.value.why, []).append(f"`{member.name}`")
    return {why: ", ".join(sorted(names)) for why, names in found.items()}


def class_entry(cls: type, name: str, *, made_by_users: bool, inner: str) -> str:
    """The entry of a class around those of its members."""
    head = name
    exception = issubclass(cls, BaseException)
    if made_by_users and not exception:
        with contextlib.suppress(TypeError, ValueError):
            head += signature(cls)
    body = markdown(cls.__doc__ or "") + source(cls.__module__, cls.__qualname__) + "\n" + inner
    return directive("exception" if exception else "class", head, body, fence=OUTER)


def function_entry(function: Callable[..., Any], name: str) -> str:
    """The entry of a function."""
    origin = inspect.unwrap(function)
    body = markdown(function.__doc__ or "") + source(origin.__module__, origin.__qualname__)
    return directive("function", name + signature(function), body)


def data_entry(value: object, name: str) -> str:
    """The entry of a constant: what it is, and its value."""
    cls = type(value)
    body = markdown(cls.__doc__ or "") if len(repr(value)) > 2000 else f"```python\n{value!r}\n```"
    return directive("data", name, body)
