"""The files in a tar archive, by a reader of our own: one pass over the headers, each of bounded length.

Python's `tarfile` has read headers with regular expressions that take time of the square of their length, and knows
many dialects that no robot needs. Here are ustar, the long names of GNU and the paths and sizes of pax; sparse files
are passed over, as links and devices are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from loadpath.errors import ModelError

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
