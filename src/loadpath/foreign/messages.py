"""What a parser's process and its caller send each other: fields of JSON and arrays of plain numbers.

A message is the length of a header (8 bytes), the header in JSON, and the bytes of the arrays that it announces. It
holds no pickle: whoever writes a message can make the reader refuse it, and nothing else.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

LARGEST_HEADER = 64 * 2**20
"""Bytes of the fields of a message."""
LARGEST_ARRAYS = 4 * 2**30
"""Bytes of the arrays of a message."""
_KINDS = ("<f8", "<f4", "<i8", "<i4", "|u1")
"""Numbers that an array may hold."""


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


def write_message(stream: BinaryIO, message: Message) -> None:
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
    stream.write(len(header).to_bytes(8, "little") + header)
    for array in arrays.values():
        stream.write(array.reshape(-1).view(np.uint8).data)
    stream.flush()


def read_message(stream: BinaryIO) -> Message:
    """The next message; an EOFError where the other side has gone, a NoMessageError where it sends something else."""
    size = int.from_bytes(_read(stream, 8), "little")
    if size > LARGEST_HEADER:
        raise NoMessageError(f"a header of {size:,} bytes")
    try:
        header = json.loads(_read(stream, size), parse_constant=_no_number)
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
        name: np.frombuffer(_read(stream, size), dtype=kind).reshape(shape)
        for (name, (kind, shape)), size in zip(shapes.items(), sizes, strict=True)
    }
    return Message(fields, dict(arrays))


def _shape(shape: Any) -> tuple[int, ...]:
    if not isinstance(shape, list) or not all(type(count) is int and count >= 0 for count in shape):
        raise ValueError(f"a shape {shape!r}")
    return tuple(shape)


def _no_number(word: str) -> float:
    raise ValueError(f"{word} in a header")


def _read(stream: BinaryIO, size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data
