"""The natural orthogonal complement in symbols (Angeles, section 7.5): T, its rate, K, and the constraint wrenches.

Twists [omega_i; cdot_i] are about mass centers, in world axes; a block of six belongs to each joint and its link, in
the order of `robot.joints`.
"""

from __future__ import annotations

import sympy

from loadpath.cached import cached_property
from loadpath.equations.wrenches import Wrenches
from loadpath.formulations import joint_constraints, orthogonal_complement
from loadpath.formulations.joint_freedoms import dual_freedoms, kind_of
from loadpath.mechanics.wrenches import Wrench
from loadpath.scalars import array


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
