"""Robots in archives: `.gz`, `.zip` and `.tar.gz`, of bounded size and without names that lead out of the archive.

Sizes that an archive declares may be lies: what is unpacked is counted while it is unpacked. Members are unpacked when
they are asked for, so that the meshes of other robots in the archive cost nothing.
"""

from __future__ import annotations

import gzip
import io
import posixpath
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from loadpath.errors import ModelError
from loadpath.files.bounded_reading import LARGEST_FILE

LARGEST_ARCHIVE = 512 * 2**20
"""Bytes of an archive that are read, and bytes of its members that are unpacked in all."""
MOST_MEMBERS = 100_000
_GZIP, _ZIP, _EMPTY_ZIP = b"\x1f\x8b", b"PK\x03\x04", b"PK\x05\x06"
_ENTRY_OF_ZIP = b"PK\x01\x02"


def is_compressed(data: bytes) -> bool:
    """Whether these are the first bytes of an archive that is known here."""
    return data.startswith((_GZIP, _ZIP, _EMPTY_ZIP)) or _is_tar(data)


def _is_tar(data: bytes) -> bool:
    return data[257:262] == b"ustar"


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
            if not _is_tar(data):
                return data
        return _tar(data, source) if _is_tar(data) else _zip(data, source)


@contextmanager
def _named(source: str) -> Iterator[None]:
    """Whatever the libraries of Python raise on a damaged archive, as an error that names it."""
    try:
        yield
    except ModelError:
        raise
    except Exception as problem:  # which they are is said nowhere
        raise ModelError(f"{source}: the archive is damaged: {str(problem) or type(problem).__name__}") from None


def _gunzip(data: bytes, source: str) -> bytes:
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
        head = file.read(512)
        most = LARGEST_ARCHIVE if _is_tar(head) else LARGEST_FILE
        unpacked = head + file.read(most)
    if len(unpacked) > most:
        raise _too_large(source, most)
    return unpacked


def _zip(data: bytes, source: str) -> Members:
    _refuse_many(data.count(_ENTRY_OF_ZIP), source)  # before lists of them are made
    archive = zipfile.ZipFile(io.BytesIO(data))
    entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    by_name = {_safe(entry.filename, source): entry for entry in entries}

    def read(name: str, most: int) -> bytes:
        if by_name[name].flag_bits & 1:
            raise ModelError(f"{source}:{name}: it has a password: unpack the archive first")
        with archive.open(by_name[name]) as file:
            return file.read(most)

    return Members({name: entry.file_size for name, entry in by_name.items()}, read, source)


def _tar(data: bytes, source: str) -> Members:
    archive = tarfile.open(fileobj=io.BytesIO(data), mode="r:")  # noqa: SIM115  # open as long as its members
    by_name: dict[str, tarfile.TarInfo] = {}
    for count, entry in enumerate(archive):
        _refuse_many(count, source)
        if entry.isreg():  # links and devices are nobody's mesh
            by_name[_safe(entry.name, source)] = entry

    def read(name: str, most: int) -> bytes:
        file = archive.extractfile(by_name[name])
        return b"" if file is None else file.read(most)

    return Members({name: entry.size for name, entry in by_name.items()}, read, source)


def _safe(name: str, source: str) -> str:
    """The name of a member, from the top of the archive; one that leads out of it is refused."""
    plain = name.replace("\\", "/")
    if plain.startswith("/") or ".." in plain.split("/") or plain[1:2] == ":":
        raise ModelError(f"{source}: the archive has a member '{name}', which leads out of it: refused")
    return posixpath.normpath(plain)


def _refuse_many(count: int, source: str) -> None:
    if count > MOST_MEMBERS:
        raise ModelError(f"{source}: the archive has more than {MOST_MEMBERS:,} members, which no robot needs")


def _too_large(source: str, most: int) -> ModelError:
    return ModelError(f"{source}: unpacked, this is larger than {most >> 20} MiB, which no robot needs")
