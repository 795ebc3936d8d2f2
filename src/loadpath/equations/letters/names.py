"""The names in the equations of a robot: a symbol for each coordinate, speed and acceleration, an expression for each
constant that is to be one, and the numbers of all symbols.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import sympy

from loadpath.equations.letters.constant_names import constant_names
from loadpath.equations.letters.expressions import expression, solved
from loadpath.equations.letters.motion_names import Motion, motion_keys, motion_names
from loadpath.equations.letters.schemes import DEFAULT, SCHEMES, Scheme
from loadpath.equations.letters.table_fit import table_of
from loadpath.equations.parameters import Choice, Constant, constants
from loadpath.robot.model import RobotModel

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
