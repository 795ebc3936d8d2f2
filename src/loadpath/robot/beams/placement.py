"""Where the beams of a robot lie: their ends and axes in the joint frames of their links, and the checks of both."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple

import numpy as np

from loadpath.cached import cached_property
from loadpath.errors import ModelError
from loadpath.robot.beams.beam import Beam, Guide, Segment
from loadpath.robot.inertia import Inertia
from loadpath.robot.joint_compliance import across
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Joint
from loadpath.robot.pose import Pose
from loadpath.robot.sections.section import turn_of
from loadpath.scalars import Scalar, array, cross
from loadpath.scalars.decided import Numbers, is_plain, norm, numbers, snapped
from loadpath.scalars.types import ArrayLike, Floats

# A beam as a function of the distance from its start: stiffness and mass per length, for exact integrals.
#
# Everything that is integrated over a piece is a polynomial for a uniform one, which Gauss's rule with these points
# integrates exactly; over a tapered piece it is smooth, and the rule is accurate to the last digits.


POINTS, WEIGHTS = np.polynomial.legendre.leggauss(24)

ROUNDING = 1e-9
"""Shares of a length (or of an inertia) below this are rounding."""


class Stretch(NamedTuple):
    """A part of a beam within one segment, from `start` to `stop` (m from the beam's start)."""

    segment: Segment
    segment_start: float
    segment_length: float
    start: float
    stop: float

    @property
    def length(self) -> float:
        """m."""
        return self.stop - self.start

    def part(self, start: float, stop: float) -> Stretch:
        """A part of it, from `start` to `stop` (m from its own start)."""
        return self._replace(start=self.start + start, stop=self.start + stop)

    @property
    def uniform(self) -> Properties | None:
        """Stiffness and mass per length where they are the same all along; None where the section tapers."""
        return None if self.segment.tapered else Properties(*_properties(self.segment, 0.0))

    def properties(self, x: Floats) -> Properties:
        """Stiffness and mass per length at `x` (m from the stretch's start)."""
        if (same := self.uniform) is not None:
            return Properties(*(_filled(x, value) for value in same))
        shares = (self.start - self.segment_start + x) / self.segment_length
        # A share is between 0 and 1 but for rounding.
        clipped = np.clip(shares, 0.0, 1.0) if is_plain(shares) else shares
        rows = array([list(_properties(self.segment, share)) for share in clipped.ravel().tolist()])
        return Properties(*(numbers(column.reshape(x.shape)) for column in rows.T))

    def nodes(self) -> tuple[Floats, Floats]:
        """Points (m from the stretch's start) and weights of the integral along the stretch."""
        return 0.5 * self.length * (POINTS + 1), 0.5 * self.length * WEIGHTS


def _filled(x: Numbers, value: Scalar) -> Numbers:
    """An array like another one, with the same scalar everywhere."""
    return np.full_like(x, value) if is_plain(x) and isinstance(value, float) else np.full(x.shape, value, dtype=object)


class Properties(NamedTuple):
    """Of cross sections along a beam: axial, bending, torsion and shear stiffness, and mass and inertia per length."""

    EA: Floats
    EIy: Floats
    EIz: Floats
    GJ: Floats
    GAy: Floats
    """Effective: shear factor times G A, for shear along y."""
    GAz: Floats
    mass: Floats
    """kg/m."""
    inertia_y: Floats
    """kg m: density times the second moment about y."""
    inertia_z: Floats


def _properties(segment: Segment, share: Scalar) -> tuple[Any, ...]:
    section, material = segment.section_at(share), segment.material
    E, G, A = material.youngs_modulus, material.shear_modulus, section.area
    ky, kz = section.shear_factors(material.poisson_ratio)
    Iy, Iz, rho = section.second_moment_y, section.second_moment_z, material.density
    return E * A, E * Iy, E * Iz, G * section.torsion_constant, ky * G * A, kz * G * A, rho * A, rho * Iy, rho * Iz


def stretches(beam: Beam, length: float) -> Iterator[Stretch]:
    """The segments of a beam of that length as stretches, from its start to its end."""
    start = 0.0
    for segment in beam.segments:
        yield Stretch(segment, start, segment.share * length, start, start + segment.share * length)
        start += segment.share * length


def mass_moments(beam: Beam, length: Scalar) -> Numbers:
    """Of the beam's mass: itself, first and second moment along x from the start; and the moments of inertia of its
    cross sections about their own x, y and z.
    """
    total: Numbers = np.zeros(6)
    for stretch in stretches(beam, length):
        if (same := stretch.uniform) is not None:
            a, b, L = stretch.start, stretch.stop, stretch.length
            mu, Iy, Iz = same.mass, same.inertia_y, same.inertia_z
            each = [mu * L, mu * L * (a + b) / 2, mu * L * (a * a + a * b + b * b) / 3, (Iy + Iz) * L, Iy * L, Iz * L]
        else:
            x, w = stretch.nodes()
            p, at = stretch.properties(x), stretch.start + x
            along = (p.mass, p.mass * at, p.mass * at * at, p.inertia_y + p.inertia_z, p.inertia_y, p.inertia_z)
            each = [w @ values for values in along]
        total = total + numbers(each)
    return total


class Place(NamedTuple):
    """The place of a frame in another: a pose whose numbers may be scalars of any kind."""

    R: Numbers
    p: Numbers

    @classmethod
    def of(cls, pose: Pose) -> Place:
        """Of a pose."""
        return cls(pose.R, pose.p)

    def __matmul__(self, other: Place) -> Place:
        return Place(numbers(self.R @ other.R), self.transform(other.p))

    def inverse(self) -> Place:
        """The place of the other frame in this one."""
        return Place(self.R.T, numbers(-(self.R.T @ self.p)))

    def transform(self, point: ArrayLike | Numbers) -> Numbers:
        """Where a point that is given in the frame is in the other."""
        given = point if isinstance(point, np.ndarray) else np.array(point)
        return numbers(self.R @ given + self.p)


class Places:
    """Where the frames of a robot are: of its joints on their parents, of its links after their joints."""

    def __init__(self, robot: RobotModel) -> None:
        self.robot = robot

    def origin(self, joint: Joint) -> Place:
        """Of a joint before its motion, in its parent's frame."""
        return Place.of(joint.origin)

    def link_offset(self, joint: Joint) -> Place:
        """Of the child's frame in that of the joint after its motion."""
        return Place.of(joint.link_offset)

    def of_link(self, link: str) -> Place:
        """Of a link's frame, in the frame of the joint that carries it."""
        joint = joint_of(self.robot, link)
        return Place.of(Pose()) if joint is None else self.link_offset(joint)


@dataclass(frozen=True, eq=False)
class PlacedBeam:
    """A beam with its place in the joint frame of its link (for the base: the base's frame)."""

    link: str
    beam: Beam
    start: Floats
    end: Floats
    axes: Floats
    """3 x 3: columns are the beam's x (along it), y and z."""
    child: str | None
    """Joint whose frame it ends at."""

    @cached_property
    def length(self) -> float:
        """m."""
        length: float = norm(self.end - self.start)
        return length

    @property
    def mass(self) -> float:
        """kg, from the density."""
        mass: float = mass_moments(self.beam, self.length)[0]
        return mass

    def inertia(self) -> Inertia:
        """The beam as a body, in the joint frame: a prism (or a taper) with the density of its material."""
        m, center, tensor = self.body()
        return Inertia(m, center.tolist(), tensor.tolist())

    def body(self) -> tuple[Scalar, Numbers, Numbers]:
        """The same as numbers: mass, mass center, and the tensor about it."""
        m, first, second, about_x, about_y, about_z = mass_moments(self.beam, self.length).tolist()
        if m == 0:
            return 0.0, np.zeros(3), np.zeros((3, 3))
        x = first / m
        along = second - m * x * x
        moments = numbers([about_x, along + about_y, along + about_z])
        tensor = (self.axes * moments) @ self.axes.T
        return m, numbers(self.start + self.axes[:, 0] * x), numbers((tensor + tensor.T) / 2)

    def __str__(self) -> str:
        return f"link '{self.link}', beam to {self.beam.end!r}"


def joint_of(robot: RobotModel, link: str) -> Joint | None:
    """The joint that carries a link; None for the base."""
    return next((joint for joint in robot.joints if joint.child == link), None)


def link_in_joint_frame(robot: RobotModel, link: str) -> Pose:
    """Pose of the link's frame in the frame of the joint that carries it."""
    joint = joint_of(robot, link)
    return Pose() if joint is None else joint.link_offset


def placed(robot: RobotModel, link: str, beam: Beam, places: Places | None = None) -> PlacedBeam:
    """The beam in the joint frame of its link; errors name the link and the numbers."""
    at = Places(robot) if places is None else places
    frame = at.of_link(link)
    start = np.zeros(3) if beam.start is None else frame.transform(beam.start)
    child = None
    if isinstance(beam.end, str):
        children = [joint.name for joint in robot.joints if joint.parent == link]
        if beam.end not in children:
            there = (
                f"its child joints are {', '.join(children)}" if children else "it has no child joints: give a point"
            )
            meant = [joint.name for joint in robot.joints if joint.parent == link and joint.child == beam.end]
            if meant:
                there = f"'{beam.end}' is a link, did you mean the joint that carries it, '{meant[0]}'?"
            raise ModelError(f"link '{link}': its beam ends at '{beam.end}', which is no child joint of it; {there}")
        child = beam.end
        end = frame.transform(at.origin(robot.joint(beam.end)).p)
    else:
        end = frame.transform(beam.end)
    length = norm(end - start)
    if length < 1e-9:
        raise ModelError(f"link '{link}': its beam to {beam.end!r} starts and ends at the same point, "
                         f"{np.round(start, 9).tolist()} (length {length:.3g} m)")
    return PlacedBeam(link, beam, start, end, _axes(link, beam, (end - start) / length, frame.R), child)


def _axes(link: str, beam: Beam, x: Numbers, frame: Numbers) -> Numbers:
    """Columns x, y, z of the beam's axes, in the joint frame."""
    # Without rounding on it a coordinate direction turns for nothing.
    x = snapped(x, 1e-15)
    if beam.y_axis is not None:
        y = frame @ np.array(beam.y_axis)
        if norm(_cross(x, y)) < 1e-6:
            raise ModelError(f"link '{link}': the y axis of its beam's section, {beam.y_axis}, lies along the beam")
    else:
        y = _cross(frame[:, 2], x)
        if norm(y) < 1e-6:
            y = frame[:, 0]
    y = y - x * (x @ y)
    y = y / norm(y)
    turn = _turn(link, beam)
    if turn != 0.0:  # from the axes that the section is drawn in to its principal ones
        y = math.cos(turn) * y + math.sin(turn) * _cross(x, y)
    return numbers(np.stack([x, y, _cross(x, y)], axis=1))


def _cross(a: Numbers, b: Numbers) -> Numbers:
    return np.cross(a, b) if is_plain(a, b) else cross(a, b)


def _turn(link: str, beam: Beam) -> float:
    """How far the sections of a beam are turned; an error where they are turned differently."""
    sections = [(part.section, part.end_section or part.section) for part in beam.segments]
    turns = [turn_of(section) for pair in sections for section in pair]
    if max(turns) - min(turns) > 1e-6:
        raise ModelError(f"link '{link}': the principal axes of its beam's sections are turned by "
                         f"{', '.join(f'{np.degrees(turn):.4g}' for turn in dict.fromkeys(turns))} degrees: expected "
                         "the same along the beam (similar sections); otherwise cut the link in two")
    return turns[0]


def placed_beams(robot: RobotModel, beams: tuple[tuple[str, Beam], ...]) -> list[PlacedBeam]:
    """All beams in the joint frames of their links; two of a link to the same child or point are an error."""
    found: list[PlacedBeam] = []
    for link, beam in beams:
        if link not in robot.link_names:
            robot.link(link)  # says what is there
        new = placed(robot, link, beam)
        for other in found:
            if other.link == link and np.linalg.norm(other.end - new.end) < 1e-9:
                where = f"joint '{new.child}'" if new.child and new.child == other.child else f"{beam.end!r}"
                raise ModelError(f"link '{link}' has two beams to {where}: a link's beams end at different points")
        found.append(new)
    return found


# Where guides hold: their pads as places along the two beams that slide in each other, and the checks of both.
#
# Everything is linear in the joint's coordinate, so a pad is a `Station` on the outer beam and one on the inner.


# A place along a beam that may move with a joint: linear in its coordinate.


class Station(NamedTuple):
    """A place `constant + slope q[coordinate]` (m from a beam's start); one with slope zero stays where it is."""

    constant: float
    slope: float = 0.0
    coordinate: int = 0

    @property
    def moves(self) -> bool:
        """Whether it depends on q."""
        return self.slope != 0.0

    def at(self, q: Scalar) -> Scalar:
        """The place for coordinates q, an array of scalars of any kind.

        >>> Station(1.0, -2.0, 1).at([5.0, 0.25])
        0.5
        """
        return self.constant + self.slope * q[self.coordinate] if self.moves else self.constant

    def of_states(self, q: Floats) -> Floats:
        """The places (...) for states (..., nq)."""
        result: Floats = self.constant + self.slope * q[..., self.coordinate]
        return result

    def scaled(self, factor: float, shift: float) -> Station:
        """`shift + factor` times the place."""
        return Station(shift + factor * self.constant, factor * self.slope, self.coordinate)

    def less(self, other: Station, allowed: Mapping[int, tuple[float, float]]) -> tuple[float, float]:
        """Smallest and largest of this place less another, in the coordinates that are allowed (by their numbers)."""
        low = high = self.constant - other.constant
        slopes = {self.coordinate: self.slope}
        slopes[other.coordinate] = slopes.get(other.coordinate, 0.0) - other.slope
        for coordinate, slope in slopes.items():
            if slope != 0.0:
                ends = sorted(slope * q for q in allowed.get(coordinate, (-inf, inf)))
                low, high = low + ends[0], high + ends[1]
        return low, high

    def range(self, low: float, high: float) -> tuple[float, float]:
        """Smallest and largest place for a coordinate from `low` to `high`."""
        if not self.moves:
            return self.constant, self.constant
        ends = self.constant + self.slope * low, self.constant + self.slope * high
        return min(ends), max(ends)


PARALLEL = 1e-6
"""rad: angle between a beam and its slide up to which they are parallel."""


class Pad(NamedTuple):
    """A contact: where it is along the inner line, and along the outer beam if there is one."""

    inner: Station
    outer: Station | None


@dataclass(frozen=True, eq=False)
class PlacedGuide:
    """A guide with its pads.

    The inner line runs along the beam of the child, from its start; where the child is rigid, along the slide's axis
    from the child's joint frame. Forces of the pads act on it.
    """

    joint: str
    guide: Guide
    outer: str
    """Link that carries the joint."""
    inner: str
    """Link that slides."""
    outer_beam: int | None
    """Numbers of their beams in `arm.beams`."""
    inner_beam: int | None
    origin: Floats
    """Start of the inner line, in the child's joint frame; and its axes: the first column runs along it."""
    axes: Floats
    extension: Station
    """The joint's own coordinate."""
    tail: Pad
    front: Pad
    leads: float
    """1 or -1: whether the front pad lies beyond the tail pad along the inner line, or before it."""
    lengths: tuple[float | None, float | None]
    """Of the outer and of the inner beam; None where there is none."""

    @property
    def pads(self) -> tuple[Pad, ...]:
        """The tail and the front pad; the only one of a carriage."""
        return (self.tail,) if self.guide.clamps else (self.tail, self.front)

    @property
    def overlap(self) -> Station:
        """Distance between the pads: more than zero in every state that can be."""
        a, b = self.front.inner, self.tail.inner
        slope = self.leads * (a.slope - b.slope)
        return Station(self.leads * (a.constant - b.constant), slope, self.extension.coordinate)

    @cached_property
    def allowed(self) -> tuple[float, float]:
        """Least and largest coordinate of the robot, of those that move the joint, in which it is held at all."""
        low, high = -inf, inf
        slack = ROUNDING * max(length or 0.0 for length in self.lengths)
        margins = [margin.scaled(1.0, slack) for margin, _ in self.margins()]
        for margin in margins if self.guide.clamps else [*margins, self.overlap.scaled(1.0, -slack)]:
            if margin.slope > 0:
                low = max(low, -margin.constant / margin.slope)
            elif margin.slope < 0:
                high = min(high, -margin.constant / margin.slope)
        return low, high

    def margins(self) -> list[tuple[Station, str]]:
        """What must not be negative, with words for it: how far each pad is from the ends of the two beams."""
        found = []
        for pad, name in zip(self.pads, ("carriage",) if self.guide.clamps else ("tail pad", "front pad"), strict=True):
            for station, length, link in zip((pad.outer, pad.inner), self.lengths, (self.outer, self.inner),
                                             strict=True):
                if station is not None and length is not None:
                    found.append((station, f"{name} is before the start of the beam of '{link}'"))
                    found.append((station.scaled(-1.0, length), f"{name} is beyond the end of the beam of '{link}'"))
        return found


def placed_guides(
    robot: RobotModel, beams: Sequence[PlacedBeam], guides: Mapping[str, Guide]
) -> tuple[PlacedGuide, ...]:
    """The guides of the beams, and those given by the names of their joints."""
    found = dict(guides)
    for beam in beams:
        guide = beam.beam.guide
        if guide is None:
            continue
        joint = joint_of(robot, beam.link)
        if joint is None:
            raise ModelError(f"{beam} has a guide, but no joint carries the link: the base does not slide")
        if joint.name in guides:
            raise ModelError(f"joint '{joint.name}' has two guides, {guides[joint.name]} and that of the beam of "
                             f"'{beam.link}', {guide}: give one of them")
        found[joint.name] = guide
    return tuple(_placed(robot, beams, joint, found[joint.name]) for joint in robot.joints if joint.name in found)


def _placed(robot: RobotModel, beams: Sequence[PlacedBeam], joint: Joint, guide: Guide) -> PlacedGuide:
    where = f"joint '{joint.name}', {guide}"
    axis = np.array(guide.axis(joint))
    inner, outer = (_only_beam(beams, link, where) for link in (joint.child, joint.parent))
    if inner is None and outer is None:
        raise ModelError(f"{where}: neither '{joint.parent}' nor '{joint.child}' has a beam that could slide: give one "
                         "of them a Beam along the slide, or leave the guide out")
    extension = _extension(robot, joint, guide)
    on_outer, on_inner = _Line(), _Line(axes=np.stack([axis, *across(axis)], axis=1))
    if inner is not None:
        beam = beams[inner]
        if not (guide.clamps and guide.pads_on == "child"):  # a carriage of the child may hold it at any angle
            _check_parallel(where, beam, axis)
        along = float(axis @ beam.axes[:, 0])
        along = float(np.sign(along)) if _off(beam, axis) <= PARALLEL else along
        on_inner = _Line(along, float(-beam.start @ beam.axes[:, 0]), beam.length, beam.start, beam.axes)
    if outer is not None:
        beam = beams[outer]
        placement = link_in_joint_frame(robot, joint.parent) @ joint.origin
        direction = placement.R @ axis
        _check_parallel(where, beam, direction)
        zero = placement.p - direction * (0.0 if guide.resolved is None else guide.resolved[1])
        along = float(np.sign(direction @ beam.axes[:, 0]))
        on_outer = _Line(along, float((zero - beam.start) @ beam.axes[:, 0]), beam.length)
    pads = []
    for position, on_child in guide.positions():
        at_child = Station(position) if on_child else extension.scaled(-1.0, position)
        at_parent = extension.scaled(1.0, position) if on_child else Station(position)
        there = None if outer is None else at_parent.scaled(on_outer.along, on_outer.shift)
        pads.append(Pad(at_child.scaled(on_inner.along, on_inner.shift), there))
    low, high = _range(robot, joint, guide)
    usual = min(max(0.0, low), high)
    leads = 1.0 if on_inner.along * guide.overlap(usual) >= 0 else -1.0
    made = PlacedGuide(joint.name, guide, joint.parent, joint.child, outer, inner, on_inner.start, on_inner.axes,
                       extension, pads[0], pads[1], leads, (on_outer.length, on_inner.length))
    _check_range(made, (low, high))
    _check_tapers(made, beams, (low, high))
    return made


class _Line(NamedTuple):
    """How positions along a slide become places along a beam, and where the beam is."""

    along: float = 1.0
    shift: float = 0.0
    length: float | None = None
    start: Floats = np.zeros(3)
    axes: Floats = np.eye(3)


def _only_beam(beams: Sequence[PlacedBeam], link: str, where: str) -> int | None:
    own = [k for k, beam in enumerate(beams) if beam.link == link]
    if len(own) > 1:
        raise ModelError(f"{where}: link '{link}' has {len(own)} beams; a link that slides in a guide, or carries one, "
                         "has one beam. Give the others to links that are welded to it")
    return own[0] if own else None


def _off(beam: PlacedBeam, axis: Floats) -> float:
    """Sine of the angle between a beam and an axis."""
    return float(np.linalg.norm(np.cross(axis, beam.axes[:, 0])))


def _check_parallel(where: str, beam: PlacedBeam, axis: Floats) -> None:
    off = _off(beam, axis)
    if off > PARALLEL:
        raise ModelError(f"{where}: the beam of '{beam.link}' is at {np.degrees(np.arcsin(min(off, 1.0))):.4g} degrees "
                         "to the slide; a beam can slide in a guide, or carry one, only along itself. Where the pads "
                         "sit in a nut, weld a link without a beam there and give the slide to it")


def _extension(robot: RobotModel, joint: Joint, guide: Guide) -> Station:
    if guide.resolved is not None:
        return Station(guide.resolved[1])
    mimic = robot.mimic_of(joint)
    return Station(mimic.offset, mimic.multiplier, robot.q_slices[joint.name].start)


def _range(robot: RobotModel, joint: Joint, guide: Guide) -> tuple[float, float]:
    """Least and largest extension by the limits of the joint, and of the joint that it follows."""
    if guide.resolved is not None:
        return guide.resolved[1], guide.resolved[1]
    low, high = joint.limits[0].lower, joint.limits[0].upper
    if joint.mimic is not None:
        mimic = robot.mimic_of(joint)
        limits = robot.joint(mimic.joint).limits[0]
        ends = sorted(mimic.multiplier * end + mimic.offset for end in (limits.lower, limits.upper))
        low, high = max(low, ends[0]), min(high, ends[1])
    return low, high


def fault(made: PlacedGuide, q: float) -> str | None:
    """What is wrong at a coordinate of the robot: the pads have met, or one has left its beam."""
    at = {made.extension.coordinate: q}
    if not made.guide.clamps and made.overlap.at(at) <= 0:
        return f"the overlap, from the tail to the front pad, is {made.overlap.at(at):.6g} m: expected more than zero"
    slack = ROUNDING * max(length or 0.0 for length in made.lengths)
    for margin, words in made.margins():
        if margin.at(at) < -slack:
            return f"the {words} by {-margin.at(at):.6g} m"
    return None


def _check_range(made: PlacedGuide, limits: tuple[float, float]) -> None:
    """Refuses extensions within the joint's limits at which a pad has left its beam or the pads have met."""
    locked = made.guide.resolved is not None
    for own in dict.fromkeys([q for q in limits if abs(q) < inf] or [0.0]):
        wrong = fault(made, _as_robot(made.extension, own))
        if wrong is not None:
            low, high = limits
            remedy = f" The joint's limits are {low:g} to {high:g} m: limit it further, or move the pads"
            raise ModelError(f"joint '{made.joint}', {made.guide}: {'locked at' if locked else 'at the extension'} "
                             f"{own:g} m {wrong}.{'' if locked else remedy}")


def _check_tapers(made: PlacedGuide, beams: Sequence[PlacedBeam], limits: tuple[float, float]) -> None:
    """Refuses a pad that may pass a segment whose section tapers."""
    low, high = sorted(_as_robot(made.extension, own) for own in limits)
    for pad in made.pads:
        for station, number in ((pad.outer, made.outer_beam), (pad.inner, made.inner_beam)):
            if station is None or number is None or not station.moves:
                continue
            beam = beams[number]
            first, last = station.range(low, high)
            for segment in stretches(beam.beam, beam.length):
                margin = ROUNDING * beam.length
                if segment.segment.tapered and first < segment.stop - margin and last > segment.start + margin:
                    raise ModelError(f"joint '{made.joint}', {made.guide}: a pad passes over the beam of '{beam.link}' "
                                     f"from {segment.start:g} to {segment.stop:g} m, where its section tapers: give "
                                     "the beam segments with constant sections there, in steps")


def _as_robot(extension: Station, own: float) -> float:
    """The robot's coordinate at which the joint's own is this one."""
    return (own - extension.constant) / extension.slope if extension.moves else own
