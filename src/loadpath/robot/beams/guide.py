"""A guide: what holds a link that slides, along its own beam or along that of the link that carries it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from loadpath.errors import ModelError
from loadpath.robot.joints import Prismatic
from loadpath.robot.measures import measures
from loadpath.robot.numbers import Vector3, number
from loadpath.robot.parts import Joint

Contact = Literal["tail", "front"]


@dataclass(frozen=True)
class Guide:
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
