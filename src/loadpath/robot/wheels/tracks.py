"""Tracks (crawlers): contacts with a length, which roll along it with one rate and scrub sideways when the base turns.

A track stands on the ground by `count` pieces along its length, both ends among them, in one line, or in two at the
edges of its width. A piece is a wheel on a fixed axle whose rate is that of all pieces of its track (`Contact.track`).
The base being rigid, pieces carry by their stiffness: those at the ends have half of that of the others (the
trapezoidal rule). Even pressure is met exactly so, a slope of it along the track to 2/(count - 1)^2 of the slope, and
the hull of the pieces is that of the ground that the track covers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from loadpath.errors import ModelError
from loadpath.robot.measures import measures
from loadpath.robot.numbers import number
from loadpath.robot.wheels.contacts import Contact, FixedWheel


@dataclass(frozen=True, kw_only=True)
class _TrackPiece(FixedWheel):
    """A piece of a track."""

    track: str = ""  # type: ignore[misc]
    area: float = field(default=0.0, metadata=measures("area"))
    """Of the ground under it (m^2); 0 of a track without a width."""

    kind: ClassVar[str] = "piece of a track"


@dataclass(frozen=True, kw_only=True)
class Track(FixedWheel):
    """A track whose `length` (m) lies on the ground along `direction`, its middle at `position`; `radius` (m) is that
    of the sprocket that drives it, from its axle to the belt's pitch line.

    Made into pieces on a base: a track "left" stands there as contacts "left 1", "left 2", ...: `count` of them along
    the length (odd, three or more), in one line, or with a `width` (m) in two at its edges. `wheel_torques`,
    `wheel_rates` and `brakes` of `simulate` take the track's name. `spin_inertia` (kg m^2) is that of belt and sprocket
    about the sprocket's axle, `drive` the motor of the whole track. Of `compliance`, `stiffness` and their kin a piece
    has its share. All other numbers are those of a fixed wheel.

    Turning the base drags the track sideways over the ground: friction of its pieces resists, with `turning_moment` if
    they have all of it (more pieces, the same moment: it is exact for odd counts in one line). While the belt slips
    along as well, the two share the friction, piece by piece, as in truth.

    >>> import loadpath as lp
    >>> left, right = (lp.Track((0, y), 0.15, length=1.2, name=side) for side, y in (("left", 0.4), ("right", -0.4)))
    >>> base = lp.WheeledBase(mass=300, center_of_mass=(0, 0, 0.4), wheels=[left, right])
    >>> base.contact_names[:3], round(left.turning_moment(0.6, 1500.0), 9)             # mu W L / 4
    (('left 1', 'left 2', 'left 3'), 270.0)
    """

    length: float = field(metadata=measures("length"))
    width: float = field(default=0.0, metadata=measures("length"))
    count: int = field(default=5, metadata=measures("plain number"))

    kind: ClassVar[str] = "track"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self._set("length") <= 0:
            raise ModelError(f"length of {self._called} is {self.length}: expected more than zero")
        if self._set("width") < 0:
            raise ModelError(f"width of {self._called} is {self.width}: expected zero or more")
        count = number(self.count, f"count of {self._called}")
        if count != int(count) or count < 3 or int(count) % 2 == 0:
            raise ModelError(f"count of {self._called} is {self.count}: expected an odd number, three or more")
        object.__setattr__(self, "count", int(count))
        if self.suspension is not None:
            raise ModelError(f"{self._called} has a suspension, which is one of wheels: give the track a stiffness")
        if self.link is not None:
            raise ModelError(f"{self._called} is on link '{self.link}': tracks are known of the base only; wheels one "
                             "behind the other may stand for it there")

    def pieces(self) -> tuple[Contact, ...]:
        """The contacts that stand for it."""
        lines = (0.5 * self.width, -0.5 * self.width) if self.width else (0.0,)
        c, s = math.cos(self.direction), math.sin(self.direction)
        even = 1.0 / (self.count * len(lines))
        found: list[Contact] = []
        for across in lines:
            for k in range(self.count):
                along = self.length * (k / (self.count - 1) - 0.5)
                share = (0.5 if k in (0, self.count - 1) else 1.0) / ((self.count - 1) * len(lines))
                x, y = self.position
                found.append(_TrackPiece(
                    (x + along * c - across * s, y + along * s + across * c), self.radius,
                    name=f"{self.name} {len(found) + 1}", track=self.name, area=share * self.length * self.width,
                    direction=self.direction, driven=self.driven, friction=self.friction,
                    spin_inertia=even * self.spin_inertia,
                    drive=None if self.drive is None else self.drive.shared(even), restitution=self.restitution,
                    **self._springs(share),
                ))
        return tuple(found)

    def _springs(self, share: float) -> dict[str, Any]:
        """How a piece gives way."""
        made: dict[str, Any] = {}
        for stiff, soft in (("stiffness", "compliance"), ("grip_stiffness", "grip_compliance")):
            if getattr(self, stiff) is None:
                made[soft] = getattr(self, soft) / share
            else:
                made[stiff] = getattr(self, stiff) * share
        made["damping"] = None if self.damping is None else self.damping * share
        return made

    def turning_moment(self, friction: float, load: float) -> float:
        """Moment (N m) about its own middle with which the ground resists turning it under a load (N) of even
        pressure, the belt not slipping along: mu W L / 4 without a width; with one mu W times the mean distance of a
        rectangle from its middle.
        """
        a, b = 0.5 * self.length, 0.5 * self.width
        if not b:
            return 0.5 * friction * load * a
        d = math.hypot(a, b)
        mean = (2 * a * b * d + a**3 * math.log((b + d) / a) + b**3 * math.log((a + d) / b)) / (6 * a * b)
        return friction * load * mean


def pieces_named(wheels: Sequence[Contact], name: str) -> list[int]:
    """Numbers of the contacts that a name stands for: one wheel, or all pieces of a track."""
    return [k for k, wheel in enumerate(wheels) if name in (wheel.name, wheel.track) and name]


def named_tracks(wheels: Sequence[Contact]) -> dict[str, list[int]]:
    """Numbers of the contacts of every track, by its name."""
    found: dict[str, list[int]] = {}
    for k, wheel in enumerate(wheels):
        if wheel.track:
            found.setdefault(wheel.track, []).append(k)
    return found
