"""The mass matrix by composite bodies (Walker and Orin 1982; Featherstone 2008, section 6.2).

Joint i alone moves everything beyond it as one rigid body. The momentum of that composite body per unit of speed,
carried inwards, gives column i of the mass matrix.
"""

from __future__ import annotations

from typing import NamedTuple

from loadpath.formulations.formulation import accelerations_from
from loadpath.formulations.newton_euler import inverse_dynamics
from loadpath.mechanics.drives import with_rotors
from loadpath.mechanics.joint_motion import joint_columns, joint_placement
from loadpath.mechanics.wrenches import towards_base
from loadpath.robot.mechanism import BASE, Mechanism
from loadpath.scalars import (
    LTDL,
    Array,
    Rotation,
    Scalar,
    cross,
    dot,
    is_zero,
    ltdl,
    parallel_axis,
    scale,
    zeros,
)


class RigidInertia(NamedTuple):
    """Mass, first moment and inertia tensor about the origin of the axes that they are in."""

    mass: Scalar
    moment: Array
    tensor: Array

    def __add__(self, other: RigidInertia) -> RigidInertia:  # type: ignore[override]
        return RigidInertia(self.mass + other.mass, self.moment + other.moment, self.tensor + other.tensor)

    def turned(self, Q: Rotation) -> RigidInertia:
        """The same body in the axes before a turn."""
        return RigidInertia(self.mass, Q @ self.moment, Q.tensor(self.tensor))

    def shifted(self, a: Array) -> RigidInertia:
        """The same body about another origin, from where the present one is at `a`."""
        if all(is_zero(x) for x in a):
            return self
        tensor = self.tensor + parallel_axis(self.mass, self.moment, a)
        return RigidInertia(self.mass, self.moment + scale(self.mass, a), tensor)

    def momentum(self, angular: Array, linear: Array) -> tuple[Array, Array]:
        """Linear and angular momentum (about the origin) for a motion of the body."""
        return (
            scale(self.mass, linear) + cross(angular, self.moment),
            self.tensor @ angular + cross(self.moment, linear),
        )


def composites(mechanism: Mechanism, placement: list[tuple[Rotation, Array]]) -> list[RigidInertia]:
    """For every body, it and all that is beyond it as one rigid body, about its origin, in its axes."""
    bodies = mechanism.bodies
    result = [RigidInertia(body.mass, body.moment, body.inertia) for body in bodies]
    for i in reversed(range(len(bodies))):
        if bodies[i].parent != BASE:
            Q, b = placement[i]
            seen = result[i].turned(Q).shifted(b).turned(bodies[i].turn).shifted(bodies[i].arm)
            result[bodies[i].parent] = result[bodies[i].parent] + seen
    return result


def mass_matrix(mechanism: Mechanism, q: Array) -> Array:
    """The mass matrix (n, n), with the rotors' reflected inertia on its diagonal."""
    bodies = mechanism.bodies
    placement = [joint_placement(body, q) for body in bodies]
    columns = [joint_columns(body, q) for body in bodies]
    composite = composites(mechanism, placement)
    M = zeros(mechanism.n, mechanism.n)
    for i in reversed(range(len(bodies))):
        for k, (angular, linear) in enumerate(columns[i], start=bodies[i].v.start):
            momentum = composite[i].momentum(angular, linear)
            _add_column(mechanism, M, k, i, momentum, placement, columns)
    return with_rotors(mechanism, M)


def _add_column(
    mechanism: Mechanism,
    M: Array,
    k: int,
    i: int,
    momentum: tuple[Array, Array],
    placement: list[tuple[Rotation, Array]],
    columns: list[list[tuple[Array, Array]]],
) -> None:
    """Column k, which moves body i and what is beyond it, into rows of body i and of those towards the base."""
    force, torque = momentum
    j = i
    while True:
        body = mechanism.bodies[j]
        for row, (angular, linear) in enumerate(columns[j], start=body.v.start):
            if j == i and row > k:
                break  # this corner of the joint's own block comes from its other columns
            entry = dot(angular, torque) + dot(linear, force)
            M[row, k] = M[row, k] + entry
            if j != i or row != k:
                M[k, row] = M[k, row] + entry
        if body.parent == BASE:
            return
        force, torque = towards_base(body, *placement[j], force, torque)
        j = body.parent


def factored_mass_matrix(mechanism: Mechanism, q: Array) -> LTDL:
    """Factors of the mass matrix."""
    return ltdl(mass_matrix(mechanism, q))


def mass_matrix_inverse(mechanism: Mechanism, q: Array) -> Array:
    """Inverse of the mass matrix (n, n)."""
    return factored_mass_matrix(mechanism, q).inverse()


forward_dynamics = accelerations_from(inverse_dynamics, mass_matrix)
