"""Where the beams of a robot lie: their ends and axes in the joint frames of their links, and the checks of both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from loadpath.errors import ModelError
from loadpath.robot.beams.beam import Beam, Segment
from loadpath.robot.inertia import Inertia
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Joint
from loadpath.robot.pose import Pose
from loadpath.robot.sections.section import turn_of
from loadpath.scalars.types import Floats

# A beam as a function of the distance from its start: stiffness and mass per length, for exact integrals.
#
# Everything that is integrated over a piece is a polynomial for a uniform one, which Gauss's rule with these points
# integrates exactly; over a tapered piece it is smooth, and the rule is accurate to the last digits.


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


@dataclass(frozen=True, eq=False)
class PlacedBeam:
    """A beam with its place in the joint frame of its link (for the base: the base's frame)."""

    link: str
    beam: Beam
    start: Floats
    end: Floats
    axes: Floats
    """3 x 3: columns are the beam's x (along it), y and z."""
    child: str | None
    """Joint whose frame it ends at."""

    @property
    def length(self) -> float:
        """m."""
        return float(np.linalg.norm(self.end - self.start))

    @property
    def mass(self) -> float:
        """kg, from the density."""
        return float(mass_moments(self.beam, self.length)[0])

    def inertia(self) -> Inertia:
        """The beam as a body, in the joint frame: a prism (or a taper) with the density of its material."""
        m, first, second, about_x, about_y, about_z = mass_moments(self.beam, self.length)
        if m == 0:
            return Inertia()
        x = first / m
        along = second - m * x * x
        tensor = self.axes @ np.diag([about_x, along + about_y, along + about_z]) @ self.axes.T
        return Inertia(m, (self.start + self.axes[:, 0] * x).tolist(), ((tensor + tensor.T) / 2).tolist())

    def __str__(self) -> str:
        return f"link '{self.link}', beam to {self.beam.end!r}"


def joint_of(robot: RobotModel, link: str) -> Joint | None:
    """The joint that carries a link; None for the base."""
    return next((joint for joint in robot.joints if joint.child == link), None)


def link_in_joint_frame(robot: RobotModel, link: str) -> Pose:
    """Pose of the link's frame in the frame of the joint that carries it."""
    joint = joint_of(robot, link)
    return Pose() if joint is None else joint.link_offset


def placed(robot: RobotModel, link: str, beam: Beam) -> PlacedBeam:
    """The beam in the joint frame of its link; errors name the link and the numbers."""
    frame = link_in_joint_frame(robot, link)
    start = np.zeros(3) if beam.start is None else frame.transform(beam.start)
    child = None
    if isinstance(beam.end, str):
        children = [joint.name for joint in robot.joints if joint.parent == link]
        if beam.end not in children:
            there = (
                f"its child joints are {', '.join(children)}" if children else "it has no child joints: give a point"
            )
            meant = [joint.name for joint in robot.joints if joint.parent == link and joint.child == beam.end]
            if meant:
                there = f"'{beam.end}' is a link, did you mean the joint that carries it, '{meant[0]}'?"
            raise ModelError(f"link '{link}': its beam ends at '{beam.end}', which is no child joint of it; {there}")
        child = beam.end
        end = frame.transform(robot.joint(beam.end).origin.translation)
    else:
        end = frame.transform(beam.end)
    length = float(np.linalg.norm(end - start))
    if length < 1e-9:
        raise ModelError(f"link '{link}': its beam to {beam.end!r} starts and ends at the same point, "
                         f"{np.round(start, 9).tolist()} (length {length:.3g} m)")
    return PlacedBeam(link, beam, start, end, _axes(link, beam, (end - start) / length, frame.R), child)


def _axes(link: str, beam: Beam, x: Floats, frame: Floats) -> Floats:
    """Columns x, y, z of the beam's axes, in the joint frame."""
    # Without rounding on it a coordinate direction turns for nothing.
    x = np.where(np.abs(x - np.round(x)) < 1e-15, np.round(x), x)
    if beam.y_axis is not None:
        y = frame @ np.array(beam.y_axis)
        if np.linalg.norm(np.cross(x, y)) < 1e-6:
            raise ModelError(f"link '{link}': the y axis of its beam's section, {beam.y_axis}, lies along the beam")
    else:
        y = np.cross(frame[:, 2], x)
        if np.linalg.norm(y) < 1e-6:
            y = frame[:, 0]
    y = y - x * (x @ y)
    y = y / np.linalg.norm(y)
    turn = _turn(link, beam)
    if turn != 0.0:  # from the axes that the section is drawn in to its principal ones
        y = np.cos(turn) * y + np.sin(turn) * np.cross(x, y)
    return np.stack([x, y, np.cross(x, y)], axis=1)


def _turn(link: str, beam: Beam) -> float:
    """How far the sections of a beam are turned; an error where they are turned differently."""
    sections = [(part.section, part.end_section or part.section) for part in beam.segments]
    turns = [turn_of(section) for pair in sections for section in pair]
    if max(turns) - min(turns) > 1e-6:
        raise ModelError(f"link '{link}': the principal axes of its beam's sections are turned by "
                         f"{', '.join(f'{np.degrees(turn):.4g}' for turn in dict.fromkeys(turns))} degrees: expected "
                         "the same along the beam (similar sections); otherwise cut the link in two")
    return turns[0]


def placed_beams(robot: RobotModel, beams: tuple[tuple[str, Beam], ...]) -> list[PlacedBeam]:
    """All beams in the joint frames of their links; two of a link to the same child or point are an error."""
    found: list[PlacedBeam] = []
    for link, beam in beams:
        if link not in robot.link_names:
            robot.link(link)  # says what is there
        new = placed(robot, link, beam)
        for other in found:
            if other.link == link and np.linalg.norm(other.end - new.end) < 1e-9:
                where = f"joint '{new.child}'" if new.child and new.child == other.child else f"{beam.end!r}"
                raise ModelError(f"link '{link}' has two beams to {where}: a link's beams end at different points")
        found.append(new)
    return found
