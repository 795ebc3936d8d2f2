"""What a rover stands on, for pictures: wheels, feet and the body over them as surfaces, the polygon of support and the
zero-moment point, the forces of the ground.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.drawing.colors import BODY, JOINT, rgb
from loadpath.drawing.scene import Solid, ball, bevelled
from loadpath.drawing.surfaces import Surface
from loadpath.motion import Motion
from loadpath.report.around import Around
from loadpath.robot.triangles import box
from loadpath.robot.wheels.base import hull
from loadpath.scalars.types import Floats, Ints

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover
    from loadpath.mobile.stability import Stability

FOOT = 0.06
"""Of a robot's size: the radius of a foot, which has none."""
AROUND, THICK = 0.04, 0.02
"""Of a robot's size: how far the body reaches beyond the contacts, and how thick it is at least."""


def radii_of(rover: Rover, size: float) -> list[float]:
    """The radius of every wheel (m), and of every foot as it is drawn.

    >>> import loadpath as lp
    >>> radii_of(lp.catalog.lau_rover(), 1.0)
    [0.1, 0.1, 0.1]
    """
    return [float(getattr(wheel, "radius", FOOT * size)) for wheel in rover.base.wheels]


def wheels_of(rover: Rover, size: float) -> list[Surface]:
    """Wheels as discs about their axles, feet as balls, in the frame of the base.

    >>> import loadpath as lp
    >>> len(wheels_of(lp.catalog.lau_rover(), 1.0))
    3
    """
    found = []
    for wheel, radius in zip(rover.base.wheels, radii_of(rover, size), strict=True):
        center = np.array([*wheel.position, radius])
        axle = np.array([-np.sin(wheel.direction), np.cos(wheel.direction), 0.0])
        rolls = hasattr(wheel, "radius")
        solid = bevelled(center, axle, radius, 0.5 * radius, sides=40) if rolls else ball(center, radius)
        found.append(Surface(solid.points, solid.triangles, rgb(JOINT), flat=True))
    return found


def hubs_of(rover: Rover, size: float) -> list[Surface]:
    """What stands out a little on both sides of wheels, in the colour of bodies."""
    found = []
    for wheel, radius in zip(rover.base.wheels, radii_of(rover, size), strict=True):
        if hasattr(wheel, "radius"):
            axle = np.array([-np.sin(wheel.direction), np.cos(wheel.direction), 0.0])
            solid = bevelled(np.array([*wheel.position, radius]), axle, 0.55 * radius, 0.56 * radius)
            found.append(Surface(solid.points, solid.triangles, rgb(BODY)))
    return found


def body_of(rover: Rover, size: float) -> Surface | None:
    """A slab over the wheels; none where the base has a shape of its own."""
    if any(shape.purpose == "visual" for shape in rover.robot.base.shapes):
        return None
    at, radii = np.array([wheel.position for wheel in rover.base.wheels], dtype=float), radii_of(rover, size)
    low, high = at.min(axis=0), at.max(axis=0)
    thick = max(0.5 * min(radii), THICK * size)
    wide, long = high - low + AROUND * size
    slab = box((float(wide), float(long), thick))
    center = np.array([*(0.5 * (low + high)), min(radii) + 0.5 * thick])
    solid = Solid(slab.vertices + center, slab.faces)
    return Surface(solid.points, solid.triangles, rgb(BODY), opacity=0.6, flat=True)


def wheels_and_body(rover: Rover, size: float) -> list[Surface]:
    """All that a rover has beside its robots.

    >>> import loadpath as lp
    >>> len(wheels_and_body(lp.catalog.lau_rover(), 1.0))
    7
    """
    body = body_of(rover, size)
    return [*hubs_of(rover, size), *wheels_of(rover, size), *([] if body is None else [body])]


def ring_of(standing: Stability) -> Floats:
    """(corners, 2): the support polygon of one state or of the first of a batch, in the frame of the base.

    >>> import loadpath as lp
    >>> ring_of(lp.catalog.lau_rover().stability([0, 0, 0])).shape
    (3, 2)
    """
    corners = np.asarray(standing.support_polygon, dtype=float)
    return corners if corners.ndim == 2 else corners[0][hull(corners[0])]


def around(rover: Rover, motion: Motion, base: Mapping[str, Any], on_plane: bool) -> Around:
    """What the report's picture shows around the robots of a rover: off a plane that stands (`on_plane`), wheels and
    body alone.
    """
    surfaces = partial(wheels_and_body, rover)
    if not on_plane:
        return Around(surfaces)
    states = motion.q, motion.qd, motion.qdd
    standing, loads = rover.stability(*states, **base), rover.wheel_loads(*states, **base)

    def at_rows(rows: Ints) -> dict[str, Any]:
        force = np.asarray(loads.force)[rows]
        points = np.broadcast_to(loads.points, (*np.shape(loads.force)[:-1], 2))[rows]
        flat = np.zeros((*points.shape[:-1], 1))
        zmp = np.asarray(standing.zero_moment_point)[rows]
        return {"at": np.concatenate([points, flat], axis=-1), "ground": force, "tips": standing.tips_over[rows],
                "zero_moment_point": np.concatenate([zmp, np.zeros((len(rows), 1))], axis=-1)}

    if rover.base.on_links:  # where the polygon goes with the loads of passive joints
        return Around(surfaces, None, at_rows)
    ring = ring_of(standing)
    return Around(surfaces, np.column_stack([ring, np.zeros(len(ring))]), at_rows)
