"""Beams of links, in segments of a section and a material each, and guides in which they slide."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from numpy.typing import ArrayLike

from loadpath.converted import Converted
from loadpath.errors import ModelError
from loadpath.robot.joints import Prismatic
from loadpath.robot.materials import Material
from loadpath.robot.measured import Measured
from loadpath.robot.measures import measures
from loadpath.robot.numbers import Vector3, number, positive, unit_vector, vector3
from loadpath.robot.parts import Joint
from loadpath.robot.sections.polygon import PolygonSection
from loadpath.robot.sections.section import CrossSection, Section, Shape

Contact = Literal["tail", "front"]


@dataclass(frozen=True)
class Guide(Measured):
    """What holds the child of a sliding joint: two pads, or a carriage.

    Positions are measured along the joint's axis (m): on the parent from the joint's origin, on the child from the
    child's joint frame, which moves with the extension q.

    - `Guide(front=x, tail=y)`: a telescope. The front pad sits on the parent at x, the tail pad on the child at y; so
      the front pad passes the child at x - q, and the tail pad the parent at y + q. The overlap is x - y - q.
    - `Guide(at=x, spacing=s)`: two pads on the parent, at x - s/2 (tail) and x + s/2 (front); the child slides in them.
      With `pads_on="child"` they sit on the child and ride along the beam of the parent, as a trolley on a girder.
    - `Guide(at=x)`: a carriage in place of the pads, which holds like a clamp at one place.

    Pads give force across the slide in both directions, without play, and none along it. The force along it (cylinder,
    rope, screw) acts at the tail unless `along="front"`, the torque about it at the tail unless `torsion="front"`.

    >>> Guide(front=0.0, tail=-3.8).overlap(1.0)
    2.8
    """

    front: float | None = field(default=None, metadata=measures("length"))
    tail: float | None = field(default=None, metadata=measures("length"))
    at: float | None = field(default=None, metadata=measures("length"))
    spacing: float | None = field(default=None, metadata=measures("length"))
    pads_on: Literal["parent", "child"] = "parent"
    along: Contact = "tail"
    torsion: Contact = "tail"
    resolved: tuple[Vector3, float] | None = field(default=None, repr=False)
    """Axis and extension of a joint that was locked: the guide stays, with the pads where they were."""

    def __post_init__(self) -> None:
        for part in ("front", "tail", "at", "spacing"):
            value = getattr(self, part)
            if value is not None:
                object.__setattr__(self, part, number(value, f"'{part}' of a guide"))
        for part, choices in (("pads_on", ("parent", "child")), ("along", CONTACTS), ("torsion", CONTACTS)):
            value = getattr(self, part)
            if value not in choices:
                raise ModelError(f"'{part}' of a guide is {value!r}: expected {' or '.join(map(repr, choices))}")
        if self.at is None:
            if self.front is None or self.tail is None or self.spacing is not None:
                raise ModelError(f"{self}: expected front= and tail= (a telescope), at= (a carriage), or at= and "
                                 "spacing= (two pads on one link)")
            if self.pads_on != "parent":
                raise ModelError(f"{self}: a telescope has its front pad on the parent and its tail pad on the child; "
                                 "pads_on='child' goes with at= and spacing=")
            return
        if self.front is not None or self.tail is not None:
            raise ModelError(f"{self}: expected either front= and tail=, or at=, not both")
        if self.spacing is not None and self.spacing <= 0:
            raise ModelError(f"spacing of a guide is {self.spacing:g} m: expected more than zero (without it, at= is a "
                             "carriage that clamps)")
        if self.spacing is None and (self.along, self.torsion) != ("tail", "tail"):
            raise ModelError(f"{self}: a carriage has one contact, which carries everything: leave 'along' and "
                             "'torsion' out")

    @property
    def clamps(self) -> bool:
        """Whether it is a carriage, which holds like a clamp, in place of two pads."""
        return self.at is not None and self.spacing is None

    def positions(self) -> tuple[tuple[float, bool], tuple[float, bool]]:
        """Of the tail and of the front pad: where it sits, and whether that is on the child."""
        if self.at is None:
            assert self.tail is not None
            assert self.front is not None
            return (self.tail, True), (self.front, False)
        half, on_child = 0.5 * (self.spacing or 0.0), self.pads_on == "child"
        return (self.at - half, on_child), (self.at + half, on_child)

    def overlap(self, q: float) -> float:
        """From the tail to the front pad at an extension (m)."""
        (tail, tail_on_child), (front, front_on_child) = self.positions()
        return (front + (q if front_on_child else 0.0)) - (tail + (q if tail_on_child else 0.0))

    def axis(self, joint: Joint) -> Vector3:
        """The direction of the slide in the child's joint frame; an error where the joint does not slide."""
        if self.resolved is not None:
            return self.resolved[0]
        direction = joint.motion.axis_direction()
        if not isinstance(joint.motion, Prismatic) or direction is None:
            raise ModelError(f"joint '{joint.name}' has a guide, but is {type(joint.motion).__name__.lower()}: a guide "
                             "holds the child of a prismatic joint")
        return (float(direction[0]), float(direction[1]), float(direction[2]))

    def locked(self, joint: Joint, extension: float) -> Guide:
        """The same for a joint that is frozen at that extension."""
        return replace(self, resolved=(self.axis(joint), extension))

    def __str__(self) -> str:
        parts = [f"{name}={getattr(self, name):g}" for name in ("front", "tail", "at", "spacing")
                 if getattr(self, name) is not None]
        return f"Guide({', '.join(parts)})"


CONTACTS: tuple[Contact, Contact] = ("tail", "front")


# A beam: the elastic part of a link, from the link's joint to a child's joint or to a point.


END_CONDITIONS = {
    "clamped-free": 2.0,
    "pinned-pinned": 1.0,
    "clamped-pinned": 0.6991556596428412,
    "clamped-clamped": 0.5,
}
"""Factors K of the buckling length K L. The third is pi / x with tan x = x, x = 4.4934."""


def _check_numbers(section: Shape | Section, what: str) -> None:
    """Refuses a section whose numbers are none: formulas for walls fail where one is much thicker than the other."""
    names = ["area", "second_moment_y", "second_moment_z", "torsion_constant"]
    if isinstance(section, PolygonSection):
        names.remove("torsion_constant")  # solved for when it is asked for
    for name in names:
        try:
            value = float(getattr(section, name))
        except (OverflowError, ZeroDivisionError):
            value = math.nan
        if not (math.isfinite(value) and value > 0):
            raise ModelError(f"{what} of a beam is {section}: its {name.replace('_', ' ')} comes out as {value:g}, "
                             "expected more than zero; its walls are too different in thickness for their formula, "
                             "PolygonSection computes such an outline")


@dataclass(frozen=True)
class Segment(Measured):
    """A part of a beam: its share of the beam's length, its section at the start, at its end (the same unless it
    tapers), and its material.

    >>> from loadpath.robot.materials import STEEL
    >>> from loadpath.robot.sections.profiles import Tube
    >>> Segment(0.5, Tube(0.05, 0.003), STEEL, end_section=Tube(0.03, 0.003)).tapered
    True
    """

    share: float = field(metadata=measures("share"))
    section: CrossSection
    material: Material
    end_section: CrossSection | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "share", positive(self.share, "share of a beam's segment"))
        for what, value in (("section", self.section), ("end section", self.end_section)):
            if value is None and what == "end section":
                continue
            if not isinstance(value, (Shape, Section)):
                raise ModelError(f"{what} of a beam is {value!r}: expected a section like Tube(outer_radius=, wall=)")
            _check_numbers(value, what)
        if not isinstance(self.material, Material):
            raise ModelError(f"material of a beam is {self.material!r}: expected a Material like STEEL")
        tapers = isinstance(self.section, Shape) and self.section.tapers
        if self.tapered and (type(self.section) is not type(self.end_section) or not tapers):
            raise ModelError(f"a beam cannot taper from {self.section} to {self.end_section}: expected two shapes of "
                             "one kind, with dimensions that change evenly")

    @property
    def tapered(self) -> bool:
        """Whether the section changes along the segment."""
        return self.end_section is not None and self.end_section != self.section

    def section_at(self, share: float) -> CrossSection:
        """The section at a share (0 to 1) of the segment's length."""
        if not self.tapered:
            return self.section
        assert isinstance(self.section, Shape)
        assert isinstance(self.end_section, Shape)
        result: CrossSection = self.section.towards(self.end_section, share)
        return result


def _segment(given: object) -> Segment:
    if not isinstance(given, Sequence) or len(given) not in (3, 4):
        raise ModelError(f"segment of a beam is {given!r}: expected (share, section, material), or with the section at "
                         "its end as a fourth")
    return Segment(*given)


@dataclass(frozen=True)
class Beam(Measured):
    """A beam of a link.

    - It runs from the origin of the link's joint frame (`start`: another point) to `end`: the name of a child joint of
      the link, to its frame's origin, or a point. Points are in the frame of the link (m).
    - `section` and `material` are those of the whole beam; with `end_section` its dimensions change evenly to those.
      Stepped beams have `segments` instead, whose shares of the length add up to one.
    - `y_axis`, a vector in the frame of the link, says where the section's y points (made perpendicular to the beam).
      Unless given, y is at right angles to the beam and to the link's z axis (the joint's axis in most robots), so that
      the section's z lies towards the link's z; for a beam along the link's z axis y lies along the link's x.
    - `end_condition` is that of the link's column by itself, `euler` of `buckling_safety`: "clamped-free" (as in Lau's
      thesis), "pinned-pinned", "clamped-pinned", "clamped-clamped", or the factor K of the buckling length itself. The
      buckling of the whole arm does not need it: there every beam is held by what it is built into.
    - `guide`, a `Guide`, holds the beam of a link that slides along it, in place of a clamp at its start.
    - `guess=True` says that its section and material are guesses: a verdict on it says so, and does not claim more.

    >>> from loadpath.robot.materials import STEEL, ALUMINIUM
    >>> from loadpath.robot.sections.profiles import Tube
    >>> Beam(Tube(outer_radius=0.04, wall=0.003), STEEL, end="joint3").end
    'joint3'
    >>> stepped = Beam(end=(0.5, 0, 0), segments=[(0.4, Tube(0.05, 0.003), STEEL), (0.6, Tube(0.03, 0.003), ALUMINIUM)])
    >>> len(stepped.segments)
    2
    """

    section: CrossSection | None = None
    material: Material | None = None
    end: Converted[str | Vector3, str | ArrayLike] = ""  # type: ignore[assignment]
    end_section: CrossSection | None = None
    start: Converted[Vector3 | None, ArrayLike | None] = field(default=None, metadata=measures("length"))  # type: ignore[arg-type]
    y_axis: Converted[Vector3 | None, ArrayLike | None] = field(default=None, metadata=measures("plain number"))  # type: ignore[arg-type]
    end_condition: str | float = "clamped-free"
    segments: Converted[tuple[Segment, ...], Iterable[Segment | tuple[object, ...]]] = field(
        default=(), metadata=measures(Segment)  # type: ignore[arg-type]
    )
    guide: Guide | None = field(default=None, metadata=measures(Guide))
    guess: bool = field(default=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.guess, bool):
            raise ModelError(f"guess of a beam is {self.guess!r}: expected True or False")
        if isinstance(self.end, str):
            if not self.end:
                raise ModelError("a beam has no end: expected the name of a child joint, or a point of the link")
        else:
            object.__setattr__(self, "end", vector3(self.end, "end of a beam"))
        if self.start is not None:
            object.__setattr__(self, "start", vector3(self.start, "start of a beam"))
        if self.y_axis is not None:
            object.__setattr__(self, "y_axis", unit_vector(self.y_axis, "y axis of a beam's section"))
        if isinstance(self.end_condition, str):
            if self.end_condition not in END_CONDITIONS:
                raise ModelError(f"end condition of a beam is {self.end_condition!r}: expected one of "
                                 f"{', '.join(END_CONDITIONS)}, or the factor of its buckling length")
        else:
            object.__setattr__(self, "end_condition", positive(self.end_condition, "buckling length factor of a beam"))
        object.__setattr__(self, "segments", self._segments(self.segments))
        if self.guide is not None and not isinstance(self.guide, Guide):
            raise ModelError(f"guide of a beam is {self.guide!r}: expected a Guide, like Guide(front=0, tail=-3.8)")

    def _segments(self, given: object) -> tuple[Segment, ...]:
        if isinstance(given, Sequence) and not given:
            if self.section is None or self.material is None:
                raise ModelError("a beam needs a section and a material, or segments that have them")
            return (Segment(1.0, self.section, self.material, self.end_section),)
        if not isinstance(given, Iterable):
            raise ModelError(f"segments of a beam are {given!r}: expected a list of (share, section, material)")
        read = tuple(part if isinstance(part, Segment) else _segment(part) for part in given)
        if self.section is not None or self.material is not None or self.end_section is not None:
            if read == (Segment(1.0, self.section, self.material, self.end_section),):  # type: ignore[arg-type]
                return read  # a beam made from another by dataclasses.replace
            raise ModelError("a beam has either one section and material, or segments, not both")
        total = sum(part.share for part in read)
        if abs(total - 1.0) > 1e-9:
            raise ModelError(f"shares of a beam's segments add up to {total:.12g}: expected 1")
        return read

    @property
    def length_factor(self) -> float:
        """K, the buckling length over the length."""
        if isinstance(self.end_condition, str):
            return END_CONDITIONS[self.end_condition]
        return self.end_condition
