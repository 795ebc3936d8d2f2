"""What all equations of a robot have in common: its symbols, and how polynomials become expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
import sympy

from loadpath.equations.derivation import Derivation
from loadpath.equations.gather import gathered
from loadpath.equations.polynomial import fractions
from loadpath.robot.names import known
from loadpath.scalars import Array, Scalar

V = TypeVar("V")

MOST_TERMS_WITH_RECIPROCALS = 5000
"""Terms with divisions that are simplified, which takes some ten seconds: nothing in them cancels."""


@dataclass(frozen=True, eq=False)
class Symbolic:
    """A robot in symbols."""

    robot_name: str
    formulation: str
    q: tuple[sympy.Symbol, ...]
    """Symbols of the coordinates."""
    qd: tuple[sympy.Symbol, ...]
    """Symbols of the speeds."""
    qdd: tuple[sympy.Symbol, ...]
    """Symbols of the accelerations."""
    parameters: Mapping[sympy.Symbol, float]
    """The robot's numbers for the symbols of its constants, to substitute."""
    _derivation: Derivation = field(repr=False)

    def _coefficient(self, terms: Mapping[int, Fraction]) -> sympy.Expr:
        """Terms without speeds and accelerations, simplified."""
        return self._derivation.simplifier.simplified(terms) if terms else sympy.Integer(0)

    def _expression(self, polynomial: Scalar) -> sympy.Expr:
        """A polynomial, simplified."""
        parts = self._derivation.by_motion(polynomial)
        return self._gathered({motion: self._coefficient(terms) for motion, terms in parts.items()})

    def _gathered(self, coefficients: Mapping[int, sympy.Expr]) -> sympy.Expr:
        """The sum of coefficients by the monomials of speeds and accelerations that they are multiplied with."""
        return gathered(coefficients, self._derivation.ring.monomial_expression)

    def _matrix(self, polynomials: Array) -> sympy.Matrix:
        """A vector, as a column, or a matrix, simplified entry by entry."""
        rows, columns = polynomials.shape if polynomials.ndim == 2 else (len(polynomials), 1)
        return sympy.Matrix(rows, columns, [self._expression(entry) for entry in polynomials.flat])

    def _of(self, equation: Callable[..., Any], *arguments: object) -> sympy.Expr | sympy.Matrix | sympy.NDimArray:
        """What an equation of the library gives on the robot's symbols: an expression, a matrix (of a vector a
        column), or an array with more indices.
        """
        made = self._derivation
        with made.ring.with_reciprocals():  # of a joint whose freedoms are not at right angles, as a turn and a slide
            polynomials = np.asarray(made.run(equation, made.mechanism, *arguments), dtype=object)
        reciprocals = made.ring.reciprocals
        terms = sum(len(fractions(made.ring.show(entry))) for entry in polynomials.flat) if reciprocals else 0
        if terms > MOST_TERMS_WITH_RECIPROCALS:
            raise ValueError(
                f"{terms} terms with divisions, since robot '{self.robot_name}' has a joint whose freedoms are not at "
                "right angles: too many to simplify; robot.books has the numbers"
            )
        if polynomials.ndim == 0:
            return _divided(self._expression(polynomials[()]), reciprocals)
        if polynomials.ndim <= 2:
            return self._matrix(polynomials).applyfunc(lambda entry: _divided(entry, reciprocals))
        entries = [_divided(self._expression(entry), reciprocals) for entry in polynomials.flat]
        return sympy.ImmutableDenseNDimArray(entries, polynomials.shape)


def _divided(entry: sympy.Expr, reciprocals: Mapping[sympy.Symbol, sympy.Expr]) -> sympy.Expr:
    """An entry with the divisions in place of their symbols, sums of them over one denominator."""
    if reciprocals.keys().isdisjoint(entry.free_symbols):
        return entry

    def is_sum(part: sympy.Basic) -> bool:
        return isinstance(part, sympy.Add) and not part.has(sympy.sin, sympy.cos) and not part.is_polynomial()

    return entry.xreplace(reciprocals).replace(is_sum, sympy.cancel)


class Table(Mapping[str, V]):
    """Values by name, each made when first asked for."""

    def __init__(self, what: str, names: Sequence[str], make: Callable[[str], V]) -> None:
        self._what, self._names, self._make = what, tuple(names), make
        self._made: dict[str, V] = {}

    def __getitem__(self, name: str) -> V:
        if name not in self._made:
            self._made[name] = self._make(known(name, self._names, self._what))
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return repr(dict(self))
