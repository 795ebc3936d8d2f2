"""Cross sections of any outline: a polygon, with holes. Areas and second moments are exact; torsion and shear are those
of finite elements, by the library sectionproperties (van Leeuwen), which is loaded when they are first asked for.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np

from loadpath.errors import ModelError, warn
from loadpath.robot.materials import Material
from loadpath.robot.measures import measures
from loadpath.robot.numbers import number
from loadpath.robot.sections.section import LARGE_SIDE, SIZES, SOLID, Corner, Shape
from loadpath.robot.sections.walls import UNKNOWN_WALLS, LocalBuckling, Point

# Area, centroid and second moments of polygons, exactly, and their principal axes.


Points = Sequence[tuple[float, float]]


class Moments(NamedTuple):
    """Of an area, about axes through the origin of its points."""

    area: float
    first_y: float
    """Integral of y."""
    first_z: float
    yy: float
    """Integral of y^2."""
    zz: float
    yz: float

    def minus(self, hole: Moments) -> Moments:
        """Without a part."""
        return Moments(*(a - b for a, b in zip(self, hole, strict=True)))

    @property
    def centroid(self) -> tuple[float, float]:
        """y and z."""
        return self.first_y / self.area, self.first_z / self.area

    def about_centroid(self) -> Moments:
        """The same about parallel axes through the centroid."""
        y, z = self.centroid
        A = self.area
        return Moments(A, 0.0, 0.0, self.yy - A * y * y, self.zz - A * z * z, self.yz - A * y * z)

    @property
    def principal_angle(self) -> float:
        """rad from y to the axis about which the section is stiffest; zero where y and z are principal already."""
        if abs(self.yz) <= 1e-9 * max(self.yy, self.zz):
            return 0.0
        return 0.5 * math.atan2(-2 * self.yz, self.zz - self.yy)

    def turned(self, angle: float) -> tuple[float, float]:
        """Integrals of z^2 and of y^2 in axes turned by an angle."""
        c, s = math.cos(angle), math.sin(angle)
        return (self.zz * c * c + self.yy * s * s - 2 * self.yz * s * c,
                self.zz * s * s + self.yy * c * c + 2 * self.yz * s * c)


def moments(points: Points) -> Moments:
    """Of a polygon, by Green's theorem, whichever way its points go around.

    >>> moments([(0, 0), (2, 0), (2, 1), (0, 1)]).about_centroid().yy                    # 1 2^3 / 12
    0.6666666666666665
    """
    total = [0.0] * 6
    for (a, b), (c, d) in pairwise([*points, points[0]]):
        cross = a * d - c * b
        for k, part in enumerate((
            cross / 2, (a + c) * cross / 6, (b + d) * cross / 6, (a * a + a * c + c * c) * cross / 12,
            (b * b + b * d + d * d) * cross / 12, (a * d + 2 * a * b + 2 * c * d + c * b) * cross / 24,
        )):
            total[k] += part
    return Moments(*(part if total[0] >= 0 else -part for part in total))


def turned(points: Points, centroid: tuple[float, float], angle: float) -> list[tuple[float, float]]:
    """Points from the centroid, in axes turned by an angle.

    >>> [tuple(round(x, 9) for x in point) for point in turned([(1, 1)], (0, 1), math.pi / 2)]
    [(0.0, -1.0)]
    """
    c, s = math.cos(angle), math.sin(angle)
    y0, z0 = centroid
    return [((y - y0) * c + (z - z0) * s, (z - z0) * c - (y - y0) * s) for y, z in points]


# Sections that are drawn as outlines: area, centroid and principal axes from the moments of the outline.


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


ELEMENTS = 400
"""About how many finite elements a section is cut into: torsion and shear are right to 0.1 % or so."""


class Solved(NamedTuple):
    """What finite elements say of a section."""

    torsion_constant: float
    torsion_modulus: float
    shear_factors: tuple[float, float]
    """In principal axes."""
    shear_peaks: tuple[float, float]


@dataclass(frozen=True)
class PolygonSection(OutlinedSection):
    """A section with any outline: `points` (y, z) in m, in order around it, and `holes` likewise. Its origin does not
    matter: the beam's line goes through the centroid.

    Everything is in its principal axes, which are turned from those of the points by `principal_angle` (zero where y
    and z are principal already): a beam's `y_axis` is the y of the points, and the beam turns the section from there.
    Torsion and shear need `pip install loadpath[sections]`, and take a second or two. Where it has sharp inner corners,
    in which stresses by shear and torsion have no limit, their 99th percentile over its finite elements counts. A
    polygon does not taper.

    >>> triangle = PolygonSection([(0, 0), (0.03, 0), (0, 0.03)])
    >>> round(triangle.area * 1e6), round(math.degrees(triangle.principal_angle)), triangle.corners[0].name
    (450, 45, 'point 0')
    """

    points: tuple[Point, ...] = field(metadata=measures("length"))
    holes: tuple[tuple[Point, ...], ...] = field(default=(), metadata=measures("length"))
    elements: int = field(default=ELEMENTS, repr=False, metadata=measures("plain number"))
    fibres = SOLID
    tapers: ClassVar[bool] = False

    def __post_init__(self) -> None:
        outline = _ring(self.points, "points of a polygon section")
        holes = tuple(_ring(hole, f"hole {k} of a polygon section") for k, hole in enumerate(self.holes))
        object.__setattr__(self, "points", outline)
        object.__setattr__(self, "holes", holes)
        if isinstance(self.elements, bool) or not isinstance(self.elements, int) or not 10 <= self.elements <= 100_000:
            raise ModelError(
                f"elements of a polygon section is {self.elements!r}: expected a whole number, 10 to 100000"
            )
        for k, hole in enumerate(holes):
            if not all(_inside(point, outline) for point in hole):
                raise ModelError(f"hole {k} of a polygon section reaches out of its outline")
        for k, hole in enumerate(holes):
            for j, other in enumerate(holes[:k]):
                if _touch(hole, other) or _inside(hole[0], other) or _inside(other[0], hole):
                    raise ModelError(f"holes {j} and {k} of a polygon section meet: expected holes apart")
            if _touch(hole, outline):
                raise ModelError(f"hole {k} of a polygon section reaches out of its outline")

    @property
    def _moments(self) -> Moments:
        total = moments(self.points)
        for hole in self.holes:
            total = total.minus(moments(hole))
        return total

    @property
    def corners(self) -> tuple[Corner, ...]:
        there = turned(self.points, self.centroid, self.principal_angle)
        return tuple(Corner(f"point {k}", y, z) for k, (y, z) in enumerate(there))

    @property
    def extremes(self) -> tuple[float, float]:
        corners = self.corners
        return max(abs(corner.y) for corner in corners), max(abs(corner.z) for corner in corners)

    def local_buckling(self, material: Material) -> LocalBuckling:
        """Not known: its outline does not say what is a wall."""
        return UNKNOWN_WALLS

    @property
    def torsion_constant(self) -> float:
        return solved(self, 0.3).torsion_constant

    @property
    def torsion_modulus(self) -> float:
        return solved(self, 0.3).torsion_modulus

    def shear_factors(self, poisson_ratio: float) -> tuple[float, float]:
        return solved(self, max(poisson_ratio, 0.0)).shear_factors

    @property
    def shear_peaks(self) -> tuple[float, float]:
        return solved(self, 0.3).shear_peaks


def _ring(given: Any, what: str) -> tuple[Point, ...]:
    try:
        points = tuple((number(y, what), number(z, what)) for y, z in given)
    except (TypeError, ValueError) as problem:
        if isinstance(problem, ModelError):
            raise
        raise ModelError(f"{what} are {given!r}: expected pairs (y, z) in m") from None
    if len(points) > 1 and points[0] == points[-1]:
        points = points[:-1]
    if len(points) < 3:
        raise ModelError(f"{what} are {len(points)}: expected three or more")
    largest = max(max(p[k] for p in points) - min(p[k] for p in points) for k in (0, 1))
    if not SIZES[0] <= largest <= SIZES[1] or any(abs(c) > SIZES[1] for point in points for c in point):
        raise ModelError(f"{what} reach over {largest:g} m: expected from {SIZES[0]:g} to {SIZES[1]:g} m, about zero")
    if largest > LARGE_SIDE:
        warn(f"{what} reach over {largest:g} m: millimetres?")
    if abs(moments(points).area) <= 1e-9 * largest**2:
        raise ModelError(f"{what} lie on a line: expected an area")
    for k, (a, b) in enumerate(pairwise([*points, points[0]])):
        if a == b:
            raise ModelError(f"{what}: point {k} is there twice, {a}")
        for j, (c, d) in enumerate(pairwise([*points, points[0]])):
            if j > k + 1 and not (k == 0 and j == len(points) - 1) and _cross(a, b, c, d):
                raise ModelError(f"{what}: the sides from point {k} and from point {j} cross: expected points in order "
                                 "around it")
    return points


def _side(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _cross(a: Point, b: Point, c: Point, d: Point) -> bool:
    for k in (0, 1):  # apart, also where all four lie on a line
        if max(a[k], b[k]) < min(c[k], d[k]) or max(c[k], d[k]) < min(a[k], b[k]):
            return False
    return _side(a, b, c) * _side(a, b, d) <= 0 and _side(c, d, a) * _side(c, d, b) <= 0


def _has_inner_corner(points: tuple[Point, ...]) -> bool:
    turns = [
        _side(a, b, c) for a, b, c in zip(points, [*points[1:], points[0]], [*points[2:], *points[:2]], strict=True)
    ]
    return min(turns) < 0 < max(turns)


def _touch(one: tuple[Point, ...], other: tuple[Point, ...]) -> bool:
    return any(_cross(a, b, c, d) for a, b in pairwise([*one, one[0]]) for c, d in pairwise([*other, other[0]]))


def _inside(point: Point, outline: tuple[Point, ...]) -> bool:
    y, z = point
    crossings = 0
    for (a, b), (c, d) in pairwise([*outline, outline[0]]):
        if (b > z) != (d > z) and y < a + (z - b) / (d - b) * (c - a):
            crossings += 1
    return crossings % 2 == 1


@lru_cache(maxsize=64)
def solved(section: PolygonSection, poisson_ratio: float) -> Solved:
    """Torsion and shear by finite elements, in principal axes, in units of the section's size."""
    try:
        from sectionproperties.analysis import Section as Analysis
        from sectionproperties.pre import Geometry
        from sectionproperties.pre import Material as Stuff
        from shapely import Polygon
    except ImportError as problem:
        raise ImportError("torsion and shear of a PolygonSection are computed by sectionproperties: pip install "
                          "loadpath[sections]; or give the numbers to lp.Section") from problem
    size, angle = math.sqrt(section.area), section.principal_angle
    rings = [[(y / size, z / size) for y, z in turned(ring, section.centroid, angle)]
             for ring in (section.points, *section.holes)]
    unit = Stuff("unit", elastic_modulus=1.0, poissons_ratio=poisson_ratio, yield_strength=1.0, density=1.0, color="w")
    geometry = Geometry(Polygon(rings[0], rings[1:]), material=unit)
    geometry.create_mesh(mesh_sizes=[1.0 / section.elements])
    analysis = Analysis(geometry)
    analysis.calculate_geometric_properties()
    analysis.calculate_warping_properties()
    peaks, inner = [], bool(section.holes) or _has_inner_corner(section.points)
    for load, stress in (({"mzz": 1.0}, "sig_zxy_mzz"), ({"vx": 1.0}, "sig_zxy_vx"), ({"vy": 1.0}, "sig_zxy_vy")):
        found = analysis.calculate_stress(**load).get_stress()[0][stress]
        peaks.append(float(np.percentile(np.abs(found), 99 if inner else 100)))
    along_y, along_z = analysis.get_eas()
    return Solved(float(analysis.get_ej()) * size**4, size**3 / peaks[0], (float(along_y), float(along_z)),
                  (peaks[1], peaks[2]))
