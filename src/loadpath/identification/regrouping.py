"""Regrouping in symbols: every link gives its parent what it can share with it, from the tips to the base.

A link gives away as much of each shared body (`transferable`) as makes its last parameters (in the order of `grouping`)
zero. What the others then stand for is a linear combination of the parameters that were there at first.
"""

from __future__ import annotations

from typing import TypeAlias

import sympy

from loadpath.identification.geometry import Steps, Symbols, along, back, of_joint, onto_axis
from loadpath.identification.grouping import of_link
from loadpath.identification.parameters import DynamicParameters
from loadpath.identification.transferable import as_columns, loaded_on_ground, shared
from loadpath.identification.welded_links import carriers
from loadpath.robot.joints import Z
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import vector3
from loadpath.robot.parts import Joint
from loadpath.robot.pose import Pose
from loadpath.scalars import Array

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
