"""The constants of a piece of a beam: its mass on its line, and how it answers to loads.

The responses are those of section 6.10 of the errata, by the unit-load method. A unit force at the end loads a section
at x by the moment L - x; the end moves by the integral of (L - x) M(x) / EI, and turns by that of M(x) / EI. For a
uniform piece this gives L^3 / 3EI, L^2 / 2EI, L^4 / 8EI and so on; for a tapered one the integrals are taken by Gauss's
rule, to the last digits.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from loadpath.robot.beams.placement import POINTS, WEIGHTS, PlacedBeam, Stretch, stretches
from loadpath.robot.inertia import Inertia, point_mass_tensor
from loadpath.scalars import array, parallel_axis
from loadpath.scalars.types import Floats
from loadpath.structure.beams.elastic_mechanism import Response


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


class Beyond(NamedTuple):
    """Integrals of the line mass mu from x to the end of a piece, in xi from the piece's start."""

    mass: Floats
    """Of mu."""
    first: Floats
    """Of mu xi."""
    arm: Floats
    """Of (xi - x) mu."""
    arm_first: Floats
    """Of (xi - x) mu xi."""


def beyond(stretch: Stretch, x: Floats, share: float = 1.0) -> Beyond:
    """The integrals of the line mass beyond each `x`; `share` of the beam's own mass counts."""
    remaining = stretch.length - x
    xi = x[..., None] + 0.5 * remaining[..., None] * (POINTS + 1)
    w = 0.5 * remaining[..., None] * WEIGHTS * stretch.properties(xi).mass * share
    arm = xi - x[..., None]
    return Beyond(w.sum(-1), (w * xi).sum(-1), (w * arm).sum(-1), (w * arm * xi).sum(-1))


def responses(stretch: Stretch, share: float = 1.0) -> Mapping[str, Response]:
    """The response of a piece, effect by effect.

    >>> from loadpath.structure import Beam, Rod, STEEL
    >>> from loadpath.robot.beams.placement import stretches
    >>> rod = Rod(0.01)
    >>> (piece,) = stretches(Beam(rod, STEEL, end=(2, 0, 0)), 2.0)
    >>> bending = responses(piece)["bending"].compliance[1, 1]
    >>> bool(abs(bending * 3 * 210e9 * rod.second_moment_z / 2**3 - 1) < 1e-13)
    True
    """
    x, w = stretch.nodes()
    p, m = stretch.properties(x), beyond(stretch, x, share)
    to_end = stretch.length - x
    bending, torsion, extension, shear = (Response(*(np.zeros((6, k)) for k in (6, 3, 3))) for _ in range(4))
    extension.compliance[0, 0] = (w / p.EA).sum()
    extension.uniform[0, 0] = (w * m.mass / p.EA).sum()
    extension.linear[0, 0] = (w * m.first / p.EA).sum()
    torsion.compliance[3, 3] = (w / p.GJ).sum()
    # A force along y bends about z, one along z about -y: y, rotation about z; z, rotation about y with the other sign.
    for axis, about, sign, EI, GA in ((1, 5, 1.0, p.EIz, p.GAy), (2, 4, -1.0, p.EIy, p.GAz)):
        bending.compliance[axis, axis] = (w * to_end**2 / EI).sum()
        bending.compliance[axis, about] = bending.compliance[about, axis] = sign * (w * to_end / EI).sum()
        bending.compliance[about, about] = (w / EI).sum()
        shear.compliance[axis, axis] = (w / GA).sum()
        for part, force, moment in ((1, m.mass, m.arm), (2, m.first, m.arm_first)):
            bending[part][axis, axis] = (w * to_end * moment / EI).sum()
            bending[part][about, axis] = sign * (w * moment / EI).sum()
            shear[part][axis, axis] = (w * force / GA).sum()
    return {"bending": bending, "torsion": torsion, "extension": extension, "shear": shear}
