"""Cross sections and beams: areas summed over a fine raster, torsion by Prandtl's membrane or Bredt's formula."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.sparse import diags, eye, kron
from scipy.sparse.linalg import spsolve

import loadpath as lp
from differential.register import Compared, check
from differential.robots import Case


def random_section(rng: np.random.Generator) -> Any:
    size = 10.0 ** rng.uniform(-2.5, -0.5)
    b, h = rng.uniform(0.5, 2, 2) * size
    thin = 0.08 * min(b, h)
    return [
        lp.Bar(b, h),
        lp.Rod(size),
        lp.Tube(size, thin),
        lp.RectangularTube(b, h, thin),
        lp.IBeam(b, h, thin, 0.7 * thin),
        lp.Angle(b, h, thin),
        lp.Channel(b, h, thin, 0.7 * thin),
        lp.TBeam(b, h, thin, 0.7 * thin),
        lp.HexagonalBar(size),
        lp.HexagonalTube(size, 0.08 * size),
        lp.PolygonSection(convex(rng, size)),
    ][int(rng.integers(11))]


def convex(rng: np.random.Generator, size: float) -> list[tuple[float, float]]:
    """Corners of a polygon on an ellipse."""
    angles = np.linspace(0, 2 * np.pi, 7, endpoint=False) + rng.uniform(0, 0.5, 7)
    return [(float(size * np.cos(a)), float(0.6 * size * np.sin(a))) for a in angles]


def inside(section: Any, y: np.ndarray, z: np.ndarray) -> np.ndarray:  # noqa: PLR0911
    """Which points lie in the section."""
    match section:
        case lp.Bar():
            return (abs(y) <= section.width / 2) & (abs(z) <= section.height / 2)
        case lp.Rod():
            return np.hypot(y, z) <= section.radius
        case lp.Tube():
            r = np.hypot(y, z)
            return (r <= section.outer_radius) & (r >= section.outer_radius - section.wall)
        case lp.RectangularTube():
            b, h, t = section.width / 2, section.height / 2, section.wall
            return (abs(y) <= b) & (abs(z) <= h) & ~((abs(y) < b - t) & (abs(z) < h - t))
        case lp.IBeam():
            b, h = section.width / 2, section.height / 2
            flange = (abs(z) <= h) & (abs(z) >= h - section.flange) & (abs(y) <= b)
            return flange | ((abs(y) <= section.web / 2) & (abs(z) < h - section.flange))
        case lp.HexagonalBar() | lp.HexagonalTube():
            far = np.max([abs(z), abs(np.sqrt(0.75) * y + z / 2), abs(np.sqrt(0.75) * y - z / 2)], axis=0)
            inner = section.across_flats / 2 - getattr(section, "wall", section.across_flats)
            return (far <= section.across_flats / 2) & (far >= inner)
    c, s = np.cos(section.principal_angle), np.sin(section.principal_angle)
    return as_drawn(section, section.centroid[0] + y * c - z * s, section.centroid[1] + y * s + z * c)


def as_drawn(section: Any, y: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Which points lie in a section that is not in its principal axes."""
    match section:
        case lp.Angle():
            walls = ((y <= section.wall) | (z <= section.wall)) & (y >= 0) & (y <= section.width)
        case lp.Channel():
            flange = (z <= section.flange) | (z >= section.height - section.flange)
            walls = (flange | (y <= section.web)) & (y >= 0) & (y <= section.width)
        case lp.TBeam():
            flange = (z >= section.height - section.flange) & (abs(y) <= section.width / 2)
            walls = flange | (abs(y) <= section.web / 2)
        case lp.PolygonSection():
            around = pairwise([*section.points, section.points[0]])
            sides = [(b[0] - a[0]) * (z - a[1]) - (b[1] - a[1]) * (y - a[0]) >= 0 for a, b in around]
            return np.all(sides, axis=0)
        case _:
            raise AssertionError(section)
    return walls & (z >= 0) & (z <= section.height)


@check(
    "Bar", "Rod", "Tube", "RectangularTube", "IBeam", "Angle", "Channel", "TBeam", "HexagonalBar", "HexagonalTube",
    "PolygonSection", against="a raster of a million points", bound=3e-2,
)
def areas(case: Case) -> Iterator[Compared]:
    section = random_section(case.rng("section"))
    reach = [1.001 * x for x in section.extremes]
    axes = [(np.arange(1000) + 0.5) / 1000 * 2 * r - r for r in reach]
    y, z = np.meshgrid(*axes, indexing="ij")
    cell = 4 * reach[0] * reach[1] / 1e6
    inner = inside(section, y, z)
    yield Compared(section.area, inner.sum() * cell)
    yield Compared(section.second_moment_y, (z**2)[inner].sum() * cell)
    yield Compared(section.second_moment_z, (y**2)[inner].sum() * cell)
    yield Compared((y * z)[inner].sum() * cell, 0.0, section.second_moment_y + section.second_moment_z)
    yield Compared(section.extremes, [abs(y)[inner].max(), abs(z)[inner].max()])
    corners = np.array([(corner.y, corner.z) for corner in section.corners])
    yield Compared(abs(corners).max(axis=0), section.extremes)


def membrane(width: float, height: float, count: int) -> float:
    """Torsion constant of a rectangle: twice the volume under Prandtl's membrane, by differences."""
    a, b = width / (count + 1), height / (count + 1)
    line = diags([1.0, -2.0, 1.0], [-1, 0, 1], shape=(count, count))
    laplace = kron(line / a**2, eye(count)) + kron(eye(count), line / b**2)
    return float(2 * spsolve(laplace.tocsc(), np.full(count * count, -2.0)).sum() * a * b)


@check(
    "Bar.torsion_constant",
    "Rod.torsion_constant",
    "Tube.torsion_constant",
    against="Prandtl's membrane, polar moments",
    bound=2e-3,
    every=2,
)
def torsion(case: Case) -> Iterator[Compared]:
    rng = case.rng("torsion")
    b, h = rng.uniform(0.5, 2, 2)
    coarse, fine = (membrane(b, h, n) for n in (31, 63))
    yield Compared(lp.Bar(b, h).torsion_constant, (4 * fine - coarse) / 3)
    for ring in (lp.Rod(b), lp.Tube(b, 0.3 * b)):
        yield Compared(ring.torsion_constant, ring.second_moment_y + ring.second_moment_z)
        yield Compared(ring.torsion_modulus, ring.torsion_constant / b)


@check(
    "RectangularTube.torsion_constant",
    "IBeam.torsion_constant",
    against="Bredt's formula, strips: right for thin walls only",
    bound=5e-2,
)
def thin_walls(case: Case) -> Iterator[Compared]:
    rng = case.rng("walls")
    b, h = rng.uniform(0.5, 2, 2)
    t = 0.02 * min(b, h)
    enclosed = (b - t) * (h - t)
    box = lp.RectangularTube(b, h, t)
    yield Compared(box.torsion_constant, 4 * enclosed**2 * t / (2 * (b + h - 2 * t)))
    yield Compared(box.torsion_modulus, 2 * enclosed * t)
    beam = lp.IBeam(b, h, t, 0.7 * t)
    yield Compared(beam.torsion_constant, (2 * b * t**3 + h * (0.7 * t) ** 3) / 3)
