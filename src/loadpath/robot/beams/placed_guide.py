"""Where guides hold: their pads as places along the two beams that slide in each other, and the checks of both.

Everything is linear in the joint's coordinate, so a pad is a `Station` on the outer beam and one on the inner.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

import numpy as np

from loadpath.cached import cached_property
from loadpath.errors import ModelError
from loadpath.robot.beams.guide import Guide
from loadpath.robot.beams.placement import ROUNDING, PlacedBeam, joint_of, link_in_joint_frame, stretches
from loadpath.robot.joint_compliance import across
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Joint
from loadpath.scalars import Scalar
from loadpath.scalars.types import Floats

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
