"""A TOML file whose mistakes have a place: file, line, table and key."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import Any, NoReturn

from loadpath.cached import cached_property
from loadpath.errors import ModelError
from loadpath.files.assets import Reach, installed_folders, read_at_most
from loadpath.printable import clipped

LONGEST_FILE = 10_000_000
"""Bytes of a project."""

DEEPEST_NESTING = 32
"""Tables and lists inside one another."""
_TOO_DEEP = f"more than {DEEPEST_NESTING} tables and lists inside one another"
IF_TRUSTED = "if you trust the project, load it with trust=True (--trust)"
"""What to do about a project that names what a file of a stranger must not."""

_NAME = r"""(?:"[^"\\]*(?:\\.[^"\\]*)*"|'[^']*'|[\w-]+)"""
_NAMES = rf"{_NAME}(?:[ \t]*\.[ \t]*{_NAME})*"
_HEADER = re.compile(r"(\[\[?)(.+?)\]\]?\s*(?:#.*)?")
_STATEMENT = re.compile(rf"[ \t]*(?:\[\[?[ \t]*)?({_NAMES})")
_KEY = re.compile(rf"[ \t]*({_NAMES})[ \t]*=")
_PART = re.compile(r'''"([^"\\]*(?:\\.[^"\\]*)*)"|\'([^\']*)\'|([\w-]+)''')


class Document:
    """The tables of a project, and where they stand."""

    def __init__(self, path: Path, data: bytes | None = None, *, trust: bool = False) -> None:
        """`data` is the content of a file that is yet to be written. What the file names is read from anywhere only if
        its user trusts it.
        """
        self.path, self.trust = path, trust
        self.files: list[Path] = []
        """That it names and that were looked up, in this order."""
        data = read_at_most(path, LONGEST_FILE) if data is None else data
        if data is None:
            raise ModelError(f"{path}: longer than {LONGEST_FILE // 1_000_000} MB, which no project is")
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as problem:
            raise ModelError(f"{path}: not UTF-8 text, as TOML is: {problem.reason} at byte {problem.start}") from None
        self.lines = text.replace("\r\n", "\n").split("\n")
        self._refuse_long_keys()
        try:
            self.content: dict[str, Any] = tomllib.loads(text)
        except RecursionError:
            raise ModelError(f"{path}: no TOML: {_TOO_DEEP}") from None
        except ValueError as problem:  # also of a number of more digits than Python takes
            raise ModelError(f"{path}: no TOML: {problem}") from None
        self._refuse_bombs()

    def _refuse_long_keys(self) -> None:
        """Python's reader takes a time for a key or header that grows with the square of the number of its parts."""
        for number, line in enumerate(self.lines, start=1):
            names = _STATEMENT.match(line) if line.count(".") > DEEPEST_NESTING else None
            if names is not None and len(_PART.findall(names[1])) > DEEPEST_NESTING:
                raise ModelError(f"{self.path}, line {number}: no TOML: {_TOO_DEEP}")

    def _refuse_bombs(self) -> None:
        """Refuse what is nested deeper than the functions that read it could follow, and whole numbers that no float
        holds, which TOML does not have either.
        """
        left: list[tuple[Any, tuple[str, ...], int]] = [(self.content, (), 0)]
        while left:
            value, path, depth = left.pop()
            if depth > DEEPEST_NESTING:
                self.refuse(_TOO_DEEP, path[:-1][:1], path[1] if len(path) > 1 else path[0])
            if isinstance(value, dict):
                left += [(entry, (*path, key), depth + 1) for key, entry in value.items()]
            elif isinstance(value, list):
                left += [(entry, path, depth + 1) for entry in value]
            elif type(value) is int and value.bit_length() > 63:
                self.refuse(f"{path[-1]} is a whole number of more than 64 bits: expected a smaller one", path[:-1],
                            path[-1])

    def line_of(self, table: tuple[str, ...], key: str | None = None, number: int = 0) -> int | None:
        """The line of a table, or of a key in it; `number` counts tables of an array. None where it is not found, as of
        keys in inline tables.
        """
        place = None
        for seen, (line, one_of_many, keys) in enumerate(self._places.get(table, ())):
            if one_of_many and seen != number:
                continue
            place = line
            if key in keys:
                return keys[key]
        return place

    @cached_property
    def _places(self) -> dict[tuple[str, ...], list[tuple[int | None, bool, dict[str | None, int]]]]:
        """By the names of tables: the line of each header, whether it is of an array, and the lines of its keys."""
        keys: dict[str | None, int] = {}
        found: dict[tuple[str, ...], list[tuple[int | None, bool, dict[str | None, int]]]] = {(): [(None, False, keys)]}
        for line, text in enumerate(self.lines, start=1):
            header = _HEADER.fullmatch(text.strip()) if text.lstrip().startswith("[") else None
            if header is not None and "=" not in text.split("]")[0]:
                keys = {}
                found.setdefault(_path(header[2]), []).append((line, header[1] != "[", keys))
            elif (statement := _KEY.match(text)) is not None:
                keys.setdefault(next(iter(_path(statement[1])), None), line)
        return found

    def refuse(self, said: str, table: tuple[str, ...], key: str | None = None, number: int = 0) -> NoReturn:
        """Raise an error that names the place."""
        line = self.line_of(table, key, number)
        if line is None and not table and key is not None:  # a table that is not known
            parts = islice(self.content.get(key) or (), 10) if isinstance(self.content.get(key), dict) else ()
            line = self.line_of((key,)) or next((self.line_of((key, part)) for part in parts), None)
        inside = table if line is not None or not table else table[:-1]
        line = self.line_of(inside, table[-1] if table and inside != table else None) if line is None else line
        where = f"{self.path}, line {line}" if line is not None else str(self.path)
        titled = f", [{'.'.join(table)}]" if table else ""
        raise ModelError(f"{where}{titled}: {said}")

    def refuse_outside(
        self, name: str, table: tuple[str, ...], key: str, number: int = 0, *, folder: bool = False
    ) -> None:
        """Refuse the path of a file, or of a folder, from which this file must not read unless it is trusted; be there
        something or not.
        """
        path = self.path.parent / name
        if not self.trust and not self._reach.holds(str(path / "_" if folder else path)):
            said = (f"{key} is '{clipped(name)}', outside of what a project file may read: its own folder, the "
                    f"repository or package that it lies in, and packages around it; {IF_TRUSTED}")
            self.refuse(said, table, key, number)

    @cached_property
    def _reach(self) -> Reach:
        return Reach.of_file_in(self.path.parent, (), installed_folders()).with_checkout()

    def table(self, name: str, known: Iterable[str] | None = None) -> dict[str, Any]:
        """A table of the file, empty if it is not there; keys other than those known are refused."""
        found = self.content.get(name, {})
        if not isinstance(found, dict):
            self.refuse(f"'{name}' is {found!r}: expected a table [{name}]", (), name)
        if known is not None:
            self.check_keys(found, known, (name,))
        return found

    def check_keys(
        self, given: Mapping[str, Any], known: Iterable[str], table: tuple[str, ...], number: int = 0
    ) -> None:
        """Refuse keys that mean nothing."""
        names = list(known)
        for key in given:
            if key not in names:
                self.refuse(f"'{key}' is not known{meant(key, names)}", table, key, number)


def meant(name: str, names: Iterable[str]) -> str:
    """A hint for a name that is not known.

    >>> meant("mas", ["mass", "link"]), meant("x", ["mass", "link"])
    ("; did you mean 'mass'?", '; there are mass, link')
    """
    known = list(names)
    if name in known:  # by a plugin that cannot be had
        return ": its plugin is left out, as a warning says"
    close = [one for one in known if one.lower() == name.lower()] or get_close_matches(name[:200], known, n=1)
    return f"; did you mean '{close[0]}'?" if close else f"; there are {', '.join(known)}" if known else ""


def _path(text: str) -> tuple[str, ...]:
    return tuple(next(part for part in found if part) if any(found) else "" for found in _PART.findall(text))
