"""Where the links of a robot are and how they move, in symbols: poses, velocities, Jacobians."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy

from loadpath.algorithms.link_motion import link_velocities
from loadpath.cached import cached_property
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
