"""Beams in guides under load: what the pads carry, and how far the stations of the beams move.

The wrench across a sliding joint comes from the recursion for rigid links, as for any joint. It is statically
determinate which pad carries what: two forces across at each pad, the force along and the torque about the slide at one
of them. The beam of the link that slides floats: its start moves and turns so that at the pads both beams are displaced
alike across the slide, and at one of them along and about it.

Loads are in beam axes, moments of them about the beam's start; x runs from there. See `guided_line` for the integrals.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

from loadpath.formulations.newton_euler import BaseMotion, LinkMotion
from loadpath.mechanics.rigid_body import euler_torque
from loadpath.mechanics.wrenches import External, Wrench, on_base, towards_base
from loadpath.robot.mechanism import BASE, Mechanism
from loadpath.scalars import Array, Rotation, Scalar, array, cross, is_zero, rotation_from_matrix, scale, sign, sqrt, vector, zeros
from loadpath.scalars.types import Floats
from loadpath.structure.beams.clipping import beyond, clipped, smaller
from loadpath.structure.beams.elastic_mechanism import BodyGuide, ElasticMechanism
from loadpath.structure.beams.guided_line import GuidedLine, value
from loadpath.structure.beams.placed_guide import PlacedGuide


class LineLoad(NamedTuple):
    """What loads a line: wrenches at its stations, and the acceleration of its mass (see `ElementLoad`)."""

    places: list[Scalar]
    """Of the stations, m from the beam's start."""
    wrenches: list[Wrench]
    """At each station, about the beam's start."""
    A: Array
    B: Array


class Motion(NamedTuple):
    """A small displacement of a point and a rotation."""

    displacement: Array
    rotation: Array

    def at(self, point: Array) -> Motion:
        """The displacement of another point of the same body, at `point` from the first."""
        return Motion(self.displacement + cross(self.rotation, point), self.rotation)


def rotation_of(axes: Floats) -> Rotation:
    """Columns that are the axes of a line, as a rotation."""
    return rotation_from_matrix(axes.tolist())


def _vector(values: Floats) -> Array:
    return array([float(value) for value in values])


# Forces


def pad_wrenches(guide: PlacedGuide, q: Array, across: Wrench) -> list[Wrench]:
    """What each pad exerts on the link that slides, from the whole wrench across its joint; all about the origin and in
    the axes of the child's joint frame. Not a number where nothing holds the link.
    """
    across = Wrench(across.force + _nothing(guide, q), across.torque)
    if guide.guide.clamps:
        return [across]
    R, origin = rotation_of(guide.axes), _vector(guide.origin)
    f = R.T @ across.force
    n = R.T @ (across.torque - cross(origin, across.force))
    tail, front = (pad.inner.at(q) for pad in guide.pads)
    overlap = front - tail
    y, z = (n[2] - tail * f[1]) / overlap, -(n[1] + tail * f[2]) / overlap
    forces = [vector(0.0, f[1] - y, f[2] - z), vector(0.0, y, z)]
    torques = [zeros(3), zeros(3)]
    forces[_pad(guide.guide.along)][0] = f[0]
    torques[_pad(guide.guide.torsion)][0] = n[0]
    found = []
    for x, force, torque in zip((tail, front), forces, torques, strict=True):
        about_start = torque + vector(0.0, -x * force[2], x * force[1])
        turned = R @ force
        found.append(Wrench(turned, R @ about_start + cross(origin, turned)))
    return found


def _nothing(guide: PlacedGuide, q: Array) -> Array:
    """Zero; not a number at an extension at which a pad has left its beam."""
    low, high = guide.allowed
    if not guide.extension.moves or low == -inf or high == inf:
        return zeros(3)
    x = q[guide.extension.index]
    none = sign(sqrt((x - low) * (high - x))) - 1.0
    return vector(none, none, none)


def _pad(name: str) -> int:
    return 0 if name == "tail" else 1


def line_loads(
    elastic: ElasticMechanism,
    q: Array,
    links: list[LinkMotion],
    base: BaseMotion,
    wrenches: list[Wrench],
    given: list[Wrench],
    external: External | None,
) -> list[LineLoad]:
    """The load of every line: `wrenches` are those at the joints, `given` the external ones on bodies."""
    mechanism = elastic.mechanism
    at_pads = {slide.guide.joint: pad_wrenches(slide.guide, q, wrenches[slide.body]) for slide in elastic.guides}
    return [_line_load(mechanism, line, q, links, base, wrenches, given, external, at_pads) for line in elastic.lines]


def _line_load(
    mechanism: Mechanism,
    line: GuidedLine,
    q: Array,
    links: list[LinkMotion],
    base: BaseMotion,
    wrenches: list[Wrench],
    given: list[Wrench],
    external: External | None,
    at_pads: dict[str, list[Wrench]],
) -> LineLoad:
    R, start = rotation_of(line.axes), _vector(line.start)
    total = [Wrench(zeros(3), zeros(3)) for _ in line.stations]

    def load(station: int, force: Array, torque: Array) -> None:
        """Adds a wrench about the origin of the joint frame, in its axes."""
        f, n = R.T @ force, R.T @ (torque - cross(start, force))
        before = total[station]
        total[station] = Wrench(before.force + f, before.torque + n)

    def carried(body: int, wrench: Wrench) -> tuple[Array, Array]:
        """What a body beyond exerts on the link, from what the link exerts on it."""
        phi, nu = towards_base(mechanism.bodies[body], links[body].joint.Q, links[body].joint.b, *wrench)
        return -phi, -nu

    for body, station in line.held.items():
        load(station, *carried(body, wrenches[body]))
    for guide, body, stations in line.carried:
        for station, wrench in zip(stations, at_pads[guide.joint], strict=True):
            load(station, *carried(body, wrench))
    if line.guide is not None:
        for station, (force, torque) in zip(line.own_pads, at_pads[line.guide.joint], strict=True):
            load(station, force, torque)
    root = base if line.body == BASE else links[line.body]
    load(line.frame, *(on_base(mechanism, external) if line.body == BASE else given[line.body]))
    if line.lump is not None:
        mass, moment, tensor = line.lump.mass
        m, inertia = _vector(moment), array(tensor.tolist())
        force = scale(float(mass), root.oddot) + root.W @ m
        torque = euler_torque(inertia, root.W, root.omega, root.omegadot) + cross(m, root.oddot)
        load(line.lump.station, -force, -torque)
    A = R.T @ (root.oddot + root.W @ start)
    B = R.T @ (root.W @ (R @ vector(1.0, 0.0, 0.0)))
    return LineLoad(line.places(q), total, A, B)


# Displacements

_BENT = ((1, 2, 1.0, "EIz", "GAy"), (2, 1, -1.0, "EIy", "GAz"))
"""A force along y bends about z, one along z about -y."""


def own_motion(line: GuidedLine, load: LineLoad, station: int, effects: tuple[str, ...]) -> Motion:
    """How a station moves against the start of its line, because the line gives way; beam axes."""
    s = load.places[station]
    moved, turned = zeros(3), zeros(3)
    for t, (f, n) in zip(load.places, load.wrenches, strict=True):
        if all(is_zero(part) for part in (*f, *n)):
            continue
        nearer = s if t is s else smaller(s, t)
        for part in line.flexibilities:
            c = clipped(nearer, part.start, part.stop)
            if "extension" in effects:
                moved[0] = moved[0] + f[0] * value(part.moments["EA"][0], c)
            if "torsion" in effects:
                turned[0] = turned[0] + n[0] * value(part.moments["GJ"][0], c)
            for along, about, way, EI, GA in _BENT:
                if "bending" in effects:
                    j0, j1, j2 = (value(moment, c) for moment in part.moments[EI])
                    turn = (way * n[about]) * j0 - f[along] * j1
                    moved[along] = moved[along] + s * turn - ((way * n[about]) * j1 - f[along] * j2)
                    turned[about] = turned[about] + way * turn
                if "shear" in effects:
                    moved[along] = moved[along] + f[along] * value(part.moments[GA][0], c)
    by_mass = _by_line_mass(line, load, s, effects)
    return Motion(moved - by_mass.displacement, turned - by_mass.rotation)


def _by_line_mass(line: GuidedLine, load: LineLoad, s: Scalar, effects: tuple[str, ...]) -> Motion:
    """The same by the accelerations A and B of the line's own mass, with the other sign."""
    moved, turned = zeros(3), zeros(3)
    for part in line.flexibilities:
        x = clipped(s, part.start, part.stop)

        def forces(stiffness: str, axis: int) -> Scalar:
            by_A, by_B = (value(p, x) for p in part.line_force[stiffness])
            return load.A[axis] * by_A + load.B[axis] * by_B

        if "extension" in effects:
            moved[0] = moved[0] + forces("EA", 0)
        for along, about, way, EI, GA in _BENT:
            if "bending" in effects:
                (a0, a1), (b0, b1) = ([value(p, x) for p in pair] for pair in part.line_moment[EI])
                turn = load.A[along] * a0 + load.B[along] * b0
                moved[along] = moved[along] + s * turn - (load.A[along] * a1 + load.B[along] * b1)
                turned[about] = turned[about] + way * turn
            if "shear" in effects:
                moved[along] = moved[along] + forces(GA, along)
    return Motion(moved, turned)


def floating_start(
    slide: BodyGuide, q: Array, force_along: Scalar, held: list[Motion], own: list[Motion]
) -> Motion:
    """How the start of the inner line moves: `held` is what the outer link gives each pad, at the pad and in the axes
    of the inner line; `own` is how the inner line has moved there against its start.
    """
    guide = slide.guide
    places = [pad.inner.at(q) for pad in guide.pads]
    along = slide.along * force_along
    if guide.guide.clamps:
        turn = held[0].rotation - own[0].rotation
        at = held[0].displacement - own[0].displacement + vector(along, 0.0, 0.0)
        return Motion(at - cross(turn, vector(places[0], 0.0, 0.0)), turn)
    tail, front = (a.displacement - b.displacement for a, b in zip(held, own, strict=True))
    overlap = places[1] - places[0]
    about_z, about_y = (front[1] - tail[1]) / overlap, (tail[2] - front[2]) / overlap
    a, t = _pad(guide.guide.along), _pad(guide.guide.torsion)
    about_x = held[t].rotation[0] - own[t].rotation[0]
    x = (tail, front)[a][0] + along
    at_start = vector(x, tail[1] - about_z * places[0], tail[2] + about_y * places[0])
    return Motion(at_start, vector(about_x, about_y, about_z))


def line_motions(line: GuidedLine, load: LineLoad, start: Motion, effects: tuple[str, ...]) -> list[Motion]:
    """For each station how it moves, as seen from the origin of the link's joint frame, in its axes."""
    R, origin = rotation_of(line.axes), _vector(line.start)
    found = []
    for station, x in enumerate(load.places):
        own = own_motion(line, load, station, effects)
        there = start.at(vector(x, 0.0, 0.0))
        moved, turned = there.displacement + own.displacement, there.rotation + own.rotation
        at_start = Motion(moved, turned).at(vector(-x, 0.0, 0.0))
        found.append(Motion(R @ at_start.displacement, R @ at_start.rotation).at(-origin))
    return found


def seen_by_line(axes: Rotation, point: Array, at_origin: Motion) -> Motion:
    """The motion of a point of a body, in the axes of a line, from that of the origin in the body's axes."""
    there = at_origin.at(point)
    return Motion(axes.T @ there.displacement, axes.T @ there.rotation)


# Sections

SAME = 1e-9
"""Share of a line's length within which places are the same."""


def line_action(line: GuidedLine, load: LineLoad, x: Scalar, *, after: bool) -> Wrench:
    """Force and moment that the part beyond a section at x exerts on it, in beam axes; just after the loads that act at
    x itself, or just before them.
    """
    force, torque = zeros(3), zeros(3)
    edge = x + (SAME if after else -SAME) * line.length
    for place, (f, n) in zip(load.places, load.wrenches, strict=True):
        counts = beyond(place, edge, with_equal=False)
        if not is_zero(counts):
            force, torque = force + scale(counts, f), torque + scale(counts, n)
    m0, m1, m2 = mass_beyond(line, x)
    force = force - scale(m0, load.A) - scale(m1, load.B)
    lever = scale(m1, load.A) + scale(m2, load.B)  # about the start
    about_start = torque - vector(0.0, -lever[2], lever[1])
    return Wrench(force, about_start - vector(0.0, -x * force[2], x * force[1]))


def mass_beyond(line: GuidedLine, x: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """Integrals of mu, mu xi and mu xi^2 from x to the end of a line."""
    total: list[Scalar] = [0.0, 0.0, 0.0]
    for part in line.parts:
        c = clipped(x, part.start, part.stop)
        for k in range(3):
            total[k] = total[k] + part.mass_beyond(c, k)
    return total[0], total[1], total[2]
