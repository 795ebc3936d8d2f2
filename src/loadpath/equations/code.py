"""Equations as functions in Python, C and MATLAB: common subexpressions once, constants as named arguments.

SymPy finds the common subexpressions and writes the expressions; here is what stands around them.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import sympy
from sympy.printing.c import C99CodePrinter
from sympy.printing.octave import OctaveCodePrinter
from sympy.printing.pycode import PythonCodePrinter

from loadpath.equations.objects import Piece
from loadpath.printable import printable

Language = Literal["python", "c", "matlab"]
LANGUAGES: tuple[str, ...] = get_args(Language)

_WORDS = {
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern", "float",
    "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed", "sizeof",
    "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while", "end", "function",
    "otherwise", "elseif", "global", "persistent", "parfor", "spmd", "cos", "sin", "sqrt", "pow", "sign", "math", "np",
    "q", "qd", "qdd", "out", "pi",
}


@dataclass(frozen=True, eq=False)
class Function:
    """What is written as one function."""

    name: str
    comment: tuple[str, ...]
    pieces: tuple[Piece, ...]
    motion: Mapping[str, Sequence[sympy.Symbol]]
    """Symbols of q, qd and qdd."""
    values: Mapping[sympy.Symbol, float]
    """The robot's numbers for its constants."""


def written(functions: Sequence[Function], language: str) -> str:
    """The source text of functions in one of the languages."""
    if language not in LANGUAGES:
        raise ValueError(f"language is {language!r}: expected {', '.join(map(repr, LANGUAGES))}")
    return {"python": _python, "c": _c, "matlab": _matlab}[language](functions)


@dataclass(frozen=True)
class _Prepared:
    """A function with names that every language takes, and its common subexpressions."""

    name: str
    comment: tuple[str, ...]
    vectors: dict[str, list[str]]
    """Names of the entries of q, qd, qdd, of those that are needed."""
    scalars: dict[str, float | None]
    steps: list[tuple[sympy.Symbol, sympy.Expr]]
    results: list[tuple[str, str, tuple[int, int] | None, list[sympy.Expr]]]
    """Name of each part, as a name of a variable too, its shape (None: a scalar), and its entries."""
    used: frozenset[str]
    """Entries of the vectors that occur."""


def _prepared(function: Function) -> _Prepared:
    entries = [list(piece.value) if isinstance(piece.value, sympy.MatrixBase) else [piece.value]
               for piece in function.pieces]
    flat = [entry for part in entries for entry in part]
    free = set().union(*(entry.free_symbols for entry in flat)) if flat else set()
    moving = [symbol for symbols in function.motion.values() for symbol in symbols]
    others = sorted(free - set(moving) - set(function.values), key=str)
    constants = [symbol for symbol in function.values if symbol in free] + others
    plain = _identifiers([*moving, *constants])
    steps, reduced = sympy.cse(
        [entry.xreplace(plain) for entry in flat],
        symbols=sympy.numbered_symbols("x", exclude=[*plain.values()]),
        list=True,
    )
    results, at = [], 0
    own = _distinct([_identifier(piece.name or function.name) for piece in function.pieces])
    for piece, part, name in zip(function.pieces, entries, own, strict=True):
        shape = piece.value.shape if isinstance(piece.value, sympy.MatrixBase) else None
        results.append((piece.name, name, shape, reduced[at : at + len(part)]))
        at += len(part)
    needed = {name: symbols for name, symbols in function.motion.items() if free & set(symbols)}
    return _Prepared(
        function.name,
        tuple(printable(line) for line in function.comment),
        {name: [str(plain[symbol]) for symbol in symbols] for name, symbols in needed.items()},
        {str(plain[symbol]): function.values.get(symbol) for symbol in constants},
        steps,
        results,
        frozenset(str(plain[symbol]) for symbol in free),
    )


def _identifiers(symbols: Iterable[sympy.Symbol]) -> dict[sympy.Symbol, sympy.Symbol]:
    made = list(symbols)
    return dict(zip(made, map(sympy.Symbol, _distinct([_identifier(str(s)) for s in made])), strict=True))


def _identifier(name: str) -> str:
    """A name that every language takes.

    >>> _identifier("lambda"), _identifier("theta1.force"), _identifier("m_{1}")
    ('lambda_', 'theta1_force', 'm_1')
    """
    text = re.sub(r"[^A-Za-z0-9]+", "_", name.replace("\\", "")).strip("_") or "x_"
    text = text if text[0].isalpha() else f"n{text}"
    return f"{text}_" if keyword.iskeyword(text) or text in _WORDS else text


def _distinct(names: Sequence[str]) -> list[str]:
    taken: set[str] = set()
    result = []
    for name in names:
        made, count = name, 2
        while made in taken:
            made, count = f"{name}_{count}", count + 1
        taken.add(made)
        result.append(made)
    return result


# Python


def _python(functions: Sequence[Function]) -> str:
    printer = PythonCodePrinter({"fully_qualified_modules": True})
    text = ["import math", "", "import numpy as np", ""]
    for function in functions:
        made = _prepared(function)
        constants = [name if value is None else f"{name}={value!r}" for name, value in made.scalars.items()]
        arguments = [*made.vectors, *(["*", *constants] if constants else [])]
        quoted = "\n    ".join(line.replace("\\", "\\\\").replace('"', "'") for line in made.comment)
        text += ["", f"def {made.name}({', '.join(arguments)}):", f'    """{quoted}"""']
        text += [
            f"    {', '.join(names)}{',' * (len(names) == 1)} = {vector}" for vector, names in made.vectors.items()
        ]
        text += [f"    {symbol} = {printer.doprint(value)}" for symbol, value in made.steps]
        parts = [_python_value(printer, shape, entries) for _, _, shape, entries in made.results]
        if len(parts) == 1 and not made.results[0][0]:
            text += [f"    return {parts[0]}", ""]
            continue
        text += ["    return {"]
        text += [f"        {name!r}: {part}," for (name, *_), part in zip(made.results, parts, strict=True)]
        text += ["    }", ""]
    return "\n".join(text)


def _python_value(printer: PythonCodePrinter, shape: tuple[int, int] | None, entries: Sequence[sympy.Expr]) -> str:
    texts = [printer.doprint(entry) for entry in entries]
    if shape is None:
        return str(texts[0])
    if shape[1] == 1:
        return f"np.array([{', '.join(texts)}], dtype=float)"
    rows = (f"[{', '.join(row)}]" for row in _rows(texts, shape))
    return f"np.array([{', '.join(rows)}], dtype=float)"


def _rows(texts: Sequence[str], shape: tuple[int, int]) -> Iterable[Sequence[str]]:
    return (texts[i * shape[1] : (i + 1) * shape[1]] for i in range(shape[0]))


# C


def _c(functions: Sequence[Function]) -> str:
    printer = C99CodePrinter()
    text = ["#include <math.h>", ""]
    for function in functions:
        made = _prepared(function)
        only = len(made.results) == 1 and not made.results[0][0]
        places = [("out" if only else name, shape, entries) for _, name, shape, entries in made.results]
        arguments = [f"const double {vector}[{len(names)}]" for vector, names in made.vectors.items()]
        arguments += [f"double {name}" for name in made.scalars]
        scalar = only and places[0][1] is None
        arguments += [] if scalar else [f"double {name}[{len(entries)}]" for name, _, entries in places]
        text += ["/*", *(f" * {line.replace('*/', '* /')}" for line in made.comment)]
        text += [f" * {name} is {shape[0]} x {shape[1]}, row after row." for name, shape, _ in places
                 if shape is not None and shape[1] > 1]
        text += [" */", f"{'double' if scalar else 'void'} {made.name}({', '.join(arguments) or 'void'})", "{"]
        text += [f"    const double {name} = {vector}[{k}];" for vector, names in made.vectors.items()
                 for k, name in enumerate(names) if name in made.used]
        text += [f"    const double {symbol} = {printer.doprint(value)};" for symbol, value in made.steps]
        for name, _, entries in places:
            if scalar:
                text.append(f"    return {printer.doprint(entries[0])};")
            else:
                text += [f"    {name}[{k}] = {printer.doprint(entry)};" for k, entry in enumerate(entries)]
        text += ["}", ""]
    return "\n".join(text)


# MATLAB


def _matlab(functions: Sequence[Function]) -> str:
    printer = OctaveCodePrinter()

    def plain(expression: sympy.Expr) -> str:  # of numbers, not of arrays
        return re.sub(r"\.([*/^])", r"\1", str(printer.doprint(expression)))

    text: list[str] = []
    for function in functions:
        made = _prepared(function)
        only = len(made.results) == 1 and not made.results[0][0]
        text += [f"function out = {made.name}({', '.join([*made.vectors, *made.scalars])})"]
        text += [f"    % {line}" for line in made.comment]
        text += [f"    {name} = {vector}({k});" for vector, names in made.vectors.items()
                 for k, name in enumerate(names, start=1) if name in made.used]
        text += [f"    {symbol} = {plain(value)};" for symbol, value in made.steps]
        for _, name, shape, entries in made.results:
            texts = [plain(entry) for entry in entries]
            value = texts[0] if shape is None else f"[{'; '.join(', '.join(row) for row in _rows(texts, shape))}]"
            text.append(f"    out{'' if only else f'.{name}'} = {value};")
        text += ["end", ""]
    return "\n".join(text)
