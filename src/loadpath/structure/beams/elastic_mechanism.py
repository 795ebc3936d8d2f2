"""What the formulations of flexible arms read: a mechanism whose beams are cut into pieces, each with its constants.

Every piece of a beam ends at a body of its own, welded on while the arm is rigid; so the recursions for rigid bodies
give the wrench at the end of every piece, and the pieces are the links i of section 7.1 in Lau's thesis. A compliant
joint is a piece without length. The mass of a piece is a line mass on the body that it starts on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from loadpath.mechanics.wrenches import under_gravity
from loadpath.robot.beams.placement import Station
from loadpath.robot.joints.base import JointType
from loadpath.robot.mechanism import Mechanism
from loadpath.scalars import Array, Rotation, Scalar
from loadpath.scalars.decided import Numbers
from loadpath.structure.beams.clipping import clipped

if TYPE_CHECKING:
    from loadpath.robot.beams.placement import PlacedGuide
    from loadpath.robot.materials import Material
    from loadpath.robot.sections.section import CrossSection, Fibre
    from loadpath.structure.beams.line import Line

EFFECTS = ("bending", "torsion", "extension", "shear", "joints")
"""What a flexible arm does under load: its beams bend, twist, stretch and shear, its joints give way."""


class Response(NamedTuple):
    """How the end of an element moves against its start, per unit of load; element axes, linear rows first."""

    compliance: Numbers
    """(6, 6), by force and torque at the end."""
    uniform: Numbers
    """(6, 3), by the acceleration A of the element's start."""
    linear: Numbers
    """(6, 3), by B, the acceleration added per unit of length along the element."""


class OnLine(NamedTuple):
    """Where a cross section of a beam in a guide is, and which loads are beyond it."""

    line: int
    """Number of the line."""
    station: Station
    """Its place; where it moves, between `low` and `high`."""
    low: float
    high: float
    after: bool
    """Whether it lies just after the loads at its place, not just before them."""
    free_length: tuple[Station, float] | None
    """Of a beam that slides: the tail pad, and the critical load times the square of the length that is free from
    there on.
    """
    shear_stiffness: float
    """N: the smallest k G A of the beam."""
    line_length: float

    def counts(self, line: Line, station: Station, slack: float) -> bool | None:
        """Whether a load at a station is beyond the section; None where that depends on the state."""
        if self.station.moves and (self.low, self.high) != (0.0, line.length):
            return None  # it may not be where its station is
        low, high = station.less(self.station, line.allowed)
        edge = slack if self.after else -slack
        return True if low > edge else False if high <= edge else None

    def place(self, q: Scalar) -> Scalar:
        """m from the beam's start, for coordinates q, an array of scalars of any kind."""
        x = self.station.at(q)
        return clipped(x, self.low, self.high) if self.station.moves else x


class SectionSample(NamedTuple):
    """A cross section of an element, or of a beam in a guide (`on_line`), with what its stresses ask for."""

    element: int
    beam: int
    x: Scalar
    """m from the element's start."""
    position: Scalar
    """m from the beam's start."""
    arm: Scalar
    """m from here to the element's end."""
    mass: tuple[Scalar, Scalar]
    """Integrals from here to the element's end, in xi from the element's start, of mu and mu xi."""
    moment: tuple[Scalar, Scalar]
    """The same of (xi - x) mu and (xi - x) mu xi."""
    area: Scalar
    modulus_y: Scalar
    """I_y over the largest |z|: bending moment about y per bending stress."""
    modulus_z: Scalar
    torsion_modulus: Scalar
    shear_area_y: Scalar
    """Shear force along y divided by the largest stress that it causes."""
    shear_area_z: Scalar
    fibres: tuple[Fibre, ...]
    """Where von Mises's stress is evaluated; empty for a round section, which has no special places."""
    yield_strength: Scalar
    critical_load: Scalar
    """Compression at which the beam buckles (N); of one that slides in a guide, that of its whole length."""
    section: CrossSection
    material: Material
    on_line: OnLine | None = None


class BodyGuide(NamedTuple):
    """A guide, and the body of the link that slides in it."""

    guide: PlacedGuide
    body: int
    along: float
    """m/N: how far the drive of the joint gives way along the slide."""
    turn: Rotation
    """From the axes of the inner line to those of the outer beam."""
    offsets: tuple[Array, ...]
    """For each pad, from the outer beam's axis to the pad's point on the inner line, in the outer beam's axes."""


class ElementLoad(NamedTuple):
    """Load of an element, in its axes."""

    P: Array
    """Force at its end."""
    Q: Array
    """Torque about its end."""
    A: Array
    """Acceleration of its start, minus gravity."""
    B: Array
    """Acceleration added per unit of length along it."""


NO_BEAM = -1
"""In the place of a beam's number."""


@dataclass(frozen=True, eq=False)
class ElasticElement:
    """A piece of a beam, or a compliant joint: what is elastic between a body and the next."""

    link: str
    beam: int
    """Number of the beam, or `NO_BEAM` for a joint."""
    root: int
    """Body (or BASE) that it starts on."""
    end: int
    """Body that it ends at, whose parent is `root` and whose axes are those of `root` while the arm is rigid."""
    axes: Rotation
    """From element axes, x along it, to those of the bodies."""
    start: Array
    """Where it starts, from the origin of `root`, in its axes."""
    length: Scalar
    position: Scalar
    """m from the beam's start to the element's."""
    effects: Mapping[str, Response]
    motion: JointType | None
    """Of the joint that moves its link."""
    mass_moments: tuple[Scalar, Scalar, Scalar] = (0.0, 0.0, 0.0)
    """Integrals over its length of mu, mu x and mu x^2, x from its start."""

    @property
    def is_beam(self) -> bool:
        """Whether it is a piece of a beam, not a joint."""
        return self.beam != NO_BEAM

    def response(self, effects: tuple[str, ...]) -> Response:
        """The sum of the chosen effects."""
        chosen = [part for name, part in self.effects.items() if name in effects]
        total = Response(np.zeros((6, 6)), np.zeros((6, 3)), np.zeros((6, 3)))
        for part in chosen:
            total = Response(*(a + b for a, b in zip(total, part, strict=True)))
        return total


@dataclass(frozen=True, eq=False)
class ElasticMechanism:
    """Bodies, and the elements between them; `samples` and `divide` make its sections and a finer one of it."""

    mechanism: Mechanism
    elements: tuple[ElasticElement, ...]
    samples: Callable[[int], tuple[SectionSample, ...]]
    """Cross sections, at least this many along each beam."""
    divide: Callable[[int], ElasticMechanism]
    """The same arm with every beam in at least this many pieces."""
    lines: tuple[Line, ...] = ()
    """Beams that slide in guides or carry them: these are not cut into elements."""
    guides: tuple[BodyGuide, ...] = ()

    def with_mechanism(self, mechanism: Mechanism) -> ElasticMechanism:
        """The same elements between bodies that have moved."""
        return replace(self, mechanism=mechanism)

    def under_gravity(self, gravity: Array) -> ElasticMechanism:
        """The same arm under another gravity, in world axes, however finely it is divided."""
        return replace(
            self,
            mechanism=under_gravity(self.mechanism, gravity),
            divide=lambda pieces: self.divide(pieces).under_gravity(gravity),
        )


def check_effects(effects: tuple[str, ...]) -> None:
    """Refuses a name that is no effect."""
    for name in effects:
        if name not in EFFECTS:
            raise ValueError(f"'{name}' is no effect of a flexible arm: there are {', '.join(EFFECTS)}")
