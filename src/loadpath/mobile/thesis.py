"""The equations of motion of chapter 6 of Lau's thesis: C11 ... C33 of (6-76) to (6-87), as printed and corrected.

A base on two fixed wheels at (0, d), (0, -d) and a free wheel at (s, 0) turns about a point at (0, s cot theta), theta
being the angle of the free wheel: v = w s cot theta. With alpha = dw/dt and Omega = dtheta/dt, its equations of motion
across the axle's wheels, along them, and about the turning point are

    C11 alpha + C12 Omega w + C13 + M w^2 (s cot theta - h_y) = -f        (6-76)
    C21 alpha + C22 Omega w + C23 - M h_x w^2 = 0                         (6-77)
    C31 alpha + C32 Omega w + C33 = 0                                     (6-78)

of which the thesis lacks the terms in w^2 (errata). M, h, I_c are mass, mass center and moment of inertia about the
vertical through it of base and arm together; (F, N) is the wrench on the base, about O and without weight, of the arm
that moves on it: what is zero while its joints rest; mu resists the rolling of all wheels, N1, N2, N3 are their normal
forces, f is what the fixed wheels hold across, to the right.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import sympy

from loadpath.errors import ModelError
from loadpath.robot.wheels.contacts import CasterWheel, FixedWheel

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover
    from loadpath.mobile.symbols import RoverInSymbols

M, h_x, h_y, I_c, I_zz, s, d, g, mu = sympy.symbols("M h_x h_y I_c I_zz s d g mu")
theta, w, alpha, Omega, f = sympy.symbols("theta w alpha Omega f")
F_x, F_y, F_z, N_x, N_y, N_z = sympy.symbols("F_x F_y F_z N_x N_y N_z")
N1, N2, N3 = sympy.symbols("N1 N2 N3")

_COT, _SIN, _COS = sympy.cot(theta), sympy.sin(theta), sympy.cos(theta)
_REACH = s * _COT - h_y


@dataclass(frozen=True, eq=False)
class Thesis:
    """C11 ... C33 by name, in the letters of the thesis, and what these are."""

    definitions: Mapping[sympy.Symbol, sympy.Expr]
    """M, h_x, h_y, I_c, (F, N) and N1, N2, N3 in the symbols of the equations, with theta, w, alpha and Omega for the
    motion of the base; mu as a number, s and d too, unless they are symbols there."""
    NAMES: ClassVar[tuple[str, ...]] = tuple(f"C{i}{j}" for i in (1, 2, 3) for j in (1, 2, 3))
    MEANING: ClassVar[str] = "A coefficient of the equations of motion (6-76) to (6-78) of Lau's thesis."

    @property
    def coefficients(self) -> dict[str, sympy.Expr]:
        """By name, corrected."""
        axle = mu * (N2 + N3)
        return dict(zip(self.NAMES, (
            M * h_x, sympy.Integer(0), mu * N1 * _SIN - F_y,
            M * _REACH, -M * s / _SIN**2, axle + mu * N1 * _COS - F_x,
            I_c + M * h_x**2 + M * _REACH**2, -M * s * _REACH / _SIN**2,
            axle * s * _COT - F_x * s * _COT + mu * N1 * s / _SIN - mu * d * (N2 - N3) - N_z,
        ), strict=True))

    @property
    def centrifugal(self) -> tuple[sympy.Expr, sympy.Expr, sympy.Expr]:
        """The terms in w^2 of (6-76), (6-77), (6-78), which the thesis lacks."""
        return M * w**2 * _REACH, -M * w**2 * h_x, sympy.Integer(0)

    @property
    def equations(self) -> tuple[sympy.Eq, sympy.Eq, sympy.Eq]:
        """(6-76), (6-77), (6-78), corrected, in C11 ... C33.

        >>> import loadpath as lp
        >>> lp.catalog.lau_rover().equations().thesis.equations[2]
        Eq(C31*alpha + C32*Omega*w + C33, 0)
        """
        C = {name: sympy.Symbol(name) for name in self.NAMES}
        left = [C[f"C{i}1"] * alpha + (C[f"C{i}2"] * Omega * w if i > 1 else 0) + C[f"C{i}3"] + self.centrifugal[i - 1]
                for i in (1, 2, 3)]
        one, two, three = (sympy.Eq(side, right) for side, right in zip(left, (-f, 0, 0), strict=True))
        return one, two, three

    @property
    def printed(self) -> dict[str, sympy.Expr]:
        """By name, as the thesis prints them: (6-79) to (6-87)."""
        caster, axle = N_y / s + M * g * (1 - h_x / s), F_z - N_y / s + M * g * h_x / s
        return dict(zip(self.NAMES, (
            M * h_x, sympy.Integer(0), mu * caster * _SIN - F_y,
            M * s * (_COT - h_y / s), -M * s / _SIN**2, mu * axle + mu * caster * _COS - F_x,
            I_zz + M * h_x**2 + M * _REACH**2 + M * s**2 * _COT**2, -M * s * _REACH / _SIN**2,
            mu * ((F_z * s - N_y + M * g * h_x) - F_x * s) * _COT + mu * (N_y + M * g * (s - h_x)) / _SIN
            + mu * (N_x + M * g * h_y) - N_z,
        ), strict=True))

    @property
    def wrong(self) -> tuple[str, ...]:
        """Those that are printed otherwise than they must be; for C13, C23 and C33, at rest too: with the normal forces
        of a base that does not accelerate.

        >>> import loadpath as lp
        >>> lp.catalog.lau_rover().equations().thesis.wrong
        ('C13', 'C23', 'C31', 'C33')
        """
        still = self.normal_forces_at_rest | {I_zz: I_c}
        right, printed = self.coefficients, self.printed
        at = {symbol: sympy.Rational(k, 7) for k, symbol in enumerate(
            (M, h_x, h_y, I_c, s, d, g, mu, theta, F_x, F_y, F_z, N_x, N_y, N_z), start=1)}
        off = {name: abs((right[name] - printed[name]).subs(still).subs(at).evalf()) for name in self.NAMES}
        return tuple(name for name, size in off.items() if size > 1e-9)

    @property
    def normal_forces_at_rest(self) -> dict[sympy.Symbol, sympy.Expr]:
        """N1, N2, N3 of a base that does not accelerate: (6-37), (6-42), (6-43), corrected."""
        axle = M * g * (1 - h_x / s) - F_z - N_y / s
        side = M * g * h_y / d - N_x / d
        return {N1: (M * g * h_x + N_y) / s, N2: (axle + side) / 2, N3: (axle - side) / 2}


@dataclass(frozen=True)
class Kind:
    """A base like that of the thesis: numbers of its free wheel and of its fixed wheels at (0, d) and (0, -d)."""

    caster: int
    left: int
    right: int
    s: float
    d: float

    @property
    def letters(self) -> tuple[tuple[str, str], ...]:
        """x and y of every contact."""
        named = {self.caster: ("s", "0"), self.left: ("0", "d"), self.right: ("0", "-d")}
        return tuple(named[k] for k in range(3))


def kind_of(rover: Rover) -> Kind | None:
    """The wheels of a base, where they are arranged as in the thesis; else nothing."""
    wheels = rover.base.wheels
    if len(wheels) != 3:
        return None
    casters = [k for k, wheel in enumerate(wheels) if isinstance(wheel, CasterWheel) and not wheel.trail]
    fixed = [k for k, wheel in enumerate(wheels) if type(wheel) is FixedWheel and not wheel.direction]
    if len(casters) != 1 or len(fixed) != 2:
        return None
    left, right = sorted(fixed, key=lambda k: -wheels[k].position[1])
    (x, y), (_, width) = wheels[casters[0]].position, wheels[left].position
    axle = [wheels[k].position for k in (left, right)]
    if y or not x or axle != [(0.0, width), (0.0, -width)] or not width > 0:
        return None
    return Kind(casters[0], left, right, float(x), float(width))


def thesis_of(found: RoverInSymbols) -> Thesis:
    """The coefficients of a rover, with what their letters are in its equations."""
    rover, kind = found.rover, kind_of(found.rover)
    if kind is None:
        raise ModelError(f"rover '{rover.name}' stands otherwise than the base of Lau's thesis, whose C11 ... C33 are "
                         "of two fixed wheels at (0, d) and (0, -d) and a caster without trail at (s, 0): mass_matrix, "
                         "velocity_forces, gravity and normal_forces are those of any base")
    if rover.ground.slope or any(wheel.axle_inertia for wheel in rover.base.wheels):
        raise ModelError(f"rover '{rover.name}': C11 ... C33 of Lau's thesis are those on level ground, of wheels that "
                         "store no angular momentum (spin_inertia, rotors of drives)")
    rolling = {float(value) for value in rover.rolling_friction}
    if len(rolling) > 1:
        raise ModelError(f"rover '{rover.name}': C11 ... C33 of Lau's thesis have one coefficient of rolling for all "
                         f"wheels; here they are {', '.join(f'{value:g}' for value in sorted(rolling))}")
    return Thesis(_definitions(found, kind, rolling.pop()))


def _definitions(found: RoverInSymbols, kind: Kind, rolling: float) -> dict[sympy.Symbol, sympy.Expr]:
    wrench, G = found.ground_wrench, sympy.Symbol("g")
    frozen = dict.fromkeys((*found.qd[3:], *found.qdd[3:]), sympy.Integer(0))
    rest = {**frozen, **dict.fromkeys((*found.qd[:3], *found.qdd[:3]), sympy.Integer(0))}
    mass = found.mass_matrix[0, 0]
    # The columns of v_x and v_y in the row of w: -M h_y, M h_x.
    center_x, center_y = found.mass_matrix[1, 2] / mass, -found.mass_matrix[0, 2] / mass
    of_arm = [(wrench[k].subs(frozen) - wrench[k]) for k in range(6)]
    x, y = found.contact_points[kind.caster][0], found.contact_points[kind.left][1]
    v_x, v_y, turn = found.qd[:3]
    along, across, turns = found.qdd[:3]
    cot = sympy.cot(theta)
    circle = {v_x: w * x * cot, v_y: sympy.Integer(0), turn: w, across: sympy.Integer(0), turns: alpha,
              along: alpha * x * cot - x * Omega * w / sympy.sin(theta) ** 2}
    normal = [found.normal_forces[k].subs(circle, simultaneous=True) for k in (kind.caster, kind.left, kind.right)]
    weight = wrench[2].subs(rest)
    values = {M: mass, h_x: center_x, h_y: center_y,
              I_c: found.mass_matrix[2, 2] - mass * (center_x**2 + center_y**2), s: x, d: y,
              mu: sympy.Float(rolling), g: G if G in found.parameters else weight / mass}
    arm = dict(zip((F_x, F_y, F_z, N_x, N_y, N_z), (part.subs(circle, simultaneous=True) for part in of_arm),
                   strict=True))
    return {**values, **arm, **dict(zip((N1, N2, N3), normal, strict=True))}
