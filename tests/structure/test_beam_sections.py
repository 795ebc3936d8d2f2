"""Sections and materials against handbooks, integrals and limits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from cowper_fe import shear_factor
from numpy.testing import assert_allclose

import loadpath as lp


def grid_moments(inside: Any, width: float, height: float, count: int = 1500) -> tuple[float, float, float]:
    """Area, integral of z^2, integral of y^2, by counting cells."""
    y = (np.arange(count) + 0.5) / count * width - width / 2
    z = (np.arange(count) + 0.5) / count * height - height / 2
    Y, Z = np.meshgrid(y, z)
    cell = width * height / count**2
    chosen = inside(Y, Z)
    return float(chosen.sum() * cell), float((Z**2)[chosen].sum() * cell), float((Y**2)[chosen].sum() * cell)


@pytest.mark.parametrize(
    ("section", "inside", "size"),
    [
        (lp.Tube(0.04, 0.012), lambda y, z: (np.hypot(y, z) < 0.04) & (np.hypot(y, z) > 0.028), (0.08, 0.08)),
        (lp.Rod(0.02), lambda y, z: np.hypot(y, z) < 0.02, (0.04, 0.04)),
        (lp.Bar(0.02, 0.05), lambda y, z: np.abs(y) < 1, (0.02, 0.05)),
        (lp.RectangularTube(0.06, 0.08, 0.01), lambda y, z: (np.abs(y) > 0.02) | (np.abs(z) > 0.03), (0.06, 0.08)),
        (lp.IBeam(0.06, 0.1, 0.01, 0.006), lambda y, z: (np.abs(z) > 0.04) | (np.abs(y) < 0.003), (0.06, 0.1)),
    ],
)
def test_area_and_second_moments_are_the_integrals(section: Any, inside: Any, size: tuple[float, float]) -> None:
    found = (section.area, section.second_moment_y, section.second_moment_z)
    assert_allclose(found, grid_moments(inside, *size), rtol=4e-3)
    assert section.extremes == (size[0] / 2, size[1] / 2)


def test_torsion_of_rectangles_is_that_of_the_tables() -> None:
    # Timoshenko and Goodier, table for rectangular bars: J = k1 b^3 h, W = k2 b^2 h.
    for ratio, k1, k2 in ((1.0, 0.1406, 0.208), (1.5, 0.196, 0.231), (2.0, 0.229, 0.246), (4.0, 0.281, 0.282),
                          (10.0, 0.312, 0.312)):
        bar = lp.Bar(0.01, 0.01 * ratio)
        assert_allclose(bar.torsion_constant / (1e-8 * ratio), k1, atol=6e-4)
        assert_allclose(bar.torsion_modulus / (1e-6 * ratio), k2, atol=6e-4)
        assert_allclose(lp.Bar(0.01 * ratio, 0.01).torsion_constant, bar.torsion_constant, rtol=1e-14)


def test_thin_tubes_come_to_bredt() -> None:
    tube = lp.Tube(0.05, 1e-5)
    middle = 0.05 - 5e-6
    assert_allclose(tube.torsion_constant, 2 * math.pi * middle**3 * 1e-5, rtol=1e-6)
    box = lp.RectangularTube(0.05, 0.05, 1e-5)
    assert_allclose(box.torsion_constant, (0.05 - 1e-5) ** 3 * 1e-5, rtol=1e-6)  # 4 A^2 t / s
    assert_allclose(box.torsion_modulus, 2 * (0.05 - 1e-5) ** 2 * 1e-5, rtol=1e-3)  # 2 A t
    # With a wall of half its side a tube is a bar; the rule for tubes is still near.
    assert_allclose(lp.RectangularTube(0.05, 0.05, 0.0249999).torsion_constant, 0.1406 * 0.05**4, rtol=0.05)


def test_shear_factors_are_cowpers() -> None:
    nu = 0.3
    assert_allclose(lp.Rod(0.01).shear_factors(nu), [6 * 1.3 / 8.8] * 2)
    assert_allclose(lp.Bar(0.01, 0.02).shear_factors(nu), [13 / 15.3] * 2)
    assert_allclose(lp.Tube(0.05, 1e-6).shear_factors(nu), [2 * 1.3 / (4 + 0.9)] * 2, rtol=1e-4)
    assert_allclose(lp.Tube(0.05, 0.05 * (1 - 1e-9)).shear_factors(nu), lp.Rod(0.05).shear_factors(nu), rtol=1e-8)
    # Cowper's table for a thin square tube at nu = 0.3: 0.436
    assert_allclose(lp.RectangularTube(0.05, 0.05, 1e-6).shear_factors(nu), [0.436] * 2, atol=1e-3)
    # An I beam's web carries nearly all of the shear along it.
    profile = lp.IBeam(0.1, 0.2, 0.0085, 0.0056)
    assert_allclose(profile.shear_factors(nu)[1] * profile.area, 0.0056 * 0.1915, rtol=0.1)


@pytest.mark.parametrize("nu", [0.0, 0.3, 0.5])
@pytest.mark.parametrize(("width", "flange"), [(2.0, 0.002), (1.0, 0.004), (0.5, 0.002)])
def test_shear_factors_of_i_beams_are_those_of_the_flexure_function(width: float, flange: float, nu: float) -> None:
    """Wide, thick and narrow flanges, thin-walled, against finite elements of Cowper's problem."""
    web, height = 0.002, 1.0 + flange
    section = lp.IBeam(width, height, flange, web)
    along = np.concatenate([np.linspace(-height / 2, -height / 2 + flange, 3), np.linspace(-0.45, 0.45, 19),
                            np.linspace(height / 2 - flange, height / 2, 3)])
    across = np.concatenate([np.linspace(-width / 2, -web / 2, 12), np.linspace(web / 2, width / 2, 12)])

    def inside(z: float, y: float) -> bool:
        return abs(z) > height / 2 - flange or abs(y) < web / 2

    assert_allclose(section.shear_factors(nu)[1], shear_factor(along, across, inside, nu), rtol=4e-3)


def test_shear_factors_of_boxes_and_bars_are_those_of_the_flexure_function() -> None:
    wall, nu = 0.002, 0.4
    for width in (0.4, 1.6):
        box = lp.RectangularTube(width + wall, 1.0 + wall, wall)
        outer = np.array([width, 1.0]) / 2 + wall / 2
        edges = [np.concatenate([[-a], np.linspace(-a + wall, a - wall, 21), [a]]) for a in outer]

        def inside(z: float, y: float, outer: Any = outer) -> bool:
            return abs(z) > outer[1] - wall or abs(y) > outer[0] - wall

        found = shear_factor(edges[1], edges[0], inside, nu)
        assert_allclose(box.shear_factors(nu)[1], found, rtol=4e-3)
    # Cowper's figure for a rectangle, whatever its sides, drops a small term: it is exact for a narrow one.
    narrow = shear_factor(np.linspace(-0.5, 0.5, 9), np.linspace(-0.005, 0.005, 3), lambda z, y: True, nu)
    assert_allclose(lp.Bar(0.01, 1.0).shear_factors(nu)[1], narrow, rtol=1e-4)


def test_fibres_of_an_i_beam_have_the_shear_of_v_q_over_i_t() -> None:
    """For shear along z: in the flange beside the web, at the end of the web, and at the neutral axis."""
    width, height, flange, web = 0.06, 0.1, 0.012, 0.007
    section = lp.IBeam(width, height, flange, web)
    z = np.linspace(0, height / 2, 100_001)
    z = (z[1:] + z[:-1]) / 2
    breadth = np.where(z > height / 2 - flange, width, web)
    first = breadth * z * (height / 2) / len(z)
    in_flange = z > height / 2 - flange
    at_axis = first.sum() / web
    at_end = first[in_flange].sum() / web
    beside_web = first[in_flange].sum() / 2 / flange  # half of the flange, cut beside the web
    _, middle, end, axis = section.fibres
    shares = [middle.shear_z, end.shear_z, axis.shear_z]
    assert_allclose(shares, [beside_web / at_axis, at_end / at_axis, 1.0], rtol=1e-3)
    assert_allclose(section.shear_peaks[1], section.area * at_axis / section.second_moment_y, rtol=1e-3)


def test_shear_peaks() -> None:
    assert_allclose(lp.Tube(0.05, 1e-7).shear_peaks, [2.0, 2.0], rtol=1e-5)
    assert_allclose(lp.Tube(0.05, 0.05 * (1 - 1e-9)).shear_peaks, [4 / 3, 4 / 3], rtol=1e-6)
    box = lp.RectangularTube(0.06, 0.08, 0.01)
    first = 0.06 * 0.04 * 0.02 - 0.04 * 0.03 * 0.015  # of the upper half
    assert_allclose(box.shear_peaks[1], box.area * first / (box.second_moment_y * 0.02), rtol=1e-12)


def test_materials_and_their_moduli() -> None:
    made = lp.Material(youngs_modulus=100e9, poisson_ratio=0.25, density=1000.0)
    assert made.shear_modulus == 40e9
    assert made.yield_strength == math.inf
    for material in (lp.STEEL, lp.ALUMINIUM, lp.TITANIUM):
        assert 0.25 < material.poisson_ratio < 0.36
    assert lp.CARBON_UD.orthotropic


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: lp.Material(-1.0, 80e9), "Young's modulus .* is -1.0"),
        (lambda: lp.Material(200e9, -80e9), "shear modulus .* is -8"),
        (lambda: lp.Material(200e9, density=-1.0, poisson_ratio=0.3), "density .* is -1.0"),
        (lambda: lp.Material(200e9, 80e9, yield_strength=0.0), "yield strength .* is 0.0"),
        (lambda: lp.Material(200e9, poisson_ratio=0.6), "Poisson's ratio .* is 0.6"),
        (lambda: lp.Material(200e9, poisson_ratio=-1.0), "Poisson's ratio .* is -1.0"),
        (lambda: lp.Material(200e9, 60e9), "Poisson's ratio 0.6667"),
        (lambda: lp.Material(200e9, 80e9, poisson_ratio=0.45), "ask for 0.25"),
        (lambda: lp.Material(200e9), "no shear modulus"),
        (lambda: lp.Material("210 kg", 80e9), "'210 kg', a mass: expected a stress"),
        (lambda: lp.Tube(0.02, 0.02), "wall of a tube is 0.02"),
        (lambda: lp.Tube(0.02, -0.001), "wall of a tube is -0.001"),
        (lambda: lp.RectangularTube(0.02, 0.04, 0.01), "wall of a rectangular tube is 0.01"),
        (lambda: lp.IBeam(0.1, 0.02, 0.01, 0.005), "flange of an I beam is 0.01"),
        (lambda: lp.IBeam(0.1, 0.2, 0.01, 0.2), "web of an I beam is 0.2"),
        (lambda: lp.Rod(0.0), "radius of a rod is 0.0"),
        (lambda: lp.Bar(0.1, float("nan")), "height of a bar is nan"),
        (lambda: lp.Section(1e-3, 0.0, 1e-7, 1e-7), "second moment y of a section is 0.0"),
        (lambda: lp.Section(1e-3, 1e-7, 1e-7, 3e-7), "torsion constant of a section is 3e-07 .*at most .*2e-07"),
        (
            lambda: lp.Section(1e-3, 1e-7, 1e-7, 1e-7, shear_factor_z=1.2),
            r"shear factor z .* is 1.2.*reciprocal \(0.8333",
        ),
    ],
)
def test_bad_sections_and_materials_are_refused_by_number(make: Any, words: str) -> None:
    with pytest.raises(lp.ModelError, match=words):
        make()
