"""The names in the equations of a robot: a symbol for each coordinate, speed and acceleration, an expression for each
constant that is to be one, and the numbers of all symbols.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import sympy

from loadpath.equations.letters.schemes import DEFAULT, SCHEMES, Scheme
from loadpath.equations.letters.shapes import shapes as shapes_of
from loadpath.equations.letters.tables import TABLES, Table
from loadpath.equations.parameters import Choice, Constant, constants
from loadpath.robot.model import RobotModel
from loadpath.robot.pose import Pose
from loadpath.scalars import IDENTITY, AxisTurn, rotation_from_matrix

Letters = str | Mapping[str, "str | sympy.Expr"]
"""The name of a source, or a mapping from coordinates ("joint1.q"), speeds (".qd"), accelerations (".qdd") and
constants ("link1.mass") to names."""

_SAME = 1e-12
_MOTION = ("q", "qd", "qdd")
_DOTS = ("", "dot", "ddot")


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
    if parameters is None:
        parameters = "numbers" if letters is None else "symbols"
    table, notes = _table(robot, scheme)
    motion = _motion(robot, scheme, {**(table.letters if table else {}), **own})
    known = constants(robot, scheme)
    given, values = _constants(robot, scheme, known, parameters, table, shapes=shapes)
    if parameters != "numbers":
        for key, text in own.items():
            if key in known:
                given[key] = expression(key, text)
    expressions, values = _apart(given, values, motion, renamed=not isinstance(parameters, Mapping))
    _check_motion(expressions, motion)
    values = _solved(expressions, known, values)
    if own:
        _check_values(expressions, known, values)
    used: dict[sympy.Symbol, list[str]] = {}
    for key, found in expressions.items():
        for symbol in found.free_symbols:
            used.setdefault(symbol, []).append(key)
    return Names(
        *(tuple(symbols) for symbols in motion),
        expressions=expressions,
        values=values,
        scheme=scheme,
        notes=notes,
        coordinate_names=robot.coordinate_names,
        dof_names=robot.dof_names,
        keys={symbol: tuple(keys) for symbol, keys in used.items()},
    )


# What is asked for


def _read(robot: RobotModel, letters: Letters | None) -> tuple[Scheme, dict[str, str | sympy.Expr]]:
    """The rule of a source, and what a user names."""
    if letters is None:
        return DEFAULT, {}
    if isinstance(letters, str):
        if letters not in SCHEMES:
            close = difflib.get_close_matches(letters, SCHEMES, n=1)
            hint = f"did you mean '{close[0]}'?" if close else "a mapping like {'joint1.q': 'theta1'} names them one by one"
            raise ValueError(f"letters is {letters!r}: there are {', '.join(map(repr, SCHEMES))}; {hint}")
        return SCHEMES[letters], {}
    if not isinstance(letters, Mapping):
        raise ValueError(f"letters is a {type(letters).__name__}: expected one of {', '.join(map(repr, SCHEMES))}, or a "
                         "mapping like {'joint1.q': 'theta1', 'link1.mass': 'm'}")  # fmt: skip
    known = set(constants(robot)) | set(_motion_keys(robot))
    for key in letters:
        if key not in known:
            close = difflib.get_close_matches(str(key), known, n=1)
            hint = f"; did you mean '{close[0]}'?" if close else f"; coordinates are {', '.join(_motion_keys(robot)[:3])}"
            raise ValueError(f"robot '{robot.name}' has no constant or coordinate '{key}'{hint}")
    return DEFAULT, dict(letters)


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


# Coordinates, speeds, accelerations

Motion = tuple[list[sympy.Symbol], list[sympy.Symbol], list[sympy.Symbol]]


def _motion_keys(robot: RobotModel) -> list[str]:
    return [f"{name}.q" for name in robot.coordinate_names] + [
        f"{name}.{part}" for part in _MOTION[1:] for name in robot.dof_names
    ]


def _motion(robot: RobotModel, scheme: Scheme, own: Mapping[str, str | sympy.Expr]) -> Motion:
    by_rule = _motion_by_rule(robot, scheme)
    symbols: Motion = ([], [], [])
    for order, (part, places) in enumerate(
        zip(_MOTION, (robot.coordinate_names, robot.dof_names, robot.dof_names), strict=True)
    ):
        for k, place in enumerate(places):
            key = f"{place}.{part}"
            given = own.get(key)
            if given is None and order and robot.coordinate_names == robot.dof_names and f"{place}.q" in own:
                given = dotted(str(symbols[0][k]), order)
            made = sympy.Symbol(by_rule[order][k]) if given is None else _symbol(key, given)
            symbols[order].append(made)
    taken: dict[sympy.Symbol, str] = {}
    keys = _motion_keys(robot)
    for key, symbol in zip(keys, [s for part in symbols for s in part], strict=True):
        if symbol in taken:
            raise ValueError(f"'{taken[symbol]}' and '{key}' are both to be {symbol}: take another name")
        taken[symbol] = key
    return symbols


def _motion_by_rule(robot: RobotModel, scheme: Scheme) -> tuple[list[str], list[str], list[str]]:
    names = [f"q{k + 1}" for k in range(robot.nq)], [f"qd{k + 1}" for k in range(robot.n)], [
        f"qdd{k + 1}" for k in range(robot.n)
    ]
    if not scheme.numbered_by_link:
        return names
    number = {name: k for k, name in enumerate(robot.link_names)}
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
                scheme.slide_rate, scheme.slide_acceleration)  # fmt: skip
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


# Constants


def _constants(
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
                             "like 'link1.mass' to symbols")  # fmt: skip
        if parameters == "numbers":
            return {}, {}
        if table is not None:
            return _from_table(table, known), {}
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
    number = {name: k for k, name in enumerate(robot.link_names)}
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
            size = max(abs(center[k]), max(map(abs, pose.translation)))
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
         for k, axis in enumerate("xyz")]  # fmt: skip
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


# Tables of the sources' own robots


def _table(robot: RobotModel, scheme: Scheme) -> tuple[Table | None, tuple[str, ...]]:
    """The table of a source for this robot, if there is one and it fits; otherwise why it does not."""
    notes: list[str] = []
    for table in TABLES.get(scheme.name, ()):
        if tuple((joint.name, joint.parent, joint.child) for joint in robot.joints) != table.joints:
            continue
        why = _misfit(robot, table)
        if why is None:
            return table, tuple(notes)
        notes.append(f"not in the letters of {table.robot}: {why}")
    return None, tuple(notes)


def _from_table(table: Table, known: Mapping[str, Constant]) -> dict[str, sympy.Expr]:
    return {key: expression(key, table.letters[key]) for key, constant in known.items() if constant.value}


def _misfit(robot: RobotModel, table: Table) -> str | None:
    known = constants(robot)
    for key, constant in known.items():
        if constant.value and key not in table.letters:
            return f"'{key}' is {constant.value:.6g}, which has no letter there"
    given = _from_table(table, known)
    values = _solved(given, known, {})
    checked = {key: expression(key, text) for key, text in table.checks.items()}
    for key, found in {**given, **checked}.items():
        value = known[key].value
        if found.free_symbols - set(values):
            return f"'{key}' is {found}, which is not known"
        number = float(found.subs(values))
        if abs(number - value) > _SAME * max(abs(value), abs(number)):
            return f"'{key}' is {value:.6g}, but {found} is {number:.6g}"
    return None


# Symbols and their numbers


def _apart(
    given: Mapping[str, sympy.Expr], values: Mapping[sympy.Symbol, float], motion: Motion, *, renamed: bool
) -> tuple[dict[str, sympy.Expr], dict[sympy.Symbol, float]]:
    """The expressions with symbols that are no coordinate or rate: those of a rule get a 0, b3 becomes b3_0."""
    taken = {symbol for part in motion for symbol in part}
    if not renamed:
        return dict(given), dict(values)
    used = {symbol for found in given.values() for symbol in found.free_symbols}
    other = {symbol: sympy.Symbol(f"{symbol}_0") for symbol in used & taken}
    return (
        {key: found.xreplace(other) for key, found in given.items()},
        {other.get(symbol, symbol): value for symbol, value in values.items()},
    )


def _check_motion(expressions: Mapping[str, sympy.Expr], motion: Motion) -> None:
    taken = {str(symbol) for part in motion for symbol in part}
    for key, found in expressions.items():
        clash = sorted(taken & {str(symbol) for symbol in found.free_symbols})
        if clash:
            raise ValueError(f"'{key}' is to be {found}, but {clash[0]} is the robot's motion: take another name")


def _solved(
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
                                 "another name")  # fmt: skip


def _others(key: str, found: sympy.Expr, expressions: Mapping[str, sympy.Expr]) -> str:
    others: Iterable[str] = (
        f"'{other}'" for other, text in expressions.items() if other != key and text.free_symbols & found.free_symbols
    )
    names: Sequence[str] = list(others)
    return ", ".join(names[:3]) or "the others"
