"""Conditions in words: "life >= 20_000 h", "upper_arm + fore_arm <= 1.2 m and mass < 40 kg", over arrays by name."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from loadpath.robot.numbers import nearest
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


class Condition:
    """A condition over named arrays, in words; numbers may have units, as in project files.

    >>> Condition("arm + 100 mm <= 0.6 m")({"arm": np.array([0.4, 0.6])}).tolist()
    [True, False]
    >>> Condition("life >= 20_000 h").names
    ('life',)
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._quantities: list[str] = []

        def marked(found: re.Match[str]) -> str:
            self._quantities.append(f"{found[1].replace('_', '')} {found[2]}")
            return f"{_MARK}{len(self._quantities) - 1}"

        try:
            self._tree: ast.expr = ast.parse(_QUANTITY.sub(marked, text.strip()), mode="eval").body
        except (SyntaxError, ValueError, RecursionError):
            raise ValueError(f"condition {text!r} cannot be read: expected names, numbers with or without units, + - * "
                             "/, <=, <, >=, >, ==, and, or, not, like 'life >= 20_000 h'") from None
        names: dict[str, None] = {}
        self._check(self._tree, names)
        self.names = tuple(names)
        """Those that it asks for."""
        if not isinstance(self._tree, (ast.Compare, ast.BoolOp)) and not (
            isinstance(self._tree, ast.UnaryOp) and isinstance(self._tree.op, ast.Not)
        ):
            raise ValueError(f"condition {text!r} compares nothing: expected one like 'life >= 20_000 h'")

    def __call__(self, columns: Mapping[str, Any], kinds: Mapping[str, Kinds] | None = None) -> Bools:
        """Where it holds, of arrays by name; not where it asks for what is not a number."""
        for name in self.names:
            if name not in columns:
                raise ValueError(f"condition {self.text!r}: there is no '{name}'{nearest(name, list(columns))}")
        with np.errstate(invalid="ignore", divide="ignore"):
            result: Bools = np.asarray(self._value(self._tree, columns, {} if kinds is None else kinds), dtype=bool)
        known = np.ones(result.shape, dtype=bool)
        for name in self.names:
            array = np.asarray(columns[name])
            if array.dtype.kind == "f":
                known = known & ~np.isnan(array)
        return result & known

    def _refused(self, node: ast.AST) -> ValueError:
        return ValueError(f"condition {self.text!r}: {ast.unparse(node)!r} is not known here: expected names, numbers, "
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
            case ast.Constant(value=int() | float()):
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
            case ast.Constant():
                return node.value
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
        return in_si(text, as_ or known[:1], f"condition {self.text!r}: number")

    def __repr__(self) -> str:
        return f"<condition {self.text!r}>"


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
