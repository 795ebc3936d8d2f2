"""Conditions in words: "life >= 20_000 h", "upper_arm + fore_arm <= 1.2 m and mass < 40 kg", over arrays by name."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from loadpath.printable import clipped
from loadpath.robot.numbers import LARGEST_NUMBER, nearest
from loadpath.robot.units_of_text import UNITS, in_si, kinds_of_unit
from loadpath.scalars.types import Bools

Kinds: TypeAlias = tuple[str, ...]
"""What a name measures, as in `robot/units_of_text.py`; nothing where that is not known."""

_ALL_UNITS = sorted({unit for units in UNITS.values() for unit in units}, key=len, reverse=True)
_QUANTITY = re.compile(r"(?<![\w.'\"])(\d[\d_]*(?:\.[\d_]*)?(?:[eE][-+]?\d+)?)[ ]*"
                       rf"({'|'.join(map(re.escape, _ALL_UNITS))})(?![\w^/])")
_COMPARE: dict[type, Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_JOIN: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {"abs": np.abs, "min": np.minimum, "max": np.maximum, "sqrt": np.sqrt}
_MARK = "_quantity"
_LONGEST = 10_000
"""Letters of an expression."""


class Expression:
    """An expression of named arrays, in words; numbers may have units, as in project files, and count in SI units.

    >>> Expression("3000 * length * 4 mm")({"length": np.array([0.5, 1.0])}).tolist()
    [6.0, 12.0]
    """

    _what = "expression"
    _like = "'3000 * link2.length * wall'"

    def __init__(self, text: str) -> None:
        self.text = text
        self._quantities: list[str] = []

        def marked(found: re.Match[str]) -> str:
            self._quantities.append(f"{found[1].replace('_', '')} {found[2]}")
            return f"{_MARK}{len(self._quantities) - 1}"

        names: dict[str, None] = {}
        try:
            self._tree = self._parsed(_QUANTITY.sub(marked, text.strip()) if len(text) <= _LONGEST else "")
            self._check(self._tree, names)
        except RecursionError:
            raise self._unreadable() from None
        self.names = tuple(names)
        """Those that it asks for."""

    def _parsed(self, text: str) -> ast.expr:
        try:
            return ast.parse(text, mode="eval").body
        except (SyntaxError, ValueError, MemoryError):
            raise self._unreadable() from None

    def _unreadable(self) -> ValueError:
        return ValueError(f"{self._what} {clipped(self.text)!r} cannot be read: expected names, numbers with or "
                          f"without units, + - * /, <=, <, >=, >, ==, and, or, not, like {self._like}")

    def __call__(self, columns: Mapping[str, Any], kinds: Mapping[str, Kinds] | None = None) -> Any:
        """Its value, of arrays by name."""
        for name in self.names:
            if name not in columns:
                raise ValueError(f"{self._what} {self.text!r}: there is no '{name}'{nearest(name, list(columns))}")
        with np.errstate(all="ignore"):
            return self._value(self._tree, columns, {} if kinds is None else kinds)

    def _refused(self, node: ast.AST) -> ValueError:
        return ValueError(f"{self._what} {clipped(self.text)!r}: {clipped(ast.unparse(node))!r} is not known here: "
                          "expected names, numbers, "
                          f"+ - * / **, comparisons, and, or, not, {', '.join(_FUNCTIONS)}")

    def _check(self, node: ast.expr, names: dict[str, None]) -> None:
        name = _dotted(node)
        if name is not None:
            if not name.startswith(_MARK):
                names[name] = None
            return
        match node:
            case ast.Constant(value=bool()):
                raise self._refused(node)
            case ast.Constant(value=int() | float() as number) if abs(number) <= LARGEST_NUMBER:
                return
            case ast.BoolOp():
                parts = node.values
            case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.UAdd()):
                parts = [node.operand]
            case ast.BinOp() if type(node.op) in _JOIN:
                parts = [node.left, node.right]
            case ast.Compare() if all(type(op) in _COMPARE for op in node.ops):
                parts = [node.left, *node.comparators]
            case ast.Call(func=ast.Name(id=called), keywords=[]) if called in _FUNCTIONS:
                parts = node.args
                if len(parts) != (2 if called in ("min", "max") else 1):
                    raise self._refused(node)
            case _:
                raise self._refused(node)
        for part in parts:
            self._check(part, names)

    def _value(  # noqa: PLR0911
        self, node: ast.expr, columns: Mapping[str, Any], kinds: Mapping[str, Kinds], as_: Kinds = ()
    ) -> Any:
        name = _dotted(node)
        if name is not None:
            return self._quantity(name, as_) if name.startswith(_MARK) else np.asarray(columns[name])
        match node:
            case ast.Constant(value=int() | float() as number):
                return np.float64(number)  # whose powers have an end
            case ast.BoolOp():
                parts = [np.asarray(self._value(part, columns, kinds), dtype=bool) for part in node.values]
                every: Any = parts[0]
                for part in parts[1:]:
                    every = every & part if isinstance(node.op, ast.And) else every | part
                return every
            case ast.UnaryOp():
                inner = self._value(node.operand, columns, kinds, as_)
                return ~np.asarray(inner, dtype=bool) if isinstance(node.op, ast.Not) else (
                    -inner if isinstance(node.op, ast.USub) else inner)
            case ast.BinOp():
                sums = isinstance(node.op, (ast.Add, ast.Sub))
                sides = [self._value(part, columns, kinds, as_ if sums else ()) for part in (node.left, node.right)]
                return _JOIN[type(node.op)](*sides)
            case ast.Compare():
                sides = [node.left, *node.comparators]
                measured = next((found for side in sides if (found := kinds.get(_dotted(side) or "", ()))), ())
                values = [self._value(side, columns, kinds, measured) for side in sides]
                holds: Any = True
                for op, left, right in zip(node.ops, values[:-1], values[1:], strict=True):
                    holds = holds & np.asarray(_COMPARE[type(op)](left, right))
                return holds
            case ast.Call(func=ast.Name(id=called)):
                return _FUNCTIONS[called](*(self._value(part, columns, kinds, as_) for part in node.args))
        raise self._refused(node)

    def _quantity(self, mark: str, as_: Kinds) -> Any:
        """A number with its unit in SI units, as what it is compared with measures it."""
        text = self._quantities[int(mark.removeprefix(_MARK))]
        known = kinds_of_unit(text.partition(" ")[2])
        return in_si(text, as_ or known[:1], f"{self._what} {self.text!r}: number")

    def __repr__(self) -> str:
        return f"<{self._what} {self.text!r}>"


class Condition(Expression):
    """A condition over named arrays, in words; numbers may have units, as in project files.

    >>> Condition("arm + 100 mm <= 0.6 m")({"arm": np.array([0.4, 0.6])}).tolist()
    [True, False]
    >>> Condition("life >= 20_000 h").names
    ('life',)
    """

    _what, _like = "condition", "'life >= 20_000 h'"

    def __init__(self, text: str) -> None:
        super().__init__(text)
        if not isinstance(self._tree, (ast.Compare, ast.BoolOp)) and not (
            isinstance(self._tree, ast.UnaryOp) and isinstance(self._tree.op, ast.Not)
        ):
            raise ValueError(f"condition {text!r} compares nothing: expected one like 'life >= 20_000 h'")

    def __call__(self, columns: Mapping[str, Any], kinds: Mapping[str, Kinds] | None = None) -> Bools:
        """Where it holds, of arrays by name; not where it asks for what is not a number."""
        result: Bools = np.asarray(super().__call__(columns, kinds), dtype=bool)
        known = np.ones(result.shape, dtype=bool)
        for name in self.names:
            array = np.asarray(columns[name])
            if array.dtype.kind == "f":
                known = known & ~np.isnan(array)
        return result & known


def _dotted(node: ast.AST) -> str | None:
    """The name that an expression is: `payload.mass`, or one in quotes, 'left-arm.mass'."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        before = _dotted(node.value)
        return None if before is None else f"{before}.{node.attr}"
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return None
