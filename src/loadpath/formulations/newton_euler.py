"""Recursive Newton-Euler (Angeles, section 7.4): outward for motion, inward for forces.

Read beside the book, with three differences, each of which contains the book's case:

- Links are followed at their joint's origin O_i, not at their mass center C_i: the book's step (7.33b) from
  C_{i-1} to C_i through delta_{i-1} and rho_i is made from O_{i-1} to O_i through a_{i-1}, and m_i cddot_i is
  m_i oddot_i + W_i m_i rho_i, with W_i rho = omegadot_i x rho + omega_i x (omega_i x rho). Moments are about O_i.
- A joint may have any freedom: its turn Q_i, slide b_i and relative rates come from its class. For a revolute
  joint w_i = thetadot_i e_i and b_i = 0; for a prismatic one w_i = 0 and b_i = b_i e_i.
- A link may have several children (a tree); their wrenches add.

The base may move as well: its angular velocity, angular acceleration and acceleration start the recursion in place
of (7.35) and (7.44).

Everything of link i is in the axes of its own frame; Q_i^T (after the constant turn of the joint's placement)
brings the parent's vectors there. Wrenches are those that the parent exerts on the child.
"""

from __future__ import annotations

from typing import NamedTuple

from loadpath.formulations.formulation import Formulation, bias_from, gravity_from
from loadpath.mechanics.drives import at_joint_frames, from_wrenches
from loadpath.mechanics.joint_motion import JointMotion, joint_motion
from loadpath.mechanics.wrenches import (
    External,
    Wrench,
    angular_acceleration_matrix,
    at_frame,
    euler_torque,
    on_base,
    on_bodies,
    towards_base,
)
from loadpath.robot.mechanism import BASE, Mechanism
from loadpath.scalars import Array, cross, scale, zeros


class LinkMotion(NamedTuple):
    """Motion of a link, in its own axes."""

    joint: JointMotion
    omega: Array
    omegadot: Array
    W: Array
    """[omegadot]x + [omega]x^2."""
    oddot: Array
    """Acceleration of the origin, minus gravity."""


class BaseMotion(NamedTuple):
    """Motion of the base, in the axes and of the origin of its frame."""

    omega: Array
    omegadot: Array
    W: Array
    """[omegadot]x + [omega]x^2."""
    oddot: Array
    """Acceleration of the origin, minus gravity."""


def base_motion(
    mechanism: Mechanism, base_velocity: Array | None = None, base_acceleration: Array | None = None
) -> BaseMotion:
    """From velocity and acceleration (linear first) of the root link's origin, in the root link's axes, to those of the
    base's frame. What is not given is zero. Forces do not depend on the linear velocity.
    """
    if base_velocity is None and base_acceleration is None:
        # The base is at rest (7.35), but accelerates against gravity (7.44).
        return BaseMotion(zeros(3), zeros(3), zeros(3, 3), -mechanism.gravity)
    to_base = mechanism.base.rotation
    omega = zeros(3) if base_velocity is None else to_base @ base_velocity[3:]
    omegadot = zeros(3) if base_acceleration is None else to_base @ base_acceleration[3:]
    W = angular_acceleration_matrix(omega, omegadot)
    root = zeros(3) if base_acceleration is None else to_base @ base_acceleration[:3]
    return BaseMotion(omega, omegadot, W, root - W @ mechanism.base.origin - mechanism.gravity)


def outward(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
) -> list[LinkMotion]:
    """Algorithm 7.4.1: the motion of every link from the base outwards."""
    base = base_motion(mechanism, base_velocity, base_acceleration)
    links: list[LinkMotion] = []
    for body in mechanism.bodies:
        if body.parent == BASE:
            omega, omegadot, W, oddot = base
        else:
            _, omega, omegadot, W, oddot = links[body.parent]
        move = joint_motion(body, q, qd, qdd)
        Q, b, w, wdot, u, udot = move
        # The point of the parent where the joint sits, seen in the axes before the joint's motion.
        omega_f = body.turn.T @ omega
        omegadot_f = body.turn.T @ omegadot
        oddot_f = body.turn.T @ (oddot + W @ body.arm)
        W_f = angular_acceleration_matrix(omega_f, omegadot_f)
        # After the motion, in the link's own axes.
        omega_p = Q.T @ omega_f
        omega_i = omega_p + w  # (7.26a)
        omegadot_i = Q.T @ omegadot_f + cross(omega_p, w) + wdot  # (7.26b)
        oddot_i = Q.T @ (oddot_f + W_f @ b) + scale(2.0, cross(omega_p, u)) + cross(w, u) + udot  # (7.33b), (7.34f)
        W_i = angular_acceleration_matrix(omega_i, omegadot_i)
        links.append(LinkMotion(move, omega_i, omegadot_i, W_i, oddot_i))
    return links


def link_wrenches(mechanism: Mechanism, links: list[LinkMotion], external: list[Wrench]) -> list[Wrench]:
    """What each link by itself takes to move as it does, less what the surroundings give: about O_i, in its axes."""
    wrenches = []
    for body, (_, omega, omegadot, W, oddot), (f, n) in zip(mechanism.bodies, links, external, strict=True):
        force = scale(body.mass, oddot) + W @ body.moment - f  # (7.38a)
        torque = euler_torque(body.inertia, W, omega, omegadot) + cross(body.moment, oddot) - n  # (7.38b)
        wrenches.append(Wrench(force, torque))
    return wrenches


def inward(mechanism: Mechanism, links: list[LinkMotion], external: list[Wrench]) -> list[Wrench]:
    """Algorithm 7.4.2: the wrench at every joint from the tips inwards, in the link's axes, about O_i."""
    joints = link_wrenches(mechanism, links, external)
    for i in reversed(range(len(links))):
        body, (f_i, n_i) = mechanism.bodies[i], joints[i]
        if body.parent != BASE:
            phi, nu = towards_base(body, links[i].joint.Q, links[i].joint.b, f_i, n_i)  # Q f_i, Q n_i + a x phi
            f, n = joints[body.parent]
            joints[body.parent] = Wrench(f + phi, n + nu)  # (7.38c, d)
    return joints


def inverse_dynamics(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
) -> Array:
    """Forces of the drives for a motion: the part of each joint wrench along the joint's freedoms (7.39, 7.40),
    plus friction and rotor inertia.
    """
    links = outward(mechanism, q, qd, qdd, base_velocity, base_acceleration)
    return from_wrenches(mechanism, q, qd, qdd, inward(mechanism, links, on_bodies(mechanism, q, external)))


def joint_wrenches(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
) -> tuple[Array, Array]:
    """Force and torque at every joint, each (joints, 3): at the joint's origin, in the child's joint frame, exerted
    by the parent on the child. Friction and rotors are inside the drive and load no bearing.
    """
    links = outward(mechanism, q, qd, qdd, base_velocity, base_acceleration)
    return at_joint_frames(mechanism, q, inward(mechanism, links, on_bodies(mechanism, q, external)))


def base_wrench(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
) -> tuple[Array, Array]:
    """Force and torque that the surroundings must exert on the root link, added to the external wrenches, for the robot
    and its base to move as they do: at the root link's origin, in its axes. The root link's own mass counts.
    """
    _, _, W, oddot = base = base_motion(mechanism, base_velocity, base_acceleration)
    own, given = mechanism.base_inertia, on_base(mechanism, external)
    force = scale(own.mass, oddot) + W @ own.moment - given.force
    torque = euler_torque(own.inertia, W, base.omega, base.omegadot) + cross(own.moment, oddot) - given.torque
    links = outward(mechanism, q, qd, qdd, base_velocity, base_acceleration)
    joints = inward(mechanism, links, on_bodies(mechanism, q, external))
    for body, link, (f_i, n_i) in zip(mechanism.bodies, links, joints, strict=True):
        if body.parent == BASE:
            phi, nu = towards_base(body, link.joint.Q, link.joint.b, f_i, n_i)
            force, torque = force + phi, torque + nu
    return at_frame(mechanism.base, force, torque)


def static_wrenches(mechanism: Mechanism, q: Array, external: External | None = None) -> tuple[Array, Array]:
    """`joint_wrenches` of the robot at rest, under gravity and external wrenches."""
    still = zeros(mechanism.n)
    return joint_wrenches(mechanism, q, still, still, external)


gravity_forces = gravity_from(inverse_dynamics)
bias_forces = bias_from(inverse_dynamics)

FORMULATION = Formulation(
    name="newton-euler",
    citation="Angeles, section 7.4",
    inverse_dynamics=inverse_dynamics,
    gravity_forces=gravity_forces,
    bias_forces=bias_forces,
    joint_wrenches=joint_wrenches,
)
