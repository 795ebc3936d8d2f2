"""A wrench with a known answer: what a point mass exerts on the link that carries it, m (g - a), by kinematics alone.
A robot under that wrench is the robot with the mass as a payload, at rest or moving, on a base that moves or not.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from combination_states import Floats, States

import loadpath as lp

MASS = 3.0
AT = (0.1, -0.2, 0.05)
"""Where on the tip the mass is, m: off its origin, so that its wrench has a torque."""


def acceleration(robot: Any, link: str, at: Any, s: States, **base: Any) -> tuple[Floats, Floats]:
    """Of a point of a link (states, 3), and where the point is, seen from the link's origin, in world axes."""
    k = robot.link_names.index(link)
    speeds = {name: value for name, value in base.items() if name == "base_velocity"}
    r = robot.link_poses.uncompiled(s["q"])[:, k, :3, :3] @ np.asarray(at)
    turning = robot.link_velocities.uncompiled(s["q"], s["qd"], **speeds).angular[:, k]
    own = robot.link_accelerations.uncompiled(s["q"], s["qd"], s["qdd"], **base)
    return own.linear[:, k] + np.cross(own.angular[:, k], r) + np.cross(turning, np.cross(turning, r)), r


def weight(robot: Any, link: str, s: States, *, axes: str = "world", gravity: Any = None, **base: Any) -> lp.Wrench:
    """The wrench of the mass on a link, a force off the link's origin, in world axes or in those of the link."""
    a, r = acceleration(robot, link, AT, s, **base)
    force = MASS * (np.asarray(robot.gravity if gravity is None else gravity) - a)
    if axes == "world":
        return lp.Wrench(force=force, point=r)
    turn = robot.link_poses.uncompiled(s["q"])[:, robot.link_names.index(link), :3, :3]
    force = np.einsum("...ji,...j->...i", turn, force)
    return lp.Wrench(force=force, torque=np.cross(AT, force), axes="link")


def loaded(robot: Any, link: str) -> Any:
    """The robot, or rover, with the mass as a payload."""
    return robot.with_payload(MASS, AT, link=link, name="weight")
