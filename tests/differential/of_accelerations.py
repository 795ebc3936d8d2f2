"""Forward dynamics and derivatives, also on a base that moves, against Pinocchio."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import pinocchio as pin

import loadpath as lp
from differential.choices import choose, small_enough
from differential.peers_regressor import peers_regressor
from differential.register import Compared, check
from differential.robots import Case
from loadpath.formulations.table import FORMULATIONS


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


@check(
    "Robot.mixed_dynamics",
    "LinearSystem",
    against="Pinocchio: rnea of the accelerations found gives all forces, NumPy with its mass matrix in parts",
    bound=1e-8,
)
def mixed_dynamics(case: Case) -> Iterator[Compared]:
    robot, peer, (q, qd, qdd) = case.robot, case.peer, case.state
    rng = case.rng("mixed")
    prescribed = rng.random(robot.n) < 0.5
    p, f = np.flatnonzero(prescribed), np.flatnonzero(~prescribed)
    forces = case.wrench_size * rng.normal(size=robot.n)
    pushed = case.in_link_axes(case.external, q)
    M, bias = peer.mass_matrix(q), peer.inverse_dynamics(q, qd, 0 * qd, pushed)
    expected = np.where(prescribed, qdd, 0.0)
    expected[f] = np.linalg.solve(M[np.ix_(f, f)], (forces - bias - M @ expected)[f]) if len(f) else []
    tau = peer.inverse_dynamics(q, qd, expected, pushed)
    size = max(np.abs(tau).max(initial=0.0), (np.abs(M) @ np.abs(expected)).max(initial=0.0)) * case.condition()
    names = robot.dof_names
    given = {"accelerations": {names[k]: qdd[k] for k in p}, "forces": {names[k]: forces[k] for k in f}}
    formulations = ("newton-euler", "constraint-system") if small_enough(case) else ("newton-euler",)
    for formulation in formulations:
        found = robot.mixed_dynamics(q, qd, **given, external=case.external, formulation=formulation)
        yield Compared(found.tau, tau, size)
        yield Compared(M @ found.qdd, M @ expected, size)
        yield Compared(found.qdd[p], qdd[p])
    solved = robot.books.course.system(q, qd, **given, external=case.external).solve()
    yield Compared(solved.tau, tau, size)
    yield Compared(M @ solved.qdd, M @ expected, size)


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


def by_steps(case: Case, of: Callable[..., Any], arguments: Sequence[np.ndarray], which: int) -> np.ndarray:
    """Central differences by one of the arguments, in the last axis."""
    columns = []
    for k in range(case.robot.n):
        step = 1e-5 * np.eye(case.robot.n)[k]
        ends = []
        for by in (step, -step):
            there = list(arguments)
            there[which] = moved(case, there[0], by) if which == 0 else there[which] + by
            ends.append(np.asarray(of(*there)))
        columns.append((ends[0] - ends[1]) / 2e-5)
    return np.stack(columns, axis=-1)


def peers_slopes(case: Case, *state: np.ndarray) -> np.ndarray:
    """(2, n, n): Pinocchio's derivatives by q and qd."""
    peer = case.peer
    q, qd, qdd = state
    theirs = pin.computeRNEADerivatives(peer.model, peer.data, peer.q(q), peer.v(qd), peer.v(qdd))
    return np.array([peer.speeds.T @ part @ peer.speeds for part in theirs[:2]])


@check(
    "Robot.inverse_dynamics_second_derivatives",
    "Robot.forward_dynamics_second_derivatives",
    against="central differences of Pinocchio's computeRNEADerivatives; M times what was found, by the chain rule",
    bound=1e-5,
)
def second_derivatives(case: Case) -> Iterator[Compared]:
    robot, state = case.robot, case.state
    if robot.n > 7:
        return
    found = robot.inverse_dynamics_second_derivatives(*state).dense()
    q_q, _ = by_steps(case, partial(peers_slopes, case), state, 0)
    q_qd, qd_qd = by_steps(case, partial(peers_slopes, case), state, 1)
    q_qdd, _ = by_steps(case, partial(peers_slopes, case), state, 2)
    size = case.wrench_size / min(case.length, 1.0)
    for part, expected in zip(found, (q_q, q_qd, qd_qd, q_qdd), strict=True):
        yield Compared(part, expected, max(size, np.abs(expected).max()))
    q, qd, qdd = state
    tau = robot.inverse_dynamics(q, qd, qdd)
    first = robot.forward_dynamics_derivatives(q, qd, tau)
    forward = robot.forward_dynamics_second_derivatives(q, qd, tau)
    inertia = np.einsum("ijl,lk->ijk", q_qdd, first.q)  # forces of accelerations that follow
    for part, needed in (
        (forward.q_q, q_q + inertia + inertia.transpose(0, 2, 1)),
        (forward.q_qd, q_qd + np.einsum("ijl,lk->ijk", q_qdd, first.qd)),
        (forward.qd_qd, qd_qd),
        (forward.q_tau, np.einsum("ijl,lk->ijk", q_qdd, first.tau)),
    ):
        left = np.einsum("il,ljk->ijk", case.peer.mass_matrix(q), part)
        yield Compared(left, -needed, max(size, np.abs(needed).max()) * case.condition() ** 2)


@check(
    "Robot.joint_wrench_derivatives",
    against="central differences of Pinocchio, data.f of rnea",
    bound=1e-5,
)
def joint_wrench_derivatives(case: Case) -> Iterator[Compared]:
    robot, state = case.robot, case.state

    def wrenches(*there: np.ndarray) -> np.ndarray:
        return np.array(case.peer.joint_wrenches(*there, case.in_link_axes(case.external, there[0])))

    for which, found in enumerate(robot.joint_wrench_derivatives(*state, external=case.external)):
        force, torque = by_steps(case, wrenches, state, which)
        yield Compared(found.force, force, case.wrench_size / min(case.length, 1.0) / max(case.length, 1.0))
        yield Compared(found.torque, torque, case.wrench_size / min(case.length, 1.0))


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
