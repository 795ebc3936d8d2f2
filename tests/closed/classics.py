"""Overconstrained linkages of the textbooks: by the count of Gruebler they cannot move. Bennett, Sarrus, spherical."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import loadpath as lp

Z = (0.0, 0.0, 1.0)


def _body(mass: float = 1.0) -> lp.Inertia:
    return lp.Inertia.from_moments(mass, (0.1, 0.05, -0.03), ixx=0.02, iyy=0.03, izz=0.025)


def _turn(axis: str, angle: float) -> lp.Pose:
    return lp.Pose.from_xyz_rpy(rpy=(angle, 0, 0) if axis == "x" else (0, angle, 0) if axis == "y" else (0, 0, angle))


@cache
def bennett() -> lp.ClosedRobot:
    """Four hinges, opposite bars of equal length and twist with a / sin(alpha) = b / sin(beta)
    (G. T. Bennett, A new mechanism, Engineering 76 (1903), 777-778).
    """
    alpha, beta, a = 0.7, 1.3, 0.5
    b = a * np.sin(beta) / np.sin(alpha)
    bars = [(a, alpha), (b, beta), (a, alpha), (b, beta)]
    first = 1.0
    second = 2 * np.arctan(np.sin((beta + alpha) / 2) / np.sin((beta - alpha) / 2) / np.tan(first / 2))
    ends = [lp.Pose(translation=(length, 0, 0)) @ _turn("x", twist) for length, twist in bars]
    links = (lp.Link("base"), *(lp.Link(f"bar{k}", _body()) for k in (1, 2, 3)))
    # The base is the fourth bar: its joint to bar 1 is at its origin, the loop closes at its start.
    starts = (lp.Pose(), *ends)
    names = [link.name for link in links]
    joints = tuple(lp.Joint(f"joint{k}", names[k - 1], names[k], lp.Revolute(Z), starts[k - 1]) for k in (1, 2, 3))
    tree = lp.Robot("bennett", links, joints)
    robot: Any = tree.with_loop("pin", "bar3", "base", motion=lp.Revolute(Z), at=ends[2], on=ends[3].inverse(),
                                q=[first, second, -first])
    made: lp.ClosedRobot = robot.with_driven("joint1")
    return made


@cache
def sarrus() -> lp.ClosedRobot:
    """Two plates joined by two pairs of leaves, each on three parallel hinges, across to each other: the upper plate
    goes straight up and down (P. T. Sarrus, 1853).
    """
    leaf, lean = 0.5, 0.9
    links, joints = [lp.Link("base")], []
    for k, yaw in (("a", 0.0), ("b", np.pi / 2)):
        # hinges along y of a frame that is turned about the vertical: x outward, the leaf turns in x-z
        start = _turn("z", yaw) @ lp.Pose(((1, 0, 0), (0, 0, -1), (0, 1, 0)), (0.3, 0, 0))
        links += [lp.Link(f"lower_{k}", _body()), lp.Link(f"upper_{k}", _body())]
        joints += [lp.Joint(f"foot_{k}", "base", f"lower_{k}", lp.Revolute(Z), start),
                   lp.Joint(f"knee_{k}", f"lower_{k}", f"upper_{k}", lp.Revolute(Z), (leaf, 0, 0))]
    links.append(lp.Link("plate", _body(3.0)))
    back = lp.Pose(((1, 0, 0), (0, 0, -1), (0, 1, 0)), (0.3, 0, 0)).inverse()
    joints.append(lp.Joint("top_a", "upper_a", "plate", lp.Revolute(Z), (leaf, 0, 0), back))
    tree = lp.Robot("sarrus", tuple(links), tuple(joints))
    # lower leaves lean outward from the horizontal by `lean`, the knees fold back; the plate stays level
    knee = np.pi - 2 * lean
    places = {"foot_a": lean, "knee_a": knee, "top_a": lean - np.pi, "foot_b": lean, "knee_b": knee}
    q = np.zeros(5)
    for name, angle in places.items():
        q[tree.q_slices[name]] = angle
    on = _turn("z", np.pi / 2) @ lp.Pose(((1, 0, 0), (0, 0, -1), (0, 1, 0)), (0.3, 0, 0))
    robot: Any = tree.with_loop("top_b", "upper_b", "plate", motion=lp.Revolute(Z), at=(leaf, 0, 0), on=on, q=q)
    made: lp.ClosedRobot = robot.with_driven("foot_a")
    return made


@cache
def spherical_four_bar() -> lp.ClosedRobot:
    """Four hinges whose axes meet in one point, as in a Hooke joint with bars of other angles."""
    ground, crank, coupler, rocker = 1.2, 0.4, 1.1, 0.9
    links = (lp.Link("base"), lp.Link("crank", _body()), lp.Link("coupler", _body()), lp.Link("rocker", _body()))
    joints = (
        lp.Joint("crank_joint", "base", "crank", lp.Revolute(Z)),
        lp.Joint("coupler_joint", "crank", "coupler", lp.Revolute(Z), _turn("y", crank)),
        lp.Joint("rocker_joint", "base", "rocker", lp.Revolute(Z), _turn("y", ground)),
    )
    tree = lp.Robot("spherical_four_bar", links, joints)
    robot: Any = tree.with_loop("pin", "coupler", "rocker", motion=lp.Revolute(Z), at=_turn("y", coupler),
                                on=_turn("y", -rocker))
    made: lp.ClosedRobot = robot.with_home([0.5, -0.5, 0.5]).with_driven("crank_joint")
    return made


CLASSICS = {"bennett": bennett, "sarrus": sarrus, "spherical four-bar": spherical_four_bar}
