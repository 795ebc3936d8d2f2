"""Mass on the lines of beams, and what is left of a link when it is taken away."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from loadpath.robot.beams.placement import PlacedBeam, Stretch, stretches
from loadpath.robot.inertia import Inertia, point_mass_tensor
from loadpath.scalars import array, parallel_axis
from loadpath.scalars.types import Floats


class Mass(NamedTuple):
    """Mass, first moment and inertia tensor about an origin: they add, and what is left of a link may have any sign."""

    mass: float
    moment: Floats
    tensor: Floats

    @classmethod
    def of(cls, inertia: Inertia) -> Mass:
        """About the frame's origin."""
        return cls(inertia.mass, inertia.first_moment, inertia.at_origin())

    @classmethod
    def line(cls, start: Floats, direction: Floats, moments: tuple[float, float, float]) -> Mass:
        """A straight line of mass, from its mass and its first and second moment along it."""
        m, first, second = moments
        about_start = second * point_mass_tensor(1.0, direction)
        return cls(m, first * direction, about_start).displaced(start)

    def plus(self, other: Mass, factor: float = 1.0) -> Mass:
        """The sum, the other counted `factor` times."""
        return Mass(
            self.mass + factor * other.mass,
            self.moment + factor * other.moment,
            self.tensor + factor * other.tensor,
        )

    def seen_from(self, origin: Floats) -> Mass:
        """About another origin."""
        return self.displaced(-origin)

    def displaced(self, a: Floats) -> Mass:
        """The same mass, moved by `a`, about the same origin."""
        gained = parallel_axis(self.mass, array(self.moment.tolist()), array(a.tolist()))
        return Mass(self.mass, self.moment + self.mass * a, self.tensor + gained.astype(float))


NOTHING = Mass(0.0, np.zeros(3), np.zeros((3, 3)))


def piece_moments(stretch: Stretch, share: float) -> tuple[float, float, float]:
    """Mass of a piece, and its first and second moment from the piece's start."""
    x, w = stretch.nodes()
    mu = share * stretch.properties(x).mass
    return float(w @ mu), float(w @ (mu * x)), float(w @ (mu * x * x))


def line_mass(beam: PlacedBeam) -> Mass:
    """The mass of a beam, on its line."""
    total = NOTHING
    for stretch in stretches(beam.beam, beam.length):
        start = beam.start + beam.axes[:, 0] * stretch.start
        total = total.plus(Mass.line(start, beam.axes[:, 0], piece_moments(stretch, 1.0)))
    return total
