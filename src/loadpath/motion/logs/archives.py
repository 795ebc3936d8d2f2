"""Motions in NPZ files: arrays t, q, qd, qdd and the names of their columns.

An archive from somebody else can promise arrays of any size, or pack terabytes into a few kilobytes. So the headers are
read first and the sizes added up; no more is unpacked than they say, and nothing of what is not needed.
"""

from __future__ import annotations

import math
import zipfile
import zlib
from collections.abc import Sequence
from os import PathLike
from typing import IO, Any

import numpy as np

from loadpath.errors import warn
from loadpath.files.reach import open_member
from loadpath.motion.layout import Layout
from loadpath.motion.logs.table import MOST_NAMES, MOST_NUMBERS, Parts, listed, too_many_numbers
from loadpath.robot.arrays import find_names
from loadpath.scalars.types import Floats
from loadpath.whole_file import refuse_ending, write_whole

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
