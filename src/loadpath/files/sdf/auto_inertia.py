"""`<inertial auto="true">` of SDF 1.11: a link's inertia from its collision shapes, full and of given density."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from loadpath.files.sdf.models import FoundLink
from loadpath.files.sdf.shapes import pose_in_link, solid_of
from loadpath.files.sdf.values import number_in
from loadpath.files.urdf_places import placed
from loadpath.files.vocabulary import Watch
from loadpath.files.xml_node import Node
from loadpath.robot.inertia import Inertia

DENSITY = 1000.0
"""What SDF takes for a collision without a `<density>` (kg/m^3): that of water."""


def inertia_of_collisions(node: Node, found: FoundLink, watch: Watch) -> Inertia:
    """The sum of the link's collisions; a `<mass>` that is given scales it."""
    collisions = found.node.children("collision")
    if not collisions:
        node.fail('<inertial auto="true"> is computed from collisions, and the link has none: write <mass> and '
                  "<inertia>")  # fmt: skip
    if node.child("pose") is not None or node.child("inertia") is not None:
        watch.note(f'{node.owner}: <inertial auto="true"> has a <pose> or an <inertia>, which are computed instead')
    density = number_in(node, "density", DENSITY)
    total = Inertia()
    for collision in collisions:
        total += _of_collision(collision, number_in(collision, "density", density), found)
    if node.child("mass") is None:
        return total
    mass = number_in(node, "mass", 1.0)
    with placed(node):
        return Inertia(mass, total.center_of_mass, (np.array(total.tensor) * (mass / total.mass)).tolist())


def _of_collision(node: Node, density: float, found: FoundLink) -> Inertia:
    solid = solid_of(node)
    name = node.element.attributes.get("name", "")
    if solid is None or solid.tag not in _SOLIDS:
        said = "nothing" if solid is None else f"<{solid.tag}>"
        node.fail(f"the inertia of collision '{name}' is to be computed, and it holds {said}: expected one of "
                  f"<{'>, <'.join(_SOLIDS)}>; or write <mass> and <inertia>")  # fmt: skip
    volume, moments, height = _SOLIDS[solid.tag](solid)
    if not density > 0 or not volume > 0:
        node.fail(f"the inertia of collision '{name}' is to be computed, and its density is {density:g} kg/m^3, its "
                  f"volume {volume:g} m^3: expected more than zero")  # fmt: skip
    mass = density * volume
    own = Inertia(mass, (0.0, 0.0, height), np.diag(mass * np.array(moments)).tolist())
    return own.seen_from(pose_in_link(node, found))


Solid = tuple[float, tuple[float, float, float], float]
"""Volume, principal moments of a unit mass about its center, height of the center over the frame's origin."""


def _box(node: Node) -> Solid:
    x, y, z = node.needed_child("size").content_vector()
    return x * y * z, ((y * y + z * z) / 12, (x * x + z * z) / 12, (x * x + y * y) / 12), 0.0


def _ellipsoid_of(a: float, b: float, c: float) -> Solid:
    return 4 / 3 * math.pi * a * b * c, ((b * b + c * c) / 5, (a * a + c * c) / 5, (a * a + b * b) / 5), 0.0


def _round(node: Node) -> tuple[float, float]:
    return node.needed_child("radius").content_number(), node.needed_child("length").content_number()


def _cylinder(node: Node) -> Solid:
    r, length = _round(node)
    across = r * r / 4 + length * length / 12
    return math.pi * r * r * length, (across, across, r * r / 2), 0.0


def _capsule(node: Node) -> Solid:
    r, length = _round(node)
    tube, ball = math.pi * r * r * length, 4 / 3 * math.pi * r**3
    along = (tube * r * r / 2 + ball * 2 / 5 * r * r) / (tube + ball)
    # Each half ball has its center 3/8 r beyond the end of the tube.
    ends = 2 / 5 * r * r + length * length / 4 + 3 / 8 * length * r
    across = (tube * (r * r / 4 + length * length / 12) + ball * ends) / (tube + ball)
    return tube + ball, (across, across, along), 0.0


def _cone(node: Node) -> Solid:
    r, length = _round(node)
    across = 3 / 80 * (4 * r * r + length * length)
    return math.pi * r * r * length / 3, (across, across, 3 / 10 * r * r), -length / 4


_SOLIDS: dict[str, Callable[[Node], Solid]] = {
    "box": _box,
    "sphere": lambda node: _ellipsoid_of(*(node.needed_child("radius").content_number(),) * 3),
    "ellipsoid": lambda node: _ellipsoid_of(*node.needed_child("radii").content_vector()),
    "cylinder": _cylinder,
    "capsule": _capsule,
    "cone": _cone,
}
