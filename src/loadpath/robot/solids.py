"""Solids of uniform density: volume, centroid and second moments in closed form, for inertias that follow from a shape.

Every solid lies about the origin of its frame, its axis along z where it has one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from loadpath.errors import ModelError
from loadpath.robot.numbers import number
from loadpath.scalars.types import Floats


@dataclass(frozen=True, eq=False)
class Solid:
    """A region of space: its volume (m^3), its centroid (m), and the integral of r r^T over it, with r counted from the
    centroid (m^5).
    """

    volume: float
    centroid: Floats
    second_moments: Floats

    @property
    def tensor(self) -> Floats:
        """Inertia tensor about the centroid for a density of 1 kg/m^3."""
        return np.asarray(np.trace(self.second_moments) * np.eye(3) - self.second_moments)


def _about_origin(volume: float, *along: float) -> Solid:
    """A solid that is symmetric about its frame's planes, from the mean squares of x, y and z in it."""
    return Solid(volume, np.zeros(3), volume * np.diag(along))


def box(x: float, y: float, z: float) -> Solid:
    """A box, from its whole lengths.

    >>> box(1.0, 2.0, 3.0).tensor.diagonal().tolist()
    [6.5, 5.0, 2.5]
    """
    return _about_origin(x * y * z, x * x / 12, y * y / 12, z * z / 12)


def ellipsoid(x: float, y: float, z: float) -> Solid:
    """An ellipsoid, from its half axes; a ball if they are equal."""
    return _about_origin(4 / 3 * math.pi * x * y * z, x * x / 5, y * y / 5, z * z / 5)


def cylinder(radius: float, length: float) -> Solid:
    """A cylinder along z."""
    across = radius**2 / 4
    return _about_origin(math.pi * radius**2 * length, across, across, length**2 / 12)


def capsule(radius: float, length: float) -> Solid:
    """A cylinder along z with half a ball at each end; `length` is that between the centers of the balls."""
    middle, ball = math.pi * radius**2 * length, 4 / 3 * math.pi * radius**3
    # Half a ball at z = h from the middle: mean z^2 is h^2 + 2 h (3/8 r) + r^2/5.
    half = length / 2
    across = middle * radius**2 / 4 + ball * radius**2 / 5
    along = middle * length**2 / 12 + ball * (half**2 + 0.75 * half * radius + radius**2 / 5)
    return Solid(middle + ball, np.zeros(3), np.diag([across, across, along]))


def mass_of(solid: Solid, mass: float | None, density: float | None, what: str) -> float:
    """The mass of a solid, given itself or by the density: one of the two.

    >>> mass_of(box(0.1, 0.1, 0.1), None, 2700.0, "box")
    2.7...
    >>> mass_of(box(0.1, 0.1, 0.1), None, None, "box")
    Traceback (most recent call last):
    ValueError: inertia of a box: expected either mass= (kg) or density= (kg/m^3)
    """
    if (mass is None) == (density is None):
        both = "" if mass is None else ", not both"
        raise ValueError(f"inertia of a {what}: expected either mass= (kg) or density= (kg/m^3){both}")
    if density is None:
        return number(mass, f"mass of a {what}")
    return positive_density(density, f"density of a {what}") * solid.volume


def positive_density(value: object, what: str) -> float:
    """A density (kg/m^3) above zero."""
    density = number(value, what)
    if density <= 0:
        raise ModelError(f"{what} is {density}: expected more than zero (kg/m^3), as 2700 for aluminium")
    return density
