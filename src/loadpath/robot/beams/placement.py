"""Where the beams of a robot lie: their ends and axes in the joint frames of their links, and the checks of both."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from loadpath.errors import ModelError
from loadpath.robot.beams.beam import Beam
from loadpath.robot.beams.profile import mass_moments
from loadpath.robot.inertia import Inertia
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Joint
from loadpath.robot.pose import Pose
from loadpath.robot.sections.section import turn_of
from loadpath.scalars.types import Floats


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
