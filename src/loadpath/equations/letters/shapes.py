"""Links that are rods, discs or bars: their mass centers and moments in their masses and lengths, not in letters of
their own.

A link has such a shape only if every entry of its tensor fits it to 1e-12, and if its length (of a disc: its radius) is
one that the robot has anyway: the distance of a joint on it, or twice the distance of its mass center. So m l^2/12
stands where the numbers say so, and nowhere else.

| shape, along an axis | moment about the axis | moments across it |
|---|---|---|
| slender rod, length l | 0 | m l^2/12 |
| disc, radius r | m r^2/2 | m r^2/4 |
| bar, length l, edges w, t | m (w^2 + t^2)/12 | m (l^2 + t^2)/12, m (l^2 + w^2)/12 |
| bar, square or round | its own letter I | m l^2/12 + I/2 |

The mass center of a rod or bar that lies half its length from the origin is at l/2.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import sympy

from loadpath.equations.letters.schemes import Scheme
from loadpath.equations.parameters import Constant, link_numbers
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Link
from loadpath.scalars import IDENTITY, AxisTurn, rotation_from_matrix

_SAME = 1e-12
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
