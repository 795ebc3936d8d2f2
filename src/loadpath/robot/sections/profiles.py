"""Cross sections by their dimensions: round, rectangular and hexagonal tubes, rods and bars, and I beams."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field

from loadpath.errors import ModelError
from loadpath.robot.measures import measures
from loadpath.robot.sections.section import Corner, Fibre, Shape, check_dimensions, in_order
from loadpath.robot.sections.walls import Flow, Point, Strip, Wall, flow

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
    fibres = ()

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
    fibres = ()

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


# Cross sections of thin walls with corners: closed walls of one thickness, rectangular tubes and I beams.


class ClosedWall(Shape, ABC):
    """A tube of any outline with a wall of one thickness: its torsion by Bredt's formulas, and what the wall adds by
    itself.
    """

    wall: float
    """m."""

    @property
    @abstractmethod
    def _middle_line(self) -> tuple[float, float]:
        """The area that the middle line of the wall encloses, and its length."""

    @property
    def torsion_constant(self) -> float:
        enclosed, around = self._middle_line
        return 4 * enclosed**2 * self.wall / around + around * self.wall**3 / 3

    @property
    def torsion_modulus(self) -> float:
        enclosed, around = self._middle_line
        return self.torsion_constant / (self.wall + 2 * enclosed / around)


@dataclass(frozen=True)
class RectangularTube(ClosedWall):
    """A rectangular tube of even wall, `width` along y and `height` along z. Its torsion is that of EN 10210-2: Bredt's
    4 A^2 t / s, and s t^3 / 3 of the wall itself, which counts where it is thick.

    >>> box = RectangularTube(width=0.06, height=0.08, wall=0.004)
    >>> round(box.area * 1e6, 3), round(box.torsion_constant * 1e12)
    (1056.0, 1103422)
    """

    width: float = field(metadata=measures("length"))
    height: float = field(metadata=measures("length"))
    wall: float = field(metadata=measures("length"))

    def __post_init__(self) -> None:
        check_dimensions(self, "a rectangular tube")
        if 2 * self.wall >= min(self.width, self.height):
            raise ModelError(f"wall of a rectangular tube is {self.wall} m: expected less than half its smaller side, "
                             f"{min(self.width, self.height) / 2} m (a solid one is a Bar)")

    @property
    def _inner(self) -> tuple[float, float]:
        return self.width - 2 * self.wall, self.height - 2 * self.wall

    @property
    def area(self) -> float:
        b, h = self._inner
        return self.width * self.height - b * h

    @property
    def second_moment_y(self) -> float:
        b, h = self._inner
        return (self.width * self.height**3 - b * h**3) / 12

    @property
    def second_moment_z(self) -> float:
        b, h = self._inner
        return (self.height * self.width**3 - h * b**3) / 12

    @property
    def _middle_line(self) -> tuple[float, float]:
        """The area that the middle line of the wall encloses, and its length."""
        b, h = self.width - self.wall, self.height - self.wall
        return b * h, 2 * (b + h)

    def shear_factors(self, poisson_ratio: float) -> tuple[float, float]:
        b, h = self.width - self.wall, self.height - self.wall
        return _cowper_box(h, b, poisson_ratio), _cowper_box(b, h, poisson_ratio)

    @property
    def shear_peaks(self) -> tuple[float, float]:
        return self._peak(self.height, self.width), self._peak(self.width, self.height)

    def _peak(self, across: float, along: float) -> float:
        """A S / (I 2 t) at the neutral axis, for shear along a side of length `along`."""
        inner_across, inner_along = across - 2 * self.wall, along - 2 * self.wall
        first = (across * along**2 - inner_across * inner_along**2) / 8
        second = (across * along**3 - inner_across * inner_along**3) / 12
        return self.area * first / (second * 2 * self.wall)

    @property
    def extremes(self) -> tuple[float, float]:
        return self.width / 2, self.height / 2

    @property
    def walls(self) -> tuple[Wall, ...]:
        b, h = self._inner
        return (Wall("wall of the width", "long side" if b > h else "both edges", b / self.wall, "y"),
                Wall("wall of the height", "long side" if h > b else "both edges", h / self.wall, "z"))

    @property
    def fibres(self) -> tuple[Fibre, ...]:  # type: ignore[override]
        """The corners, where shear of both directions flows around from wall to wall, and the middles of the walls."""
        by_y, by_z = self._turning(self.height, self.width), self._turning(self.width, self.height)
        corner = Fibre(1.0, 1.0, 1.0, by_y, by_z, True)
        return corner, Fibre(1.0, 0.0, 1.0, 1.0, 0.0, True), Fibre(0.0, 1.0, 1.0, 0.0, 1.0, True)

    def _turning(self, across: float, along: float) -> float:
        """Shear in the corner as a share of that at the neutral axis: the first moment of the wall across."""
        inner_across, inner_along = across - 2 * self.wall, along - 2 * self.wall
        first = (across * along**2 - inner_across * inner_along**2) / 8
        return across * self.wall * (along - self.wall) / 2 / first


def _cowper_box(b: float, h: float, nu: float) -> float:
    """Thin-walled box of even wall, shear along its side h (middle lines b and h)."""
    m = n = b / h
    lower = (12 + 72 * m + 150 * m**2 + 90 * m**3) + nu * (11 + 66 * m + 135 * m**2 + 90 * m**3)
    lower += 10 * n**2 * ((3 + nu) * m + 3 * m**2)
    return 10 * (1 + nu) * (1 + 3 * m) ** 2 / lower


@dataclass(frozen=True)
class IBeam(Shape):
    """A symmetric I section: two flanges of `width` along y and thickness `flange`, a `web` between them; `height`
    along z over all. Its torsion is that of thin strips (warping not held).

    >>> beam = IBeam(width=0.1, height=0.2, flange=0.0085, web=0.0056)
    >>> beam.second_moment_y > 10 * beam.second_moment_z
    True
    """

    width: float = field(metadata=measures("length"))
    height: float = field(metadata=measures("length"))
    flange: float = field(metadata=measures("length"))
    web: float = field(metadata=measures("length"))

    def __post_init__(self) -> None:
        check_dimensions(self, "an I beam")
        if 2 * self.flange >= self.height:
            raise ModelError(f"flange of an I beam is {self.flange} m: expected less than half its height, "
                             f"{self.height / 2} m")
        if self.web > self.width:
            raise ModelError(f"web of an I beam is {self.web} m: expected at most its width, {self.width} m")

    @property
    def _between(self) -> float:
        return self.height - 2 * self.flange

    @property
    def area(self) -> float:
        return 2 * self.width * self.flange + self._between * self.web

    @property
    def second_moment_y(self) -> float:
        return (self.width * self.height**3 - (self.width - self.web) * self._between**3) / 12

    @property
    def second_moment_z(self) -> float:
        return (2 * self.flange * self.width**3 + self._between * self.web**3) / 12

    @property
    def torsion_constant(self) -> float:
        return (2 * self.width * self.flange**3 + self._between * self.web**3) / 3

    @property
    def torsion_modulus(self) -> float:
        modulus: float = self.torsion_constant / in_order(self.flange, self.web)[1]
        return modulus

    def shear_factors(self, poisson_ratio: float) -> tuple[float, float]:
        nu, h = poisson_ratio, self.height - self.flange
        m, n = 2 * self.width * self.flange / (h * self.web), self.width / h
        lower = (12 + 72 * m + 150 * m**2 + 90 * m**3) + nu * (11 + 66 * m + 135 * m**2 + 90 * m**3)
        lower += 30 * n**2 * (m + m**2) + 5 * nu * n**2 * (8 * m + 9 * m**2)
        flanges = 10 * (1 + nu) / (12 + 11 * nu) * 2 * self.width * self.flange / self.area  # each one a bar
        return flanges, 10 * (1 + nu) * (1 + 3 * m) ** 2 / lower

    @property
    def shear_peaks(self) -> tuple[float, float]:
        first = (self.width * self.height**2 - (self.width - self.web) * self._between**2) / 8
        return 1.5 * self.area / (2 * self.width * self.flange), self.area * first / (self.second_moment_y * self.web)

    @property
    def extremes(self) -> tuple[float, float]:
        return self.width / 2, self.height / 2

    @property
    def walls(self) -> tuple[Wall, ...]:
        flange = Wall("flange", "one edge", (self.width - self.web) / 2 / self.flange)
        return flange, Wall("web", "web", self._between / self.web)

    @property
    def fibres(self) -> tuple[Fibre, ...]:  # type: ignore[override]
        """The flanges' tips and middles, the web's ends and middle."""
        first = (self.width * self.height**2 - (self.width - self.web) * self._between**2) / 8
        lever = (self.height - self.flange) / 2
        # Shear along z flows through half a flange to the web, and there into its end.
        in_flange = self.width / 2 * lever * self.web / first
        at_end = self.width * self.flange * lever / first
        inner, thin = self._between / self.height, self.web / self.width
        return (
            Fibre(1.0, 1.0, 1.0, 0.0, 0.0, True),
            Fibre(1.0, 0.0, 1.0, 1.0, in_flange, True),
            Fibre(inner, thin, 1.0, 0.0, at_end, True),
            Fibre(0.0, thin, 1.0, 0.0, 1.0, True),
        )


# Hexagonal cross sections: bars and tubes, with two corners on the y axis and two sides across z.


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
    fibres = (
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
