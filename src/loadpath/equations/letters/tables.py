"""What a source calls the parts of a robot of its own, where that is not what the rule of its letters gives.

A table is for one structure of links and joints. It is used for a robot only if that is its structure, if the table has
a letter for every constant that is not zero, and if the robot's numbers agree with what the letters say of each other
(a rod's mass center lies at L/2). Otherwise the next table is tried, and after the last one the rule holds.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import sympy

from loadpath.equations.letters.schemes import Scheme
from loadpath.equations.parameters import Constant, constants, link_numbers
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Link
from loadpath.scalars import IDENTITY, AxisTurn, rotation_from_matrix


@dataclass(frozen=True)
class LetterTable:
    """The letters of one robot."""

    robot: str
    """What it is, for messages."""
    joints: tuple[tuple[str, str, str, tuple[bool, ...]], ...]
    """Name, parent and child of each joint, and whether its speeds are angular."""
    letters: Mapping[str, str]
    """Symbol or expression of each coordinate, speed, acceleration and constant."""
    checks: Mapping[str, str] = field(default_factory=dict)
    """What else must hold: the value of a constant in the letters of others."""


def _drives(*numbered: tuple[str, str]) -> dict[str, str]:
    parts = (("viscous_friction", "b"), ("coulomb_friction", "f"), ("reflected_inertia", "J"))
    return {f"{joint}.{part}": f"{letter}{number}" for joint, number in numbered for part, letter in parts}


def _tensor(link: str, number: str) -> dict[str, str]:
    return {f"{link}.inertia.{entry}": f"I{number}{entry}" for entry in ("xx", "xy", "xz", "yy", "yz", "zz")}


_TURN, _SLIDE = (True,), (False,)
_LAU_JOINTS = (
    ("theta1", "base", "turntable", _TURN),
    ("theta2", "turntable", "carriage", _TURN),
    ("d2", "carriage", "rod", _SLIDE),
)
_LAU: dict[str, str] = {
    "theta1.q": "theta1", "theta1.qd": "w1", "theta1.qdd": "alpha1",
    "theta2.q": "theta2", "theta2.qd": "w2", "theta2.qdd": "alpha2",
    "d2.q": "d2", "d2.qd": "u2", "d2.qdd": "a2",
    "theta1.origin.z": "d0", "theta2.origin.y": "d1",
    "turntable.mass": "M1", "rod.mass": "M2", "gravity": "g",
    **_tensor("turntable", "1"), **_tensor("rod", "2"),
    **_drives(("theta1", "1"), ("theta2", "2"), ("d2", "3")),
}
_LAU_IN_TWO = (_LAU_JOINTS[0], ("joint2", "turntable", "rod", (True, False)))
"""The same arm in two links, the second of which turns and slides on one joint."""
_TWO_NAMES = {"theta2.origin.": "joint2.origin.", "theta2.": "joint2.ry.", "d2.": "joint2.x."}


def _in_two(letters: Mapping[str, str]) -> dict[str, str]:
    """The letters of the arm for the keys that it has in two links."""

    def key_of(key: str) -> str:
        name, _, drive = key.partition(".")
        if drive in ("viscous_friction", "coulomb_friction", "reflected_inertia") and name != "theta1":
            return f"joint2.{drive}.{'ry' if name == 'theta2' else 'x'}"
        start = next((start for start in _TWO_NAMES if key.startswith(start)), "")
        return _TWO_NAMES[start] + key.removeprefix(start) if start else key

    return {key_of(key): text for key, text in letters.items()}


_ANY_ROD = {f"{link}.center_of_mass.{axis}": f"p{number}{axis}" for axis in "xyz"
            for link, number in (("turntable", "1"), ("rod", "2"))}
_SLENDER = {"rod.inertia.yy": "M2*L**2/12", "rod.inertia.zz": "M2*L**2/12"}

TABLES: dict[str, tuple[LetterTable, ...]] = {
    "lau": (
        # Chapter 3: the rod is link 2, which turns and slides; its length L is that of the corrected example.
        LetterTable("the arm of chapter 3", _LAU_JOINTS, {**_LAU, "rod.center_of_mass.x": "L/2"}, checks=_SLENDER),
        LetterTable("the arm of chapter 3 with any rod", _LAU_JOINTS, {**_LAU, **_ANY_ROD}),
        LetterTable("the arm of chapter 3 in two links", _LAU_IN_TWO, _in_two({**_LAU, "rod.center_of_mass.x": "L/2"}),
              checks=_SLENDER),
        LetterTable("the arm of chapter 3 in two links with any rod", _LAU_IN_TWO, _in_two({**_LAU, **_ANY_ROD})),
    ),
}
"""By the name of the source."""


# Expressions for constants, as users and tables write them, and the numbers that follow for their symbols.


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


# Which table of a source fits a robot, if one does.


_SAME = 1e-12


def table_of(robot: RobotModel, scheme: Scheme) -> tuple[LetterTable | None, tuple[str, ...]]:
    """The table of a source for this robot, if there is one and it fits; otherwise why it does not."""
    notes: list[str] = []
    for table in TABLES.get(scheme.name, ()):
        if not _has_structure(robot, table):
            continue
        why = _misfit(robot, table, scheme)
        if why is None:
            return table, tuple(notes)
        notes.append(f"not in the letters of {table.robot}: {why}")
    return None, tuple(notes)


def from_table(table: LetterTable, known: Mapping[str, Constant]) -> dict[str, sympy.Expr]:
    """The expressions for the constants that are not zero: of a table, by the rule for what hangs on that robot."""
    return {
        key: expression(key, table.letters[key]) if key in table.letters else sympy.Symbol(constant.name)
        for key, constant in known.items()
        if constant.value
    }


def _has_structure(robot: RobotModel, table: LetterTable) -> bool:
    """Whether a robot is that of a table; more links may be fixed to it, like a payload or a frame at its tip."""
    joints = [(joint.name, joint.parent, joint.child, joint.motion.angular) for joint in robot.joints]
    own = [joint for joint in joints if joint in table.joints]
    return tuple(own) == table.joints and not any(joint[3] for joint in joints if joint not in table.joints)


def _misfit(robot: RobotModel, table: LetterTable, scheme: Scheme) -> str | None:
    known = constants(robot, scheme)
    names = {joint.name for joint in robot.joints} | set(robot.link_names)
    own = {part for name, _, child, _ in table.joints for part in (name, child)}
    for key, constant in known.items():
        fixed_to_it = any(key.startswith(f"{name}.") for name in names - own)
        if constant.value and key not in table.letters and not fixed_to_it:
            return f"'{key}' is {constant.value:.6g}, which has no letter there"
    given = from_table(table, known)
    values = solved(given, known, {})
    checked = {key: expression(key, text) for key, text in table.checks.items()}
    for key, found in {**given, **checked}.items():
        value = known[key].value
        if found.free_symbols - set(values):
            return f"'{key}' is {found}, which is not known"
        number = float(found.subs(values))
        if abs(number - value) > _SAME * max(abs(value), abs(number)):
            return f"'{key}' is {value:.6g}, but {found} is {number:.6g}"
    return None


# Links that are rods, discs or bars: their mass centers and moments in their masses and lengths, not in letters of
# their own.
#
# A link has such a shape only if every entry of its tensor fits it to 1e-12, and if its length (of a disc: its
# radius) is one that the robot has anyway: the distance of a joint on it, or twice the distance of its mass center.
# So m l^2/12 stands where the numbers say so, and nowhere else.
#
# | shape, along an axis | moment about the axis | moments across it |
# |---|---|---|
# | slender rod, length l | 0 | m l^2/12 |
# | disc, radius r | m r^2/2 | m r^2/4 |
# | bar, length l, edges w, t | m (w^2 + t^2)/12 | m (l^2 + t^2)/12, m (l^2 + w^2)/12 |
# | bar, square or round | its own letter I | m l^2/12 + I/2 |
#
# The mass center of a rod or bar that lies half its length from the origin is at l/2.


_AXES = "xyz"


@dataclass
class Shaped:
    """Expressions by key of the constant, and the values of symbols that no constant has."""

    expressions: dict[str, sympy.Expr] = field(default_factory=dict)
    values: dict[sympy.Symbol, float] = field(default_factory=dict)


def shapes(robot: RobotModel, known: Mapping[str, Constant], scheme: Scheme) -> Shaped:
    """What is known of links by their shape.

    >>> from loadpath.equations.letters.schemes import DEFAULT
    >>> from loadpath.equations.parameters import constants
    >>> from loadpath.robot import catalog
    >>> arm = catalog.two_link(distributed=True)
    >>> found = shapes(arm, constants(arm), DEFAULT).expressions
    >>> found["link1.center_of_mass.x"], found["link1.inertia.zz"]
    (l1/2, l1**2*m1/12)
    """
    result = Shaped()
    number = link_numbers(robot)
    for link in robot.links[1:]:
        if link.inertia.mass > 0:
            _Body(robot, known, scheme, number[link.name], link, result).read()
    return result


class _Body:
    """One link, while its shape is looked for."""

    def __init__(
        self,
        robot: RobotModel,
        known: Mapping[str, Constant],
        scheme: Scheme,
        number: int,
        link: Link,
        into: Shaped,
    ) -> None:
        self.robot, self.known, self.scheme, self.number, self.link, self.into = (
            robot, known, scheme, number, link, into
        )
        tensor = link.inertia.tensor
        self.moments = [tensor[k][k] for k in range(3)]
        self.mass = sympy.Symbol(known[f"{link.name}.mass"].name)
        largest = max(abs(x) for x in self.moments)
        self.diagonal = largest > 0 and all(
            abs(tensor[i][j]) <= _SAME * largest for i in range(3) for j in range(3) if i != j
        )

    def read(self) -> None:
        if self.diagonal:
            any(self._rod(k) or self._disc(k) or self._bar(k) for k in range(3))

    # Shapes along axis k

    def _rod(self, k: int) -> bool:
        a, b = self._across(k)
        if not (self._zero(self.moments[k]) and _same(self.moments[a], self.moments[b])):
            return False
        length = self._length(k, 12 * self.moments[a] / self.link.inertia.mass)
        if length is None:
            return False
        self._put(a, self.mass * length**2 / 12)
        self._put(b, self.mass * length**2 / 12)
        return True

    def _disc(self, k: int) -> bool:
        a, b = self._across(k)
        if not (_same(self.moments[a], self.moments[b]) and _same(self.moments[k], 2 * self.moments[a])):
            return False
        square = 2 * self.moments[k] / self.link.inertia.mass
        radius = next((symbol for axis, value, symbol in self._distances() if axis != k and _same(value**2, square)),
                      None)
        if radius is None:
            return False
        self._put(k, self.mass * radius**2 / 2)
        self._put(a, self.mass * radius**2 / 4)
        self._put(b, self.mass * radius**2 / 4)
        return True

    def _bar(self, k: int) -> bool:
        a, b = self._across(k)
        mass = self.link.inertia.mass
        squares = [6 * (sum(self.moments) - 2 * self.moments[axis]) / mass for axis in range(3)]  # of the edges
        if min(squares) <= 0 or self._zero(self.moments[k]):
            return False
        length = self._length(k, squares[k])
        if length is None:
            return False
        if _same(self.moments[a], self.moments[b]):  # square or round: that is not known
            own = sympy.Symbol(self.known[f"{self.link.name}.inertia.{_AXES[k] * 2}"].name)
            self._put(a, self.mass * length**2 / 12 + own / 2)
            self._put(b, self.mass * length**2 / 12 + own / 2)
            return True
        edges = {}
        for axis, letter in zip((a, b), self.scheme.edges, strict=True):
            edges[axis] = sympy.Symbol(f"{letter}{self.number}")
            self.into.values[edges[axis]] = math.sqrt(squares[axis])
        self._put(k, self.mass * (edges[a] ** 2 + edges[b] ** 2) / 12)
        self._put(a, self.mass * (length**2 + edges[b] ** 2) / 12)
        self._put(b, self.mass * (length**2 + edges[a] ** 2) / 12)
        return True

    # What they are made of

    def _length(self, k: int, square: float) -> sympy.Expr | None:
        """The symbol of a length along an axis whose square is given; the mass center is put in the middle of it."""
        center = self.link.inertia.center_of_mass[k]
        key = f"{self.link.name}.center_of_mass.{_AXES[k]}"
        middle = _same((2 * center) ** 2, square)
        for axis, value, symbol in self._distances():
            if axis == k and _same(value**2, square):
                if middle:
                    self.into.expressions[key] = symbol / 2 if value * center > 0 else -symbol / 2
                return symbol
        if not middle:
            return None
        symbol = sympy.Symbol(f"{self.scheme.length}{self.number}")
        if any(constant.name == str(symbol) for constant in self.known.values() if constant.value):
            return None
        self.into.values[symbol] = 2 * abs(center)
        self.into.expressions[key] = symbol / 2 if center > 0 else -symbol / 2
        return symbol

    def _distances(self) -> Iterator[tuple[int, float, sympy.Symbol]]:
        """Axis, value and symbol of the distances of joints on the link, from the origin of its frame."""
        link = self.link.name
        keys = [f"{joint.name}.origin" for joint in self.robot.joints if joint.parent == link]
        for loop in self.robot.loops:
            keys += [f"{loop.name}.{end}" for end, carrier in (("at", loop.first), ("on", loop.second))
                     if carrier == link]
        for key in keys:
            for k, axis in enumerate(_AXES):
                constant = self.known[f"{key}.{axis}"]
                if constant.value:
                    yield k, constant.value, sympy.Symbol(constant.name)
        for joint in self.robot.joints:  # from the frame back to its own joint: minus a, d of a DH table
            if joint.child == link:
                turn = rotation_from_matrix(joint.link_offset.rotation)
                for k, axis in enumerate(_AXES):
                    constant = self.known[f"{joint.name}.link_offset.{axis}"]
                    kept = turn.axis == k if isinstance(turn, AxisTurn) else turn is IDENTITY
                    if constant.value and kept:
                        yield k, constant.value, sympy.Symbol(constant.name)

    def _put(self, k: int, expression: sympy.Expr) -> None:
        self.into.expressions[f"{self.link.name}.inertia.{_AXES[k] * 2}"] = expression

    def _zero(self, moment: float) -> bool:
        return abs(moment) <= _SAME * max(self.moments)

    @staticmethod
    def _across(k: int) -> tuple[int, int]:
        a, b = sorted({0, 1, 2} - {k})
        return a, b


def _same(a: float, b: float) -> bool:
    return a > 0 and b > 0 and abs(a - b) <= _SAME * max(a, b)
