"""Names of the coordinates of a robot, of its speeds and its accelerations."""

from __future__ import annotations

import re
from collections.abc import Mapping

import sympy

from loadpath.equations.letters.expressions import expression
from loadpath.equations.letters.schemes import Scheme
from loadpath.equations.parameters import link_numbers
from loadpath.robot.model import RobotModel

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
