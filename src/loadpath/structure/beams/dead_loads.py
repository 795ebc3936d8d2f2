"""The loads of an arm as forces at points: what its stability depends on, beyond force and moment.

Whether an arm buckles depends on where the forces act, not only on their moment: turned by a small rotation, a force f
at r moves along with r and keeps its direction. The part of the arm beyond a section loads it by

    F = sum f,        G = sum r f^T,

r from the section to where f acts. The antisymmetric part of G is the moment; the symmetric part is new. Mass loads by
-(A + W r) dm, A and W of its body, so that G of a body needs the integral of r r^T dm, which is 1/2 tr(I) 1 - I. An
external torque has no points: it counts as the antisymmetric G that has this moment (semi-tangential torque).

What holds a link that slides in a guide are the forces of its pads. Here they count like external forces, on the link
that slides and, the other way round, on the one that carries it: then a link with its pads' forces is in equilibrium,
and its place in the tree, held at its tail pad, passes on no force, only the symmetric part of G.
"""

from __future__ import annotations

from typing import NamedTuple

from loadpath.formulations.newton_euler import BaseMotion, LinkMotion, base_motion, outward
from loadpath.mechanics.kinematics import placements
from loadpath.mechanics.wrenches import External, Wrench, on_base
from loadpath.robot.mechanism import BASE, Body
from loadpath.scalars import Array, Rotation, Scalar, array, dot, outer, scale, skew, vector, zeros
from loadpath.structure.beams.elastic_mechanism import ElasticMechanism
from loadpath.structure.beams.line import Line
from loadpath.structure.beams.line_equations import pad_forces, rotation_of

LOADS = 18
"""Numbers of an element's load: F (3) and G (3 x 3, by rows) at its end, A (3) and B (3) of the load along it."""


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
    """(rows, 18): for every element, in its axes, F and G of all that lies beyond, about its end; then A and B, so that
    its own mass is loaded by -mu(x) (A + B x). Then the rows of `load_rows`.
    """
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


def _in_line(line: Line, by: DeadLoad) -> DeadLoad:
    """About the start and in the axes of a beam."""
    start = array(line.start.tolist())
    return DeadLoad(*towards_base(rotation_of(line.axes).T, zeros(3), by.F, by.G - outer(start, by.F)))


def _of_wrench(force: Array, torque: Array) -> DeadLoad:
    """A force at the origin and a torque."""
    return DeadLoad(force, scale(-0.5, skew(torque)))


def _moment(G: Array) -> Array:
    return vector(G[1, 2] - G[2, 1], G[2, 0] - G[0, 2], G[0, 1] - G[1, 0])


def _accelerations(line: Line, root: LinkMotion | BaseMotion) -> tuple[Array, Array]:
    R, start = rotation_of(line.axes), array(line.start.tolist())
    return R.T @ (root.oddot + root.W @ start), R.T @ (root.W @ (R @ vector(1.0, 0.0, 0.0)))


def element_rows(
    elastic: ElasticMechanism, base: BaseMotion, links: list[LinkMotion], F: list[Array], G: list[Array], result: Array
) -> None:
    """Writes the loads of the elements, from F and G of all that lies beyond each body."""
    mechanism = elastic.mechanism
    for row, element in enumerate(elastic.elements):
        turn = mechanism.bodies[element.end].turn
        f, g = towards_base(turn, zeros(3), F[element.end], G[element.end])
        root = base if element.root == BASE else links[element.root]
        A = root.oddot + root.W @ element.start
        B = root.W @ (element.axes @ vector(1.0, 0.0, 0.0))
        back = element.axes.T
        f, g = towards_base(back, zeros(3), f, g)
        result[row, :3], result[row, 3:12] = f, g.reshape(9)
        result[row, 12:15], result[row, 15:] = back @ A, back @ B


def of_mass(mass: Scalar, moment: Array, tensor: Array, A: Array, W: Array) -> tuple[Array, Array]:
    """Of a mass with its first moment and tensor about a point that is accelerated by A: F, and G about that point."""
    trace = tensor[0, 0] + tensor[1, 1] + tensor[2, 2]
    second = array([[(0.5 * trace if i == k else 0.0) - tensor[i, k] for k in range(3)] for i in range(3)])
    force = scale(-1.0, scale(mass, A) + W @ moment)
    virial = scale(-1.0, outer(moment, A) + _product(second, W.T))
    return force, virial


def _product(a: Array, b: Array) -> Array:
    return array([[dot(a[i], b[:, k]) for k in range(3)] for i in range(3)])


def external_loads(elastic: ElasticMechanism, q: Array, external: External | None) -> list[tuple[Array, Array]]:
    """For each body F and G of the external wrenches on it, about its origin and in its axes."""
    mechanism = elastic.mechanism
    found = [(zeros(3), zeros(3, 3)) for _ in mechanism.bodies]
    bodies = placements(mechanism, q) if any(w.in_world_axes for w in (external or {}).values()) else []
    for link, (force, torque, in_world_axes) in (external or {}).items():
        frame = mechanism.link_frames[link]
        if frame.body == BASE:
            continue
        if in_world_axes:
            f, n = bodies[frame.body].from_world(force), bodies[frame.body].from_world(torque)
        else:
            f, n = frame.rotation @ force, frame.rotation @ torque
        F, G = found[frame.body]
        found[frame.body] = F + f, G + outer(frame.origin, f) - scale(0.5, skew(n))
    return found


def towards_base(turn: Rotation, arm: Array, F: Array, G: Array) -> tuple[Array, Array]:
    """F and G in the axes before a turn, about a point from which `arm` leads to the present one."""
    half = array([list(turn @ G[:, k]) for k in range(3)]).T  # turn times G
    f = turn @ F
    return f, array([list(turn @ half[i]) for i in range(3)]) + outer(arm, f)
