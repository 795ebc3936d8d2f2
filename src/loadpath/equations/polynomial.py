"""The scalar that derives equations: a polynomial in symbols, sines and cosines with exact rational coefficients.

Every result is in normal form as soon as it is made (s^2 is replaced by 1 - c^2), so what cancels is gone at once, and
two equations are equal where their terms are. This is what makes symbolic equations of a six-joint arm a matter of
seconds, where expression trees would have to be expanded and compared again and again.

A monomial is one whole number, eight bits an exponent: monomials are multiplied by adding numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction

import sympy

from loadpath.scalars import Scalar

Terms = dict[int, int]
"""Integer coefficients by monomial."""

_BITS = 8
_FIELD = (1 << _BITS) - 1
_LARGEST_SIMPLE = 720
"""Denominators up to this are recognised in a float; 0.08333333333333333 is 1/12."""


def exact_fraction(x: float) -> Fraction:
    """The rational number that a float stands for: a simple fraction if it is one to the last digit, else its decimals.

    >>> exact_fraction(1 / 12), exact_fraction(0.4318)
    (Fraction(1, 12), Fraction(2159, 5000))
    """
    simple = Fraction(x).limit_denominator(_LARGEST_SIMPLE)
    return simple if float(simple) == x else Fraction(repr(float(x)))


class Ring:
    """The symbols that polynomials are made of, and the relations between them."""

    def __init__(self) -> None:
        self.symbols: list[sympy.Expr] = []
        """The SymPy expression of every generator."""
        self.relations: dict[int, Terms] = {}
        """By the bit that shows that a generator is squared: what its square is."""
        self.mask = 0
        self.cosines: dict[int, int] = {}
        """Generator of the sine, by that of the cosine of the same angle."""
        self._numbers: dict[sympy.Expr, int] = {}
        self._angles: dict[tuple[tuple[int, Fraction], ...], tuple[Polynomial, Polynomial]] = {}
        self.hidden: dict[int, Polynomial] = {}
        """Sums replaced by a generator of their own, until `show`."""
        self.inexact = False
        """Whether entries of rotations had to be rounded: then terms that should cancel may leave 1e-16."""
        self.reciprocals: dict[sympy.Symbol, sympy.Expr] = {}
        """What was divided by, as 1/sum, by the symbol of the generator that stands for it."""
        self._divides_by_sums = False

    # Generators

    def generator(self, symbol: sympy.Expr) -> int:
        """The number of the generator for a SymPy symbol (or function), made when first asked for."""
        if symbol not in self._numbers:
            self._numbers[symbol] = len(self.symbols)
            self.symbols.append(symbol)
        return self._numbers[symbol]

    def power(self, generator: int, exponent: int = 1) -> int:
        """The monomial of a generator."""
        return exponent << (_BITS * generator)

    def field(self, generators: list[int]) -> int:
        """The bits of the exponents of some generators."""
        return sum(_FIELD << (_BITS * generator) for generator in generators)

    def exponents(self, monomial: int) -> dict[int, int]:
        """The exponents of a monomial by generator."""
        found, generator = {}, 0
        while monomial:
            if monomial & _FIELD:
                found[generator] = monomial & _FIELD
            monomial >>= _BITS
            generator += 1
        return found

    def symbol(self, symbol: sympy.Expr) -> Polynomial:
        """The polynomial of a SymPy symbol."""
        return Polynomial(self, {self.power(self.generator(symbol)): 1})

    def constant(self, value: Fraction | int) -> Polynomial:
        """The polynomial of a number."""
        fraction = Fraction(value)
        return Polynomial(self, {0: fraction.numerator} if fraction else {}, fraction.denominator)

    def relate(self, generator: int, square: Terms) -> None:
        """Let the square of a generator be something else."""
        bit = 2 << (_BITS * generator)
        self.relations[bit] = square
        self.mask |= bit

    def unit_quaternion(self, symbols: list[sympy.Symbol]) -> list[Polynomial]:
        """Four symbols x, y, z, w whose squares add up to one."""
        x, y, z, w = (self.generator(symbol) for symbol in symbols)
        self.relate(w, {0: 1, self.power(x, 2): -1, self.power(y, 2): -1, self.power(z, 2): -1})
        return [self.symbol(symbol) for symbol in symbols]

    # Sums that stay together while equations are derived

    def hide(self, sum_of_terms: Scalar) -> Scalar:
        """A generator in place of a sum of constants: a formulation then carries one term where there are many."""
        if not isinstance(sum_of_terms, Polynomial) or len(sum_of_terms.terms) == 1:
            return sum_of_terms
        symbol = sympy.Dummy()
        self.hidden[self.generator(symbol)] = sum_of_terms
        return self.symbol(symbol)

    def show(self, polynomial: Scalar) -> Scalar:
        """The polynomial with the hidden sums in it.

        >>> ring = Ring()
        >>> x = ring.hide(ring.from_sympy(sympy.sympify("a + b")))
        >>> print(x * x, ring.show(x * x))                                              # doctest: +ELLIPSIS
        _Dummy_...**2 a**2 + 2*a*b + b**2
        """
        if not isinstance(polynomial, Polynomial):
            return polynomial
        field = self.field(list(self.hidden))
        parts: dict[int, Terms] = {}
        for monomial, coefficient in polynomial.terms.items():
            inside = monomial & field
            parts.setdefault(inside, {})[monomial - inside] = coefficient
        total: Scalar = 0.0
        for inside, terms in parts.items():
            part: Scalar = Polynomial(self, terms, polynomial.denominator)
            for generator, exponent in self.exponents(inside).items():
                for _ in range(exponent):
                    part = part * self.hidden[generator]
            total = total + part
        return total

    # Divisions that leave a remainder

    @contextmanager
    def with_reciprocals(self) -> Iterator[None]:
        """Meanwhile a division by a sum gives a generator of its own, which stands in `reciprocals`. Nothing cancels
        against it: for a few last steps, not for whole formulations.

        >>> ring = Ring()
        >>> with ring.with_reciprocals():
        ...     found = 1.0 / ring.from_sympy(sympy.sympify("a**2 + 1"))
        >>> found.expression().xreplace(ring.reciprocals)
        1/(a**2 + 1)
        """
        before, self._divides_by_sums = self._divides_by_sums, True
        try:
            yield
        finally:
            self._divides_by_sums = before

    def reciprocal(self, divisor: Polynomial) -> Polynomial | None:
        """1/divisor, or None where that is no part of the polynomials."""
        if not self._divides_by_sums or not divisor.terms:
            return None
        shown = self.show(divisor)
        below = shown.expression() if isinstance(shown, Polynomial) else sympy.sympify(shown)
        found = 1 / sympy.factor_terms(below.xreplace(self.reciprocals))
        symbol = next((known for known, other in self.reciprocals.items() if other == found), None)
        if symbol is None:
            symbol = sympy.Dummy("r")
            self.reciprocals[symbol] = found
        return self.symbol(symbol)

    # Numbers

    def root(self, of: int) -> Polynomial:
        """The square root of a small number."""
        symbol = sympy.sqrt(of)
        known = symbol in self._numbers
        generator = self.generator(symbol)
        if not known:
            self.relate(generator, {0: of})
        return self.symbol(symbol)

    def direction(self, x: float) -> Scalar:
        """An entry of a rotation or of a unit vector, exact where it belongs to a multiple of 30 or 45 degrees; 0 and
        +-1 stay plain numbers.

        >>> print(Ring().direction(math.cos(math.pi / 6)))
        sqrt(3)/2
        """
        for plain in (0.0, 1.0, -1.0):
            if abs(x - plain) < 1e-15:
                return plain
        for square, of, divisor in ((0.25, 1, 2), (0.5, 2, 2), (0.75, 3, 2), (1 / 3, 3, 3)):
            if abs(abs(x) - math.sqrt(square)) < 4e-16:
                size = self.constant(Fraction(1, divisor))
                size = size if of == 1 else size * self.root(of)
                return size if x > 0 else -size
        fraction = exact_fraction(x)
        if fraction.denominator > 10**6:
            self.inexact = True
        return self.constant(fraction)

    # Functions

    def cosine_and_sine(self, angle: Polynomial) -> tuple[Scalar, Scalar]:
        """Of a sum of symbols and a number."""
        linear: list[tuple[int, Fraction]] = []
        offset = 0.0
        for monomial, coefficient in angle.terms.items():
            value = Fraction(coefficient, angle.denominator)
            exponents = self.exponents(monomial)
            if not exponents:
                offset = float(value)
            elif list(exponents.values()) == [1]:
                linear.append((next(iter(exponents)), value))
            else:
                raise ValueError(f"sine of {angle}: the angle is not a sum of symbols and a number")
        linear.sort()
        if not linear:
            return self.direction(math.cos(offset)), self.direction(math.sin(offset))
        sign = 1 if linear[0][1] > 0 else -1
        c, s = self._angle(tuple((generator, sign * value) for generator, value in linear))
        s = s if sign > 0 else -s
        if not offset:
            return c, s
        c0, s0 = self.direction(math.cos(offset)), self.direction(math.sin(offset))
        return c * c0 - s * s0, s * c0 + c * s0

    def _angle(self, key: tuple[tuple[int, Fraction], ...]) -> tuple[Polynomial, Polynomial]:
        if key not in self._angles:
            expression = sympy.Add(*(sympy.Rational(v.numerator, v.denominator) * self.symbols[g] for g, v in key))
            c, s = self.generator(sympy.cos(expression)), self.generator(sympy.sin(expression))
            self.relate(s, {0: 1, self.power(c, 2): -1})
            self.cosines[c] = s
            self._angles[key] = Polynomial(self, {self.power(c): 1}), Polynomial(self, {self.power(s): 1})
        return self._angles[key]

    # To SymPy

    def monomial_expression(self, monomial: int) -> sympy.Expr:
        """A monomial as a SymPy expression."""
        return sympy.Mul(*(self.symbols[g] ** e for g, e in self.exponents(monomial).items()))

    def reduced(self, monomial: int, coefficient: int, into: Terms) -> None:
        """Add a term to a sum, with squares replaced by what they are."""
        squared = monomial & self.mask
        if not squared:
            into[monomial] = into.get(monomial, 0) + coefficient
            return
        bit = squared & -squared
        others = monomial - bit
        for other, factor in self.relations[bit].items():
            self.reduced(others + other, coefficient * factor, into)

    def from_sympy(self, expression: sympy.Expr) -> Polynomial:
        """The polynomial of a SymPy expression in symbols, their sines and cosines, and square roots of numbers.

        >>> print(Ring().from_sympy(sympy.sympify("l1/2 + m*l1**2")))
        l1**2*m + l1/2
        >>> print(Ring().from_sympy(sympy.sympify("cos(a)**2 + sin(a)**2 + sqrt(2)*sqrt(2)*x")))
        2*x + 1
        """
        own = self._functions(expression)
        if own:
            stand_ins = {function: sympy.Dummy() for function in own}
            total: Scalar = self.constant(0)
            plain = expression.xreplace(stand_ins)
            dummies = [stand_ins[function] for function in own]
            if not plain.is_polynomial(*dummies):
                raise ValueError(f"{expression} is not a polynomial in its symbols")
            for exponents, coefficient in sympy.Poly(plain, *dummies).terms():
                part: Scalar = self.from_sympy(coefficient)
                for function, exponent in zip(own, exponents, strict=True):
                    for _ in range(int(exponent)):
                        part = part * own[function]
                total = total + part
            return total if isinstance(total, Polynomial) else self.constant(Fraction(total))
        symbols = sorted(expression.free_symbols, key=str)
        if not symbols:
            return self.constant(_as_fraction(expression))
        if not expression.is_polynomial(*symbols):
            raise ValueError(f"{expression} is not a polynomial in its symbols")
        total = self.constant(0)
        for exponents, coefficient in sympy.Poly(expression, *symbols).terms():
            monomial = sum(self.power(self.generator(s), int(e)) for s, e in zip(symbols, exponents, strict=True))
            fraction = _as_fraction(coefficient)
            total = total + Polynomial(self, {monomial: fraction.numerator}, fraction.denominator)
        result: Polynomial = total
        return result

    def _functions(self, expression: sympy.Expr) -> dict[sympy.Expr, Scalar]:
        """Sines and cosines of symbols and square roots of numbers in an expression, and the scalars for them."""
        found: dict[sympy.Expr, Scalar] = {}
        for function in expression.atoms(sympy.cos, sympy.sin):
            if isinstance(function.args[0], sympy.Symbol):
                angle = self.symbol(function.args[0])
                found[function] = angle.cos() if isinstance(function, sympy.cos) else angle.sin()
        for power in expression.atoms(sympy.Pow):
            if power.base.is_Integer and power.exp == sympy.Rational(1, 2):
                found[power] = self.root(int(power.base))
        return found


def _as_fraction(number: sympy.Expr) -> Fraction:
    if not number.is_number or not number.is_real:
        raise ValueError(f"{number} is not a real number")
    if number.is_Rational:
        return Fraction(int(number.p), int(number.q))
    return exact_fraction(float(number))


class Polynomial:
    """A sum of monomials: integer coefficients over one denominator. Sums that vanish are a plain 0.0.

    >>> ring = Ring()
    >>> q = ring.symbol(sympy.Symbol("q"))
    >>> print((q.cos() + 2.0) * q.cos() + q.sin() * q.sin())
    2*cos(q) + 1
    """

    __slots__ = ("denominator", "ring", "terms")

    def __init__(self, ring: Ring, terms: Terms, denominator: int = 1) -> None:
        self.ring = ring
        self.terms = terms
        self.denominator = denominator

    def _read(self, other: Scalar) -> Polynomial | None:
        if isinstance(other, Polynomial):
            return other
        if isinstance(other, (int, Fraction)):
            return self.ring.constant(other)
        if isinstance(other, float):
            number = self.ring.direction(other) if abs(other) < 1 else exact_fraction(other)
            return number if isinstance(number, Polynomial) else self.ring.constant(Fraction(number))
        return None

    def _made(self, terms: Terms, denominator: int) -> Scalar:
        terms = {monomial: coefficient for monomial, coefficient in terms.items() if coefficient}
        if not terms:
            return 0.0
        if denominator != 1:
            common = math.gcd(denominator, *terms.values())
            if common != 1:
                terms = {monomial: coefficient // common for monomial, coefficient in terms.items()}
                denominator //= common
        return Polynomial(self.ring, terms, denominator)

    def _sum(self, other: Scalar, sign: int) -> Scalar:
        if isinstance(other, (int, float)) and other == 0:
            return self
        y = self._read(other)
        if y is None:
            return NotImplemented
        if self.denominator == y.denominator:
            mine, theirs, denominator = 1, sign, self.denominator
        else:
            denominator = math.lcm(self.denominator, y.denominator)
            mine, theirs = denominator // self.denominator, sign * (denominator // y.denominator)
        terms = dict(self.terms) if mine == 1 else {m: c * mine for m, c in self.terms.items()}
        get = terms.get
        for monomial, coefficient in y.terms.items():
            terms[monomial] = get(monomial, 0) + theirs * coefficient
        return self._made(terms, denominator)

    def __add__(self, other: Scalar) -> Scalar:
        return self._sum(other, 1)

    __radd__ = __add__

    def __sub__(self, other: Scalar) -> Scalar:
        return self._sum(other, -1)

    def __rsub__(self, other: Scalar) -> Scalar:
        return (-self) + other

    def __neg__(self) -> Polynomial:
        return Polynomial(self.ring, {m: -c for m, c in self.terms.items()}, self.denominator)

    def __pos__(self) -> Polynomial:
        return self

    def __mul__(self, other: Scalar) -> Scalar:
        if isinstance(other, (int, float)):
            if other == 0:
                return 0.0
            if other in (1, -1):
                return self if other == 1 else -self
        y = self._read(other)
        if y is None:
            return NotImplemented
        terms: Terms = {}
        get = terms.get
        few, many = (self.terms, y.terms) if len(self.terms) < len(y.terms) else (y.terms, self.terms)
        inner = list(many.items())
        for a, x in few.items():
            for b, z in inner:
                monomial = a + b
                terms[monomial] = get(monomial, 0) + x * z
        mask, reduced = self.ring.mask, self.ring.reduced
        for monomial in [m for m in terms if m & mask]:
            reduced(monomial, terms.pop(monomial), terms)
        return self._made(terms, self.denominator * y.denominator)

    __rmul__ = __mul__

    def __truediv__(self, other: Scalar) -> Scalar:
        y = self._read(other)
        if y is None:
            return NotImplemented
        if len(y.terms) != 1:
            if (reciprocal := self.ring.reciprocal(y)) is not None:
                return self * reciprocal
            raise ValueError(f"a polynomial cannot be divided by the sum {y}")
        ((divisor, factor),) = y.terms.items()
        wanted = self.ring.exponents(divisor)
        for monomial in self.terms:
            has = self.ring.exponents(monomial)
            if any(has.get(generator, 0) < exponent for generator, exponent in wanted.items()):
                if (reciprocal := self.ring.reciprocal(y)) is not None:
                    return self * reciprocal
                raise ValueError(f"{self} cannot be divided by {y} without a remainder")
        sign = 1 if factor > 0 else -1
        terms = {m - divisor: sign * c * y.denominator for m, c in self.terms.items()}
        return self._made(terms, self.denominator * abs(factor))

    def __rtruediv__(self, other: Scalar) -> Scalar:
        x = self._read(other)
        return NotImplemented if x is None else x / self

    def __bool__(self) -> bool:
        return bool(self.terms)

    def sin(self) -> Scalar:
        return self.ring.cosine_and_sine(self)[1]

    def cos(self) -> Scalar:
        return self.ring.cosine_and_sine(self)[0]

    def sign(self) -> Polynomial:
        return self.ring.symbol(sympy.sign(self.expression()))

    def sqrt(self) -> Scalar:
        raise ValueError(f"the square root of {self} is not a polynomial")

    def expression(self) -> sympy.Expr:
        """The SymPy expression, expanded."""
        number = _rational(self.denominator)
        return sympy.Add(*(number(c) * self.ring.monomial_expression(m) for m, c in self.terms.items()))

    def __str__(self) -> str:
        return str(self.expression())


def _rational(denominator: int) -> Callable[[int], sympy.Rational]:
    return lambda numerator: sympy.Rational(numerator, denominator)


def fractions(polynomial: Scalar) -> Mapping[int, Fraction]:
    """The coefficients of a polynomial by monomial; of a plain number too.

    >>> fractions(0.5)
    {0: Fraction(1, 2)}
    """
    if not isinstance(polynomial, Polynomial):
        value = exact_fraction(float(polynomial))
        return {0: value} if value else {}
    return {m: Fraction(c, polynomial.denominator) for m, c in polynomial.terms.items()}
