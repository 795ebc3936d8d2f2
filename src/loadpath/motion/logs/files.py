"""Motions in files: text (`text_files`), NumPy's archives, Parquet, frames of pandas and polars."""

from __future__ import annotations

import json
import math
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import IO, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from loadpath.errors import ModelError, warn
from loadpath.files.assets import open_member, read_at_most
from loadpath.foreign.messages import Message, as_bytes
from loadpath.foreign.process import Parser
from loadpath.motion.layout import Channel, Layout
from loadpath.motion.logs.table import (
    MOST_NAMES,
    MOST_NUMBERS,
    Dates,
    Parts,
    columns,
    listed,
    other_joint,
    read_date,
    too_many_numbers,
)
from loadpath.motion.logs.text_files import UNNAMED, text_table
from loadpath.robot.arrays import find_names
from loadpath.scalars.types import Floats
from loadpath.tables import text_cell
from loadpath.whole_file import refuse_ending, write_whole

# Motions in NPZ files: arrays t, q, qd, qdd and the names of their columns.
#
# An archive from somebody else can promise arrays of any size, or pack terabytes into a few kilobytes. So the headers
# are read first and the sizes added up; no more is unpacked than they say, and nothing of what is not needed.

NUMBERS = ("t", "q", "qd", "qdd")
NAMES = ("coordinate_names", "dof_names")


def write_npz(path: str | PathLike[str], layout: Layout, parts: Sequence[Floats]) -> None:
    """Arrays t, q, qd, qdd, and the names of coordinates and speeds."""
    refuse_ending(path, (".csv", ".tsv", ".txt", ".npy", ".mat", ".xlsx", ".html"), "NPZ")
    names = {name: np.array(getattr(layout, name), dtype=np.str_) for name in NAMES}  # text even where there are none
    arrays: dict[str, Any] = {**dict(zip(NUMBERS, parts, strict=True)), **names}
    write_whole(path, lambda file: np.savez_compressed(file, **arrays))


def read_npz(path: str | PathLike[str], layout: Layout | None) -> Parts:
    """With a layout, columns are put in its order by their names, where the file has names."""
    arrays = _arrays(path)
    missing = [name for name in ("t", "q") if name not in arrays]
    if missing:
        raise ValueError(f"{path}: there is no array {listed(missing)}; there are {listed(arrays) or 'none'}")
    t, q, qd, qdd = (arrays.get(name) for name in NUMBERS)
    assert t is not None and q is not None
    if layout is not None:
        q = _ordered(path, "q", q, arrays.get("coordinate_names"), layout.coordinate_names)
        qd = None if qd is None else _ordered(path, "qd", qd, arrays.get("dof_names"), layout.dof_names)
        qdd = None if qdd is None else _ordered(path, "qdd", qdd, arrays.get("dof_names"), layout.dof_names)
    return t, q, qd, qdd


def _arrays(path: str | PathLike[str]) -> dict[str, Any]:
    """The arrays of the file that are known; objects, which could run anything, are refused."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = _members(archive)
            if unused := [name for name in members if name not in (*NUMBERS, *NAMES)]:
                warn(f"{path}: not used are the arrays {listed(unused)}")
            wanted = {name: members[name] for name in (*NUMBERS, *NAMES) if name in members}
            sizes, shapes = {}, {}
            for name, member in wanted.items():
                sizes[name], shapes[name] = _size(archive, member, name)
            if sum(sizes[name] for name in NUMBERS if name in sizes) > MOST_NUMBERS:
                raise _TooManyError
            _refuse_other_lengths(shapes)
            return {name: _array(archive, member) for name, member in wanted.items()}
    except _TooManyError:
        raise too_many_numbers(path) from None
    except _OtherLengthError as problem:
        raise ValueError(f"{path}: {problem}") from None
    except FileNotFoundError:
        raise
    except (ValueError, EOFError, OSError, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError,
            MemoryError, SyntaxError) as problem:
        if isinstance(problem, OSError) and problem.errno is not None and problem.filename is not None:
            raise  # about the file itself: no permission, a folder
        reason = f" ({problem})" if str(problem) else ""
        raise ValueError(f"{path}: this is no sound NPZ file of numbers and names{reason}") from None


class _TooManyError(Exception):
    """More numbers than are read."""


class _OtherLengthError(Exception):
    """Arrays of different lengths."""


def _members(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """What is in the archive, by the names of the arrays."""
    found: dict[str, zipfile.ZipInfo] = {}
    for member in archive.infolist():
        name = member.filename.removesuffix(".npy")
        if name in found:
            raise ValueError(f"{name!r} is there twice")
        found[name] = member
    return found


def _refuse_other_lengths(shapes: dict[str, tuple[int, ...]]) -> None:
    """Refuse arrays that have not as many samples as there are times."""
    for name in NUMBERS[1:]:
        if shapes.get(name) and len(shapes.get("t", ())) == 1 and shapes[name][0] != shapes["t"][0]:
            raise _OtherLengthError(f"{name} has {shapes[name][0]} samples, t has {shapes['t'][0]}")


def _size(archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str) -> tuple[int, tuple[int, ...]]:
    """How many numbers an array promises to have, as its header says, and its shape; the archive must promise as many
    bytes.
    """
    with open_member(archive, member) as file:
        shape, dtype, begin = _header(file)
    if dtype.hasobject:
        raise ValueError(f"{name} holds objects, which could run anything when they are loaded")
    count = math.prod(shape)
    if name in NAMES:
        if dtype.kind not in "US":
            raise ValueError(f"{name} has the dtype {dtype}: expected text")
        if count * dtype.itemsize > 4 * MOST_NAMES:
            raise ValueError(f"{name} has more than {MOST_NAMES:,} characters")
    elif count * dtype.itemsize > 8 * MOST_NUMBERS:
        raise _TooManyError
    if member.file_size != begin + count * dtype.itemsize:
        raise ValueError(f"{name} has the shape {shape} of {dtype}, but {member.file_size - begin:,} bytes")
    return max(count, count * dtype.itemsize // 8), shape


def _header(file: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any], int]:
    """Shape and type of an array, and the number of bytes before its first number."""
    version = np.lib.format.read_magic(file)
    if version == (1, 0):
        shape, _, dtype = np.lib.format.read_array_header_1_0(file)
    elif version == (2, 0):
        shape, _, dtype = np.lib.format.read_array_header_2_0(file)
    else:
        raise ValueError(f"version {version} of NPY is not known")
    return shape, dtype, file.tell()


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Any:
    with open_member(archive, member) as file:
        values = np.lib.format.read_array(file, allow_pickle=False)
        if file.read(1):  # at its end the checksum is compared
            raise ValueError(f"'{member.filename}' is longer than its header says")
    return values


def _ordered(path: object, what: str, values: Any, names: Any, wanted: tuple[str, ...]) -> Any:
    if names is None or (np.ndim(names) == 1 and tuple(names) == wanted):
        return values
    if np.ndim(values) != 2 or np.ndim(names) != 1 or np.shape(values)[1] != len(names):
        raise ValueError(f"{path}: {what} has the shape {np.shape(values)}, but there are {np.size(names)} names of "
                         "its columns")
    known = [name.decode("utf-8", "replace") if isinstance(name, bytes) else str(name) for name in names]
    asked = [name.rstrip("\0") for name in wanted]  # NumPy does not keep those
    found = find_names(known, asked, f"{path}: {what}", [lambda name: (name,)])
    missing = [name for name, place in zip(asked, found, strict=True) if place is None]
    if missing:
        raise ValueError(f"{path}: in {what} there is no column {listed(missing)}; there are {listed(known)}")
    unused = [name for k, name in enumerate(known) if k not in set(found)]
    if unused and what == "q":
        warn(f"{path}: not used are the columns {listed(unused)}")
    return values[..., found]


# Logs in memory, as frames of pandas and polars or tables of Arrow. None of these libraries is needed: frames are
# known by what they offer.


class LogFrame(Protocol):
    """A frame of pandas or polars, or a table of Arrow: something with a shape and names of columns."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""


class FrameTable:
    """A frame as a log. Times as dates become seconds."""

    def __init__(self, frame: LogFrame, name: str) -> None:
        self.name = name
        self._frame: Any = frame
        names = getattr(frame, "column_names", None)  # of Arrow; `columns` are its arrays
        names = getattr(frame, "columns", None) if names is None else names
        if names is None or callable(names) or not hasattr(frame, "shape"):
            raise ValueError(f"{name} is a {type(frame).__name__}: expected a frame of pandas or polars, or a table of "
                             "Arrow")
        self.header = [str(label) for label in names]
        self._labels = list(names)
        self._times = -1
        self.dated: dict[int, str] = {}
        """Columns of dates as text, which are counted from the first, and that."""

    def units(self) -> Sequence[str]:
        """None: frames have no row of units."""
        return ()

    def first_text(self, column: int) -> str:
        """What stands in the first row."""
        return str(self.column(column)[0]) if self._frame.shape[0] else ""

    def head(self, count: int) -> list[list[str]]:
        """The first rows, as text."""
        rows = min(count, int(self._frame.shape[0]))
        values = [self.column(k)[:rows] for k in range(len(self.header))]
        return [[str(column[row]) for column in values] for row in range(rows)]

    def row(self, sample: int) -> str:
        """Rows are counted from zero, as frames do."""
        return f"row {sample}"

    def numbers(self, used: Sequence[int], optional: Sequence[int], naming: Sequence[int] = ()) -> Floats:
        """All columns as numbers."""
        for column in naming:
            first = self.first_text(column)
            for k, text in enumerate(self.column(column)):
                if str(text) != first:
                    raise other_joint(self.name, self.row(k), self.header[column], str(text), first)
        count = int(self._frame.shape[0])
        if count * (len(used) + len(optional)) > MOST_NUMBERS:
            raise too_many_numbers(self.name)
        if not count:
            raise ValueError(f"{self.name}: there are no rows of numbers")
        found = np.empty((count, len(used) + len(optional)))
        self._times = used[0] if used else -1
        for k, place in enumerate((*used, *optional)):
            found[:, k] = self._as_floats(place, k >= len(used))
        return found

    def column(self, place: int) -> Any:
        """The values of a column, by its place, as they stand there."""
        frame = self._frame
        if hasattr(frame, "column_names"):
            return np.asarray(frame.column(place))
        series = frame.iloc[:, place] if hasattr(frame, "iloc") else frame[self._labels[place]]
        return np.asarray(series)

    def _dates(self, place: int, values: Any) -> Floats:
        """Texts of dates as seconds from the first."""
        dates = Dates(values[0])
        found = np.empty(len(values))
        for sample, text in enumerate(values):
            try:
                found[sample] = dates.seconds(str(text))
            except ValueError as problem:
                raise ValueError(f"{self.name}: {self.row(sample)}, column '{self.header[place]}': {problem}") from None
        self.dated = {place: dates.text}
        return found

    def _as_floats(self, place: int, optional: bool) -> Floats:
        values = self.column(place)
        if values.dtype.kind in "Mm":  # dates and spans of time: exact until the first is taken off
            lost = np.isnat(values)
            if lost.any():
                where = int(np.argmax(lost))
                raise ValueError(f"{self.name}: {self.row(where)}, column '{self.header[place]}': there is no time")
            spans = values - values[0] if values.dtype.kind == "M" else values
            return np.asarray(spans / np.timedelta64(1, "ns") * 1e-9, dtype=float)
        if values.dtype.kind in "biuf":
            plain: Floats = values.astype(float)
            return plain
        if values.dtype.kind == "O" and isinstance(values[0], datetime):  # with a time zone
            values = np.array([value.isoformat() for value in values], dtype=object)
        if place == self._times and isinstance(values[0], str) and read_date(values[0]) is not None:
            return self._dates(place, values)
        for sample, value in enumerate(values):
            if value is not None and not isinstance(value, (int, float, np.number)) and not optional:
                raise ValueError(f"{self.name}: {self.row(sample)}, column '{self.header[place]}': {str(value)[:80]!r} "
                                 "is not a number")
        return np.array([float(x) if isinstance(x, (int, float, np.number)) else np.nan for x in values], dtype=float)


# Logs in Parquet files, read by pyarrow, polars or pandas in a process of its own (see `loadpath.foreign`): a small
# file can stand for more numbers than there is memory.


LARGEST_FILE = 2**30
"""Bytes of a Parquet file that are read."""
_READER = Parser("loadpath.foreign.parquet_reader", "the reader of Parquet files")


@dataclass(frozen=True)
class _Columns:
    """Columns with names, in the form of a table of Arrow."""

    column_names: list[str]
    arrays: list[NDArray[Any]]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return (len(self.arrays[0]) if self.arrays else 0), len(self.arrays)

    def column(self, place: int) -> NDArray[Any]:
        """The values of a column."""
        return self.arrays[place]


def parquet_table(path: str | PathLike[str]) -> FrameTable:
    """A Parquet file as a log."""
    content = read_at_most(Path(path), LARGEST_FILE)
    if content is None:
        raise ValueError(f"{path}: the file is larger than {LARGEST_FILE >> 30} GiB: split the motion")
    if content[:4] != b"PAR1":
        raise ValueError(f"{path}: this is no Parquet file; a text file is read by from_csv")
    reply = _READER.run(Message({"most": MOST_NUMBERS}, {"content": as_bytes(content)}), str(path))
    try:
        return FrameTable(_columns(reply), str(path))
    except (KeyError, TypeError, IndexError, AttributeError, json.JSONDecodeError):
        raise ModelError(f"{path}: this Parquet file cannot be read: it has no columns of one length") from None


def _columns(reply: Message) -> _Columns:
    """What the reader's process sends, if it is columns."""
    names, kinds = reply.fields["names"], reply.fields["kinds"]
    arrays = []
    for place, kind in enumerate(kinds):
        values = reply.arrays[str(place)]
        if kind in ("M", "m"):
            values = values.view(f"{kind}8[ns]")
        elif kind == "O":
            texts = json.loads(reply.arrays[f"texts of {place}"].tobytes())
            values = np.array([None if text is None else str(text) for text in texts], dtype=object)[values]
        arrays.append(values)
    if len(names) != len(kinds) or len({array.shape for array in arrays}) > 1 or any(a.ndim != 1 for a in arrays):
        raise KeyError("columns")
    return _Columns([str(name) for name in names], arrays)


# Motions written as text: a line of names, then a row a sample, every number to the last digit.


def write_csv(
    path: str | PathLike[str], layout: Layout, parts: Sequence[Floats], extra: Mapping[str, Channel] | None = None
) -> None:
    """All numbers to the last digit."""
    refuse_ending(path, (".npz", ".npy", ".zip", ".xlsx", ".xls", ".html"), "CSV")
    more = {f"{name} [{one.unit}]" if one.unit else name: one.values for name, one in (extra or {}).items()}
    parts = [*parts, *more.values()]
    try:
        header = ",".join(map(_quoted, [*columns(layout), *more])).encode()
    except UnicodeEncodeError as problem:
        raise ValueError(f"a name cannot be written as UTF-8: {problem.object!r}") from None

    def fill(file: IO[bytes]) -> None:
        file.write(header + b"\n")
        for begin in range(0, len(parts[0]), 4096):
            rows = slice(begin, begin + 4096)
            block = np.column_stack([part[rows] for part in parts])
            np.savetxt(file, block, fmt="%.17g", delimiter=",")

    write_whole(path, fill)


def _quoted(name: str) -> str:
    """A cell that a reader takes for one, whatever is in it."""
    name = text_cell(name)
    if name.isprintable() and name == name.strip() and not set(name) & set('",;#'):
        return name
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


__all__ = ["UNNAMED", "FrameTable", "named", "parquet_table", "read_npz", "text_table", "write_csv", "write_npz"]


@contextmanager
def named(path: str | PathLike[str]) -> Iterator[None]:
    """Puts the name of the file in front of what is wrong with its motion."""
    try:
        yield
    except ValueError as problem:
        raise ValueError(f"{path}: {problem}") from None
