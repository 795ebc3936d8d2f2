"""From the wrenches at the joints to the forces of the drives: what lies along the freedoms, friction and rotors."""

from __future__ import annotations

from loadpath.mechanics.joint_motion import joint_columns
from loadpath.mechanics.wrenches import Wrench, at_frame
from loadpath.robot.mechanism import Body, Mechanism
from loadpath.scalars import Array, Scalar, dot, sign, zeros


def project(body: Body, q: Array, force: Array, torque: Array) -> list[Scalar]:
    """The forces along the speeds of a joint that a joint wrench (in body axes, at its origin) holds (7.39, 7.40)."""
    return [dot(angular, torque) + dot(linear, force) for angular, linear in joint_columns(body, q)]


def drive_forces(body: Body, qd: Array, qdd: Array) -> list[Scalar]:
    """What the drive needs in addition to the joint wrench: rotor inertia and friction, per speed of the robot.

    The rotor counts through its reflected inertia alone; its gyroscopic effect on the links is left out.
    """
    joint, k = body.joint, body.multiplier
    forces = []
    for i, (speed, acceleration) in enumerate(zip(k * qd[body.v] if k != 1 else qd[body.v], qdd[body.v], strict=True)):
        force: Scalar = k * joint.reflected_inertia[i] * acceleration + joint.viscous_friction[i] * speed
        if joint.coulomb_friction[i]:
            force = force + joint.coulomb_friction[i] * sign(speed)
        forces.append(k * force)
    return forces


def friction_and_rotors(mechanism: Mechanism, qd: Array, qdd: Array) -> Array:
    """What all drives need in addition to what the joints carry, per speed of the robot."""
    tau = zeros(mechanism.n)
    for body in mechanism.bodies:
        for k, force in enumerate(drive_forces(body, qd, qdd), start=body.v.start):
            tau[k] = tau[k] + force
    return tau


def from_wrenches(mechanism: Mechanism, q: Array, qd: Array, qdd: Array, wrenches: list[Wrench]) -> Array:
    """Forces of the drives for given joint wrenches (in the bodies' axes, about their origins)."""
    tau = zeros(mechanism.n)
    for body, (f, n) in zip(mechanism.bodies, wrenches, strict=True):
        forces = zip(project(body, q, f, n), drive_forces(body, qd, qdd), strict=True)
        for k, (carried, drive) in enumerate(forces, start=body.v.start):
            tau[k] = tau[k] + carried + drive
    return tau


def with_rotors(mechanism: Mechanism, M: Array) -> Array:
    """A mass matrix of the links with the rotors' reflected inertia added on its diagonal."""
    result = M.copy()
    for body in mechanism.bodies:
        for k, rotor in enumerate(body.joint.reflected_inertia, start=body.v.start):
            result[k, k] = result[k, k] + body.multiplier * body.multiplier * rotor
    return result


def at_joint_frames(mechanism: Mechanism, wrenches: list[Wrench]) -> tuple[Array, Array]:
    """Force and torque at every joint, each (joints, 3), in the child's joint frame, from those at body origins."""
    force, torque = zeros(len(mechanism.joint_frames), 3), zeros(len(mechanism.joint_frames), 3)
    for row, frame in enumerate(mechanism.joint_frames.values()):
        force[row], torque[row] = at_frame(frame, *wrenches[frame.body])
    return force, torque
