"""Expressions for constants, as users and tables write them, and the numbers that follow for their symbols."""

from __future__ import annotations

import re
from collections.abc import Mapping

import sympy

from loadpath.equations.parameters import Constant


def expression(key: str, value: object) -> sympy.Expr:
    """The SymPy expression that a user gives for a constant."""
    if isinstance(value, str):
        if value.isidentifier():  # a name like S, N or beta, which SymPy would read as something of its own
            return sympy.Symbol(value)
        names = {name: sympy.Symbol(name) for name in re.findall(r"[A-Za-z_]\w*", value)}
        try:
            return sympy.sympify(value, locals=names)
        except (sympy.SympifyError, TypeError, AttributeError) as problem:
            raise ValueError(f"'{key}' is to be {value!r}, which is not an expression: {problem}") from None
    if isinstance(value, sympy.Expr):
        return value
    raise ValueError(f"'{key}' is to be {value!r}: expected a name, a SymPy symbol or expression")


def solved(
    expressions: Mapping[str, sympy.Expr], known: Mapping[str, Constant], values: Mapping[sympy.Symbol, float]
) -> dict[sympy.Symbol, float]:
    """The numbers of all symbols that the expressions determine, one after the other."""
    result = {found: known[key].value for key, found in expressions.items() if found.is_Symbol}
    result |= {symbol: value for symbol, value in values.items() if symbol not in result}
    waiting = [(key, found) for key, found in expressions.items() if not found.is_Symbol]
    while waiting:
        later = []
        for key, found in waiting:
            unknown = found.free_symbols - set(result)
            if len(unknown) != 1:
                later += [(key, found)] if unknown else []
                continue
            symbol = unknown.pop()
            line = found.subs(result)
            slope = sympy.diff(line, symbol)
            if slope.free_symbols or slope == 0:
                continue  # not linear in it: its number is the user's to know
            result[symbol] = float((known[key].value - line.subs(symbol, 0)) / slope)
        if len(later) == len(waiting):
            break
        waiting = later
    return result
