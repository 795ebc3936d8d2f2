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
from dataclasses import dataclass
from typing import TypeVar

from loadpath.errors import ModelError
from loadpath.files.assets import LARGEST_FILE, open_member
from loadpath.printable import clipped

# The files in a tar archive, by a reader of our own: one pass over the headers, each of bounded length.
#
# Python's `tarfile` has read headers with regular expressions that take time of the square of their length, and knows
# many dialects that no robot needs. Here are ustar, the long names of GNU and the paths and sizes of pax; sparse files
# are passed over, as links and devices are.


BLOCK = 512
_LONGEST_HEADER = 2**16
"""Bytes of a header of pax or of a long name: it holds one path, which systems end at 4096."""
_MOST_HEADERS = 500_000
_FILES = (b"0", b"\0", b"7")
_LONG_NAME, _PAX, _PAX_OF_ALL = b"L", b"x", b"g"
_WITHOUT_DATA = (b"1", b"2", b"3", b"4", b"5", b"6")
"""Links, devices, folders and pipes."""


@dataclass(frozen=True)
class TarEntry:
    """Where the bytes of a file are in the archive."""

    name: str
    start: int
    size: int


def is_tar(data: bytes) -> bool:
    """Whether these are the first bytes of a tar archive."""
    return data[257:262] == b"ustar"


def tar_entries(data: bytes) -> Iterator[TarEntry]:
    """The regular files in an archive, in order; a name may come twice.

    >>> list(tar_entries(bytes(1024)))
    []
    """
    place, headers, said_of_all = 0, 0, _Said()
    said = said_of_all
    while place + BLOCK <= len(data):
        header = data[place : place + BLOCK]
        if not header.strip(b"\0"):
            return
        headers += 1
        if headers > _MOST_HEADERS:
            raise ModelError(f"it has more than {_MOST_HEADERS:,} headers, which no robot needs")
        _check(header)
        kind, size = header[156:157], _number(header[124:136])
        place += BLOCK
        if kind in (_LONG_NAME, b"K", _PAX, _PAX_OF_ALL):
            content = _content(data, place, size)
            if kind == _LONG_NAME:
                said = _Said(_text(content.rstrip(b"\0")), said.size, said.sparse)
            elif kind in (_PAX, _PAX_OF_ALL):
                said = _pax(content, said)
                said_of_all = said if kind == _PAX_OF_ALL else said_of_all
            place += _whole_blocks(size)
            continue
        size = 0 if kind in _WITHOUT_DATA else size if said.size is None else said.size
        if place + size > len(data):
            raise ModelError("a file in it is longer than the archive")
        if kind in _FILES and not said.sparse:
            name = said.name or _name(header)
            if not name.endswith("/"):  # a folder, as the first version of tar wrote them
                yield TarEntry(name, place, size)
        place += _whole_blocks(size)
        said = said_of_all


@dataclass(frozen=True)
class _Said:
    """What headers before that of a file say of it."""

    name: str = ""
    size: int | None = None
    sparse: bool = False


def _check(header: bytes) -> None:
    written = _number(header[148:156])
    counted = sum(header[:148]) + 8 * ord(" ") + sum(header[156:])
    if written != counted:
        raise ModelError("a header in it has a wrong checksum")


def _content(data: bytes, place: int, size: int) -> bytes:
    if size > _LONGEST_HEADER:
        raise ModelError(f"a header in it has {size:,} bytes: expected at most {_LONGEST_HEADER:,}")
    if place + size > len(data):
        raise ModelError("a header in it is longer than the archive")
    return data[place : place + size]


def _pax(content: bytes, said: _Said) -> _Said:
    """The records of a header of pax, each its own length in digits, a space, key=value and a line end."""
    name, size, sparse, place = said.name, said.size, said.sparse, 0
    while place < len(content) and content[place : place + 1] != b"\0":
        space = content.find(b" ", place, place + 12)
        digits = content[place:space] if space > 0 else b""
        length = int(digits) if digits.isdigit() else 0
        record = content[space + 1 : place + length]
        key, sign, value = record[:-1].partition(b"=")
        if space < 0 or length <= len(digits) + 1 or place + length > len(content) or not record.endswith(b"\n"):
            raise ModelError("a header of pax in it is damaged")
        if key == b"path" and sign:
            name = _text(value)
        elif key == b"size" and sign:
            if not value.isdigit() or len(value) > 19:
                raise ModelError("a header of pax in it has a size that is no number")
            size = int(value)
        sparse = sparse or key.startswith(b"GNU.sparse")
        place += length
    return _Said(name, size, sparse)


def _number(field: bytes) -> int:
    """A number in octal digits, or as GNU writes large ones."""
    if field[0] & 0x80:
        return int.from_bytes(bytes([field[0] & 0x7F]) + field[1:], "big")
    digits = field.split(b"\0", 1)[0].strip()
    if digits.strip(b"01234567"):
        raise ModelError("a header in it has a size that is no number")
    return int(digits or b"0", 8)


def _name(header: bytes) -> str:
    name, prefix = header[:100].split(b"\0", 1)[0], header[345:500].split(b"\0", 1)[0]
    of_posix = header[257:263] == b"ustar\0"
    return _text(prefix + b"/" + name if prefix and of_posix else name)


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


def _whole_blocks(size: int) -> int:
    return -(-size // BLOCK) * BLOCK


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
