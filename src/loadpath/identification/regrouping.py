"""Every link hands to its parent what it can share with it, from the tips to the base, in symbols.

A link gives away as much of each shared body (`needles`) as takes its last parameters (in the order of `grouping`) to
zero. What the others then stand for is a linear combination of the parameters that were there at first.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import sympy

from loadpath.identification.geometry import Steps, Symbols, along, back, of_joint, onto_axis
from loadpath.identification.grouping import of_link
from loadpath.identification.parameters import Parameters
from loadpath.identification.transferable import as_columns, loaded_on_ground, shared
from loadpath.identification.welded_links import carriers
from loadpath.robot.joints import Z
from loadpath.robot.model import Joint, RobotModel
from loadpath.robot.numbers import vector3
from loadpath.robot.pose import Pose
from loadpath.scalars import Array

Form: TypeAlias = dict[int, Any]
"""A linear combination: coefficients by the number of the parameter."""

_WORTH_SIMPLIFYING = 40


def handed_down(parameters: Parameters, symbols: Symbols) -> tuple[dict[int, Form], list[int]]:
    """For every parameter of a link what it stands for in the end, and which parameters are left."""
    robot = parameters.robot
    names, carrier = robot.link_names, carriers(robot)
    forms: dict[int, Form] = {j: {j: sympy.Integer(1)} for j in range(parameters.of_links)}
    gone = set(range(10))  # the base's own
    for number, joint in reversed(list(enumerate(robot.joints, start=1))):
        before, behind = of_joint(joint, number, symbols)
        child, parent = 10 * names.index(joint.child), 10 * names.index(joint.parent)
        given, order = [forms[child + k] for k in range(10)], of_link(robot, joint.child)
        axis = joint.motion.axis_direction()
        aligned = [] if axis is None or axis == Z else [onto_axis(axis)]
        if carrier[joint.parent] == robot.base.name:
            loading = along([*back(aligned), *behind])[_loading(robot, joint, aligned)]
            combined = _combined(loading, order, given, symbols)
            forms |= {child + k: form for k, form in combined.items()}
            gone |= {child + k for k in range(10) if k not in combined}
        elif (basis := along(aligned) @ as_columns(shared(joint.motion))).size:
            on_child, on_parent = along(back(behind)) @ basis, along(before) @ basis
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
    """What of a link on the ground counts, led by its first parameters in the order: Gauss-Jordan elimination."""
    matrix = loading.copy()
    free, leads = list(range(len(matrix))), {}
    for k in order:
        sizes = [abs(symbols.number(matrix[row, k])) for row in free]
        if not free or max(sizes) <= 1e-9:
            continue
        row = free.pop(int(np.argmax(sizes)))
        divisor = sympy.sympify(matrix[row, k])
        for column in range(10):
            matrix[row, column] = simpler(matrix[row, column] / divisor)
        for other in range(len(matrix)):
            factor = matrix[other, k]
            if other != row and factor != 0:
                for column in range(10):
                    matrix[other, column] = simpler(matrix[other, column] - factor * matrix[row, column])
        leads[k] = row
    result: dict[int, Form] = {}
    for k, row in leads.items():
        result[k] = {}
        for column in range(10):
            result[k] = added(result[k], times(matrix[row, column], given[column]))
    return result


def _amounts(on_child: Array, order: list[int], given: list[Form], symbols: Symbols) -> tuple[list[int], list[Form]]:
    """How much of each shared body the child gives: Gauss-Jordan elimination of its last parameters in the order."""
    matrix, count = on_child.copy(), on_child.shape[1]
    combined = sympy.eye(count)  # the shared bodies combined so that each takes off one pivot and leaves the others
    free, pivots = list(range(count)), {}
    for k in reversed(order):
        sizes = [abs(symbols.number(matrix[k, column])) for column in free]
        if not free or max(sizes) <= 1e-9:
            continue
        column = free.pop(int(np.argmax(sizes)))
        divisor = sympy.sympify(matrix[k, column])
        for row in range(10):
            matrix[row, column] = simpler(matrix[row, column] / divisor)
        combined[:, column] = combined[:, column] / divisor
        for other in range(count):
            factor = matrix[k, other]
            if other != column and factor != 0:
                for row in range(10):
                    matrix[row, other] = simpler(matrix[row, other] - factor * matrix[row, column])
                combined[:, other] = combined[:, other] - factor * combined[:, column]
        pivots[column] = k
    amounts: list[Form] = [{} for _ in range(count)]
    for row in range(count):
        for column, k in pivots.items():
            amounts[row] = added(amounts[row], times(simpler(combined[row, column]), given[k]))
    return list(pivots.values()), amounts


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


def times(factor: Any, form: Form) -> Form:
    """A multiple."""
    return {} if factor == 0 else {column: tidy(factor * coefficient) for column, coefficient in form.items()}


def tidy(expression: Any) -> Any:
    """Multiplied out, without what is only rounding."""
    expression = sympy.expand(expression)
    if expression.has(sympy.Float):
        whole = {x: sympy.Integer(round(x)) for x in expression.atoms(sympy.Float)}
        rounding = {x: near for x, near in whole.items() if abs(float(x) - int(near)) < 1e-13}
        expression = expression.xreplace(rounding) if rounding else expression
    return expression


def simpler(expression: Any) -> Any:
    """With squares of sine and cosine joined, if it is not so long that SymPy would take minutes for it."""
    expression = tidy(expression)
    if expression.has(sympy.sin, sympy.cos) and expression.count_ops() <= _WORTH_SIMPLIFYING:
        return sympy.trigsimp(expression)
    return expression
