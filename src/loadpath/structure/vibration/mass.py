"""Where the mass of a vibrating arm is: the pieces of its beams, and how much their cross sections resist turning.

In statics a beam is a line of mass, and the moments of inertia of its sections are part of the lump that stands for
the remainder of the link. In a vibration each section turns by itself, so its inertia belongs on the line, as far as
the link's inertia tensor contains it. A link whose tensor is that of a thin rod has none, and stays a thin rod.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from loadpath.cached import kept
from loadpath.robot.beams.placement import Stretch
from loadpath.robot.inertia import point_mass_tensor
from loadpath.robot.mechanism import BASE, Body, Mechanism
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Floats
from loadpath.structure.beams.elastic_mechanism import BodyGuide, ElasticElement
from loadpath.structure.beams.line import Line
from loadpath.structure.beams.piece_constants import Mass, piece_moments
from loadpath.structure.beams.skeleton import SkeletonBuilder
from loadpath.structure.vibration.world_axes import spatial

# Shares of a mass or an inertia below this are rounding.
_ROUNDING = 1e-9


class ArmParts(NamedTuple):
    """An arm cut into bodies and elastic elements."""

    mechanism: Mechanism
    elements: tuple[ElasticElement, ...]
    stretches: tuple[Stretch | None, ...]
    """The piece of a beam that an element is; None for a joint."""
    shares: tuple[float, ...]
    """The share of its own mass that counts."""
    offsets: Mapping[int, Floats]
    """For each body where its origin lies in the joint frame of its link."""
    links: Mapping[int, str]
    """For each body its link."""
    on_ground: Mass
    """What the base link has on the ground itself, about its origin."""
    lines: tuple[Line, ...] = ()
    """Beams in guides, which are not cut; and the guides."""
    guides: tuple[BodyGuide, ...] = ()


@kept()
def arm_parts(arm: RobotModel) -> ArmParts:
    """The bodies and elements of an arm, as in statics; kept with the arm."""
    builder = SkeletonBuilder(arm, arm.placed_beams, dict(arm.joint_compliances), 1, arm.placed_guides)
    mechanism, elements = builder.mechanism(), tuple(builder.elements)
    ends = {element.end: element for element in elements}
    links, offsets = {BASE: arm.base.name}, {BASE: np.zeros(3)}
    for i, body in enumerate(mechanism.bodies):
        links[i] = ends[i].link if i in ends else body.name
        offsets[i] = offsets[body.parent] + body.arm.astype(float) if i in ends else np.zeros(3)
    stretches, shares = tuple(builder.stretches), tuple(builder.shares)
    parts = ArmParts(mechanism, elements, stretches, shares, offsets, links, builder.on_ground)
    return parts._replace(lines=tuple(builder.lines), guides=builder.body_guides())


class Rotary(NamedTuple):
    """The rotary inertia of the sections: the share of it that lies along each element, and what each body gives."""

    shares: dict[int, float]
    given: dict[int, Floats]


def rotary(arm: ArmParts) -> Rotary:
    """How much of the sections' rotary inertia the links' tensors have."""
    result = Rotary({}, {})
    for link in dict.fromkeys(element.link for element in arm.elements):
        own = [
            k
            for k, (e, s) in enumerate(zip(arm.elements, arm.stretches, strict=True))
            if e.link == link and s is not None
        ]
        wanted = sum((sections_tensor(arm, k) for k in own), np.zeros((3, 3)))
        held = {body for k in own for body in (arm.elements[k].root, arm.elements[k].end)}
        lumps = {body: body_lump(arm, body) for body in held}
        body = max(lumps, key=lambda i: float(np.abs(lumps[i].tensor).max()), default=BASE)
        share = affordable(lumps[body], wanted) if np.any(wanted) else 0.0
        if share > 0:
            result.given[body] = share * wanted
        result.shares.update(dict.fromkeys(own, share))
    return result


def sections_tensor(arm: ArmParts, element: int) -> Floats:
    """The rotary inertia of an element's sections, all of it, in link axes."""
    stretch, axes = arm.stretches[element], axes_of(arm.elements[element])
    assert stretch is not None
    result: Floats = arm.shares[element] * axes @ np.diag(rotary_moments(stretch)) @ axes.T
    return result


def rotary_moments(stretch: Stretch) -> Floats:
    """(3,): the rotary inertia of all sections of a piece about x, y and z, in beam axes."""
    x, weights = stretch.nodes()
    p = stretch.properties(x)
    return np.array([float(weights @ part) for part in (p.inertia_y + p.inertia_z, p.inertia_y, p.inertia_z)])


def moved_inertias(cut: ArmParts, sections: Rotary) -> dict[int, Floats]:
    """Spatial inertias (6, 6) of the bodies that have one and are no line's, about the joint frame's origin of their
    links. The rotary inertia of the sections goes from the body that has it to the bodies on which the pieces start.
    """
    moved = {body: -given for body, given in sections.given.items()}
    for k, (element, stretch) in enumerate(zip(cut.elements, cut.stretches, strict=True)):
        if stretch is not None:
            so_far = moved.get(element.root, np.zeros((3, 3)))
            moved[element.root] = so_far + sections.shares[k] * sections_tensor(cut, k)
    result = {}
    of_lines = {line.body for line in cut.lines}
    for i, body in enumerate(cut.mechanism.bodies):
        mass = body_mass(body).seen_from(-cut.offsets[i])
        inertia = spatial(mass._replace(tensor=mass.tensor + moved.get(i, np.zeros((3, 3)))))
        if np.any(inertia) and i not in of_lines:
            result[i] = inertia
    return result


def axes_of(element: ElasticElement) -> Floats:
    """Columns: the element's x, y and z in the axes of its link."""
    result: Floats = element.axes.matrix().astype(float)
    return result


def body_mass(body: Body) -> Mass:
    """Mass of a body about its origin."""
    return Mass(float(body.mass), body.moment.astype(float), body.inertia.astype(float))


def body_lump(arm: ArmParts, body: int) -> Mass:
    """What a body weighs without the line mass of the pieces that start on it."""
    mass = arm.on_ground if body == BASE else body_mass(arm.mechanism.bodies[body])
    for element, stretch, share in zip(arm.elements, arm.stretches, arm.shares, strict=True):
        if element.root == body and stretch is not None:
            line = Mass.line(element.start.astype(float), axes_of(element)[:, 0], piece_moments(stretch, share))
            mass = mass.plus(line, -1.0)
    return mass


def affordable(lump: Mass, wanted: Floats) -> float:
    """The largest share of a tensor that a lump can give and still have none negative about its mass center."""
    tensor = lump.tensor
    if lump.mass > _ROUNDING * np.trace(np.abs(tensor)):
        tensor = tensor - point_mass_tensor(lump.mass, lump.moment / lump.mass)
    lower = np.linalg.cholesky(wanted)
    inverse = np.linalg.inv(lower)
    share = float(np.linalg.eigvalsh(inverse @ tensor @ inverse.T).min())
    return 1.0 if share > 1 - 1e-6 else max(share, 0.0)
