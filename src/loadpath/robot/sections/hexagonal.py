"""Hexagonal cross sections: bars and tubes, with two corners on the y axis and two sides across z."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

from loadpath.errors import ModelError
from loadpath.robot.measures import measures
from loadpath.robot.sections.section import Corner, Fibre, Shape, check_dimensions
from loadpath.robot.sections.thin_walled import ClosedWall
from loadpath.robot.sections.walls import Flow, Point, Strip, Wall, flow

ROOT3 = math.sqrt(3.0)


def hexagon(across_flats: float) -> list[Point]:
    """Corners of a hexagon, the first on the y axis.

    >>> [tuple(round(x, 6) + 0.0 for x in point) for point in hexagon(math.sqrt(3))[:2]]
    [(1.0, 0.0), (0.5, 0.866025)]
    """
    side, half = across_flats / ROOT3, across_flats / 2
    return [(side, 0.0), (side / 2, half), (-side / 2, half), (-side, 0.0), (-side / 2, -half), (side / 2, -half)]


def _corners(across_flats: float) -> tuple[Corner, ...]:
    return tuple(Corner(f"{60 * k} deg", y, z) for k, (y, z) in enumerate(hexagon(across_flats)))


@dataclass(frozen=True)
class HexagonalBar(Shape):
    """A solid hexagon, `across_flats` from side to side. Torsion and shear are those of finite elements (Prandtl's
    problem and that of flexure), to 0.1 %.

    >>> bar = HexagonalBar(across_flats=0.02)
    >>> round(bar.area * 1e6, 2), bar.second_moment_y == bar.second_moment_z
    (346.41, True)
    """

    across_flats: float = field(metadata=measures("length"))
    # At a corner, at the middle of a side, at the center.
    fibres: ClassVar[tuple[Fibre, ...]] = (
        Fibre(0.0, 1.0, 1.0, 0.0, 1.0, False),
        Fibre(1.0, 0.5, 1.0, 1.0, 0.0, False),
        Fibre(0.0, 0.0, 0.0, 1.0, 1.0, False),
    )

    def __post_init__(self) -> None:
        check_dimensions(self, "a hexagonal bar")

    @property
    def area(self) -> float:
        return ROOT3 / 2 * self.across_flats**2

    @property
    def second_moment_y(self) -> float:
        return 5 * ROOT3 / 144 * self.across_flats**4

    @property
    def second_moment_z(self) -> float:
        return self.second_moment_y

    @property
    def torsion_constant(self) -> float:
        return 0.11505 * self.across_flats**4

    @property
    def torsion_modulus(self) -> float:
        return 0.1877 * self.across_flats**3

    def shear_factors(self, poisson_ratio: float) -> tuple[float, float]:
        k = 1 / (1.1737 + 0.158 * (poisson_ratio / (1 + poisson_ratio)) ** 2)
        return k, k

    @property
    def shear_peaks(self) -> tuple[float, float]:
        return 1.53, 1.39

    @property
    def extremes(self) -> tuple[float, float]:
        return self.across_flats / ROOT3, self.across_flats / 2

    @property
    def corners(self) -> tuple[Corner, ...]:
        return _corners(self.across_flats)


@dataclass(frozen=True)
class HexagonalTube(ClosedWall):
    """A hexagonal tube of even wall, `across_flats` from side to side outside. Its torsion is that of
    `RectangularTube`: Bredt's, and that of the wall itself; its shear that of thin walls.

    >>> tube = HexagonalTube(across_flats=0.04, wall=0.002)
    >>> round(tube.area * 1e6, 2)
    263.27
    """

    across_flats: float = field(metadata=measures("length"))
    wall: float = field(metadata=measures("length"))

    def __post_init__(self) -> None:
        check_dimensions(self, "a hexagonal tube")
        if 2 * self.wall >= self.across_flats:
            raise ModelError(f"wall of a hexagonal tube is {self.wall} m: expected less than half of it across flats, "
                             f"{self.across_flats / 2} m (a solid one is a HexagonalBar)")

    @property
    def area(self) -> float:
        return HexagonalBar(self.across_flats).area - HexagonalBar(self.across_flats - 2 * self.wall).area

    @property
    def second_moment_y(self) -> float:
        inner = HexagonalBar(self.across_flats - 2 * self.wall)
        return HexagonalBar(self.across_flats).second_moment_y - inner.second_moment_y

    @property
    def second_moment_z(self) -> float:
        return self.second_moment_y

    @property
    def _middle_line(self) -> tuple[float, float]:
        """The area that the middle line of the wall encloses, and its length."""
        across = self.across_flats - self.wall
        return ROOT3 / 2 * across**2, 2 * ROOT3 * across

    @property
    def _flows(self) -> tuple[Flow, Flow]:
        """Of half of it, cut where the flow is zero: on the axis along which the force acts."""
        p, t = hexagon(self.across_flats - self.wall), self.wall
        top, bottom = (0.0, p[1][1]), (0.0, p[5][1])
        upper = [Strip(p[0], p[1], t), Strip(p[1], p[2], t), Strip(p[2], p[3], t)]
        right = [Strip(top, p[1], t), Strip(p[1], p[0], t), Strip(p[0], p[5], t), Strip(p[5], bottom, t)]
        return flow(upper, 0), flow(right, 1)

    def shear_factors(self, poisson_ratio: float) -> tuple[float, float]:
        along_y, along_z = self._flows
        return along_y.factor, along_z.factor

    @property
    def shear_peaks(self) -> tuple[float, float]:
        along_y, along_z = self._flows
        # of both halves: twice the second moment of one
        return (self.area * along_y.largest / (2 * along_y.second_moment),
                self.area * along_z.largest / (2 * along_z.second_moment))

    @property
    def extremes(self) -> tuple[float, float]:
        return self.across_flats / ROOT3, self.across_flats / 2

    @property
    def corners(self) -> tuple[Corner, ...]:
        return _corners(self.across_flats)

    @property
    def walls(self) -> tuple[Wall, ...]:
        return (Wall("wall", "both edges", (self.across_flats - 2 * self.wall) / ROOT3 / self.wall),)

    @property
    def fibres(self) -> tuple[Fibre, ...]:  # type: ignore[override]
        """The corners on the y axis, the other corners, and the middles of the walls across z."""
        along_y, along_z = self._flows
        other = along_y.stress(0, 1.0) / along_y.largest, along_z.stress(0, 1.0) / along_z.largest
        return (
            Fibre(0.0, 1.0, 1.0, 0.0, along_z.stress(1, 1.0) / along_z.largest, True),
            Fibre(1.0, 0.5, 1.0, *other, True),
            Fibre(1.0, 0.0, 1.0, along_y.stress(1, 0.5) / along_y.largest, 0.0, True),
        )
