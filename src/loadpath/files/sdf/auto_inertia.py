"""`<inertial auto="true">` of SDF 1.11: a link's inertia from its collision shapes, full and of given density."""

from __future__ import annotations

import numpy as np

from loadpath.files.sdf.models import FoundLink
from loadpath.files.sdf.shapes import shape_of
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
                  "<inertia>")
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
    shape = shape_of(node, "collision", found)
    if shape is None:
        node.fail("the inertia of the link is to be computed from this collision, which has no volume: write <mass> "
                  "and <inertia>")
    with placed(node):
        found_inertia = shape.inertia(density, if_open="refuse")
    if not found_inertia.mass > 0:
        node.fail("the inertia of the link is to be computed from this collision, which has no volume: expected sizes "
                  "above zero")
    return found_inertia
