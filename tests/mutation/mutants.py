"""One-token changes of a source file: another operator, comparison, number, or function of the same kind.

What is never changed: annotations, docstrings, messages (f-strings), imports, decorators; up to which size of a robot a
program is compiled, and how many rows are worked on at a time (`BLOCK`), which change no answer.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

OPERATORS = {"+": "-", "-": "+", "*": "/", "/": "*", "//": "*", "%": "*", "**": "*", "@": "+", "&": "|", "|": "&"}
COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "is": "is not", "is not": "is",
               "in": "not in", "not in": "in"}
LOGIC = {"and": "or", "or": "and"}
FUNCTIONS = {"min": "max", "max": "min", "sin": "cos", "cos": "sin", "any": "all", "all": "any", "minimum": "maximum",
             "maximum": "minimum", "argmin": "argmax", "argmax": "argmin", "floor": "ceil"}

Place: TypeAlias = tuple[int, int]
"""Line, from 1, and column, from 0, in characters."""


@dataclass(frozen=True)
class Mutant:
    """A source text with one token changed."""

    path: str
    line: int
    function: str
    """In which function or class the change is."""
    before: str
    after: str
    """The changed line."""
    text: str
    """The whole file."""

    @property
    def name(self) -> str:
        """What stays the same when lines above it come and go."""
        return f"{self.path} {self.function}: {self.before.strip()} -> {self.after.strip()}"


def mutants(source: str, path: str = "") -> list[Mutant]:
    """All changes of a source text.

    >>> for mutant in mutants("def area(r: float) -> float:\\n    return 3.14 * r ** 2 if r > 0 else 0.0\\n"):
    ...     print(mutant.after.strip())
    return 6.28 * r ** 2 if r > 0 else 0.0
    return 3.14 / r ** 2 if r > 0 else 0.0
    return 3.14 * r * 2 if r > 0 else 0.0
    return 3.14 * r ** 3 if r > 0 else 0.0
    return 3.14 * r ** 2 if r >= 0 else 0.0
    return 3.14 * r ** 2 if r > 1 else 0.0
    return 3.14 * r ** 2 if r > 0 else 1.0
    """
    lines = source.splitlines(keepends=True)
    tree = ast.parse(source)
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    changes = sorted(set(_changes(tree, tokens, lines)))
    functions = _functions(tree)
    return [_mutant(lines, change, functions, path) for change in changes]


Change: TypeAlias = tuple[Place, Place, str]
"""From where to where, on one line, and what stands there instead."""


def _mutant(lines: list[str], change: Change, functions: list[tuple[int, int, str]], path: str) -> Mutant:
    (line, begin), (_, end), new = change
    before = lines[line - 1]
    after = before[:begin] + new + before[end:]
    function = max((f for f in functions if f[0] <= line <= f[1]), default=(0, 0, "module"))[2]
    text = "".join([*lines[: line - 1], after, *lines[line:]])
    return Mutant(path, line, function, before.rstrip("\n"), after.rstrip("\n"), text)


def _functions(tree: ast.AST) -> list[tuple[int, int, str]]:
    kinds = ast.FunctionDef | ast.ClassDef
    return [(node.lineno, node.end_lineno or 0, node.name) for node in ast.walk(tree) if isinstance(node, kinds)]


def _changes(tree: ast.AST, tokens: list[tokenize.TokenInfo], lines: list[str]) -> Iterator[Change]:
    for node in _computing(tree):
        match node:
            case ast.BinOp():
                yield from _between(node.left, node.right, OPERATORS, tokens, lines)
            case ast.Compare():
                for left, right in pairwise([node.left, *node.comparators]):
                    yield from _between(left, right, COMPARISONS, tokens, lines)
            case ast.BoolOp():
                for left, right in pairwise(node.values):
                    yield from _between(left, right, LOGIC, tokens, lines)
            case ast.UnaryOp(op=ast.USub()):
                begin = _start(node, lines)
                yield begin, (begin[0], begin[1] + 1), "+"
            case ast.UnaryOp(op=ast.Not()):
                begin = _start(node, lines)
                yield begin, (begin[0], begin[1] + 4), ""
            case ast.Constant(value=bool() | int() | float()):
                yield _start(node, lines), _end(node, lines), _another(node.value)
            case ast.Name(id=name) if name in FUNCTIONS:
                yield _start(node, lines), _end(node, lines), FUNCTIONS[name]
            case ast.Attribute(attr=name) if name in FUNCTIONS:
                line, end = _end(node, lines)
                yield (line, end - len(name)), (line, end), FUNCTIONS[name]


def _another(value: object) -> str:
    """Another number of the same kind."""
    if isinstance(value, bool):
        return str(not value)
    if isinstance(value, int):
        return str(value + 1)
    assert isinstance(value, float)
    return repr(2 * value if value else 1.0)


def _computing(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that compute something."""
    if isinstance(node, ast.JoinedStr | ast.Import | ast.ImportFrom):
        return
    if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
        return
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "On":
        return
    if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).strip("(").startswith("BLOCK"):
        return
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _computing(child)


def _between(
    left: ast.expr, right: ast.expr, table: dict[str, str], tokens: list[tokenize.TokenInfo], lines: list[str]
) -> Iterator[Change]:
    """The operator between two operands: one token, or two words."""
    begin, end = _end(left, lines), _start(right, lines)
    found = [t for t in tokens if begin <= t.start and t.end <= end and t.string.strip("()\n, \\")]
    found = [t for t in found if t.type in (tokenize.OP, tokenize.NAME)]
    operator = " ".join(token.string for token in found)
    if operator in table and found[0].start[0] == found[-1].start[0]:
        yield found[0].start, found[-1].end, table[operator]


def _start(node: ast.expr, lines: list[str]) -> Place:
    return node.lineno, _characters(lines[node.lineno - 1], node.col_offset)


def _end(node: ast.expr, lines: list[str]) -> Place:
    line = node.end_lineno or node.lineno
    return line, _characters(lines[line - 1], node.end_col_offset or 0)


def _characters(line: str, offset: int) -> int:
    """The syntax tree counts bytes."""
    return len(line.encode()[:offset].decode())
