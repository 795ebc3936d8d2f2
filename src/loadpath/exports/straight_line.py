"""A tape as lines of a language like C: values named `v` and their number, cut into functions of moderate length.

What lives from one function to a later one is kept in an array `w`, whose places are used again when they are free.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from loadpath.engine.plan import Scratch
from loadpath.engine.program import Tape

# The operations of a tape as expressions of languages that write arithmetic as C does, in the order of the tape.


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

    >>> from loadpath.exports.c_source import C
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


_LONGEST_PART = 40
"""Letters of an expression that still goes into another instead of getting a name."""


class StraightLine:
    """The lines of a tape, chunk by chunk.

    `declared` is what stands in front of a name that is given a value; the places are where the caller keeps the
    entries of arguments and results, in their order.
    """

    def __init__(
        self,
        tape: Tape,
        language: Language,
        *,
        declared: str,
        input_places: Sequence[str],
        output_places: Sequence[str],
        longest: int,
    ) -> None:
        self.tape, self.language, self.declared = tape, language, declared
        self.operations = _operations(tape)
        self.input_places, self.output_places = input_places, output_places
        values = list(self.operations)
        self.chunks = [values[i : i + longest] for i in range(0, len(values), longest)]
        self.slot, self.slots = _slots(self.chunks, self.operations)
        self.uses = Counter(
            argument
            for operation, arguments in self.operations.values()
            for argument in arguments * (2 if operation in READ_TWICE else 1)
        )
        self.outputs_of: dict[int, list[str]] = {}
        for value, place in zip(tape.outputs, output_places, strict=True):
            self.outputs_of.setdefault(value, []).append(place)

    @property
    def used(self) -> set[str]:
        """Names of the operations that there are."""
        return {operation for operation, _ in self.operations.values()}

    def bodies(self) -> list[list[str]]:
        """The lines of every chunk."""
        return [self._body(chunk) for chunk in self.chunks]

    def untouched(self) -> list[str]:
        """Lines for results that are constants or arguments as they came."""
        return [
            f"    {place} = {self._given(value).text};"
            for value, place in zip(self.tape.outputs, self.output_places, strict=True)
            if value not in self.operations
        ]

    def _body(self, chunk: list[int]) -> list[str]:
        """The lines of a chunk: what it takes over, what it computes, what it hands on."""
        # A slot may be given out again where its value is used last, so all are read before any is written.
        used = {argument for value in chunk for argument in self.operations[value][1]}
        taken = sorted(value for value in used.difference(chunk) if value in self.slot)
        lines = [f"    {self.declared} v{value} = w[{self.slot[value]}];" for value in taken]
        known = {value: Expression(f"v{value}") for value in taken}
        stores = {v: self.outputs_of.get(v, []) + ([f"w[{self.slot[v]}]"] if v in self.slot else []) for v in chunk}
        for value in chunk:
            operation, arguments = self.operations[value]
            read = [known.get(argument) or self._given(argument) for argument in arguments]
            written = expression(operation, read, self.language)
            handed_on = not self.uses[value] and len(stores[value]) == 1
            part_of_another = self.uses[value] == 1 and not stores[value] and len(written.text) <= _LONGEST_PART
            if not (handed_on or part_of_another):
                lines.append(f"    {self.declared} v{value} = {written.text};")
                written = Expression(f"v{value}")
            known[value] = written
        return lines + [f"    {place} = {known[value].text};" for value in chunk for place in stores[value]]

    def _given(self, value: int) -> Expression:
        """A constant or an entry of an argument."""
        if value in self.tape.constants:
            return self.language.literal(self.tape.constants[value])
        return Expression(self.input_places[value])


def _operations(tape: Tape) -> dict[int, tuple[str, tuple[int, ...]]]:
    """The operations in order, sines and cosines among them: these languages have no function that gives both."""
    sines = {
        value: (function, (angle,))
        for angle, pair in tape.angles.items()
        for function, value in zip(("sin", "cos"), pair, strict=True)
    }
    needed = set(tape.outputs).union(tape.angles, *(arguments for _, arguments in tape.operations.values()))
    return {value: done for value, done in sorted({**tape.operations, **sines}.items()) if value in needed}


def _slots(chunks: list[list[int]], operations: dict[int, tuple[str, tuple[int, ...]]]) -> tuple[dict[int, int], int]:
    """A slot for each value that a later chunk uses, and the number of slots; a slot is used again when it is free."""
    made = {value: k for k, chunk in enumerate(chunks) for value in chunk}
    last: dict[int, int] = {}
    for k, chunk in enumerate(chunks):
        last.update({a: k for value in chunk for a in operations[value][1] if made.get(a, k) < k})
    ending: dict[int, list[int]] = {}
    for value, k in last.items():
        ending.setdefault(k, []).append(value)
    slot: dict[int, int] = {}
    scratch = Scratch()
    for k, chunk in enumerate(chunks):
        scratch.give_back(sorted((slot[value] for value in ending.get(k, ())), reverse=True))
        slot.update((value, scratch.take()) for value in chunk if value in last)
    return slot, scratch.size
