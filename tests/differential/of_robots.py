"""The compiled quantities of `lp.Robot`, against Pinocchio."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pinocchio as pin
from scipy.integrate import solve_ivp

import loadpath as lp
from differential.register import Compared, check
from differential.robots import Case, random_speeds
from loadpath.formulations.table import FORMULATIONS
from references.to_pinocchio import Peer


def choose(case: Case, names: tuple[str, ...], purpose: str) -> str:
    return str(case.rng(purpose).choice(names))


def link_of(case: Case, purpose: str) -> str:
    return choose(case, case.robot.link_names, purpose)


def small_enough(case: Case) -> bool:
    """Formulations of books take long to compile for many freedoms."""
    return case.robot.n <= 5


# Forces


@check("Robot.inverse_dynamics", against="Pinocchio, rnea, on a free-flyer where the base moves", bound=1e-10)
def inverse_dynamics(case: Case) -> Iterator[Compared]:
    robot, (q, qd, qdd) = case.robot, case.state
    size = case.wrench_size
    yield Compared(robot.inverse_dynamics(q, qd, qdd), case.peer.inverse_dynamics(q, qd, qdd), size)
    pushed = case.in_link_axes(case.external, q)
    yield Compared(
        robot.inverse_dynamics(q, qd, qdd, external=case.external), case.peer.inverse_dynamics(q, qd, qdd, pushed), size
    )
    moved = case.free_peer.inverse_dynamics(*case.free_state(), pushed)[6:]
    yield Compared(robot.inverse_dynamics(q, qd, qdd, external=case.external, **case.base_motion), moved, size)


@check("Robot.inverse_dynamics(formulation=)", "verify", "Verification", against="Pinocchio, rnea", bound=1e-9)
def other_formulations(case: Case) -> Iterator[Compared]:
    name = choose(case, tuple(FORMULATIONS), "formulation")
    if small_enough(case):
        found = case.robot.inverse_dynamics(*case.state, formulation=name)
        yield Compared(found, case.peer.inverse_dynamics(*case.state), case.wrench_size)


@check("Robot.joint_wrenches", "JointWrenches", against="Pinocchio, data.f of rnea", bound=1e-10)
def joint_wrenches(case: Case) -> Iterator[Compared]:
    robot, (q, qd, qdd) = case.robot, case.state
    pushed = case.in_link_axes(case.external, q)
    for options, expected in (
        ({}, case.peer.joint_wrenches(q, qd, qdd)),
        ({"external": case.external}, case.peer.joint_wrenches(q, qd, qdd, pushed)),
        (
            {"external": case.external, **case.base_motion},
            [part[1:] for part in case.free_peer.joint_wrenches(*case.free_state(), pushed)],
        ),
    ):
        found = robot.joint_wrenches(q, qd, qdd, **options)
        yield Compared(found.force, expected[0], case.wrench_size / max(case.length, 1.0))
        yield Compared(found.torque, expected[1], case.wrench_size)
    one = choose(case, robot.joint_names, "joint")
    yield Compared(found[one].torque, expected[1][robot.joint_names.index(one)], case.wrench_size)


@check("Robot.joint_wrenches(formulation=)", against="Pinocchio, data.f of rnea", bound=1e-9)
def other_wrenches(case: Case) -> Iterator[Compared]:
    names = tuple(name for name, formulation in FORMULATIONS.items() if formulation.joint_wrenches)
    if small_enough(case):
        found = case.robot.joint_wrenches(*case.state, formulation=choose(case, names, "formulation"))
        expected = case.peer.joint_wrenches(*case.state)
        yield Compared(found.torque, expected[1], case.wrench_size)
        yield Compared(found.force, expected[0], case.wrench_size / max(case.length, 1.0))


@check("Robot.static_wrenches", against="Pinocchio, data.f of rnea at rest", bound=1e-10)
def static_wrenches(case: Case) -> Iterator[Compared]:
    q = case.state[0]
    still = np.zeros(case.robot.n)
    found = case.robot.static_wrenches(q, external=case.external)
    expected = case.peer.joint_wrenches(q, still, still, case.in_link_axes(case.external, q))
    yield Compared(found.force, expected[0], case.wrench_size / max(case.length, 1.0))
    yield Compared(found.torque, expected[1], case.wrench_size)


@check("Robot.base_wrench", against="Pinocchio, rnea on a free-flyer", bound=1e-10)
def base_wrench(case: Case) -> Iterator[Compared]:
    q, qd, qdd = case.state
    pushed = case.in_link_axes(case.external, q)
    expected = case.free_peer.inverse_dynamics(*case.free_state(), pushed)[:6]
    found = case.robot.base_wrench(q, qd, qdd, external=case.external, **case.base_motion)
    yield Compared(found.force, expected[:3], case.wrench_size / max(case.length, 1.0))
    yield Compared(found.torque, expected[3:], case.wrench_size)


@check("Robot.force_along", "Robot.torque_about", against="Pinocchio, data.f of rnea, projected", bound=1e-10)
def along_lines(case: Case) -> Iterator[Compared]:
    robot, (q, qd, qdd), rng = case.robot, case.state, case.rng("line")
    joint = choose(case, robot.joint_names, "joint")
    number = robot.joint_names.index(joint)
    pushed = case.in_link_axes(case.external, q)
    force, torque = (part[number + 1] for part in case.free_peer.joint_wrenches(*case.free_state(), pushed))
    options = {"external": case.external, "joint": joint, **case.base_motion}
    line, point = rng.normal(size=3), case.length * rng.normal(size=3)
    size = case.wrench_size
    case.peer.link_poses(q)
    R = case.peer.data.oMi[case.peer.body_of[robot.joint(joint).child]].rotation
    for axes, turned in (("joint", np.eye(3)), ("world", R)):
        u, r = turned.T @ line / np.linalg.norm(line), turned.T @ point
        found = robot.force_along(q, qd, qdd, line, axes=axes, **options)
        yield Compared(found, u @ force, max(size / case.length, np.abs(force).max()))
        about = robot.torque_about(q, qd, qdd, line, axes=axes, point=point, **options)
        yield Compared(about, u @ (torque - np.cross(r, force)), max(size, np.abs(np.cross(r, force)).max()))


@check("Robot.gravity_forces", "Robot.bias_forces", against="Pinocchio, generalized gravity and rnea", bound=1e-10)
def gravity_and_bias(case: Case) -> Iterator[Compared]:
    robot, (q, qd, _) = case.robot, case.state
    yield Compared(robot.gravity_forces(q), case.peer.gravity_forces(q), case.wrench_size)
    pushed = case.in_link_axes(case.external, q)
    bias = case.peer.inverse_dynamics(q, qd, 0 * qd, pushed)
    yield Compared(robot.bias_forces(q, qd, external=case.external), bias, case.wrench_size)
    qf, vf, af = case.free_state()
    af[6:] = 0.0
    found = robot.bias_forces(q, qd, external=case.external, **case.base_motion)
    yield Compared(found, case.free_peer.inverse_dynamics(qf, vf, af, pushed)[6:], case.wrench_size)


# Matrices


@check("Robot.mass_matrix", "Robot.mass_matrix_inverse", against="Pinocchio, crba", bound=1e-10)
def mass_matrix(case: Case) -> Iterator[Compared]:
    q = case.state[0]
    M = case.peer.mass_matrix(q)
    scale = 1 / np.sqrt(np.diag(M))
    unit = scale[:, None] * scale
    yield Compared(case.robot.mass_matrix(q) * unit, M * unit)
    inverse = case.robot.mass_matrix_inverse(q) / unit
    yield Compared(inverse @ (M * unit), np.eye(case.robot.n), case.condition())


@check("Robot.mass_matrix(formulation=)", against="Pinocchio, crba", bound=1e-9)
def other_mass_matrices(case: Case) -> Iterator[Compared]:
    names = tuple(name for name, formulation in FORMULATIONS.items() if formulation.mass_matrix)
    if small_enough(case):
        found = case.robot.mass_matrix(case.state[0], formulation=choose(case, names, "formulation"))
        yield Compared(found, case.peer.mass_matrix(case.state[0]))


@check("Robot.coriolis_matrix", against="Pinocchio: C qd from rnea, C + C' = dM/dt", bound=1e-10)
def coriolis_matrix(case: Case) -> Iterator[Compared]:
    q, qd, _ = case.state
    peer = case.peer
    C = case.robot.coriolis_matrix(q, qd)
    theirs = pin.computeCoriolisMatrix(peer.model, peer.data, peer.q(q), peer.v(qd)).copy()
    rate = peer.speeds.T @ (theirs + theirs.T) @ peer.speeds
    moving = np.abs(peer.mass_matrix(q)).max() * np.abs(qd).max()
    yield Compared(C + C.T, rate, moving)
    force = peer.inverse_dynamics(q, qd, 0 * qd, drives=False) - peer.gravity_forces(q)
    yield Compared(C @ qd, force, max(case.wrench_size, moving * np.abs(qd).max()))


def to_joint_frame(offset: np.ndarray) -> np.ndarray:
    """(10, 10): parameters m, m c, I (Pinocchio's order) about a link's frame into those about its joint's."""
    pairs = [(0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)]

    def pseudo(p: np.ndarray) -> np.ndarray:
        tensor = np.zeros((3, 3))
        for value, (i, j) in zip(p[4:], pairs, strict=True):
            tensor[i, j] = tensor[j, i] = value
        P = np.zeros((4, 4))
        P[:3, :3] = np.trace(tensor) / 2 * np.eye(3) - tensor
        P[:3, 3] = P[3, :3] = p[1:4]
        P[3, 3] = p[0]
        return P

    columns = []
    for unit in np.eye(10):
        P = offset @ pseudo(unit) @ offset.T
        tensor = np.trace(P[:3, :3]) * np.eye(3) - P[:3, :3]
        columns.append([P[3, 3], *P[:3, 3], *(tensor[i, j] for i, j in pairs)])
    return np.array(columns).T


def peers_regressor(case: Case, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, peer: Peer | None = None) -> np.ndarray:
    """Columns in the order of `robot.link_names`; those of the base are left at zero."""
    peer = peer or case.peer
    whole = pin.computeJointTorqueRegressor(peer.model, peer.data, peer.q(q), peer.v(qd), peer.v(qdd))
    whole = np.reshape(whole, (peer.model.nv, -1))
    parts = [np.zeros((peer.robot.n, 10))]
    for link in case.robot.link_names[1:]:
        body = peer.body_of[link] - 1
        own = peer.speeds.T @ whole[:, 10 * body : 10 * body + 10]
        parts.append(own @ to_joint_frame(peer.offset_of[link].homogeneous))
    return np.hstack(parts)


@check("Robot.regressor", against="Pinocchio, computeJointTorqueRegressor", bound=1e-10)
def regressor(case: Case) -> Iterator[Compared]:
    yield Compared(case.robot.regressor(*case.state), peers_regressor(case, *case.state))


@check("Robot.drive_regressor", against="friction and rotors summed in NumPy", bound=1e-12)
def drive_regressor(case: Case) -> Iterator[Compared]:
    """Times the parameters of the drives it is what friction and rotors take."""
    robot, (q, qd, qdd) = case.robot, case.state
    own = [j for j in robot.joints if j.motion.dof and j.mimic is None]
    independent = all(j.mimic is None for j in robot.joints)
    values = [getattr(j, part) for part in ("viscous_friction", "coulomb_friction", "reflected_inertia") for j in own]
    parameters = np.array([x for part in values for x in part])
    expected = case.peer.inverse_dynamics(q, qd, qdd) - case.peer.inverse_dynamics(q, qd, qdd, drives=False)
    if independent:
        yield Compared(robot.drive_regressor(qd, qdd) @ parameters, expected, case.wrench_size)
    Y = robot.drive_regressor(qd, qdd)
    yield Compared(Y, np.hstack([np.diag(qd), np.diag(np.sign(qd)), np.diag(qdd)]))


# Forward dynamics


@check(
    "Robot.forward_dynamics",
    "Robot.state_derivative",
    "Robot.coordinate_rate",
    against="Pinocchio: rnea of the accelerations found gives the forces back; small steps of pin.integrate",
    bound=1e-8,
)
def forward_dynamics(case: Case) -> Iterator[Compared]:
    robot, peer, (q, qd, _) = case.robot, case.peer, case.state
    rng = case.rng("tau")
    tau = case.wrench_size * rng.normal(size=robot.n)
    pushed = case.in_link_axes(case.external, q)
    names = ["newton-euler", "composite-body", "articulated-body"]
    if small_enough(case):
        names += ["lagrange-euler", "lagrangian", "natural-orthogonal-complement", "constraint-system"]
    for name in {"newton-euler", str(rng.choice(names))}:
        qdd = robot.forward_dynamics(q, qd, tau, external=case.external, formulation=name)
        M = peer.mass_matrix(q)
        size = max(np.abs(tau).max(), (np.abs(M) @ np.abs(qdd)).max())
        yield Compared(peer.inverse_dynamics(q, qd, qdd, pushed), tau, size * case.condition())
    rate = robot.state_derivative(np.concatenate([q, qd]), tau, external=case.external)
    expected = robot.forward_dynamics(q, qd, tau, external=case.external)
    yield Compared(rate[robot.nq :], expected, np.abs(expected).max() * case.condition())
    step = 1e-6
    ahead, back = (pin.integrate(peer.model, peer.q(q), sign * step * peer.v(qd)) for sign in (1, -1))
    steps = (ahead - back) / (2 * step)
    forth = (peer.q(q + step * rate[: robot.nq]) - peer.q(q - step * rate[: robot.nq])) / (2 * step)
    size = max(1.0, np.abs(peer.q(q)).max()) * max(1.0, np.abs(qd).max())
    yield Compared(forth, steps, size)
    yield Compared(robot.coordinate_rate(q, qd), rate[: robot.nq])


# Derivatives


@check("Robot.inverse_dynamics_derivatives", against="Pinocchio, computeRNEADerivatives", bound=1e-9)
def inverse_dynamics_derivatives(case: Case) -> Iterator[Compared]:
    robot, peer, (q, qd, qdd) = case.robot, case.peer, case.state
    external = {link: lp.Wrench(w.force, w.torque, axes="link") for link, w in case.external.items()}
    pushed = peer._external(case.in_link_axes(external, q))
    found = robot.inverse_dynamics_derivatives(q, qd, qdd, external=external)
    theirs = pin.computeRNEADerivatives(peer.model, peer.data, peer.q(q), peer.v(qd), peer.v(qdd), pushed)
    by_q, by_v, _ = (peer.speeds.T @ part @ peer.speeds for part in theirs)
    viscous = peer.speeds.T @ np.diag(peer._per_speed("viscous_friction")) @ peer.speeds
    size = case.wrench_size
    yield Compared(found.q, by_q, size)
    yield Compared(found.qd, by_v + viscous, size)
    yield Compared(found.qdd, peer.mass_matrix(q), size)


def moved(case: Case, q: np.ndarray, small: np.ndarray) -> np.ndarray:
    """Coordinates after a small motion: quaternions by the exponential map, written here."""
    result = q.copy()
    for name, where in case.robot.q_slices.items():
        joint = case.robot.joint(name)
        if joint.mimic is not None:
            continue
        v = small[case.robot.v_slices[name]]
        if joint.motion.coordinates == joint.motion.dof:
            result[where] = q[where] + v
            continue
        part = q[where].copy()
        at = pin.Quaternion(part[-4:].copy())
        if joint.motion.dof == 6:
            there = pin.SE3(at, part[:3]) * pin.exp6(pin.Motion(v[:3], v[3:]))
            part[:3], part[-4:] = there.translation, pin.Quaternion(there.rotation).coeffs()
        else:
            part[-4:] = (at * pin.Quaternion(pin.exp3(v))).coeffs()
        result[where] = part
    return result


@check(
    "Robot.inverse_dynamics_derivatives(external=)",
    against="central differences of Pinocchio's rnea, wrenches in world axes",
    bound=1e-5,
)
def derivatives_under_wrenches(case: Case) -> Iterator[Compared]:
    robot, (q, qd, qdd) = case.robot, case.state
    found = robot.inverse_dynamics_derivatives(q, qd, qdd, external=case.external).q
    columns = []
    for k in range(robot.n):
        step = 1e-5 * np.eye(robot.n)[k]
        forces = [
            case.peer.inverse_dynamics(at, qd, qdd, case.in_link_axes(case.external, at))
            for at in (moved(case, q, step), moved(case, q, -step))
        ]
        columns.append((forces[0] - forces[1]) / 2e-5)
    yield Compared(found, np.array(columns).T, case.wrench_size / min(case.length, 1.0))


@check(
    "Robot.forward_dynamics_derivatives",
    "Robot.forward_dynamics_parameter_derivatives",
    against="Pinocchio: rnea's derivatives and regressor, M times what was found",
    bound=1e-8,
)
def forward_dynamics_derivatives(case: Case) -> Iterator[Compared]:
    robot, peer, (q, qd, _) = case.robot, case.peer, case.state
    tau = case.wrench_size * case.rng("tau").normal(size=robot.n)
    bias = peer.inverse_dynamics(q, qd, 0 * qd)
    M = peer.mass_matrix(q)
    qdd = np.linalg.solve(M, tau - bias)
    theirs = pin.computeRNEADerivatives(peer.model, peer.data, peer.q(q), peer.v(qd), peer.v(qdd))
    by_q, by_v, _ = (peer.speeds.T @ part @ peer.speeds for part in theirs)
    viscous = peer.speeds.T @ np.diag(peer._per_speed("viscous_friction")) @ peer.speeds
    found = robot.forward_dynamics_derivatives(q, qd, tau)
    condition = case.condition() ** 2
    for part, expected in ((found.q, -by_q), (found.qd, -by_v - viscous), (found.tau, np.eye(robot.n))):
        size = max(np.abs(expected).max(), (np.abs(M) @ np.abs(part)).max(), case.wrench_size)
        yield Compared(M @ part, expected, size * condition)
    by_parameters = robot.forward_dynamics_parameter_derivatives(q, qd, tau)
    Y = peers_regressor(case, q, qd, qdd)
    size = max(np.abs(Y).max(), (np.abs(M) @ np.abs(by_parameters)).max())
    yield Compared(M @ by_parameters, -Y, size * condition)


# Motion


@check("Robot.link_poses", against="Pinocchio, forward kinematics", bound=1e-11)
def link_poses(case: Case) -> Iterator[Compared]:
    found, expected = case.robot.link_poses(case.state[0]), case.peer.link_poses(case.state[0])
    yield Compared(found[:, :3, :3], expected[:, :3, :3])
    yield Compared(found[:, :3, 3], expected[:, :3, 3])


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


# The base that nobody holds


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


# In time


def peers_motion(
    case: Case, q: np.ndarray, qd: np.ndarray, tau: np.ndarray, times: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """SciPy's DOP853 on Pinocchio's forward dynamics, in Pinocchio's coordinates turned by a small rotation."""
    peer, n = case.peer, case.robot.n
    # Coordinates of the chart: the motion from q, by speeds that hold over it, as Pinocchio's log map has them.
    start = q.copy()

    def rate(_: float, x: np.ndarray) -> np.ndarray:
        at = start + x[: case.robot.nq]
        v = x[case.robot.nq :]
        acceleration = peer.forward_dynamics(at, v, tau)
        return np.concatenate([coordinate_rate(case, at, v), acceleration])

    x0 = np.concatenate([np.zeros(case.robot.nq), qd])
    done = solve_ivp(rate, (0.0, float(times[-1])), x0, "DOP853", times, rtol=1e-11, atol=1e-12)
    assert done.success
    assert len(x0) == case.robot.nq + n
    return start + done.y[: case.robot.nq].T, done.y[case.robot.nq :].T


def coordinate_rate(case: Case, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """By hand: half the quaternion's product with the angular velocity, positions in the parent's axes."""
    result = np.zeros(case.robot.nq)
    for name, where in case.robot.q_slices.items():
        joint = case.robot.joint(name)
        if joint.mimic is not None:
            continue
        own = v[case.robot.v_slices[name]]
        if joint.motion.coordinates == joint.motion.dof:
            result[where] = own
            continue
        at = pin.Quaternion(q[where][-4:].copy())
        part = np.zeros(joint.motion.coordinates)
        if joint.motion.dof == 6:
            unit = pin.Quaternion(at.coeffs() / np.linalg.norm(at.coeffs()))
            part[:3] = unit.toRotationMatrix() @ own[:3]
        part[-4:] = 0.5 * (at * pin.Quaternion(0.0, *own[-3:])).coeffs()
        result[where] = part
    return result


def without_coulomb(case: Case) -> Case:
    """The case with friction that grows with speed only, smooth in time."""
    from dataclasses import replace

    robot = case.robot
    joints = tuple(replace(j, coulomb_friction=()) for j in robot.joints)
    other = Case(case.seed, case.number)
    other.__dict__["_made"] = (replace(robot, joints=joints), case.mass, case.length)
    return other


def own_time(case: Case) -> float:
    """A time in which the robot moves by about a radian or its length."""
    q, qd, _ = case.state
    acceleration = case.peer.forward_dynamics(q, qd, np.zeros(case.robot.n))
    viscous = np.linalg.solve(case.peer.mass_matrix(q), case.peer.inverse_dynamics(q, qd, 0 * qd))
    scale = max(np.abs(qd).max() / min(case.length, 1.0), np.sqrt(np.abs(acceleration).max() / min(case.length, 1.0)))
    return float(1.0 / max(scale, np.sqrt(np.abs(viscous).max() / min(case.length, 1.0)), 1e-3))


@check(
    "Robot.simulate",
    "Robot.rollout",
    "Robot.step",
    "Simulation",
    "Rollout",
    against="SciPy's DOP853 on Pinocchio's dynamics",
    bound=1e-5,
    every=2,
)
def in_time(case: Case) -> Iterator[Compared]:
    case = without_coulomb(case)
    robot, (q, qd, _) = case.robot, case.state
    unit = own_time(case)
    if case.condition() > 1e6:
        return
    tau = case.peer.inverse_dynamics(q, qd, random_speeds(case.rng("push"), robot, case.length))
    times = np.linspace(0.0, 0.5 * unit, 6)
    expected = peers_motion(case, q, qd, tau, times)
    size, speed = max(np.abs(q).max(), case.length), np.abs(expected[1]).max()
    found = robot.simulate(q, qd, tau, times=times, rtol=1e-10)
    yield Compared(found.q, expected[0], size)
    yield Compared(found.qd, expected[1], speed)
    steps = 200
    rolled = robot.rollout(np.array([q, q]), qd, tau, step=float(times[-1]) / steps, steps=steps, every=steps // 5)
    yield Compared(rolled.q[:, 1], expected[0], size)
    yield Compared(rolled.qd[:, 0], expected[1], speed)
    h = float(times[1]) / 40
    once = robot.step(q, qd, tau, h)
    there = peers_motion(case, q, qd, tau, np.array([0.0, h]))
    yield Compared(once[0], there[0][-1], size)
    yield Compared(once[1], there[1][-1], speed)
    # The balance of energy, by Pinocchio's energies.
    kinetic = [
        case.peer.kinetic_energy(a, v) + 0.5 * case.peer._per_speed("reflected_inertia") @ case.peer.v(v) ** 2
        for a, v in zip(*expected, strict=True)
    ]
    potential = [case.peer.potential_energy(a) for a in expected[0]]
    large = max(np.abs(kinetic).max(), np.ptp(potential))
    yield Compared(found.kinetic, kinetic, large)
    yield Compared(found.potential - found.potential[0], np.array(potential) - potential[0], large)
    yield Compared(
        found.energy - found.energy[0] - found.drive_work + found.dissipated,
        0 * times,
        large + np.abs(found.drive_work).max(),
    )


# On a base that moves: the same on Pinocchio's free-flyer, the rows and columns of the joints


@check(
    "Robot.inverse_dynamics(base_velocity=, formulation=)",
    "Robot.regressor(base_velocity=)",
    "Robot.forward_dynamics(base_velocity=)",
    "Robot.inverse_dynamics_derivatives(base_velocity=)",
    "Robot.forward_dynamics_derivatives(base_velocity=)",
    "Robot.forward_dynamics_parameter_derivatives(base_velocity=)",
    "Robot.state_derivative(base_velocity=)",
    against="Pinocchio on a free-flyer: rnea, its derivatives, its regressor",
    bound=1e-8,
    every=2,
)
def on_a_moving_base(case: Case) -> Iterator[Compared]:
    robot, peer, (q, qd, qdd) = case.robot, case.free_peer, case.state
    qf, vf, af = case.free_state()
    size = case.wrench_size
    if small_enough(case):
        name = choose(case, tuple(FORMULATIONS), "moved formulation")
        found = robot.inverse_dynamics(q, qd, qdd, formulation=name, **case.base_motion)
        yield Compared(found, peer.inverse_dynamics(qf, vf, af)[6:], size)
    found = robot.regressor(q, qd, qdd, **case.base_motion)
    yield Compared(found, peers_regressor(case, qf, vf, af, peer)[6:], float(np.abs(found).max()))
    tau = size * case.rng("tau").normal(size=robot.n)
    M = case.peer.mass_matrix(q)
    condition = case.condition()
    qdd = robot.forward_dynamics(q, qd, tau, **case.base_motion)
    af[6:] = qdd
    large = max(size, float((np.abs(M) @ np.abs(qdd)).max()))
    yield Compared(peer.inverse_dynamics(qf, vf, af)[6:], tau, large * condition)
    rate = robot.state_derivative(np.concatenate([q, qd]), tau, **case.base_motion)
    yield Compared(rate[robot.nq :], qdd, float(np.abs(qdd).max()) * condition)
    theirs = pin.computeRNEADerivatives(peer.model, peer.data, peer.q(qf), peer.v(vf), peer.v(af))
    by_q, by_v, _ = ((peer.speeds.T @ part @ peer.speeds)[6:, 6:] for part in theirs)
    viscous = case.peer.speeds.T @ np.diag(case.peer._per_speed("viscous_friction")) @ case.peer.speeds
    inverse = robot.inverse_dynamics_derivatives(q, qd, qdd, **case.base_motion)
    yield Compared(inverse.q, by_q, large * condition)
    yield Compared(inverse.qd, by_v + viscous, large * condition)
    forward = robot.forward_dynamics_derivatives(q, qd, tau, **case.base_motion)
    for part, expected in ((forward.q, -by_q), (forward.qd, -by_v - viscous), (forward.tau, np.eye(robot.n))):
        scale = max(float(np.abs(expected).max()), float((np.abs(M) @ np.abs(part)).max()), size)
        yield Compared(M @ part, expected, scale * condition**2)
    by_parameters = robot.forward_dynamics_parameter_derivatives(q, qd, tau, **case.base_motion)
    Y = peers_regressor(case, qf, vf, af, peer)[6:]
    scale = max(float(np.abs(Y).max()), float((np.abs(M) @ np.abs(by_parameters)).max()))
    yield Compared(M @ by_parameters, -Y, scale * condition**2)
