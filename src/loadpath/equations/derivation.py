"""From a robot to its equations: a formulation is run on polynomials, and what comes out is sorted by what it is
multiplied with. Nothing is derived before it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import sympy

from loadpath.algorithms.state_space import coordinate_rate
from loadpath.cached import cached_property
from loadpath.equations.letters.names import Names
from loadpath.equations.polynomial import Ring, fractions
from loadpath.equations.simplify import Simplifier
from loadpath.equations.symbolic_mechanism import coordinates, parallel_angles, symbolic
from loadpath.robot.mechanism import Mechanism
from loadpath.robot.model import RobotModel
from loadpath.scalars import Array, Scalar, array, is_zero

if TYPE_CHECKING:
    from loadpath.engine.quantity import On


# The terms of forces by what they are multiplied with: an acceleration, two speeds, one, or none.


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


DEFAULT = "newton-euler"


@dataclass(frozen=True, eq=False)
class Derivation:
    """A robot on its way to equations: its symbols, its mechanism over them, and what a formulation makes of them."""

    robot: RobotModel
    formulation: str
    inverse_dynamics: Callable[..., Array]
    ring: Ring
    names: Names
    mechanism: Mechanism
    q_symbols: list[sympy.Symbol]
    q: Array
    qd_symbols: list[sympy.Symbol]
    qdd_symbols: list[sympy.Symbol]
    choices: Callable[[RobotModel], Derivation] | None = None
    """The same formulation, parameters and letters for another robot."""

    def of(self, robot: RobotModel) -> Derivation:
        """A robot that was made of this one, derived in the same way."""
        assert self.choices is not None
        return self.choices(robot)

    @cached_property
    def qd(self) -> Array:
        """The speeds as polynomials."""
        return array([self.ring.symbol(symbol) for symbol in self.qd_symbols])

    @cached_property
    def qdd(self) -> Array:
        """The accelerations as polynomials."""
        return array([self.ring.symbol(symbol) for symbol in self.qdd_symbols])

    @cached_property
    def speeds_are_rates(self) -> bool:
        """Whether every speed is the rate of a coordinate: not so for quaternions, for one."""
        if self.robot.nq != self.robot.n:
            return False
        return all(is_zero(x) for x in coordinate_rate(self.mechanism, self.q, self.qd) - self.qd)

    @cached_property
    def terms(self) -> EquationTerms:
        """The torques in terms."""
        hidden = self.run(self.inverse_dynamics, self.mechanism, self.q, self.qd, self.qdd)
        speeds, accelerations = (
            [self.ring.generator(symbol) for symbol in symbols] for symbols in (self.qd_symbols, self.qdd_symbols)
        )
        return sorted_terms(self.ring, [self.ring.show(torque) for torque in hidden], speeds, accelerations)

    def run(self, equation: Callable[..., Any], *arguments: Any) -> Any:
        """What an equation gives for these arguments, or an error that names the robot and the formulation."""
        try:
            return equation(*arguments)
        except ValueError as problem:
            raise ValueError(
                f"no equations of robot '{self.robot.name}' by '{self.formulation}': {problem}"
            ) from problem

    @property
    def simplifier(self) -> Simplifier:
        """Makes expressions of polynomials; a new one when the ring has grown."""
        made, size = self._simplifiers, len(self.ring.symbols)
        if size not in made:
            made.clear()
            made[size] = Simplifier(self.ring, self._parallel, self.q_symbols, symbolic=bool(self.names.expressions))
        return made[size]

    @cached_property
    def _simplifiers(self) -> dict[int, Simplifier]:
        return {}

    @cached_property
    def _parallel(self) -> list[list[sympy.Symbol]]:
        return [[self.q_symbols[k] for k in group] for group in parallel_angles(self.robot)]

    def by_motion(self, polynomial: Scalar) -> dict[int, dict[int, Fraction]]:
        """The terms of a polynomial, hidden sums shown, by the monomial of speeds and accelerations in them."""
        motion = self._motion_field
        parts: dict[int, dict[int, Fraction]] = {}
        for monomial, coefficient in fractions(self.ring.show(polynomial)).items():
            moving = monomial & motion
            parts.setdefault(moving, {})[monomial - moving] = coefficient
        return parts

    @cached_property
    def _motion_field(self) -> int:
        return self.ring.field([self.ring.generator(symbol) for symbol in (*self.qd_symbols, *self.qdd_symbols)])

    def parts(self) -> dict[str, Any]:
        """The fields of `Equations`."""
        return {
            "robot_name": self.robot.name,
            "formulation": self.formulation,
            "q": tuple(self.q_symbols),
            "qd": tuple(self.qd_symbols),
            "qdd": tuple(self.qdd_symbols),
            "parameters": dict(self.names.values),
            "_derivation": self,
        }


def derived(robot: RobotModel, formulations: Mapping[str, On], formulation: str, names: Names) -> Derivation:
    """A robot ready for its equations by one of the given formulations of its inverse dynamics."""
    if not isinstance(formulation, str) or formulation not in formulations:
        raise ValueError(f"there is no formulation {formulation!r}; there are {', '.join(formulations)}")
    if not robot.n:
        raise ValueError(f"robot '{robot.name}' has no moving joints, so there are no equations of motion")
    ring = Ring()
    q = coordinates(robot, ring, names.q)
    for symbol in (*names.qd, *names.qdd):
        ring.generator(symbol)
    mechanism = symbolic(robot, ring, names.expressions)
    run = formulations[formulation].formulation
    symbols = [list(part) for part in (names.q, names.qd, names.qdd)]
    return Derivation(robot, formulation, run, ring, names, mechanism, symbols[0], q, symbols[1], symbols[2])
