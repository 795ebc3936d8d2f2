"""One linear system for everything: inverse, forward and mixed dynamics, and the printed lines that are wrong."""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp
from formulation_checks import (
    ROBOTS,
    check_compiled,
    check_example_poses,
    check_forward_dynamics,
    check_gravity_forces,
    check_inverse_dynamics,
    check_joint_wrenches,
    check_scalars,
    deviation,
    states,
)
from loadpath.formulations import constraint_system as cs
from loadpath.formulations import newton_euler
from loadpath.robot.mechanism import plain
from loadpath.robot.model import RobotModel
from on_scalars import applied, entries, on_arrays, on_symbols
from references import notes_printed
from references.to_pinocchio import to_pinocchio

MOVABLE = {name: robot for name, robot in ROBOTS.items() if robot.n and name != "massless links"}


@pytest.mark.parametrize("robot", ROBOTS.values(), ids=ROBOTS)
def test_inverse_dynamics_and_joint_wrenches(robot: RobotModel) -> None:
    check_inverse_dynamics(cs.inverse_dynamics, robot)
    check_joint_wrenches(cs.joint_wrenches, robot)
    check_gravity_forces(cs.gravity_forces, robot)


@pytest.mark.parametrize("robot", MOVABLE.values(), ids=MOVABLE)
def test_forward_dynamics(robot: RobotModel) -> None:
    check_forward_dynamics(cs.forward_dynamics, robot)


def test_on_all_scalars() -> None:
    check_scalars(cs.inverse_dynamics)


def test_forward_dynamics_on_symbols() -> None:
    robot = lp.catalog.random_tree(5, 12, ["revolute", "prismatic", "universal", "spherical"], general=True)
    q, qd, qdd = states(robot)[0]
    tau = on_arrays(newton_euler.inverse_dynamics, plain(robot), q, qd, qdd)
    assert deviation(on_symbols(cs.forward_dynamics, plain(robot), q, qd, tau), qdd) < 1e-10


def test_compiled() -> None:
    check_compiled("constraint-system")


def test_compiled_forward_dynamics() -> None:
    robot = lp.catalog.random_chain(4, 3, general=True, drives=True)
    q, qd, tau = states(robot)[0]
    found = robot.forward_dynamics(q, qd, tau, formulation="constraint-system")
    assert deviation(found, robot.forward_dynamics(q, qd, tau)) < 1e-10


def test_example_poses() -> None:
    check_example_poses(cs.inverse_dynamics)
    arm = plain(lp.catalog.two_link())
    found = on_arrays(cs.forward_dynamics, arm, (np.pi / 2, 0.0), (0.0, 0.0), (29.4, 19.6))
    np.testing.assert_allclose(found, [-19.6, 49.0], rtol=1e-12)


# Mixed problems


@pytest.mark.parametrize("robot", MOVABLE.values(), ids=MOVABLE)
def test_some_accelerations_and_some_forces_known(robot: RobotModel) -> None:
    """Whatever is known of a motion, the rest of it comes out."""
    mechanism, peer = plain(robot), to_pinocchio(robot)
    q, qd, qdd = states(robot)[0]
    tau = peer.inverse_dynamics(q, qd, qdd)
    rng = np.random.default_rng(3)
    for _ in range(3):
        prescribed = rng.random(robot.n) < 0.5
        known = np.where(prescribed, qdd, tau)
        found = cs.mixed_dynamics(mechanism, entries(q), entries(qd), entries(known), prescribed)
        assert deviation(found.qdd.astype(float), qdd) < 1e-10
        assert deviation(found.tau.astype(float), tau) < 1e-10


def test_prescriptions_of_the_wrong_number_are_refused() -> None:
    arm, still = plain(lp.catalog.two_link()), entries([0.0, 0.0])
    with pytest.raises(ValueError, match="of 3 speeds whether their acceleration is known: expected 2"):
        cs.mixed_dynamics(arm, still, still, still, [True, True, False])


# The system itself


@pytest.mark.parametrize("choice", ["inverse", "forward", "mixed"])
@pytest.mark.parametrize("name", ["R and P, placed anyhow", "tree with a mimic", "floating"])
def test_elimination_and_scipy_agree(name: str, choice: str) -> None:
    robot = ROBOTS[name]
    rng = np.random.default_rng(3)
    q, qd, known = states(robot)[0]
    prescribed = {"inverse": [True], "forward": [False], "mixed": [True, False]}[choice] * robot.n
    wrench = {robot.link_names[-1]: applied(*rng.normal(size=(2, 3)))}
    made = cs.system(plain(robot), entries(q), entries(qd), entries(known), prescribed[: robot.n], wrench)
    A, b = cs.matrix(made)
    assert A.shape == (15 * len(robot.joints) + robot.n,) * 2
    x = cs.solve(made).astype(float)
    assert np.abs(A @ x - b).max() < 1e-10 * max(1.0, np.abs(x).max())
    assert deviation(x, cs.solve_with_scipy(made)) < 1e-10
    assert sorted(row for row, _ in made.pivots) == sorted(column for _, column in made.pivots) == list(range(len(b)))


def test_sixteen_unknowns_a_link_and_few_entries() -> None:
    robot = lp.catalog.random_dh_arm(8, 1)
    q, qd, qdd = (entries(part) for part in states(robot)[0])
    made = cs.system(plain(robot), q, qd, qdd, [True] * 8)
    assert len(made.rows) == 16 * 8
    assert sum(len(row) for row in made.rows) < 6 * len(made.rows)


def test_accelerations_of_the_links_are_among_the_unknowns() -> None:
    """a_i and a_ci of the last link, from the rate of its velocity."""
    robot = lp.catalog.random_chain(4, 2, ["revolute", "prismatic"])
    q, qd, qdd = states(robot)[0]
    made = cs.system(plain(robot), entries(q), entries(qd), entries(qdd), [True] * 4)
    x = cs.solve(made).astype(float)
    link = robot.link_names[-1]
    R = robot.link_poses(q)[-1, :3, :3]
    world = robot.jacobian(q, link) @ qdd + robot.jacobian_dot(q, qd, link) @ qd
    a, omegadot = made.column("a", 3), made.column("omegadot", 3)
    assert deviation(R @ x[a : a + 3], world[:3]) < 1e-12
    assert deviation(R @ x[omegadot : omegadot + 3], world[3:]) < 1e-12
    omega = R.T @ (robot.jacobian(q, link) @ qd)[3:]
    rho = np.array(robot.links[-1].inertia.center_of_mass)
    a_c = made.column("a_c", 3)
    expected = x[a : a + 3] + np.cross(x[omegadot : omegadot + 3], rho) + np.cross(omega, np.cross(omega, rho))
    assert deviation(x[a_c : a_c + 3], expected) < 1e-12


# Printed lines


@pytest.mark.parametrize("joints", [["revolute"], ["revolute", "prismatic"]])
def test_the_recursion_holds_with_49_and_slides_and_not_as_printed(joints: list[str]) -> None:
    robot = lp.catalog.random_chain(4, 3, joints)
    state = states(robot)[0]
    tau = to_pinocchio(robot).inverse_dynamics(*state)
    assert deviation(notes_printed.inverse_dynamics(robot, *state), tau) < 1e-12
    assert deviation(notes_printed.inverse_dynamics(robot, *state, "without 49"), tau) > 0.01
    assert deviation(notes_printed.inverse_dynamics(robot, *state, "arm of 45"), tau) > 0.01
    printed = deviation(notes_printed.inverse_dynamics(robot, *state, "48"), tau)
    assert printed > 0.01 if "prismatic" in joints else printed < 1e-12
