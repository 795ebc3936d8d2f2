"""Where the answers of a study are: Zarr arrays on a disk, whose chunks are whole or not there, or in memory.

A chunk of designs is a file in each array. Each is written beside its place, forced to the disk and renamed; that of
`status` comes last, and only then the chunk counts. Files end in the checksum of their content (Zarr's codec `crc32c`),
so that a damaged one is noticed, by any reader, and computed again. What the store was made for is in its attributes.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from loadpath.scalars.types import Floats
from loadpath.studies.chunks import FAILED, Chunk

INSTALL = "pip install 'loadpath[study]'"
STATUS, REASONS, ATTRIBUTE, LOCK = "status", "reasons", "loadpath_study", ".lock"
Status = np.ndarray[Any, np.dtype[np.uint8]]
Shapes = Mapping[str, tuple[int, ...]]


class InMemory:
    """Answers that go with the process."""

    def __init__(self, designs: int, chunk: int, shapes: Shapes) -> None:
        self.chunk = chunk
        self.status: Status = np.zeros(designs, dtype=np.uint8)
        self.values = {name: np.full((designs, *shape), np.nan) for name, shape in shapes.items()}
        self.reasons: dict[int, str] = {}
        self.done: set[int] = set()

    def locked(self) -> contextlib.AbstractContextManager[object]:
        """Nobody else has it."""
        return contextlib.nullcontext()

    def missing(self, chunks: Iterable[int]) -> list[int]:
        """Those of these chunks that are not there."""
        return [k for k in chunks if k not in self.done]

    def put(self, number: int, chunk: Chunk) -> None:
        """A chunk that was computed."""
        rows = slice(chunk.first, chunk.first + len(chunk.status))
        for name, values in chunk.values.items():
            self.values[name][rows] = values.reshape(self.values[name][rows].shape)
        self.status[rows] = chunk.status
        self.reasons |= chunk.reasons
        self.done.add(number)

    def read(self, name: str, rows: slice) -> Floats:
        """An answer of some designs."""
        return self.values[name][rows]

    def statuses(self) -> Status:
        """Of all designs."""
        return self.status

    def all_reasons(self) -> dict[int, str]:
        """Why designs failed, by their number."""
        return dict(sorted(self.reasons.items()))


class OnDisk:
    """Answers in a Zarr store: a folder."""

    def __init__(self, path: Path, designs: int, chunk: int, shapes: Shapes) -> None:
        self.path, self.designs, self.chunk, self.shapes = path, designs, chunk, dict(shapes)

    # The manifest

    @staticmethod
    def manifest(path: Path) -> dict[str, Any] | None:
        """What a store was made for; None where nothing is there."""
        if not path.exists():
            return None
        if not path.is_dir():
            raise ValueError(f"'{path}' is a file: expected the folder of a study, or a name that is free")
        if not (path / "zarr.json").exists():
            if not any(path.iterdir()):
                return None
            raise ValueError(f"'{path}' is a folder, but not one of a study: give another name")
        try:
            head = json.loads((path / "zarr.json").read_text(encoding="utf-8"))
        except ValueError:
            raise ValueError(f"'{path}' has a zarr.json that cannot be read (it is cut off, or damaged): give another "
                             "name, or delete the folder") from None
        found = head.get("attributes", {}).get(ATTRIBUTE) if isinstance(head, dict) else None
        if not isinstance(found, dict):
            raise ValueError(f"'{path}' is a Zarr store, but not one of a study: give another name")
        return found

    def create(self, manifest: Mapping[str, Any], dims: Mapping[str, tuple[str, ...]],
               attributes: Mapping[str, Mapping[str, Any]]) -> None:
        """The store without answers; it appears under its name when all of it is there."""
        zarr = _zarr()
        parent = self.path.parent
        if not parent.is_dir():
            raise FileNotFoundError(f"there is no folder '{parent}' to write '{self.path.name}' into")
        beside = parent / f".{self.path.name}.{secrets.token_hex(8)}.part"
        try:
            group = zarr.open_group(str(beside), mode="w", zarr_format=3, attributes={ATTRIBUTE: dict(manifest)})
            kinds = {name: ("<f8", float("nan")) for name in self.shapes} | {STATUS: ("|u1", 0)}
            for name, (kind, fill) in kinds.items():
                shape = self.shapes.get(name, ())
                group.create_array(
                    name, shape=(self.designs, *shape), chunks=(self.chunk, *(max(size, 1) for size in shape)),
                    dtype=kind, fill_value=fill, filters=None, compressors=[zarr.codecs.Crc32cCodec()],
                    dimension_names=("design", *dims.get(name, ())), attributes=dict(attributes.get(name, {})))
                (beside / name / "c").mkdir(exist_ok=True)
            (beside / REASONS).mkdir()
            (beside / LOCK).touch()
            for file in beside.rglob("zarr.json"):
                _synced(file)
            _synced(beside)
            beside.rename(self.path)
            _synced(parent)
        except OSError as problem:
            if problem.errno in (errno.ENOTEMPTY, errno.EEXIST) and self.manifest(self.path) is not None:
                return  # another process was quicker, and holds the lock or waits for it
            problem.filename = str(self.path)
            raise _said(problem, self.path) from None
        finally:
            shutil.rmtree(beside, ignore_errors=True)

    # One process at a time

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Only one process writes; the lock goes with the process."""
        import fcntl

        handle = os.open(self.path / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise BlockingIOError(errno.EWOULDBLOCK, f"another process runs the study '{self.path}': wait until it "
                                      "is done, or stop it") from None
            for left in self.path.rglob("*.part"):
                left.unlink(missing_ok=True)
            yield
        finally:
            os.close(handle)

    # Chunks

    def _file(self, name: str, number: int) -> Path:
        parts = [str(number), *("0" for _ in self.shapes.get(name, ()))]
        return self.path.joinpath(name, "c", *parts)

    def _content(self, name: str, values: Any) -> bytes:
        """A chunk as Zarr has it: whole, in little-endian numbers, with its checksum."""
        shape = self.shapes.get(name, ())
        kind, fill = ("|u1", 0) if name == STATUS else ("<f8", np.nan)
        whole = np.full((self.chunk, *shape), fill, dtype=kind)
        whole[: len(values)] = np.reshape(values, (len(values), *shape))
        data = whole.tobytes()
        return data + _checksum(data).to_bytes(4, "little")

    def put(self, number: int, chunk: Chunk) -> None:
        """Write a chunk, all of it or nothing that counts."""
        try:
            folders = {self.path / REASONS}
            for name in self.shapes:
                file = self._file(name, number)
                _write(file, self._content(name, chunk.values[name]))
                folders.add(file.parent)
            _write(self.path / REASONS / f"{number}.json",
                   json.dumps({str(k): text for k, text in sorted(chunk.reasons.items())}).encode())
            for folder in folders:
                _synced(folder)
            file = self._file(STATUS, number)
            _write(file, self._content(STATUS, chunk.status))
            _synced(file.parent)
        except OSError as problem:
            raise _said(problem, self.path) from None

    def missing(self, chunks: Iterable[int]) -> list[int]:
        """Those of these chunks that are not there, or damaged."""
        return [k for k in chunks if not self._whole(k)]

    def _whole(self, number: int) -> bool:
        status = self._read(STATUS, number)
        if status is None or not (status[: self._size(number)] > 0).all():
            return False
        if any(self._read(name, number) is None for name in self.shapes):
            return False
        return not (status == FAILED).any() or self._reasons(number) is not None

    def _size(self, number: int) -> int:
        return min(self.chunk, self.designs - number * self.chunk)

    def _read(self, name: str, number: int) -> Any:
        """A chunk; None where it is not there, or not as it was written."""
        try:
            data = self._file(name, number).read_bytes()
        except OSError:
            return None
        shape = (self.chunk, *self.shapes.get(name, ()))
        kind = np.dtype("|u1" if name == STATUS else "<f8")
        if len(data) != int(np.prod(shape)) * kind.itemsize + 4:
            return None
        if _checksum(data[:-4]) != int.from_bytes(data[-4:], "little"):
            return None
        return np.frombuffer(data[:-4], dtype=kind).reshape(shape)

    def _reasons(self, number: int) -> dict[int, str] | None:
        try:
            found = json.loads((self.path / REASONS / f"{number}.json").read_bytes())
            return {int(key): str(text) for key, text in found.items()}
        except (OSError, ValueError, AttributeError):
            return None

    def read(self, name: str, rows: slice) -> Floats:
        """An answer of some designs, NaN where it is not there."""
        shape = self.shapes.get(name, ())
        first, last, _ = rows.indices(self.designs)
        result: Floats = np.full((max(last - first, 0), *shape), np.nan)
        for number in range(first // self.chunk, -(-last // self.chunk)):
            found = self._read(name, number)
            start = number * self.chunk
            low, high = max(first, start), min(last, start + self.chunk)
            if found is not None and high > low:
                result[low - first: high - first] = found[low - start: high - start]
        return result

    def statuses(self) -> Status:
        """Of all designs, 0 where nothing was computed."""
        result: Status = np.zeros(self.designs, dtype=np.uint8)
        for number in range(-(-self.designs // self.chunk)):
            found = self._read(STATUS, number)
            if found is not None:
                start = number * self.chunk
                result[start: start + self._size(number)] = found[: self._size(number)]
        return result

    def all_reasons(self) -> dict[int, str]:
        """Why designs failed, by their number."""
        found: dict[int, str] = {}
        for number in range(-(-self.designs // self.chunk)):
            found |= self._reasons(number) or {}
        return found


def followed(path: Path) -> Path:
    """Where a store is; a symbolic link stands for what it names, there or not yet."""
    if not path.is_symlink():
        return path
    try:
        found = path.resolve()
    except (OSError, RuntimeError):  # one in a circle is either, by version of Python
        found = path
    if found.is_symlink():
        raise ValueError(f"'{path}' is a symbolic link that leads in a circle: give another name")
    return found


def _said(problem: OSError, path: Path) -> OSError:
    """An error of the disk, in words where it is full."""
    if problem.errno not in (errno.ENOSPC, errno.EDQUOT):
        return problem
    return OSError(problem.errno, f"no room is left for the study '{path}': make some and run again, what was written "
                   "stays")


def _write(file: Path, data: bytes) -> None:
    """A file that is whole, or not there."""
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.parent / f".{file.name}.{os.getpid()}.{secrets.token_hex(4)}.part"
    try:
        with beside.open("wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        beside.replace(file)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _synced(path: Path) -> None:
    """What is in a folder, or a file, is on the disk."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        with contextlib.suppress(OSError):  # some file systems have nothing to do for folders
            os.fsync(handle)
    finally:
        os.close(handle)


def _checksum(data: bytes) -> int:
    return _crc32c()(data)


def _crc32c() -> Callable[[bytes], int]:
    try:
        import google_crc32c

        return google_crc32c.value  # type: ignore[no-any-return]
    except ImportError:  # as zarr before 3.1 has it
        import crc32c  # type: ignore[import-not-found]

        return crc32c.crc32c  # type: ignore[no-any-return]


def _zarr() -> Any:
    try:
        import zarr
        import zarr.codecs
    except ImportError:
        raise ImportError(f"a study that is kept on disk needs zarr: {INSTALL}") from None
    if int(zarr.__version__.partition(".")[0]) < 3:
        raise ImportError(f"a study that is kept on disk needs zarr 3, and {zarr.__version__} is installed: {INSTALL}")
    return zarr
