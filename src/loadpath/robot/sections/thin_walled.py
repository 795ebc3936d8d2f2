"""Cross sections of thin walls with corners: closed walls of one thickness, rectangular tubes and I beams."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

from loadpath.errors import ModelError
from loadpath.robot.measures import measures
from loadpath.robot.sections.section import Fibre, Shape, check_dimensions
from loadpath.robot.sections.walls import Wall


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
        return self.torsion_constant / max(self.flange, self.web)

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
