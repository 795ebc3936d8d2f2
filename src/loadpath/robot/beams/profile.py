"""A beam as a function of the distance from its start: stiffness and mass per length, for exact integrals.

Everything that is integrated over a piece is a polynomial for a uniform one, which Gauss's rule with these points
integrates exactly; over a tapered piece it is smooth, and the rule is accurate to the last digits.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from loadpath.robot.beams.beam import Beam, Segment
from loadpath.scalars.types import Floats

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

    def properties(self, x: Floats) -> Properties:
        """Stiffness and mass per length at `x` (m from the stretch's start)."""
        if not self.segment.tapered:
            return Properties(*(np.full_like(x, value) for value in _properties(self.segment, 0.0)))
        shares = np.clip((self.start - self.segment_start + x) / self.segment_length, 0.0, 1.0)
        rows = np.array([_properties(self.segment, float(share)) for share in shares.ravel()])
        return Properties(*(column.reshape(x.shape) for column in rows.T))

    def nodes(self) -> tuple[Floats, Floats]:
        """Points (m from the stretch's start) and weights of the integral along the stretch."""
        return 0.5 * self.length * (POINTS + 1), 0.5 * self.length * WEIGHTS


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


def _properties(segment: Segment, share: float) -> tuple[float, ...]:
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


def mass_moments(beam: Beam, length: float) -> Floats:
    """Of the beam's mass: itself, first and second moment along x from the start; and the moments of inertia of its
    cross sections about their own x, y and z.
    """
    total = np.zeros(6)
    for stretch in stretches(beam, length):
        x, w = stretch.nodes()
        p, at = stretch.properties(x), stretch.start + x
        each = (p.mass, p.mass * at, p.mass * at * at, p.inertia_y + p.inertia_z, p.inertia_y, p.inertia_z)
        total += [float(w @ values) for values in each]
    return total
