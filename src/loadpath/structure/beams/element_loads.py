"""What loads the elements of a flexible arm: the wrench at the end of each, and the load along it.

Section 7.1 of Lau's thesis with the load put right (see errata): the end of a piece carries -F_{i+1} and -N_{i+1}, what
the arm beyond exerts on it, not the difference of the wrenches at its two ends; and its own mass loads it
by q(x) = -mu(x) (A + B x), A the acceleration of its start against gravity, B = omegadot x e + omega x (omega x e).
"""

from __future__ import annotations

from typing import NamedTuple

from loadpath.errors import ModelError
from loadpath.formulations.newton_euler import LinkMotion, base_motion, inward, outward
from loadpath.mechanics.wrenches import External, Wrench, on_bodies
from loadpath.robot.mechanism import BASE
from loadpath.scalars import Array, array, dot, scale, vector
from loadpath.structure.beams.elastic_mechanism import ElasticElement, ElasticMechanism
from loadpath.structure.beams.guided_equations import LineLoad, line_loads
from loadpath.structure.beams.guided_line import GuidedLine


class ElementLoad(NamedTuple):
    """Load of an element, in its axes."""

    P: Array
    """Force at its end."""
    Q: Array
    """Torque about its end."""
    A: Array
    """Acceleration of its start, minus gravity."""
    B: Array
    """Acceleration added per unit of length along it."""


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

    `without_driven` leaves out what acts along the motion of the link's own joint, as (7-13) to (7-16), (7-19) and
    (7-20) do: of a revolute joint all force but that along the axis, and the torque about it; of a prismatic one the
    force along it.
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
        parts = (-f, -n, A, B)
        if without_driven and element.axis is not None and element.is_beam:
            parts = _not_driven(element, element.axis, *parts)
        loads.append(ElementLoad(*(element.axes.T @ part for part in parts)))
    lines = line_loads(elastic, q, links, base, wrenches, given, external)
    if without_driven:
        lines = [_line_not_driven(line, load) for line, load in zip(elastic.lines, lines, strict=True)]
    return ArmLoads(loads, lines, links, wrenches)


def _line_not_driven(line: GuidedLine, load: LineLoad) -> LineLoad:
    """The same for a beam in a guide, whose loads are in beam axes, about its start."""
    if line.axis is None:
        return load
    s = array((line.axes.T @ line.axis).tolist())
    if not line.sliding and abs(float(s[0])) > 1e-6:
        raise ModelError(f"link '{line.link}': 'without_driven' is not defined for a beam with a guide that is not at "
                         "right angles to the axis of its joint: leave it out")  # fmt: skip
    wrenches = []
    A, B = load.A, load.B
    for force, torque in load.wrenches:
        P, Q, A, B = _not_driven(line, s, force, torque, load.A, load.B)
        wrenches.append(Wrench(P, Q))
    return LineLoad(load.places, wrenches, A, B)


def _not_driven(
    element: ElasticElement | GuidedLine, s: Array, P: Array, Q: Array, A: Array, B: Array
) -> tuple[Array, Array, Array, Array]:
    """The load of a piece without what its link's own drive balances: the thesis's fourth assumption."""

    def along(v: Array) -> Array:
        return scale(dot(s, v), s)

    if element.sliding:
        return P - along(P), Q, A - along(A), B - along(B)  # (7-13), (7-14), (7-19)
    return along(P), Q - along(Q), along(A), along(B)  # (7-15), (7-16), (7-20)
