"""Loops and couplings put on, against poses of links and joints that mimic; closed robots of beams against finite
elements.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

import loadpath as lp
from closed.test_closed_beams import LOAD, bar, finite_elements
from differential.of_closed import of
from differential.register import Compared, check
from differential.robots import Case

POSES = "frames of the loops, from the poses of the links"
FRAMES = "finite elements of rods with hinges (tests/closed/test_closed_beams.py)"


def frames(robot: lp.ClosedRobot, loop: lp.Loop, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The frames `at` and `on` of a loop, in the world."""
    poses = dict(zip(robot.link_names, robot.tree.link_poses(q), strict=True))
    return poses[loop.first] @ loop.at.matrix, poses[loop.second] @ loop.on.matrix


@check("Robot.with_loop", "Robot.with_home", against=POSES, bound=1e-8)
def closed_pins(case: Case) -> Iterator[Compared]:
    """Turning joints meet at a point and keep their axis."""
    rng = np.random.default_rng([case.seed, case.number])
    robot = lp.catalog.four_bar()
    for q in (robot.home, robot.with_home(robot.home + rng.uniform(-0.1, 0.1, 3)).home):
        at, on = frames(robot, robot.loops[0], q)
        yield Compared(at[:3, 3], on[:3, 3], 0.4)
        yield Compared(at[:3, 2], on[:3, 2])


@check("Robot.with_coupling", against="the tree in which that joint mimics", bound=1e-9)
def coupled_joints(case: Case) -> Iterator[Compared]:
    rng = np.random.default_rng([case.seed, case.number])
    ratio = float(rng.uniform(-2, 2))
    arm = lp.catalog.planar(2)
    follows = lp.Mimic("joint1", ratio)
    joints = tuple(replace(joint, mimic=follows) if joint.name == "joint2" else joint for joint in arm.joints)
    tree = lp.Robot("mimic", arm.links, joints)
    belt = arm.with_coupling({"joint2": 1.0, "joint1": -ratio})
    q, qd, qdd = (np.array([x, ratio * x]) for x in rng.uniform(-1, 1, 3))
    yield Compared(belt.inverse_dynamics(q, qd, qdd), [*tree.inverse_dynamics(q[:1], qd[:1], qdd[:1]), 0.0])


@check("ClosedRobot.loop_directions", against=POSES, bound=1e-8)
def loop_directions(case: Case) -> Iterator[Compared]:
    """The power of a unit wrench in the relative motion of the frames."""
    robot, q, _, _ = of(case)
    v = np.random.default_rng([case.seed, case.number]).normal(size=robot.n)
    S, J = robot.loop_directions(q), robot.constraint_jacobian(q)
    motion, poses = robot.tree.link_velocities(q, v), robot.tree.link_poses(q)
    row = 0
    for loop in robot.loops:
        _, on = frames(robot, loop, q)
        first, second = (robot.link_names.index(link) for link in (loop.first, loop.second))
        speeds = [motion.linear[k] + np.cross(motion.angular[k], on[:3, 3] - poses[k][:3, 3]) for k in (first, second)]
        turning = motion.angular[second] - motion.angular[first]
        apart = [*on[:3, :3].T @ (speeds[1] - speeds[0]), *on[:3, :3].T @ turning]
        rows = slice(row, row + loop.rows)
        yield Compared(S[rows] @ apart, J[rows] @ v, float(np.abs(apart).max()))
        row += loop.rows


@check("ClosedFlexibleRobot.deflection", "ClosedFlexibleRobot.stress", against=FRAMES, bound=1e-6)
def closed_beams(case: Case) -> Iterator[Compared]:
    robot = bar()
    q = robot.home
    moved, forces = finite_elements(robot, q)
    found = robot.deflection(q, external=LOAD)
    size = max(float(np.abs(part[:3]).max()) for part in moved.values())
    yield Compared(found["coupler"].displacement, moved["coupler"][:3], size)
    yield Compared(found["rocker"].rotation, moved["rocker"][3:6], 10 * size)
    x = robot.tree.link_poses(q)[3, :3, 0]
    area = robot.beams[0][1].segments[0].section.area
    axial = robot.stress(q, external=LOAD).of("rocker").axial
    yield Compared(axial, np.full(axial.shape, -forces["rocker"][:3] @ x / area))
