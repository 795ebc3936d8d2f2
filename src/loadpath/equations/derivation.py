"""From a robot to its equations: a formulation is run once on polynomials, and what comes out is sorted by what it
is multiplied with.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import sympy

from loadpath.equations.letters.names import Letters, Names, names_of
from loadpath.equations.parameters import Choice
from loadpath.equations.polynomial import Ring, fractions
from loadpath.equations.result import Equations, EquationTerms, Key, Parts
from loadpath.equations.simplify import Simplifier
from loadpath.equations.symbolic_mechanism import coordinates, parallel_angles, symbolic
from loadpath.robot.mechanism import Mechanism
from loadpath.robot.model import RobotModel
from loadpath.scalars import Array, Scalar, array

if TYPE_CHECKING:
    from loadpath.engine.quantity import On

DEFAULT = "newton-euler"


@dataclass(frozen=True, eq=False)
class Derivation:
    """A robot on its way to equations: its symbols, its mechanism over them, and its torques in terms."""

    robot: RobotModel
    formulation: str
    ring: Ring
    names: Names
    mechanism: Mechanism
    q_symbols: list[sympy.Symbol]
    q: Array
    qd_symbols: list[sympy.Symbol]
    qdd_symbols: list[sympy.Symbol]
    terms: EquationTerms

    def parts(self) -> dict[str, Any]:
        """The fields of `Equations`; asked for when all polynomials of the ring are made."""
        angles = [[self.q_symbols[k] for k in group] for group in parallel_angles(self.robot)]
        return {
            "robot_name": self.robot.name,
            "formulation": self.formulation,
            "q": tuple(self.q_symbols),
            "qd": tuple(self.qd_symbols),
            "qdd": tuple(self.qdd_symbols),
            "parameters": dict(self.names.values),
            "names": self.names,
            "_terms": self.terms,
            "_simplifier": Simplifier(self.ring, angles, self.q_symbols, symbolic=bool(self.names.expressions)),
        }


def equations(
    robot: RobotModel,
    formulations: Mapping[str, On],
    formulation: str = DEFAULT,
    parameters: Choice | None = None,
    letters: Letters | None = None,
    *,
    shapes: bool = True,
) -> Equations:
    """The equations of motion of a robot, by one of the given formulations of its inverse dynamics."""
    names = names_of(robot, parameters, letters, shapes=shapes)
    return Equations(**derived(robot, formulations, formulation, names).parts())


def derived(robot: RobotModel, formulations: Mapping[str, On], formulation: str, names: Names) -> Derivation:
    """The torques of a robot in symbols."""
    if not isinstance(formulation, str) or formulation not in formulations:
        raise ValueError(f"there is no formulation {formulation!r}; there are {', '.join(formulations)}")
    if not robot.n:
        raise ValueError(f"robot '{robot.name}' has no moving joints, so there are no equations of motion")
    ring = Ring()
    q_symbols, q = list(names.q), coordinates(robot, ring, names.q)
    speeds = [list(names.qd), list(names.qdd)]
    qd, qdd = (array([ring.symbol(symbol) for symbol in symbols]) for symbols in speeds)
    mechanism = symbolic(robot, ring, names.expressions)
    hidden = _run(formulations[formulation].formulation, formulation, robot, mechanism, q, qd, qdd)
    tau = [ring.show(torque) for torque in hidden]
    qd_numbers, qdd_numbers = ([ring.generator(symbol) for symbol in symbols] for symbols in speeds)
    terms = _sorted(ring, tau, qd_numbers, qdd_numbers)
    return Derivation(robot, formulation, ring, names, mechanism, q_symbols, q, speeds[0], speeds[1], terms)


def _run(
    inverse_dynamics: Callable[..., Array], name: str, robot: RobotModel, mechanism: Mechanism, *state: Array
) -> Array:
    try:
        return inverse_dynamics(mechanism, *state)
    except ValueError as problem:
        raise ValueError(f"no equations of robot '{robot.name}' by '{name}': {problem}") from problem


def _sorted(ring: Ring, tau: list[Scalar], speeds: list[int], accelerations: list[int]) -> EquationTerms:
    """The terms of the torques by what they are multiplied with."""
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
