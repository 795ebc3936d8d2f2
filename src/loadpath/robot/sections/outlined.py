"""Sections that are drawn as outlines: area, centroid and principal axes from the moments of the outline."""

from __future__ import annotations

from abc import ABC, abstractmethod

from loadpath.robot.sections.polygon_moments import Moments
from loadpath.robot.sections.section import Shape
from loadpath.robot.sections.strips import Point


class OutlinedSection(Shape, ABC):
    """What follows from the moments of an outline: everything else is in its principal axes."""

    @property
    @abstractmethod
    def _moments(self) -> Moments:
        """In the axes in which it is drawn."""

    @property
    def centroid(self) -> Point:
        """Where the beam's line goes through: y and z (m) as drawn."""
        return self._moments.centroid

    @property
    def principal_angle(self) -> float:
        """rad: how far its principal axes, in which everything is, are turned from those it is drawn in."""
        return self._moments.about_centroid().principal_angle

    @property
    def area(self) -> float:
        return self._moments.area

    @property
    def second_moment_y(self) -> float:
        return self._moments.about_centroid().turned(self.principal_angle)[0]

    @property
    def second_moment_z(self) -> float:
        return self._moments.about_centroid().turned(self.principal_angle)[1]
