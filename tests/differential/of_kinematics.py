"""Poses, Jacobians, link motions, momentum, energies and free bases, against Pinocchio."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pinocchio as pin

import loadpath as lp
from differential.choices import link_of
from differential.register import Compared, check
from differential.robots import Case
from loadpath.mechanics.kinematics import link_poses as poses_of
from loadpath.robot.mechanism import Mechanism
from loadpath.scalars import Array, array, dot, sqrt


@check("Robot.link_poses", against="Pinocchio, forward kinematics", bound=1e-11)
def link_poses(case: Case) -> Iterator[Compared]:
    found, expected = case.robot.link_poses(case.state[0]), case.peer.link_poses(case.state[0])
    yield Compared(found[:, :3, :3], expected[:, :3, :3])
    yield Compared(found[:, :3, 3], expected[:, :3, 3])


@check("Robot.jacobian(point=)", "Robot.jacobian_dot(point=)", against="Pinocchio, a frame at the point", bound=1e-10)
def jacobian_of_a_point(case: Case) -> Iterator[Compared]:
    robot, peer, (q, qd, _) = case.robot, case.peer, case.state
    link, point = link_of(case, "link"), case.length * case.rng("point").normal(size=3)
    if not peer.body_of[link]:
        yield Compared(robot.jacobian(q, link, point=point), np.zeros((6, robot.n)))
        return
    model, place = peer.model.copy(), peer.offset_of[link] * pin.SE3(np.eye(3), point)
    frame = model.addFrame(pin.Frame("~", peer.body_of[link], 0, place, pin.FrameType.OP_FRAME))
    data, world, size = model.createData(), pin.ReferenceFrame.LOCAL_WORLD_ALIGNED, max(1.0, case.length)
    pin.computeJointJacobiansTimeVariation(model, data, peer.q(q), peer.v(qd))
    pin.updateFramePlacements(model, data)
    J, rate = (np.reshape(of(model, data, frame, world), (6, -1)) @ peer.speeds
               for of in (pin.getFrameJacobian, pin.getFrameJacobianTimeVariation))
    yield Compared(robot.jacobian(q, link, point=point), J, size)
    yield Compared(robot.jacobian_dot(q, qd, link, point=point), rate, size * np.abs(qd).max())


def distances(mechanism: Mechanism, q: Array) -> Array:
    """From the base to the origin of every link."""
    return array([sqrt(dot(pose[:3, 3], pose[:3, 3]) + 1.0) for pose in poses_of(mechanism, q)])


@check("quantity", against="NumPy on the link poses of Pinocchio", bound=1e-11)
def own_quantity(case: Case) -> Iterator[Compared]:
    q = np.stack([case.state[0], case.robot.neutral()])
    places = np.array([case.peer.link_poses(row)[:, :3, 3] for row in q])
    found = lp.quantity(distances, "(q)->(l)")(case.robot, q)
    yield Compared(found, np.sqrt((places**2).sum(axis=-1) + 1.0))


@check("Robot.jacobian", "Robot.jacobian_dot", against="Pinocchio, frame Jacobian and its time variation", bound=1e-10)
def jacobian(case: Case) -> Iterator[Compared]:
    robot, peer, (q, qd, _) = case.robot, case.peer, case.state
    link = link_of(case, "link")
    size = max(1.0, case.length)
    yield Compared(robot.jacobian(q, link), peer.jacobian(q, link), size)
    body = peer.body_of[link]
    if body:
        model = peer.model.copy()
        frame = model.addFrame(pin.Frame("~", body, 0, peer.offset_of[link], pin.FrameType.OP_FRAME))
        data = model.createData()
        pin.computeJointJacobiansTimeVariation(model, data, peer.q(q), peer.v(qd))
        rate = pin.getFrameJacobianTimeVariation(model, data, frame, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
        yield Compared(robot.jacobian_dot(q, qd, link), rate @ peer.speeds, size * np.abs(qd).max())


def frames(case: Case) -> tuple[pin.Model, pin.Data, list[int]]:
    """Pinocchio's robot on a moving base, with a frame for each link, after forward kinematics."""
    peer = case.free_peer
    model = peer.model.copy()
    numbers = [
        model.addFrame(pin.Frame(f"~{k}", peer.body_of[link], 0, peer.offset_of[link], pin.FrameType.OP_FRAME))
        for k, link in enumerate(case.robot.link_names)
    ]
    data = model.createData()
    q, v, a = case.free_state()
    pin.forwardKinematics(model, data, peer.q(q), peer.v(v), peer.v(a))
    pin.updateFramePlacements(model, data)
    return model, data, numbers


@check(
    "Robot.link_velocities",
    "Robot.link_accelerations",
    "LinkMotions",
    against="Pinocchio, classical accelerations of frames on a free-flyer",
    bound=1e-10,
)
def link_motions(case: Case) -> Iterator[Compared]:
    robot, (q, qd, qdd) = case.robot, case.state
    model, data, numbers = frames(case)
    world = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    speeds = [pin.getFrameVelocity(model, data, k, world) for k in numbers]
    rates = [pin.getFrameClassicalAcceleration(model, data, k, world) for k in numbers]
    velocity = robot.link_velocities(q, qd, base_velocity=case.base_motion["base_velocity"])
    acceleration = robot.link_accelerations(q, qd, qdd, **case.base_motion)
    for found, expected in ((velocity, speeds), (acceleration, rates)):
        yield Compared(found.linear, [x.linear for x in expected])
        yield Compared(found.angular, [x.angular for x in expected])
    one = link_of(case, "link")
    yield Compared(velocity[one].linear, speeds[robot.link_names.index(one)].linear, case.length)


@check(
    "Robot.center_of_mass",
    "Robot.momentum",
    "Robot.momentum_matrix",
    against="Pinocchio, centroidal quantities",
    bound=1e-10,
)
def momentum(case: Case) -> Iterator[Compared]:
    robot, peer, (q, qd, _) = case.robot, case.movable_peer, case.state
    if not case.can_move:
        return
    map_ = np.reshape(pin.computeCentroidalMap(peer.model, peer.data, peer.q(q)), (6, -1)) @ peer.speeds
    center = pin.centerOfMass(peer.model, peer.data, peer.q(q), False).copy()
    yield Compared(robot.center_of_mass(q), center, case.length)
    size = np.abs(map_).max()
    yield Compared(robot.momentum_matrix(q), map_, size)
    expected = pin.computeCentroidalMomentum(peer.model, peer.data, peer.q(q), peer.v(qd))
    found = robot.momentum(q, qd)
    speed = np.abs(qd).max()
    yield Compared(found.linear, expected.linear, size * speed)
    yield Compared(found.angular, expected.angular, size * speed)


@check(
    "Robot.operational_space_mobility",
    "Robot.operational_space_inertia",
    against="Pinocchio: J M^-1 J' of its Jacobian and crba",
    bound=1e-9,
)
def operational_space(case: Case) -> Iterator[Compared]:
    robot, peer, q = case.robot, case.peer, case.state[0]
    link = link_of(case, "link")
    J, M = peer.jacobian(q, link), peer.mass_matrix(q)
    expected = J @ np.linalg.solve(M, J.T)
    found = robot.operational_space_mobility(q, link)
    condition = case.condition()
    yield Compared(found, expected, np.abs(expected).max() * condition)
    unit = np.diag([1.0] * 3 + [case.length] * 3)  # a mobility in one unit
    if np.linalg.cond(unit @ expected @ unit) < 1e6:
        inertia = np.linalg.inv(unit) @ robot.operational_space_inertia(q, link) @ np.linalg.inv(unit)
        yield Compared(
            inertia @ (unit @ expected @ unit), np.eye(6), condition * np.linalg.cond(unit @ expected @ unit)
        )


@check(
    "Robot.integrate",
    "Robot.difference",
    "Robot.neutral",
    against="Pinocchio, integrate, difference, neutral",
    bound=1e-10,
)
def configurations(case: Case) -> Iterator[Compared]:
    robot, peer, (q, qd, _) = case.robot, case.peer, case.state
    there = robot.integrate(q, qd)
    expected = pin.integrate(peer.model, peer.q(q), peer.v(qd))
    found = peer.q(there)
    sign = np.where(np.abs(found - expected) > np.abs(found + expected), -1.0, 1.0) if robot.nq > robot.n else 1.0
    yield Compared(found * sign, expected, max(1.0, case.length))
    small = qd / 4
    other = robot.integrate(q, small)
    yield Compared(
        peer.v(robot.difference(q, other)),
        pin.difference(peer.model, peer.q(q), peer.q(other)),
        np.abs(peer.q(q)).max(),
    )
    if all(j.mimic is None for j in robot.joints):
        yield Compared(peer.q(robot.neutral()), pin.neutral(peer.model))


@check("Robot.kinetic_energy", "Robot.potential_energy", against="Pinocchio, energies", bound=1e-10)
def energies(case: Case) -> Iterator[Compared]:
    robot, peer, (q, qd, _) = case.robot, case.movable_peer, case.state
    v = peer.v(qd)
    rotors = 0.5 * float(peer._per_speed("reflected_inertia") @ v**2)
    yield Compared(robot.kinetic_energy(q, qd), peer.kinetic_energy(q, qd) + rotors)
    weight = case.mass * case.length * float(np.linalg.norm(robot.gravity))
    yield Compared(robot.potential_energy(q), peer.potential_energy(q), weight)


@check(
    "Robot.free_base_motion",
    "Robot.generalized_jacobian",
    "FreeBaseMotion",
    against="Pinocchio on a free-flyer: momentum kept, no wrench on the base",
    bound=1e-9,
)
def free_base(case: Case) -> Iterator[Compared]:
    robot, peer, (q, qd, qdd) = case.robot, case.free_peer, case.state
    rng = case.rng("momentum")
    momentum = case.mass * case.length * rng.normal(size=6) * np.array([1.0] * 3 + [case.length] * 3)
    qf, vf, af = case.free_state(moving=False)
    A = pin.computeCentroidalMap(peer.model, peer.data, peer.q(qf)) @ peer.speeds
    v = np.linalg.solve(A[:, :6], momentum - A[:, 6:] @ qd)
    pushed = case.in_link_axes(case.external, q)
    vf[:6] = v
    without = peer.inverse_dynamics(qf, vf, af, pushed)[:6]
    a = np.linalg.solve(peer.mass_matrix(qf)[:6, :6], -without)
    a[:3] += np.cross(v[3:], v[:3])
    found = robot.free_base_motion(q, qd, qdd, momentum=momentum, external=case.external)
    condition = case.condition(peer, qf)
    yield Compared(found.velocity, v, np.abs(v).max() * condition)
    yield Compared(found.acceleration, a, np.abs(a).max() * condition)
    link = link_of(case, "link")
    J = peer.jacobian(qf, link)
    expected = J[:, 6:] - J[:, :6] @ np.linalg.solve(A[:, :6], A[:, 6:])
    yield Compared(robot.generalized_jacobian(q, link), expected, np.abs(J).max() * condition)
