"""Where the links of a robot are and how they move, in symbols: poses, velocities, Jacobians."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import sympy

from loadpath.algorithms.energy import link_kinetic_energies, link_potential_energies, rotor_energies
from loadpath.algorithms.link_motion import link_velocities
from loadpath.cached import cached_property
from loadpath.equations.polynomial import Polynomial, Ring, Terms
from loadpath.equations.symbolic import Symbolic, Table
from loadpath.mechanics import kinematics
from loadpath.mechanics.joint_motion import joint_placement
from loadpath.robot.mechanism import BASE, Frame
from loadpath.robot.numbers import known
from loadpath.scalars import Array, Rotation, Scalar, array, compose, zeros

Point = Sequence["float | str | sympy.Expr"]


@dataclass(frozen=True, eq=False)
class SymbolicVelocity:
    """Velocity of a point of a link and angular velocity of the link, (3, 1) each."""

    linear: sympy.Matrix
    angular: sympy.Matrix


class SymbolicVelocities(Table[SymbolicVelocity]):
    """Velocities of all links by name; `linear` and `angular` are those of all, (links, 3)."""

    @property
    def linear(self) -> sympy.Matrix:
        """Velocities of the links' origins, a row each."""
        return sympy.Matrix.vstack(*(velocity.linear.T for velocity in self.values()))

    @property
    def angular(self) -> sympy.Matrix:
        """Angular velocities of the links, a row each."""
        return sympy.Matrix.vstack(*(velocity.angular.T for velocity in self.values()))


class Kinematics(Symbolic):
    """Poses, velocities and Jacobians of the links."""

    @cached_property
    def link_poses(self) -> Table[sympy.Matrix]:
        """Homogeneous matrices, (4, 4), of the link frames in the world, by link.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().equations(parameters="symbols").link_poses["link2"][:3, 3].T
        Matrix([[l1*sin(q1), 0, -l1*cos(q1)]])
        """
        return Table("link", self._derivation.robot.link_names, self.pose)

    def pose(self, link: str, of: str | None = None) -> sympy.Matrix:
        """Homogeneous matrix, (4, 4), of a link's frame in the world, or in the frame of the link `of`: the kinematic
        model (2-93) to (2-98) of Lau's thesis.

        >>> import loadpath as lp
        >>> arm = lp.catalog.lau_arm().equations(parameters="symbols")
        >>> arm.pose("rod", of="turntable")
        Matrix([
        [ cos(q2), 0, sin(q2), -q3*cos(q2)],
        [       0, 1,       0,          l1],
        [-sin(q2), 0, cos(q2),  q3*sin(q2)],
        [       0, 0,       0,           1]])
        """
        turn, origin = self._seen_from(*(self._frame(name) for name in (link, of)))
        matrix = zeros(4, 4)
        matrix[:3, :3], matrix[:3, 3], matrix[3, 3] = turn.matrix(), origin, 1.0
        return self._matrix(matrix)

    def _frame(self, link: str | None) -> Frame:
        frames = self._derivation.mechanism.link_frames
        return Frame(BASE) if link is None else frames[known(link, frames, "link")]

    def _seen_from(self, frame: Frame, other: Frame) -> tuple[Rotation, Array]:
        """A frame in another, through the joints between them only."""
        mechanism, q = self._derivation.mechanism, self._derivation.q
        chains = []
        for start in (frame.body, other.body):
            chain = [start]
            while chain[-1] != BASE:
                chain.append(mechanism.bodies[chain[-1]].parent)
            chains.append(chain)
        common = next(body for body in chains[0] if body in chains[1])
        placed = []
        for end, chain in zip((frame, other), chains, strict=True):
            turn, origin = end.rotation, end.origin
            for k in chain[: chain.index(common)]:
                body = mechanism.bodies[k]
                Q, b = joint_placement(body, q)
                turn = compose(body.turn, compose(Q, turn))
                origin = body.arm + body.turn @ (b + Q @ origin)
            placed.append((turn, origin))
        (turn, origin), (axes, at) = placed
        return compose(axes.T, turn), axes.T @ (origin - at)

    @cached_property
    def velocities(self) -> SymbolicVelocities:
        """Velocity of the origin of every link's frame and angular velocity, `["link"].linear` and `.angular`, in world
        axes; `.linear` and `.angular` of all links are (links, 3).

        >>> import loadpath as lp
        >>> lp.catalog.two_link().equations(parameters="symbols").velocities["link2"].linear.T
        Matrix([[l1*qd1*cos(q1), 0, l1*qd1*sin(q1)]])
        """
        names = self._derivation.robot.link_names

        def velocity(link: str) -> SymbolicVelocity:
            linear, angular = self._link_velocities
            k = names.index(link)
            return SymbolicVelocity(self._matrix(linear[k]), self._matrix(angular[k]))

        return SymbolicVelocities("link", names, velocity)

    @cached_property
    def _link_velocities(self) -> tuple[Array, Array]:
        made = self._derivation
        return link_velocities(made.mechanism, made.q, made.qd)

    @cached_property
    def jacobians(self) -> Table[sympy.Matrix]:
        """Jacobians of all links by name, (6, n) each: as `jacobian` gives them."""
        return Table("link", self._derivation.robot.link_names, self.jacobian)

    def jacobian(self, link: str, point: Point | None = None) -> sympy.Matrix:
        """Jacobian of a link, (6, n): velocity of the origin of its frame, or of a point of the link with these
        coordinates in that frame, above its angular velocity, in world axes, per unit of each speed. Coordinates are
        numbers, symbols or names.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().equations(parameters="symbols").jacobian("link2", point=("x", 0, 0))[0, :]
        Matrix([[l1*cos(q1) + x*cos(q1 + q2), x*cos(q1 + q2)]])
        """
        made = self._derivation
        known(link, made.mechanism.link_frames, "link")
        place = None if point is None else self._point(link, point)
        return self._matrix(kinematics.jacobian(made.mechanism, made.q, link, place))

    def _point(self, link: str, point: Point) -> Array:
        """Coordinates of a point as polynomials."""
        if isinstance(point, str) or len(point) != 3:
            raise ValueError(f"the point of '{link}' is {point!r}: expected three coordinates in the link's frame")
        found: list[Scalar] = []
        for value in point:
            expression = sympy.sympify(value) if not isinstance(value, str) else _named(value)
            clash = sorted(map(str, expression.free_symbols & {*self.q, *self.qd, *self.qdd}))
            if clash:
                raise ValueError(f"a coordinate of the point of '{link}' is {value}, but {clash[0]} is the robot's "
                                 "motion: take another name")
            found.append(0.0 if expression == 0 else self._derivation.ring.from_sympy(expression))
        return array(found)


def _named(text: str) -> sympy.Expr:
    return sympy.Symbol(text) if text.isidentifier() else sympy.sympify(text)


# Energies of a robot in symbols, and the Lagrangian with its derivatives.


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
