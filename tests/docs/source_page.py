"""Reads a page of docs/sources: its code blocks and the rows of its tables, in their order.

A table counts when its header has the columns "call" and "number". A call is a Python expression in backticks; it is
evaluated after the code blocks before it, all in one namespace. A number is

- a literal, `-0.5` or `[[5, 2], [2, 1]]` or `True` or `"theta2"`. A decimal number is compared to the digits that are
  printed, an integer to 1e-9;
- a bound, `< 1e-12`, which the size of every entry of the value must keep;
- an expression in the value's own symbols, if the value is one of SymPy: the two must be equal as functions.

A column "symbol, by hand" (or "formula") may have the same by hand: a Python expression in backticks, in the page's
names, which must give what the call gives, to 1e-9. Text after the number in backticks (a unit, "printed ...") is for
the reader. A vertical bar inside a cell is `\\|`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

EXACT = 1e-9
"""How far a value may be from an integer that stands for itself, for numbers up to one in size relative to it."""

_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_TABLE = re.compile(r"(?:^\|.*\|[ ]*\n)+", re.MULTILINE)
_BAR = re.compile(r"(?<!\\)\|")
_CODE = re.compile(r"`([^`]+)`")


@dataclass(frozen=True)
class Block:
    """Python code of the page."""

    line: int
    code: str


@dataclass(frozen=True)
class Row:
    """One row of a table: where in the source, what is called, what comes out."""

    line: int
    place: str
    call: str
    number: str
    formula: str = ""


def cells(line: str) -> list[str]:
    """The cells of a row, trimmed, with their bars as bars."""
    return [cell.strip().replace("\\|", "|") for cell in _BAR.split(line.strip())[1:-1]]


def spoken(cell: str) -> str:
    """What a cell has in backticks, or all of it if there are none; a printed minus is a minus."""
    code = _CODE.search(cell)
    return (code[1] if code else cell).strip().replace("\u2212", "-")


def rows(table: str, line: int) -> Iterator[Row]:
    """The rows of a table that has calls and numbers; none of another one."""
    head, _, *body = table.splitlines()
    names = [name.lower() for name in cells(head)]
    if not {"call", "number"} <= set(names):
        return
    for k, text in enumerate(body):
        entry = dict(zip(names, cells(text), strict=True))
        by_hand = entry.get("formula", entry.get("symbol, by hand", ""))
        place = " ".join(entry[name] for name in ("place", "symbol", "symbol, by hand") if name in entry)
        formula = spoken(by_hand) if "`" in by_hand else ""
        yield Row(line + 2 + k, place, spoken(entry["call"]), spoken(entry["number"]), formula)


def parts(page: Path) -> list[Block | Row]:
    """Code blocks and rows of a page, as they stand."""
    text = page.read_text(encoding="utf-8")

    def line(at: int) -> int:
        return text.count("\n", 0, at) + 1

    found: list[Block | Row] = [Block(line(block.start(1)), block[1]) for block in _BLOCK.finditer(text)]
    for table in _TABLE.finditer(text):
        found += rows(table[0], line(table.start()))
    return sorted(found, key=lambda part: part.line)


def tolerance(digits: str) -> float:
    """Half a unit of the last digit that is printed; of an integer a rounding error."""
    number = digits.lower().replace("_", "")
    if "." not in number and "e" not in number:
        return EXACT * max(1.0, abs(float(number)))
    mantissa, _, exponent = number.partition("e")
    decimals = len(mantissa.partition(".")[2])
    return 0.5000001 * 10.0 ** (int(exponent or 0) - decimals)


def literal(text: str) -> tuple[object, object]:
    """A literal, and the same shape filled with what each number may be off."""
    tree = ast.parse(text, mode="eval").body

    def read(node: ast.expr) -> tuple[object, object]:
        if isinstance(node, (ast.List, ast.Tuple)):
            both = [read(entry) for entry in node.elts]
            return [value for value, _ in both], [off for _, off in both]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            value, off = read(node.operand)
            assert isinstance(value, (int, float))
            return -value, off
        value = ast.literal_eval(node)
        if isinstance(value, (bool, str)) or value is None:
            return value, 0.0
        return value, tolerance(ast.get_source_segment(text, node) or "")

    return read(tree)


def difference(value: object, number: str, names: dict[str, object]) -> str | None:
    """What is wrong with a value, in words; None if it is what the page says."""
    if number.startswith("<"):
        size = float(np.max(np.abs(np.asarray(value, dtype=float))))
        return None if size < float(number[1:]) else f"{size:.3g} is not {number}"
    if hasattr(value, "free_symbols"):
        return _symbolic_difference(value, number, names)
    expected, off = literal(number)
    if isinstance(expected, (bool, str)) or expected is None:
        same = str(value) == expected if isinstance(expected, str) else value is not None and bool(value) is expected
        return None if same else f"{value!r} is not {expected!r}"
    found, wanted = np.asarray(value, dtype=float), np.asarray(expected, dtype=float)
    if found.shape != wanted.shape:
        return f"shape {found.shape} is not {wanted.shape}: {np.array2string(found, precision=6)}"
    wrong = ~(np.abs(found - wanted) <= np.asarray(off, dtype=float))
    return f"{np.array2string(found, precision=8)} is not {number}" if wrong.any() else None


def _symbolic_difference(value: object, number: str, names: dict[str, object]) -> str | None:
    import sympy

    symbols = {symbol.name: symbol for symbol in getattr(value, "free_symbols", ())}
    expected = eval(number, {**names, **vars(sympy), **symbols})
    found, wanted = np.ravel(np.array(value)), np.ravel(np.array(expected))
    same = len(found) == len(wanted) and all(sympy.simplify(a - b) == 0 for a, b in zip(found, wanted, strict=True))
    return None if same else f"{value} is not {number}"


def _by_hand(value: object, formula: str, names: dict[str, object]) -> str | None:
    if not formula:
        return None
    found, expected = np.asarray(value, dtype=float), np.asarray(eval(formula, names), dtype=float)
    if found.shape == expected.shape and np.allclose(found, expected, rtol=EXACT, atol=EXACT):
        return None
    return f"{np.array2string(found, precision=8)} is not {formula} = {np.array2string(expected, precision=8)}"


def failures(page: Path) -> list[str]:
    """Runs a page; every row that does not hold, with its line."""
    names: dict[str, object] = {"__name__": "__main__", "np": np}
    found = []
    for part in parts(page):
        if isinstance(part, Block):
            exec(compile("\n" * (part.line - 1) + part.code, page.name, "exec"), names)
            continue
        try:
            value = eval(part.call, names)
            wrong = difference(value, part.number, names) or _by_hand(value, part.formula, names)
        except Exception as error:
            wrong = f"{type(error).__name__}: {error}"
        if wrong:
            found.append(f"{page.name}:{part.line}: {part.place}: {part.call}: {wrong}")
    return found
