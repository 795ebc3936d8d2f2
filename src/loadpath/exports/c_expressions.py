"""The operations of a tape as C expressions, in double or single precision, in the order that the tape has them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

Precision = Literal["double", "float"]

ATOM, SIGNED, PRODUCT, SUM, OTHER = range(5)
"""How tightly an expression binds: each may stand inside those after it."""

SYMBOLS = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
COMPARISONS = {"lt": "<", "le": "<=", "eq": "==", "ne": "!="}
LOGIC = {"and": "&&", "or": "||"}
READ_TWICE = {"sq", "twice"}
"""Operations that write their argument twice."""


class Expression(NamedTuple):
    """C text and how tightly it binds."""

    text: str
    binds: int = ATOM

    def within(self, level: int) -> str:
        """The text as part of something that binds so tightly."""
        return self.text if self.binds <= level else f"({self.text})"


def literal(value: float, precision: Precision) -> Expression:
    """A constant, with as many digits as it takes to be the same number again.

    >>> literal(0.1, "double").text, literal(1 / 3, "float").text, literal(-2.0, "double").text
    ('0.1', '0.33333334f', '-2.0')
    """
    if not math.isfinite(value):
        text = "NAN" if math.isnan(value) else "HUGE_VAL" if value > 0 else "-HUGE_VAL"
        return Expression(f"({precision}){text}", SIGNED)
    if precision == "double":
        text = repr(float(value))
    else:
        digits = str(np.float32(value))
        text = (digits if any(c in digits for c in ".e") else f"{digits}.0") + "f"
    return Expression(text, SIGNED if text.startswith("-") else ATOM)


def expression(  # noqa: PLR0911  # one line for each operation
    name: str, arguments: Sequence[Expression], precision: Precision, prefix: str
) -> Expression:
    """What one operation does to its arguments; `prefix` is that of the helper functions' names.

    >>> a, b = Expression("a"), Expression("b + c", SUM)
    >>> expression("mul", [a, b], "double", "").text, expression("sub", [a, b], "double", "").text
    ('a * (b + c)', 'a - (b + c)')
    >>> expression("sin", [b], "float", "").text
    'sinf(b + c)'
    """
    a, b = arguments[0], arguments[-1]
    one, zero = literal(1.0, precision).text, literal(0.0, precision).text

    def truth(condition: str) -> Expression:
        return Expression(f"{condition} ? {one} : {zero}", OTHER)

    # C groups a - b - c and a * b / c from the left, so on the right what binds alike goes into parentheses.
    if name in ("add", "sub"):
        return Expression(f"{a.within(SUM)} {SYMBOLS[name]} {b.within(PRODUCT)}", SUM)
    if name in ("mul", "div"):
        return Expression(f"{a.within(PRODUCT)} {SYMBOLS[name]} {b.within(SIGNED)}", PRODUCT)
    if name == "sq":
        return Expression(f"{a.within(ATOM)} * {a.within(ATOM)}", PRODUCT)
    if name == "twice":
        return Expression(f"{a.within(PRODUCT)} + {a.within(PRODUCT)}", SUM)
    if name == "neg":
        return Expression(f"-{a.within(ATOM)}", SIGNED)
    if name == "inv":
        return Expression(f"{one} / {a.within(SIGNED)}", PRODUCT)
    if name in COMPARISONS:
        return truth(f"{a.within(SUM)} {COMPARISONS[name]} {b.within(SUM)}")
    if name == "not":
        return truth(f"{a.within(SUM)} == {zero}")
    if name in LOGIC:
        return truth(f"({a.within(SUM)} != {zero}) {LOGIC[name]} ({b.within(SUM)} != {zero})")
    if name == "if_else_zero":
        return Expression(f"{a.within(SUM)} != {zero} ? {b.within(SUM)} : {zero}", OTHER)
    listed = ", ".join(argument.text for argument in arguments)
    if name == "sign":
        return Expression(f"{prefix}_sign({listed})")
    function = "pow" if name == "constpow" else name  # all others are functions of <math.h> with the same names
    return Expression(f"{function}{'f' if precision == 'float' else ''}({listed})")


def sign_function(precision: Precision, prefix: str) -> str:
    """The sign of a number, which C has no function for; zero and NaN stay what they are."""
    one, zero = literal(1.0, precision).text, literal(0.0, precision).text
    return (
        f"static {precision} {prefix}_sign({precision} x)\n{{\n"
        f"    return x > {zero} ? {one} : x < {zero} ? -{one} : x;\n}}\n"
    )
