"""The cross sections of an arm's beams where stresses are looked at, with what a section's stresses ask for."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from loadpath.errors import ModelError
from loadpath.robot.beams.placement import ROUNDING, PlacedBeam, Station, Stretch
from loadpath.structure.beams.column import critical_load
from loadpath.structure.beams.elastic_mechanism import ElasticElement, OnLine, SectionSample
from loadpath.structure.beams.line import Line, Part
from loadpath.structure.beams.piece_constants import beyond


def section_samples(
    beams: tuple[PlacedBeam, ...],
    elements: tuple[ElasticElement, ...],
    pieces: list[Stretch | None],
    shares: list[float],
    lines: tuple[Line, ...],
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
            at = _Place(element.link, element.beam, number, float(x))
            found.append(_sample(at, stretch, share, critical[element.beam]))
    if not lines:
        return tuple(found)
    for number, line in enumerate(lines):
        found += _of_line(number, line, beams[line.beam], count, critical[line.beam])
    return tuple(sorted(found, key=lambda sample: sample.beam))


def _of_line(number: int, line: Line, beam: PlacedBeam, count: int, critical: float) -> list[SectionSample]:
    """Sections of a beam in a guide: at fixed places as on any beam, and before and after every station that moves."""
    found = []
    tolerance = ROUNDING * line.length
    ends = np.array([0.0, 1.0])
    rigidity = min(float(v) for part in line.parts for name in ("EIy", "EIz")
                   for v in getattr(part.stretch.properties(ends * part.stretch.length), name))
    shear = min(float(v) for part in line.parts for name in ("GAy", "GAz")
                for v in getattr(part.stretch.properties(ends * part.stretch.length), name))
    free = None
    if line.guide is not None:  # held from the tail pad on, the weakest section taken for all
        free = line.stations[line.own_pads[0]], (math.pi / beam.beam.length_factor) ** 2 * rigidity

    def add(part: Part, station: Station, x: float, after: bool) -> None:
        at = OnLine(number, station, part.start, part.stop, after, free, shear, line.length)
        place = _Place(line.link, line.beam, -1, x - part.start)
        found.append(_sample(place, part.stretch, part.share, critical)._replace(on_line=at))

    for part in line.parts:
        inside = [x for x in line.constant_places if part.start + tolerance < x < part.stop - tolerance]
        for a, b in pairwise([part.start, *inside, part.stop]):
            steps = max(1, math.ceil((count - 1) * (b - a) / line.length - ROUNDING))
            for k, x in enumerate(np.linspace(a, b, steps + 1).tolist()):
                add(part, Station(x), x, k < steps)
        if part.stretch.segment.tapered:
            continue  # no station passes it
        for station in line.stations:
            if station.moves:
                add(part, station, part.start, False)
                add(part, station, part.start, True)
    return found


class _Place(NamedTuple):
    """Of a section: its link, beam and element, and where it is, in m from the start of its stretch."""

    link: str
    beam: int
    element: int
    x: float


def _sample(at: _Place, stretch: Stretch, share: float, critical: float) -> SectionSample:
    x = at.x
    along = (stretch.start - stretch.segment_start + x) / stretch.segment_length
    section = stretch.segment.section_at(min(max(along, 0.0), 1.0))
    try:
        ey, ez = section.extremes
    except ModelError as error:
        raise ModelError(f"link '{at.link}': {error}") from None
    mass = beyond(stretch, np.array(x), share)
    assert section.torsion_modulus is not None  # or `extremes` would have said so
    peak_y, peak_z = section.shear_peaks
    return SectionSample(
        element=at.element,
        beam=at.beam,
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
