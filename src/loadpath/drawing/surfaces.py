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
from loadpath.drawing.scene import Solid, ball, prism, together
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


def bodies_of(robot: RobotModel, size: float, shapes: bool = True) -> tuple[dict[str, list[Surface]], bool]:
    """The surfaces of every link that has any, and whether shapes of the robot are among them. Links whose shapes
    cannot be drawn, and all links of a robot without shapes, are drawn from the kinematics, as a robot of that size.

    >>> import loadpath as lp
    >>> bodies, shaped = bodies_of(lp.catalog.planar(2), 2.0)
    >>> list(bodies), shaped
    (['link1', 'link2'], False)
    """
    found, without = surfaces_of(robot) if shapes else ({}, [])
    bare = skeletons(robot, size)
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


# Links without a shape, drawn from the kinematics: tubes between the joints of a link, and the joints as solids. All
# in the frame of the link, so that the browser moves them; only what slides is longer or shorter in every picture.


TUBE = 0.6
"""Radius of a link, of that of a joint."""


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


def skeletons(robot: RobotModel, size: float) -> dict[str, Skeleton]:
    """Every link as tubes, with the joints that it hangs on.

    >>> import loadpath as lp
    >>> found = skeletons(lp.catalog.planar(2), 2.0)
    >>> float(found["link1"].tubes.points[:, 0].max().round(3)), found["tip"].joints is None
    (1.026, True)
    """
    radius = RADIUS * size
    points: dict[str, list[Floats]] = {name: [] for name in robot.link_names}
    pins: dict[str, list[Solid]] = {name: [] for name in robot.link_names}
    for carrier in carriers(robot):
        ends = ends_of_carrier(carrier)
        points[ends.first].append(ends.at.p)
        points[ends.second].append(ends.on.p)
        if carrier.motion.dof:
            direction = carrier.motion.axis_direction()
            axis = None if direction is None else ends.on.R @ np.array(direction)
            pin = Pin(carrier.name, ends.on.p, np.zeros(3), True, isinstance(carrier, Loop), axis,
                      any(carrier.motion.angular))
            pins[ends.second].append(joint_solid(pin, radius))
    found = {}
    for name, places in points.items():
        if len(apart(np.array(places).reshape(-1, 3))) < 2:
            places.extend([np.zeros(3)] if name == robot.base.name else free_end(robot, name, np.eye(4)))
        tubes = list(_tubes(outline_of(np.array(places).reshape(-1, 3)), TUBE * radius))
        joints = pins[name]
        found[name] = Skeleton(together(tubes) if tubes else None, together(joints) if joints else None)
    return found


def _tubes(outline: Floats, radius: float) -> Iterator[Solid]:
    for start, end in pairwise(outline):
        yield prism(0.5 * (start + end), end - start, radius, float(np.linalg.norm(end - start)), sides=12)
    if len(outline) > 1:
        for corner in outline:
            yield ball(corner, radius, sides=8)


def sliding(robot: RobotModel) -> list[Carrier]:
    """Joints and loops that can slide: between their two frames there is a rod.

    >>> import loadpath as lp
    >>> [joint.name for joint in sliding(lp.catalog.lau_arm())]
    ['d2']
    """
    return [carrier for carrier in carriers(robot) if carrier.motion.dof and not all(carrier.motion.angular)]
