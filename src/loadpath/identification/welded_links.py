"""Links welded together are one rigid body: which they are, and which of them are frames only."""

from __future__ import annotations

from loadpath.robot.model import RobotModel


def carriers(robot: RobotModel) -> dict[str, str]:
    """For every link the link that carries it: the first of those welded together (the base's own is the base)."""
    carrier = {robot.base.name: robot.base.name}
    for joint in robot.joints:
        carrier[joint.child] = joint.child if joint.motion.dof else carrier[joint.parent]
    return carrier


def frames_only(robot: RobotModel) -> set[str]:
    """Links without mass that are welded to others: frames, whose carrier or a neighbour stands for the body.

    >>> from loadpath.robot.catalog import panda
    >>> frames_only(panda())
    {'panda_link8'}
    """
    carrier = carriers(robot)
    empty = {link.name for link in robot.links if link.inertia.is_zero}
    bodies = {carrier[link.name] for link in robot.links if link.name not in empty}
    # In a body without any mass the carrier stands for it.
    return {link for link in empty if carrier[link] in bodies or carrier[link] != link}
