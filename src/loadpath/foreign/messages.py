"""What a parser's process and its caller send each other: fields of JSON and arrays of plain numbers.

A message is the length of a header (8 bytes), the header in JSON, and the bytes of the arrays that it announces. It
holds no pickle: whoever writes a message can make the reader refuse it, and nothing else.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

LARGEST_HEADER = 64 * 2**20
"""Bytes of the fields of a message."""
LARGEST_ARRAYS = 4 * 2**30
"""Bytes of the arrays of a message."""
_KINDS = ("<f8", "<f4", "<i8", "<i4", "|u1")
"""Numbers that an array may hold."""
_MOST_DIMENSIONS = 4

Pipe = io.RawIOBase | io.BufferedIOBase
"""An end of a pipe. The caller's has no buffer: that has a lock, at which a fork would wait for a thread that is not
in it."""


class NoMessageError(ValueError):
    """What came is no message."""


@dataclass
class Message:
    """Fields that JSON can hold, and arrays of numbers."""

    fields: dict[str, Any] = field(default_factory=dict)
    arrays: dict[str, NDArray[Any]] = field(default_factory=dict)


def as_bytes(data: bytes) -> NDArray[np.uint8]:
    """Bytes as an array of a message."""
    return np.frombuffer(data, dtype=np.uint8)


def write_message(stream: Pipe, message: Message) -> None:
    """Sends a message.

    >>> import io
    >>> pipe = io.BytesIO()
    >>> write_message(pipe, Message({"of": "arm"}, {"mass": np.array([2.0])}))
    >>> _ = pipe.seek(0)
    >>> read_message(pipe)
    Message(fields={'of': 'arm'}, arrays={'mass': array([2.])})
    """
    arrays = {name: np.ascontiguousarray(array) for name, array in message.arrays.items()}
    rows = [(name, array.dtype.str, array.shape) for name, array in arrays.items()]
    header = json.dumps({"fields": message.fields, "arrays": rows}, allow_nan=False).encode()
    _write(stream, memoryview(len(header).to_bytes(8, "little") + header))
    for array in arrays.values():
        _write(stream, array.reshape(-1).view(np.uint8).data)
    stream.flush()


def read_message(stream: Pipe) -> Message:
    """The next message; an EOFError where the other side has gone, a NoMessageError where it sends something else."""
    size = int.from_bytes(_read(stream, 8).tobytes(), "little")
    if size > LARGEST_HEADER:
        raise NoMessageError(f"a header of {size:,} bytes")
    try:
        header = json.loads(_read(stream, size).tobytes(), parse_constant=_no_number)
        fields, rows = header["fields"], header["arrays"]
        shapes = {str(name): (str(kind), _shape(shape)) for name, kind, shape in rows}
    except (ValueError, TypeError, KeyError, RecursionError) as problem:
        raise NoMessageError(str(problem)) from None
    if not isinstance(fields, dict) or not all(kind in _KINDS for kind, _ in shapes.values()):
        raise NoMessageError("a header of another form")
    sizes = [np.dtype(kind).itemsize * math.prod(shape) for kind, shape in shapes.values()]
    if sum(sizes) > LARGEST_ARRAYS:
        raise NoMessageError(f"arrays of {sum(sizes):,} bytes")
    arrays: Mapping[str, NDArray[Any]] = {
        name: _read(stream, size).view(kind).reshape(shape)
        for (name, (kind, shape)), size in zip(shapes.items(), sizes, strict=True)
    }
    return Message(fields, dict(arrays))


def _shape(shape: Any) -> tuple[int, ...]:
    if not isinstance(shape, list) or len(shape) > _MOST_DIMENSIONS:
        raise ValueError("a shape of another form")
    if not all(type(count) is int and 0 <= count <= LARGEST_ARRAYS for count in shape):
        raise ValueError(f"a shape {shape!r}"[:100])
    return tuple(shape)


def _no_number(word: str) -> float:
    raise ValueError(f"{word} in a header")


def _read(stream: Pipe, size: int) -> NDArray[np.uint8]:
    data = np.empty(size, dtype=np.uint8)
    place = 0
    while place < size:
        count = stream.readinto(data[place:].data)
        if not count:
            raise EOFError
        place += count
    return data


def _write(stream: Pipe, data: memoryview) -> None:
    place = 0
    while place < len(data):
        place += stream.write(data[place:]) or 0
