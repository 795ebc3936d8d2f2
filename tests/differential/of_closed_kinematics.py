"""Where closed robots are and how they move: against circles that meet, ranks of the peer's equations, differences."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

import loadpath as lp
from closed.linkages_by_hand import by_circles
from closed.references.maximal import Maximal
from differential.of_closed import of
from differential.register import Compared, check
from differential.robots import Case

CIRCLES = "NumPy, two circles that meet"


@cache
def bar() -> tuple[lp.ClosedRobot, tuple[float, float, float, float], int]:
    """The four-bar of the catalog, its lengths (crank, coupler, rocker, base), and the side on which its pin is."""
    robot = lp.catalog.four_bar()
    crank = np.linalg.norm(robot.joint("coupler_joint").origin.translation[:2])
    base = np.linalg.norm(robot.joint("rocker_joint").origin.translation[::2])
    coupler, rocker = (np.linalg.norm(pose.translation[:2]) for pose in (robot.loops[0].at, robot.loops[0].on))
    lengths = (float(crank), float(coupler), float(rocker), float(base))
    sides = [np.abs(np.exp(1j * by_circles(*lengths, robot.home[0], side)) - np.exp(1j * robot.home)).max()
             for side in (1, -1)]
    return robot, lengths, 1 if sides[0] < sides[1] else -1


def turned(angles: np.ndarray) -> np.ndarray:
    """Angles as directions: whole turns do not count."""
    return np.stack([np.cos(angles), np.sin(angles)])


def crank_angles(case: Case) -> np.ndarray:
    return np.random.default_rng([case.seed, case.number, 15]).uniform(-3, 3, 8)


@check("ClosedRobot.assemble", "Assembly", "Robot.home", "ClosedRobot.loop_positions",
       "ClosedRobot.inverse_kinematics", against=CIRCLES, bound=1e-10)
def closed_places(case: Case) -> Iterator[Compared]:
    robot, lengths, side = bar()
    angles = crank_angles(case)
    expected = by_circles(*lengths, angles, side)
    found = robot.assemble({"crank_joint": angles})
    yield Compared(turned(found.q), turned(expected))
    yield Compared(found.error, np.zeros(8), 1.0)
    pin = robot.loop_positions(found.q)["rocker_pin"][:, 0]
    yield Compared(turned(pin), turned(expected @ [-1, -1, 1]))
    yield Compared(turned(robot.home), turned(by_circles(*lengths, robot.home[0], side)))
    poses = robot.link_poses(found.q)[:, robot.link_names.index("coupler")]
    again = robot.inverse_kinematics(poses, "coupler", found.q + 0.05)
    yield Compared(turned(again.q), turned(expected))


@check("ClosedRobot.complete", against="all links free, all joints as equations (tests/closed/references/maximal.py)",
       bound=1e-9)
def completed_motion(case: Case) -> Iterator[Compared]:
    robot, q, qd, qdd = of(case)
    chosen = {name: qd[k] for name, k in zip(robot.independent, robot.split.independent, strict=True)}
    rates = {name: qdd[k] for name, k in zip(robot.independent, robot.split.independent, strict=True)}
    found = robot.complete(q, chosen, rates)
    yield Compared(found.qd, qd)
    yield Compared(found.qdd, qdd, float(np.abs(qd).max() ** 2))


@check("Robot.mobility", "Robot.gruebler", "Robot.split", "Robot.driven", "Robot.passive",
       "Robot.independent", against="rank of the peer's equations", bound=0.0)
def freedoms(case: Case) -> Iterator[Compared]:
    robot, q, _, _ = of(case)
    theirs = Maximal(robot).jacobian(q)
    yield Compared(robot.mobility, robot.n - np.linalg.matrix_rank(theirs, tol=1e-9))
    yield Compared(robot.gruebler, robot.n - sum(6 - loop.motion.dof for loop in robot.loops))
    others = np.delete(theirs, list(robot.split.independent), axis=1)
    yield Compared(np.linalg.matrix_rank(others, tol=1e-9), others.shape[1])
    yield Compared(len(robot.driven) + len(robot.passive), robot.n)
    yield Compared(robot.dof_names.index(robot.independent[0]) if robot.mobility else -1,
                   robot.split.independent[0] if robot.mobility else -1)


@check("ClosedRobot.singularities", "Singularities", against="NumPy, crank and coupler in one line", bound=1e-6)
def dead_points(case: Case) -> Iterator[Compared]:
    robot, (a, b, c, d), _ = bar()
    sign = 1 if case.number % 2 else -1
    reach = b + a if case.number % 4 < 2 else b - a
    lean = sign * np.arccos((d * d + reach * reach - c * c) / (2 * d * reach))
    pin = reach * np.exp(1j * lean)
    folded = reach == b - a
    q = np.array([lean + (np.pi if folded else 0.0), np.pi if folded else 0.0, np.angle(pin - d)])
    by_rocker = robot.with_driven("rocker_joint").singularities(q)
    yield Compared(by_rocker.drive, 0.0, 1.0)
    # What moves while the rocker stands: the coupler turns about the pin, the crank about its hinge.
    expected = np.array([b, -(b + a) if not folded else -(b - a), 0.0])
    expected = expected / expected[np.abs(expected).argmax()]
    yield Compared(by_rocker.motion, expected)
    platform = robot.singularities(q, "rocker").platform
    yield Compared(0.0 if platform is None else platform, 0.0, 1.0)


@check("ClosedRobot.motion", against=CIRCLES, bound=1e-6)
def motion_of_drives(case: Case) -> Iterator[Compared]:
    robot, lengths, side = bar()
    t = np.linspace(0, 1, 201)
    start, speed = crank_angles(case)[:2]
    angles = start + speed * t**2
    found = robot.motion(t, {"crank_joint": angles}, {"crank_joint": 2 * speed * t}, {"crank_joint": 2 * speed + 0 * t})
    expected = np.unwrap(by_circles(*lengths, angles, side), axis=0)
    yield Compared(found.q - found.q[0], expected - expected[0])
    inner = slice(2, -2)
    h = t[1] - t[0]
    first = (expected[:-4] - 8 * expected[1:-3] + 8 * expected[3:-1] - expected[4:]) / (12 * h)
    yield Compared(found.qd[inner], first, float(np.abs(first).max()))
