"""Robots in archives: `.gz`, `.zip` and `.tar.gz`, of bounded size and without names that lead out of the archive.

Sizes that an archive declares may be lies: what is unpacked is counted while it is unpacked. Members are unpacked when
they are asked for, so that the meshes of other robots in the archive cost nothing.
"""

from __future__ import annotations

import gzip
import io
import posixpath
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TypeVar

from loadpath.errors import ModelError
from loadpath.files.bounded_reading import LARGEST_FILE, open_member
from loadpath.files.tar_reading import TarEntry, is_tar, tar_entries
from loadpath.printable import clipped

LARGEST_ARCHIVE = 512 * 2**20
"""Bytes of an archive that are read, and bytes of its members that are unpacked in all."""
MOST_MEMBERS = 100_000
LONGEST_NAME, DEEPEST_FOLDER = 1_000, 50
"""Characters of the name of a member, and folders in it."""
_Entry = TypeVar("_Entry")
_GZIP, _ZIP, _EMPTY_ZIP = b"\x1f\x8b", b"PK\x03\x04", b"PK\x05\x06"
_ENTRY_OF_ZIP = b"PK\x01\x02"


def is_compressed(data: bytes) -> bool:
    """Whether these are the first bytes of an archive that is known here."""
    return data.startswith((_GZIP, _ZIP, _EMPTY_ZIP)) or is_tar(data)


class Members(Mapping[str, bytes]):
    """The files in an archive by name, each unpacked when it is first asked for."""

    def __init__(self, sizes: Mapping[str, int], read: Callable[[str, int], bytes], source: str) -> None:
        self._sizes, self._read, self._source = sizes, read, source
        self._unpacked: dict[str, bytes] = {}
        self._left = LARGEST_ARCHIVE

    def __getitem__(self, name: str) -> bytes:
        if name not in self._unpacked:
            if name not in self._sizes:
                raise KeyError(name)
            if self._sizes[name] > self._left:
                raise _too_large(self._source, LARGEST_ARCHIVE)
            with _named(f"{self._source}:{name}"):
                data = self._read(name, self._left + 1)
            if len(data) > self._left:
                raise _too_large(self._source, LARGEST_ARCHIVE)
            self._left -= len(data)
            self._unpacked[name] = data
        return self._unpacked[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._sizes)

    def __len__(self) -> int:
        return len(self._sizes)

    def __contains__(self, name: object) -> bool:
        return name in self._sizes


def unpack(data: bytes, source: str) -> bytes | Members:
    """What is in an archive: the content of the one file that gzip holds, or the files of a zip or tar archive.

    >>> unpack(gzip.compress(b"<robot/>"), "arm.urdf.gz")
    b'<robot/>'
    """
    with _named(source):
        if data.startswith(_GZIP):
            data = _gunzip(data, source)
            if not is_tar(data):
                return data
        return _tar(data, source) if is_tar(data) else _zip(data, source)


@contextmanager
def _named(source: str) -> Iterator[None]:
    """Whatever the libraries of Python raise on a damaged archive, as an error that names it."""
    try:
        yield
    except ModelError as problem:
        raise ModelError(str(problem) if str(problem).startswith(source) else f"{source}: {problem}") from None
    except Exception as problem:  # which they are is said nowhere
        raise ModelError(f"{source}: the archive is damaged: {str(problem) or type(problem).__name__}") from None


def _gunzip(data: bytes, source: str) -> bytes:
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
        head = file.read(512)
        most = LARGEST_ARCHIVE if is_tar(head) else LARGEST_FILE
        unpacked = head + file.read(most)
    if len(unpacked) > most:
        raise _too_large(source, most)
    return unpacked


def _zip(data: bytes, source: str) -> Members:
    _refuse_many(data.count(_ENTRY_OF_ZIP), source)  # before lists of them are made
    archive = zipfile.ZipFile(io.BytesIO(data))
    entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    by_name: dict[str, zipfile.ZipInfo] = {}
    for entry in entries:
        _add(by_name, entry.filename, entry, source)

    def read(name: str, most: int) -> bytes:
        if by_name[name].flag_bits & 1:
            raise ModelError(f"{source}:{name}: it has a password: unpack the archive first")
        with open_member(archive, by_name[name]) as file:
            return file.read(most)

    return Members({name: entry.file_size for name, entry in by_name.items()}, read, source)


def _tar(data: bytes, source: str) -> Members:
    by_name: dict[str, TarEntry] = {}
    for count, entry in enumerate(tar_entries(data)):
        _refuse_many(count, source)
        _add(by_name, entry.name, entry, source)

    def read(name: str, most: int) -> bytes:
        entry = by_name[name]
        return data[entry.start : entry.start + min(entry.size, most)]

    return Members({name: entry.size for name, entry in by_name.items()}, read, source)


def _add(members: dict[str, _Entry], written: str, entry: _Entry, source: str) -> None:
    """A member by its name from the top of the archive; which of two of one name is meant cannot be known."""
    name = _safe(written, source)
    if name in members:
        raise ModelError(f"{source}: the archive has '{clipped(name)}' twice: pack it anew with one of them")
    members[name] = entry


def _safe(name: str, source: str) -> str:
    """The name of a member, from the top of the archive; one that leads out of it is refused."""
    plain = name.replace("\\", "/")
    if plain.startswith("/") or ".." in plain.split("/") or plain[1:2] == ":":
        raise ModelError(f"{source}: the archive has a member '{clipped(name)}', which leads out of it: refused")
    if len(plain) > LONGEST_NAME or plain.count("/") > DEEPEST_FOLDER:
        raise ModelError(f"{source}: the archive has a member '{clipped(name)}', whose name has more than "
                         f"{LONGEST_NAME:,} characters or {DEEPEST_FOLDER} folders, which no robot needs")
    return posixpath.normpath(plain)


def _refuse_many(count: int, source: str) -> None:
    if count > MOST_MEMBERS:
        raise ModelError(f"{source}: the archive has more than {MOST_MEMBERS:,} members, which no robot needs")


def _too_large(source: str, most: int) -> ModelError:
    return ModelError(f"{source}: unpacked, this is larger than {most >> 20} MiB, which no robot needs")
