"""A beam along which contacts move: its stations, the parts of constant section between them, and its integrals.

It is not cut where something is held, because the places move and may pass each other. Loads act at stations; what a
section at x carries is the sum of the loads and of the line mass before it, those that hold the beam among them. So the
displacement at a station s by a load at a station t is an integral from t to s where s lies beyond t, and zero
elsewhere: Macaulay's brackets. Everything here works on scalars of any kind: numbers, batches, symbols.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.polynomial import Polynomial

from loadpath.cached import cached_property
from loadpath.robot.beams.placement import ROUNDING, PlacedGuide, Station, Stretch
from loadpath.robot.joints.base import JointType
from loadpath.scalars import Scalar
from loadpath.scalars.types import Floats
from loadpath.structure.beams.clipping import clipped, in_order
from loadpath.structure.beams.piece_constants import Mass

STIFFNESSES = ("EA", "EIy", "EIz", "GJ", "GAy", "GAz")
_X = Polynomial([0.0, 1.0])


class Part(NamedTuple):
    """A stretch of a line between constant places, with the share of its own mass that counts.

    Its section is constant, or it tapers and no station ever lies inside it.
    """

    stretch: Stretch
    share: float

    @property
    def start(self) -> float:
        """m from the beam's start."""
        return self.stretch.start

    @property
    def stop(self) -> float:
        """m from the beam's start."""
        return self.stretch.stop

    @property
    def tapered(self) -> bool:
        """Whether its section changes along it."""
        return self.stretch.segment.tapered

    @property
    def mass_per_length(self) -> float:
        """kg/m, of a part that does not taper."""
        return self.share * float(self.stretch.properties(np.array([0.0])).mass[0])

    @property
    def stiffness(self) -> Mapping[str, float]:
        """EA, EIy and so on, of a part that does not taper."""
        p = self.stretch.properties(np.array([0.0]))
        return {name: float(getattr(p, name)[0]) for name in STIFFNESSES}

    def mass_moments(self) -> Floats:
        """Integrals of mu, mu x and mu x^2 over the part, x from the beam's start."""
        x, w = self.stretch.nodes()
        mu, at = self.share * self.stretch.properties(x).mass, self.start + x
        return np.array([float(w @ (mu * at**k)) for k in range(3)])

    def mass_beyond(self, x: Scalar, power: int) -> Scalar:
        """Integral of mu x^power from x, a place in the part, to its stop."""
        if not self.tapered:
            reached = x
            for _ in range(power):
                reached = reached * x
            return self.mass_per_length / (power + 1) * (self.stop ** (power + 1) - reached)
        if isinstance(x, float):
            return self.share * _mass_beyond(self, x - self.start, power)
        whole = self.share * _mass_beyond(self, 0.0, power)  # a place that moves is never inside
        return whole / (self.stop - self.start) * (self.stop - x)

    def edges(self, stations: list[Scalar]) -> list[Scalar]:
        """The part cut at the stations that lie in it: its start, the stations in order, its stop. Those outside it are
        moved to its nearer end, so that there is always the same number of pieces, some without length.

        >>> from loadpath.structure import STEEL, Beam, Rod
        >>> from loadpath.robot.beams.placement import stretches
        >>> part = Part(*stretches(Beam(Rod(0.01), STEEL, end=(2, 0, 0)), 2.0), 1.0)
        >>> part.edges([1.5, 0.5, 7.0])
        [0.0, 0.5, 1.5, 2.0, 2.0]
        """
        inside = in_order([clipped(place, self.start, self.stop) for place in stations])
        return [self.start, *inside, self.stop]


class Lump(NamedTuple):
    """What a link weighs in addition to its beam, about its joint frame's origin, and the station that holds it."""

    mass: Mass
    station: int


@dataclass(frozen=True, eq=False)
class Line:
    """The beam of a link that slides in a guide, or carries one, with everything that loads it.

    Vectors are in the link's joint frame. The link's body (`body`) has all of the link's mass.
    """

    link: str
    beam: int
    """Number of the beam in `arm.beams`."""
    body: int
    """Body of the link, or BASE."""
    start: Floats
    axes: Floats
    """Columns: the beam's x, y and z."""
    length: float
    parts: tuple[Part, ...]
    stations: tuple[Station, ...]
    held: Mapping[int, int]
    """For each body that the line carries (the first beyond a joint), the station that holds it; guided ones are not
    among them.
    """
    frame: int
    """Station that holds the link's frame."""
    lump: Lump | None
    guide: PlacedGuide | None
    """The guide that it slides in: its pads are the stations `own_pads`. None where it is clamped at its start."""
    own_pads: tuple[int, ...]
    motion: JointType | None
    """Of the joint that moves the link."""
    allowed: Mapping[int, tuple[float, float]]
    """For the coordinates that move stations: from where to where guides hold."""
    carried: tuple[tuple[PlacedGuide, int, tuple[int, ...]], ...]
    """Guides whose outer beam it is: the guide, the body of the link that slides, and the stations of the pads."""

    def places(self, q: Scalar) -> list[Scalar]:
        """Where all stations are (m from the beam's start), for coordinates q, an array of scalars of any kind."""
        return [station.at(q) for station in self.stations]

    def is_beyond(self, place: Station, other: Station) -> bool | None:
        """Whether one place is always beyond another (or at it); None where that depends on the state."""
        low, high = place.less(other, self.allowed)
        tolerance = ROUNDING * self.length
        return True if low >= -tolerance else False if high <= tolerance else None

    @cached_property
    def outwards(self) -> tuple[int, ...]:
        """The stations, those that are farthest from the start first."""

        def middle(k: int) -> float:
            low, high = self.stations[k].less(Station(0.0), self.allowed)
            return 0.5 * (max(low, 0.0) + min(high, self.length))

        return tuple(sorted(range(len(self.stations)), key=middle, reverse=True))

    @property
    def constant_places(self) -> list[float]:
        """Places of the stations that do not move."""
        return sorted({station.constant for station in self.stations if not station.moves})

    @cached_property
    def mass_moments(self) -> tuple[float, float, float]:
        """Integrals of mu, mu x and mu x^2 along the line."""
        m0, m1, m2 = sum((part.mass_moments() for part in self.parts), np.zeros(3)).tolist()
        return m0, m1, m2

    @cached_property
    def flexibilities(self) -> tuple[Flexibility, ...]:
        """Of the parts."""
        return tuple(Flexibility.of(part, self.parts) for part in self.parts)


class Flexibility(NamedTuple):
    """What a part adds to displacements: integrals over it, divided by a stiffness, up to a place in it."""

    start: float
    stop: float
    tapered: bool
    moments: Mapping[str, tuple[float, float, float]]
    """Of a uniform part 1 / EI (and so on), 0, 0; of a tapered one the integrals of 1, x, x^2 over EI, all of it."""
    line_force: Mapping[str, tuple[Polynomial, ...]]
    """From the part's start to x: of the mass before, and of its first moment from the beam's start."""
    line_moment: Mapping[str, tuple[tuple[Polynomial, ...], tuple[Polynomial, ...]]]
    """Of the moment about x of the mass before, by A and by B: itself, and times x."""

    @classmethod
    def of(cls, part: Part, parts: tuple[Part, ...]) -> Flexibility:
        """With the mass of all parts before."""
        earlier = sum((other.mass_moments() for other in parts if other.stop <= part.start), np.zeros(3))
        if part.tapered:
            return cls._tapered(part, earlier)
        mu, a = part.mass_per_length, part.start
        m0, m1, m2 = (earlier[k] + mu * (_X ** (k + 1) - a ** (k + 1)) / (k + 1) for k in range(3))
        by_A, by_B = _X * m0 - m1, _X * m1 - m2
        moments, force, moment = {}, {}, {}
        for name, stiffness in part.stiffness.items():
            k = 1.0 / stiffness
            moments[name] = k, 0.0, 0.0
            force[name] = _integrals(a, m0 * k, m1 * k)
            moment[name] = (_integrals(a, by_A * k, _X * by_A * k), _integrals(a, by_B * k, _X * by_B * k))
        return cls(a, part.stop, False, moments, force, moment)

    @classmethod
    def _tapered(cls, part: Part, earlier: Floats) -> Flexibility:
        """No station lies inside: each integral is that over the whole part, times the share (0 or 1) passed."""
        x, w = part.stretch.nodes()
        p, at = part.stretch.properties(x), part.start + x
        whole = part.mass_moments()
        m0, m1, m2 = (earlier[k] + whole[k] - np.array([part.mass_beyond(float(s), k) for s in at]) for k in range(3))
        by_A, by_B = at * m0 - m1, at * m1 - m2
        share = (_X - part.start) / (part.stop - part.start)

        def passed(*values: Floats) -> tuple[Polynomial, ...]:
            return tuple(share * float(w @ value) for value in values)

        moments, force, moment = {}, {}, {}
        for name in STIFFNESSES:
            k = 1.0 / getattr(p, name)
            moments[name] = float(w @ k), float(w @ (at * k)), float(w @ (at * at * k))
            force[name] = passed(m0 * k, m1 * k)
            moment[name] = (passed(by_A * k, at * by_A * k), passed(by_B * k, at * by_B * k))
        return cls(part.start, part.stop, True, moments, force, moment)

    def integrals(self, stiffness: str, c: Scalar, to: Scalar, t: Scalar) -> tuple[Scalar, Scalar, Scalar]:
        """Of 1, x - t and (x - t)^2 over a stiffness, from c to `to`, both places in the part."""
        k0, k1, k2 = self.moments[stiffness]
        if self.tapered:
            share = (to - c) / (self.stop - self.start)
            return share * k0, share * (k1 - t * k0), share * (k2 - 2.0 * t * k1 + t * t * k0)
        a, b = c - t, to - t
        a2, b2 = a * a, b * b
        return k0 * (b - a), (0.5 * k0) * (b2 - a2), (k0 / 3.0) * (b2 * b - a2 * a)


def _integrals(start: float, *polynomials: Polynomial) -> tuple[Polynomial, ...]:
    return tuple(polynomial.integ(lbnd=start) for polynomial in polynomials)


def _mass_beyond(part: Part, x: float, power: int) -> float:
    """Integral of mu x^power from x (from the part's start) to the part's stop, x of the integrand from the beam's."""
    remaining = part.stretch.part(x, part.stretch.length)
    at, w = remaining.nodes()
    return float(w @ (remaining.properties(at).mass * (remaining.start + at) ** power))


def value(polynomial: Polynomial, x: Scalar) -> Scalar:
    """A polynomial at a scalar of any kind.

    >>> value(Polynomial([1.0, 2.0, 3.0]), 2.0)
    17.0
    """
    result: Scalar = 0.0
    for coefficient in reversed(polynomial.coef.tolist()):
        result = result * x + coefficient
    return result
