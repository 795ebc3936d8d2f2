"""Simulations, rollouts and steps, against SciPy's integrator on Pinocchio's dynamics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pinocchio as pin
from scipy.integrate import solve_ivp
from scipy.signal import cont2discrete

from differential.register import Compared, check
from differential.robots import Case, random_speeds


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
    "RolloutError",
    against="SciPy's DOP853 on Pinocchio's dynamics",
    bound=1e-6,
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
    # Relative to what has changed, so that a wrong step shows.
    size, speed = (float(np.abs(part - part[0]).max()) for part in expected)
    found = robot.simulate(q, qd, tau, times=times, rtol=1e-10)
    yield Compared(found.q - q, expected[0] - q, size)
    yield Compared(found.qd - qd, expected[1] - qd, speed)
    steps = 200
    rolled = robot.rollout(np.array([q, q]), qd, tau, step=float(times[-1]) / steps, steps=steps, every=steps // 5)
    yield Compared(rolled.q[:, 1] - q, expected[0] - q, size)
    yield Compared(rolled.qd[:, 0] - qd, expected[1] - qd, speed)
    assert rolled.error is not None
    yield Compared(rolled.error.qd[:, 0], 0 * expected[1], speed)  # as small as what it is an estimate of
    h = float(times[1]) / 40
    once = robot.step(q, qd, tau, h)
    there = peers_motion(case, q, qd, tau, np.array([0.0, h]))
    yield Compared(once[0] - q, there[0][-1] - q)
    yield Compared(once[1] - qd, there[1][-1] - qd)
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


@check(
    "Robot.linearize",
    "Linearization",
    against="Pinocchio: rnea's derivatives, solved with its mass matrix; SciPy's cont2discrete of these",
    bound=1e-8,
    every=2,
)
def linearize(case: Case) -> Iterator[Compared]:
    robot, peer, (q, qd, _), n = case.robot, case.peer, case.state, case.robot.n
    tau = case.wrench_size * case.rng("tau").normal(size=n)
    M = peer.mass_matrix(q)
    qdd = np.linalg.solve(M, tau - peer.inverse_dynamics(q, qd, 0 * qd))
    theirs = pin.computeRNEADerivatives(peer.model, peer.data, peer.q(q), peer.v(qd), peer.v(qdd))
    by_q, by_v, _ = (peer.speeds.T @ part @ peer.speeds for part in theirs)
    by_v = by_v + peer.speeds.T @ np.diag(peer._per_speed("viscous_friction")) @ peer.speeds
    found, condition = robot.linearize(q, qd, tau), case.condition() ** 2
    lower = -np.linalg.solve(M, np.hstack([by_q, by_v]))
    yield Compared(found.A[n:], lower, np.abs(lower).max() * condition)
    yield Compared(found.B[n:], np.linalg.inv(M), np.abs(found.B).max() * condition)
    yield Compared(found.A[:n, n:], np.eye(n))
    dt = 0.1 / max(1.0, float(np.abs(found.A).max()))
    A, B = np.vstack([found.A[:n], lower]), np.vstack([np.zeros((n, n)), np.linalg.inv(M)])
    stepped, held, *_ = cont2discrete((A, B, A, 0 * B), dt)
    steps = found.discretized(dt)
    yield Compared(steps.A, stepped, np.abs(stepped).max() * condition)
    yield Compared(steps.B, held, np.abs(held).max() * condition)
