"""Cross sections of beams: what bending, twisting, stretching and shearing ask of a shape.

Axes of a section: x runs along the beam, y and z are its principal axes (see `Beam` for how they lie in the link).
`second_moment_y` is the integral of z^2 (bending about y), `second_moment_z` that of y^2.

Shear factors k, with k A the effective shear area, are those of G. R. Cowper, "The shear coefficient in Timoshenko's
beam theory", J. Appl. Mech. 33 (1966) 335-340; they depend a little on Poisson's ratio.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import ClassVar, NamedTuple, Protocol, TypeVar

from loadpath.errors import ModelError, warn
from loadpath.robot.materials import Material
from loadpath.robot.measured import Measured
from loadpath.robot.measures import measures
from loadpath.robot.numbers import positive
from loadpath.robot.sections.walls import UNKNOWN_WALLS, LocalBuckling, Wall, local_buckling_of
from loadpath.scalars import Scalar, exp, sign
from loadpath.scalars.decided import Decided

S = TypeVar("S", bound="Shape")


class Corner(NamedTuple):
    """A point of a section's outline where the normal stress of some load is largest."""

    name: str
    y: float
    """m from the centroid, along the section's principal axes."""
    z: float


class Fibre(NamedTuple):
    """A place in a cross section where stresses come together: for each kind its share of the largest of that kind."""

    bending_y: float
    bending_z: float
    torsion: float
    shear_y: float
    """By the shear force along y."""
    shear_z: float
    in_wall: bool
    """Whether shear runs along a thin wall there, so that all of it adds up; elsewhere y and z are at right angles."""


# Of a solid section: a corner (its torsion on the safe side), the middles of the sides, the center.
SOLID: tuple[Fibre, ...] = (
    Fibre(1.0, 1.0, 1.0, 0.0, 0.0, False),
    Fibre(1.0, 0.0, 1.0, 1.0, 0.0, False),
    Fibre(0.0, 1.0, 1.0, 0.0, 1.0, False),
    Fibre(0.0, 0.0, 0.0, 1.0, 1.0, False),
)


LARGE_SIDE = 10.0
"""m: sections with a larger side are asked about; box girders of bridges are as high."""


class CrossSection(Protocol):
    """What every cross section says about itself."""

    @property
    def fibres(self) -> tuple[Fibre, ...]:
        """Where stresses come together; none for a circle or a ring, where every direction is alike."""

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

    @property
    def corners(self) -> tuple[Corner, ...]:
        """Where signed normal stresses are looked at, as for fatigue."""

    def local_buckling(self, material: Material) -> LocalBuckling:
        """Stresses at which its walls wrinkle, and how they lie to the class-3 limit."""


def turn_of(section: CrossSection) -> float:
    """rad: how far a section's principal axes are turned from those it is drawn in; zero but for angles and polygons.

    >>> turn_of(Bar(0.02, 0.04))
    0.0
    """
    return float(getattr(section, "principal_angle", 0.0))


def box_corners(extreme_y: float, extreme_z: float) -> tuple[Corner, ...]:
    """The four corners of the rectangle about a section.

    >>> [corner.name for corner in box_corners(1.0, 2.0)]
    ['+y +z', '-y +z', '-y -z', '+y -z']
    """
    signs = ((1, 1), (-1, 1), (-1, -1), (1, -1))
    return tuple(Corner(f"{'-+'[a > 0]}y {'-+'[b > 0]}z", a * extreme_y, b * extreme_z) for a, b in signs)


class Shape(Measured):
    """What the shapes given by their dimensions share: beams may taper between two of the same kind."""

    fibres = SOLID
    tapers: ClassVar[bool] = True
    """Whether a beam may change from one such section to another."""

    @property
    def walls(self) -> tuple[Wall, ...]:
        """Its thin walls; a solid section has none."""
        return ()

    def local_buckling(self, material: Material) -> LocalBuckling:
        """Stresses at which its walls wrinkle, and how they lie to the class-3 limit of EN 1993-1-1 or EN 1999-1-1.

        >>> import loadpath as lp
        >>> found = lp.RectangularTube(0.1, 0.1, 0.002).local_buckling(lp.materials["S355"])
        >>> found.slender, found.wall, found.slenderness, round(found.limit, 1), round(found.compression / 1e6)
        (True, 'wall of the width', 48.0, 34.2, 330)
        """
        return local_buckling_of(self.walls, material)

    @property
    def corners(self) -> tuple[Corner, ...]:
        """Where signed normal stresses are looked at: the corners of the rectangle about it, unless it has others."""
        return box_corners(*self.extremes)  # type: ignore[attr-defined]  # every shape has them

    def towards(self: S, other: S, share: float) -> S:
        """The section that lies a share of the distance to another of the same kind; dimensions change linearly.

        >>> Bar(0.02, 0.04).towards(Bar(0.01, 0.02), 0.5)
        Bar(width=0.015, height=0.03)
        """
        if share == 0.0 or self == other:
            return self
        names = [part.name for part in fields(self)]  # type: ignore[arg-type]
        return type(self)(**{name: (1 - share) * getattr(self, name) + share * getattr(other, name) for name in names})


SIZES = 1e-12, 1e6
"""m: what a dimension of a section can be."""


def check_dimensions(section: Shape, kind: str) -> None:
    """Reads every dimension as a positive number; an error names the dimension and the kind of section."""
    large: list[str] = []
    for part in fields(section):  # type: ignore[arg-type]
        if isinstance(getattr(section, part.name), Decided):
            continue  # a parameter of a family, which has checked it
        words = part.name.replace("_", " ")
        value = positive(getattr(section, part.name), f"{words} of {kind}", *SIZES)
        object.__setattr__(section, part.name, value)
        if value > LARGE_SIDE:
            large.append(f"{words} of {kind} is {value:g} m: millimetres?")
    for question in large[:1]:  # one is enough
        warn(question)


def in_order(a: Scalar, b: Scalar) -> tuple[Scalar, Scalar]:
    """The smaller and the larger of two dimensions, which may be parameters of a family.

    >>> in_order(0.04, 0.02)
    (0.02, 0.04)
    """
    if not isinstance(a, Decided) and not isinstance(b, Decided):
        return (a, b) if a <= b else (b, a)
    apart = (a - b) * sign(a - b)
    return 0.5 * (a + b - apart), 0.5 * (a + b + apart)


def _tanh(x: Scalar) -> Scalar:
    """Hyperbolic tangent of a scalar that is not negative."""
    small = exp(-2.0 * x)
    return (1.0 - small) / (1.0 + small)


def _sech(x: Scalar) -> Scalar:
    """One over the hyperbolic cosine of a scalar that is not negative."""
    small = exp(-x)
    return 2.0 * small / (1.0 + small * small)


@dataclass(frozen=True)
class Bar(Shape):
    """A solid rectangle, `width` along y and `height` along z. Its torsion is Saint-Venant's series.

    >>> round(Bar(0.02, 0.02).torsion_constant / 0.02**4, 4), round(Bar(0.02, 0.04).torsion_modulus / 0.02**2 / 0.04, 3)
    (0.1406, 0.246)
    """

    width: float = field(metadata=measures("length"))
    height: float = field(metadata=measures("length"))

    def __post_init__(self) -> None:
        check_dimensions(self, "a bar")

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
        b, h = in_order(self.width, self.height)
        series = sum(_tanh(n * math.pi * h / (2 * b)) / n**5 for n in range(1, 60, 2))
        constant: float = h * b**3 * (1 / 3 - 64 / math.pi**5 * b / h * series)
        return constant

    @property
    def torsion_modulus(self) -> float:
        b, h = in_order(self.width, self.height)  # the largest stress is in the middle of the longer sides
        series = sum(_sech(n * math.pi * h / (2 * b)) / (n * n) for n in range(1, 60, 2))
        modulus: float = self.torsion_constant / (b * (1 - 8 / math.pi**2 * series))
        return modulus

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
class Section(Measured):
    """A cross section from numbers (m^2, m^4, m). What is left out is taken as for a compact solid shape: shear
    factors 5/6, peaks of shear stress 1.5; `extreme_y`, `extreme_z` and `torsion_modulus` are needed for stresses only
    and must be given for those.

    >>> Section(area=1e-3, second_moment_y=2e-7, second_moment_z=1e-7, torsion_constant=2e-7).shear_factors(0.3)
    (0.8333333333333334, 0.8333333333333334)
    """

    area: float = field(metadata=measures("area"))
    second_moment_y: float = field(metadata=measures("second moment of area"))
    second_moment_z: float = field(metadata=measures("second moment of area"))
    torsion_constant: float = field(metadata=measures("second moment of area"))
    shear_factor_y: float = field(default=5 / 6, metadata=measures("plain number"))
    shear_factor_z: float = field(default=5 / 6, metadata=measures("plain number"))
    extreme_y: float | None = field(default=None, metadata=measures("length"))
    extreme_z: float | None = field(default=None, metadata=measures("length"))
    torsion_modulus: float | None = field(default=None, metadata=measures("section modulus"))
    shear_peak_y: float = field(default=1.5, metadata=measures("plain number"))
    shear_peak_z: float = field(default=1.5, metadata=measures("plain number"))
    fibres = SOLID

    def __post_init__(self) -> None:
        for part in fields(self):
            value = getattr(self, part.name)
            if value is not None and not isinstance(value, Decided):
                words = part.name.replace("_", " ")
                object.__setattr__(self, part.name, positive(value, f"{words} of a section"))
        if not any(isinstance(getattr(self, part.name), Decided) for part in fields(self)):
            self._ask_for_units()
        polar = self.second_moment_y + self.second_moment_z
        if self.torsion_constant > 1.01 * polar:
            raise ModelError(f"torsion constant of a section is {self.torsion_constant} m^4: expected at most the sum "
                             f"of its second moments, {polar:.6g} m^4, as for a round one")
        for axis, factor in (("y", self.shear_factor_y), ("z", self.shear_factor_z)):
            if factor > 1:
                raise ModelError(f"shear factor {axis} of a section is {factor}: expected at most 1, the share of the "
                                 f"area that counts; some tables have its reciprocal ({1 / factor:.4g}?)")

    def _ask_for_units(self) -> None:
        """Lengths that follow from the numbers: the side of the area, the radii of gyration, the outermost fibres."""
        lengths = {
            "area": (math.sqrt(self.area), "m^2", "mm^2"),
            "second moment y": (math.sqrt(self.second_moment_y / self.area), "m^4", "mm^4"),
            "second moment z": (math.sqrt(self.second_moment_z / self.area), "m^4", "mm^4"),
            "extreme y": (self.extreme_y or 0.0, "m", "millimetres"),
            "extreme z": (self.extreme_z or 0.0, "m", "millimetres"),
        }
        for words, (length, unit, other) in lengths.items():
            if length > LARGE_SIDE:
                value = getattr(self, words.replace(" ", "_"))
                warn(f"{words} of a section is {value:g} {unit}: {other}?")
                return

    def shear_factors(self, poisson_ratio: float) -> tuple[float, float]:
        return self.shear_factor_y, self.shear_factor_z

    @property
    def shear_peaks(self) -> tuple[float, float]:
        return self.shear_peak_y, self.shear_peak_z

    @property
    def extremes(self) -> tuple[float, float]:
        if self.extreme_y is None or self.extreme_z is None or self.torsion_modulus is None:
            raise ModelError("stress and buckling of a section from numbers need its extreme_y, extreme_z and "
                             f"torsion_modulus: given are {self.extreme_y}, {self.extreme_z} and "
                             f"{self.torsion_modulus}")
        return self.extreme_y, self.extreme_z

    @property
    def corners(self) -> tuple[Corner, ...]:
        return box_corners(*self.extremes)

    def local_buckling(self, material: Material) -> LocalBuckling:
        """Not known: its numbers say nothing of its walls."""
        return UNKNOWN_WALLS
