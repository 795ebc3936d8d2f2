"""Cross sections of beams: what bending, twisting, stretching and shearing ask of a shape.

Axes of a section: x runs along the beam, y and z are its principal axes (see `Beam` for how they lie in the link).
`second_moment_y` is the integral of z^2 (bending about y), `second_moment_z` that of y^2.

Shear factors k, with k A the effective shear area, are those of G. R. Cowper, "The shear coefficient in Timoshenko's
beam theory", J. Appl. Mech. 33 (1966) 335-340; they depend a little on Poisson's ratio.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Protocol, TypeVar

from loadpath.errors import ModelError
from loadpath.structure.materials import positive

S = TypeVar("S", bound="Shape")


class CrossSection(Protocol):
    """What every cross section says about itself."""

    @property
    def round(self) -> bool:
        """Whether it is a circle or a ring, so that every direction is alike."""

    @property
    def area(self) -> float:
        """m^2."""

    @property
    def second_moment_y(self) -> float:
        """Integral of z^2 over the area (m^4): against bending about y, in the x-z plane."""

    @property
    def second_moment_z(self) -> float:
        """Integral of y^2 over the area (m^4): against bending about z, in the x-y plane."""

    @property
    def torsion_constant(self) -> float:
        """J_t (m^4): torque per unit of twist and shear modulus. The polar moment for round sections only."""

    @property
    def torsion_modulus(self) -> float | None:
        """m^3: torque divided by the largest shear stress that it causes."""

    def shear_factors(self, poisson_ratio: float) -> tuple[float, float]:
        """k_y and k_z: the share of the area that counts against shear along y and along z."""

    @property
    def shear_peaks(self) -> tuple[float, float]:
        """Largest shear stress along y and along z as a multiple of the mean one, shear force over area."""

    @property
    def extremes(self) -> tuple[float, float]:
        """Distances (m) of the outermost fibres from the z axis (largest |y|) and from the y axis (largest |z|)."""


class Shape:
    """What the shapes given by their dimensions share: beams may taper between two of the same kind."""

    round: ClassVar[bool] = False

    def towards(self: S, other: S, share: float) -> S:
        """The section that lies a share of the way to another of the same kind, every dimension changing linearly.

        >>> Rod(0.02).towards(Rod(0.01), 0.5)
        Rod(radius=0.015)
        """
        if share == 0.0 or self == other:
            return self
        names = [part.name for part in fields(self)]  # type: ignore[arg-type]
        return type(self)(**{name: (1 - share) * getattr(self, name) + share * getattr(other, name) for name in names})


def _dimensions(section: Any, kind: str) -> None:
    for part in fields(section):
        words = part.name.replace("_", " ")
        object.__setattr__(section, part.name, positive(getattr(section, part.name), f"{words} of {kind}"))


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

    outer_radius: float
    wall: float
    round: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _dimensions(self, "a tube")
        if self.wall >= self.outer_radius:
            raise ModelError(f"wall of a tube is {self.wall} m: expected less than its outer radius, "
                             f"{self.outer_radius} m")  # fmt: skip

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


@dataclass(frozen=True)
class Rod(Shape):
    """A solid round bar.

    >>> rod = Rod(radius=0.01)
    >>> rod.torsion_constant == rod.second_moment_y + rod.second_moment_z
    True
    """

    radius: float
    round: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _dimensions(self, "a rod")

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


@dataclass(frozen=True)
class Bar(Shape):
    """A solid rectangle, `width` along y and `height` along z. Its torsion is Saint-Venant's series.

    >>> round(Bar(0.02, 0.02).torsion_constant / 0.02**4, 4), round(Bar(0.02, 0.04).torsion_modulus / 0.02**2 / 0.04, 3)
    (0.1406, 0.246)
    """

    width: float
    height: float

    def __post_init__(self) -> None:
        _dimensions(self, "a bar")

    @property
    def area(self) -> float:
        return self.width * self.height

    @property
    def second_moment_y(self) -> float:
        return self.width * self.height**3 / 12

    @property
    def second_moment_z(self) -> float:
        return self.height * self.width**3 / 12

    @property
    def torsion_constant(self) -> float:
        b, h = sorted((self.width, self.height))
        series = sum(math.tanh(n * math.pi * h / (2 * b)) / n**5 for n in range(1, 60, 2))
        return h * b**3 * (1 / 3 - 64 / math.pi**5 * b / h * series)

    @property
    def torsion_modulus(self) -> float:
        b, h = sorted((self.width, self.height))  # the largest stress is in the middle of the longer sides
        series = sum(1 / (n * n * math.cosh(min(n * math.pi * h / (2 * b), 700.0))) for n in range(1, 60, 2))
        return self.torsion_constant / (b * (1 - 8 / math.pi**2 * series))

    def shear_factors(self, poisson_ratio: float) -> tuple[float, float]:
        k = 10 * (1 + poisson_ratio) / (12 + 11 * poisson_ratio)
        return k, k

    @property
    def shear_peaks(self) -> tuple[float, float]:
        return 1.5, 1.5

    @property
    def extremes(self) -> tuple[float, float]:
        return self.width / 2, self.height / 2


@dataclass(frozen=True)
class RectangularTube(Shape):
    """A rectangular tube of even wall, `width` along y and `height` along z. Its torsion is Bredt's, of thin walls.

    >>> box = RectangularTube(width=0.06, height=0.08, wall=0.004)
    >>> round(box.area * 1e6, 3), round(box.torsion_constant * 1e12)
    (1056.0, 1097790)
    """

    width: float
    height: float
    wall: float

    def __post_init__(self) -> None:
        _dimensions(self, "a rectangular tube")
        if 2 * self.wall >= min(self.width, self.height):
            raise ModelError(f"wall of a rectangular tube is {self.wall} m: expected less than half its smaller side, "
                             f"{min(self.width, self.height) / 2} m (a solid one is a Bar)")  # fmt: skip

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
    def torsion_constant(self) -> float:
        b, h = self.width - self.wall, self.height - self.wall
        return 2 * self.wall * (b * h) ** 2 / (b + h)

    @property
    def torsion_modulus(self) -> float:
        return 2 * self.wall * (self.width - self.wall) * (self.height - self.wall)

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

    width: float
    height: float
    flange: float
    web: float

    def __post_init__(self) -> None:
        _dimensions(self, "an I beam")
        if 2 * self.flange >= self.height:
            raise ModelError(f"flange of an I beam is {self.flange} m: expected less than half its height, "
                             f"{self.height / 2} m")  # fmt: skip
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


@dataclass(frozen=True)
class Section:
    """A cross section from numbers (m^2, m^4, m). What is left out is taken as for a compact solid shape: shear
    factors 5/6, peaks of shear stress 1.5; `extreme_y`, `extreme_z` and `torsion_modulus` are needed for stresses only
    and must be given for those.

    >>> Section(area=1e-3, second_moment_y=2e-7, second_moment_z=1e-7, torsion_constant=2e-7).shear_factors(0.3)
    (0.8333333333333334, 0.8333333333333334)
    """

    area: float
    second_moment_y: float
    second_moment_z: float
    torsion_constant: float
    shear_factor_y: float = 5 / 6
    shear_factor_z: float = 5 / 6
    extreme_y: float | None = None
    extreme_z: float | None = None
    torsion_modulus: float | None = None
    shear_peak_y: float = 1.5
    shear_peak_z: float = 1.5
    round: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for part in fields(self):
            value = getattr(self, part.name)
            if value is not None:
                words = part.name.replace("_", " ")
                object.__setattr__(self, part.name, positive(value, f"{words} of a section"))

    def shear_factors(self, poisson_ratio: float) -> tuple[float, float]:
        return self.shear_factor_y, self.shear_factor_z

    @property
    def shear_peaks(self) -> tuple[float, float]:
        return self.shear_peak_y, self.shear_peak_z

    @property
    def extremes(self) -> tuple[float, float]:
        if self.extreme_y is None or self.extreme_z is None or self.torsion_modulus is None:
            raise ModelError("stresses of a section from numbers need its extreme_y, extreme_z and torsion_modulus: "
                             f"given are {self.extreme_y}, {self.extreme_z} and {self.torsion_modulus}")  # fmt: skip
        return self.extreme_y, self.extreme_z
