"""The groups of base parameters in symbols: a2, d3, cos(alpha4), as the literature prints them.

For most arms it is enough that every link gives its parent what it can share with it (`regrouping`). What acts together
beyond that (a slide along an axis that the arm turns about, for example) is found by numbers and has numbers for
coefficients; `found_by_numbers` names it. Every group is checked against the numeric ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import sympy

from loadpath.identification.combination_text import bracketed
from loadpath.identification.geometry import Symbols
from loadpath.identification.parameters import Scale
from loadpath.identification.regrouping import Form, added, regrouped, simpler, times
from loadpath.identification.welded_links import frames_only
from loadpath.printable import printable
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.identification.base import BaseParameters


@dataclass(frozen=True, eq=False)
class SymbolicGroups:
    """The base parameters of a robot with symbols for its geometry.

    >>> import loadpath as lp
    >>> rows = [dict(d=0, mass=1), dict(a=0.4, mass=1, center_of_mass=(0.1, 0, 0))]
    >>> arm = lp.from_dh(rows, "modified", gravity=(0, -9.81, 0))
    >>> print(arm.base_parameters().symbolic())
    6 base parameters of 'robot'
    1  mx1 + a2 m2
    2  my1
    3  Izz1 + a2^2 m2
    4  mx2
    5  my2
    6  Izz2
    a2 = 0.4 (m, rad)
    """

    robot_name: str
    groups: tuple[sympy.Expr, ...]
    """SymPy expressions."""
    values: Mapping[sympy.Symbol, float]
    """The values of the symbols of the geometry."""
    found_by_numbers: tuple[str, ...]
    """Parameters that the regrouping in symbols leaves over; they are grouped with others by numbers."""
    texts: tuple[str, ...]
    """The groups as plain text."""

    def latex(self) -> str:
        """The groups as a LaTeX array."""
        rows = r" \\ ".join(f"{k + 1} & {sympy.latex(group)}" for k, group in enumerate(self.groups))
        return rf"\begin{{array}}{{rl}} {rows} \end{{array}}"

    def __str__(self) -> str:
        width = len(str(len(self.texts)))
        lines = [f"{len(self.groups)} base parameters of '{printable(self.robot_name)}'"]
        lines += [f"{k + 1:>{width}}  {text}" for k, text in enumerate(self.texts)]
        if self.values:
            lines.append(", ".join(f"{symbol} = {value:.6g}" for symbol, value in self.values.items()) + " (m, rad)")
        if self.found_by_numbers:
            lines.append(f"grouped by numbers, not by symbols: {', '.join(self.found_by_numbers)}")
        return "\n".join(lines)


def symbolic(base: BaseParameters) -> SymbolicGroups:
    """The groups of `base` in symbols; see `BaseParameters.symbolic`."""
    parameters, symbols = base.parameters, Symbols()
    forms, left = regrouped(parameters, symbols)
    kept, idle = base.grouping.kept, set(base.grouping.idle)
    drives = range(parameters.of_links, len(parameters.names))
    forms |= {j: {j: sympy.Integer(1)} for j in drives}
    beyond = [j for j in (*left, *drives) if j not in idle and j not in kept]
    rows = []
    for row, j in enumerate(kept):
        form = forms[j]
        for other in beyond:
            form = added(form, times(_number(base.matrix[row, other]), forms[other]))
        finished = {column: _finished(c, symbols) for column, c in form.items() if column not in idle}
        rows.append({column: c for column, c in finished.items() if c != 0})
    _check(base, rows, symbols)
    hidden = {base.robot.link_names.index(link) for link in frames_only(base.robot)}
    rows = [{j: c for j, c in row.items() if j >= parameters.of_links or j // 10 not in hidden} for row in rows]
    groups = tuple(_expression(row, kept[k], parameters.names) for k, row in enumerate(rows))
    used = set().union(*(group.free_symbols for group in groups))
    return SymbolicGroups(
        base.robot.name,
        groups,
        {symbol: symbols.values[symbol] for symbol in sorted(used & set(symbols.values), key=_by_number)},
        tuple(parameters.names[j] for j in beyond if j < parameters.of_links),
        tuple(_text(row, kept[k], parameters.names) for k, row in enumerate(rows)),
    )


def _finished(coefficient: sympy.Expr, symbols: Symbols) -> sympy.Expr:
    if not coefficient.has(sympy.sin, sympy.cos):
        return coefficient
    if symbols.vanishes(coefficient):
        return sympy.Integer(0)
    return simpler(coefficient)


def _check(base: BaseParameters, rows: list[Form], symbols: Symbols) -> None:
    """Refuse to print anything that differs from what the numbers say."""
    found: Floats = np.zeros_like(base.matrix)
    for k, row in enumerate(rows):
        for column, coefficient in row.items():
            found[k, column] = symbols.number(coefficient)
    unit = Scale.of(base.robot).of_parameters(base.parameters)
    off = np.abs(found - base.matrix) * unit / unit[list(base.grouping.kept)][:, None]
    worst = float(off.max(initial=0.0))
    if worst > 1e-7 + 100 * base.grouping.misfit:
        raise ArithmeticError(f"the symbolic groups of robot '{base.robot.name}' differ from the numeric ones by "
                              f"{worst:.3g}: use the numeric ones")


# Writing


def _number(value: float) -> sympy.Expr:
    return sympy.Integer(int(value)) if float(value).is_integer() else sympy.Float(value)


def _expression(row: Form, lead: int, names: tuple[str, ...]) -> sympy.Expr:
    by_coefficient: dict[sympy.Expr, list[sympy.Symbol]] = {}
    for j in _lead_first(row, lead):
        by_coefficient.setdefault(row[j], []).append(sympy.Symbol(names[j], real=True))
    return sympy.Add(*(coefficient * sympy.Add(*some) for coefficient, some in by_coefficient.items()))


def _text(row: Form, lead: int, names: tuple[str, ...]) -> str:
    terms = []
    for j in _lead_first(row, lead):
        negative = row[j].could_extract_minus_sign()
        size = -row[j] if negative else row[j]
        if size.has(sympy.Float):
            size = sympy.N(size, 5)
        text = "" if size == 1 else str(size).replace("**", "^").replace("*", " ")
        terms.append((f"({text})" if isinstance(size, sympy.Add) else text, not negative, names[j]))
    return bracketed(terms)


def _lead_first(row: Form, lead: int) -> list[int]:
    return sorted(row, key=lambda j: (j != lead, j))


def _by_number(symbol: sympy.Symbol) -> tuple[int, str]:
    name = str(symbol)
    return int(name.lstrip("abcdefghijklmnopqrstuvwxyz")), name
