"""How C writes numbers and functions, in double or single precision."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from loadpath.exports.expressions import ATOM, SIGNED, Expression

Precision = Literal["double", "float"]


@dataclass(frozen=True)
class C:
    """The language; `prefix` is that of the helper functions' names.

    >>> C().literal(0.1).text, C("float").literal(1 / 3).text, C().literal(-2.0).text
    ('0.1', '0.33333334f', '-2.0')
    """

    precision: Precision = "double"
    prefix: str = ""
    comparisons: dict[str, str] = field(default_factory=lambda: {"lt": "<", "le": "<=", "eq": "==", "ne": "!="})

    def literal(self, value: float) -> Expression:
        """A constant, with as many digits as it takes to be the same number again."""
        if not math.isfinite(value):
            text = "NAN" if math.isnan(value) else "HUGE_VAL" if value > 0 else "-HUGE_VAL"
            return Expression(f"({self.precision}){text}", SIGNED)
        if self.precision == "double":
            text = repr(float(value))
        else:
            digits = str(np.float32(value))
            text = (digits if any(c in digits for c in ".e") else f"{digits}.0") + "f"
        return Expression(text, SIGNED if text.startswith("-") else ATOM)

    def function(self, name: str) -> str:
        """The sign is a helper, all others are functions of <math.h> with the same names."""
        if name == "sign":
            return f"{self.prefix}_sign"
        return f"{name}f" if self.precision == "float" else name

    def sign_function(self) -> str:
        """The sign of a number, which C has no function for; zero and NaN stay what they are."""
        one, zero = self.literal(1.0).text, self.literal(0.0).text
        return (
            f"static {self.precision} {self.prefix}_sign({self.precision} x)\n{{\n"
            f"    return x > {zero} ? {one} : x < {zero} ? -{one} : x;\n}}\n"
        )
