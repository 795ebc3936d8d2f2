"""Beams in guides under load: what the pads carry, and how far the stations of the beams move.

The wrench across a sliding joint comes from the recursion for rigid links, as for any joint. It is statically
determinate which pad carries what: two forces across at each pad, the force along and the torque about the slide at one
of them. The beam of the link that slides floats: its start moves and turns so that at the pads both beams are displaced
alike across the slide, and at one of them along and about it.

Loads are in beam axes; x runs from the beam's start. See `line` for the integrals.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

from loadpath.formulations.newton_euler import BaseMotion, LinkMotion
from loadpath.mechanics.wrenches import External, Wrench, euler_torque, on_base, towards_base
from loadpath.robot.beams.placement import PlacedGuide
from loadpath.robot.mechanism import BASE, Mechanism
from loadpath.scalars import (
    Array,
    Rotation,
    Scalar,
    array,
    cross,
    dot,
    is_zero,
    rotation_from_matrix,
    scale,
    sign,
    sqrt,
    vector,
    zeros,
)
from loadpath.scalars.types import Floats
from loadpath.structure.beams.clipping import beyond, clipped, larger
from loadpath.structure.beams.elastic_mechanism import BodyGuide, ElasticMechanism, OnLine
from loadpath.structure.beams.line import Line, value


class LineLoad(NamedTuple):
    """What loads a line: wrenches at its stations, and the acceleration of its mass (see `ElementLoad`)."""

    places: list[Scalar]
    """Of the stations, m from the beam's start."""
    wrenches: list[Wrench]
    """At each station, about the station's own point of the beam's axis."""
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


def pad_forces(guide: PlacedGuide, q: Array, across: Wrench) -> list[Wrench]:
    """What each pad exerts on the link that slides, about the pad's point and in the axes of the inner line; from the
    whole wrench across the joint, which is about the origin and in the axes of the child's joint frame. Not a number
    where nothing holds the link.
    """
    R, origin = rotation_of(guide.axes), _vector(guide.origin)
    f = R.T @ across.force + _nothing(guide, q)
    n = R.T @ (across.torque - cross(origin, across.force))
    if guide.guide.clamps:
        x = guide.tail.inner.at(q)
        return [Wrench(f, n - _lever(x, f))]
    tail, front = (pad.inner.at(q) for pad in guide.pads)
    per_overlap = 1.0 / (front - tail)
    y, z = (n[2] - tail * f[1]) * per_overlap, -(n[1] + tail * f[2]) * per_overlap
    forces = [vector(0.0, f[1] - y, f[2] - z), vector(0.0, y, z)]
    torques = [zeros(3), zeros(3)]
    forces[_pad(guide.guide.along)][0] = f[0]
    torques[_pad(guide.guide.torsion)][0] = n[0]
    return [Wrench(force, torque) for force, torque in zip(forces, torques, strict=True)]


def _lever(x: Scalar, force: Array) -> Array:
    """Moment of a force at x about the start of a line."""
    return vector(0.0, -x * force[2], x * force[1])


def _nothing(guide: PlacedGuide, q: Array) -> Array:
    """Zero; not a number at an extension at which a pad has left its beam."""
    low, high = guide.allowed
    if not guide.extension.moves or low == -high == -inf:
        return zeros(3)
    x = q[guide.extension.coordinate]
    margin = (x - low if low > -inf else 1.0) * (high - x if high < inf else 1.0)
    none = sign(sqrt(margin)) - 1.0
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
    at_pads = {slide.body: pad_forces(slide.guide, q, wrenches[slide.body]) for slide in elastic.guides}
    slides = {slide.body: slide for slide in elastic.guides}
    return [_line_load(mechanism, line, q, links, base, wrenches, given, external, slides, at_pads)
            for line in elastic.lines]


def _line_load(
    mechanism: Mechanism,
    line: Line,
    q: Array,
    links: list[LinkMotion],
    base: BaseMotion,
    wrenches: list[Wrench],
    given: list[Wrench],
    external: External | None,
    slides: dict[int, BodyGuide],
    at_pads: dict[int, list[Wrench]],
) -> LineLoad:
    R, start, places = rotation_of(line.axes), _vector(line.start), line.places(q)
    total = [Wrench(zeros(3), zeros(3)) for _ in line.stations]

    def add(station: int, force: Array, torque: Array) -> None:
        before = total[station]
        total[station] = Wrench(before.force + force, before.torque + torque)

    def load(station: int, force: Array, torque: Array) -> None:
        """Adds a wrench about the origin of the joint frame, in its axes."""
        f = R.T @ force
        add(station, f, R.T @ (torque - cross(start, force)) - _lever(places[station], f))

    for body, station in line.held.items():
        phi, nu = towards_base(mechanism.bodies[body], links[body].joint.Q, links[body].joint.b, *wrenches[body])
        load(station, -phi, -nu)
    for _, body, stations in line.carried:
        slide = slides[body]
        for station, arm, (force, torque) in zip(stations, slide.offsets, at_pads[body], strict=True):
            f = slide.turn @ force
            add(station, -f, -(slide.turn @ torque + cross(arm, f)))
    if line.guide is not None:
        for station, (force, torque) in zip(line.own_pads, at_pads[line.body], strict=True):
            add(station, force, torque)
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
    return LineLoad(places, total, A, B)


# Displacements

_BENT = ((1, 2, 1.0, "EIz", "GAy"), (2, 1, -1.0, "EIy", "GAz"))
"""A force along y bends about z, one along z about -y."""


def own_motion(line: Line, load: LineLoad, station: int, effects: tuple[str, ...]) -> Motion:
    """How a station at s moves against the start of its line, because the line gives way; beam axes.

    A section at x carries what acts before it, with the other sign: of a force f and a moment n at t the moment
    (x - t) f - n, of the line mass the integrals of its accelerations.
    """
    s, place = load.places[station], line.stations[station]
    if not place.moves and place.constant == 0.0:
        return Motion(zeros(3), zeros(3))
    before = [] if line.guide is not None else [Before(0.0, at_start(line, load), s)]
    for other, t, wrench in zip(line.stations, load.places, load.wrenches, strict=True):
        if not all(is_zero(part) for part in (*wrench.force, *wrench.torque)):
            is_beyond = line.is_beyond(place, other)
            if is_beyond is not False and other != place:
                before.append(Before(t, wrench, s - t if is_beyond else larger(s - t, 0.0)))
    uniform = len(line.parts) == 1 and not line.parts[0].tapered
    return (_of_uniform if uniform else _of_parts)(line, load, s, before, effects)


class Before(NamedTuple):
    """A load at t, and how far a station is beyond it: zero where it is not."""

    t: Scalar
    wrench: Wrench
    by: Scalar


def at_start(line: Line, load: LineLoad) -> Wrench:
    """What holds a line that is clamped at its start, there."""
    m0, m1, m2 = line.mass_moments
    force = scale(m0, load.A) + scale(m1, load.B)
    torque = _lever(1.0, scale(m1, load.A) + scale(m2, load.B))
    for x, (f, n) in zip(load.places, load.wrenches, strict=True):
        force, torque = force - f, torque - n - _lever(x, f)
    return Wrench(force, torque)


def _of_uniform(line: Line, given: LineLoad, s: Scalar, before: list[Before], effects: tuple[str, ...]) -> Motion:
    """Of a beam with one constant section."""
    (part,) = line.parts
    A, B, mu = given.A, given.B, part.mass_per_length
    per = {name: 1.0 / stiffness for name, stiffness in part.stiffness.items()}
    moved, turned = zeros(3), zeros(3)
    first = [load.by for load in before]
    second = [x * x for x in first]
    third = [x * y for x, y in zip(first, second, strict=True)]
    wrenches = [load.wrench for load in before]
    s2 = s * s
    s3 = s2 * s
    s4, s5 = s2 * s2, s2 * s3

    def forces(axis: int) -> Scalar:
        """Integral of the force along an axis."""
        by_mass = (mu / 2) * A[axis] * s2 + (mu / 6) * B[axis] * s3
        return by_mass - dot(first, (w.force[axis] for w in wrenches))

    if "extension" in effects:
        moved[0] = per["EA"] * forces(0)
    if "torsion" in effects:
        turned[0] = -per["GJ"] * dot(first, (w.torque[0] for w in wrenches))
    for along, about, way, EI, GA in _BENT:
        if "bending" in effects:
            f, n = [w.force[along] for w in wrenches], [w.torque[about] for w in wrenches]
            turn = 0.5 * dot(second, f) - way * dot(first, n) - (mu / 6) * A[along] * s3 - (mu / 24) * B[along] * s4
            move = (1 / 6) * dot(third, f) - (0.5 * way) * dot(second, n)
            move = move - (mu / 24) * A[along] * s4 - (mu / 120) * B[along] * s5
            moved[along] = moved[along] + per[EI] * move
            turned[about] = turned[about] + (way * per[EI]) * turn
        if "shear" in effects:
            moved[along] = moved[along] + per[GA] * forces(along)
    return Motion(moved, turned)


def _of_parts(line: Line, load: LineLoad, s: Scalar, before: list[Before], effects: tuple[str, ...]) -> Motion:
    """Of a beam in parts: each adds its integrals."""
    moved, turned = zeros(3), zeros(3)
    for part in line.flexibilities:
        to = clipped(s, part.start, part.stop)
        since = [(t, wrench, clipped(s - by, part.start, part.stop)) for t, wrench, by in before]

        def forces(stiffness: str, axis: int) -> Scalar:
            by_A, by_B = (value(p, to) for p in part.line_force[stiffness])  # noqa: B023
            total = load.A[axis] * by_A + load.B[axis] * by_B
            for t, (f, _), c in since:  # noqa: B023
                total = total - part.integrals(stiffness, c, to, t)[0] * f[axis]  # noqa: B023
            return total

        if "extension" in effects:
            moved[0] = moved[0] + forces("EA", 0)
        if "torsion" in effects:
            for t, (_, n), c in since:
                turned[0] = turned[0] - part.integrals("GJ", c, to, t)[0] * n[0]
        for along, about, way, EI, GA in _BENT:
            if "bending" in effects:
                (a0, a1), (b0, b1) = ([value(p, to) for p in pair] for pair in part.line_moment[EI])
                turn = -(load.A[along] * a0 + load.B[along] * b0)
                move = s * turn + load.A[along] * a1 + load.B[along] * b1
                for t, (f, n), c in since:
                    i0, i1, i2 = part.integrals(EI, c, to, t)
                    own = f[along] * i1 - (way * n[about]) * i0
                    turn = turn + own
                    move = move + (s - t) * own - (f[along] * i2 - (way * n[about]) * i1)
                moved[along] = moved[along] + move
                turned[about] = turned[about] + way * turn
            if "shear" in effects:
                moved[along] = moved[along] + forces(GA, along)
    return Motion(moved, turned)


def floating_start(slide: BodyGuide, q: Array, force_along: Scalar, held: list[Motion], own: list[Motion]) -> Motion:
    """How the start of the inner line moves: `held` is what the outer link gives each pad, at the pad and in the axes
    of the inner line; `own` is how the inner line has moved there against its start.
    """
    guide = slide.guide
    places = [pad.inner.at(q) for pad in guide.pads]
    along = -slide.along * force_along  # the outer link pulls with it, so the inner one lags
    if guide.guide.clamps:
        turn = held[0].rotation - own[0].rotation
        at = held[0].displacement - own[0].displacement + vector(along, 0.0, 0.0)
        return Motion(at - cross(turn, vector(places[0], 0.0, 0.0)), turn)
    tail, front = (a.displacement - b.displacement for a, b in zip(held, own, strict=True))
    per_overlap = 1.0 / (places[1] - places[0])
    about_z, about_y = (front[1] - tail[1]) * per_overlap, (tail[2] - front[2]) * per_overlap
    a, t = _pad(guide.guide.along), _pad(guide.guide.torsion)
    about_x = held[t].rotation[0] - own[t].rotation[0]
    x = (tail, front)[a][0] + along
    at_start = vector(x, tail[1] - about_z * places[0], tail[2] + about_y * places[0])
    return Motion(at_start, vector(about_x, about_y, about_z))


class LineMotion(NamedTuple):
    """How a line moves: its start, and its stations against it; beam axes."""

    line: Line
    load: LineLoad
    start: Motion
    own: list[Motion]

    def station(self, k: int) -> Motion:
        """Of a station, at its own point of the beam's axis."""
        moved, turned = self.start.at(vector(self.load.places[k], 0.0, 0.0))
        return Motion(moved + self.own[k].displacement, turned + self.own[k].rotation)

    def seen_from_joint(self, k: int) -> Motion:
        """Of the origin of the link's joint frame, in its axes, if a station held it."""
        R, there = rotation_of(self.line.axes), self.station(k)
        at_start = there.at(vector(-self.load.places[k], 0.0, 0.0))
        return Motion(R @ at_start.displacement, R @ at_start.rotation).at(-_vector(self.line.start))


def line_motion(line: Line, load: LineLoad, effects: tuple[str, ...]) -> LineMotion:
    """How a line gives way, its start at rest."""
    own = [own_motion(line, load, station, effects) for station in range(len(line.stations))]
    return LineMotion(line, load, Motion(zeros(3), zeros(3)), own)


def seen_by_line(axes: Rotation, point: Array, at_origin: Motion) -> Motion:
    """The motion of a point of a body, in the axes of a line, from that of the origin in the body's axes."""
    there = at_origin.at(point)
    return Motion(axes.T @ there.displacement, axes.T @ there.rotation)


# Sections

SAME = 1e-9
"""Share of a line's length within which places are the same."""


def line_action(line: Line, load: LineLoad, at: OnLine, q: Array) -> Wrench:
    """Force and moment that the part beyond a section exerts on it, in beam axes; just after the loads that act at its
    place, or just before them.
    """
    x = at.place(q)
    force, about_start = zeros(3), zeros(3)  # in the same order for all sections, so that they share their sums
    slack = SAME * line.length
    edge = x + (slack if at.after else -slack)
    for k in line.outwards:
        place, (f, n) = load.places[k], load.wrenches[k]
        n = n + _lever(place, f)
        counts = at.counts(line, line.stations[k], slack)
        if counts is None:
            share = beyond(place, edge, with_equal=False)
            f, n = scale(share, f), scale(share, n)
        elif not counts:
            continue
        force, about_start = force + f, about_start + n
    m0, m1, m2 = mass_beyond(line, x)
    by_mass = scale(m0, load.A) + scale(m1, load.B)
    turning = scale(m1 - x * m0, load.A) + scale(m2 - x * m1, load.B)
    return Wrench(force - by_mass, about_start - _lever(x, force) - _lever(1.0, turning))


def mass_beyond(line: Line, x: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """Integrals of mu, mu xi and mu xi^2 from x to the end of a line."""
    total: list[Scalar] = [0.0, 0.0, 0.0]
    for part in line.parts:
        c = clipped(x, part.start, part.stop)
        for k in range(3):
            total[k] = total[k] + part.mass_beyond(c, k)
    return total[0], total[1], total[2]
