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
    total: int


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
    base = base_motion(elastic.mechanism, base_velocity, base_acceleration)
    links = outward(elastic.mechanism, q, qd, qdd, base_velocity, base_acceleration)
    recursion = _Recursion(elastic, q, base, links, external)
    for i in reversed(range(len(links))):
        recursion.pass_on(i)
    return recursion.rows()


class _Recursion:
    """Loads of bodies and stations, as they come together from the ends of the arm to its base."""

    def __init__(
        self, elastic: ElasticMechanism, q: Array, base: BaseMotion, links: list[LinkMotion], external: External | None
    ) -> None:
        self.elastic, self.q, self.base, self.links = elastic, q, base, links
        mechanism, given = elastic.mechanism, external_loads(elastic, q, external)
        self.total = [
            DeadLoad(*of_mass(body.mass, body.moment, body.inertia, link.oddot, link.W)).plus(DeadLoad(*given[i]))
            for i, (body, link) in enumerate(zip(mechanism.bodies, links, strict=True))
        ]
        self.places = load_rows(elastic)
        self.result = zeros(self.places.total, LOADS)
        self.stations = [[DeadLoad(zeros(3), zeros(3, 3)) for _ in line.stations] for line in elastic.lines]
        self.line_of = {line.body: k for k, line in enumerate(elastic.lines)}
        self.slide_of = {slide.body: k for k, slide in enumerate(elastic.guides)}
        for line, row in zip(elastic.lines, self.places.lines, strict=True):
            on_ground = line.body == BASE
            root = base if on_ground else links[line.body]
            own = _of_wrench(*on_base(mechanism, external)) if on_ground else DeadLoad(*given[line.body])
            self._load(line.body, line.frame, own)
            if line.lump is not None:
                mass, moment, tensor = line.lump.mass
                by = of_mass(float(mass), array(moment.tolist()), array(tensor.tolist()), root.oddot, root.W)
                self._load(line.body, line.lump.station, DeadLoad(*by))
            self.result[row, 12:15], self.result[row, 15:] = _accelerations(line, root)

    def _load(self, body: int, station: int | None, by: DeadLoad) -> None:
        """On a station of the line of a body: about the body's origin, in its axes."""
        if station is not None:
            k = self.line_of[body]
            self.stations[k][station] = self.stations[k][station].plus(_in_line(self.elastic.lines[k], by))

    def pass_on(self, i: int) -> None:
        """What a body and all beyond it exert goes to its parent."""
        parent = self.elastic.mechanism.bodies[i].parent
        station = None
        if i in self.slide_of:
            station = self._held_by_pads(i)
        elif parent in self.line_of:
            station = self.elastic.lines[self.line_of[parent]].held.get(i)
        self._give(i, station, self.total[i])

    def _give(self, i: int, station: int | None, by: DeadLoad) -> None:
        body = self.elastic.mechanism.bodies[i]
        carried = _carried(body, self.links[i], by)
        if body.parent != BASE:
            self.total[body.parent] = self.total[body.parent].plus(carried)
        self._load(body.parent, station, carried)

    def _held_by_pads(self, i: int) -> int | None:
        """Puts the forces of the pads on a link that slides and on its carrier; the station of the tail pad there."""
        number, parent = self.slide_of[i], self.elastic.mechanism.bodies[i].parent
        guide = self.elastic.guides[number].guide
        inner: list[int | None] = [None] * len(guide.pads)
        outer_pads = inner
        if i in self.line_of:
            inner = list(self.elastic.lines[self.line_of[i]].own_pads)
        if parent in self.line_of:
            carriers = self.elastic.lines[self.line_of[parent]].carried
            outer_pads = next(list(pads) for other, _, pads in carriers if other is guide)
        R = rotation_of(guide.axes)
        forces = pad_forces(guide, self.q, Wrench(-self.total[i].F, -_moment(self.total[i].G)))
        for k, (pad, (force, torque)) in enumerate(zip(guide.pads, forces, strict=True)):
            row = self.places.pads[number][k]
            self.result[row, :3], self.result[row, 3:6] = force, torque
            point = array(guide.origin.tolist()) + R @ vector(pad.inner.at(self.q), 0.0, 0.0)
            f, n = R @ force, R @ torque
            by = DeadLoad(f, outer(point, f) - scale(0.5, skew(n)))
            self.total[i] = self.total[i].plus(by)
            self._load(i, inner[k], by)
            self._give(i, outer_pads[k], DeadLoad(-by.F, -by.G))
        row = self.places.slides[number]
        self.result[row, :3], self.result[row, 3:12] = self.total[i].F, self.total[i].G.reshape(9)
        return outer_pads[0]

    def rows(self) -> Array:
        """All rows, when everything has been passed on."""
        for loads, numbers in zip(self.stations, self.places.stations, strict=True):
            for by, number in zip(loads, numbers, strict=True):
                self.result[number, :3], self.result[number, 3:12] = by.F, by.G.reshape(9)
        F, G = [by.F for by in self.total], [by.G for by in self.total]
        element_rows(self.elastic, self.base, self.links, F, G, self.result)
        return self.result


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
