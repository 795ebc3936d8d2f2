"""The inverse dynamics of a closed chain by any formulation of its open tree.

Every function returns the forces of the drives (n), zeros at passive joints, and the `status` of the state.
"""

from __future__ import annotations

from collections.abc import Callable

from loadpath.algorithms.composite_body import mass_matrix
from loadpath.algorithms.loops.completion import completed, constraints, held_by_drives
from loadpath.algorithms.loops.drives import drive_forces
from loadpath.algorithms.loops.idle import idle_columns, with_idle_accelerations
from loadpath.algorithms.loops.rows import constraint_jacobian, constraint_rate
from loadpath.algorithms.loops.sparse import product
from loadpath.algorithms.loops.status import status
from loadpath.formulations.formulation import Equation
from loadpath.mechanics.wrenches import External
from loadpath.robot.mechanism import Mechanism
from loadpath.scalars import Array, zeros

ClosedEquation = Callable[..., tuple[Array, Array]]
"""From a mechanism and arrays to forces (n) and the status of the state."""


def closed_inverse_dynamics(of_tree: Equation) -> ClosedEquation:
    """The inverse dynamics with loops, from that of the open tree."""

    def inverse_dynamics(
        mechanism: Mechanism,
        q: Array,
        qd: Array,
        qdd: Array,
        external: External | None = None,
        base_velocity: Array | None = None,
        base_acceleration: Array | None = None,
        weights: Array | None = None,
        preload: Array | None = None,
    ) -> tuple[Array, Array]:
        given = held_by_drives(mechanism, constraint_jacobian(mechanism, q))
        loads = external, base_velocity, base_acceleration
        tau = of_tree(mechanism, q, qd, with_idle_accelerations(mechanism, q, qd, qdd, *loads), *loads)
        return drive_forces(mechanism, given, tau, weights, preload), status(mechanism, q, given, qd, qdd)

    return inverse_dynamics


def closed_gravity_forces(of_tree: Equation) -> ClosedEquation:
    """The forces of the drives that hold the robot still, from the gravity forces of the open tree."""

    def gravity_forces(
        mechanism: Mechanism, q: Array, weights: Array | None = None, preload: Array | None = None
    ) -> tuple[Array, Array]:
        given = held_by_drives(mechanism, constraint_jacobian(mechanism, q))
        tau, still = of_tree(mechanism, q), zeros(mechanism.n)
        if idle_columns(mechanism):
            falling = with_idle_accelerations(mechanism, q, still, still)
            tau = tau + product(mass_matrix(mechanism, q), falling)
        return drive_forces(mechanism, given, tau, weights, preload), status(mechanism, q, given)

    return gravity_forces


def closed_bias_forces(of_tree: Equation) -> ClosedEquation:
    """The forces of the drives for no acceleration of the independent speeds, from the tree's inverse dynamics."""

    def bias_forces(
        mechanism: Mechanism,
        q: Array,
        qd: Array,
        external: External | None = None,
        base_velocity: Array | None = None,
        base_acceleration: Array | None = None,
        weights: Array | None = None,
        preload: Array | None = None,
    ) -> tuple[Array, Array]:
        given = constraints(mechanism, q)
        qdd = completed(
            mechanism, given, zeros(len(mechanism.split.independent)), constraint_rate(mechanism, q, qd)
        )
        loads = external, base_velocity, base_acceleration
        tau = of_tree(mechanism, q, qd, with_idle_accelerations(mechanism, q, qd, qdd, *loads), *loads)
        drives = held_by_drives(mechanism, given.J)
        return drive_forces(mechanism, drives, tau, weights, preload), status(mechanism, q, given, qd)

    return bias_forces
