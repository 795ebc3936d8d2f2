"""What the reduced arm's coordinates mean for the arm: displacements, forces in sections and in joints over time."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from loadpath.scalars.types import Floats
from loadpath.structure.response.course import BLOCK, Arm, Course
from loadpath.structure.response.panels import Panel


def over_panels(course: Course) -> Iterator[tuple[slice, Panel]]:
    """The panels with the rows of their instants; the last panel has the last instant too."""
    last = len(course.panels) - 1
    for k, (panel, first) in enumerate(zip(course.panels, course.first_instants, strict=True)):
        yield slice(first, first + panel.steps + (k == last)), panel


def applied(course: Course, maps: Callable[[Floats], Floats], values: Floats, width: int) -> Floats:
    """(instants, width): maps (times, width, size) of times, interpolated, applied to values (instants, size)."""
    result = np.empty((len(course.times), width))
    for rows, panel in over_panels(course):
        found = maps(panel.nodes)
        weights = panel.weights(course.times[rows])
        total = weights[:, :1] * (values[rows] @ found[0].T)
        for k in range(1, len(found)):
            total += weights[:, k : k + 1] * (values[rows] @ found[k].T)
        result[rows] = total
    return result


def frame_motion(course: Course, link: int, values: Floats) -> Floats:
    """(instants, 6): displacement and rotation of a link's frame by coordinates (instants, size)."""
    arm = Arm(course.arm, course.track, course.loaded)
    return applied(course, lambda times: arm.frames(times)[:, link], values, 6)


def equilibrium_coordinates(course: Course) -> Floats:
    """(instants, size): where the reduced arm would be without vibration."""
    if not course.loaded:
        return course.forces
    arm = Arm(course.arm, course.track, course.loaded)

    def flexibility(times: Floats) -> Floats:
        return np.asarray(np.linalg.inv(arm.matrices(times).stiffness), dtype=float)

    return applied(course, flexibility, course.forces, course.arm.size)


def accelerations(course: Course) -> Floats:
    """(instants, size): second derivatives of the coordinates, by the equation of motion."""
    arm = Arm(course.arm, course.track, course.loaded)

    def maps(times: Floats) -> Floats:
        at = arm.matrices(times)
        inverse = np.linalg.inv(at.mass)
        damping = at.damping(course.damping) + at.mass_rate
        return np.concatenate([inverse, -inverse @ damping, -inverse @ at.stiffness], axis=-1)

    values = np.concatenate([course.forces, course.rates, course.coordinates], axis=1)
    return applied(course, maps, values, course.arm.size)


def small_deflections(course: Course, link: int, effects: tuple[str, ...]) -> Floats:
    """(instants, 6): the quasi-static displacement and rotation of a link's frame, of the loads alone."""
    arm = Arm(course.arm, course.track, course.loaded)
    result = np.empty((len(course.times), 6))
    for first in range(0, len(course.times), BLOCK):
        rows = slice(first, first + BLOCK)
        states, case = arm.states(course.times[rows])
        moved, turned = course.arm.arm.small_deflection(*states, effects=effects, **case.keywords)
        result[rows, :3], result[rows, 3:] = moved[:, link], turned[:, link]
    return result
