"""Energies of a robot in symbols, and the Lagrangian with its derivatives."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction

import sympy

from loadpath.algorithms.energy import link_kinetic_energies, link_potential_energies, rotor_energies
from loadpath.cached import cached_property
from loadpath.equations.polynomial import Polynomial, Ring, Terms
from loadpath.equations.symbolic import Symbolic, Table
from loadpath.scalars import Scalar

# Derivatives of polynomials by the symbols in them, through sines and cosines.


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


class Energies(Symbolic):
    """Kinetic and potential energy, of the links and in all."""

    @cached_property
    def kinetic_energies(self) -> Table[sympy.Expr]:
        """Kinetic energy of every link, by name; rotors are not in it.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().equations(parameters="symbols").kinetic_energies["link1"]
        l1**2*m1*qd1**2/2
        """
        return self._by_link(lambda: self._kinetic, self._halved)

    @cached_property
    def potential_energies(self) -> Table[sympy.Expr]:
        """Potential energy of every link that can move, by name; zero for mass at the world's origin.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().equations(parameters="symbols").potential_energies["link1"]
        -g*l1*m1*cos(q1)
        """
        return self._by_link(lambda: self._potential, self._expression)

    @cached_property
    def rotor_energy(self) -> sympy.Expr:
        """Kinetic energy of the rotors of the drives, through their reflected inertia."""
        return self._halved(_sum(self._rotors))

    @cached_property
    def kinetic_energy(self) -> sympy.Expr:
        """K(q, qd) of all links and rotors.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().equations(parameters="symbols").kinetic_energy
        l1**2*qd1**2*(m1 + m2)/2 + l1*l2*m2*qd1*(qd1 + qd2)*cos(q2) + l2**2*m2*(qd1 + qd2)**2/2
        """
        return self._halved(_sum([*self._kinetic, *self._rotors]))

    @cached_property
    def potential_energy(self) -> sympy.Expr:
        """P(q) of all links that can move; zero for mass at the world's origin.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().equations(parameters="symbols").potential_energy
        -g*(l1*(m1 + m2)*cos(q1) + l2*m2*cos(q1 + q2))
        """
        return self._expression(_sum(self._potential))

    @cached_property
    def lagrangian(self) -> sympy.Expr:
        """L = K - P."""
        return self.kinetic_energy - self.potential_energy

    @cached_property
    def dL_dqd(self) -> sympy.Matrix:
        """The generalized momenta, derivatives of L by the speeds, (n, 1): the mass matrix times qd.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().equations(parameters="symbols").dL_dqd[1]
        l2*m2*(l1*qd1*cos(q2) + l2*(qd1 + qd2))
        """
        energy = _sum([*self._kinetic, *self._rotors])
        return sympy.Matrix([self._expression(derivative(energy, symbol)) for symbol in self.qd])

    @property
    def momenta(self) -> sympy.Matrix:
        """The generalized momenta: `dL_dqd`."""
        return self.dL_dqd

    @cached_property
    def dL_dq(self) -> sympy.Matrix:
        """Derivatives of L by the coordinates, (n, 1).

        >>> import loadpath as lp
        >>> lp.catalog.two_link().equations(parameters="symbols").dL_dq[1]
        -l2*m2*(g*sin(q1 + q2) + l1*qd1*(qd1 + qd2)*sin(q2))
        """
        if not self._derivation.speeds_are_rates:
            raise ValueError(f"robot '{self.robot_name}' has joints whose speeds are not rates of coordinates, "
                             "like those of quaternions: Lagrange's equations in L are not its equations of motion, "
                             "and derivatives of L by coordinates are not given")
        total = _sum([*self._kinetic, *(-1 * part for part in self._potential)])
        return sympy.Matrix([self._expression(derivative(total, symbol)) for symbol in self.q])

    def _halved(self, energy: Scalar) -> sympy.Expr:
        """An energy of motion, with the half of every term outside."""
        return self._expression(2 * energy) / 2

    @cached_property
    def _kinetic(self) -> list[Scalar]:
        made = self._derivation
        return link_kinetic_energies(made.mechanism, made.q, made.qd)

    @cached_property
    def _potential(self) -> list[Scalar]:
        return link_potential_energies(self._derivation.mechanism, self._derivation.q)

    @cached_property
    def _rotors(self) -> list[Scalar]:
        return rotor_energies(self._derivation.mechanism, self._derivation.qd)

    def _by_link(self, parts: Callable[[], list[Scalar]], written: Callable[[Scalar], sympy.Expr]) -> Table[sympy.Expr]:
        """Parts of the bodies as expressions, by link; the base has none."""
        bodies = [body.name for body in self._derivation.mechanism.bodies]
        return Table("link", bodies, lambda link: written(parts()[bodies.index(link)]))


def _sum(parts: Iterable[Scalar]) -> Scalar:
    total: Scalar = 0.0
    for part in parts:
        total = total + part
    return total
