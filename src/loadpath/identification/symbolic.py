"""The groups of base parameters in symbols: a2, d3, cos(alpha4), as the literature prints them.

For most arms it is enough that every link gives its parent what it can share with it (`regrouped`). What acts together
beyond that (a slide along an axis that the arm turns about, for example) is found by numbers and has numbers for
coefficients; `found_by_numbers` names it. Every group is checked against the numeric ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import sympy

from loadpath.identification.geometry import (
    Steps,
    Symbols,
    along,
    as_columns,
    back,
    loaded_on_ground,
    of_joint,
    onto_axis,
    shared,
)
from loadpath.identification.grouping import of_link
from loadpath.identification.parameters import DynamicParameters, Scale, bracketed, carriers, frames_only
from loadpath.printable import printable
from loadpath.robot.joints import Z
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import vector3
from loadpath.robot.parts import Joint
from loadpath.robot.pose import Pose
from loadpath.scalars import Array
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.identification.base import BaseParameters

# Regrouping in symbols: every link gives its parent what it can share with it, from the tips to the base.
#
# A link gives away as much of each shared body (`geometry`) as makes its last parameters (in the order of
# `grouping`) zero. What the others then stand for is a linear combination of the parameters that were there at first.

Form: TypeAlias = dict[int, sympy.Expr]
"""A linear combination: coefficients by the number of the parameter."""

_WORTH_SIMPLIFYING = 40
_ZERO = 1e-9


def regrouped(parameters: DynamicParameters, symbols: Symbols) -> tuple[dict[int, Form], list[int]]:
    """For every parameter of a link the combination that it then stands for, and which parameters are left."""
    robot = parameters.robot
    names, carrier = robot.link_names, carriers(robot)
    forms: dict[int, Form] = {j: {j: sympy.Integer(1)} for j in range(parameters.of_links)}
    gone = set(range(10))  # the base's own
    for number, joint in reversed(list(enumerate(robot.joints, start=1))):
        before, after = of_joint(joint, number, symbols)
        child, parent = 10 * names.index(joint.child), 10 * names.index(joint.parent)
        given, order = [forms[child + k] for k in range(10)], of_link(robot, joint.child)
        axis = joint.motion.axis_direction()
        aligned = [] if axis is None or axis == Z else [onto_axis(axis)]
        if carrier[joint.parent] == robot.base.name:
            loading = along([*back(aligned), *after])[_loading(robot, joint, aligned)]
            combined = _combined(loading, order, given, symbols)
            forms |= {child + k: form for k, form in combined.items()}
            gone |= {child + k for k in range(10) if k not in combined}
        elif (basis := along(aligned) @ as_columns(shared(joint.motion))).size:
            on_child, on_parent = along(back(after)) @ basis, along(before) @ basis
            pivots, amounts = _amounts(on_child, order, given, symbols)
            for k in range(10):
                for column, amount in enumerate(amounts):
                    forms[child + k] = added(forms[child + k], times(-on_child[k, column], amount))
                    forms[parent + k] = added(forms[parent + k], times(on_parent[k, column], amount))
            gone |= {child + k for k in pivots}
    return forms, [j for j in range(parameters.of_links) if j not in gone]


def _loading(robot: RobotModel, joint: Joint, aligned: Steps) -> list[int]:
    """Which parameters of a link on the ground load its joint, in the joint's frame with the axis on z."""
    poses = {robot.base.name: Pose()}
    for weld in robot.joints:
        if weld.motion.dof == 0 and weld.parent in poses:
            poses[weld.child] = poses[weld.parent] @ weld.origin @ weld.link_offset
    turn, motion = poses[joint.parent].R @ joint.origin.R, joint.motion
    for step in aligned:
        turn, motion = turn @ step.R.astype(float), motion.along_z(0.0)[0]
    return loaded_on_ground(motion, vector3(turn.T @ robot.gravity, "gravity"))


def _combined(loading: Array, order: list[int], given: list[Form], symbols: Symbols) -> dict[int, Form]:
    """What of a link on the ground counts, led by its first parameters in the order."""
    reduced, pivots = _row_reduced(sympy.Matrix(loading[:, order]), symbols)
    result: dict[int, Form] = {}
    for row, pivot in enumerate(pivots):
        form: Form = {}
        for column, k in enumerate(order):
            form = added(form, times(reduced[row, column], given[k]))
        result[order[pivot]] = form
    return result


def _amounts(on_child: Array, order: list[int], given: list[Form], symbols: Symbols) -> tuple[list[int], list[Form]]:
    """How much of each shared body the child gives, so that its last parameters in the order become zero."""
    last_first, count = order[::-1], on_child.shape[1]
    # The identity keeps how the shared bodies are combined so that each takes one parameter off and no other.
    augmented = sympy.Matrix(on_child[last_first].T).row_join(sympy.eye(count))
    reduced, pivots = _row_reduced(augmented, symbols)
    pivots = tuple(pivot for pivot in pivots if pivot < len(order))
    amounts: list[Form] = [{} for _ in range(count)]
    for body in range(count):
        for row, pivot in enumerate(pivots):
            amounts[body] = added(amounts[body], times(reduced[row, len(order) + body], given[last_first[pivot]]))
    return [last_first[pivot] for pivot in pivots], amounts


def _row_reduced(matrix: sympy.Matrix, symbols: Symbols) -> tuple[sympy.Matrix, tuple[int, ...]]:
    """Reduced row echelon form and its pivot columns; zero is what is zero for this robot."""

    def is_zero(entry: sympy.Expr) -> bool:
        return abs(symbols.number(entry)) <= _ZERO

    reduced, pivots = matrix.rref(iszerofunc=is_zero, simplify=simpler, normalize_last=False)
    return reduced.applyfunc(simpler), pivots


# Linear combinations


def added(a: Form, b: Form) -> Form:
    """Their sum."""
    result = dict(a)
    for column, coefficient in b.items():
        total = tidy(result.get(column, 0) + coefficient)
        if total == 0:
            result.pop(column, None)
        else:
            result[column] = total
    return result


def times(factor: sympy.Expr, form: Form) -> Form:
    """A multiple."""
    return {} if factor == 0 else {column: tidy(factor * coefficient) for column, coefficient in form.items()}


def tidy(expression: sympy.Expr) -> sympy.Expr:
    """Multiplied out, without what is only rounding."""
    expression = sympy.expand(expression)
    if expression.has(sympy.Float):
        whole = {x: sympy.Integer(round(x)) for x in expression.atoms(sympy.Float)}
        rounding = {x: near for x, near in whole.items() if abs(float(x) - int(near)) < 1e-13}
        expression = expression.xreplace(rounding) if rounding else expression
    return expression


def simpler(expression: sympy.Expr) -> sympy.Expr:
    """With squares of sine and cosine joined, if it is not so long that SymPy would take minutes for it."""
    expression = tidy(expression)
    if expression.has(sympy.sin, sympy.cos) and expression.count_ops() <= _WORTH_SIMPLIFYING:
        return sympy.trigsimp(expression)
    return expression


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
