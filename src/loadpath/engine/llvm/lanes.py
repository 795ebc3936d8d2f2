"""A vector of floating-point numbers, one lane per state, in the notation of LLVM's assembly language."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from loadpath.cached import cached_property

PLAIN = 'nounwind "no-builtins"'
"""Attributes of every function of a program: LLVM puts no call of memset or memcpy in place of stores, which nobody
would link.
"""


def external(symbol: str, result: str, *arguments: str) -> str:
    """Declare a function from outside; call it through the pointer `@at_{symbol}`.

    It may be too far away for a plain call, which reaches two gigabytes.
    """
    return f"""
declare {result} @loadpath_{symbol}({", ".join(arguments)})
@at_{symbol} = internal constant ptr @loadpath_{symbol}
"""


def shuffle(kind: str, a: str, b: str, indices: Iterable[int | None]) -> str:
    """Numbers of two vectors by their places in both, as one vector; None where anything may stand.

    >>> shuffle("<2 x double>", "%a", "%b", (0, 2))
    'shufflevector <2 x double> %a, <2 x double> %b, <2 x i32> <i32 0, i32 2>'
    """
    mask = ["i32 poison" if i is None else f"i32 {i}" for i in indices]
    return f"shufflevector {kind} {a}, {kind} {b}, <{len(mask)} x i32> <{', '.join(mask)}>"


@dataclass(frozen=True)
class Lanes:
    """`count` numbers of the NumPy type `code` ("f8" or "f4"), a power of two.

    >>> Lanes("f8", 2).vector
    '<2 x double>'
    >>> Lanes("f8", 2).constant(1.0)
    '<double 0x3FF0000000000000, double 0x3FF0000000000000>'
    """

    code: str
    count: int
    fuses: bool = True
    """Whether the processor has an instruction for a product and a sum."""
    inlined: bool = False
    """Whether LLVM shall make one function of a whole program, if it optimises it at all."""

    @cached_property
    def scalar(self) -> str:
        """The type of one lane."""
        return "double" if self.code == "f8" else "float"

    @cached_property
    def size(self) -> int:
        """Bytes of one lane."""
        return 8 if self.code == "f8" else 4

    @cached_property
    def bytes(self) -> int:
        """Bytes of all lanes."""
        return self.size * self.count

    @cached_property
    def vector(self) -> str:
        """The type of all lanes together."""
        return f"<{self.count} x {self.scalar}>"

    @cached_property
    def integers(self) -> str:
        """The type of as many integers of the same size."""
        return f"<{self.count} x i{8 * self.size}>"

    @cached_property
    def booleans(self) -> str:
        """The type of as many truth values."""
        return f"<{self.count} x i1>"

    @cached_property
    def intrinsic(self) -> str:
        """How LLVM's own functions spell the vector type in their names."""
        return f"v{self.count}f{8 * self.size}"

    @cached_property
    def vector_code(self) -> str:
        """Attributes of a function that works on vectors: an aligned stack, as LLVM spills many registers."""
        return f"alignstack({max(self.bytes, 16)}) {self.code_of_parts}"

    @cached_property
    def code_of_parts(self) -> str:
        """Attributes of a function that is a part of the program."""
        return f"{PLAIN} {'alwaysinline' if self.inlined else 'noinline'}"

    @cached_property
    def one(self) -> str:
        """The constant 1 in all lanes."""
        return self.constant(1.0)

    def literal(self, number: float) -> str:
        """A number of one lane, without its type; rounded to the lane's precision, exact to the last bit."""
        if self.code == "f4":
            with np.errstate(all="ignore"):
                number = float(np.float32(number))
        return "0x" + struct.pack(">d", number).hex().upper()

    def constant(self, number: float) -> str:
        """The same number in all lanes, without the type."""
        return "<" + ", ".join([f"{self.scalar} {self.literal(number)}"] * self.count) + ">"

    def integer(self, number: int) -> str:
        """The same integer in all lanes, without the type."""
        return "<" + ", ".join([f"i{8 * self.size} {number}"] * self.count) + ">"
