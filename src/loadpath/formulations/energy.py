"""Kinetic and potential energy, link by link."""

from __future__ import annotations

from loadpath.formulations.joint_motion import joint_motion
from loadpath.formulations.kinematics import base_placement, placements
from loadpath.formulations.momentum import moving_bodies
from loadpath.robot.mechanism import BASE, Mechanism
from loadpath.scalars import Array, Scalar, cross, dot, zeros


def kinetic_energy(mechanism: Mechanism, q: Array, qd: Array) -> Scalar:
    """Sum over the links of (m v.v + 2 v.(omega x m rho) + omega.I omega) / 2, all about the link's origin,
    plus that of the rotors through their reflected inertia.
    """
    rest = zeros(mechanism.n)
    omegas: list[Array] = []
    velocities: list[Array] = []
    energy: Scalar = 0.0
    for body in mechanism.bodies:
        omega, v = (zeros(3), zeros(3)) if body.parent == BASE else (omegas[body.parent], velocities[body.parent])
        move = joint_motion(body, q, qd, rest)
        omega_f = body.turn.T @ omega
        v_f = body.turn.T @ (v + cross(omega, body.arm))
        omega_i = move.Q.T @ omega_f + move.w  # (7.26a)
        v_i = move.Q.T @ (v_f + cross(omega_f, move.b)) + move.u  # (7.33a), (7.34e), at the origin
        omegas.append(omega_i)
        velocities.append(v_i)
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
