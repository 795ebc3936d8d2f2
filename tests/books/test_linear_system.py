"""The one linear system of the course notes as an object: names, matrix, solution; against Pinocchio and the other
formulations.
"""

from __future__ import annotations

import numpy as np
import pytest
from book_checks import base_motion, close, states, wrenches

import loadpath as lp
from references.lau_robots import with_mimics
from references.to_pinocchio import to_pinocchio

ROBOTS = {
    "two_link": lp.catalog.two_link(),
    "puma560": lp.catalog.puma560(),
    "tree with mimics": with_mimics(lp.catalog.random_tree(5, 2, ["revolute", "spherical", "prismatic"], drives=True)),
    "floating": lp.catalog.random_chain(2, 6, general=True, drives=True).floating(),
}


def given(robot: lp.Robot, qdd: np.ndarray, tau: np.ndarray, prescribed: np.ndarray) -> dict[str, dict[str, float]]:
    names = robot.dof_names
    return {
        "accelerations": {names[k]: qdd[k] for k in np.flatnonzero(prescribed)},
        "forces": {names[k]: tau[k] for k in np.flatnonzero(~prescribed)},
    }


@pytest.mark.parametrize("choice", ["inverse", "forward", "mixed"])
@pytest.mark.parametrize("name", ROBOTS)
def test_the_solution_is_the_motion(name: str, choice: str) -> None:
    robot = ROBOTS[name]
    q, qd, qdd = (part[0] for part in states(robot, 1))
    tau = to_pinocchio(robot).inverse_dynamics(q, qd, qdd)
    some = np.arange(robot.n) % 2 == 0
    prescribed = {"inverse": np.ones(robot.n, bool), "forward": np.zeros(robot.n, bool), "mixed": some}[choice]
    system = robot.books.course.system(q, qd, **given(robot, qdd, tau, prescribed))
    assert system.size == 15 * len(robot.joints) + robot.n == len(system.unknowns) == len(set(system.equations))
    assert system.matrix.shape == (system.size, system.size)
    assert system.matrix.nnz == system.nonzeros < 8 * system.size
    found = system.solve()
    close(found.qdd, qdd, 1e-9)
    close(found.tau, tau, 1e-9)
    close(system.matrix @ found.x, system.right_side, 1e-9, float(np.abs(found.x).max()))
    expected = robot.joint_wrenches.uncompiled(q, qd, qdd)
    size = float(np.abs(expected.force).max() + np.abs(expected.torque).max())
    for joint in robot.joints:  # its frame is that of the joint, where joint wrenches are
        close(found.vector(f"f.{joint.child}"), expected[joint.name].force, 1e-9, size)
        close(found.vector(f"mu.{joint.child}"), expected[joint.name].torque, 1e-9, size)
    assert [found[f"qdd.{dof}"] for dof in robot.dof_names] == found.qdd.tolist()


def test_under_wrenches_and_on_a_moving_base() -> None:
    robot = ROBOTS["puma560"]
    q, qd, qdd = (part[0] for part in states(robot, 1))
    loads = {"external": wrenches(robot), **base_motion()}
    tau = robot.inverse_dynamics.uncompiled(q, qd, qdd, **loads)
    some = np.array([True, False, False, True, False, True])
    system = robot.books.course.system(q, qd, **given(robot, qdd, tau, some), **loads)
    found = system.solve()
    close(found.qdd, qdd, 1e-9)
    close(found.tau, tau, 1e-9)
    base = robot.base.name  # it is a link with a joint of its own there, whose accelerations are known
    assert "acceleration.moving base.wx" in system.equations
    np.testing.assert_allclose(found.vector(f"omegadot.{base}"), loads["base_acceleration"][3:])


def test_the_motion_of_links_is_among_the_unknowns() -> None:
    robot = lp.catalog.random_chain(3, 2, ["revolute", "prismatic"])
    q, qd, qdd = (part[0] for part in states(robot, 1))
    found = robot.books.course.system(q, qd, accelerations=dict(zip(robot.dof_names, qdd, strict=True))).solve()
    world, poses = robot.link_accelerations.uncompiled(q, qd, qdd), robot.link_poses.uncompiled(q)
    for k, link in enumerate(robot.link_names[1:], start=1):
        close(poses[k, :3, :3] @ found.vector(f"a.{link}"), world[link].linear, 1e-11, 1.0)
        close(poses[k, :3, :3] @ found.vector(f"omegadot.{link}"), world[link].angular, 1e-11, 1.0)


def test_it_reads() -> None:
    arm = lp.catalog.two_link(gravity=0)
    system = arm.books.course.system([0, 0], [0, 0], accelerations={"joint1": 1}, forces={"joint2": -0.5})
    text = str(system)
    assert text.startswith("LinearSystem of robot 'two_link': 47 equations, 47 unknowns, 100 entries")
    assert "(44).link1.x: f.link1.x - a_c.link1.x - f.link2.x = 0" in text
    assert "acceleration.joint1: qdd.joint1 = 1" in text
    assert "force.joint2: mu.link2.z = -0.5" in text
    assert text.count("\n") == system.size
    found = system.solve()
    assert "qdd.joint1" in str(found)
    assert dict(found)["qdd.joint1"] == 1.0
    assert len(found) == 47
    large = lp.catalog.puma560().books.course.system(np.zeros(6), np.zeros(6), forces=dict.fromkeys(
        lp.catalog.puma560().dof_names, 0.0))
    assert "equations more" in str(large)
    assert "more, by name" in str(large.solve())


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda ask: ask([[0, 0]] * 3, [0, 0]), r"'q' of \(3,\) states: a system is of one state; robot\.mixed_"),
        (lambda ask: ask([0, 0], [0, 0], forces={"joint1": [0, 1], "joint2": 0}), "accelerations and forces of"),
        (lambda ask: ask([0, 0], [0, 0], forces={"joint1": 0}), "system: 'joint2' has neither"),
        (lambda ask: ask([0, 0, 0], [0, 0]), r"system: 'q' has the shape \(3,\)"),
        (lambda ask: ask([0, 0], [0, 0], base_velocity=[0, 0]), r"'base_velocity' has the shape \(2,\)"),
        (lambda ask: ask([0, 0], [0, 0]).solve()["f.link1"], r"'f.link1' is a vector: \.vector\('f.link1'\)"),
        (lambda ask: ask([0, 0], [0, 0]).solve()["f.link9.x"], "no unknown 'f.link9.x'; did you mean 'f.link2.x'"),
        (lambda ask: ask([0, 0], [0, 0]).solve().vector("f.link1.x"), "no vector 'f.link1.x'; did you mean 'f.link1'"),
        (lambda ask: ask([0, 0], [0, 0]).equation("(44).link1"), "no equation"),
    ],
)
def test_bad_calls(call, words: str) -> None:
    course = lp.catalog.two_link().books.course

    def ask(q: object, qd: object, **options: object) -> lp.LinearSystem:
        known = {} if "forces" in options else {"forces": {"joint1": 0, "joint2": 0}}
        return course.system(q, qd, **known, **options)

    with pytest.raises((ValueError, KeyError), match=words):
        call(ask)


def test_states_that_are_no_numbers() -> None:
    course = lp.catalog.two_link().books.course
    found = course.system([np.nan, 0], [0, 0], forces={"joint1": 0, "joint2": 0}).solve()
    assert np.isnan(found.qdd).all()
    found = course.system([0, 0], [0, 0], forces={"joint1": np.nan, "joint2": 0}).solve()
    assert np.isnan(found.qdd).all()


def test_singular_in_one_pose_only() -> None:
    """A bead on a rod that turns: nothing resists the turn where the bead is on the axis."""
    links = (lp.Link("base"), lp.Link("rod"), lp.Link("bead", lp.Inertia(1.0)))
    turn = lp.Joint("turn", "base", "rod", lp.Revolute((0, 0, 1)))
    bead = lp.Robot("bead", links, (turn, lp.Joint("slide", "rod", "bead", lp.Prismatic((1, 0, 0)))), known_faults={
        "link 'rod': no mass, though joint 'turn' moves it"})
    course = bead.books.course
    close(course.system([0, 2], [0, 0], forces={"turn": 4.0, "slide": 0.0}).solve().qdd, [1.0, 0.0])
    with pytest.raises(ValueError, match=r"singular in this state.*\(turn, slide\)"):
        course.system([0, 0], [0, 0], forces={"turn": 4.0, "slide": 0.0}).solve()


def test_robots_without_joints() -> None:
    welds = lp.catalog.random_tree(2, 7, "fixed", general=True)
    found = welds.books.course.system([], []).solve()
    assert found.vector(f"f.{welds.joints[0].child}")[2] > 0  # its weight
    alone = lp.Robot("alone", (lp.Link("stone", lp.Inertia(1.0)),), ())
    system = alone.books.course.system([], [])
    assert system.size == 0
    assert dict(system.solve()) == {}
