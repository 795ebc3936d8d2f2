"""The number that LaTeX stands for: an evaluator of its own for what the equations are printed as."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def left_and_right(latex: str) -> list[tuple[str, str]]:
    """The equations of an aligned environment, lines that continue one put together; remarks are left out."""
    inside = latex.removeprefix("\\begin{aligned}\n").removesuffix("\n\\end{aligned}")
    found: list[tuple[str, str]] = []
    pending = ""
    for line in inside.split(" \\\\\n"):
        if " &=" in line:
            head, _, value = line.partition(" &=")
            found.append((head, value))
        elif line.startswith("&="):
            found.append((pending, line[2:]))
        elif line.startswith("&\\quad"):
            head, value = found.pop()
            found.append((head, value + line[1:].replace("\\quad", "")))
        else:
            pending = line[1:]
    return found


def value_of(latex: str, numbers: Mapping[str, float]) -> list[list[float]] | float:
    """The value of the right side of an equation: of a matrix, rows."""
    text = latex.strip()
    begin, end = "\\left[\\begin{matrix}", "\\end{matrix}\\right]"
    if text.startswith(begin):
        rows = text[len(begin) : -len(end)].split("\\\\")
        return [[_Reader(cell, numbers).everything() for cell in row.split("&")] for row in rows]
    return _Reader(text, numbers).everything()


class _Reader:
    def __init__(self, text: str, numbers: Mapping[str, float]) -> None:
        self.text, self.at = text, 0
        self.names = sorted(numbers, key=len, reverse=True)
        self.numbers = numbers

    def skip(self) -> None:
        while self.at < len(self.text) and self.text[self.at] in " \n":
            self.at += 1

    def sees(self, word: str) -> bool:
        self.skip()
        if self.text.startswith(word, self.at):
            self.at += len(word)
            return True
        return False

    def needs(self, word: str) -> None:
        assert self.sees(word), f"expected {word} at {self.text[self.at : self.at + 60]!r}"

    def everything(self) -> float:
        value = self.sum()
        self.skip()
        assert self.at == len(self.text), self.text[self.at : self.at + 60]
        return value

    def sum(self) -> float:
        total = -self.product() if self.sees("-") else (self.sees("+"), self.product())[1]
        while True:
            if self.sees("+"):
                total += self.product()
            elif self.sees("-"):
                total -= self.product()
            else:
                return total

    def product(self) -> float:
        value = self.power()
        assert value is not None, self.text[self.at : self.at + 60]
        while True:
            if self.sees("\\cdot") or self.sees("\\times"):
                continue
            factor = self.power()
            if factor is None:
                return value
            value *= factor

    def power(self) -> float | None:
        value = self.atom()
        if value is not None and self.sees("^"):
            value **= self.group()
        return value

    def group(self) -> float:
        self.needs("{")
        value = self.sum()
        self.needs("}")
        return value

    def atom(self) -> float | None:
        self.skip()
        for name in self.names:
            if self.sees(name):
                return self.numbers[name]
        number = _NUMBER.match(self.text, self.at)
        if number:
            self.at = number.end()
            return float(number[0])
        for left, right in (("\\left(", "\\right)"), ("\\bigl(", "\\bigr)")):
            if self.sees(left):
                value = self.sum()
                self.needs(right)
                return value
        for word, function in (("\\cos", math.cos), ("\\sin", math.sin),
                               ("\\operatorname{sign}", lambda x: math.copysign(1.0, x))):
            if self.sees(word):
                exponent = self.group() if self.sees("^") else 1.0
                return function(self.group()) ** exponent
        return self.construction()

    def construction(self) -> float | None:
        if self.sees("\\frac"):
            top = self.group()
            return top / self.group()
        return math.sqrt(self.group()) if self.sees("\\sqrt") else None
