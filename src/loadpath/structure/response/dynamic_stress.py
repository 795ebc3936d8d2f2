"""Stresses of a vibrating arm over time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from loadpath.scalars.types import Floats
from loadpath.structure.beams.skeleton import skeleton
from loadpath.structure.fatigue.duty import SectionHistory
from loadpath.structure.response.course import BLOCK, Arm, Course
from loadpath.structure.stress import Stress, sections_of


@dataclass(frozen=True, eq=False)
class DynamicStress(Stress):
    """Stresses (Pa) over time, each (instants, sections), as those of `arm.stress`, with the vibration in them."""

    times: Floats
    """(instants,), s."""
    quasi_static: Floats
    """(instants, sections): von Mises stress without vibration."""

    @property
    def factor(self) -> dict[str, float]:
        """By link: the largest von Mises stress over time against the largest without vibration."""
        found = {}
        for link in dict.fromkeys(self.sections.links):
            rows = [k for k, name in enumerate(self.sections.links) if name == link]
            calm = float(self.quasi_static[:, rows].max())
            found[link] = float(self.von_mises[:, rows].max()) / calm if calm > 0 else np.inf
        return found


def section_history(course: Course, sections: int) -> SectionHistory:
    """Force and moment of every section at all instants, vibration included."""
    arm, subject = Arm(course.arm, course.track, course.loaded), course.arm.arm
    count = len(course.times)
    force, moment = (np.empty((count, len(skeleton(course.arm.model.tree).samples(sections)), 3)) for _ in range(2))
    for first in range(0, count, BLOCK):
        rows = slice(first, min(first + BLOCK, count))
        states, case = arm.states(course.times[rows])
        more = course.arm.section_loads(sections, states[0], course.coordinates[rows] - course.forces[rows])
        calm = subject.section_actions(*states, sections=sections, **case.keywords)
        force[rows], moment[rows] = calm[0] + more[..., :3], calm[1] + more[..., 3:]
    return SectionHistory(force, moment, course.times)


def dynamic_stress(course: Course, sections: int, every: int) -> DynamicStress:
    """Stresses at every so many instants."""
    arm, subject = Arm(course.arm, course.track, course.loaded), course.arm.arm
    if not subject.beams:
        raise ValueError(f"arm '{subject.name}' has no beams: there are no stresses")
    rows = np.arange(0, len(course.times), every)
    count = len(skeleton(course.arm.model.tree).samples(sections))
    parts = [np.empty((len(rows), count)) for _ in range(6)]
    for first in range(0, len(rows), BLOCK):
        block = slice(first, first + BLOCK)
        chosen = rows[block]
        states, case = arm.states(course.times[chosen])
        more = course.arm.section_loads(sections, states[0], course.coordinates[chosen] - course.forces[chosen])
        found = subject.section_stresses_with(*states, more[..., :3], more[..., 3:], sections=sections, **case.keywords)
        without = subject.section_stresses(*states, sections=sections, **case.keywords)[-1]
        for part, values in zip(parts, (*found, without), strict=True):
            part[block] = values
    axial, bending, shear, torsion, von_mises, calm = parts
    places = sections_of(subject, sections, course.track.q[0])  # beams in guides stand where they are
    return DynamicStress(axial, bending, shear, torsion, von_mises, places, course.times[rows], calm)
