"""Mass center, linear and angular momentum of the links that can move, in world axes."""

from __future__ import annotations

from loadpath.algorithms.composite_body import composites
from loadpath.mechanics.joint_motion import joint_columns, joint_placement
from loadpath.mechanics.kinematics import base_placement, moving_bodies, placements
from loadpath.mechanics.wrenches import towards_base
from loadpath.robot.mechanism import BASE, Mechanism
from loadpath.scalars import Array, array, cross, scale, zeros


def center_of_mass(mechanism: Mechanism, q: Array) -> Array:
    """Mass center of the links that can move."""
    mass, moment = 0.0, zeros(3)
    for body, at, moves in zip(mechanism.bodies, placements(mechanism, q), moving_bodies(mechanism), strict=True):
        if moves:
            mass = mass + body.mass
            moment = moment + scale(body.mass, at.origin) + at.to_world(body.moment)
    return scale(1.0 / mass, moment)


def momentum_at_base(mechanism: Mechanism, q: Array) -> Array:
    """Matrix (6, n) from qd to the linear momentum and, below it, the angular momentum about the origin of the base's
    frame, in its axes, while the base is at rest.
    """
    bodies = mechanism.bodies
    placement = [joint_placement(body, q) for body in bodies]
    composite = composites(mechanism, placement)
    columns = zeros(6, mechanism.n)
    for i, body in enumerate(bodies):
        for k, (angular, linear) in enumerate(joint_columns(body, q), start=body.v.start):
            p, h = composite[i].momentum(angular, linear)
            j = i
            while j != BASE:
                p, h = towards_base(bodies[j], *placement[j], p, h)
                j = bodies[j].parent
            columns[:, k] = columns[:, k] + array([*p, *h])
    return columns


def momentum_matrix(mechanism: Mechanism, q: Array) -> Array:
    """Matrix (6, n) from qd to the linear momentum and, below it, the angular momentum about the mass center."""
    columns = momentum_at_base(mechanism, q)
    base = base_placement(mechanism)
    center = center_of_mass(mechanism, q)
    for k in range(mechanism.n):
        p, h = base.to_world(columns[:3, k]), base.to_world(columns[3:, k])
        columns[:, k] = array([*p, *(h - cross(center - base.origin, p))])
    return columns


def momentum(mechanism: Mechanism, q: Array, qd: Array) -> tuple[Array, Array]:
    """Linear momentum, and angular momentum about the mass center."""
    both = momentum_matrix(mechanism, q) @ qd
    return both[:3], both[3:]
