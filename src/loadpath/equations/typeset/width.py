"""How wide a formula is on paper, from its LaTeX: in em, with the widths of TeX's own letters.

It reads what SymPy's printer writes (and what is written here): fractions, indices, roots, brackets, functions,
matrices. The measure is meant for breaking lines; it is right to a few per cent, rather too wide than too narrow.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

_LETTERS = dict(zip("abcdefghijklmnopqrstuvwxyz", (
    0.53, 0.43, 0.43, 0.52, 0.47, 0.60, 0.51, 0.58, 0.35, 0.47, 0.55, 0.32, 0.88, 0.60, 0.49, 0.50, 0.48, 0.48, 0.47,
    0.36, 0.57, 0.52, 0.74, 0.57, 0.53, 0.51), strict=True))
_LETTERS |= dict(zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", (
    0.75, 0.81, 0.79, 0.86, 0.80, 0.78, 0.79, 0.91, 0.52, 0.65, 0.92, 0.68, 1.08, 0.91, 0.79, 0.78, 0.79, 0.77, 0.67,
    0.72, 0.79, 0.81, 1.08, 0.91, 0.80, 0.75), strict=True))
_SYMBOLS = {"+": 1.25, "-": 1.25, "=": 1.36, "(": 0.39, ")": 0.39, "[": 0.28, "]": 0.28, ".": 0.28, ",": 0.45, "/": 0.5,
            "|": 0.28, " ": 0.0, "'": 0.3, "{": 0.0, "}": 0.0, "&": 0.0}
_COMMANDS = {
    r"\cos": 1.62, r"\sin": 1.42, r"\tan": 1.6, r"\cdot": 0.75, r"\times": 1.25, r"\quad": 1.0, r"\qquad": 2.0,
    r"\left": 0.12, r"\right": 0.12, r"\bigl": 0.1, r"\bigr": 0.1, r"\,": 0.17, r"\;": 0.28, r"\{": 0.5, r"\}": 0.5,
    r"\_": 0.5, r"\infty": 1.0, r"\pi": 0.6, r"\omega": 0.66, r"\alpha": 0.65,
}
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\S| ", re.DOTALL)
_SMALL = 0.72
_COLUMN = 1.0
"""Space between the columns of a matrix."""


@lru_cache(maxsize=100_000)
def width(latex: str) -> float:
    """The printed width of a formula in em.

    >>> round(width(r"a + \\frac{b}{c}"), 1)
    2.5
    """
    return _Reader(latex).everything()


class _Reader:
    def __init__(self, latex: str) -> None:
        self.tokens: list[str] = _TOKEN.findall(latex.replace("\n", " "))
        self.at = 0

    def everything(self) -> float:
        total = 0.0
        while self.at < len(self.tokens):
            total += self.piece()
        return total

    def next(self) -> str:
        token = self.tokens[self.at]
        self.at += 1
        return token

    def group(self) -> str:
        """The text of an argument: what is in braces, or one token."""
        while self.at < len(self.tokens) and self.tokens[self.at] == " ":
            self.at += 1
        if self.at >= len(self.tokens):
            return ""
        first = self.next()
        if first != "{":
            return first
        depth, start = 1, self.at
        while self.at < len(self.tokens) and depth:
            token = self.next()
            depth += (token == "{") - (token == "}")
        return "".join(self.tokens[start : self.at - 1])

    def piece(self) -> float:
        token = self.next()
        if token in "_^":
            return self.index()
        if token in _CONSTRUCTIONS:
            return _CONSTRUCTIONS[token](self, token)
        if token in _COMMANDS:
            return _COMMANDS[token]
        if token.startswith("\\"):
            return 0.6  # a Greek letter
        return _LETTERS[token] if token in _LETTERS else _SYMBOLS.get(token, 0.5)

    def index(self) -> float:
        size = _SMALL * width(self.group()) + 0.05
        if self.at < len(self.tokens) and self.tokens[self.at] in "_^":  # below and above each other
            self.next()
            size = max(size, _SMALL * width(self.group()) + 0.05)
        return size

    def fraction(self, token: str) -> float:
        return max(width(self.group()), width(self.group())) * (1.0 if token == r"\frac" else _SMALL) + 0.25

    def root(self, token: str) -> float:
        return 0.85 + width(self.group())

    def accent(self, token: str) -> float:
        return width(self.group())

    def upright(self, token: str) -> float:
        text = self.group().replace("\\", "")
        return 0.56 * len(text) + (0.17 if token == r"\operatorname" else 0.0)

    def matrix(self, token: str) -> float:
        """A matrix up to its \\end."""
        if self.group() == "array":
            self.group()
        depth, start = 1, self.at
        while self.at < len(self.tokens) and depth:
            token = self.next()
            depth += (token == r"\begin") - (token == r"\end")
        inside = self.tokens[start : self.at - 1]
        self.group()
        columns: list[float] = []
        column, cell, nested = 0, [], 0
        for token in [*inside, r"\\"]:
            nested += (token == r"\begin") - (token == r"\end")
            if nested or token not in ("&", r"\\"):
                cell.append(token)
                continue
            if column == len(columns):
                columns.append(0.0)
            columns[column] = max(columns[column], width("".join(cell)))
            column, cell = (column + 1, []) if token == "&" else (0, [])
        return sum(columns) + _COLUMN * len(columns) + 0.3


_CONSTRUCTIONS: dict[str, Callable[[_Reader, str], float]] = {
    r"\frac": _Reader.fraction, r"\tfrac": _Reader.fraction, r"\sqrt": _Reader.root, r"\dot": _Reader.accent,
    r"\ddot": _Reader.accent, r"\bar": _Reader.accent, r"\hat": _Reader.accent, r"\mathrm": _Reader.upright,
    r"\mathbf": _Reader.upright, r"\operatorname": _Reader.upright, r"\text": _Reader.upright,
    r"\begin": _Reader.matrix,
}
