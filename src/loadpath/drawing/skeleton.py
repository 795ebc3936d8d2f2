"""A robot as points and lines: where its joints are, and the line or outline that each link is drawn as."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from loadpath.quantities.carriers import carriers
from loadpath.robot.loops import Loop
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Floats

FLAT = 0.02
"""Of a mechanism's size: pins no farther than this from one plane make a plane mechanism."""
SAME_POINT = 1e-5
"""Points nearer to each other (m) are one: a loop is never closed to the last digit."""


class Pin(NamedTuple):
    """A joint or loop in the world."""

    name: str
    point: Floats
    force: Floats
    """On its second link, world axes."""
    moves: bool
    closes: bool
    axis: Floats | None
    """Direction about or along which it moves, world axes; none where there is no single one."""
    turns: bool


def pins_and_points(
    robot: RobotModel, poses: dict[str, Floats], force: Floats
) -> tuple[list[Pin], dict[str, list[Floats]]]:
    """All pins, and for every link the points that it is drawn between.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(1)
    >>> pins, points = pins_and_points(arm, dict(zip(arm.link_names, arm.link_poses([0]))), np.zeros((2, 3)))
    >>> [pin.name for pin in pins], outline_of(np.array(points["link1"])).tolist()
    (['joint1', 'tip_joint'], [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    """
    pins: list[Pin] = []
    on_links: dict[str, list[Floats]] = {name: [] for name in robot.link_names}
    for carrier, f in zip(carriers(robot), force, strict=True):
        closes = isinstance(carrier, Loop)
        if isinstance(carrier, Loop):
            first, second, frame = carrier.first, carrier.second, poses[carrier.second] @ carrier.on.matrix
            other = (poses[carrier.first] @ carrier.at.matrix)[:3, 3]
        else:
            first, second = carrier.parent, carrier.child
            frame = poses[second] @ carrier.link_offset.inverse().matrix  # the child's joint frame
            other = (poses[first] @ carrier.origin.matrix)[:3, 3]
        motion, turn = carrier.motion, frame[:3, :3]
        direction = motion.axis_direction()
        axis = None if direction is None else turn @ np.array(direction)
        pins.append(Pin(carrier.name, frame[:3, 3], turn @ f, motion.dof > 0, closes, axis, any(motion.angular)))
        on_links[first].append(other)
        on_links[second].append(frame[:3, 3])
        # Of a joint that slides: a rod is drawn from the end of its barrel; a guide on the base, or one that closes a
        # loop, as the slot of a lever, is part of the link that it is on.
        on_links[first if closes or first == robot.base.name else second] += [other, frame[:3, 3]]
    for name, found in on_links.items():
        if name != robot.base.name and len(apart(np.array(found))) == 1:
            found.extend(free_end(robot, name, poses[name]))
    return pins, on_links


def free_end(robot: RobotModel, link: str, pose: Floats) -> list[Floats]:
    """Where a link that nothing else hangs on is drawn to: its frame's origin, or its mass center."""
    body = robot.link(link).inertia
    ends = [pose[:3, 3]]
    if body.mass > 0:
        ends.append(pose[:3, 3] + pose[:3, :3] @ np.array(body.center_of_mass))
    return ends


def outline_of(points: Floats) -> Floats:
    """The line through the points of a link: between two, or around three and more, in their plane."""
    corners = apart(points)
    if len(corners) < 3:
        return corners
    about = corners - corners.mean(axis=0)
    _, sizes, axes = np.linalg.svd(about, full_matrices=False)
    if sizes[1] < 0.02 * sizes[0]:  # on a line
        return corners[np.argsort(about @ axes[0])]
    around = np.argsort(np.arctan2(about @ axes[1], about @ axes[0]))
    return corners[[*around, around[0]]]


def apart(points: Floats) -> Floats:
    """The points that are not one of those before them."""
    found = [*points[:1]]
    for point in points[1:]:
        if min(float(np.linalg.norm(point - other)) for other in found) > SAME_POINT:
            found.append(point)
    return np.array(found)


def xyz(points: Floats) -> dict[str, Floats]:
    """Points (..., 3) as the arguments that Plotly takes."""
    return {axis: points[:, k] for k, axis in enumerate("xyz")}


def plane_of(points: Floats, size: float) -> Floats | None:
    """Two directions, to the right and up, of the plane that all points are in; none if there is no such plane."""
    about = points - points.mean(axis=0)
    _, _, axes = np.linalg.svd(about, full_matrices=False)
    normal = axes[2]
    if np.abs(about @ normal).max() > FLAT * size:
        return None
    if abs(normal[2]) > 0.9:  # lying: seen from above
        return np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    toward = normal if normal @ np.array([0.3, -1.0, 0.0]) > 0 else -normal
    up = np.array([0.0, 0.0, 1.0]) - toward[2] * toward
    up /= np.linalg.norm(up)
    return np.array([np.cross(up, toward), up])


def arrow_lines(start: Floats, tip: Floats, head: float) -> Floats:
    """The lines of an arrow in space, with a gap after each: its shaft and four barbs."""
    along = (tip - start) / np.linalg.norm(tip - start)
    aside = np.cross(along, np.eye(3)[int(np.argmin(np.abs(along)))])
    aside /= np.linalg.norm(aside)
    gap = np.full(3, np.nan)
    barbs = [tip - head * (along + sign * 0.4 * side) for side in (aside, np.cross(along, aside)) for sign in (1, -1)]
    return np.array([start, tip, gap, *(point for barb in barbs for point in (tip, barb, gap))])
