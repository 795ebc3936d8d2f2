"""Names of the constants of a robot, all of them or those that a user names."""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping

import sympy

from loadpath.equations.letters.expressions import expression
from loadpath.equations.letters.schemes import Scheme
from loadpath.equations.letters.shapes import shapes as shapes_of
from loadpath.equations.letters.table_fit import from_table
from loadpath.equations.letters.tables import Table
from loadpath.equations.parameters import Choice, Constant, link_numbers
from loadpath.robot.model import RobotModel
from loadpath.robot.pose import Pose
from loadpath.scalars import IDENTITY, AxisTurn, rotation_from_matrix


def constant_names(
    robot: RobotModel,
    scheme: Scheme,
    known: Mapping[str, Constant],
    parameters: Choice,
    table: Table | None,
    *,
    shapes: bool,
) -> tuple[dict[str, sympy.Expr], dict[sympy.Symbol, float]]:
    """Expressions by key, and values of symbols that are no constant by themselves."""
    if isinstance(parameters, str):
        if parameters not in ("numbers", "symbols"):
            raise ValueError(f"parameters is {parameters!r}: expected 'numbers', 'symbols' or a mapping from constants "
                             "like 'link1.mass' to symbols")
        if parameters == "numbers":
            return {}, {}
        if table is not None:
            return from_table(table, known), {}
        found = {constant.key: sympy.Symbol(constant.name) for constant in known.values() if constant.value}
        by_shape = shapes_of(robot, known, scheme) if shapes else None
        shaped = by_shape.expressions if by_shape else {}
        if scheme.center_from_joint:
            found |= _centers_from_joints(robot, scheme, known, without=set(shaped))
        return found | shaped, dict(by_shape.values) if by_shape else {}
    if not isinstance(parameters, Mapping):
        raise ValueError(f"parameters is a {type(parameters).__name__}: expected 'numbers', 'symbols' or a mapping")
    result = {}
    for key, value in parameters.items():
        if key not in known:
            close = difflib.get_close_matches(str(key), known, n=1)
            hint = f"; did you mean '{close[0]}'?" if close else f"; there are {', '.join(list(known)[:6])}, ..."
            raise ValueError(f"robot '{robot.name}' has no constant '{key}'{hint}")
        result[key] = expression(key, value)
    return result, {}


def _centers_from_joints(
    robot: RobotModel, scheme: Scheme, known: Mapping[str, Constant], without: set[str]
) -> dict[str, sympy.Expr]:
    """Mass centers c = rho - R' p in the link's frame, with rho from the origin of the joint in the axes of the link
    and R, p the pose of the link's frame after the joint.
    """
    number = link_numbers(robot)
    found: dict[str, sympy.Expr] = {}
    for joint in robot.joints:
        pose, center = joint.link_offset, robot.link(joint.child).inertia.center_of_mass
        if not any(pose.translation) or not robot.link(joint.child).inertia.mass:
            continue
        back = _turned_back(joint.name, pose, known)
        for k, axis in enumerate("xyz"):
            key = f"{joint.child}.center_of_mass.{axis}"
            if key in without:
                continue
            rho = center[k] + sum(pose.rotation[i][k] * pose.translation[i] for i in range(3))
            size = max(abs(center[k]), *map(abs, pose.translation))
            letter = sympy.Symbol(f"{scheme.center}{number[joint.child]}{axis}")
            if back is None:  # axes in general directions: the vector delta = a - rho of the source
                if center[k]:
                    found[key] = -sympy.Symbol(f"delta{number[joint.child]}{axis}")
            elif abs(rho) > 1e-15 * size or back[k] != 0:
                found[key] = (letter if abs(rho) > 1e-15 * size else sympy.Integer(0)) - back[k]
    return found


def _turned_back(joint: str, pose: Pose, known: Mapping[str, Constant]) -> list[sympy.Expr] | None:
    """R' p of a link's frame after its joint in symbols; None if R is no turn about a coordinate axis."""
    p = [sympy.Symbol(known[f"{joint}.link_offset.{axis}"].name) if pose.translation[k] else sympy.Integer(0)
         for k, axis in enumerate("xyz")]
    turn = rotation_from_matrix(pose.rotation)
    if turn is IDENTITY:
        return p
    if not isinstance(turn, AxisTurn):
        return None
    angle = known.get(f"{joint}.link_offset.angle")
    if angle is not None:
        c, s = sympy.cos(sympy.Symbol(angle.name)), sympy.sin(sympy.Symbol(angle.name))
    else:
        exact = sympy.pi * sympy.Rational(round(math.atan2(turn.s, turn.c) / math.pi * 12), 12)
        c, s = sympy.cos(exact), sympy.sin(exact)
    y, z = (turn.axis + 1) % 3, (turn.axis + 2) % 3
    back = list(p)
    back[y], back[z] = c * p[y] + s * p[z], c * p[z] - s * p[y]
    return back
