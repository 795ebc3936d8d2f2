"""Round cross sections: tubes and rods."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

from loadpath.errors import ModelError
from loadpath.robot.measures import measures
from loadpath.robot.sections.section import Corner, Fibre, Shape, check_dimensions
from loadpath.robot.sections.walls import Wall

DIRECTIONS = 24
"""Points around a circle where signed stresses are looked at: between two of them bending is 0.9 % larger at most."""


def around(radius: float) -> tuple[Corner, ...]:
    """Points around a circle, named by their angle from y towards z.

    >>> around(2.0)[6]
    Corner(name='90 deg', y=0.0, z=2.0)
    """
    angles = [360 * k / DIRECTIONS for k in range(DIRECTIONS)]
    return tuple(Corner(f"{a:g} deg", round(math.cos(math.radians(a)), 15) * radius,
                        round(math.sin(math.radians(a)), 15) * radius) for a in angles)


@dataclass(frozen=True)
class Tube(Shape):
    """A round tube.

    >>> tube = Tube(outer_radius=0.04, wall=0.003)
    >>> round(tube.area * 1e6, 3), round(tube.second_moment_y * 1e12, 1)     # mm^2, mm^4
    (725.708, 538656.7)
    >>> Tube(outer_radius=0.04, wall=0.05)
    Traceback (most recent call last):
    loadpath.errors.ModelError: wall of a tube is 0.05 m: expected less than its outer radius, 0.04 m
    """

    outer_radius: float = field(metadata=measures("length"))
    wall: float = field(metadata=measures("length"))
    fibres: ClassVar[tuple[Fibre, ...]] = ()

    def __post_init__(self) -> None:
        check_dimensions(self, "a tube")
        if self.wall >= self.outer_radius:
            raise ModelError(f"wall of a tube is {self.wall} m: expected less than its outer radius, "
                             f"{self.outer_radius} m")

    @property
    def inner_radius(self) -> float:
        """m."""
        return self.outer_radius - self.wall

    @property
    def area(self) -> float:
        return math.pi * self.wall * (self.outer_radius + self.inner_radius)

    @property
    def second_moment_y(self) -> float:
        return self.area * (self.outer_radius**2 + self.inner_radius**2) / 4

    @property
    def second_moment_z(self) -> float:
        return self.second_moment_y

    @property
    def torsion_constant(self) -> float:
        return 2 * self.second_moment_y

    @property
    def torsion_modulus(self) -> float:
        return self.torsion_constant / self.outer_radius

    def shear_factors(self, poisson_ratio: float) -> tuple[float, float]:
        nu, m = poisson_ratio, self.inner_radius / self.outer_radius
        k = 6 * (1 + nu) * (1 + m * m) ** 2 / ((7 + 6 * nu) * (1 + m * m) ** 2 + (20 + 12 * nu) * m * m)
        return k, k

    @property
    def shear_peaks(self) -> tuple[float, float]:
        a, b = self.outer_radius, self.inner_radius
        peak = 4 / 3 * (a * a + a * b + b * b) / (a * a + b * b)
        return peak, peak

    @property
    def extremes(self) -> tuple[float, float]:
        return self.outer_radius, self.outer_radius

    @property
    def corners(self) -> tuple[Corner, ...]:
        return around(self.outer_radius)

    @property
    def walls(self) -> tuple[Wall, ...]:
        return (Wall("round wall", "round", 2 * self.outer_radius / self.wall),)


@dataclass(frozen=True)
class Rod(Shape):
    """A solid round bar.

    >>> rod = Rod(radius=0.01)
    >>> rod.torsion_constant == rod.second_moment_y + rod.second_moment_z
    True
    """

    radius: float = field(metadata=measures("length"))
    fibres: ClassVar[tuple[Fibre, ...]] = ()

    def __post_init__(self) -> None:
        check_dimensions(self, "a rod")

    @property
    def area(self) -> float:
        return math.pi * self.radius**2

    @property
    def second_moment_y(self) -> float:
        return math.pi * self.radius**4 / 4

    @property
    def second_moment_z(self) -> float:
        return self.second_moment_y

    @property
    def torsion_constant(self) -> float:
        return 2 * self.second_moment_y

    @property
    def torsion_modulus(self) -> float:
        return self.torsion_constant / self.radius

    def shear_factors(self, poisson_ratio: float) -> tuple[float, float]:
        k = 6 * (1 + poisson_ratio) / (7 + 6 * poisson_ratio)
        return k, k

    @property
    def shear_peaks(self) -> tuple[float, float]:
        return 4 / 3, 4 / 3

    @property
    def extremes(self) -> tuple[float, float]:
        return self.radius, self.radius

    @property
    def corners(self) -> tuple[Corner, ...]:
        return around(self.radius)
