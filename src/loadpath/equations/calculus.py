"""Derivatives of polynomials by the symbols in them, through sines and cosines."""

from __future__ import annotations

from fractions import Fraction

import sympy

from loadpath.equations.polynomial import Polynomial, Ring, Terms
from loadpath.scalars import Scalar


def derivative(polynomial: Scalar, symbol: sympy.Symbol) -> Scalar:
    """The derivative by a symbol that stands by itself or in angles.

    >>> ring, q = Ring(), sympy.Symbol("q")
    >>> x = ring.symbol(q)
    >>> print(derivative(x * x * x.sin(), q))
    q**2*cos(q) + 2*q*sin(q)
    """
    if not isinstance(polynomial, Polynomial):
        return 0.0
    ring = polynomial.ring
    total: Scalar = 0.0
    for generator, slope in _slopes(ring, symbol).items():
        total = total + _partial(polynomial, generator) * slope
    return total


def _slopes(ring: Ring, symbol: sympy.Symbol) -> dict[int, Scalar]:
    """The derivative of every generator that depends on a symbol."""
    slopes: dict[int, Scalar] = {ring.generator(symbol): 1.0}
    for cosine, sine in ring.cosines.items():
        rate = sympy.diff(ring.symbols[cosine].args[0], symbol)
        if rate != 0:
            factor = Fraction(int(rate.p), int(rate.q))
            slopes[cosine] = Polynomial(ring, {ring.power(sine): -1}) * factor
            slopes[sine] = Polynomial(ring, {ring.power(cosine): 1}) * factor
    return slopes


def _partial(polynomial: Polynomial, generator: int) -> Scalar:
    ring, terms = polynomial.ring, Terms()
    one = ring.power(generator)
    for monomial, coefficient in polynomial.terms.items():
        exponent = ring.exponents(monomial & ring.field([generator])).get(generator, 0)
        if exponent:
            terms[monomial - one] = exponent * coefficient
    return Polynomial(ring, terms, polynomial.denominator) if terms else 0.0
