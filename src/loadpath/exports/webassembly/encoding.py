"""The binary format of WebAssembly, as far as it is needed: numbers, sections, function bodies and a whole module.

The format is that of the WebAssembly core specification 2.0, chapter 5.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable
from dataclasses import dataclass, field

I32, F64, V128 = b"\x7f", b"\x7c", b"\x7b"
PAGE = 1 << 16
"""Bytes in which memory is counted."""

_FUNCTION, _MEMORY = b"\x00", b"\x02"
_CUSTOM, _TYPES, _IMPORTS, _FUNCTIONS, _MEMORIES, _EXPORTS, _CODE, _DATA = 0, 1, 2, 3, 5, 7, 10, 11


def unsigned(number: int) -> bytes:
    """An unsigned number in seven-bit groups, lowest first (LEB128).

    >>> unsigned(624485).hex()
    'e58e26'
    """
    result = bytearray()
    while number > 0x7F:
        result.append(number & 0x7F | 0x80)
        number >>= 7
    result.append(number)
    return bytes(result)


def signed(number: int) -> bytes:
    """A signed number in seven-bit groups.

    >>> signed(-123456).hex()
    'c0bb78'
    """
    result = bytearray()
    while not -0x40 <= number < 0x40:
        result.append(number & 0x7F | 0x80)
        number >>= 7
    result.append(number & 0x7F)
    return bytes(result)


def doubles(numbers: Iterable[float]) -> bytes:
    """Numbers as they lie in memory."""
    listed = list(numbers)
    return struct.pack(f"<{len(listed)}d", *listed)


def _text(text: str) -> bytes:
    return _sized(text.encode())


def _sized(content: bytes) -> bytes:
    return unsigned(len(content)) + content


def _listed(parts: Iterable[bytes]) -> bytes:
    listed = list(parts)
    return unsigned(len(listed)) + b"".join(listed)


def _section(number: int, content: bytes) -> bytes:
    return bytes([number]) + _sized(content)


def function_type(parameters: Iterable[bytes], results: Iterable[bytes] = ()) -> bytes:
    """What a function takes and gives."""
    return b"\x60" + _listed(parameters) + _listed(results)


def body(locals_: Iterable[tuple[int, bytes]], code: bytes) -> bytes:
    """A function body: how many locals of which types after its parameters, and its instructions."""
    declared = [unsigned(count) + kind for count, kind in locals_ if count]
    return _sized(_listed(declared) + code + b"\x0b")


@dataclass
class Module:
    """A module that grows function by function; functions are numbered as they come, imported ones first."""

    _types: list[bytes] = field(default_factory=list)
    _imports: list[bytes] = field(default_factory=list)
    _functions: list[tuple[int, bytes]] = field(default_factory=list)
    _exports: list[bytes] = field(default_factory=list)
    _custom: list[bytes] = field(default_factory=list)

    def _type(self, kind: bytes) -> int:
        if kind not in self._types:
            self._types.append(kind)
        return self._types.index(kind)

    def imported(self, module: str, name: str, kind: bytes) -> int:
        """The number of a function that the host gives."""
        assert not self._functions, "imported functions come before the module's own"
        self._imports.append(_text(module) + _text(name) + _FUNCTION + unsigned(self._type(kind)))
        return len(self._imports) - 1

    def function(self, kind: bytes, code: bytes) -> int:
        """The number of a new function with this body."""
        self._functions.append((self._type(kind), code))
        return len(self._imports) + len(self._functions) - 1

    def export_function(self, name: str, number: int) -> None:
        """Let the host call a function."""
        self._exports.append(_text(name) + _FUNCTION + unsigned(number))

    def custom(self, name: str, content: bytes) -> None:
        """A section that only the host reads."""
        self._custom.append(_text(name) + content)

    def encoded(self, used: int, data_at: int, data: bytes) -> bytes:
        """The file: a memory of at least so many bytes, exported as `memory`, with data in it."""
        pages = -(-max(used, 1) // PAGE)
        exports = [*self._exports, _text("memory") + _MEMORY + unsigned(0)]
        segment = b"\x00\x41" + signed(data_at) + b"\x0b" + _sized(data)
        return b"".join(
            (
                b"\x00asm\x01\x00\x00\x00",
                _section(_TYPES, _listed(self._types)),
                _section(_IMPORTS, _listed(self._imports)),
                _section(_FUNCTIONS, _listed(unsigned(kind) for kind, _ in self._functions)),
                _section(_MEMORIES, _listed([b"\x00" + unsigned(pages)])),
                _section(_EXPORTS, _listed(exports)),
                _section(_CODE, _listed(code for _, code in self._functions)),
                _section(_DATA, _listed([segment] if data else [])),
                *(_section(_CUSTOM, content) for content in self._custom),
            )
        )


# Instructions of WebAssembly by the names of its specification, and the constants of one module.


SLOT = 16
"""Bytes of a value: one double for each of two states."""
DOUBLE = 8

_PLAIN = {
    "block": b"\x02\x40",
    "loop": b"\x03\x40",
    "if": b"\x04\x40",
    "end": b"\x0b",
    "i32.add": b"\x6a",
    "i32.sub": b"\x6b",
    "i32.mul": b"\x6c",
    "i32.lt_s": b"\x48",
    "i32.ge_s": b"\x4e",
    "select": b"\x1b",
}
_VECTOR = {
    "v128.load": 0x00, "v128.load64_splat": 0x0A, "v128.store": 0x0B, "f64x2.splat": 0x14, "f64x2.extract_lane": 0x21,
    "f64x2.replace_lane": 0x22, "f64x2.eq": 0x47, "f64x2.ne": 0x48, "f64x2.lt": 0x49, "f64x2.gt": 0x4A,
    "f64x2.le": 0x4B, "v128.not": 0x4D, "v128.and": 0x4E, "v128.andnot": 0x4F, "v128.or": 0x50, "v128.xor": 0x51,
    "v128.bitselect": 0x52, "v128.any_true": 0x53, "v128.load64_lane": 0x57, "v128.store64_lane": 0x5B,
    "f64x2.ceil": 0x74, "f64x2.floor": 0x75, "i64x2.shl": 0xCB, "i64x2.shr_s": 0xCC, "i64x2.add": 0xCE,
    "f64x2.abs": 0xEC, "f64x2.neg": 0xED, "f64x2.sqrt": 0xEF, "f64x2.add": 0xF0, "f64x2.sub": 0xF1, "f64x2.mul": 0xF2,
    "f64x2.div": 0xF3,
}
_OPCODES = {**_PLAIN, **{name: b"\xfd" + unsigned(code) for name, code in _VECTOR.items()}}


def code(*names: str) -> bytes:
    """Instructions without operands of their own, one after the other.

    >>> code("f64x2.mul", "f64x2.add").hex()
    'fdf201fdf001'
    """
    return b"".join(_OPCODES[name] for name in names)


def get(local: int) -> bytes:
    """Push a local."""
    return b"\x20" + unsigned(local)


def put(local: int) -> bytes:
    """Pop into a local."""
    return b"\x21" + unsigned(local)


def tee(local: int) -> bytes:
    """Copy into a local."""
    return b"\x22" + unsigned(local)


def call(function: int) -> bytes:
    """Call a function."""
    return b"\x10" + unsigned(function)


def integer(number: int) -> bytes:
    """Push an integer."""
    return b"\x41" + signed(number)


def branch_if(depth: int) -> bytes:
    """Leave, or begin again, the block at that depth if the integer popped is not zero."""
    return b"\x0d" + unsigned(depth)


def memory(name: str, offset: int, lane: int | None = None) -> bytes:
    """A load or store of doubles at the address popped plus an offset; all are aligned to 8 bytes."""
    return _OPCODES[name] + b"\x03" + unsigned(offset) + (b"" if lane is None else bytes([lane]))


def lane(name: str, number: int) -> bytes:
    """Take one lane out of a vector, or put it in."""
    return _OPCODES[name] + bytes([number])


class Constants:
    """The numbers that a module reads: each once in memory, found by its bits. They lie after the scratch slots."""

    def __init__(self, at: int) -> None:
        self.at = at
        self._place: dict[bytes, int] = {}

    def push(self, number: float) -> bytes:
        """Push a number into both lanes."""
        bits = doubles([math.nan if math.isnan(number) else number])
        place = self._place.setdefault(bits, len(self._place))
        return integer(0) + memory("v128.load64_splat", self.at + DOUBLE * place)

    def push_bits(self, pattern: int) -> bytes:
        """Push 64 bits into both lanes."""
        place = self._place.setdefault(struct.pack("<Q", pattern), len(self._place))
        return integer(0) + memory("v128.load64_splat", self.at + DOUBLE * place)

    @property
    def data(self) -> bytes:
        """What lies in memory."""
        return b"".join(self._place)

    @property
    def end(self) -> int:
        """The first byte after them, on a 16-byte boundary."""
        return -(-(self.at + len(self.data)) // SLOT) * SLOT
