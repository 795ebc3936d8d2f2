"""Making the terms of an equation few and readable: sums of parallel angles, squares, common factors.

Polynomials arrive in normal form, in sines and cosines of single joints. What is done here:

- products of functions of parallel joints become functions of sums, c1 c2 - s1 s2 = cos(q1 + q2), and back to products
  where that is shorter, 1 + cos(2 q) = 2 cos(q)^2;
- A - A c^2 becomes A s^2;
- terms with the same functions are put together, and factors that they share taken out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache

import sympy

from loadpath.equations.polynomial import Ring

_LARGEST_DENOMINATOR = 1000
"""Fractions up to this one are written as such among symbols; others as decimals."""

Function = tuple[str, tuple[int, ...]]
"""A cosine ("c") or sine ("s") of a sum of angles: how many times each angle of the group."""
Waves = tuple[tuple[int, Function], ...]
"""A product of such functions, each with the number of its group."""
Key = tuple[int, Waves]
"""A term: its monomial in everything else, and its functions of sums of angles."""


class Simplifier:
    """Simplifies polynomials of one ring; `groups` are lists of angle symbols about parallel axes."""

    def __init__(
        self, ring: Ring, groups: Sequence[Sequence[sympy.Symbol]], names: Sequence[sympy.Symbol], symbolic: bool
    ) -> None:
        self.ring = ring
        made = (_Group(ring, number, group) for number, group in enumerate(groups))
        self.groups = {group.number: group for group in made if len(group.angles) > 1}
        self.angular = ring.field([g for g, s in enumerate(ring.symbols) if _is_angular(s)])
        self.coordinates = {ring.generator(symbol) for symbol in names}
        self.reciprocals = {ring.generator(symbol) for symbol in ring.reciprocals}
        self.symbolic = symbolic
        self.expression = cache(self._expression)

    def simplified(self, terms: Mapping[int, Fraction]) -> sympy.Expr:
        """A SymPy expression of a polynomial's terms."""
        terms = self._without_rounding(terms)
        plain: dict[Key, Fraction] = {(m, ()): c for m, c in _squared_sines(self.ring, terms).items()}
        best = plain
        if self.groups:
            waves: dict[Key, Fraction] = {(m, ()): c for m, c in terms.items()}
            for group in self.groups.values():
                waves = group.as_products(group.as_sums(waves))
            other_terms: dict[Waves, dict[int, Fraction]] = {}
            for (m, functions), c in waves.items():
                other_terms.setdefault(functions, {})[m] = c
            waves = {
                (m, functions): c
                for functions, part in other_terms.items()
                for m, c in _squared_sines(self.ring, part).items()
            }
            if _cost(waves) <= _cost(plain):
                best = waves
        return self._gathered(best)

    def _without_rounding(self, terms: Mapping[int, Fraction]) -> Mapping[int, Fraction]:
        if not self.ring.inexact or not terms:
            return terms
        least = 1e-13 * max(abs(float(c)) for c in terms.values())
        return {m: c for m, c in terms.items() if abs(c) > least}

    def _gathered(self, terms: Mapping[Key, Fraction]) -> sympy.Expr:
        """Terms with the same functions together."""
        parts: dict[tuple[int, Waves], dict[int, Fraction]] = {}
        for (m, functions), c in terms.items():
            angular = m & self.angular
            parts.setdefault((angular, functions), {})[m - angular] = c
        written = []
        for (angular, functions), coefficients in parts.items():
            function = self.expression(angular) * sympy.Mul(*(self._wave(wave) for wave in functions))
            written.append(self._factored(coefficients) * function)
        return sympy.Add(*written)

    def _wave(self, wave: tuple[int, Function]) -> sympy.Expr:
        number, (name, multiples) = wave
        angle = sympy.Add(*(k * s for k, s in zip(multiples, self.groups[number].symbols, strict=True)))
        return sympy.cos(angle) if name == "c" else sympy.sin(angle)

    def _expression(self, monomial: int) -> sympy.Expr:
        return self.ring.monomial_expression(monomial)

    def _number(self, value: Fraction) -> sympy.Expr:
        simple = (
            value.denominator <= _LARGEST_DENOMINATOR
            if self.symbolic
            else 12 % value.denominator == 0 and abs(value) <= 12
        )
        if value.denominator == 1 or simple:
            return sympy.Rational(value.numerator, value.denominator)
        return sympy.Float(value.numerator / value.denominator)

    def _factored(self, coefficients: Mapping[int, Fraction]) -> sympy.Expr:
        """A polynomial in constants with what its terms share taken out, most shared first."""
        if len(coefficients) == 1:
            ((monomial, c),) = coefficients.items()
            return self._number(c) * self.expression(monomial)
        exact = self.symbolic and all(c.denominator <= _LARGEST_DENOMINATOR for c in coefficients.values())
        content = _content(coefficients.values()) if exact else Fraction(1)
        if content != 1:
            return self._number(content) * self._factored({m: c / content for m, c in coefficients.items()})
        exponents = {m: self.ring.exponents(m) for m in coefficients}
        shared: dict[tuple[int, int], int] = {}
        for powers in exponents.values():
            for generator, exponent in powers.items():
                for e in range(1, exponent + 1):
                    shared[generator, e] = shared.get((generator, e), 0) + 1
        worth = {key: (count - 1) * key[1] for key, count in shared.items() if count > 1}
        if not worth:
            return sympy.Add(*(self._number(c) * self.expression(m) for m, c in coefficients.items()))
        used = {generator for powers in exponents.values() for generator in powers}
        if len(coefficients) <= 6 and used & self.coordinates and not used & self.reciprocals:
            flat = sympy.Add(*(self._number(c) * self.expression(m) for m, c in coefficients.items()))
            factored = sympy.factor(flat)
            if isinstance(factored, (sympy.Mul, sympy.Pow)) and not factored.has(sympy.Float):
                return factored
        generator, e = max(worth, key=lambda key: (worth[key], shared[key], -key[0]))
        taken = self.ring.power(generator, e)
        inside = {m - taken: c for m, c in coefficients.items() if exponents[m].get(generator, 0) >= e}
        outside = {m: c for m, c in coefficients.items() if exponents[m].get(generator, 0) < e}
        result = self.expression(taken) * self._factored(inside)
        return result + self._factored(outside) if outside else result


def _is_angular(symbol: sympy.Expr) -> bool:
    return isinstance(symbol, (sympy.sin, sympy.cos))


def _content(coefficients: Iterable[Fraction]) -> Fraction:
    """What a sum's coefficients have in common, with the sign of all of them if it is one."""
    values = list(coefficients)
    size = Fraction(math.gcd(*(c.numerator for c in values)), math.lcm(*(c.denominator for c in values)))
    return -size if all(c < 0 for c in values) else size


def _cost(terms: Mapping[Key, Fraction]) -> int:
    return len(terms)


def _squared_sines(ring: Ring, terms: Mapping[int, Fraction]) -> dict[int, Fraction]:
    """A - A c^2 as A s^2, wherever both are there."""
    left = dict(terms)
    for cosine, sine in ring.cosines.items():
        c2, s2, field = ring.power(cosine, 2), ring.power(sine, 2), ring.field([cosine])
        for m in sorted(left, reverse=True):
            if m in left and (m & field) >= c2 and left.get(m - c2) == -left[m]:
                coefficient = left.pop(m)
                del left[m - c2]
                left[m - c2 + s2] = left.get(m - c2 + s2, Fraction(0)) - coefficient
    return {m: c for m, c in left.items() if c}


class _Group:
    """Angles about parallel axes."""

    def __init__(self, ring: Ring, number: int, symbols: Sequence[sympy.Symbol]) -> None:
        self.ring = ring
        self.number = number
        found = [(s, ring.generator(sympy.cos(s)), ring.generator(sympy.sin(s))) for s in symbols
                 if sympy.cos(s) in ring.symbols and sympy.sin(s) in ring.symbols]
        self.symbols = [s for s, _, _ in found]
        self.angles = [(c, s) for _, c, s in found]
        self.field = ring.field([g for pair in self.angles for g in pair])
        self._products: dict[int, list[tuple[Function, Fraction]]] = {}

    def as_sums(self, terms: Mapping[Key, Fraction]) -> dict[Key, Fraction]:
        """Products of the group's functions as functions of sums of its angles."""
        result: dict[Key, Fraction] = {}
        for (m, functions), c in terms.items():
            own = m & self.field
            if not own:
                result[m, functions] = result.get((m, functions), Fraction(0)) + c
                continue
            for function, factor in self._sums(own):
                waves = (*functions, (self.number, function)) if any(function[1]) else functions
                key = (m - own, waves)
                result[key] = result.get(key, Fraction(0)) + c * factor
        return {key: c for key, c in result.items() if c}

    def _sums(self, monomial: int) -> list[tuple[Function, Fraction]]:
        if monomial not in self._products:
            exponents = self.ring.exponents(monomial)
            waves: dict[Function, Fraction] = {("c", (0,) * len(self.angles)): Fraction(1)}
            for k, (cosine, sine) in enumerate(self.angles):
                for name, generator in (("c", cosine), ("s", sine)):
                    for _ in range(exponents.get(generator, 0)):
                        waves = _times(waves, name, k)
            self._products[monomial] = [(function, c) for function, c in waves.items() if c]
        return self._products[monomial]

    def as_products(self, terms: Mapping[Key, Fraction]) -> dict[Key, Fraction]:
        """Pairs of equal size as one product, where half the sum and half the difference of their angles exist."""
        by_others: dict[tuple[int, Waves, Fraction], list[tuple[Function, Fraction]]] = {}
        nothing: Function = ("c", (0,) * len(self.angles))
        for (m, functions), c in terms.items():
            mine = bool(functions) and functions[-1][0] == self.number
            others = functions[:-1] if mine else functions
            by_others.setdefault((m, others, abs(c)), []).append((functions[-1][1] if mine else nothing, c))
        result: dict[Key, Fraction] = {}
        for (m, others, _), waves in by_others.items():
            for product, c in _paired(waves):
                key = (m, (*others, *((self.number, function) for function in product)))
                result[key] = result.get(key, Fraction(0)) + c
        return {key: c for key, c in result.items() if c}


def _times(waves: Mapping[Function, Fraction], name: str, k: int) -> dict[Function, Fraction]:
    """A sum of functions of sums of angles, times the cosine or sine of angle k."""
    result: dict[Function, Fraction] = {}
    for (function, multiples), c in waves.items():
        for step in (1, -1):
            vector = tuple(x + step * (i == k) for i, x in enumerate(multiples))
            if name == "c":
                made, factor = function, 1
            elif function == "c":
                made, factor = "s", step  # cos a sin b = (sin(a + b) - sin(a - b)) / 2
            else:
                made, factor = "c", -step  # sin a sin b = (cos(a - b) - cos(a + b)) / 2
            made, vector, factor = _upright(made, vector, factor)
            if made == "s" and not any(vector):
                continue
            result[made, vector] = result.get((made, vector), Fraction(0)) + c * factor / 2
    return result


def _upright(name: str, vector: tuple[int, ...], factor: int) -> tuple[str, tuple[int, ...], int]:
    """The same function with its first multiple positive."""
    first = next((x for x in vector if x), 0)
    if first >= 0:
        return name, vector, factor
    return name, tuple(-x for x in vector), factor if name == "c" else -factor


def _paired(waves: list[tuple[Function, Fraction]]) -> list[tuple[tuple[Function, ...], Fraction]]:
    """Functions with coefficients of one size, with pairs of them as products."""
    result: list[tuple[tuple[Function, ...], Fraction]] = []
    left = list(waves)
    while left:
        (name, a), c = left.pop(0)
        partner = next((k for k, ((n, b), _) in enumerate(left) if n == name and _halves(a, b)), None)
        if partner is None:
            result.append(((((name, a),) if any(a) else ()), c))
            continue
        (_, b), d = left.pop(partner)
        half = tuple((x + y) // 2 for x, y in zip(a, b, strict=True))
        difference = tuple((x - y) // 2 for x, y in zip(a, b, strict=True))
        if name == "c":
            pair, factor = (("c", "c"), 2) if c == d else (("s", "s"), -2)
        else:
            pair, factor = (("s", "c"), 2) if c == d else (("c", "s"), 2)
        functions = []
        for function, vector in zip(pair, (half, difference), strict=True):
            made, upright, sign = _upright(function, vector, 1)
            factor *= sign
            if any(upright):
                functions.append((made, upright))
        result.append((tuple(sorted(functions)), c * factor))
    return result


def _halves(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    return all((x + y) % 2 == 0 for x, y in zip(a, b, strict=True))
