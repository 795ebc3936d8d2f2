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

from loadpath.robot.beams.placement import POINTS, WEIGHTS, Place, PlacedBeam, Stretch, stretches
from loadpath.robot.inertia import Inertia
from loadpath.scalars import Scalar, parallel_axis, point_tensor, scale, zeros
from loadpath.scalars.decided import Numbers, numbers
from loadpath.structure.beams.elastic_mechanism import Response


class Mass(NamedTuple):
    """Mass, first moment and inertia tensor about an origin: they add, and what is left of a link may have any sign."""

    mass: Scalar
    moment: Numbers
    tensor: Numbers

    @classmethod
    def of(cls, inertia: Inertia) -> Mass:
        """About the frame's origin."""
        return cls(inertia.mass, inertia.first_moment, inertia.at_origin())

    @classmethod
    def of_body(cls, mass: Scalar, center: Numbers, tensor: Numbers, place: Place) -> Mass:
        """Of a body given in a frame, its tensor about its mass center, about the origin of where that frame is."""
        at = place.transform(center)
        turned = place.R @ tensor @ place.R.T
        return cls(mass, numbers(scale(mass, at)), numbers(turned + point_tensor(mass, at)))

    @classmethod
    def line(cls, start: Numbers, direction: Numbers, moments: tuple[Scalar, Scalar, Scalar]) -> Mass:
        """A straight line of mass, from its mass and its first and second moment along it."""
        m, first, second = moments
        about_start = scale(second, point_tensor(1.0, direction))
        return cls(m, numbers(scale(first, direction)), numbers(about_start)).displaced(start)

    def plus(self, other: Mass, factor: float = 1.0) -> Mass:
        """The sum, the other counted `factor` times."""
        return Mass(
            self.mass + factor * other.mass,
            self.moment + factor * other.moment,
            self.tensor + factor * other.tensor,
        )

    def seen_from(self, origin: Numbers) -> Mass:
        """About another origin."""
        return self.displaced(-origin)

    def displaced(self, a: Numbers) -> Mass:
        """The same mass, moved by `a`, about the same origin."""
        gained = parallel_axis(self.mass, self.moment.astype(object), a.astype(object))
        return Mass(self.mass, numbers(self.moment + self.mass * a), numbers(self.tensor + gained))


NOTHING = Mass(0.0, np.zeros(3), np.zeros((3, 3)))


def piece_moments(stretch: Stretch, share: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """Mass of a piece, and its first and second moment from the piece's start."""
    if (same := stretch.uniform) is not None:
        mu, L = share * same.mass, stretch.length
        return mu * L, mu * L**2 / 2, mu * L**3 / 3
    x, w = stretch.nodes()
    mu = share * stretch.properties(x).mass
    return (w * mu).sum(), (w * mu * x).sum(), (w * mu * x * x).sum()


def line_mass(beam: PlacedBeam) -> Mass:
    """The mass of a beam, on its line."""
    total = NOTHING
    for stretch in stretches(beam.beam, beam.length):
        start = beam.start + beam.axes[:, 0] * stretch.start
        total = total.plus(Mass.line(start, beam.axes[:, 0], piece_moments(stretch, 1.0)))
    return total


class Beyond(NamedTuple):
    """Integrals of the line mass mu from x to the end of a piece, in xi from the piece's start."""

    mass: Numbers
    """Of mu."""
    first: Numbers
    """Of mu xi."""
    arm: Numbers
    """Of (xi - x) mu."""
    arm_first: Numbers
    """Of (xi - x) mu xi."""


def beyond(stretch: Stretch, x: Numbers, share: Scalar = 1.0) -> Beyond:
    """The integrals of the line mass beyond each `x`; `share` of the beam's own mass counts."""
    remaining = stretch.length - x
    if (same := stretch.uniform) is not None:
        mu = share * same.mass
        mass = mu * remaining
        half = mass * remaining / 2
        return Beyond(mass, mass * (stretch.length + x) / 2, half, half * (2 * stretch.length + x) / 3)
    near, rest = np.asarray(x)[..., None], np.asarray(remaining)[..., None]
    xi = near + 0.5 * rest * (POINTS + 1)
    w = 0.5 * rest * WEIGHTS * stretch.properties(xi).mass * share
    arm = xi - near
    return Beyond(w.sum(-1), (w * xi).sum(-1), (w * arm).sum(-1), (w * arm * xi).sum(-1))


class Integrals(NamedTuple):
    """Over a piece, per unit of a stiffness: of 1, of the distance to its end, and of its square; and of what the line
    mass beyond adds, by A and by B: of its force, of its moment, and of the moment times the distance to the end.
    """

    one: Scalar
    to_end: Scalar
    to_end_squared: Scalar
    force: tuple[Scalar, Scalar]
    moment: tuple[Scalar, Scalar]
    moment_to_end: tuple[Scalar, Scalar]


def integrals(stretch: Stretch, share: Scalar, stiffness: str) -> Integrals:
    """The integrals of a piece for one of its stiffnesses (`EA`, `EIy`, ...). Of a uniform piece they are powers of its
    length; of a tapered one they are taken by Gauss's rule.
    """
    if (same := stretch.uniform) is not None:
        k, mu, L = getattr(same, stiffness), share * same.mass, stretch.length
        return Integrals(
            L / k, L**2 / 2 / k, L**3 / 3 / k, (mu * (L**2 / 2 / k), mu * (L**3 / 3 / k)),
            (mu * (L**3 / 6 / k), mu * (L**4 / 8 / k)), (mu * (L**4 / 8 / k), mu * (11 * L**5 / 120 / k)),
        )
    x, w = stretch.nodes()
    m, to_end = beyond(stretch, x, share), stretch.length - x
    w = w / getattr(stretch.properties(x), stiffness)
    return Integrals(
        w.sum(), (w * to_end).sum(), (w * to_end**2).sum(), ((w * m.mass).sum(), (w * m.first).sum()),
        ((w * m.arm).sum(), (w * m.arm_first).sum()), ((w * to_end * m.arm).sum(), (w * to_end * m.arm_first).sum()),
    )


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
    bending, torsion, extension, shear = ([zeros(6, k) for k in (6, 3, 3)] for _ in range(4))
    along = integrals(stretch, share, "EA")
    extension[0][0, 0], extension[1][0, 0], extension[2][0, 0] = along.one, *along.force
    torsion[0][3, 3] = integrals(stretch, share, "GJ").one
    # A force along y bends about z, one along z about -y: y, rotation about z; z, rotation about y with the other sign.
    for axis, about, sign, EI, GA in ((1, 5, 1.0, "EIz", "GAy"), (2, 4, -1.0, "EIy", "GAz")):
        bent, sheared = integrals(stretch, share, EI), integrals(stretch, share, GA)
        bending[0][axis, axis] = bent.to_end_squared
        bending[0][axis, about] = bending[0][about, axis] = sign * bent.to_end
        bending[0][about, about] = bent.one
        shear[0][axis, axis] = sheared.one
        for k in range(2):
            bending[1 + k][axis, axis] = bent.moment_to_end[k]
            bending[1 + k][about, axis] = sign * bent.moment[k]
            shear[1 + k][axis, axis] = sheared.force[k]
    parts = {"bending": bending, "torsion": torsion, "extension": extension, "shear": shear}
    return {name: Response(*map(numbers, part)) for name, part in parts.items()}
