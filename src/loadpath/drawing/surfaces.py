"""The bodies of a robot as surfaces of triangles, for every picture in space: the shapes of its links, and of links
without any what the kinematics say of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadpath.drawing.colors import BODY, JOINT, Color, rgb
from loadpath.drawing.robot_figure import RADIUS, joint_solid
from loadpath.drawing.scene import Solid, ball, lathe, together
from loadpath.drawing.skeleton import Pin, apart, free_end, outline_of
from loadpath.quantities.carriers import Carrier, carriers
from loadpath.robot.estimated import DrawnShape, drawn_shapes
from loadpath.robot.loops import Loop
from loadpath.robot.model import RobotModel
from loadpath.robot.pose import Pose
from loadpath.robot.shapes import Color as Shade
from loadpath.scalars.types import Floats


class Surface(NamedTuple):
    """A surface of one colour, in the frame of its link."""

    points: Floats
    """(points, 3), in m."""
    triangles: NDArray[np.int64]
    """(triangles, 3): numbers of their corners."""
    color: Color
    opacity: float = 1.0
    flat: bool = False
    """Whether its edges are all sharp."""


def bodies_of(
    robot: RobotModel, size: float, shapes: bool = True, *, bolted: bool = True
) -> tuple[dict[str, list[Surface]], bool]:
    """The surfaces of every link that has any, and whether shapes of the robot are among them. Links whose shapes
    cannot be drawn, and all links of a robot without shapes, are drawn from the kinematics, as a robot of that size;
    `bolted` down to the floor unless it stands on wheels.

    >>> import loadpath as lp
    >>> bodies, shaped = bodies_of(lp.catalog.planar(2), 2.0)
    >>> list(bodies), shaped
    (['link1', 'link2'], False)
    """
    found, without = surfaces_of(robot) if shapes else ({}, [])
    bare = skeletons(robot, size, bolted)
    bodies: dict[str, list[Surface]] = {}
    for link in robot.link_names:
        own = list(found.get(link, ()))
        if not found or link in without:
            own += [Surface(solid.points, solid.triangles, rgb(color), flat=color == JOINT)
                    for solid, color in ((bare[link].tubes, BODY), (bare[link].joints, JOINT)) if solid is not None]
        if own:
            bodies[link] = own
    return bodies, bool(found)


# The shapes of links: boxes, cylinders and meshes.


def surfaces_of(robot: RobotModel) -> tuple[dict[str, list[Surface]], list[str]]:
    """The visible shapes of every link that has any, and the links that have shapes none of which can be drawn.

    >>> import loadpath as lp
    >>> box = lp.BoxShape((0.4, 0.1, 0.1), color=(1, 0, 0))
    >>> found, missing = surfaces_of(lp.Robot("box", (lp.Link("base", shapes=[box]),), ()))
    >>> found["base"][0].color, missing
    ((255, 0, 0), [])
    """
    # Shapes to be touched are often rough: they are drawn only of robots that have nothing else.
    seen = any(shape.purpose == "visual" for link in robot.links for shape in link.shapes)
    drawn = drawn_shapes(robot.links, "visual" if seen else None)
    found = {name: [surface for shape in shapes for surface in _of_shape(shape)] for name, shapes in drawn.items()}
    without = [link.name for link in robot.links if link.shapes and not found[link.name]
               and (not seen or any(shape.purpose == "visual" for shape in link.shapes))]
    return {name: surfaces for name, surfaces in found.items() if surfaces}, without


def _of_shape(drawn: DrawnShape) -> Iterator[Surface]:
    """One surface for each of its colours."""
    surface = drawn.triangles
    shades: list[Shade | None] = [drawn.shape.color]
    number = np.zeros(len(surface.faces), dtype=np.intp)
    if drawn.shape.color is None and surface.colors is not None:
        found, number = np.unique(np.round(surface.colors, 3), axis=0, return_inverse=True)
        shades = [(float(r), float(g), float(b), float(opacity)) for r, g, b, opacity in found]
    for k, shade in enumerate(shades):
        color, opacity = rgb(BODY), 1.0
        if shade is not None:
            r, g, b, opacity = shade
            color = round(255 * r), round(255 * g), round(255 * b)
        yield Surface(surface.vertices, surface.faces[number.reshape(-1) == k], color, opacity)


# Links without a shape, drawn from the kinematics: a housing at every joint, castings between them that are thinner
# towards the tip, a flange where the robot stands. All in the frame of the link, so that the browser moves them; only
# what slides is longer or shorter in every picture.


TUBE = 0.72
"""Radius of a link where it begins, of that of the joint."""
THICKEST, THINNEST = 2.2, 1.1
"""Of the usual radius of a joint: at the base of a robot, and at its tips."""
SLIM = 0.25
"""Of the usual length of a link: the usual radius of a joint is no larger, as of snakes."""
OFFSET = 0.1
"""Of the robot's size: a link whose way along its joint's axis and across it are both longer than this has a corner."""


class Ends(NamedTuple):
    """What a joint or loop joins: two links, and where it is on each."""

    first: str
    second: str
    at: Pose
    on: Pose


def ends_of_carrier(carrier: Carrier) -> Ends:
    """The links that a joint or loop joins, and its frames on them."""
    if isinstance(carrier, Loop):
        return Ends(carrier.first, carrier.second, carrier.at, carrier.on)
    return Ends(carrier.parent, carrier.child, carrier.origin, carrier.link_offset.inverse())


class Skeleton(NamedTuple):
    """A link as surfaces in its frame."""

    tubes: Solid | None
    joints: Solid | None


def skeletons(robot: RobotModel, size: float, bolted: bool = True) -> dict[str, Skeleton]:
    """Every link as castings, with the joints that it hangs on; the base with a flange, if it is `bolted` down.

    >>> import loadpath as lp
    >>> found = skeletons(lp.catalog.planar(2), 2.0)
    >>> float(found["link1"].tubes.points[:, 0].max().round(3)), found["tip"].joints is None
    (1.051, True)
    """
    steps = [float(np.linalg.norm(joint.origin.p)) for joint in robot.joints]
    usual = float(np.median([step for step in steps if step > 0.0] or [size]))
    radii = {name: min(RADIUS * size, SLIM * usual) * share for name, share in _thickness(robot).items()}
    points: dict[str, list[Floats]] = {name: [] for name in robot.link_names}
    widths: dict[str, list[float]] = {name: [] for name in robot.link_names}
    entries: dict[str, tuple[Floats, Floats]] = {}
    pins: dict[str, list[Solid]] = {name: [] for name in robot.link_names}
    for carrier in carriers(robot):
        ends, closes = ends_of_carrier(carrier), isinstance(carrier, Loop)
        radius = min(radii[ends.first], radii[ends.second]) if closes else radii[ends.second]
        for link, place in ((ends.first, ends.at.p), (ends.second, ends.on.p)):
            points[link].append(place)
            widths[link].append(radius)
        if carrier.motion.dof:
            direction = carrier.motion.axis_direction()
            axis = None if direction is None else ends.on.R @ np.array(direction)
            pin = Pin(carrier.name, ends.on.p, np.zeros(3), True, closes, axis, any(carrier.motion.angular))
            pins[ends.second].append(joint_solid(pin, radius))
            if axis is not None and not closes:
                entries[ends.second] = ends.on.p, axis
    found = {}
    for name, places in points.items():
        if len(apart(np.array(places).reshape(-1, 3))) < 2:
            ending = [np.zeros(3)] if name == robot.base.name else free_end(robot, name, np.eye(4))
            places.extend(ending)
            widths[name].extend([radii[name] * (1.0 if name == robot.base.name else 0.8)] * len(ending))
        solids = _castings(np.array(places).reshape(-1, 3), np.array(widths[name]), entries.get(name), OFFSET * size)
        if name == robot.base.name and bolted and _is_upright(robot):
            solids.append(_flange(radii[name]))
        joints = pins[name]
        found[name] = Skeleton(together(solids) if solids else None, together(joints) if joints else None)
    return found


def _thickness(robot: RobotModel) -> dict[str, float]:
    """For every link how thick it is drawn: by how far the robot reaches beyond it, stretched out."""
    above = {joint.child: joint for joint in robot.joints}
    reach = dict.fromkeys(robot.link_names, 0.0)
    for joint in reversed(robot.joints):  # parents stand before their children
        before = above.get(joint.parent)
        start = np.zeros(3) if before is None else before.link_offset.inverse().p
        step = float(np.linalg.norm(joint.origin.p - start))
        reach[joint.parent] = max(reach[joint.parent], step + reach[joint.child])
    most = max(reach.values()) or 1.0
    closed = bool(robot.loops)  # in which all links are about as heavy as another
    return {name: 1.2 if closed else THINNEST + (THICKEST - THINNEST) * far / most for name, far in reach.items()}


def _castings(points: Floats, widths: Floats, entry: tuple[Floats, Floats] | None, offset: float) -> list[Solid]:
    """The line or outline through the points of a link, as thick at each as its joint."""
    outline = outline_of(points)
    if len(outline) == 2 and entry is not None:
        outline = _with_corner(outline, *entry, offset)
    if len(outline) < 2:
        return []
    thick = [TUBE * float(widths[int(np.linalg.norm(points - at, axis=1).argmin())]) for at in outline]
    found = [ball(at, radius, sides=10) for at, radius in zip(outline, thick, strict=True)]
    for (start, end), (first, last) in zip(pairwise(outline), pairwise(thick), strict=True):
        long = float(np.linalg.norm(end - start))
        found.append(lathe(start, end - start, [(0.0, first), (long, last)], sides=20))
    return found


def _with_corner(line: Floats, start: Floats, axis: Floats, offset: float) -> Floats:
    """A link as by Denavit and Hartenberg: along the axis of its joint, then across."""
    if np.linalg.norm(line[0] - start) > np.linalg.norm(line[1] - start):
        line = line[::-1]
    way, unit = line[1] - line[0], axis / np.linalg.norm(axis)
    along = (way @ unit) * unit
    if min(np.linalg.norm(along), np.linalg.norm(way - along)) < offset:
        return line
    return np.array([line[0], line[0] + along, line[1]])


def _is_upright(robot: RobotModel) -> bool:
    """Whether one joint alone carries it that turns it about the vertical, or stands off the base's origin."""
    if len([end for end in map(ends_of_carrier, carriers(robot)) if end.first == robot.base.name]) != 1:
        return False
    first = next(joint for joint in robot.joints if joint.parent == robot.base.name)
    axis = first.motion.axis_direction()
    upright = axis is not None and abs((first.origin.R @ np.array(axis))[2]) > 0.9
    return first.motion.dof < 6 and (upright or float(np.linalg.norm(first.origin.p)) > 0.0)


def _flange(radius: float) -> Solid:
    """What a robot is bolted down with, at the origin of its base."""
    profile = [(0.0, 2.0 * radius), (0.3 * radius, 2.0 * radius), (0.4 * radius, 1.9 * radius), (0.5 * radius, radius)]
    return lathe(np.zeros(3), np.array([0.0, 0.0, 1.0]), profile, sides=32)


def sliding(robot: RobotModel) -> list[Carrier]:
    """Joints and loops that can slide: between their two frames there is a rod.

    >>> import loadpath as lp
    >>> [joint.name for joint in sliding(lp.catalog.lau_arm())]
    ['d2']
    """
    return [carrier for carrier in carriers(robot) if carrier.motion.dof and not all(carrier.motion.angular)]
