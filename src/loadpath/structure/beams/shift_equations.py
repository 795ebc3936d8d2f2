"""What changes at the base of an arm because the arm has bent: its mass is not where the rigid arm has it.

The bodies are put where the bends of the elements under their loads put them (`bent_mechanism`), and the wrench at the
base is taken again there: weights act beside their old lines, and in a turning base farther out. Between its ends a
piece of a beam moves its own mass as well. Of a piece, with the acceleration A + B x of its mass elements against
gravity and displacements d(x) against its start's tangent, that is the moment

    Int d(x) x (A + B x) dm = D_0 x A + D_1 x B,      D_0 = Int d dm,  D_1 = Int x d dm.

By end loads P, Q these integrals are what a uniform (a linear) load does to the end (Betti's theorem), so that the
responses of an element have them already; by the piece's own loads they come from its shapes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from loadpath.formulations.newton_euler import base_motion, base_wrench
from loadpath.mechanics.kinematics import base_placement, placements
from loadpath.mechanics.wrenches import External, on_base, on_bodies
from loadpath.robot.beams.profile import Stretch
from loadpath.robot.mechanism import BASE, Mechanism
from loadpath.scalars import Array, array, cross, scale, vector, zeros
from loadpath.scalars.types import Floats
from loadpath.structure.beams.deflection_equations import arm_motions, bent_mechanism, element_bend
from loadpath.structure.beams.elastic_mechanism import ElasticElement, ElasticMechanism, ElementLoad, check_effects
from loadpath.structure.beams.element_loads import arm_loads
from loadpath.structure.beams.guided_equations import LineMotion
from loadpath.structure.beams.guided_shift import line_shift, moved_mechanism
from loadpath.structure.beams.skeleton import SkeletonBuilder, skeleton
from loadpath.structure.vibration.basis import shapes

if TYPE_CHECKING:
    from loadpath.api.kinds import FlexibleRobot

_ORDER = 8
"""Polynomials of the bending moment of a piece under its own load: cubic where it is uniform."""


@dataclass(frozen=True, eq=False)
class HeavyMechanism:
    """An elastic mechanism, and the line mass of each of its pieces."""

    elastic: ElasticMechanism
    lines: tuple[tuple[Stretch, float] | None, ...]
    """For each element the piece of a beam that it is and the share of its mass that counts; None for a joint."""


def heavy_mechanism(arm: FlexibleRobot) -> HeavyMechanism:
    """What `load_shift` is traced on."""
    builder = SkeletonBuilder(arm, arm.placed_beams, dict(arm.joint_compliances), 1, arm.placed_guides)
    builder.mechanism()
    lines = (None if s is None else (s, share) for s, share in zip(builder.stretches, builder.shares, strict=True))
    return HeavyMechanism(skeleton(arm), tuple(lines))


class OwnShift(NamedTuple):
    """D_0 and D_1 of a piece per unit of its own accelerations, each (3, 3), element axes."""

    by_uniform: tuple[Floats, Floats]
    by_linear: tuple[Floats, Floats]


def own_shift(stretch: Stretch, share: float, effects: tuple[str, ...]) -> OwnShift:
    """How the line mass of a piece moves under its own acceleration.

    >>> from loadpath.structure import Beam, Rod, STEEL
    >>> from loadpath.robot.beams.profile import stretches
    >>> rod = Rod(0.01)
    >>> (piece,) = stretches(Beam(rod, STEEL, end=(2, 0, 0)), 2.0)
    >>> moved = own_shift(piece, 1.0, ("bending",)).by_uniform[0][2, 2]
    >>> mu = 7850 * rod.area                              # mu^2 A L^5 / 20 EI, against the acceleration
    >>> round(float(moved * 20 * 210e9 * rod.second_moment_y / (mu**2 * 2**5)), 12)
    -1.0
    """
    x, weights = stretch.nodes()
    mass = weights * stretch.properties(x).mass * share
    moved = shapes(stretch, x, _ORDER, effects).values[:, :3]
    uniform, linear = (np.einsum("x,xic->ic", mass * x**k, moved) for k in (0, 1))
    return OwnShift((-uniform @ uniform.T, -linear @ uniform.T), (-uniform @ linear.T, -linear @ linear.T))


def load_shift(
    heavy: HeavyMechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
    *,
    effects: tuple[str, ...],
) -> tuple[Array, Array, Array]:
    """By how much the force and torque on the root link (`base_wrench`) are larger on the bent arm than on the rigid
    one, at the root's origin in its axes; and how far its masses have moved, sum of m times displacement (kg m).
    """
    check_effects(effects)
    elastic = heavy.elastic
    motion = base_velocity, base_acceleration
    every = arm_loads(elastic, q, qd, qdd, external, *motion)
    loads = every.elements
    motions: dict[int, LineMotion] = {}
    if elastic.guides:
        moved_bodies, motions = arm_motions(elastic, q, every, effects)
        bent = moved_mechanism(elastic.mechanism, every, moved_bodies)
    else:
        bends = zeros(len(elastic.elements), 6)
        for k, (element, load) in enumerate(zip(elastic.elements, loads, strict=True)):
            bends[k, :3], bends[k, 3:] = element_bend(element.response(effects), load)
        bent = bent_mechanism(elastic, bends)
    straight_force, straight_torque = base_wrench(elastic.mechanism, q, qd, qdd, external, *motion)
    force, torque = base_wrench(bent, q, qd, qdd, external, *motion)
    moved = _first_moment(bent, q) - _first_moment(elastic.mechanism, q)
    base, bodies = base_placement(elastic.mechanism), placements(elastic.mechanism, q)
    for element, load, line in zip(elastic.elements, loads, heavy.lines, strict=True):
        if line is None:
            continue
        at = base if element.root == BASE else bodies[element.root]
        first, second = _own_moved(element, load, own_shift(*line, effects), effects)
        turning = cross(first, load.A) + cross(second, load.B)
        torque = torque + at.to_world(element.axes @ turning)
        moved = moved + at.to_world(element.axes @ first)
    if motions:
        root_of_all = base_motion(elastic.mechanism, *motion)
        on_links = on_bodies(elastic.mechanism, q, external)
        on_root = on_base(elastic.mechanism, external)
        for body, line_motion in motions.items():
            on_ground = body == BASE
            at, root = (base, root_of_all) if on_ground else (bodies[body], every.links[body])
            frame = elastic.mechanism.link_frames[line_motion.line.link]
            given = on_root if on_ground else on_links[body]
            turning, there = line_shift(line_motion, root, given, frame.origin, effects)
            torque, moved = torque + at.to_world(turning), moved + at.to_world(there)
    return force - straight_force, torque - straight_torque, moved


def _first_moment(mechanism: Mechanism, q: Array) -> Array:
    total = zeros(3)
    for body, at in zip(mechanism.bodies, placements(mechanism, q), strict=True):
        total = total + scale(body.mass, at.origin) + at.to_world(body.moment)
    return total


def _own_moved(
    element: ElasticElement, load: ElementLoad, own: OwnShift, effects: tuple[str, ...]
) -> tuple[Array, Array]:
    """D_0 and D_1 of a piece of a beam, element axes."""
    response, ends = element.response(effects), (*load.P, *load.Q)
    result = []
    for k, at_end in enumerate((response.uniform, response.linear)):
        terms = ((at_end.T, ends), (own.by_uniform[k], load.A), (own.by_linear[k], load.B))
        result.append(_sum(terms))
    return result[0], result[1]


def _sum(terms: Sequence[tuple[Floats, Sequence[object] | Array]]) -> Array:
    """The sum of products of matrices of numbers with vectors."""
    total = vector(0.0, 0.0, 0.0)
    for matrix, values in terms:
        for i in range(3):
            for k, value in enumerate(values):
                if matrix[i, k] != 0.0:
                    total[i] = total[i] + float(matrix[i, k]) * value
    return array(list(total))
