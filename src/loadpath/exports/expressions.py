"""The operations of a tape as expressions of languages that write arithmetic as C does, in the order of the tape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

ATOM, SIGNED, PRODUCT, SUM, OTHER = range(5)
"""How tightly an expression binds: each may stand inside those after it."""

SYMBOLS = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
LOGIC = {"and": "&&", "or": "||"}
READ_TWICE = {"sq", "twice"}
"""Operations that write their argument twice."""


class Expression(NamedTuple):
    """Text and how tightly it binds."""

    text: str
    binds: int = ATOM

    def within(self, level: int) -> str:
        """The text as part of something that binds so tightly."""
        return self.text if self.binds <= level else f"({self.text})"


class Language(Protocol):
    """What differs between the languages."""

    @property
    def comparisons(self) -> dict[str, str]:
        """Signs of `lt`, `le`, `eq` and `ne`."""

    def literal(self, value: float) -> Expression:
        """A constant, with as many digits as it takes to be the same number again."""

    def function(self, name: str) -> str:
        """What a function of the tape is called."""


def expression(name: str, arguments: Sequence[Expression], language: Language) -> Expression:  # noqa: PLR0911
    """What one operation does to its arguments.

    >>> from loadpath.exports.c_expressions import C
    >>> a, b = Expression("a"), Expression("b + c", SUM)
    >>> expression("mul", [a, b], C()).text, expression("sub", [a, b], C()).text
    ('a * (b + c)', 'a - (b + c)')
    >>> expression("sin", [b], C("float")).text
    'sinf(b + c)'
    """
    a, b = arguments[0], arguments[-1]
    one, zero = language.literal(1.0).text, language.literal(0.0).text
    compared = language.comparisons

    def truth(condition: str) -> Expression:
        return Expression(f"{condition} ? {one} : {zero}", OTHER)

    # a - b - c and a * b / c are grouped from the left, so on the right what binds alike goes into parentheses.
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
    if name in compared:
        return truth(f"{a.within(SUM)} {compared[name]} {b.within(SUM)}")
    if name == "not":
        return truth(f"{a.within(SUM)} {compared['eq']} {zero}")
    if name in LOGIC:
        truths = [f"({argument.within(SUM)} {compared['ne']} {zero})" for argument in (a, b)]
        return truth(f"{truths[0]} {LOGIC[name]} {truths[1]}")
    if name == "if_else_zero":
        return Expression(f"{a.within(SUM)} {compared['ne']} {zero} ? {b.within(SUM)} : {zero}", OTHER)
    listed = ", ".join(argument.text for argument in arguments)
    return Expression(f"{language.function('pow' if name == 'constpow' else name)}({listed})")
