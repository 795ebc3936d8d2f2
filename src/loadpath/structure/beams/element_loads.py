"""What loads the elements of a flexible arm: the wrench at the end of each, and the load along it.

Section 7.1 of Lau's thesis with the load put right (see errata): the end of a piece carries -F_{i+1} and -N_{i+1}, what
the arm beyond exerts on it, not the difference of the wrenches at its two ends; and its own mass loads it
by q(x) = -mu(x) (A + B x), A the acceleration of its start against gravity, B = omegadot x e + omega x (omega x e).
"""

from __future__ import annotations

from typing import NamedTuple

from loadpath.formulations.newton_euler import LinkMotion, base_motion, inward, outward
from loadpath.mechanics.wrenches import External, Wrench, on_bodies
from loadpath.robot.mechanism import BASE
from loadpath.scalars import Array, vector
from loadpath.structure.beams.driven_loads import elements_without_driven, lines_without_driven
from loadpath.structure.beams.elastic_mechanism import ElasticMechanism, ElementLoad
from loadpath.structure.beams.line_equations import LineLoad, line_loads


class ArmLoads(NamedTuple):
    """What loads the parts of an arm."""

    elements: list[ElementLoad]
    lines: list[LineLoad]
    """Of the beams in guides."""
    links: list[LinkMotion]
    """The motion of every body."""
    wrenches: list[Wrench]
    """What holds every body at its joint."""


def arm_loads(
    elastic: ElasticMechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
    *,
    without_driven: bool = False,
) -> ArmLoads:
    """The load of every element and of every beam in a guide, and the motion of every body.

    `without_driven` leaves out what the drive of each link's own joint balances: see `driven_loads`.
    """
    mechanism = elastic.mechanism
    base = base_motion(mechanism, base_velocity, base_acceleration)
    links = outward(mechanism, q, qd, qdd, base_velocity, base_acceleration)
    given = on_bodies(mechanism, q, external)
    wrenches = inward(mechanism, links, given)
    loads = []
    for element in elastic.elements:
        turn = mechanism.bodies[element.end].turn  # where the element is bent, its end's axes are not its start's
        f, n = (turn @ part for part in wrenches[element.end])
        root = base if element.root == BASE else links[element.root]
        W, oddot = root.W, root.oddot
        A = oddot + W @ element.start
        B = W @ (element.axes @ vector(1.0, 0.0, 0.0))
        loads.append(ElementLoad(*(element.axes.T @ part for part in (-f, -n, A, B))))
    lines = line_loads(elastic, q, links, base, wrenches, given, external)
    if without_driven:
        loads, lines = elements_without_driven(elastic.elements, loads), lines_without_driven(elastic.lines, lines)
    return ArmLoads(loads, lines, links, wrenches)
