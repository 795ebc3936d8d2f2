"""The terms of forces by what they are multiplied with: an acceleration, two speeds, one, or none."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import sympy

from loadpath.equations.polynomial import Ring, fractions
from loadpath.scalars import Scalar

Key = tuple[int, ...]
"""Which torque, and which accelerations or speeds a term is multiplied with."""
Parts = dict[Key, dict[int, Fraction]]


@dataclass(frozen=True)
class EquationTerms:
    """The torques, term by term: M_ij, the coefficient of qd_j qd_k (j <= k) in torque i, gravity i, friction i."""

    mass: Parts = field(default_factory=dict)
    products: Parts = field(default_factory=dict)
    gravity: Parts = field(default_factory=dict)
    friction: Parts = field(default_factory=dict)


def sorted_terms(ring: Ring, tau: list[Scalar], speeds: list[int], accelerations: list[int]) -> EquationTerms:
    """The terms of the torques by what they are multiplied with; `speeds`, `accelerations` are the generators."""
    of_speeds, of_accelerations = ring.field(speeds), ring.field(accelerations)
    of_signs = ring.field([g for g, symbol in enumerate(ring.symbols) if isinstance(symbol, sympy.sign)])
    made = EquationTerms()
    for i, torque in enumerate(tau):
        for monomial, coefficient in fractions(torque).items():
            moving = monomial & (of_speeds | of_accelerations)
            if monomial & of_signs:
                _put(made.friction, (i,), monomial, coefficient)
                continue
            exponents = ring.exponents(moving)
            factors = [g for g, e in exponents.items() for _ in range(e)]
            factor = monomial - moving
            if not factors:
                _put(made.gravity, (i,), factor, coefficient)
            elif len(factors) == 1 and factors[0] in accelerations:
                _put(made.mass, (i, accelerations.index(factors[0])), factor, coefficient)
            elif len(factors) == 1:
                _put(made.friction, (i,), monomial, coefficient)
            else:
                j, k = sorted(speeds.index(g) for g in factors)
                _put(made.products, (i, j, k), factor, coefficient)
    return made


def _put(where: Parts, key: Key, monomial: int, coefficient: Fraction) -> None:
    where.setdefault(key, {})[monomial] = coefficient
