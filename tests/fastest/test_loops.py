"""Robots with loops: against open robots that move alike, by hand, by Ipopt on rows of another formulation, and by the
robot's own quantities between points.
"""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import loadpath as lp
from loadpath.fastest.closing import closed_path
from loadpath.fastest.grid import Grid
from loadpath.fastest.limits import Rows
from loadpath.fastest.loads import DRIVE, WRENCH, Course, Model
from loadpath.fastest.search import settled
from loadpath.scalars.types import Floats
from tests.fastest.ipopt_rows import ipopt_duration

PIN = {"torque": 3.0, "speed": 8.0, "radial_force": {"rocker_pin": 10.0}}


def crank(turn: float = 1.5) -> list[list[float]]:
    start = float(lp.catalog.four_bar().home[0])
    return [[start], [start + turn]]


def test_a_four_bar_within_the_force_of_its_pin() -> None:
    """Through the robot's own equations, at 97 instants of every interval."""
    bar = lp.catalog.four_bar()
    found = bar.fastest(crank(), PIN)
    q, qd, qdd = found.sampled(97)
    assert bar.closure(q).max() < 1e-12
    assert np.abs(bar.constraint_jacobian(q) @ qd[..., None]).max() < 1e-9
    force = np.asarray(bar.joint_wrenches(q, qd, qdd)["rocker_pin"].force)
    across = np.linalg.norm(force[:, :2], axis=1).max() / 10.0
    torque = np.abs(bar.inverse_dynamics(q, qd, qdd)[:, 0]).max() / 3.0
    assert found.certificate <= 1.0001
    assert max(across, torque, np.abs(qd).max() / 8.0) <= 1.000002
    assert across > 0.99
    assert "radial force of 'rocker_pin'" in {stretch.limit for stretch in found.rules}
    assert found.duration > bar.fastest(crank(), {"torque": 3.0, "speed": 8.0}).duration
    assert pickle.loads(pickle.dumps(found)).duration == found.duration
    t = np.linspace(0, found.duration, 7)
    assert bar.closure(found.at(t)[0]).max() < 1e-12
    assert bar.closure(found.motion.q).max() < 1e-12


def test_a_coupling_by_hand() -> None:
    """Two wheels, one driven, the other turning three times as far: I1 + 9 I2, and up and down with full torque."""
    wheel = [lp.Link(name, lp.Inertia(1.0, (0, 0, 0), np.diag([i, i, i]))) for name, i in (("a", 0.2), ("b", 0.05))]
    tree = lp.Robot("gears", [lp.Link("box"), *wheel], [
        lp.Joint("a", "box", "a", lp.Revolute((0, 0, 1))),
        lp.Joint("b", "box", "b", lp.Revolute((0, 0, 1)), (1, 0, 0)),
    ])
    pair = tree.with_coupling({"a": 3.0, "b": -1.0}).with_driven("a")
    found = pair.fastest([[0.0], [2.0]], {"torque": 4.0})
    assert found.duration == pytest.approx(2 * math.sqrt(2.0 * (0.2 + 9 * 0.05) / 4.0), rel=1e-9)
    slow = pair.fastest([[0.0], [2.0]], {"torque": 4.0, "speed": {"b": 2.0}})
    a = 4.0 / (0.2 + 9 * 0.05)
    assert slow.duration == pytest.approx(2.0 * 3 / 2.0 + (2.0 / 3) / a, rel=1e-5)


def parallelogram(*, closed: bool) -> lp.Robot:
    """Two cranks and a coupler that stays level; with loops, or with joints that mimic the crank."""
    pin = lp.Revolute((0, 1, 0))
    parts = {"crank": (2.0, 0.25), "coupler": (3.0, 0.4), "rocker": (1.5, 0.25)}
    links = [lp.Link("ground"), *(lp.Link(name, lp.Inertia(m, (x, 0, 0), 0.02 * np.eye(3)))
                                  for name, (m, x) in parts.items())]
    follows = [None, lp.Mimic("a", -1.0), lp.Mimic("a", 1.0)] if not closed else [None, None, None]
    ends = [("a", "ground", "crank", (0, 0, 0)), ("b", "crank", "coupler", (0.5, 0, 0)),
            ("c", "ground", "rocker", (0.8, 0, 0))]
    joints = [lp.Joint(name, parent, child, pin, at, mimic=mimic)
              for (name, parent, child, at), mimic in zip(ends, follows, strict=True)]
    tree = lp.Robot("bars", links, joints)
    if not closed:
        return tree
    return tree.with_loop("d", "coupler", "rocker", motion=pin, at=(0.8, 0, 0), on=(0.5, 0, 0), q=[0.4, -0.4, 0.4]
                          ).with_home([0.4, -0.4, 0.4]).with_driven("a")


def test_a_parallelogram_is_an_arm_with_joints_that_mimic() -> None:
    limits = {"torque": {"a": 60.0}, "speed": {"a": 3.0}}
    closed = parallelogram(closed=True).fastest([[0.2], [1.2], [0.6]], limits)
    tree = parallelogram(closed=False).fastest([[0.2], [1.2], [0.6]], limits)
    assert closed.duration == pytest.approx(tree.duration, rel=1e-7)
    assert closed.certificate <= 1.0001


def test_a_motion_and_points_of_all_joints_are_paths() -> None:
    bar = lp.catalog.four_bar()
    t = np.linspace(0, 1, 401)
    motion = bar.motion(t, {"crank_joint": bar.home[0] + 1.5 * (3 * t**2 - 2 * t**3)})
    limits = {"torque": 3.0, "speed": 8.0}
    one = bar.fastest(crank(), limits).duration
    assert bar.fastest(motion, limits).duration == pytest.approx(one, rel=1e-5)
    whole = bar.assemble({"crank_joint": [float(x[0]) for x in crank()]}).q
    assert bar.fastest(whole, limits).duration == pytest.approx(one, rel=1e-12)
    assert bar.fastest(lp.Path.through(crank()), limits).duration == pytest.approx(one, rel=1e-12)


def test_ipopt_on_rows_of_the_driven_mass_matrix() -> None:
    """Another formulation: tau = M(z) z'' + h(z, z'), M of the independent speeds, and Ipopt in place of the sets."""
    robot = lp.catalog.five_bar()
    home = robot.home[[robot.coordinate_names.index(name) for name in robot.independent]]
    most = np.array([12.0, 14.0])
    limits = {"torque": dict(zip(robot.driven, most.tolist(), strict=True)), "speed": 6.0}
    found = robot.fastest(home + np.array([[0.0, 0.0], [0.3, 0.1], [0.2, 0.4]]), limits, intervals=120)
    grid = found.found.grid
    q, first, second = (found.found.course.q, found.found.course.first, found.found.course.second)
    inner = [robot.dof_names.index(name) for name in robot.independent]
    M = robot.driven_mass_matrix(q)
    still = robot.bias_forces(q, np.zeros_like(first))[..., inner]
    a = (M @ first[..., inner, None])[..., 0]
    b = (M @ second[..., inner, None])[..., 0] + robot.bias_forces(q, first)[..., inner] - still
    d = grid.d[..., None]
    shape = (len(grid.h), -1)
    parts = []
    for sign in (1.0, -1.0):
        parts.append([((sign * (a + 2 * d * b)) / most).reshape(shape), (sign * b / most).reshape(shape),
                      (1 - sign * still / most).reshape(shape)])
    square = (first / 6.0) ** 2
    parts.append([(2 * d * square).reshape(shape), square.reshape(shape), np.ones((len(grid.h), square[0].size))])
    alpha, beta, gamma = (np.concatenate(each, axis=1) for each in zip(*parts, strict=True))
    rows = Rows(alpha, beta, gamma, np.zeros_like(alpha))
    best = ipopt_duration(rows, grid.h, found.found.problem.top(grid))
    at_nodes = settled(found.found.problem, found.found.course, None)  # limits as they are, not made smaller between
    assert at_nodes.duration == pytest.approx(best, rel=1e-5)
    assert best * (1 - 1e-7) <= found.duration <= best * (1 + 3e-4)


@pytest.mark.parametrize("name", ["delta", "five_bar"])
def test_ranges_hold_what_there_is_between_points(name: str) -> None:
    """Of speeds, forces of drives and wrenches along a path, and of their second derivatives by differences."""
    robot = getattr(lp.catalog, name)()
    home = robot.home[[robot.coordinate_names.index(each) for each in robot.independent]]
    path, closing = closed_path(robot, [home, home + np.linspace(0.02, 0.05, len(home))])
    p = np.linspace(path.breaks[0], path.breaks[-1], 301)
    course = Course(Grid.of(path, p, 5), closing)
    fine = Course(Grid.of(path, p, 11), closing)
    for what in (DRIVE, WRENCH):
        if what is WRENCH and name == "five_bar":
            continue  # overconstrained: by the recorded program, as of open robots
        with np.errstate(all="ignore"):
            ranges = course.ranges(Model(robot), what)
        loads = fine.loads(Model(robot), what)
        step = np.diff(fine.grid.at, axis=1)[:, :1, None]
        for part, values in enumerate(loads):
            bend = np.diff(values, 2, axis=1) / step**2 / 2
            for k, jets in enumerate(ranges):
                jet = jets[part]
                within(values[..., k], jet.middle[0], jet.radius[0], 1e-9 * (1 + np.abs(values).max()))
                within(bend[..., k], jet.middle[2], jet.radius[2], 1e-4 * (1 + np.abs(bend).max()))


def within(values: Floats, middle: Floats, radius: Floats, slack: float) -> None:
    assert np.all(np.abs(values - middle[:, None]) <= radius[:, None] + slack)


@pytest.mark.parametrize("name", ["delta", "stewart_platform"])
def test_spatial_loops_keep_the_force_of_a_ball_joint(name: str) -> None:
    robot = getattr(lp.catalog, name)()
    home = robot.home[[robot.coordinate_names.index(each) for each in robot.independent]]
    points = [home, home + np.linspace(0.02, 0.1, len(home))]
    plain = robot.fastest(points, {"torque": 4000.0, "speed": 3.0}, intervals=100)
    ball = robot.loops[-1].name
    most = 0.9 * np.linalg.norm(robot.joint_wrenches(*plain.sampled(5))[ball].force, axis=1).max()
    found = robot.fastest(points, {"torque": 4000.0, "speed": 3.0, "force": {ball: most}}, intervals=100)
    q, qd, qdd = found.sampled(97)
    force = np.linalg.norm(robot.joint_wrenches(q, qd, qdd)[ball].force, axis=1).max()
    assert 0.999 < force / most <= 1.000002
    assert found.certificate <= 1.0001
    assert np.abs(qd).max() <= 3.0 * 1.000002


def test_friction_of_drives_counts() -> None:
    bar = lp.catalog.four_bar()
    rough = bar.with_drives({"crank_joint": lp.Drive(friction=lp.Friction(viscous=0.1, coulomb=0.4))})
    limits = {"torque": 3.0, "speed": 20.0}
    found, smooth = rough.fastest(crank(), limits), bar.fastest(crank(), limits)
    assert found.duration > smooth.duration * 1.01
    tau = rough.inverse_dynamics(*found.sampled(97))[:, 0]
    assert 0.9999 < np.abs(tau).max() / 3.0 <= 1.000002
    assert found.certificate <= 1.0001


def test_several_payloads_at_once() -> None:
    bar = lp.catalog.four_bar()
    loaded = bar.with_payload(mass=2.0, link="coupler")
    limits = {"torque": 6.0, "speed": 8.0}
    both = bar.fastest(crank(), limits, also=[loaded])
    for robot in (bar, loaded):
        assert np.abs(robot.inverse_dynamics(*both.sampled(9))).max() <= 6.0 * 1.000002
    assert both.duration >= max(each.fastest(crank(), limits).duration for each in (bar, loaded)) * (1 - 1e-9)


def test_what_is_not_possible_is_told() -> None:
    bar = lp.catalog.four_bar()
    loaded = bar.with_payload(mass=20.0, link="coupler", center_of_mass=(0.1, 0, 0))
    weak = np.abs(loaded.gravity_forces(bar.home)).max()
    with pytest.raises(lp.NoMotionError) as caught:
        loaded.fastest(crank(0.2), {"torque": 0.5 * float(weak)})
    assert caught.value.at_rest[0].limit == "torque of 'crank_joint'"
    assert caught.value.at_rest[0].utilisation > 1.5


def test_what_is_refused_says_why() -> None:
    bar = lp.catalog.four_bar()
    rubbing = bar.with_drives({"rocker_joint": lp.Drive(friction=lp.Friction(coulomb=0.1))})
    with pytest.raises(lp.ModelError, match=r"'rocker_joint' of the closed robot 'four_bar' has friction, and 'rocker"):
        rubbing.fastest(crank(), {"torque": 3.0})
    with pytest.raises(lp.ModelError, match="has not the loops"):
        bar.fastest(crank(), {"torque": 3.0}, also=[lp.catalog.four_bar(0.5, 0.1, 0.4, 0.3)])
    with pytest.raises(ValueError, match=r"the path has 2 coordinates.*1 independent ones: crank_joint \(or all 3\)"):
        bar.fastest([[0.0, 0.0], [1.0, 1.0]], {"torque": 3.0})
    with pytest.raises(lp.ModelError, match=r"cannot be closed|do not stay closed"):
        lp.catalog.four_bar().with_driven("rocker_joint").fastest([[bar.home[2]], [bar.home[2] + 3.0]], {"torque": 3.0})
    tube = lp.Tube(outer_radius=0.01, wall=0.0015)
    bent = bar.with_beams({"coupler": lp.Beam(tube, lp.STEEL, end="rocker_pin")})
    with pytest.raises(lp.ModelError, match="closed by rocker_pin, and has beams or joint compliance"):
        bent.fastest(crank(), PIN)
    with pytest.raises(lp.ModelError, match=r"limit of stress.*is closed by"):
        bent.fastest(crank(), {"torque": 3.0, "stress": 1e8})
    assert "a closed robot that bends" in bent.fastest(crank(), {"torque": 3.0}).left_out[0]
    with pytest.raises(ValueError, match="rocker_bolt"):
        bar.fastest(crank(), {"force": {"rocker_bolt": 3.0}})
