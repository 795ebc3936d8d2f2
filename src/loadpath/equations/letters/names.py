"""The names in the equations of a robot: a symbol for each coordinate, speed and acceleration, an expression for each
constant that is to be one, and the numbers of all symbols.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import sympy

from loadpath.equations.letters.schemes import DEFAULT, SCHEMES, Scheme
from loadpath.equations.letters.tables import LetterTable, expression, from_table, solved, table_of
from loadpath.equations.letters.tables import shapes as shapes_of
from loadpath.equations.parameters import Choice, Constant, constants, link_numbers
from loadpath.robot.model import RobotModel
from loadpath.robot.pose import Pose
from loadpath.scalars import IDENTITY, AxisTurn, rotation_from_matrix

# Names of the coordinates of a robot, of its speeds and its accelerations.


_PARTS = ("q", "qd", "qdd")
_DOTS = ("", "dot", "ddot")

Motion = tuple[list[sympy.Symbol], list[sympy.Symbol], list[sympy.Symbol]]


def motion_keys(robot: RobotModel) -> list[str]:
    """The keys by which a user names coordinates, speeds and accelerations."""
    return [f"{name}.q" for name in robot.coordinate_names] + [
        f"{name}.{part}" for part in _PARTS[1:] for name in robot.dof_names
    ]


def motion_names(robot: RobotModel, scheme: Scheme, own: Mapping[str, str | sympy.Expr]) -> Motion:
    """Symbols of the coordinates, speeds and accelerations, by the rule of a source or as they are named by key; the
    rate of a coordinate that is named has its name with dots.
    """
    by_rule = _motion_by_rule(robot, scheme)
    symbols: Motion = ([], [], [])
    for order, (part, places) in enumerate(
        zip(_PARTS, (robot.coordinate_names, robot.dof_names, robot.dof_names), strict=True)
    ):
        for k, place in enumerate(places):
            key = f"{place}.{part}"
            given = own.get(key)
            if given is None and order and robot.coordinate_names == robot.dof_names and f"{place}.q" in own:
                given = dotted(str(symbols[0][k]), order)
            made = sympy.Symbol(by_rule[order][k]) if given is None else _symbol(key, given)
            symbols[order].append(made)
    taken: dict[sympy.Symbol, str] = {}
    keys = motion_keys(robot)
    for key, symbol in zip(keys, [s for part in symbols for s in part], strict=True):
        if symbol in taken:
            raise ValueError(f"'{taken[symbol]}' and '{key}' are both to be {symbol}: take another name")
        taken[symbol] = key
    return symbols


def _motion_by_rule(robot: RobotModel, scheme: Scheme) -> tuple[list[str], list[str], list[str]]:
    sizes = zip(_PARTS, (robot.nq, robot.n, robot.n), strict=True)
    q, qd, qdd = ([f"{part}{k + 1}" for k in range(size)] for part, size in sizes)
    names = q, qd, qdd
    if not scheme.numbered_by_link:
        return names
    number = link_numbers(robot)
    for joint in robot.joints:
        kind = joint.motion
        if joint.mimic is not None or not kind.dof or kind.coordinates != kind.dof or kind.twists:
            continue  # a quaternion and the velocities that go with it keep their plain names
        alone = {angular: kind.angular.count(angular) == 1 for angular in (True, False)}
        start = robot.q_slices[joint.name].start, robot.v_slices[joint.name].start
        for k, angular in enumerate(kind.angular):
            end = f"{number[joint.child]}" + ("" if alone[angular] else f"_{kind.labels[k]}")
            letter = scheme.angle if angular else scheme.slide
            rates = (scheme.angle_rate, scheme.angle_acceleration) if angular else (
                scheme.slide_rate, scheme.slide_acceleration)
            names[0][start[0] + k] = f"{letter}{end}"
            for order, rate in enumerate(rates, start=1):
                names[order][start[1] + k] = f"{rate}{end}" if rate else f"{letter}{_DOTS[order]}{end}"
    return names


def dotted(name: str, order: int) -> str:
    """The name of a coordinate's rate, which SymPy itself prints with dots.

    >>> dotted("theta_1", 1), dotted("x", 2)
    ('thetadot_1', 'xddot')
    """
    head, rest = re.fullmatch(r"(.*?)([\d_].*|)", name, re.DOTALL).groups()  # type: ignore[union-attr]
    return f"{head}{_DOTS[order]}{rest}"


def _symbol(key: str, value: object) -> sympy.Symbol:
    found = expression(key, value)
    if not isinstance(found, sympy.Symbol):
        raise ValueError(f"'{key}' is to be {found}: expected the name of a symbol")
    return found


# Names of the constants of a robot, all of them or those that a user names.


def constant_names(
    robot: RobotModel,
    scheme: Scheme,
    known: Mapping[str, Constant],
    parameters: Choice,
    table: LetterTable | None,
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


Letters = str | Mapping[str, "str | sympy.Expr"]
"""The name of a source, or a mapping from coordinates ("joint1.q"), speeds (".qd"), accelerations (".qdd") and
constants ("link1.mass") to names."""

_SOURCES = ", ".join(map(repr, SCHEMES))


@dataclass(frozen=True, eq=False)
class Names:
    """What stands for the motion and the constants of a robot."""

    q: tuple[sympy.Symbol, ...]
    qd: tuple[sympy.Symbol, ...]
    qdd: tuple[sympy.Symbol, ...]
    expressions: Mapping[str, sympy.Expr]
    """By the key of the constant; those that are missing stay numbers."""
    values: Mapping[sympy.Symbol, float]
    """The robot's numbers for the symbols in the expressions."""
    scheme: Scheme = DEFAULT
    notes: tuple[str, ...] = ()
    """What a reader should know about the choice of letters."""
    coordinate_names: tuple[str, ...] = ()
    dof_names: tuple[str, ...] = ()
    keys: Mapping[sympy.Symbol, tuple[str, ...]] = field(default_factory=dict)
    """The constants that a symbol stands for."""


def names_of(
    robot: RobotModel, parameters: Choice | None = None, letters: Letters | None = None, *, shapes: bool = True
) -> Names:
    """The names for the equations of a robot.

    >>> from loadpath.robot import catalog
    >>> found = names_of(catalog.lau_arm(), letters="lau")
    >>> found.q, found.qd, found.qdd
    ((theta1, theta2, d2), (w1, w2, u2), (alpha1, alpha2, a2))
    >>> found.expressions["rod.center_of_mass.x"], found.values[sympy.Symbol("L")]
    (L/2, 1.0)
    """
    scheme, own = _read(robot, letters)
    if robot.loops and scheme.force == "lambda":  # which are the forces of the loops
        scheme = replace(scheme, force=DEFAULT.force, heads={})
    if parameters is None:
        parameters = "numbers" if letters is None else "symbols"
    table, notes = table_of(robot, scheme)
    motion = motion_names(robot, scheme, {**(table.letters if table else {}), **own})
    known = constants(robot, scheme)
    given, values = constant_names(robot, scheme, known, parameters, table, shapes=shapes)
    if not isinstance(parameters, Mapping):
        given, values = _apart(given, values, motion)
    expressions = _with_own(given, {key: expression(key, text) for key, text in own.items() if key in known})
    _check_motion(expressions, motion)
    values = solved(expressions, known, values)
    if own:
        _check_values(expressions, known, values)
    used: dict[sympy.Symbol, list[str]] = {}
    for key, found in expressions.items():
        for symbol in found.free_symbols:
            used.setdefault(symbol, []).append(key)
    q, qd, qdd = (tuple(symbols) for symbols in motion)
    return Names(
        q,
        qd,
        qdd,
        expressions=expressions,
        values=values,
        scheme=scheme,
        notes=notes,
        coordinate_names=robot.coordinate_names,
        dof_names=robot.dof_names,
        keys={symbol: tuple(keys) for symbol, keys in used.items()},
    )


def _read(robot: RobotModel, letters: Letters | None) -> tuple[Scheme, dict[str, str | sympy.Expr]]:
    """The rule of a source, and what a user names."""
    if letters is None:
        return DEFAULT, {}
    if isinstance(letters, str):
        if letters not in SCHEMES:
            close = difflib.get_close_matches(letters, SCHEMES, n=1)
            hint = f"did you mean '{close[0]}'?" if close else "a mapping names them one by one"
            raise ValueError(f"letters is {letters!r}: there are {_SOURCES}; {hint}")
        return SCHEMES[letters], {}
    if not isinstance(letters, Mapping):
        raise ValueError(f"letters is a {type(letters).__name__}: expected one of {_SOURCES}, or a "
                         "mapping like {'joint1.q': 'theta1', 'link1.mass': 'm'}")
    known = set(constants(robot)) | set(motion_keys(robot))
    for key in letters:
        if key not in known:
            close = difflib.get_close_matches(str(key), known, n=1)
            there = ", ".join(motion_keys(robot)[:3])
            hint = f"; did you mean '{close[0]}'?" if close else f"; coordinates are {there}"
            raise ValueError(f"robot '{robot.name}' has no constant or coordinate '{key}'{hint}")
    return DEFAULT, dict(letters)


def _apart(
    given: Mapping[str, sympy.Expr], values: Mapping[sympy.Symbol, float], motion: Motion
) -> tuple[dict[str, sympy.Expr], dict[sympy.Symbol, float]]:
    """The expressions of a rule with symbols that are no coordinate or rate: b3 becomes b3_0."""
    taken = {symbol for part in motion for symbol in part}
    used = {symbol for found in given.values() for symbol in found.free_symbols}
    other = {symbol: sympy.Symbol(f"{symbol}_0") for symbol in used & taken}
    return (
        {key: found.xreplace(other) for key, found in given.items()},
        {other.get(symbol, symbol): value for symbol, value in values.items()},
    )


def _with_own(given: Mapping[str, sympy.Expr], own: Mapping[str, sympy.Expr]) -> dict[str, sympy.Expr]:
    """The expressions with a user's own: where a constant gets another name, other expressions get it too."""
    renamed: dict[sympy.Expr, sympy.Expr] = {}
    for key, found in own.items():
        before = given.get(key)
        if isinstance(before, sympy.Symbol):
            renamed.setdefault(before, found)
    return {key: found.xreplace(renamed) for key, found in given.items()} | dict(own)


def _check_motion(expressions: Mapping[str, sympy.Expr], motion: Motion) -> None:
    taken = {str(symbol) for part in motion for symbol in part}
    for key, found in expressions.items():
        clash = sorted(taken & {str(symbol) for symbol in found.free_symbols})
        if clash:
            raise ValueError(f"'{key}' is to be {found}, but {clash[0]} is the robot's motion: take another name")


def _check_values(
    expressions: Mapping[str, sympy.Expr], known: Mapping[str, Constant], values: Mapping[sympy.Symbol, float]
) -> None:
    """Letters that a user gives must not say of the robot what is not so."""
    for key, found in expressions.items():
        if found.free_symbols <= set(values):
            number, value = float(found.subs(values)), known[key].value
            if abs(number - value) > 1e-9 * max(abs(value), abs(number)):
                others = _others(key, found, expressions)
                raise ValueError(f"'{key}' is {value:g} and cannot be {found}, which is {number:g} by {others}: take "
                                 "another name")


def _others(key: str, found: sympy.Expr, expressions: Mapping[str, sympy.Expr]) -> str:
    names = [f"'{other}'" for other, text in expressions.items()
             if other != key and text.free_symbols & found.free_symbols]
    return ", ".join(names[:3]) or "the others"
