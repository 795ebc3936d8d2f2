"""From wrenches at the joints to forces of the drives: what lies along the freedoms, friction, rotors, springs."""

from __future__ import annotations

from collections.abc import Callable

from loadpath.mechanics.joint_motion import joint_columns
from loadpath.mechanics.springs import line_wrench, torsion_forces
from loadpath.mechanics.wrenches import Wrench, at_frame
from loadpath.robot.mechanism import Body, Mechanism
from loadpath.scalars import Array, Scalar, dot, exp, is_zero, sign, zeros


def project(body: Body, q: Array, force: Array, torque: Array) -> list[Scalar]:
    """The forces along the speeds of a joint that a joint wrench (in body axes, at its origin) holds (7.39, 7.40)."""
    return [dot(angular, torque) + dot(linear, force) for angular, linear in joint_columns(body, q)]


def friction_forces(body: Body, qd: Array) -> list[Scalar]:
    """What friction takes from the drive, per speed of the robot; the law is that of `lp.Friction`."""
    k = body.multiplier
    return [k * force for force in _friction(body, qd)]


def _friction(body: Body, qd: Array) -> list[Scalar]:
    """Friction per speed of the joint's own."""
    joint, k = body.joint, body.multiplier
    forces = []
    for i, speed in enumerate(k * qd[body.v] if k != 1 else qd[body.v]):
        force: Scalar = joint.viscous_friction[i] * speed
        more = joint.stribeck[i]
        if more is not None:
            share = speed * sign(speed) / more.speed
            surplus = (more.static - joint.coulomb_friction[i]) * exp(-(share * share if more.exponent == 2 else share))
            force = force + (joint.coulomb_friction[i] + surplus) * sign(speed)
        elif not is_zero(joint.coulomb_friction[i]):
            force = force + joint.coulomb_friction[i] * sign(speed)
        forces.append(force)
    return forces


def rotor_forces(body: Body, qdd: Array) -> list[Scalar]:
    """What it takes to turn the rotors, per speed of the robot."""
    k = body.multiplier
    inertias = zip(body.joint.reflected_inertia, qdd[body.v], strict=True)
    return [k * (k * inertia * acceleration) for inertia, acceleration in inertias]


def spring_forces(body: Body, q: Array) -> list[Scalar]:
    """What springs take from the drive, per speed of the robot."""
    if not any(body.joint.springs):
        return [0.0] * body.motion.dof
    forces = [body.multiplier * force for force in torsion_forces(body, q)]
    pulled = line_wrench(body, q)
    if pulled is None:
        return forces
    return [force - along for force, along in zip(forces, project(body, q, *pulled), strict=True)]


def drive_forces(body: Body, q: Array, qd: Array, qdd: Array) -> list[Scalar]:
    """What the drive needs in addition to the wrench that goes through the joint: rotor inertia, friction and springs,
    per speed of the robot.

    The rotor counts through its reflected inertia alone; its gyroscopic effect on the links is left out.
    """
    joint, k = body.joint, body.multiplier
    forces: list[Scalar] = []
    for friction, inertia, acceleration in zip(_friction(body, qd), joint.reflected_inertia, qdd[body.v], strict=True):
        forces.append(k * (k * inertia * acceleration + friction))
    if not any(joint.springs):
        return forces
    return [force + spring for force, spring in zip(forces, spring_forces(body, q), strict=True)]


def along_speeds(mechanism: Mechanism, of_body: Callable[[Body], list[Scalar]]) -> Array:
    """Forces of all bodies' joints, summed per speed of the robot."""
    tau = zeros(mechanism.n)
    for body in mechanism.bodies:
        for k, force in enumerate(of_body(body), start=body.v.start):
            tau[k] = tau[k] + force
    return tau


def friction_and_rotors(mechanism: Mechanism, qd: Array, qdd: Array) -> Array:
    """What friction and rotors take from all drives, per speed of the robot."""
    return along_speeds(mechanism, lambda body: [
        friction + rotor for friction, rotor in zip(friction_forces(body, qd), rotor_forces(body, qdd), strict=True)
    ])


def springs_of_drives(mechanism: Mechanism, q: Array) -> Array:
    """What springs take from all drives, per speed of the robot."""
    return along_speeds(mechanism, lambda body: spring_forces(body, q))


def inside_drives(mechanism: Mechanism, q: Array, qd: Array, qdd: Array) -> Array:
    """What all drives need in addition to what goes through the joints, per speed of the robot: friction, rotors and
    springs.
    """
    return along_speeds(mechanism, lambda body: drive_forces(body, q, qd, qdd))


def from_wrenches(mechanism: Mechanism, q: Array, qd: Array, qdd: Array, wrenches: list[Wrench]) -> Array:
    """Forces of the drives for given wrenches through the joints (in the bodies' axes, about their origins)."""
    tau = zeros(mechanism.n)
    for body, (f, n) in zip(mechanism.bodies, wrenches, strict=True):
        forces = zip(project(body, q, f, n), drive_forces(body, q, qd, qdd), strict=True)
        for k, (through, drive) in enumerate(forces, start=body.v.start):
            tau[k] = tau[k] + through + drive
    return tau


def carried(mechanism: Mechanism, q: Array, wrenches: list[Wrench]) -> list[Wrench]:
    """What bearings and drives carry of the wrenches through the joints: all but what line springs take past them."""
    found = []
    for body, wrench in zip(mechanism.bodies, wrenches, strict=True):
        pulled = line_wrench(body, q)
        found.append(wrench if pulled is None else Wrench(wrench.force - pulled.force, wrench.torque - pulled.torque))
    return found


def with_rotors(mechanism: Mechanism, M: Array) -> Array:
    """A mass matrix of the links with the rotors' reflected inertia added on its diagonal."""
    result = M.copy()
    for body in mechanism.bodies:
        for k, rotor in enumerate(body.joint.reflected_inertia, start=body.v.start):
            result[k, k] = result[k, k] + body.multiplier * body.multiplier * rotor
    return result


def at_joint_frames(mechanism: Mechanism, q: Array, through: list[Wrench]) -> tuple[Array, Array]:
    """Force and torque that every joint carries, each (joints, 3), in the child's joint frame, from the wrenches
    through the joints at body origins.
    """
    return in_joint_frames(mechanism, carried(mechanism, q, through))


def in_joint_frames(mechanism: Mechanism, wrenches: list[Wrench]) -> tuple[Array, Array]:
    """Force and torque at every joint, each (joints, 3), in the child's joint frame, from those at body origins."""
    force, torque = zeros(len(mechanism.joint_frames), 3), zeros(len(mechanism.joint_frames), 3)
    for row, frame in enumerate(mechanism.joint_frames.values()):
        force[row], torque[row] = at_frame(frame, *wrenches[frame.body])
    return force, torque
