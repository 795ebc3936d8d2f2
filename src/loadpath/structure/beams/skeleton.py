"""From a robot with beams to what the equations read: bodies where something is held, elements between them.

Every beam is cut where something sits on it: where a child is held, where the remainder of the link's mass is, where
its section steps. Each cut is a body of its own, in the axes of the link's joint frame. A beam that slides in a guide,
or carries one, is not cut: its link is one body, and the beam is a `Line` with stations that may move.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from loadpath.cached import kept
from loadpath.errors import ModelError
from loadpath.robot.beams.placement import (
    ROUNDING,
    Place,
    PlacedBeam,
    PlacedGuide,
    Places,
    Station,
    Stretch,
    joint_of,
    stretches,
)
from loadpath.robot.joint_compliance import JointCompliance
from loadpath.robot.joints import Fixed
from loadpath.robot.mechanism import BASE, Body, Frame, Mechanism, floats, plain
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Joint
from loadpath.robot.pose import Pose
from loadpath.robot.varied import LAYOUTS, DesignNumbers, Values, decided_values, varied
from loadpath.scalars import IDENTITY, Array, MatrixRotation, Rotation, Scalar, rotation_from_matrix
from loadpath.scalars.decided import Decisions, NumberNeededError, Numbers, bare, is_plain, norm, numbers
from loadpath.structure.beams.elastic_mechanism import (
    NO_BEAM,
    BodyGuide,
    ElasticElement,
    ElasticMechanism,
    Response,
)
from loadpath.structure.beams.line import Line, Lump, Part
from loadpath.structure.beams.piece_constants import NOTHING, Mass, line_mass, piece_moments, responses
from loadpath.structure.beams.sampling import section_samples

_NO_SHARE = 1e-13
"""Of a link's mass: rounding, where the link is its beams."""


class Held(NamedTuple):
    """Where a thing is held on a link: on beam number `beam` at `x` from its start; at the root if it is `NO_BEAM`."""

    beam: int
    x: Scalar


class SkeletonNumbers(Places):
    """What a skeleton reads of a robot in numbers."""

    def mass(self, link: str) -> Mass:
        """Of a link, in the frame of the joint that carries it."""
        frame = joint_of(self.robot, link)
        return Mass.of(self.robot.link(link).inertia.seen_from(Pose() if frame is None else frame.link_offset))

    def compliance(self, joint: Joint) -> Numbers:
        """Of a joint (6, 6)."""
        return dict(self.robot.joint_compliances)[joint.name].matrix(joint)

    def joint(self, joint: Joint) -> Joint:
        """A joint with its drive and springs."""
        return joint


@dataclass
class SkeletonBuilder:
    """Bodies and elements as they are found, from the base outwards."""

    robot: RobotModel
    beams: tuple[PlacedBeam, ...]
    compliances: dict[str, JointCompliance]
    pieces: int
    guides: tuple[PlacedGuide, ...] | None = None
    """None where the caller knows no guides: an arm that has some is refused."""
    numbers: SkeletonNumbers = field(default=None)  # type: ignore[assignment]
    """Those of the robot unless others are given."""
    rigid: Mechanism | None = None
    """The robot in its own frames with the same numbers."""
    bodies: list[Body] = field(default_factory=list)
    elements: list[ElasticElement] = field(default_factory=list)
    stretches: list[Stretch | None] = field(default_factory=list)
    shares: list[Scalar] = field(default_factory=list)
    nodes: dict[tuple[str, int, Scalar], tuple[int, Numbers]] = field(default_factory=dict)
    held: dict[tuple[str, str], Held] = field(default_factory=dict)
    lines: list[Line] = field(default_factory=list)
    link_bodies: dict[str, int] = field(default_factory=dict)
    """Bodies on which the links with lines, and those that slide, start."""
    on_ground: Mass = NOTHING
    """Mass held by the ground, about the base's origin: no body has it."""

    def __post_init__(self) -> None:
        if self.numbers is None:
            self.numbers = SkeletonNumbers(self.robot)

    def mechanism(self) -> Mechanism:
        robot = self.robot
        self._refuse_guides()
        root = {robot.base.name: BASE}
        joint_frames: dict[str, Frame] = {}
        self._link(robot.base.name, BASE)
        for joint in robot.joints:
            parent, origin = self._node(joint.parent, self.held[joint.parent, joint.name])
            placement = self._from(origin) @ self.numbers.of_link(joint.parent) @ self.numbers.origin(joint)
            number = self._body(joint.child, parent, placement, joint)
            joint_frames[joint.name] = Frame(number)
            if joint.name in self.compliances and joint.name not in self._guided:
                number = self._compliant(joint, number)
            root[joint.child] = number
            self._link(joint.child, number)
        for line in self._lines():
            self.lines.append(line)
        frames = {}
        for link in robot.link_names:
            body, origin = self._node(link, self.held[link, ""])
            place = self._from(origin) @ self.numbers.of_link(link)
            frames[link] = Frame(body, _rotation(place.R), place.p.astype(object))
        # The ground takes what the base link weighs, in a beam or not.
        rigid = plain(robot) if self.rigid is None else self.rigid
        return replace(rigid, bodies=tuple(self.bodies), link_frames=frames, joint_frames=joint_frames)

    @staticmethod
    def _from(origin: Numbers) -> Place:
        """What is given from a link's joint, from a point there."""
        return Place(np.eye(3), -origin)

    def _refuse_guides(self) -> None:
        known = getattr(self.robot, "placed_guides", ())
        if self.guides is None and known:
            raise ModelError(f"arm '{self.robot.name}' slides in a guide at joint '{known[0].joint}' "
                             f"({known[0].guide}); frequencies, buckling of the whole arm and what is made of them do "
                             "not know guides: ask for its deflection and stress, or leave the beams of these links out"
                             )

    @property
    def _guided(self) -> dict[str, PlacedGuide]:
        """Guides by their joints."""
        return {guide.joint: guide for guide in self.guides or ()}

    def _has_line(self, link: str) -> bool:
        """Whether the link's beam is a line with stations: it slides in a guide, or carries one."""
        return any(
            (guide.inner == link and guide.inner_beam is not None)
            or (guide.outer == link and guide.outer_beam is not None)
            for guide in self.guides or ()
        )

    def _node(self, link: str, held: Held) -> tuple[int, Numbers]:
        return self.nodes[link, held.beam, held.x]

    def _body(self, name: str, parent: int, placement: Place, joint: Joint) -> int:
        mimic, nothing = self.robot.mimic_of(joint), slice(0, 0)
        own = joint.name in self.robot.joint_names
        self.bodies.append(
            Body(
                name=name,
                parent=parent,
                turn=_rotation(placement.R),
                arm=placement.p.astype(object),
                motion=joint.motion,
                joint=self.numbers.joint(joint) if own else joint,
                q=self.robot.q_slices.get(joint.name, nothing) if own else nothing,
                v=self.robot.v_slices.get(joint.name, nothing) if own else nothing,
                multiplier=mimic.multiplier,
                offset=mimic.offset,
                mass=0.0,
                moment=floats(np.zeros(3)),
                inertia=floats(np.zeros((3, 3))),
            )
        )
        return len(self.bodies) - 1

    def _weld(self, name: str, parent: int, arm: Numbers) -> int:
        weld = Joint(name, "parent", "child", Fixed())
        return self._body(name, parent, Place(np.eye(3), arm), weld)

    def _load(self, body: int, mass: Mass) -> None:
        """Put mass (about the body's origin) on a body, or on the ground."""
        if body == BASE:
            self.on_ground = self.on_ground.plus(mass)
            return
        old = self.bodies[body]
        total = Mass(old.mass, numbers(old.moment), numbers(old.inertia)).plus(mass)
        self.bodies[body] = replace(
            old, mass=total.mass, moment=total.moment.astype(object), inertia=total.tensor.astype(object)
        )

    def _compliant(self, joint: Joint, body: int) -> int:
        end = self._weld(f"{joint.name} compliance", body, np.zeros(3))
        response = Response(self.numbers.compliance(joint), np.zeros((6, 3)), np.zeros((6, 3)))
        self._element(joint.child, root=body, end=end, effects={"joints": response})
        return end

    def _element(
        self,
        link: str,
        *,
        root: int,
        end: int,
        effects: Mapping[str, Response],
        beam: int = NO_BEAM,
        stretch: Stretch | None = None,
        axes: Rotation = IDENTITY,
        start: Numbers | None = None,
        share: Scalar = 1.0,
    ) -> None:
        """Adds an element between two bodies: a piece of a beam, or a joint if neither beam nor stretch is given."""
        joint = joint_of(self.robot, link)
        self.elements.append(
            ElasticElement(
                link=link,
                beam=beam,
                root=root,
                end=end,
                axes=axes,
                start=(np.zeros(3) if start is None else start).astype(object),
                length=0.0 if stretch is None else stretch.length,
                position=0.0 if stretch is None else stretch.start,
                effects=effects,
                motion=None if joint is None else joint.motion,
                mass_moments=(0.0, 0.0, 0.0) if stretch is None else piece_moments(stretch, share),
            )
        )
        self.stretches.append(stretch)
        self.shares.append(share)

    def _link(self, link: str, root: int) -> None:
        """The bodies and elements of a link, and where what hangs on it is held."""
        own = [(k, beam) for k, beam in enumerate(self.beams) if beam.link == link]
        self.nodes[link, NO_BEAM, 0.0] = root, np.zeros(3)
        for joint in self.robot.joints:
            if joint.parent == link:
                self.held[link, joint.name] = self._where(own, joint)
        self.held[link, ""] = nearest(own, self.numbers.of_link(link).p)
        total = self.numbers.mass(link)
        self.link_bodies[link] = root
        if self._has_line(link):
            for (of, _), held in self.held.items():
                if of == link:  # the link is one body
                    self.nodes[link, held.beam, held.x] = root, np.zeros(3)
            self._load(root, total)
            return
        beams_mass = sum(beam.mass for _, beam in own)
        share = _at_most_one(total.mass / beams_mass) if beams_mass > 0 else 1.0
        remainder = total
        for _, beam in own:
            remainder = remainder.plus(line_mass(beam), -share)
        lump = self._lump(own, total, remainder)
        for k, beam in own:
            cuts = [held.x for held in [*self._held_on(link), *([lump] if lump else [])] if held.beam == k]
            self._beam(k, beam, root, cuts, share)
        if lump is not None:
            body, origin = self._node(link, lump)
            self._load(body, remainder.seen_from(origin))

    def _lines(self) -> list[Line]:
        return [self._line(k, beam) for k, beam in enumerate(self.beams) if self._has_line(beam.link)]

    def _line(self, k: int, beam: PlacedBeam) -> Line:
        """The beam of a link that slides or carries a guide, when all bodies are there."""
        link, own, robot = beam.link, [(k, beam)], self.robot
        stations: list[Station] = []

        def station(at: Station) -> int:
            if at not in stations:
                stations.append(at)
            return stations.index(at)

        def place(held: Held) -> int:
            return station(Station(held.x if held.beam == k else 0.0))

        total = self.numbers.mass(link)
        share = _at_most_one(total.mass / beam.mass) if beam.mass > 0 else 1.0
        remainder = total.plus(line_mass(beam), -share)
        lump = self._lump(own, total, remainder)
        first = {joint.name: next(i for i, body in enumerate(self.bodies) if body.joint.name == joint.name)
                 for joint in robot.joints}
        held = {first[j.name]: place(self.held[link, j.name])
                for j in robot.joints if j.parent == link and j.name not in self._guided}
        guide = next((g for g in self.guides or () if g.inner == link), None)
        joint = joint_of(robot, link)
        carried = []
        for other in self.guides or ():
            if other.outer == link:
                pads = tuple(station(pad.outer) for pad in other.pads if pad.outer is not None)
                carried.append((other, self.link_bodies[other.inner], pads))
        made = Line(
            link=link,
            beam=k,
            body=self.link_bodies[link],
            start=beam.start,
            axes=beam.axes,
            length=beam.length,
            parts=(),
            held=held,
            frame=place(self.held[link, ""]),
            lump=None if lump is None else Lump(remainder, place(lump)),
            guide=guide,
            motion=None if joint is None else joint.motion,
            allowed=self._allowed(),
            own_pads=() if guide is None else tuple(station(pad.inner) for pad in guide.pads),
            carried=tuple(carried),
            stations=tuple(stations),
        )
        return replace(made, stations=tuple(stations), parts=self._parts(beam, stations, share))

    def _allowed(self) -> dict[int, tuple[float, float]]:
        """For each coordinate that moves pads, from where to where all of its guides hold."""
        found: dict[int, tuple[float, float]] = {}
        for guide in self.guides or ():
            if guide.extension.moves:
                low, high = found.get(guide.extension.coordinate, (-math.inf, math.inf))
                found[guide.extension.coordinate] = max(low, guide.allowed[0]), min(high, guide.allowed[1])
        return found

    def _parts(self, beam: PlacedBeam, stations: list[Station], share: float) -> tuple[Part, ...]:
        """Segments of constant section as they are; tapered ones between the stations that stay."""
        found: list[Part] = []
        tolerance = ROUNDING * beam.length
        fixed = [station.constant for station in stations if not station.moves]
        for segment in stretches(beam.beam, beam.length):
            stop = beam.length if abs(segment.stop - beam.length) <= tolerance else segment.stop
            if not segment.segment.tapered:
                found.append(Part(segment._replace(stop=stop), share))
                continue
            inside = sorted({x for x in fixed if segment.start + tolerance < x < stop - tolerance})
            found += [Part(segment._replace(start=a, stop=b), share)
                      for a, b in pairwise([segment.start, *inside, stop])]
        return tuple(found)

    def body_guides(self) -> tuple[BodyGuide, ...]:
        """The guides with the bodies that slide in them, when all bodies are there."""
        return tuple(
            BodyGuide(guide, self.link_bodies[guide.inner], self._drive(guide), *self._between(guide))
            for guide in self.guides or ()
        )

    def _between(self, guide: PlacedGuide) -> tuple[Rotation, tuple[Array, ...]]:
        """How the inner line lies against the outer beam."""
        if guide.outer_beam is None:
            return IDENTITY, ()
        outer, joint = self.beams[guide.outer_beam], self.robot.joint(guide.joint)
        placement = self.numbers.of_link(guide.outer) @ self.numbers.origin(joint)
        turn = outer.axes.T @ placement.R @ guide.axes
        turn = np.where(np.abs(turn - np.round(turn)) < 1e-12, np.round(turn), turn)
        own = guide.extension.constant if guide.extension.moves else 0.0  # a locked joint's origin is there already
        slide = placement.p + placement.R @ (own * np.array(guide.guide.axis(joint)))
        offsets = []
        for pad in guide.pads:
            assert pad.outer is not None
            point = slide + placement.R @ (guide.origin + guide.axes[:, 0] * pad.inner.constant)
            offset = outer.axes.T @ (point - outer.start) - np.array([pad.outer.constant, 0.0, 0.0])
            offsets.append(floats(np.where(np.abs(offset) < 1e-12 * outer.length, 0.0, offset)))
        return rotation_from_matrix(turn.tolist()), tuple(offsets)

    def _drive(self, guide: PlacedGuide) -> float:
        """How far the drive of a guided joint gives way along the slide; any other compliance is refused."""
        if guide.joint not in self.compliances:
            return 0.0
        matrix = self.numbers.compliance(self.robot.joint(guide.joint))
        along = guide.axes[:, 0]
        given = float(along @ matrix[:3, :3] @ along)
        only = np.zeros((6, 6))
        only[:3, :3] = given * np.outer(along, along)
        if not np.allclose(matrix, only, rtol=1e-9, atol=1e-12 * max(given, float(np.abs(matrix).max()))):
            raise ModelError(f"joint '{guide.joint}' has a guide ({guide.guide}) and a compliance other than that of "
                             "its drive along the slide: the pads hold it across, so give JointCompliance(drive=...) "
                             "alone")
        return given

    def _held_on(self, link: str) -> list[Held]:
        return [held for (of, _), held in self.held.items() if of == link]

    def _where(self, own: list[tuple[int, PlacedBeam]], joint: Joint) -> Held:
        for k, beam in own:
            if beam.child == joint.name:
                return Held(k, beam.length)
        if not own:
            return Held(NO_BEAM, 0.0)
        place = self.numbers.of_link(joint.parent) @ self.numbers.origin(joint)
        if joint.motion.dof == 0:
            child = self.numbers.mass(joint.child)
            if child.mass > 0:
                return nearest(own, place.transform(child.moment / child.mass))
            place = place @ self.numbers.link_offset(joint)
        return nearest(own, place.p)

    @staticmethod
    def _lump(own: list[tuple[int, PlacedBeam]], total: Mass, remainder: Mass) -> Held | None:
        """Where the remainder of the link's mass is held; None where nothing is left."""
        reach = sum(norm(beam.end) for _, beam in own)
        size = total.tensor.trace() + total.mass * reach * reach
        if remainder.mass <= ROUNDING * total.mass and _within(remainder.moment * reach, ROUNDING * size):
            if _within(remainder.tensor, ROUNDING * size):
                return None
            return nearest(own, total.moment / total.mass if total.mass > 0 else np.zeros(3))
        if remainder.mass <= ROUNDING * total.mass:
            return nearest(own, total.moment / total.mass)
        return nearest(own, remainder.moment / remainder.mass)

    def _beam(self, k: int, beam: PlacedBeam, root: int, cuts: list[Scalar], share: Scalar) -> None:
        direction, axes = beam.axes[:, 0], _rotation(beam.axes)
        body, start, origin = root, beam.start, np.zeros(3)
        for number, stretch in enumerate(self._cut(beam, cuts)):
            end_point = beam.start + direction * stretch.stop
            end = self._weld(f"{beam.link} beam {k} piece {number}", body, end_point - origin)
            self._element(
                beam.link,
                root=body,
                end=end,
                effects=responses(stretch, share),
                beam=k,
                stretch=stretch,
                axes=axes,
                start=start - origin,
                share=share,
            )
            self._load(body, Mass.line(start - origin, direction, piece_moments(stretch, share)))
            body, start, origin = end, end_point, end_point
            self.nodes[beam.link, k, stretch.stop] = body, origin

    def _cut(self, beam: PlacedBeam, cuts: list[Scalar]) -> list[Stretch]:
        found: list[Stretch] = []
        tolerance = ROUNDING * beam.length
        for segment in stretches(beam.beam, beam.length):
            stop = beam.length if abs(segment.stop - beam.length) <= tolerance else segment.stop
            inside = sorted({x for x in cuts if segment.start + tolerance < x < stop - tolerance})
            edges = [segment.start, *inside, stop]
            for a, b in pairwise(edges):
                count = max(1, math.ceil(self.pieces * (b - a) / beam.length - ROUNDING)) if self.pieces > 1 else 1
                points = [a + (b - a) * i / count for i in range(count)] + [b]
                found += [segment._replace(start=s, stop=e) for s, e in pairwise(points)]
        return found


def _rotation(R: Numbers) -> Rotation:
    """The rotation of a matrix, of scalars perhaps."""
    return rotation_from_matrix(R.tolist()) if is_plain(R) else MatrixRotation(R)


def _at_most_one(x: Scalar) -> Scalar:
    return 1.0 if x >= 1.0 - _NO_SHARE else x


def _within(values: Numbers, bound: Scalar) -> bool:
    """Whether no entry is larger than a bound, of either sign."""
    return all(-bound <= x <= bound for x in values.flat)


def nearest(own: list[tuple[int, PlacedBeam]], point: Numbers) -> Held:
    """The section of the link's beams that is nearest to a point of the link; the root where a beam starts."""
    best, held = math.inf, Held(NO_BEAM, 0.0)
    for k, beam in own:
        along: Scalar = (point - beam.start) @ beam.axes[:, 0]
        x: Scalar = min(max(along, 0.0), beam.length)
        distance = norm(point - beam.start - x * beam.axes[:, 0])
        if distance < best * (1 - ROUNDING) - 1e-12:
            best = distance
            held = Held(k, x)
            for segment in stretches(beam.beam, beam.length):
                for edge in (segment.start, segment.stop):
                    if abs(x - edge) <= ROUNDING * beam.length:
                        held = Held(k, edge)
            if abs(x - beam.length) <= ROUNDING * beam.length:
                held = Held(k, beam.length)
            if x <= ROUNDING * beam.length:
                held = Held(NO_BEAM, 0.0)
    return held


def skeleton(arm: RobotModel, pieces: int = 1) -> ElasticMechanism:
    """The elastic mechanism of an arm, every beam in at least this many pieces.

    >>> import loadpath as lp
    >>> tube = lp.Tube(outer_radius=0.02, wall=0.002)
    >>> arm = lp.catalog.planar(2).with_beams({"link2": lp.Beam(tube, lp.ALUMINIUM, end="tip_joint")})
    >>> [(element.link, element.root, element.end) for element in skeleton(arm).elements]
    [('link2', 1, 2), ('link2', 2, 3)]
    """
    if arm.held_by_loops:  # what is held where a loop is cut is there, too
        return skeleton(arm.cut, pieces)
    return _skeleton(arm, pieces)


@kept(maximum=8)
def _skeleton(arm: RobotModel, pieces: int) -> ElasticMechanism:
    builder = SkeletonBuilder(arm, arm.placed_beams, dict(arm.joint_compliances), pieces, arm.placed_guides)
    return _built(builder, partial(skeleton, arm))


def _built(builder: SkeletonBuilder, divide: Callable[[int], ElasticMechanism]) -> ElasticMechanism:
    mechanism = builder.mechanism()
    elements, lines = tuple(builder.elements), tuple(builder.lines)
    samples = cache(partial(section_samples, builder.beams, elements, builder.stretches, builder.shares, lines))
    return ElasticMechanism(mechanism, elements, samples, divide, lines, builder.body_guides())


# An arm some of whose numbers are scalars


class VariedNumbers(SkeletonNumbers):
    """The same of an arm some of whose numbers are scalars."""

    def __init__(self, robot: RobotModel, of_design: DesignNumbers) -> None:
        super().__init__(robot)
        self.of_design = of_design

    def origin(self, joint: Joint) -> Place:
        return self.of_design.place(joint, "origin") or super().origin(joint)

    def link_offset(self, joint: Joint) -> Place:
        return self.of_design.place(joint, "link_offset") or super().link_offset(joint)

    def mass(self, link: str) -> Mass:
        body = self.of_design.body(link)
        return super().mass(link) if body is None else Mass.of_body(*body, self.of_link(link))

    def compliance(self, joint: Joint) -> Numbers:
        made = self.of_design.compliance(joint)
        return super().compliance(joint) if made is None else made

    def joint(self, joint: Joint) -> Joint:
        return self.of_design.joint(joint)


def varied_skeleton(arm: RobotModel, values: Values, decisions: Decisions, pieces: int = 1) -> ElasticMechanism:
    """The elastic mechanism of an arm with scalars for some of its numbers. What numbers decide (where it is cut, what
    is held where) is decided by those of the arm as it is, and noted.
    """
    if arm.held_by_loops:
        return varied_skeleton(arm.cut, values, decisions, pieces)
    decided = decided_values(arm, values, decisions)
    of_design = DesignNumbers(arm, decided, decided=True)
    builder = SkeletonBuilder(
        arm, of_design.beams, dict(arm.joint_compliances), pieces, arm.placed_guides, VariedNumbers(arm, of_design),
        varied(plain(arm), arm, values),
    )
    made = _built(builder, lambda pieces: varied_skeleton(arm, values, decisions, pieces))
    samples = cache(lambda count: bare(made.samples(count)))
    for line in made.lines:
        if bare(line) is not line:
            raise NumberNeededError(f"the beam of link '{line.link}' slides in a guide, or carries one, and its "
                                    "numbers, the mass of its link and what it holds stay as they are")
    return replace(made, mechanism=bare(made.mechanism), elements=bare(made.elements), samples=samples)


def _laid_out(
    arm: RobotModel, values: Values, decisions: Decisions, choices: Mapping[str, Any]
) -> ElasticMechanism:
    """The same, with what the choices of a quantity make of it decided, too."""
    made = varied_skeleton(arm, values, decisions)
    if "pieces" in choices:
        made.divide(choices["pieces"])
    if "sections" in choices:
        made.samples(choices["sections"])
    return made


LAYOUTS[skeleton] = _laid_out
