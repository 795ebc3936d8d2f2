"""A vector of floating-point numbers, one lane per state, in the notation of LLVM's assembly language."""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np


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

    @property
    def scalar(self) -> str:
        """The type of one lane."""
        return "double" if self.code == "f8" else "float"

    @property
    def size(self) -> int:
        """Bytes of one lane."""
        return 8 if self.code == "f8" else 4

    @property
    def bytes(self) -> int:
        """Bytes of all lanes."""
        return self.size * self.count

    @property
    def vector(self) -> str:
        """The type of all lanes together."""
        return f"<{self.count} x {self.scalar}>"

    @property
    def integers(self) -> str:
        """The type of as many integers of the same size."""
        return f"<{self.count} x i{8 * self.size}>"

    @property
    def booleans(self) -> str:
        """The type of as many truth values."""
        return f"<{self.count} x i1>"

    @property
    def intrinsic(self) -> str:
        """How LLVM's own functions spell the vector type in their names."""
        return f"v{self.count}f{8 * self.size}"

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
