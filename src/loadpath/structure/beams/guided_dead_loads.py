"""Dead loads of an arm with guides: forces at points, on its elements and on the stations of its beams in guides.

What holds a link that slides are the forces of its pads. Here they count like external forces, on the link that slides
and, the other way round, on the one that carries it: then a link with its pads' forces is in equilibrium, and its place
in the tree, held at its tail pad, passes on no force, only the symmetric part of G. See `dead_loads` for F and G.
"""

from __future__ import annotations

from typing import NamedTuple

from loadpath.formulations.newton_euler import BaseMotion, LinkMotion, base_motion, outward
from loadpath.mechanics.wrenches import External, Wrench, on_base
from loadpath.robot.mechanism import BASE, Body
from loadpath.scalars import Array, array, outer, scale, skew, vector, zeros
from loadpath.structure.beams.dead_loads import (
    LOADS,
    element_dead_loads,
    element_rows,
    external_loads,
    of_mass,
    towards_base,
)
from loadpath.structure.beams.elastic_mechanism import ElasticMechanism
from loadpath.structure.beams.guided_equations import pad_forces, rotation_of
from loadpath.structure.beams.guided_line import GuidedLine


class LoadRows(NamedTuple):
    """Which row of the loads has what."""

    stations: tuple[tuple[int, ...], ...]
    """For each line those of its stations: F, and G about the beam's start, in beam axes."""
    lines: tuple[int, ...]
    """For each line: A and B, the acceleration of its start and what is added per length, in beam axes."""
    slides: tuple[int, ...]
    """For each guide: F and G of the whole link that slides, about the origin and in the axes of its joint frame."""
    pads: tuple[tuple[int, ...], ...]
    """For each guide those of its pads: force and torque on the link that slides, in the axes of its line."""
    count: int


def load_rows(elastic: ElasticMechanism) -> LoadRows:
    """The rows after those of the elements."""
    count = len(elastic.elements)
    stations, lines, slides, pads = [], [], [], []
    for line in elastic.lines:
        stations.append(tuple(range(count, count + len(line.stations))))
        count += len(line.stations)
        lines.append(count)
        count += 1
    for slide in elastic.guides:
        slides.append(count)
        pads.append(tuple(range(count + 1, count + 1 + len(slide.guide.pads))))
        count += 1 + len(slide.guide.pads)
    return LoadRows(tuple(stations), tuple(lines), tuple(slides), tuple(pads), count)


class DeadLoad(NamedTuple):
    """Forces at points: their sum, and the sum of r f^T."""

    F: Array
    G: Array

    def plus(self, other: DeadLoad) -> DeadLoad:
        """Of both together, about the same point."""
        return DeadLoad(self.F + other.F, self.G + other.G)


def arm_dead_loads(
    elastic: ElasticMechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
) -> Array:
    """(rows, 18): the dead loads of an arm with or without guides."""
    of = guided_dead_loads if elastic.guides else element_dead_loads
    return of(elastic, q, qd, qdd, external, base_velocity, base_acceleration)


def guided_dead_loads(
    elastic: ElasticMechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
) -> Array:
    """(rows, 18): those of the elements as in `element_dead_loads`, then those of `load_rows`."""
    mechanism = elastic.mechanism
    base = base_motion(mechanism, base_velocity, base_acceleration)
    links = outward(mechanism, q, qd, qdd, base_velocity, base_acceleration)
    given = external_loads(elastic, q, external)
    total = [
        DeadLoad(*of_mass(body.mass, body.moment, body.inertia, link.oddot, link.W)).plus(DeadLoad(*given[i]))
        for i, (body, link) in enumerate(zip(mechanism.bodies, links, strict=True))
    ]
    rows, result = load_rows(elastic), zeros(load_rows(elastic).count, LOADS)
    at_stations = [[DeadLoad(zeros(3), zeros(3, 3)) for _ in line.stations] for line in elastic.lines]
    line_of = {line.body: k for k, line in enumerate(elastic.lines)}
    slide_of = {slide.body: k for k, slide in enumerate(elastic.guides)}

    def load(body: int, station: int, by: DeadLoad) -> None:
        """On a station of the line of a body: about the body's origin, in its axes."""
        line = elastic.lines[line_of[body]]
        at_stations[line_of[body]][station] = at_stations[line_of[body]][station].plus(_in_line(line, by))

    for k, line in enumerate(elastic.lines):
        root = base if line.body == BASE else links[line.body]
        load(line.body, line.frame, _of_wrench(*on_base(mechanism, external)) if line.body == BASE
             else DeadLoad(*given[line.body]))  # fmt: skip
        if line.lump is not None:
            mass, moment, tensor = line.lump.mass
            by = of_mass(float(mass), array(moment.tolist()), array(tensor.tolist()), root.oddot, root.W)
            load(line.body, line.lump.station, DeadLoad(*by))
        result[rows.lines[k], 12:15], result[rows.lines[k], 15:] = _accelerations(line, root)
    for i in reversed(range(len(links))):
        body, link = mechanism.bodies[i], links[i]
        station = None
        if body.parent in line_of:
            station = elastic.lines[line_of[body.parent]].held.get(i)
        if i in slide_of:
            slide, row = elastic.guides[slide_of[i]], slide_of[i]
            guide, R = slide.guide, rotation_of(slide.guide.axes)
            outer_pads: tuple[int, ...] = ()
            if body.parent in line_of:
                outer_pads = next(pads for g, _, pads in elastic.lines[line_of[body.parent]].carried if g is guide)
                station = outer_pads[0]
            wrenches = pad_forces(guide, q, Wrench(-total[i].F, -_moment(total[i].G)))
            for k, (pad, (force, torque)) in enumerate(zip(guide.pads, wrenches, strict=True)):
                result[rows.pads[row][k], :3], result[rows.pads[row][k], 3:6] = force, torque
                point = array(guide.origin.tolist()) + R @ vector(pad.inner.at(q), 0.0, 0.0)
                f, n = R @ force, R @ torque
                by = DeadLoad(f, outer(point, f) - scale(0.5, skew(n)))
                total[i] = total[i].plus(by)
                if i in line_of:
                    load(i, elastic.lines[line_of[i]].own_pads[k], by)
                back = _carried(body, link, DeadLoad(-by.F, -by.G))
                if body.parent != BASE:
                    total[body.parent] = total[body.parent].plus(back)
                if outer_pads:
                    load(body.parent, outer_pads[k], back)
            result[rows.slides[row], :3], result[rows.slides[row], 3:12] = total[i].F, total[i].G.reshape(9)
        carried = _carried(body, link, total[i])
        if body.parent != BASE:
            total[body.parent] = total[body.parent].plus(carried)
        if station is not None:
            load(body.parent, station, carried)
    for loads, numbers in zip(at_stations, rows.stations, strict=True):
        for by, number in zip(loads, numbers, strict=True):
            result[number, :3], result[number, 3:12] = by.F, by.G.reshape(9)
    element_rows(elastic, base, links, [by.F for by in total], [by.G for by in total], result)
    return result


def _carried(body: Body, link: LinkMotion, by: DeadLoad) -> DeadLoad:
    """About the origin and in the axes of the parent of a body."""
    f, g = towards_base(link.joint.Q, link.joint.b, by.F, by.G)
    return DeadLoad(*towards_base(body.turn, body.arm, f, g))


def _in_line(line: GuidedLine, by: DeadLoad) -> DeadLoad:
    """About the start and in the axes of a beam."""
    start = array(line.start.tolist())
    return DeadLoad(*towards_base(rotation_of(line.axes).T, zeros(3), by.F, by.G - outer(start, by.F)))


def _of_wrench(force: Array, torque: Array) -> DeadLoad:
    """A force at the origin and a torque."""
    return DeadLoad(force, scale(-0.5, skew(torque)))


def _moment(G: Array) -> Array:
    return vector(G[1, 2] - G[2, 1], G[2, 0] - G[0, 2], G[0, 1] - G[1, 0])


def _accelerations(line: GuidedLine, root: LinkMotion | BaseMotion) -> tuple[Array, Array]:
    R, start = rotation_of(line.axes), array(line.start.tolist())
    return R.T @ (root.oddot + root.W @ start), R.T @ (root.W @ (R @ vector(1.0, 0.0, 0.0)))
