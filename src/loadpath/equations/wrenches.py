"""What the joints of a robot carry, in symbols: force and torque in every direction, in all and by cause."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

import sympy

from loadpath.cached import cached_property
from loadpath.equations.symbolic import Symbolic, Table
from loadpath.formulations import joint_constraints, newton_euler, orthogonal_complement
from loadpath.formulations.generalized_motion import freedom_names
from loadpath.formulations.orthogonal_complement import dual_freedoms, kind_of
from loadpath.formulations.table import FORMULATIONS
from loadpath.mechanics.joint_motion import joint_placement
from loadpath.mechanics.kinematics import Placement, placements
from loadpath.mechanics.link_geometry import lineage
from loadpath.mechanics.wrenches import Wrench, on_bodies, towards_base
from loadpath.robot.numbers import known
from loadpath.scalars import Array, array

Axes = Literal["joint", "world", "parent"]
CauseKind = Literal["inertial", "centrifugal", "coriolis", "gravity"]
CauseKey = tuple[str, ...]
"""Kind of a cause and its names: ("inertial", "joint1"), ("coriolis", "joint1", "joint2"), ("gravity",)."""


@dataclass(frozen=True, eq=False)
class SymbolicWrench:
    """A force and a torque, (3, 1) each."""

    force: sympy.Matrix
    torque: sympy.Matrix


class SymbolicJointWrenches(Table[SymbolicWrench]):
    """Wrenches of all joints by name; `force` and `torque` are those of all, (joints, 3)."""

    @property
    def force(self) -> sympy.Matrix:
        """Forces, a row each joint."""
        return sympy.Matrix.vstack(*(wrench.force.T for wrench in self.values()))

    @property
    def torque(self) -> sympy.Matrix:
        """Torques, a row each joint."""
        return sympy.Matrix.vstack(*(wrench.torque.T for wrench in self.values()))


@dataclass(frozen=True, eq=False)
class SymbolicLoad(SymbolicWrench):
    """What one cause loads a joint with: its kind, the freedoms that move, the link that carries it if split by link,
    and the acceleration or product of speeds that force and torque are proportional to (1 for gravity).
    """

    kind: CauseKind
    names: tuple[str, ...]
    link: str | None
    _motion: sympy.Expr

    @property
    def motion(self) -> sympy.Expr:
        """qdd_k, qd_k^2, qd_k qd_l, or 1."""
        return self._motion


Coefficients = list[dict[int, sympy.Expr]]
"""Of the six components of a wrench, forces first: the factors of the monomials of speeds and accelerations."""


class Wrenches(Symbolic):
    """Wrenches at the joints."""

    @cached_property
    def joint_wrenches(self) -> SymbolicJointWrenches:
        """Force and torque at every joint, fixed ones too: `["joint2"].force` and `.torque`, (3, 1) each, at the
        joint's origin, in the child link's joint frame, exerted by the parent on the child, as `robot.joint_wrenches`
        gives them; `.force` and `.torque` of all joints are (joints, 3). By the formulation of the equations where it
        has reactions; lagrange-euler and lagrangian have none, and newton-euler stands in for them.

        >>> import loadpath as lp
        >>> arm = lp.catalog.two_link().equations(parameters="symbols")
        >>> arm.joint_wrenches["joint2"].force[0]
        m2*(-g*cos(q1 + q2) - l1*qd1**2*cos(q2) + l1*qdd1*sin(q2) - l2*(qd1 + qd2)**2)
        """
        return self.joint_wrenches_in("joint")

    def joint_wrenches_in(self, axes: Axes) -> SymbolicJointWrenches:
        """`joint_wrenches` in other axes: of the child's joint frame ("joint"), of the world ("world"), or of the frame
        of the joint's parent link ("parent"). They stay at the joint's origin.

        >>> import loadpath as lp
        >>> arm = lp.catalog.two_link().equations(parameters="symbols").joint_wrenches_in("world")
        >>> arm["joint2"].force[2].subs({"qd1": 0, "qd2": 0, "qdd1": 0, "qdd2": 0})
        g*m2
        """
        known(axes, get_args(Axes), "axes")

        def wrench(joint: str) -> SymbolicWrench:
            total = [self._gathered(part) for part in self._coefficients(joint, axes, None)]
            return SymbolicWrench(sympy.Matrix(total[:3]), sympy.Matrix(total[3:]))

        return SymbolicJointWrenches("joint", self._derivation.robot.joint_names, wrench)

    @cached_property
    def wrenches_by_cause(self) -> Table[dict[CauseKey, SymbolicLoad]]:
        """`joint_wrenches` cause by cause: for every joint, what each acceleration (inertial), each square of a speed
        (centrifugal), each product of two (coriolis) and gravity load it with. The sum over all causes is the wrench;
        causes that load no direction are left out. (3-114) to (3-124) of Lau's thesis.

        >>> import loadpath as lp
        >>> arm = lp.catalog.two_link().equations(parameters="symbols")
        >>> list(arm.wrenches_by_cause["joint2"])[:2]
        [('inertial', 'joint1'), ('inertial', 'joint2')]
        >>> arm.wrenches_by_cause["joint2"]["centrifugal", "joint1"].force.T
        Matrix([[-m2*qd1**2*(l1*cos(q2) + l2), l1*m2*qd1**2*sin(q2), 0]])
        """
        return self.loads_by_cause()

    def loads_by_cause(self, axes: Axes = "joint", *, by_link: bool = False) -> Table[dict[CauseKey, SymbolicLoad]]:
        """`wrenches_by_cause` in other axes (see `joint_wrenches_in`), or with the part that the mass of each link has
        in it by itself: keys then end with the link.

        >>> import loadpath as lp
        >>> arm = lp.catalog.two_link().equations(parameters="symbols")
        >>> arm.loads_by_cause("world", by_link=True)["joint1"]["gravity", "link2"].force.T
        Matrix([[0, 0, g*m2]])
        """
        known(axes, get_args(Axes), "axes")
        made = self._derivation

        def loads(joint: str) -> dict[CauseKey, SymbolicLoad]:
            links = [made.mechanism.bodies[k].name for k in self._beyond(joint)] if by_link else [None]
            found = [load for link in links for load in self._loads(joint, axes, link)]
            found.sort(key=lambda load: get_args(CauseKind).index(load.kind))
            return {(load.kind, *load.names, *([load.link] if load.link else [])): load for load in found}

        return Table("joint", made.robot.joint_names, loads)

    def _loads(self, joint: str, axes: Axes, link: str | None) -> Iterator[SymbolicLoad]:
        """The loads of one joint by cause, in the order of the freedoms."""
        made = self._derivation
        parts = self._coefficients(joint, axes, link)
        causes = {motion: self._cause(motion) for part in parts for motion in part}
        for motion, (kind, numbers) in sorted(causes.items(), key=lambda item: item[1][1]):
            factor = made.ring.monomial_expression(motion)
            entries = [self._gathered({motion: part[motion]} if motion in part else {}) for part in parts]
            names = tuple(self._speed_names[k] for k in numbers)
            names = names[:1] if kind == "centrifugal" else names
            yield SymbolicLoad(sympy.Matrix(entries[:3]), sympy.Matrix(entries[3:]), kind, names, link, factor)

    def _cause(self, motion: int) -> tuple[CauseKind, tuple[int, ...]]:
        """What a monomial of speeds and accelerations is the cause of, and the numbers of the speeds in it."""
        ring, n = self._derivation.ring, len(self.qd)
        place = {ring.generator(symbol): k for k, symbol in enumerate((*self.qd, *self.qdd))}
        numbers = sorted(place[g] for g, e in ring.exponents(motion).items() for _ in range(e))
        if not numbers:
            return "gravity", ()
        if len(numbers) == 1:
            return "inertial", (numbers[0] - n,)
        return ("centrifugal" if numbers[0] == numbers[1] else "coriolis"), tuple(numbers)

    @cached_property
    def _speed_names(self) -> list[str]:
        moving = [body for body in self._derivation.mechanism.bodies if body.joint.mimic is None]
        return [name for body in moving for name in freedom_names(body)]

    # Polynomials

    def _coefficients(self, joint: str, axes: Axes, link: str | None) -> Coefficients:
        key = (joint, axes, link)
        if key not in self._found:
            made = self._derivation
            row = made.robot.joint_names.index(joint)
            force, torque = self._wrench(row) if link is None else self._of_link(row, link)
            turned = [*self._turned(row, force, axes), *self._turned(row, torque, axes)]
            parts = [{motion: self._coefficient(terms) for motion, terms in made.by_motion(entry).items()}
                     for entry in turned]
            self._found[key] = [{motion: c for motion, c in part.items() if c != 0} for part in parts]
        return self._found[key]

    @cached_property
    def _found(self) -> dict[tuple[str, Axes, str | None], Coefficients]:
        return {}

    def _wrench(self, row: int) -> Wrench:
        force, torque = self._all_wrenches
        return Wrench(force[row], torque[row])

    @cached_property
    def _all_wrenches(self) -> tuple[Array, Array]:
        made = self._derivation
        equation = FORMULATIONS[made.formulation].joint_wrenches or newton_euler.joint_wrenches
        force, torque = made.run(equation, made.mechanism, made.q, made.qd, made.qdd)
        return force, torque

    def _of_link(self, row: int, link: str) -> Wrench:
        """What the mass of one link takes at a joint: its own wrench, carried towards the base."""
        made = self._derivation
        names = [body.name for body in made.mechanism.bodies]
        k = names.index(link)
        wrench = self._link_wrenches[k]
        while k != row:
            body = made.mechanism.bodies[k]
            wrench, k = towards_base(body, *joint_placement(body, made.q), *wrench), body.parent
        return wrench

    @cached_property
    def _link_wrenches(self) -> list[Wrench]:
        made = self._derivation
        links = newton_euler.outward(made.mechanism, made.q, made.qd, made.qdd)
        return newton_euler.link_wrenches(made.mechanism, links, on_bodies(made.mechanism, made.q, None))

    def _beyond(self, joint: str) -> list[int]:
        """The bodies that a joint carries."""
        paths = lineage(self._derivation.mechanism)
        row = self._derivation.robot.joint_names.index(joint)
        return [k for k, path in enumerate(paths) if row in path]

    def _turned(self, row: int, vector: Array, axes: Axes) -> Array:
        mechanism, q = self._derivation.mechanism, self._derivation.q
        if axes == "joint":
            return vector
        if axes == "world":
            return self._places[row].to_world(vector)
        body = mechanism.bodies[row]
        Q, _ = joint_placement(body, q)
        parent = next(frame for frame in mechanism.link_frames.values() if frame.body == body.parent)
        return parent.rotation.T @ (body.turn @ (Q @ vector))

    @cached_property
    def _places(self) -> list[Placement]:
        return placements(self._derivation.mechanism, self._derivation.q)


# The natural orthogonal complement in symbols (Angeles, section 7.5): T, its rate, K, and the constraint wrenches.
#
# Twists [omega_i; cdot_i] are about mass centers, in world axes; a block of six belongs to each joint and its link, in
# the order of `robot.joints`.


class Complement(Wrenches):
    """The matrices of the natural orthogonal complement."""

    @cached_property
    def T(self) -> sympy.Matrix:
        """The twist-shaping matrix, (6 links, n): twists of all links per unit of each speed, t = T qd (7.54).

        >>> import loadpath as lp
        >>> lp.catalog.two_link().equations(parameters="symbols").T[:6, 0].T
        Matrix([[0, -1, 0, l1*cos(q1), 0, l1*sin(q1)]])
        """
        return self._of(orthogonal_complement.T, self._derivation.q)

    @cached_property
    def T_dot(self) -> sympy.Matrix:
        """The time derivative of T, (6 links, n) (7.56).

        >>> import loadpath as lp
        >>> lp.catalog.two_link().equations(parameters="symbols").T_dot[:6, 0].T
        Matrix([[0, 0, 0, -l1*qd1*sin(q1), 0, l1*qd1*cos(q1)]])
        """
        return self._of(orthogonal_complement.Tdot, self._derivation.q, self._derivation.qd)

    @cached_property
    def K(self) -> sympy.Matrix:
        """The constraint matrix, (6 links, 6 links), K t = 0 (7.50): K T = 0.

        >>> import loadpath as lp
        >>> arm = lp.catalog.two_link().equations(parameters="symbols")
        >>> (arm.K * arm.T).applyfunc(sympy.expand_trig).expand().is_zero_matrix
        True
        """
        return self._of(orthogonal_complement.K, self._derivation.q)

    @cached_property
    def constraint_wrenches(self) -> sympy.Matrix:
        """w^C, (6 links, 1): torques about the mass centers and forces that the joints exert on the links across their
        freedoms, in world axes. T^T w^C = 0.
        """
        moments = [array([*joint.torque, *joint.force]) for joint in self._across]
        return self._of(orthogonal_complement.on_links, self._derivation.q, moments)

    @cached_property
    def multipliers(self) -> sympy.Matrix:
        """The shortest lambda with K^T lambda = w^C, (6 links, 1) (7.53): [e x n; f] of a revolute joint, [n; e x f] of
        a prismatic one, with n about the parent's mass center, in world axes; [n; f] of another, in its joint frame.
        f and n are what the joint carries across its freedoms, n at its origin where nothing else is said.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().equations(parameters="symbols").multipliers[11].subs({"qd1": 0, "qdd1": 0})
        m2*(g + l2*qd2**2*cos(q1 + q2) + l2*qdd2*sin(q1 + q2))
        """
        return self._of(joint_constraints.multipliers_of_joints, self._derivation.q, self._across)

    @cached_property
    def _across(self) -> list[Wrench]:
        """What each joint exerts across its freedoms, at its origin, in body axes: much shorter than in the world's,
        into which it is turned once.
        """
        made = self._derivation
        found = []
        for body, force, torque in zip(made.mechanism.bodies, *self._all_wrenches, strict=True):
            whole = array([*torque, *force])
            if body.motion.dof:
                _, S = kind_of(body, made.q)
                with made.ring.with_reciprocals():
                    dual = made.run(dual_freedoms, body, made.q)
                whole = whole - dual.T @ (S.T @ whole)
            found.append(Wrench(whole[3:], whole[:3]))
        return found
