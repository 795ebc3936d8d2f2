"""Drive forces and joint wrenches of `lp.Robot`, against Pinocchio."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import loadpath as lp
from differential.choices import choose, small_enough
from differential.register import Compared, check
from differential.robots import Case, random_coordinates, random_speeds
from loadpath.formulations.table import FORMULATIONS


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


@check("Robot.inverse_dynamics(formulation=)", against="Pinocchio, rnea", bound=1e-9)
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


@check(
    "verify",
    "Verification",
    against="Pinocchio's rnea, which its default agrees with; its own worst pair",
    bound=1e-9,
    every=8,
)
def verification(case: Case) -> Iterator[Compared]:
    if case.robot.n > 3:
        return
    found = lp.verify(case.robot, states=3)
    yield Compared(found.worst, 0.0, 1.0)
    yield Compared(float(found.agrees), 1.0)


@check("Robot.inverse_dynamics(float32, batches)", against="Pinocchio, rnea, state by state", bound=1e-3, every=2)
def batches_and_single_precision(case: Case) -> Iterator[Compared]:
    """Two batch axes, one of them broadcast; single precision where angles are small enough for it."""
    robot, rng = case.robot, case.rng("batch")
    q = np.array([random_coordinates(rng, robot, case.length) for _ in range(6)]).reshape(2, 3, -1)
    qd, qdd = (np.array([random_speeds(rng, robot, case.length) for _ in range(3)]) for _ in range(2))
    expected = np.array([[case.peer.inverse_dynamics(q[i, k], qd[k], qdd[k]) for k in range(3)] for i in range(2)])
    size = case.wrench_size
    yield Compared(1e6 * robot.inverse_dynamics(q, qd, qdd), 1e6 * expected, 1e6 * size)
    single = robot.inverse_dynamics(*(part.astype(np.float32) for part in (q, qd, qdd)))
    assert single.dtype == np.float32
    yield Compared(single, expected, size)
    assert robot.inverse_dynamics(q[:0], qd, qdd).shape == (0, 3, robot.n)
