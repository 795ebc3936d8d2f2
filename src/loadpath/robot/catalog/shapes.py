"""Inertias of simple solids, for bodies whose own are not published."""

from __future__ import annotations

from loadpath.robot.inertia import Inertia
from loadpath.robot.numbers import Vector3


def block(mass: float, size: Vector3, center: Vector3 = (0.0, 0.0, 0.0)) -> Inertia:
    """A solid box with its edges along the axes.

    >>> block(12.0, (1.0, 2.0, 3.0)).tensor[0][0]
    13.0
    """
    x, y, z = (edge * edge for edge in size)
    ixx, iyy, izz = mass * (y + z) / 12, mass * (x + z) / 12, mass * (x + y) / 12
    return Inertia.from_moments(mass, center, ixx=ixx, iyy=iyy, izz=izz)


def bar(mass: float, length: float, width: float, depth: float, start: float = 0.0) -> Inertia:
    """A solid bar from (start, 0, 0) to (start + length, 0, 0); `width` along y, `depth` along z."""
    return block(mass, (length, width, depth), (start + length / 2, 0.0, 0.0))


def round_bar(mass: float, length: float, radius: float, start: float = 0.0, along: int = 0) -> Inertia:
    """A solid round bar on one of the axes (x: 0, y: 1, z: 2), from `start` over its length."""
    across = mass * (3 * radius**2 + length**2) / 12
    moments, center = [across, across, across], [0.0, 0.0, 0.0]
    moments[along], center[along] = mass * radius**2 / 2, start + length / 2
    return Inertia.from_moments(mass, center, ixx=moments[0], iyy=moments[1], izz=moments[2])
