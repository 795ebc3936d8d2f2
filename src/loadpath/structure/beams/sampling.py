"""The cross sections of an arm's beams where stresses are looked at, with what a section's stresses ask for."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple, Never

import numpy as np

from loadpath.errors import ModelError
from loadpath.robot.beams.placement import ROUNDING, PlacedBeam, Station, Stretch
from loadpath.scalars import Scalar
from loadpath.scalars.decided import NumberNeededError, number_of
from loadpath.structure.beams.column import critical_load
from loadpath.structure.beams.elastic_mechanism import ElasticElement, OnLine, SectionSample
from loadpath.structure.beams.line import Line, Part
from loadpath.structure.beams.piece_constants import beyond


def section_samples(
    beams: tuple[PlacedBeam, ...],
    elements: tuple[ElasticElement, ...],
    pieces: list[Stretch | None],
    shares: list[Scalar],
    lines: tuple[Line, ...],
    count: int,
) -> tuple[SectionSample, ...]:
    """The cross sections of all pieces, at least this many along each beam."""
    if count < 2:
        raise ValueError(f"'sections' is {count}: expected a whole number, 2 or more")
    critical = [_critical(beam) for beam in beams]
    found = []
    for number, (element, stretch, share) in enumerate(zip(elements, pieces, shares, strict=True)):
        if stretch is None:
            continue
        # As many as in the robot as it is, wherever its pieces end in a design.
        of_beam = number_of(stretch.length) / number_of(beams[element.beam].length)
        inside = max(1, math.ceil((count - 1) * of_beam - ROUNDING))
        for k in range(inside + 1):
            x = stretch.length if k == inside else stretch.length * (k / inside)
            at = _Place(element.link, element.beam, number, x)
            found.append(_sample(at, stretch, share, critical[element.beam]))
    if not lines:
        return tuple(found)
    for number, line in enumerate(lines):
        found += _of_line(number, line, beams[line.beam], count, critical[line.beam])
    return tuple(sorted(found, key=lambda sample: sample.beam))


class _Needed:
    """In the place of a number that cannot be had of parameters: an error where it is read."""

    def __init__(self, words: str) -> None:
        self.words = words

    def _refuse(self, other: object) -> Never:
        raise NumberNeededError(self.words)

    __rtruediv__ = __truediv__ = __mul__ = __rmul__ = _refuse


def _critical(beam: PlacedBeam) -> Scalar:
    try:
        return critical_load(beam.beam, beam.length)
    except NumberNeededError:
        return _Needed(f"the column of link '{beam.link}' tapers or is stepped, so that its critical load is the "
                       "solution of an eigenvalue problem")


def _of_line(number: int, line: Line, beam: PlacedBeam, count: int, critical: Scalar) -> list[SectionSample]:
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
    x: Scalar


def _sample(at: _Place, stretch: Stretch, share: Scalar, critical: Scalar) -> SectionSample:
    x, section = at.x, stretch.segment.section
    if stretch.uniform is None:
        along = (stretch.start - stretch.segment_start + x) / stretch.segment_length
        section = stretch.segment.section_at(min(max(along, 0.0), 1.0))
    try:
        ey, ez = section.extremes
    except ModelError as error:
        raise ModelError(f"link '{at.link}': {error}") from None
    mass = beyond(stretch, x, share)
    assert section.torsion_modulus is not None  # or `extremes` would have said so
    peak_y, peak_z = section.shear_peaks
    return SectionSample(
        element=at.element,
        beam=at.beam,
        x=x,
        position=stretch.start + x,
        arm=stretch.length - x,
        mass=(mass.mass, mass.first),
        moment=(mass.arm, mass.arm_first),
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
