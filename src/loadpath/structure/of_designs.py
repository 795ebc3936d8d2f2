"""The numbers of cross sections of all designs of a family of arms with beams, as arrays with the designs' axes in
front: where they are, what they hold, at what stress their walls wrinkle.

Designs that are laid out alike are read at once: the skeleton that equations are traced on takes arrays for scalars.
What is no formula (how walls wrinkle, by tables) is asked of each section.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadpath.engine.arguments import Variant
from loadpath.engine.family import split
from loadpath.robot.sections.walls import LocalBuckling
from loadpath.robot.varied import LAYOUTS
from loadpath.scalars.decided import Decisions
from loadpath.scalars.types import Floats
from loadpath.states.reading import loads_of
from loadpath.structure.beams.elastic_mechanism import SectionSample
from loadpath.structure.beams.skeleton import skeleton
from loadpath.structure.quantities import SECTIONS

NUMBERS = ("position", "yield_strength", "critical_load", "area", "modulus_y", "modulus_z")
WALLS = ("compression", "bending", "bending_y", "bending_z")


class OfDesigns(NamedTuple):
    """Numbers of the sections of all designs, each (*designs, sections)."""

    samples: tuple[SectionSample, ...]
    """Of one of the designs: what is the same in all of them."""
    numbers: dict[str, Floats]
    """`NUMBERS` of the sections and `WALLS` of what their walls bear."""

    def beside(self, like: Floats) -> OfDesigns:
        """The same with axes of length one for those of the states."""
        def beside(values: Floats) -> Floats:
            axes = like.ndim - values.ndim
            return values.reshape(*values.shape[:-1], *(1,) * axes, values.shape[-1])

        return self._replace(numbers={name: beside(values) for name, values in self.numbers.items()})


def reads_more(family: Any, arguments: tuple[Any, ...], options: Mapping[str, Any]) -> bool:
    """Whether a call reads more of its arm than compiled quantities and numbers of sections: what a motion carries is
    placed on its links, beams in guides have their sections where they slide to, and equilibria are searched.
    """
    states = arguments[0] if arguments else options.get("q")
    return bool(options.get("iterate")) or bool(loads_of(states)) or bool(family.robot.placed_guides)


def numbers_of_designs(family: Any, sections: int) -> OfDesigns:
    """The numbers of the sections of all designs of a family."""
    rows: Floats = family.rows.reshape(-1, family.rows.shape[-1])
    samples: tuple[SectionSample, ...] = ()
    numbers: dict[str, Floats] = {}
    for those, found in _laid_out(family, rows, sections):
        if not samples:
            samples = found
            numbers = {name: np.empty((len(rows), len(found))) for name in (*NUMBERS, *WALLS)}
        _walls = _Walls()
        for k, sample in enumerate(found):
            for name in NUMBERS:
                numbers[name][those, k] = getattr(sample, name)
            walls = _walls.of(sample, len(those))
            for name in WALLS:
                numbers[name][those, k] = walls[name]
    return OfDesigns(samples, {name: part.reshape(*family.shape, part.shape[-1]) for name, part in numbers.items()})


def _laid_out(
    family: Any, rows: Floats, sections: int
) -> Iterator[tuple[NDArray[np.intp], tuple[SectionSample, ...]]]:
    """Groups of designs, and the cross sections of each, their numbers being arrays; one by one where a number is no
    formula, as the critical load of a column in steps.
    """
    method = family.section_stresses
    which = method.layout_of_designs(Variant(choices=(("sections", sections),) if sections != SECTIONS else ()))
    for number in np.unique(which).tolist():
        those = np.flatnonzero(which == number)
        layout = method.layouts[number]
        values = split(layout.parameters, rows[those].T)
        found = LAYOUTS[skeleton](layout.robot, values, Decisions(), {"sections": sections}).samples(sections)
        if all(isinstance(getattr(sample, name), (int, float, np.ndarray)) for sample in found for name in NUMBERS):
            yield those, found
            continue
        for k in those:
            robot = family.robot_of(np.unravel_index(int(k), family.shape) if family.shape else ())
            yield np.array([k]), skeleton(robot).samples(sections)


class _Walls:
    """How walls wrinkle, asked once of sections that are the same."""

    def __init__(self) -> None:
        self._known: dict[Any, dict[str, Floats]] = {}

    def of(self, sample: SectionSample, designs: int) -> dict[str, Floats]:
        """Each of `WALLS`, (designs,) or for all of them."""
        section, material = sample.section, sample.material
        varies = [_varying(part) for part in (section, material)]
        key = (*map(_identity, varies), id(section) if not varies[0] else type(section),
               id(material) if not varies[1] else material.name)
        if key not in self._known:
            several: list[LocalBuckling] = [
                _design(section, varies[0], k).local_buckling(_design(material, varies[1], k))
                for k in (range(designs) if any(varies) else range(1))]
            self._known[key] = {name: np.array([getattr(each, name) for each in several]) for name in WALLS}
        return self._known[key]


def _varying(part: Any) -> dict[str, Floats]:
    """The fields of a section or a material that are arrays of designs."""
    return {field.name: value for field in fields(part) if isinstance(value := getattr(part, field.name), np.ndarray)}


def _identity(varies: dict[str, Floats]) -> tuple[tuple[str, int], ...]:
    return tuple((name, id(value)) for name, value in varies.items())


def _design(part: Any, varies: dict[str, Floats], design: int) -> Any:
    """A section or a material with the numbers of one design."""
    if not varies:
        return part
    made = object.__new__(type(part))  # it was checked with the family
    names = {field.name for field in fields(part)}
    made.__dict__.update({name: value for name, value in part.__dict__.items() if name in names})
    made.__dict__.update({name: float(values[design]) for name, values in varies.items()})
    return made
