"""Robots with loops against Newton and Euler for every link by itself, all joints as equations, solved at once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

import loadpath as lp
from closed.random_loops import closed_at, motion_of, random_configuration, random_tree
from closed.references.maximal import Maximal
from differential.register import Compared, check
from differential.robots import Case

TREES = (lp.Revolute, lp.Revolute, lp.Spherical, lp.Revolute)
LOOPS = (lp.Revolute, lp.Spherical, lp.Universal, lp.Cylindrical, lp.Prismatic, lp.PointOnLine)
AGAINST = "all links free, all joints as equations (tests/closed/references/maximal.py)"


@cache
def made(seed: int, number: int) -> tuple[lp.ClosedRobot, np.ndarray, np.ndarray, np.ndarray]:
    """A robot with a loop, or a plane linkage that holds more than it needs, and a motion of it."""
    rng = np.random.default_rng([seed, number, 14])
    if number % 3 == 0:
        robot = lp.catalog.four_bar()
        q = robot.assemble({"crank_joint": rng.uniform(-3, 3)}).q
    else:
        tree = random_tree(rng, TREES, friction=True)
        q = random_configuration(tree, rng)
        kind = LOOPS[int(rng.integers(len(LOOPS)))]
        robot = closed_at(tree, q, [("base", "l3", motion_of(kind, rng))], rng)
    f = robot.mobility
    qd, qdd = Maximal(robot).complete(q, robot.split.independent, rng.normal(size=f), rng.normal(size=f))
    return robot, q, qd, qdd


def of(case: Case) -> tuple[lp.ClosedRobot, np.ndarray, np.ndarray, np.ndarray]:
    return made(case.seed, case.number)


@check("ClosedRobot.inverse_dynamics", "ClosedRobot.joint_wrenches", "ClosedRobot.gravity_forces",
       "ClosedRobot.static_wrenches", "ClosedRobot.bias_forces", against=AGAINST, bound=1e-9)
def closed_forces(case: Case) -> Iterator[Compared]:
    robot, q, qd, qdd = of(case)
    peer, still = Maximal(robot), np.zeros(robot.n)
    expected = peer.inverse(q, qd, qdd, robot.split.driven)
    size = float(max(np.abs(expected.force).max(), np.abs(expected.torque).max()))
    yield Compared(robot.inverse_dynamics(q, qd, qdd), expected.tau, size)
    wrenches = robot.joint_wrenches(q, qd, qdd)
    yield Compared(wrenches.force, expected.force, size)
    yield Compared(wrenches.torque, expected.torque, size)
    resting = peer.inverse(q, still, still, robot.split.driven)
    yield Compared(robot.gravity_forces(q), resting.tau, size)
    yield Compared(robot.static_wrenches(q).torque, resting.torque, size)
    _, drift = peer.complete(q, robot.split.independent, qd[list(robot.split.independent)], np.zeros(robot.mobility))
    yield Compared(robot.bias_forces(q, qd), peer.inverse(q, qd, drift, robot.split.driven).tau, size)


@check("ClosedRobot.reaction_leverages", against=AGAINST, bound=0.0)
def determinate_components(case: Case) -> Iterator[Compared]:
    robot, q, qd, qdd = of(case)
    expected = Maximal(robot).inverse(q, qd, qdd, robot.split.driven).determinate
    yield Compared(robot.reaction_leverages(q) < 1e-9, expected)


@check("ClosedRobot.constraint_jacobian", "ClosedRobot.complement", "ClosedRobot.closure",
       "ClosedRobot.driven_jacobian", against=AGAINST, bound=1e-9)
def rows_of_loops(case: Case) -> Iterator[Compared]:
    """The rows hold the same motions as the peer's: both are zero for the same speeds, as many at a time."""
    robot, q, qd, _ = of(case)
    J, theirs, T = robot.constraint_jacobian(q), Maximal(robot).jacobian(q), robot.complement(q)
    yield Compared(J @ qd, np.zeros(len(J)), np.abs(J).max() * np.abs(qd).max())
    yield Compared(theirs @ T, np.zeros((len(theirs), T.shape[1])), np.abs(theirs).max() * np.abs(T).max())
    yield Compared(np.linalg.matrix_rank(J, tol=1e-9), np.linalg.matrix_rank(theirs, tol=1e-9))
    yield Compared(robot.closure(q), np.zeros((1, 2)), 1.0)
    link = robot.link_names[-1]
    yield Compared(robot.driven_jacobian(q, link) @ qd[list(robot.split.independent)],
                   robot.jacobian(q, link) @ qd)


@check("ClosedRobot.forward_dynamics", "ClosedRobot.driven_mass_matrix", against=AGAINST, bound=1e-8)
def closed_accelerations(case: Case) -> Iterator[Compared]:
    robot, q, qd, qdd = of(case)
    peer = Maximal(robot)
    tau = robot.inverse_dynamics(q, qd, qdd)
    expected = peer.forward(q, qd, tau).qdd
    size = float(np.abs(qdd).max())
    for formulation in ("newton-euler", "independent-speeds", "natural-orthogonal-complement"):
        found = robot.forward_dynamics(q, qd, tau, formulation=formulation)
        yield Compared(found, expected, size)
        yield Compared(found, qdd, size)
    still, own = np.zeros(robot.n), list(robot.split.independent)
    columns = []
    for unit in np.eye(robot.mobility):
        _, rates = peer.complete(q, own, np.zeros(robot.mobility), unit)
        moving, resting = (peer.inverse(q, still, x, robot.split.driven).tau[own] for x in (rates, still))
        columns.append(moving - resting)
    yield Compared(robot.driven_mass_matrix(q), np.array(columns).T)


@check("ClosedRobot.equations", against=AGAINST, bound=1e-9, every=6)
def closed_equations(case: Case) -> Iterator[Compared]:
    robot = (lp.catalog.four_bar, lp.catalog.slider_crank, lp.catalog.five_bar)[case.number % 3]()
    rng, peer, f = np.random.default_rng([case.seed, case.number, 15]), Maximal(robot), robot.mobility
    own = {name: value + rng.uniform(-0.3, 0.3) for name, value in zip(robot.dof_names, robot.home, strict=True)
           if name in robot.driven}
    q = robot.assemble(own).q
    qd, qdd = peer.complete(q, robot.split.independent, rng.normal(size=f), rng.normal(size=f))
    found = robot.equations()
    values = {**dict(zip(found.q, q, strict=True)), **dict(zip(found.qd, qd, strict=True)),
              **dict(zip(found.qdd, qdd, strict=True))}
    expected = peer.inverse(q, qd, qdd, robot.split.driven).tau
    yield Compared(np.array(found.torques.subs(values).evalf(), dtype=float)[:, 0], expected)
    J = np.array(found.constraint_jacobian.subs(values).evalf(), dtype=float)
    gamma = np.array(found.constraint_rate.subs(values).evalf(), dtype=float)[:, 0]
    yield Compared(J @ qdd, -gamma, float(np.abs(J).max() * np.abs(qdd).max()))
