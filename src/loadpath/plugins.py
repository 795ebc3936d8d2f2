"""Plugins: what other installed packages add, found by their entry points, as "loadpath.parts".

Entry points are looked into only when a name is asked for that is none of ours, or a list of all names, and a plugin is
imported only when its own name is asked for. One that cannot be imported is a `PluginWarning`, and its name is unknown
then. Names of ours win; a name of two packages is an error that names both.
"""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from loadpath.errors import ModelError, PluginWarning, warn

_PREFIX = "loadpath."

GROUPS: Mapping[str, str] = {
    "catalog": "robot", "commands": "command", "formats": "format", "parts": "part", "sections": "section",
    "wheels": "wheel",
}
"""What may be added, after "loadpath.", and what one of them is called."""

_AS_WRITTEN: Mapping[str, Callable[[str], object]] = {
    "catalog": str.isidentifier, "commands": re.compile(r"[A-Za-z][\w-]*").fullmatch,
}
"""Groups whose names count letter by letter, and which names can be asked for; the others are words of tables, where
"rotary seal", "rotary_seal" and "RotarySeal" are the same.
"""


@dataclass(frozen=True)
class Plugin:
    """An entry point of an installed package."""

    group: str
    name: str
    package: str
    target: str
    """Where the object is, as "seals.parts:RotarySeal"."""
    entry: Any = field(repr=False, compare=False, hash=False)

    @property
    def what(self) -> str:
        """What it is called in messages."""
        return f"{GROUPS[self.group]} '{self.name}' of package '{self.package}'"

    @property
    def summary(self) -> str:
        """What its package says about itself, in a line."""
        try:
            said = str(self.entry.dist.metadata["Summary"] or "")
        except Exception:  # metadata of others may be damaged
            said = ""
        return f"Of package {self.package}{': ' * bool(said)}{said}".rstrip(".") + "."


def find(group: str, name: str, ours: Iterable[str], expected: Callable[[object], str]) -> Any:
    """What a plugin has of that name; None if there is none, or, with a warning, if it cannot be had. `ours` are names
    that are taken; `expected` gives words for what an object should be instead, or nothing if it is right.

    >>> find("parts", "no such part", (), lambda found: "") is None
    True
    """
    offers = _offers(group, ours).get(_key(group, name), ())
    if len(offers) > 1:
        raise ModelError(f"{GROUPS[group]} '{name}' is in {_packages(offers)}: uninstall all but one of them")
    return _loaded(offers[0], expected) if offers else None


def offered(group: str, ours: Iterable[str]) -> dict[str, Plugin]:
    """The names that plugins add to ours, with one plugin each; nothing is imported.

    >>> sorted(offered("parts", ()))
    []
    """
    return {offers[0].name: offers[0] for offers in _offers(group, ours).values()}


def spelt(group: str, name: str) -> str:
    """A name of a plugin as it is shown: words of tables without underscores.

    >>> spelt("parts", "rotary_seal"), spelt("catalog", "big_arm")
    ('rotary seal', 'big_arm')
    """
    return name if group in _AS_WRITTEN else " ".join(re.split(r"[\s_-]+", name))


def same(group: str, one: str, other: str) -> bool:
    """Whether two names stand for the same.

    >>> same("parts", "rotary_seal", "RotarySeal"), same("catalog", "arm", "Arm")
    (True, False)
    """
    return _key(group, one) == _key(group, other)


def _offers(group: str, ours: Iterable[str]) -> dict[str, list[Plugin]]:
    """Plugins by the keys of their names, without those whose name is taken: that is said."""
    every = _read(tuple(sys.path))
    if not every:
        return {}
    taken = {_key(group, name) for name in ours}
    found: dict[str, list[Plugin]] = {}
    for plugin in every:
        if plugin.group != group:
            continue
        key = _key(group, plugin.name)
        if group in _AS_WRITTEN and not _AS_WRITTEN[group](plugin.name):
            say(f"{plugin.what} is not used: nobody can ask for that name")
        elif key in taken:
            say(f"{plugin.what} is not used: loadpath has one of this name")
        else:
            found.setdefault(key, []).append(plugin)
    return found


def _key(group: str, name: str) -> str:
    return name if group in _AS_WRITTEN else re.sub(r"[\s_-]", "", name).lower()


@functools.lru_cache(maxsize=8)
def _read(path: tuple[str, ...]) -> tuple[Plugin, ...]:
    """The entry points of all packages on this path that are for us, by group, name and package."""
    from importlib import metadata  # takes as long as ten commands' modules

    try:
        every = metadata.entry_points()
        entries = [entry for group in every.groups if group.startswith(_PREFIX) for entry in every.select(group=group)]
    except Exception as problem:
        say(f"plugins are not known: the entry points of installed packages cannot be read ({_said(problem)})")
        return ()
    found = set()
    for entry in entries:
        group, package = entry.group.removeprefix(_PREFIX), _package(entry)
        if group in GROUPS:
            found.add(Plugin(group, entry.name, package, entry.value, entry))
        else:
            say(f"package '{package}' adds to '{entry.group}', which is not known: expected one of "
                 f"{', '.join(_PREFIX + one for one in GROUPS)}")
    return tuple(sorted(found, key=lambda one: (one.group, one.name, one.package, one.target)))


def _package(entry: Any) -> str:
    try:
        return str(entry.dist.name)
    except Exception:  # metadata of others may be damaged
        return "without a name"



def _loaded(plugin: Plugin, expected: Callable[[object], str]) -> object:
    try:
        found = plugin.entry.load()
    except (Exception, SystemExit) as problem:
        say(f"{plugin.what} is left out: importing {plugin.target} ends with {_said(problem)}")
        return None
    wrong = expected(found)
    if wrong:
        say(f"{plugin.what} is left out: {plugin.target} is {found!r:.200}, expected {wrong}")
        return None
    return found


def _packages(offers: Iterable[Plugin]) -> str:
    names = sorted({f"'{one.package}'" for one in offers})
    if len(names) == 1:
        return f"package {names[0]} twice ({' and '.join(one.target for one in offers)})"
    return f"the packages {', '.join(names[:-1])} and {names[-1]}"


def _said(problem: BaseException) -> str:
    return f"{type(problem).__name__}: {problem}".rstrip(": ")


def say(message: str) -> None:
    """What is wrong with a plugin; Python shows the same words once."""
    warn(message, PluginWarning)
