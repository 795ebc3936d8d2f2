"""Kinetic and potential energy, link by link."""

from __future__ import annotations

from loadpath.mechanics import springs
from loadpath.mechanics.kinematics import base_placement, body_velocities, moving_bodies, placements
from loadpath.robot.mechanism import Mechanism
from loadpath.scalars import Array, Scalar, cross, dot


def kinetic_energy(mechanism: Mechanism, q: Array, qd: Array) -> Scalar:
    """Sum over the links, plus that of the rotors through their reflected inertia."""
    energy: Scalar = 0.0
    for part in (*link_kinetic_energies(mechanism, q, qd), *rotor_energies(mechanism, qd)):
        energy = energy + part
    return energy


def link_kinetic_energies(mechanism: Mechanism, q: Array, qd: Array) -> list[Scalar]:
    """(m v.v + 2 v.(omega x m rho) + omega.I omega) / 2 of every body, all about its origin."""
    energies = []
    for body, (omega_i, v_i) in zip(mechanism.bodies, body_velocities(mechanism, q, qd), strict=True):
        spin = dot(omega_i, body.inertia @ omega_i) + 2.0 * dot(v_i, cross(omega_i, body.moment))
        energies.append(0.5 * (body.mass * dot(v_i, v_i) + spin))
    return energies


def rotor_energies(mechanism: Mechanism, qd: Array) -> list[Scalar]:
    """Of the rotors of all joints, one after the other."""
    return [
        0.5 * (body.multiplier * body.multiplier * rotor) * (qd[k] * qd[k])
        for body in mechanism.bodies
        for k, rotor in enumerate(body.joint.reflected_inertia, start=body.v.start)
    ]


def potential_energy(mechanism: Mechanism, q: Array) -> Scalar:
    """Sum over the links that can move, zero for mass at the world's origin, and over the springs of the joints."""
    energy: Scalar = 0.0
    for part in link_potential_energies(mechanism, q):
        energy = energy + part
    for body in mechanism.bodies:
        if any(body.joint.springs):
            energy = energy + springs.energy(body, q)
    return energy


def link_potential_energies(mechanism: Mechanism, q: Array) -> list[Scalar]:
    """-m g.c of every body that can move, zero of the others."""
    gravity = base_placement(mechanism).to_world(mechanism.gravity)
    energies: list[Scalar] = []
    for body, at, moves in zip(mechanism.bodies, placements(mechanism, q), moving_bodies(mechanism), strict=True):
        own: Scalar = -body.mass * dot(gravity, at.origin) - dot(gravity, at.to_world(body.moment)) if moves else 0.0
        energies.append(own)
    return energies
