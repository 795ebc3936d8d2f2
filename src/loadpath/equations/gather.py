"""Sums of coefficients times products of speeds and accelerations, written short.

A sum arrives as one coefficient for each product. Terms that several coefficients have in common are taken together,
l2*m2*qd1**2 + 2*l2*m2*qd1*qd2 + l2*m2*qd2**2 = l2*m2*(qd1 + qd2)**2, and so are those with the same motion; symbols
that are factors of everything stand in front.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import sympy

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
