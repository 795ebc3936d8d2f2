"""Motions in files. Text: one row a sample, columns named in the first line. NPZ: arrays t, q, qd, qdd and names."""

from __future__ import annotations

import csv
import io
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from typing import IO, Any

import numpy as np

from loadpath.errors import warn
from loadpath.motion.layout import Layout
from loadpath.robot.arrays import Spellings, find_names
from loadpath.scalars.types import Floats
from loadpath.whole_file import write_whole

Parts = tuple[Floats, Floats, Floats | None, Floats | None]
"""t, q, and qd and qdd where they are there."""

KINDS = {
    "q": ("q", "pos", "position"),
    "qd": ("qd", "dq", "vel", "velocity"),
    "qdd": ("qdd", "ddq", "acc", "acceleration"),
}
TIME = ("t", "time", "timestamp")
UNITS_TAKEN = {"", "s", "rad", "m", "rad/s", "m/s", "rad/s^2", "rad/s2", "m/s^2", "m/s2"}
_UNIT = re.compile(r"^(.*?)\s*[\[(]([^\])]*)[\])]$")
_SEPARATORS = "._:/ "


def columns(layout: Layout) -> list[str]:
    """Names of the columns as they are written."""
    return [
        "t",
        *(f"q.{name}" for name in layout.coordinate_names),
        *(f"qd.{name}" for name in layout.dof_names),
        *(f"qdd.{name}" for name in layout.dof_names),
    ]


@contextmanager
def named(path: str | PathLike[str]) -> Iterator[None]:
    """Puts the name of the file in front of what is wrong with its motion."""
    try:
        yield
    except ValueError as problem:
        raise ValueError(f"{path}: {problem}") from None


# Text


def write_csv(path: str | PathLike[str], layout: Layout, parts: Sequence[Floats]) -> None:
    """All numbers to the last digit."""

    def fill(file: IO[bytes]) -> None:
        header = io.StringIO()
        csv.writer(header, lineterminator="\n").writerow(columns(layout))
        file.write(header.getvalue().encode())
        for begin in range(0, len(parts[0]), 4096):
            rows = slice(begin, begin + 4096)
            block = np.column_stack([part[rows] for part in parts])
            np.savetxt(file, block, fmt="%.17g", delimiter=",")

    write_whole(path, fill)


def read_csv(path: str | PathLike[str], layout: Layout) -> Parts:
    """Columns in any order, by name; those of speeds and accelerations may be left out together."""
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise ValueError(f"{path}: this is not text in UTF-8; save it as CSV in UTF-8") from None
    first = next((k for k, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")), None)
    if first is None:
        raise ValueError(f"{path}: the file is empty")
    delimiter = next((mark for mark in ("\t", ";", ",") if mark in lines[first]), None)
    header = _cells(lines[first], delimiter)
    if all(_is_number(name) for name in header):
        raise ValueError(f"{path}: line {first + 1} holds numbers where names of columns are expected, like "
                         f"{','.join(columns(layout)[:3])},...")  # fmt: skip
    places = _places(path, header, layout)
    used = sorted(place for picked in places for place in picked)
    numbers = _numbers(path, lines, first + 1, header, used, delimiter)
    t, q, qd, qdd = (numbers[:, np.searchsorted(used, picked)] if picked else None for picked in places)
    assert t is not None
    return t[:, 0], (np.zeros((len(t), 0)) if q is None else q), qd, qdd


def _cells(line: str, delimiter: str | None) -> list[str]:
    """The cells of a line; without a delimiter between spaces."""
    if delimiter is None:
        return line.split()
    return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter))]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text  # Python reads 1_0 as ten


def _places(path: object, header: list[str], layout: Layout) -> list[list[int]]:
    """Where the columns of t, q, qd and qdd are."""
    bare = [_without_unit(path, name) for name in header]
    names = {"t": ("",), "q": layout.coordinate_names, "qd": layout.dof_names, "qdd": layout.dof_names}
    wanted = {f"{kind}.{name}" if name else kind: (kind, name) for kind, each in names.items() for name in each}

    def loose(label: str) -> list[str]:
        taken = {text.lower() for text in _spellings(*wanted[label])}
        return [name for name in bare if name.lower() in taken]

    # As `to_csv` writes it; the plain name of a joint, or of the time; another spelling; in other letters.
    ranks: list[Spellings] = [
        lambda label: (label,),
        lambda label: TIME if wanted[label][0] == "t" else (wanted[label][1],) if wanted[label][0] == "q" else (),
        lambda label: _spellings(*wanted[label]),
        loose,
    ]
    places = dict(zip(wanted, find_names(bare, tuple(wanted), str(path), ranks), strict=True))
    found: list[list[int]] = []
    missing: list[str] = []
    for kind in names:
        picked = {label: places[label] for label, (of, _) in wanted.items() if of == kind}
        if kind in ("qd", "qdd") and all(place is None for place in picked.values()):
            picked = {}  # none at all: to be derived
        missing += [label for label, place in picked.items() if place is None]
        found.append([place for place in picked.values() if place is not None])
    if missing:
        raise ValueError(f"{path}: there is no column {', '.join(repr(name) for name in missing)}; there are "
                         f"{', '.join(repr(name) for name in header)}")  # fmt: skip
    used = {place for picked_places in found for place in picked_places}
    unused = [name for k, name in enumerate(header) if name and k not in used]
    if unused:
        warn(f"{path}: not used are the columns {', '.join(repr(name) for name in unused)}")
    return found


def _without_unit(path: object, name: str) -> str:
    """The name of a column without the unit after it, which must be the one that is expected."""
    parts = _UNIT.match(name)
    if parts is None:
        return name
    if parts[2].strip() not in UNITS_TAKEN:
        raise ValueError(f"{path}: column '{name}' is in {parts[2]}: expected s, rad, m and their rates")
    return str(parts[1])


def _spellings(kind: str, name: str) -> list[str]:
    """The names that a column may have."""
    if kind == "t":
        return list(TIME)
    spelled = [f"{prefix}{mark}{name}" for prefix in KINDS[kind] for mark in _SEPARATORS]
    spelled += [f"{name}{mark}{suffix}" for suffix in KINDS[kind] for mark in _SEPARATORS]
    return [*spelled, name] if kind == "q" else spelled


def _numbers(
    path: object, lines: list[str], first: int, header: list[str], used: list[int], delimiter: str | None
) -> Floats:
    """The columns that are used; what is in others does not matter."""
    filled = [line for line in lines[first:] if line.strip() and not line.lstrip().startswith("#")]
    if not filled:
        raise ValueError(f"{path}: there are no rows of numbers")
    if all((line.count(delimiter) + 1 if delimiter else len(line.split())) == len(header) for line in filled):
        with suppress(ValueError):  # quick
            return np.loadtxt(filled, delimiter=delimiter, usecols=used, ndmin=2, dtype=float)
    rows = []
    for number, line in enumerate(lines[first:], start=first + 1):  # slow, but it says what is wrong
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        cells = _cells(line.partition("#")[0], delimiter)
        if len(cells) != len(header):
            raise ValueError(f"{path}: line {number} has {len(cells)} cells, expected {len(header)}")
        for k in used:
            if not _is_number(cells[k]):
                comma = ": write a decimal point, not a comma" if _is_number(cells[k].replace(",", ".")) else ""
                raise ValueError(f"{path}: line {number}, column '{header[k]}': {cells[k]!r} is not a number{comma}")
        rows.append([float(cells[k]) for k in used])
    return np.array(rows)


# NPZ


def write_npz(path: str | PathLike[str], layout: Layout, parts: Sequence[Floats]) -> None:
    """Arrays t, q, qd, qdd, and the names of coordinates and speeds."""
    names = {"coordinate_names": np.array(layout.coordinate_names), "dof_names": np.array(layout.dof_names)}
    arrays: dict[str, Any] = {**dict(zip(("t", "q", "qd", "qdd"), parts, strict=True)), **names}
    write_whole(path, lambda file: np.savez_compressed(file, **arrays))


def read_npz(path: str | PathLike[str], layout: Layout | None) -> Parts:
    """With a layout, columns are put in its order by their names, where the file has names."""
    arrays = _arrays(path)
    missing = [name for name in ("t", "q") if name not in arrays]
    if missing:
        raise ValueError(f"{path}: there is no array {', '.join(repr(name) for name in missing)}; there are "
                         f"{', '.join(repr(name) for name in arrays) or 'none'}")  # fmt: skip
    t, q, qd, qdd = (arrays.get(name) for name in ("t", "q", "qd", "qdd"))
    assert t is not None and q is not None
    if layout is not None:
        q = _ordered(path, "q", q, arrays.get("coordinate_names"), layout.coordinate_names)
        qd = None if qd is None else _ordered(path, "qd", qd, arrays.get("dof_names"), layout.dof_names)
        qdd = None if qdd is None else _ordered(path, "qdd", qdd, arrays.get("dof_names"), layout.dof_names)
    return t, q, qd, qdd


def _arrays(path: str | PathLike[str]) -> dict[str, Any]:
    """The arrays of the file that are known; objects, which could run anything, are refused."""
    known = ("t", "q", "qd", "qdd", "coordinate_names", "dof_names")
    try:
        with zipfile.ZipFile(path) as archive, np.load(path, allow_pickle=False) as file:
            if broken := archive.testzip():
                raise ValueError(f"'{broken}' is damaged")
            if unused := [name for name in file.files if name not in known]:
                warn(f"{path}: not used are the arrays {', '.join(repr(name) for name in unused)}")
            return {name: file[name] for name in known if name in file.files}
    except (ValueError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError) as problem:
        reason = f" ({problem})" if str(problem) else ""
        raise ValueError(f"{path}: this is no sound NPZ file of numbers and names{reason}") from None


def _ordered(path: object, what: str, values: Any, names: Any, wanted: tuple[str, ...]) -> Any:
    if names is None or (np.ndim(names) == 1 and tuple(names) == wanted):
        return values
    if np.ndim(values) != 2 or np.ndim(names) != 1 or np.shape(values)[1] != len(names):
        raise ValueError(f"{path}: {what} has the shape {np.shape(values)}, but there are {np.size(names)} names of "
                         "its columns")  # fmt: skip
    known = [str(name) for name in names]
    places = find_names(known, wanted, f"{path}: {what}", [lambda name: (name,)])
    missing = [name for name, place in zip(wanted, places, strict=True) if place is None]
    if missing:
        raise ValueError(f"{path}: in {what} there is no column {', '.join(repr(name) for name in missing)}; there are "
                         f"{', '.join(repr(name) for name in known)}")  # fmt: skip
    unused = [name for k, name in enumerate(known) if k not in places]
    if unused and what == "q":
        warn(f"{path}: not used are the columns {', '.join(repr(name) for name in unused)}")
    return values[..., places]
