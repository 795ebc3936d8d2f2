"""What all equations of a robot have in common: its symbols, and how polynomials become expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
import sympy

from loadpath.equations.derivation import Derivation
from loadpath.equations.polynomial import fractions
from loadpath.robot.numbers import known
from loadpath.scalars import Array, Scalar

# Sums of coefficients times products of speeds and accelerations, written short.
#
# A sum arrives as one coefficient for each product. Terms that several coefficients have in common are taken together,
# l2*m2*qd1**2 + 2*l2*m2*qd1*qd2 + l2*m2*qd2**2 = l2*m2*(qd1 + qd2)**2, and so are those with the same motion; symbols
# that are factors of everything stand in front.


Motion = tuple[tuple[int, sympy.Expr], ...]
"""A sum of products of speeds and accelerations: each with its number."""


def gathered(coefficients: Mapping[int, sympy.Expr], written: Callable[[int], sympy.Expr]) -> sympy.Expr:
    """The sum of coefficients, by the monomial of speeds and accelerations that they are multiplied with; `written`
    gives the expression of a monomial.

    >>> a, b, u, v = sympy.symbols("a b u v")
    >>> gathered({1: a + b, 2: 2 * b, 3: b}, {1: u**2, 2: u * v, 3: v**2}.__getitem__)
    a*u**2 + b*(u + v)**2
    """
    shared: dict[sympy.Expr, dict[int, sympy.Expr]] = {}
    for motion, coefficient in coefficients.items():
        for term in sympy.Add.make_args(coefficient):
            number, rest = term.as_coeff_Mul()
            if number != 0:
                shared.setdefault(rest, {})[motion] = number
    groups: dict[Motion, list[sympy.Expr]] = {}
    for rest, numbers in shared.items():
        for factor, products in _motions(numbers):
            groups.setdefault(products, []).append(factor * rest)
    return summed([summed(terms) * _speeds(products, written) for products, terms in groups.items()])


def _motions(numbers: Mapping[int, sympy.Expr]) -> Iterable[tuple[sympy.Expr, Motion]]:
    """A sum of products with numbers, as one sum with a factor; one by one where the numbers have nothing in common."""
    first = next(iter(numbers.values()))
    if all(number.is_Rational for number in numbers.values()):
        content = abs(sympy.gcd_list(list(numbers.values()))) * sympy.sign(first)
        yield content, tuple((motion, number / content) for motion, number in numbers.items())
        return
    ratios = {motion: float(number) / float(first) for motion, number in numbers.items()}
    if all(ratio in (-2, -1, 1, 2) for ratio in ratios.values()):
        yield first, tuple((motion, sympy.Integer(int(ratio))) for motion, ratio in ratios.items())
        return
    for motion, number in numbers.items():
        yield number, ((motion, sympy.Integer(1)),)


def _speeds(motion: Motion, written: Callable[[int], sympy.Expr]) -> sympy.Expr:
    total = sympy.Add(*(number * written(monomial) for monomial, number in motion))
    return sympy.factor(total) if len(motion) > 1 else total


def summed(terms: Sequence[sympy.Expr]) -> sympy.Expr:
    """The sum of some terms, with the symbols that are factors of all of them taken out.

    >>> a, b, x, y = sympy.symbols("a b x y")
    >>> summed([-a * b * x, -2 * a * y])
    -a*(b*x + 2*y)
    """
    if len(terms) < 2:
        return sympy.Add(*terms)
    powers = [{base: int(power) for base, power in term.as_powers_dict().items()
               if base.is_Symbol and power.is_Integer and power > 0} for term in terms]
    common = sympy.Mul(*(base ** min(each[base] for each in powers) for base in powers[0]
                         if all(base in each for each in powers)))
    if common == 1:
        return sympy.Add(*terms)
    if all(term.could_extract_minus_sign() for term in terms):
        common = -common
    return common * sympy.Add(*(term / common for term in terms))


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
