"""The binary format of WebAssembly, as far as it is needed: numbers, sections, function bodies and a whole module.

The format is that of the WebAssembly core specification 2.0, chapter 5.
"""

from __future__ import annotations

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
