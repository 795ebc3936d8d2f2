"""A TOML file whose mistakes have a place: file, line, table and key."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

from loadpath.errors import ModelError
from loadpath.files.bounded_reading import read_at_most

LONGEST = 10_000_000
"""Bytes of a cell."""

_HEADER = re.compile(r"\s*(\[\[?)\s*(.+?)\s*\]\]?\s*(?:#.*)?")
_KEY = re.compile(r"""\s*((?:"[^"]*"|'[^']*'|[\w-]+)(?:\s*\.\s*(?:"[^"]*"|'[^']*'|[\w-]+))*)\s*=""")
_PART = re.compile(r'"([^"]*)"|\'([^\']*)\'|([\w-]+)')


class Document:
    """The tables of a cell, and where they stand."""

    def __init__(self, path: Path, data: bytes | None = None) -> None:
        """`data` is the content of a file that is yet to be written."""
        self.path = path
        data = read_at_most(path, LONGEST) if data is None else data
        if data is None:
            raise ModelError(f"{path}: longer than {LONGEST // 1_000_000} MB, which no cell is")
        try:
            self.text = data.decode("utf-8-sig")
        except UnicodeDecodeError as problem:
            raise ModelError(f"{path}: not UTF-8 text, as TOML is: {problem.reason} at byte {problem.start}") from None
        try:
            self.content: dict[str, Any] = tomllib.loads(self.text)
        except (tomllib.TOMLDecodeError, RecursionError) as problem:
            raise ModelError(f"{path}: no TOML: {problem}") from None

    def line_of(self, table: tuple[str, ...], key: str | None = None, number: int = 0) -> int | None:
        """The line of a table, or of a key in it; `number` counts tables of an array. None where it is not found, as of
        keys in inline tables.
        """
        seen, here, place = -1, table == (), None
        for line, text in enumerate(self.text.splitlines(), start=1):
            header = _HEADER.fullmatch(text)
            if header is not None and "=" not in text.split("]")[0]:
                here = _path(header[2]) == table
                seen += here
                here = here and (header[1] == "[" or seen == number)
                place = line if here else place
                continue
            found = _KEY.match(text)
            if here and key is not None and found is not None and _path(found[1])[0] == key:
                return line
        return place

    def refuse(self, said: str, table: tuple[str, ...], key: str | None = None, number: int = 0) -> NoReturn:
        """Raise an error that names the place."""
        line = self.line_of(table, key, number)
        if line is None and not table and key is not None:  # a table that is not known
            line = self.line_of((key,)) or next((self.line_of((key, part)) for part in self.content.get(key, ())), None)
        inside = table if line is not None or not table else table[:-1]
        line = self.line_of(inside, table[-1] if table and inside != table else None) if line is None else line
        where = f"{self.path}, line {line}" if line is not None else str(self.path)
        titled = f", [{'.'.join(table)}]" if table else ""
        raise ModelError(f"{where}{titled}: {said}")

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
    close = [one for one in known if one.lower() == name.lower()] or get_close_matches(name[:200], known, n=1)
    return f"; did you mean '{close[0]}'?" if close else f"; there are {', '.join(known)}" if known else ""


def _path(text: str) -> tuple[str, ...]:
    return tuple(next(part for part in found if part) if any(found) else "" for found in _PART.findall(text))
