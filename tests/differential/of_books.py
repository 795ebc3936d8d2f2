"""The objects of the sources, against Pinocchio: Jacobians of mass centers and their rates, forces of joints, matrices,
energies and their slopes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin

from differential.choices import choose, small_enough
from differential.register import Compared, check
from differential.robots import Case
from references.to_pinocchio import Peer

WORLD = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
NONINERTIAL = "books.angeles.noninertial"


def ask(case: Case, book: str, letter: str, *states: Any, **options: Any) -> Any:
    """An object by its letter: one of them, chosen at random, compiled, the others on NumPy batches."""
    method = getattr(getattr(case.robot.books, book), letter)
    compiled = choose(case, tuple(type(method.robot).places), "letter") == letter
    return method(*states, **options) if compiled else method.uncompiled(*states, **options)


class Links(NamedTuple):
    """What Pinocchio has of all links at their mass centers, in world axes, angular first."""

    T: np.ndarray
    """(6 joints, v)."""
    T_dot: np.ndarray
    t: np.ndarray
    t_dot: np.ndarray
    M: np.ndarray
    centers: list[np.ndarray]
    joints: list[pin.SE3]
    """Where Pinocchio has the joints' frames."""


def links_of(peer: Peer, robot: Any, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> Links:
    model = peer.model.copy()
    frames = []
    for joint in robot.joints:
        inertia = robot.link(joint.child).inertia
        at = peer.offset_of[joint.child] if inertia.mass else pin.SE3.Identity()
        place = at * pin.SE3(np.eye(3), np.array(inertia.center_of_mass)) if inertia.mass else at
        body = peer.body_of[joint.child]
        frames.append(model.addFrame(pin.Frame(f"~c{joint.name}", body, 0, place, pin.FrameType.OP_FRAME)))
    data, (x, v, a) = model.createData(), (peer.q(q), peer.v(qd), peer.v(qdd))
    pin.forwardKinematics(model, data, x, v, a)
    pin.computeJointJacobiansTimeVariation(model, data, x, v)
    pin.updateFramePlacements(model, data)
    T, T_dot, t, t_dot, M, centers, joints = [], [], [], [], [], [], []
    for joint, frame in zip(robot.joints, frames, strict=True):
        J, rate = (np.reshape(of(model, data, frame, WORLD), (6, -1)) @ peer.speeds for of in
                   (pin.getFrameJacobian, pin.getFrameJacobianTimeVariation))
        T += [*J[3:], *J[:3]]
        T_dot += [*rate[3:], *rate[:3]]
        speed = pin.getFrameVelocity(model, data, frame, WORLD)
        change = pin.getFrameClassicalAcceleration(model, data, frame, WORLD)
        t += [*speed.angular, *speed.linear]
        t_dot += [*change.angular, *change.linear]
        R = (data.oMi[peer.body_of[joint.child]] * peer.offset_of[joint.child]).rotation
        inertia = robot.link(joint.child).inertia
        M += [R @ np.array(inertia.tensor) @ R.T, inertia.mass * np.eye(3)]
        centers.append(data.oMf[frame].translation)
        joints.append(data.oMi[peer.body_of[joint.child]])
    masses = np.zeros((len(t), len(t)))
    for k, block in enumerate(M):
        masses[3 * k : 3 * k + 3, 3 * k : 3 * k + 3] = block
    shape = (len(t), robot.n)
    return Links(np.reshape(T, shape), np.reshape(T_dot, shape), np.array(t), np.array(t_dot), masses, centers, joints)


def turning(t: np.ndarray) -> np.ndarray:
    """diag([omega]x, 0)."""
    result = np.zeros((len(t), len(t)))
    for start in range(0, len(t), 6):
        result[start : start + 3, start : start + 3] = pin.skew(t[start : start + 3])
    return result


def on_links(robot: Any, at: Links, force: np.ndarray, torque: np.ndarray) -> np.ndarray:
    """Pinocchio's joint wrenches, (joints, 3) in joint axes, as the links feel them about their mass centers."""
    result = np.zeros(6 * len(robot.joints))
    children = [joint.child for joint in robot.joints]
    for i, joint in enumerate(robot.joints):
        f, n = at.joints[i].rotation @ force[i], at.joints[i].rotation @ torque[i]
        for link, sign in ((joint.child, 1.0), (joint.parent, -1.0)):
            if link in children:
                k = children.index(link)
                arm = at.joints[i].translation - at.centers[k]
                result[6 * k : 6 * k + 6] += sign * np.array([*(n + np.cross(arm, f)), *f])
    return result


@check(
    *(f"books.angeles.{letter}" for letter in ("T", "T_dot", "K", "M", "W", "t", "t_dot", "w_G", "I")),
    against="Pinocchio: Jacobians of mass centers, their time variation, classical accelerations",
    bound=1e-10,
)
def complement(case: Case) -> Iterator[Compared]:
    robot, (q, qd, qdd) = case.robot, case.state
    at = links_of(case.peer, robot, q, qd, qdd)
    size = max(1.0, case.length)
    yield Compared(ask(case, "angeles", "T", q), at.T, size)
    yield Compared(ask(case, "angeles", "T_dot", q, qd), at.T_dot, size * max(1.0, np.abs(qd).max()))
    yield Compared(ask(case, "angeles", "t", q, qd), at.t, size)
    yield Compared(ask(case, "angeles", "t_dot", q, qd, qdd), at.t_dot, size)
    yield Compared(ask(case, "angeles", "M", q), at.M)
    yield Compared(ask(case, "angeles", "W", q, qd), turning(at.t))
    K = ask(case, "angeles", "K", q)
    yield Compared(K @ at.T, np.zeros((len(K), robot.n)), size**2)
    unit = np.array([1.0, 1.0, 1.0, *[1 / case.length] * 3] * len(robot.joints))  # twists in one unit
    rank = len(K) - sum(joint.motion.dof for joint in robot.joints)
    scaled = K / unit
    scaled /= np.maximum(np.abs(scaled).max(axis=1, keepdims=True), 1e-30)
    yield Compared(float(np.linalg.matrix_rank(scaled, tol=1e-8)), float(rank))
    weights = [robot.link(joint.child).inertia.mass * np.array(robot.gravity) for joint in robot.joints]
    yield Compared(robot.books.angeles.w_G(), np.concatenate([[0, 0, 0, *weight] for weight in weights]), case.mass)
    yield Compared(ask(case, "angeles", "I", q), case.peer.mass_matrix(q, rotors=False))


@check(
    *(f"books.angeles.{letter}" for letter in ("w_A", "w_D", "w_C", "multipliers", "tau", "gamma", "delta", "C")),
    against="Pinocchio: forces of its joints on the links, rnea",
    bound=1e-10,
)
def wrenches_on_links(case: Case) -> Iterator[Compared]:
    robot, peer, (q, qd, qdd) = case.robot, case.peer, case.state
    at = links_of(peer, robot, q, qd, qdd)
    pushed, loads = case.in_link_axes(case.external, q), {"external": case.external}
    w_A, w_C, lam = (ask(case, "angeles", letter, q, qd, qdd, **loads) for letter in ("w_A", "w_C", "multipliers"))
    w_D, K = ask(case, "angeles", "w_D", q, qd), ask(case, "angeles", "K", q)
    carried = on_links(robot, at, *peer.joint_wrenches(q, qd, qdd, pushed))
    friction = peer.inverse_dynamics(q, qd, 0 * qd, drives=False) - peer.inverse_dynamics(q, qd, 0 * qd)
    size = max(case.wrench_size, float(np.abs(carried).max()), float(np.abs(w_D).max(initial=0.0)))
    yield Compared(w_A + w_D + w_C, carried, size)
    yield Compared(at.T.T @ w_C, np.zeros(robot.n), size * max(1.0, case.length))
    yield Compared(at.T.T @ w_D, friction, size * max(1.0, case.length))
    yield Compared(K.T @ lam, w_C, size)
    expected = peer.inverse_dynamics(q, qd, qdd, pushed)
    yield Compared(ask(case, "angeles", "tau", q, qd, qdd, **loads), expected, max(size, np.abs(expected).max()))
    yield Compared(ask(case, "angeles", "gamma", q), -peer.gravity_forces(q), size)
    yield Compared(ask(case, "angeles", "delta", q, qd), friction, size)
    velocity = peer.inverse_dynamics(q, qd, 0 * qd, drives=False) - peer.gravity_forces(q)
    yield Compared(-ask(case, "angeles", "C", q, qd) @ qd, velocity, size)


@check(
    *(f"{NONINERTIAL}.{letter}" for letter in (
        "T", "A_0", "T_prime", "T_dot", "K", "M", "W", "v", "t", "t_dot", "w_G", "w_A", "w_D", "w_C", "multipliers",
        "tau", "gamma", "delta", "I", "C")),
    against="Pinocchio on a free-flyer, its speeds turned into the base's twist",
    bound=1e-10,
)
def noninertial(case: Case) -> Iterator[Compared]:
    peer = case.free_peer
    robot, (q, qd, qdd) = peer.robot, case.free_state()
    book = case.robot.books.angeles.noninertial

    def found(letter: str, *states: Any, **options: Any) -> Any:
        return getattr(book, letter).uncompiled(*states, **options)

    at, size = links_of(peer, robot, q, qd, qdd), max(1.0, case.length)
    B = np.eye(robot.n)
    B[:6, :6] = at.T[:6, :6]
    T, T_dot, v = found("T", q), found("T_dot", q, qd), found("v", q, qd)
    yield Compared(T @ B, at.T, size)
    yield Compared(v, np.concatenate([at.t[:6], qd[6:]]), size)
    yield Compared(T @ v, at.t, size)
    yield Compared(found("t", q, qd), at.t, size)
    rates = np.concatenate([at.t_dot[:6], qdd[6:]])
    yield Compared(T @ rates + T_dot @ v, at.t_dot, size)
    yield Compared(found("t_dot", q, qd, qdd), at.t_dot, size)
    yield Compared(np.hstack([found("A_0", q), found("T_prime", q)]), T[6:])
    M, W, K = found("M", q), found("W", q, qd), found("K", q)
    yield Compared(M, at.M)
    yield Compared(W, turning(at.t))
    yield Compared(K @ at.T, np.zeros((len(K), robot.n)), size**2)
    yield Compared(B.T @ found("I", q) @ B, peer.mass_matrix(q, rotors=False))
    expected = peer.inverse_dynamics(q, qd, qdd)
    tau, largest = found("tau", q, qd, qdd), float(np.abs(expected).max())
    yield Compared(B.T @ tau, expected, largest)
    pair = found("gamma", q), found("delta", q, qd)
    yield Compared(B.T @ pair[0], -peer.gravity_forces(q), largest)
    friction = peer.inverse_dynamics(q, qd, qdd, drives=False) - expected + rotors(case, qdd)
    yield Compared(B.T @ pair[1], friction, largest)
    left = found("I", q) @ rates - found("C", q, qd) @ v - pair[0] - pair[1]
    yield Compared(left, tau - rotors(case, qdd), largest)
    w = found("w_A", q, qd, qdd) + found("w_D", q, qd) + found("w_C", q, qd, qdd)
    carried = on_links(robot, at, *peer.joint_wrenches(q, qd, qdd))
    yield Compared(w, carried, max(largest, float(np.abs(carried).max())))
    yield Compared(at.M @ at.t_dot + turning(at.t) @ at.M @ at.t, w + book.w_G(), max(largest, float(np.abs(w).max())))
    yield Compared(K.T @ found("multipliers", q, qd, qdd), found("w_C", q, qd, qdd), largest)


def rotors(case: Case, qdd: np.ndarray) -> np.ndarray:
    """What the rotors take, at the joints' speeds."""
    result = np.zeros(len(qdd))
    for joint in case.robot.joints:
        factor = case.robot.mimic_of(joint).multiplier if joint.motion.dof else 0.0
        for i, inertia in enumerate(joint.reflected_inertia):
            k = 6 + case.robot.v_slices[joint.name].start + i
            result[k] += factor**2 * inertia * qdd[k]
    return result


@check(
    *(f"books.lecture.{letter}" for letter in ("A", "Q", "U", "U_jk", "J", "D", "h", "h_ikm", "c")),
    against="Pinocchio: poses, Jacobians and their rates, crba, rnea",
    bound=1e-10,
)
def trace_form(case: Case) -> Iterator[Compared]:
    robot, peer, (q, qd, _) = case.robot, case.peer, case.state
    if not small_enough(case):
        return
    poses = dict(zip(robot.link_names, peer.link_poses(q), strict=True))
    A = np.array([poses[joint.child] for joint in robot.joints])
    size = max(1.0, case.length)
    yield Compared(ask(case, "lecture", "A", q), A, size)
    U, U_jk, Q = (ask(case, "lecture", letter, q) for letter in ("U", "U_jk", "Q"))
    slopes, rates = zip(*(pose_slopes(peer, robot, joint.child, q, qd, A[i]) for i, joint in enumerate(robot.joints)),
                        strict=True)
    yield Compared(U, np.array(slopes), size)
    yield Compared(np.einsum("ijkab,k->ijab", U_jk, qd), np.array(rates), size * max(1.0, np.abs(qd).max()))
    for i, joint in enumerate(robot.joints):
        if joint.motion.dof and joint.mimic is None and not any(other.mimic for other in robot.joints):
            for j in range(*robot.v_slices[joint.name].indices(robot.n)):
                before = poses[joint.parent]
                yield Compared(before @ Q[j] @ np.linalg.inv(before) @ A[i], slopes[i][j], size**2)
    yield Compared(ask(case, "lecture", "D", q), peer.mass_matrix(q, rotors=False))
    yield Compared(ask(case, "lecture", "c", q), peer.gravity_forces(q), case.wrench_size)
    velocity = peer.inverse_dynamics(q, qd, 0 * qd, drives=False) - peer.gravity_forces(q)
    yield Compared(ask(case, "lecture", "h", q, qd), velocity, case.wrench_size)
    yield Compared(np.einsum("ikm,k,m->i", ask(case, "lecture", "h_ikm", q), qd, qd), velocity, case.wrench_size)
    for found, joint in zip(robot.books.lecture.J(), robot.joints, strict=True):
        own = robot.link(joint.child).inertia
        body = pin.Inertia(own.mass, np.array(own.center_of_mass), np.array(own.tensor)).toPseudoInertia().toMatrix()
        yield Compared(found, body, case.mass * size**2)


def pose_slopes(
    peer: Peer, robot: Any, link: str, q: np.ndarray, qd: np.ndarray, A: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """dA/dq_j and its rate, (n, 4, 4), from the link's Jacobian and that one's rate."""
    model = peer.model.copy()
    frame = model.addFrame(pin.Frame("~", peer.body_of[link], 0, peer.offset_of[link], pin.FrameType.OP_FRAME))
    data = model.createData()
    pin.computeJointJacobiansTimeVariation(model, data, peer.q(q), peer.v(qd))
    pin.updateFramePlacements(model, data)
    J, rate = (np.reshape(of(model, data, frame, WORLD), (6, -1)) @ peer.speeds for of in
               (pin.getFrameJacobian, pin.getFrameJacobianTimeVariation))
    omega = J[3:] @ qd
    slopes, rates = np.zeros((2, robot.n, 4, 4))
    for j in range(robot.n):
        slopes[j, :3, :3], slopes[j, :3, 3] = pin.skew(J[3:, j]) @ A[:3, :3], J[:3, j]
        turned = pin.skew(rate[3:, j]) + pin.skew(J[3:, j]) @ pin.skew(omega)
        rates[j, :3, :3], rates[j, :3, 3] = turned @ A[:3, :3], rate[:3, j]
    return slopes, rates


@check(
    *(f"books.lau.{letter}" for letter in ("D_i", "D_ik", "D_ikl", "Ia", "s", "delta", "mu", "deltas", "mus")),
    against="Pinocchio: gravity, crba, rnea, Jacobians in link axes",
    bound=1e-10,
)
def generalized_manipulator(case: Case) -> Iterator[Compared]:
    robot, peer, (q, qd, _) = case.robot, case.peer, case.state
    if not small_enough(case):
        return
    yield Compared(ask(case, "lau", "D_i", q), peer.gravity_forces(q), case.wrench_size)
    yield Compared(ask(case, "lau", "D_ik", q), peer.mass_matrix(q, rotors=False))
    rotor = peer.mass_matrix(q) - peer.mass_matrix(q, rotors=False)
    yield Compared(np.diag(robot.books.lau.Ia()), rotor, float(np.abs(peer.mass_matrix(q)).max()))
    velocity = peer.inverse_dynamics(q, qd, 0 * qd, drives=False) - peer.gravity_forces(q)
    yield Compared(np.einsum("ikl,k,l->i", ask(case, "lau", "D_ikl", q), qd, qd), velocity, case.wrench_size)
    poses = dict(zip(robot.link_names, peer.link_poses(q), strict=True))
    seen = np.array([np.kron(np.eye(2), poses[link][:3, :3].T) @ peer.jacobian(q, link) for link in robot.link_names])
    size = max(1.0, case.length)
    mus, deltas = ask(case, "lau", "mus", q), ask(case, "lau", "deltas", q)
    yield Compared(np.concatenate([mus, deltas], axis=-1), seen.transpose(0, 2, 1), size)
    link = robot.link_names[-1]
    yield Compared(ask(case, "lau", "mu", q, link), seen[-1, :3].T, size)
    yield Compared(ask(case, "lau", "delta", q, link), seen[-1, 3:].T, size)
    s = ask(case, "lau", "s", q)
    for joint in robot.joints:
        if not joint.motion.dof or joint.mimic is not None or any(other.mimic for other in robot.joints):
            continue
        axes = poses[joint.child][:3, :3] @ joint.link_offset.R.T
        relative = peer.jacobian(q, joint.child) - peer.jacobian(q, joint.parent)
        for j in range(*robot.v_slices[joint.name].indices(robot.n)):
            turn = relative[3:, j]
            if np.abs(turn).max() > 1e-6:
                yield Compared(axes @ s[j], turn)
            else:
                yield Compared(axes @ s[j], relative[:3, j] / np.linalg.norm(relative[:3, j]))


@check(
    *(f"books.course.{letter}" for letter in
      ("K", "P", "L", "dL_dq", "dL_dqd", "three_terms", "two_terms", "G", "system")),
    against="Pinocchio: energies and their slopes, crba, rnea",
    bound=1e-6,
)
def course_notes(case: Case) -> Iterator[Compared]:
    robot, peer, (q, qd, qdd) = case.robot, case.movable_peer, case.state
    if not small_enough(case):
        return
    rotor = 0.5 * float(peer._per_speed("reflected_inertia") @ peer.v(qd) ** 2)

    def energies(at: np.ndarray) -> tuple[float, float]:
        return peer.kinetic_energy(at, qd) + rotor, peer.potential_energy(at)

    kinetic, potential = energies(q)
    weight = case.mass * case.length * float(np.linalg.norm(robot.gravity))
    yield Compared(ask(case, "course", "K", q, qd), kinetic)
    yield Compared(ask(case, "course", "P", q), potential, weight)
    yield Compared(ask(case, "course", "L", q, qd), kinetic - potential, max(kinetic, weight))
    M = case.peer.mass_matrix(q)
    yield Compared(ask(case, "course", "dL_dqd", q, qd), M @ qd)
    h, slopes = 1e-6, []
    for unit in np.eye(robot.n):
        ends = [energies(robot.integrate.uncompiled(q, sign * h * unit)) for sign in (1, -1)]
        slopes.append((ends[0][0] - ends[0][1] - ends[1][0] + ends[1][1]) / (2 * h))
    yield Compared(ask(case, "course", "dL_dq", q, qd), slopes, max(kinetic, weight))
    gravity = case.peer.gravity_forces(q)
    velocity = case.peer.inverse_dynamics(q, qd, 0 * qd, drives=False) - gravity
    yield Compared(ask(case, "course", "G", q), gravity, weight)
    three, two = ask(case, "course", "three_terms", q), ask(case, "course", "two_terms", q, qd)
    yield Compared(three.M, M)
    yield Compared(two.M, M)
    yield Compared(two.C @ qd, velocity, case.wrench_size)
    names = list(robot.dof_names)
    products = [qd[names.index(a)] * qd[names.index(b)] for a, b in robot.books.course.speed_pairs()]
    yield Compared(three.B @ qd**2 + three.C @ np.array(products), velocity, case.wrench_size)
    given = dict(zip(names, qdd.tolist(), strict=True))
    solved = robot.books.course.system(q, qd, accelerations=given, external=case.external).solve()
    pushed = case.in_link_axes(case.external, q)
    yield Compared(solved.tau, case.peer.inverse_dynamics(q, qd, qdd, pushed), case.wrench_size)
