"""What changes at the base of an arm because the arm has bent: its mass is not where the rigid arm has it.

The bodies are put where the bends of the elements under their loads put them (`bent_mechanism`), and the wrench at the
base is taken again there: weights act beside their old lines, and in a turning base farther out. Between its ends a
piece of a beam moves its own mass as well. Of a piece, with the acceleration A + B x of its mass elements against
gravity and displacements d(x) against its start's tangent, that is the moment

    Int d(x) x (A + B x) dm = D_0 x A + D_1 x B,      D_0 = Int d dm,  D_1 = Int x d dm.

By end loads P, Q these integrals are what a uniform (a linear) load does to the end (Betti's theorem), so that the
responses of an element have them already; by the piece's own loads they come from its shapes.

The bodies of an arm with guides are put where its small displacements put them. The body of a link whose beam slides,
or carries a guide, moves like the start of that beam; what the beam's own bending adds to its line mass and to the lump
that it holds comes on top, by Gauss's rule over each part of the beam.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from loadpath.formulations.newton_euler import BaseMotion, LinkMotion, base_motion, base_wrench
from loadpath.mechanics.kinematics import base_placement, placements
from loadpath.mechanics.wrenches import External, Wrench, on_base, on_bodies
from loadpath.robot.beams.placement import Station, Stretch
from loadpath.robot.mechanism import BASE, Body, Mechanism
from loadpath.robot.model import RobotModel
from loadpath.scalars import Array, MatrixRotation, array, compose, cross, is_zero, scale, vector, zeros
from loadpath.scalars.types import Floats
from loadpath.structure.beams.deflection_equations import arm_motions, bent_mechanism, cayley, element_bend
from loadpath.structure.beams.elastic_mechanism import ElasticElement, ElasticMechanism, ElementLoad, check_effects
from loadpath.structure.beams.element_loads import ArmLoads, arm_loads
from loadpath.structure.beams.line import Line
from loadpath.structure.beams.line_equations import LineLoad, LineMotion, Motion, own_motion, rotation_of
from loadpath.structure.beams.skeleton import SkeletonBuilder, skeleton
from loadpath.structure.vibration.basis import shapes

_ORDER = 8
"""Polynomials of the bending moment of a piece under its own load: cubic where it is uniform."""
_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(10)
"""Of each part of a beam: what bends it has kinks where loads act, in the third derivative."""


@dataclass(frozen=True, eq=False)
class HeavyMechanism:
    """An elastic mechanism, and the line mass of each of its pieces."""

    elastic: ElasticMechanism
    lines: tuple[tuple[Stretch, float] | None, ...]
    """For each element the piece of a beam that it is and the share of its mass that counts; None for a joint."""

    def under_gravity(self, gravity: Array) -> HeavyMechanism:
        """The same arm under another gravity, in world axes."""
        return replace(self, elastic=self.elastic.under_gravity(gravity))


def heavy_mechanism(arm: RobotModel) -> HeavyMechanism:
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
    >>> from loadpath.robot.beams.placement import stretches
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


# Beams in guides


def moved_mechanism(mechanism: Mechanism, loads: ArmLoads, moved: dict[int, Motion]) -> Mechanism:
    """The bodies where small displacements and rotations, of their origins and in their axes, put them."""
    bodies = []
    for i, body in enumerate(mechanism.bodies):
        Q, b = loads.links[i].joint[:2]
        m, n = moved[body.parent].at(body.arm + body.turn @ b)
        by_parent = Motion(Q.T @ (body.turn.T @ m), Q.T @ (body.turn.T @ n))
        dm = Q @ (moved[i].displacement - by_parent.displacement)
        dn = Q @ (moved[i].rotation - by_parent.rotation)
        bodies.append(_moved_body(body, b, dm, dn))
    return replace(mechanism, bodies=tuple(bodies))


def _moved_body(body: Body, b: Array, m: Array, n: Array) -> Body:
    if all(is_zero(part) for part in (*m, *n)):
        return body
    turn = compose(body.turn, MatrixRotation(cayley(n)))
    return replace(body, arm=body.arm + body.turn @ (m - cross(n, b)), turn=turn)


def line_shift(
    motion: LineMotion, root: LinkMotion | BaseMotion, given: Wrench, origin: Array, effects: tuple[str, ...]
) -> tuple[Array, Array]:
    """What the bending of a beam in a guide adds: to the torque of the base, and to the sum of masses times
    displacements; both in the axes of the link's joint frame. `given` is what acts on the link from outside, `origin`
    the place of the link's frame.
    """
    line, load = motion.line, motion.load
    R, start = rotation_of(line.axes), array(line.start.tolist())
    first, second = _line_moved(line, load, effects)
    torque = R @ (cross(first, load.A) + cross(second, load.B))
    moved = R @ first

    def seen(station: int) -> tuple[Motion, Array]:
        """What a station does by the bending of the beam, and where it is."""
        own = motion.own[station]
        return Motion(R @ own.displacement, R @ own.rotation), start + R @ vector(load.places[station], 0.0, 0.0)

    if line.lump is not None and line.lump.mass.mass > 0:
        own, at = seen(line.lump.station)
        mass = float(line.lump.mass.mass)
        center = array((line.lump.mass.moment / mass).tolist())
        there = scale(mass, own.at(center - at).displacement)
        torque = torque + cross(there, root.oddot + root.W @ center)
        moved = moved + there
    own, at = seen(line.frame)
    torque = torque - cross(own.at(origin - at).displacement, given.force)
    return torque, moved


def _line_moved(line: Line, load: LineLoad, effects: tuple[str, ...]) -> tuple[Array, Array]:
    """Integrals of displacement, and of x times displacement, over the line mass; beam axes, against the start."""
    stations, masses = [], []
    for part in line.parts:
        half = 0.5 * part.stretch.length
        x = half * (_POINTS + 1)
        stations += [Station(part.start + float(at)) for at in x]
        masses += (half * _WEIGHTS * part.share * part.stretch.properties(x).mass).tolist()
    dense = replace(line, stations=(*line.stations, *stations))
    nothing = [Wrench(zeros(3), zeros(3)) for _ in stations]
    places = [*load.places, *(station.constant for station in stations)]
    loaded = load._replace(places=places, wrenches=[*load.wrenches, *nothing])
    first, second = zeros(3), zeros(3)
    for k, (station, mass) in enumerate(zip(stations, masses, strict=True), start=len(line.stations)):
        displacement = own_motion(dense, loaded, k, effects).displacement
        first = first + scale(mass, displacement)
        second = second + scale(mass * station.constant, displacement)
    return first, second
