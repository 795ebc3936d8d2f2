"""A rover's equations in symbols: base and robots together, in the speeds u = (v_x, v_y, w, qd).

v_x, v_y are those of the base frame's origin O along its own axes, w is its yaw rate: the speeds of
`loadpath.mobile.ground_wrench`, whose matrices these are. The base moves on a joint whose speeds are these, between it
and the ground; what that joint carries is the wrench of the ground about O, in base axes. What wheels hold, resist and
give is no part of it: `loadpath.mobile.contacts`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import sympy

from loadpath.cached import cached_property
from loadpath.engine.arguments import DEFAULT
from loadpath.equations.derivation import Derivation, derived
from loadpath.equations.letters.names import Letters, Names, names_of
from loadpath.equations.objects import Described
from loadpath.equations.parameters import Choice
from loadpath.equations.polynomial import exact_fraction
from loadpath.equations.result import Equations
from loadpath.equations.written import SymbolicObject
from loadpath.errors import ModelError
from loadpath.mobile.ground_wrench import PLANAR
from loadpath.mobile.motions import refuse_ground, refuse_links
from loadpath.mobile.mounting import on_planar_joint
from loadpath.mobile.normals import sinkages
from loadpath.mobile.thesis import Kind, Thesis, kind_of, thesis_of
from loadpath.quantities.table import RobotQuantities
from loadpath.robot.drive_train.of_joint import refuse_springs, refuse_stribeck
from loadpath.robot.joints import Planar
from loadpath.robot.joints.base import Columns, X, Y, Z, fixed_vector
from loadpath.scalars import Array, array, turn_about, vector, zeros

if TYPE_CHECKING:
    from loadpath.api import Robot
    from loadpath.mobile.rover import Rover

_BASE = (("x", "y", "psi"), ("v_x", "v_y", "w"), ("vdot_x", "vdot_y", "wdot"))
"""Of the base: place and heading on the ground, speeds along its own axes, their rates."""
_OBJECTS = {
    "ground_wrench": Described("Force and moment of the ground on the base about its origin, in its axes: F_x, F_y, "
                               "F_z, N_x, N_y, N_z.", "W", "W"),
    "vertical_matrix": Described("What the normal forces carry, F_z, N_x, N_y, per unit of acceleration.", "V", "V"),
    "vertical_bias": Described("F_z, N_x, N_y without accelerations.", "v", "v"),
    "normal_forces": Described("Normal force of every contact, while none lifts.", "N", "N"),
}


@dataclass(frozen=True)
class _OnGround(Planar):
    """Slides along x and y of the ground and turns about its z; its speeds are along the child's own axes."""

    twists: ClassVar[tuple[int, ...]] = (0, 1)

    def subspace(self, q: Array) -> Columns:
        return [(zeros(3), fixed_vector(X)), (zeros(3), fixed_vector(Y)), (fixed_vector(Z), zeros(3))]

    def subspace_rate(self, q: Array, qd: Array) -> Columns:
        return [(zeros(3), zeros(3))] * 3

    def coordinate_rate(self, q: Array, qd: Array) -> Array:
        along = turn_about(Z, q[2]) @ vector(qd[0], qd[1], 0.0)
        return array([along[0], along[1], qd[2]])


@dataclass(frozen=True, eq=False)
class RoverInSymbols(Equations):
    """Equations of a rover as SymPy matrices, base and robots together; simplified when first asked for.

    Forces along u = (v_x, v_y, w, qd) are `mass_matrix` udot + `velocity_forces` + `gravity` + `friction`: F_x, F_y,
    N_z of the ground on the base, then the drives of the joints. All else is as in `Equations`; besides there are
    `ground_wrench`, `vertical_matrix` and `vertical_bias` (what the normal forces carry, V udot + v), `normal_forces`,
    and of a base like that of Lau's thesis its C11 ... C33 (`thesis`, or one by one, `equations["C13"]`).

    >>> import loadpath as lp
    >>> found = lp.catalog.lau_rover().equations(parameters="symbols")
    >>> found.qd
    (v_x, v_y, w, qd1, qd2, qd3)
    >>> found.mass_matrix[0, 0], found.velocity_forces[0].coeff(found.qd[1] * found.qd[2])
    (m1 + m3 + m5, -m1 - m3 - m5)
    >>> found["C11"].value, found["C22"].value
    (M*h_x, -M*s/sin(theta)**2)
    >>> print(found["C11"].latex())
    \\begin{aligned}
    C_{11} &= M h_{x}
    \\end{aligned}
    """

    rover: Rover

    @cached_property
    def ground_wrench(self) -> sympy.Matrix:
        """(6, 1): force (N) and moment (N m) of the ground on the base about O, in base axes."""
        wrench = self.joint_wrenches[self._joint]
        return sympy.Matrix([*wrench.force, *wrench.torque])

    @property
    def _joint(self) -> str:
        return self._derivation.robot.joint_names[0]

    @cached_property
    def _vertical(self) -> list[sympy.Expr]:
        return [sympy.expand(self.ground_wrench[k]) for k in (2, 3, 4)]

    @cached_property
    def vertical_matrix(self) -> sympy.Matrix:
        """V, (3, 3 + n): F_z, N_x, N_y per unit of each acceleration."""
        return sympy.Matrix([[sympy.factor_terms(row.coeff(rate)) for rate in self.qdd] for row in self._vertical])

    @cached_property
    def vertical_bias(self) -> sympy.Matrix:
        """v, (3, 1): F_z, N_x, N_y without accelerations."""
        still = dict.fromkeys(self.qdd, sympy.Integer(0))
        return sympy.Matrix([self.ground_wrench[k].subs(still) for k in (2, 3, 4)])

    @cached_property
    def contact_points(self) -> tuple[tuple[sympy.Expr, sympy.Expr], ...]:
        """x, y of every contact in the base frame. Of three contacts, where constants are symbols: s and d of the
        thesis's base, x_1, y_1, ... of others; else numbers.
        """
        wheels = self.rover.base.wheels
        if any(wheel.trail for wheel in wheels):
            raise ModelError(f"rover '{self.rover.name}' has casters that trail: where these carry depends on their "
                             "angles, so that there are no normal forces in symbols; wheel_loads has them in numbers")
        symbolic, thesis = bool(self.names.expressions) and len(wheels) == 3, self._thesis_kind
        points = []
        for k, wheel in enumerate(wheels, start=1):
            letters = thesis.letters[k - 1] if thesis is not None else (f"x_{k}", f"y_{k}")
            x, y = (sympy.sympify(letter) if symbolic and value else sympy.Rational(exact_fraction(float(value)))
                    for letter, value in zip(letters, wheel.position, strict=True))
            points.append((x, y))
        return tuple(points)

    @cached_property
    def normal_forces(self) -> sympy.Matrix:
        """(contacts, 1): N, while no contact lifts: three carry what balance says, more by their compliances."""
        _refuse_suspended(self.rover)
        stiffness = [sympy.Rational(exact_fraction(1.0 / float(wheel.yielding))) for wheel in self.rover.base.wheels]
        F, about_x, about_y = sympy.symbols("F_z N_x N_y")
        at = list(self.contact_points)
        if len(at) == 3:
            rows = sympy.Matrix([[1, 1, 1], [y for _, y in at], [-x for x, _ in at]])
            shares = list(rows.inv().applyfunc(sympy.simplify) * sympy.Matrix([F, about_x, about_y]))
        else:
            sunk = sinkages(at, stiffness, F, about_x, about_y)
            shares = [sympy.expand(k * z) for k, z in zip(stiffness, sunk, strict=True)]
        carried = dict(zip((F, about_x, about_y), (self.ground_wrench[k] for k in (2, 3, 4)), strict=True))
        return sympy.Matrix([share.subs(carried, simultaneous=True) for share in shares])

    def _on_free_base(self) -> Equations:
        raise ValueError(f"the base of rover '{self.rover.name}' stands on the ground: "
                         "rover.robot.equations(letters='angeles').noninertial is of the robots on a base that is free")

    # The thesis

    @cached_property
    def _thesis_kind(self) -> Kind | None:
        return kind_of(self.rover)

    @cached_property
    def thesis(self) -> Thesis:
        """C11 ... C33 of (6-76) to (6-87) of Lau's thesis, corrected, and what their letters are in these equations; of
        a base as there: two fixed wheels at (0, d), (0, -d), a free wheel at (s, 0), on level ground.

        >>> import loadpath as lp
        >>> thesis = lp.catalog.lau_rover().equations(parameters="symbols").thesis
        >>> thesis.coefficients["C31"]
        I_c + M*h_x**2 + M*(-h_y + s*cot(theta))**2
        """
        return thesis_of(self)

    @property
    def objects(self) -> tuple[str, ...]:
        """Names of the objects, in the order of a book; those of the rover last."""
        own = tuple(_OBJECTS) if self._thesis_kind is None else (*_OBJECTS, *Thesis.NAMES)
        return (*super().objects, *own)

    def __getitem__(self, name: str) -> SymbolicObject:
        if name in _OBJECTS:
            described = _OBJECTS[name]
            return SymbolicObject(name, described.meaning, getattr(self, name), self, described)
        if name in Thesis.NAMES:
            return SymbolicObject(name, Thesis.MEANING, self.thesis.coefficients[name], self,
                                  Described(Thesis.MEANING, f"C_{{{name[1:]}}}", name))
        return super().__getitem__(name)


def rover_equations_in_symbols(
    rover: Rover, formulation: str = DEFAULT, parameters: Choice | None = None, letters: Letters | None = None,
    *, shapes: bool = True,
) -> RoverInSymbols:
    """The equations of a rover in symbols: see `Rover.equations`."""
    refuse_links(rover, "equations", ": rover.robot.equations() are those of its robots, joints and links alone")
    robot = rover.robot
    if robot.held_by_loops:
        raise ModelError(f"equations of rover '{rover.name}': its robots have loops; rover.planar.equations() has "
                         "them, in the rates of x, y and heading, and rover.robot.equations() those on a base at rest")
    refuse_ground(rover.ground, "equations in symbols", "surface", "motion")
    refuse_springs(robot, "equations in symbols")
    refuse_stribeck(robot, "equations in symbols")
    moving = _moving(rover)
    found = RoverInSymbols(**_derivation(moving, formulation, parameters, letters, shapes).parts(), rover=rover)
    return replace(found, parameters={**_wheel_numbers(found), **found.parameters})


def _wheel_numbers(found: RoverInSymbols) -> dict[sympy.Symbol, float]:
    """The numbers of letters that stand for places of contacts."""
    wheels = found.rover.base.wheels
    if any(wheel.trail for wheel in wheels):
        return {}
    pairs = [pair for point, wheel in zip(found.contact_points, wheels, strict=True)
             for pair in zip(point, wheel.position, strict=True)]
    return {symbol: float(value) for symbol, value in pairs if isinstance(symbol, sympy.Symbol)}


def _moving(rover: Rover) -> Robot:
    """The robots on a base that moves on the ground with speeds along its own axes."""
    planar = on_planar_joint(rover.robot.without_beams(), rover.ground)
    joint = replace(planar.joints[0], motion=_OnGround())
    return replace(planar, name=rover.name, joints=(joint, *planar.joints[1:]))


def _derivation(
    robot: Any, formulation: str, parameters: Choice | None, letters: Letters | None, shapes: bool
) -> Derivation:
    names = _named(names_of(robot, parameters, letters, shapes=shapes), letters)
    formulations = RobotQuantities.inverse_dynamics.formulations
    return derived(robot, formulations, formulation, names)


def _named(names: Names, letters: Letters | None) -> Names:
    """The motion of the base by its letters, and coordinates of robots that are only counted from 1 on."""
    own = set(letters) if isinstance(letters, Mapping) else set()
    taken = {str(symbol) for found in names.expressions.values() for symbol in found.free_symbols}
    parts = []
    for part, symbols, places, base in zip(("q", "qd", "qdd"), (names.q, names.qd, names.qdd),
                                           (names.coordinate_names, names.dof_names, names.dof_names), _BASE,
                                           strict=True):
        made = list(symbols)
        for k, place in enumerate(places):
            if f"{place}.{part}" in own:
                continue
            if k < PLANAR:
                made[k] = sympy.Symbol(base[k] if base[k] not in taken else f"{base[k]}_b")
            elif str(symbols[k]) == f"{part}{k + 1}":
                made[k] = sympy.Symbol(f"{part}{k + 1 - PLANAR}")
        parts.append(tuple(made))
    return replace(names, q=parts[0], qd=parts[1], qdd=parts[2])


def _refuse_suspended(rover: Rover) -> None:
    """Normal forces of four contacts or more in symbols are those of linear springs."""
    sprung = any(wheel.suspension is not None for wheel in rover.base.wheels)
    if len(rover.contact_names) > 3 and (sprung or rover.base.anti_roll_bars):
        raise ModelError(f"rover '{rover.name}' stands on suspensions, whose shares depend on their travel: normal "
                         "forces in symbols are those of linear springs; wheel_loads has them in numbers")
