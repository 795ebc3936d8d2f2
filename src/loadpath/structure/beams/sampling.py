"""The cross sections of an arm's beams where stresses are looked at, with what a section's stresses ask for."""

from __future__ import annotations

import math

import numpy as np

from loadpath.errors import ModelError
from loadpath.structure.beams.column import critical_load
from loadpath.structure.beams.elastic_mechanism import ElasticElement, SectionSample
from loadpath.structure.beams.element_response import beyond
from loadpath.structure.beams.placement import PlacedBeam
from loadpath.structure.beams.profile import ROUNDING, Stretch


def section_samples(
    beams: tuple[PlacedBeam, ...],
    elements: tuple[ElasticElement, ...],
    pieces: list[Stretch | None],
    shares: list[float],
    count: int,
) -> tuple[SectionSample, ...]:
    """The cross sections of all pieces, at least this many along each beam."""
    if count < 2:
        raise ValueError(f"'sections' is {count}: expected a whole number, 2 or more")
    critical = [critical_load(beam.beam, beam.length) for beam in beams]
    found = []
    for number, (element, stretch, share) in enumerate(zip(elements, pieces, shares, strict=True)):
        if stretch is None:
            continue
        inside = max(1, math.ceil((count - 1) * stretch.length / beams[element.beam].length - ROUNDING))
        for x in np.linspace(0.0, stretch.length, inside + 1):
            found.append(_sample(number, element, stretch, share, float(x), critical[element.beam]))
    return tuple(found)


def _sample(
    number: int, element: ElasticElement, stretch: Stretch, share: float, x: float, critical: float
) -> SectionSample:
    along = (stretch.start - stretch.segment_start + x) / stretch.segment_length
    section = stretch.segment.section_at(min(max(along, 0.0), 1.0))
    try:
        ey, ez = section.extremes
    except ModelError as error:
        raise ModelError(f"link '{element.link}': {error}") from None
    mass = beyond(stretch, np.array(x), share)
    assert section.torsion_modulus is not None  # or `extremes` would have said so
    peak_y, peak_z = section.shear_peaks
    return SectionSample(
        element=number,
        beam=element.beam,
        x=x,
        position=stretch.start + x,
        arm=stretch.length - x,
        mass=(float(mass.mass), float(mass.first)),
        moment=(float(mass.arm), float(mass.arm_first)),
        area=section.area,
        modulus_y=section.second_moment_y / ez,
        modulus_z=section.second_moment_z / ey,
        torsion_modulus=section.torsion_modulus,
        shear_area_y=section.area / peak_y,
        shear_area_z=section.area / peak_z,
        fibres=section.fibres,
        yield_strength=stretch.segment.material.yield_strength,
        critical_load=critical,
        section=section,
        material=stretch.segment.material,
    )
