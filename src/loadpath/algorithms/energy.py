"""Kinetic and potential energy, link by link."""

from __future__ import annotations

from loadpath.mechanics.kinematics import base_placement, moving_bodies, placements
from loadpath.mechanics.velocities import body_velocities
from loadpath.robot.mechanism import Mechanism
from loadpath.scalars import Array, Scalar, cross, dot


def kinetic_energy(mechanism: Mechanism, q: Array, qd: Array) -> Scalar:
    """Sum over the links of (m v.v + 2 v.(omega x m rho) + omega.I omega) / 2, all about the link's origin,
    plus that of the rotors through their reflected inertia.
    """
    energy: Scalar = 0.0
    for body, (omega_i, v_i) in zip(mechanism.bodies, body_velocities(mechanism, q, qd), strict=True):
        spin = dot(omega_i, body.inertia @ omega_i) + 2.0 * dot(v_i, cross(omega_i, body.moment))
        energy = energy + 0.5 * (body.mass * dot(v_i, v_i) + spin)
        for k, rotor in enumerate(body.joint.reflected_inertia, start=body.v.start):
            energy = energy + 0.5 * (body.multiplier * body.multiplier * rotor) * (qd[k] * qd[k])
    return energy


def potential_energy(mechanism: Mechanism, q: Array) -> Scalar:
    """Minus the sum of m g.c over the links that can move; zero for mass at the world's origin."""
    base = base_placement(mechanism)
    gravity = base.to_world(mechanism.gravity)
    energy: Scalar = 0.0
    for body, at, moves in zip(mechanism.bodies, placements(mechanism, q), moving_bodies(mechanism), strict=True):
        if moves:
            energy = energy - body.mass * dot(gravity, at.origin) - dot(gravity, at.to_world(body.moment))
    return energy
