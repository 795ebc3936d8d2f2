"""From a robot to its equations: a formulation is run on it with symbols or exact numbers for its constants, and what
comes out is sorted by what it is multiplied with. Nothing is derived before it is asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import sympy

from loadpath.algorithms.state_space import coordinate_rate
from loadpath.cached import cached_property
from loadpath.equations.letters.names import Names
from loadpath.equations.parameters import constants
from loadpath.equations.polynomial import Ring, exact_fraction, fractions
from loadpath.equations.simplify import Simplifier
from loadpath.robot.mechanism import BASE, Body, Frame, Mechanism, plain
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Joint
from loadpath.robot.pose import Pose
from loadpath.robot.varied import JointInScalars
from loadpath.scalars import (
    IDENTITY,
    Array,
    AxisTurn,
    MatrixRotation,
    Rotation,
    Scalar,
    array,
    compose,
    dot,
    is_zero,
    point_tensor,
    rotation_from_matrix,
    scale,
)

if TYPE_CHECKING:
    from loadpath.engine.quantity import On

class _Maker:
    """Makes the scalars of one robot."""

    def __init__(self, robot: RobotModel, ring: Ring, expressions: Mapping[str, sympy.Expr]) -> None:
        self.ring = ring
        self.known = constants(robot)
        self.expressions = expressions

    def constant(self, key: str) -> Scalar:
        if key in self.expressions:
            return self.ring.from_sympy(self.expressions[key])
        value = self.known[key].value
        return float(value) if value in (0, 1, -1) else self.ring.constant(exact_fraction(value))

    def vector(self, key: str) -> Array:
        return array([self.constant(f"{key}.{axis}") for axis in "xyz"])

    def rotation(self, key: str, pose: Pose) -> Rotation:
        turn = rotation_from_matrix(pose.rotation)
        if isinstance(turn, AxisTurn):
            angle = self.expressions.get(f"{key}.angle")
            if angle is not None:
                if not isinstance(angle, sympy.Symbol):
                    raise ValueError(f"'{key}.angle' is to be {angle}: expected a symbol")
                symbol = self.ring.symbol(angle)
                return AxisTurn(turn.axis, symbol.cos(), symbol.sin())
            return AxisTurn(turn.axis, self.ring.direction(turn.c), self.ring.direction(turn.s))
        if isinstance(turn, MatrixRotation):
            return MatrixRotation(array([[self.ring.direction(x) for x in row] for row in turn.matrix().tolist()]))
        return IDENTITY

    def tensor(self, link: str) -> Array:
        entry = {name: self.constant(f"{link}.inertia.{name}") for name in ("xx", "xy", "xz", "yy", "yz", "zz")}
        return array([[entry["".join(sorted((i, j)))] for j in "xyz"] for i in "xyz"])

    def drive(self, joint: Joint) -> JointInScalars:
        def values(part: str) -> tuple[Scalar, ...]:
            if joint.motion.dof == 1:
                return (self.constant(f"{joint.name}.{part}"),)
            return tuple(self.constant(f"{joint.name}.{part}.{label}") for label in joint.motion.labels)

        viscous, coulomb, rotors = (
            values(part) for part in ("viscous_friction", "coulomb_friction", "reflected_inertia")
        )
        stribeck, springs = (None,) * joint.motion.dof, ((),) * joint.motion.dof
        # No Stribeck effect and no springs: equations refuse them.
        return JointInScalars(
            joint.name, joint.parent, joint.child, joint.motion, joint.mimic, viscous, coulomb, rotors, stribeck,
            springs,
        )


def symbolic(robot: RobotModel, ring: Ring, expressions: Mapping[str, sympy.Expr]) -> Mechanism:
    """The robot in its own frames, as `loadpath.robot.mechanism.plain` has it, with expressions for some constants and
    exact numbers for the others. Sums of constants are hidden in the ring (`Ring.hide`).

    >>> from loadpath.robot import catalog
    >>> made = symbolic(catalog.two_link(m1=2), Ring(), {"link1.mass": sympy.Symbol("m"), "gravity": sympy.Symbol("g")})
    >>> print(made.bodies[0].mass, made.gravity[2], made.bodies[1].mass)
    m -g 1.0
    """
    make, numeric = _Maker(robot, ring, expressions), plain(robot)
    offset: dict[str, tuple[Rotation, Array]] = {robot.base.name: (IDENTITY, array([0.0, 0.0, 0.0]))}
    bodies = []
    for joint, body in zip(robot.joints, numeric.bodies, strict=True):
        turn, shift = offset[joint.parent]
        turn_after = make.rotation(f"{joint.name}.link_offset", joint.link_offset)
        to = make.vector(f"{joint.name}.link_offset")
        offset[joint.child] = turn_after, to
        mass = ring.hide(make.constant(f"{joint.child}.mass"))  # formulations divide by it
        center = _hidden(ring, to + turn_after @ make.vector(f"{joint.child}.center_of_mass"))
        tensor = _hidden(ring, turn_after.tensor(make.tensor(joint.child)))
        bodies.append(
            Body(
                name=body.name,
                parent=body.parent,
                turn=_plain_if_trivial(compose(turn, make.rotation(f"{joint.name}.origin", joint.origin))),
                arm=_hidden(ring, shift + turn @ make.vector(f"{joint.name}.origin")),
                motion=body.motion,
                joint=cast(Joint, make.drive(joint)),
                q=body.q,
                v=body.v,
                multiplier=body.multiplier,
                offset=body.offset,
                mass=mass,
                moment=scale(mass, center),
                inertia=tensor + point_tensor(mass, center),
            )
        )
    number = {robot.base.name: BASE, **{body.name: k for k, body in enumerate(bodies)}}
    return Mechanism(
        bodies=tuple(bodies),
        n=robot.n,
        nq=robot.nq,
        gravity=_gravity(robot, make),
        base=Frame(BASE),
        base_inertia=numeric.base_inertia,  # in no equation: this base is at rest
        link_frames={link: Frame(number[link], *offset[link]) for link in robot.link_names},
        joint_frames={joint.name: Frame(number[joint.child]) for joint in robot.joints},
    )


def symbolic_frame(
    robot: RobotModel, ring: Ring, expressions: Mapping[str, sympy.Expr], link: Frame, key: str, pose: Pose
) -> Frame:
    """A frame that is given by a pose in the frame of a link; `key` is that of its constants, like "pin.at"."""
    make = _Maker(robot, ring, expressions)
    turn = _plain_if_trivial(compose(link.rotation, make.rotation(key, pose)))
    return Frame(link.body, turn, _hidden(ring, link.origin + link.rotation @ make.vector(key)))


def _hidden(ring: Ring, constants: Array) -> Array:
    """Sums among the entries hidden; those that stand in two places (of a symmetric tensor) once."""
    result = constants.copy()
    for index in np.ndindex(constants.shape):
        other = index[::-1]
        result[index] = result[other] if other < index else ring.hide(constants[index])
    return result


def _plain_if_trivial(rotation: Rotation) -> Rotation:
    """A product of turns whose entries are all plain numbers, as one rotation."""
    entries = rotation.matrix()
    if all(isinstance(entry, float) for entry in entries.flat):
        return rotation_from_matrix(entries.astype(float).tolist())
    return rotation


def _gravity(robot: RobotModel, make: _Maker) -> Array:
    size = math.hypot(*robot.gravity)
    if size == 0:
        return array([0.0, 0.0, 0.0])
    magnitude = make.constant("gravity")
    return array([magnitude * make.ring.direction(g / size) for g in robot.gravity])


def coordinates(robot: RobotModel, ring: Ring, names: Sequence[sympy.Symbol]) -> Array:
    """The scalars of the coordinates of these names; quaternions have unit length."""
    symbols = list(names)
    scalars: list[Scalar] = [None] * robot.nq
    for joint in robot.joints:
        if joint.mimic is not None or not joint.motion.dof:
            continue
        at = robot.q_slices[joint.name]
        own = symbols[at]
        scalars[at] = [ring.symbol(symbol) for symbol in own]
        if joint.motion.coordinates > joint.motion.dof:
            start = at.stop - 4
            scalars[start : at.stop] = ring.unit_quaternion(symbols[start : at.stop])
    return array(scalars)


def parallel_angles(robot: RobotModel) -> list[list[int]]:
    """Coordinates that are angles about parallel axes, joint after joint: their sums are angles of links.

    >>> from loadpath.robot import catalog
    >>> parallel_angles(catalog.puma560())
    [[0], [1, 2], [3], [4], [5]]
    """
    mechanism = plain(robot)
    groups: list[list[int]] = []
    group_of: dict[int, tuple[int, Array]] = {}  # by body: its group, and the axis in body axes
    for k, body in enumerate(mechanism.bodies):
        before = group_of.get(body.parent)
        axis = body.motion.axis_direction()
        turns = axis is not None and body.motion.turns_about_line()
        if before is not None:
            group, direction = before
            seen = body.turn.T @ direction  # in the axes before the joint's motion
            if not body.motion.dof or (axis is not None and not turns):
                group_of[k] = group, seen  # welded or sliding: the axes keep their direction
                continue
            if axis is not None and turns and abs(abs(float(dot(array(axis), seen))) - 1.0) < 1e-12:
                if body.q.start not in groups[group]:
                    groups[group].append(body.q.start)
                group_of[k] = group, seen
                continue
        if axis is not None and turns and body.joint.mimic is None:
            groups.append([body.q.start])
            group_of[k] = len(groups) - 1, array(axis)
    return groups


# From a robot to its equations: a formulation is run on polynomials, and what comes out is sorted by what it is
# multiplied with. Nothing is derived before it is asked for.


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
