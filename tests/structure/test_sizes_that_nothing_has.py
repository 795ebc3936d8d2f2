"""Sections and materials of any size: their numbers are finite, or an error in words says what is not plausible."""

from __future__ import annotations

import itertools
import math
import warnings
from dataclasses import fields, replace

import pytest

import loadpath as lp

NORMAL = [
    lp.Tube(outer_radius=0.04, wall=0.003),
    lp.Rod(radius=0.02),
    lp.Bar(width=0.02, height=0.03),
    lp.RectangularTube(width=0.06, height=0.04, wall=0.003),
    lp.IBeam(width=0.06, height=0.08, flange=0.005, web=0.004),
    lp.Angle(width=0.04, height=0.05, wall=0.004),
    lp.Channel(width=0.04, height=0.08, flange=0.005, web=0.004),
    lp.TBeam(width=0.06, height=0.08, flange=0.005, web=0.004),
    lp.HexagonalBar(across_flats=0.03),
    lp.HexagonalTube(across_flats=0.03, wall=0.003),
    lp.Section(area=1e-3, second_moment_y=2e-7, second_moment_z=1e-7, torsion_constant=2e-7, extreme_y=0.02,
               extreme_z=0.03, torsion_modulus=1e-5),
]
FACTORS = (1e300, 1e160, 1e100, 1e30, 1e8, 1e-8, 1e-30, 1e-100, 1e-300)
NUMBERS = ("area", "second_moment_y", "second_moment_z", "torsion_constant", "torsion_modulus", "shear_peaks",
           "extremes")


def finite(value: object) -> bool:
    parts = value if isinstance(value, tuple) else (value,)
    return all(isinstance(part, float) and math.isfinite(part) and part > 0 for part in parts)


def judge(section: object) -> None:
    for name in NUMBERS:
        assert finite(getattr(section, name)), (section, name, getattr(section, name))
    assert finite(section.shear_factors(0.3)), section
    assert section.corners
    section.local_buckling(lp.STEEL)


@pytest.mark.parametrize("section", NORMAL, ids=lambda section: type(section).__name__)
def test_a_section_has_finite_numbers_or_is_refused_in_words(section) -> None:
    names = [part.name for part in fields(section) if getattr(section, part.name) is not None]
    refused = 0
    for factor, count in itertools.product(FACTORS, range(1, len(names) + 1)):
        for changed in itertools.islice(itertools.combinations(names, count), 12):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", lp.ModelWarning)
                try:
                    other = replace(section, **{name: getattr(section, name) * factor for name in changed})
                    lp.Beam(other, lp.STEEL, end=(1.0, 0.0, 0.0))
                except lp.ModelError as problem:
                    assert "expected" in str(problem)
                    refused += 1
                    continue
                judge(other)
    assert refused >= len(FACTORS) - 1  # of a bar, all are plausible at one of them


def test_a_polygon_too() -> None:
    for factor in FACTORS:
        points = [(0.0, 0.0), (0.03 * factor, 0.0), (0.0, 0.04 * factor)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lp.ModelWarning)
            try:
                section = lp.PolygonSection(points, elements=100)
            except lp.ModelError as problem:
                assert "expected" in str(problem)
                continue
            assert finite(section.area) and finite(section.second_moment_y) and finite(section.torsion_constant)


@pytest.mark.parametrize("name", ["youngs_modulus", "density", "yield_strength", "ultimate_strength"])
def test_a_material(name: str) -> None:
    for factor in (1e290, 1e-300):
        with pytest.raises(lp.ModelError, match="expected"), warnings.catch_warnings():
            warnings.simplefilter("ignore", lp.ModelWarning)
            numbers = {"youngs_modulus": 2e11, "density": 7850.0, "yield_strength": 355e6, "ultimate_strength": 490e6}
            lp.Material(**{**numbers, name: numbers[name] * factor}, poisson_ratio=0.3)


def test_a_project_file_with_a_tube_of_1e300_metres(tmp_path) -> None:
    path = tmp_path / "cell.toml"
    path.write_text('[robot]\ncatalog = "planar:1"\n\n[beams.link1]\nend = "tip_joint"\nmaterial = "steel"\n'
                    'section = { kind = "tube", outer_radius = 1e300, wall = 1e299 }\n')
    with pytest.raises(lp.ModelError, match=r"1e\+300: expected from 1e-12 to 1e\+06"):
        lp.load_project(path)


def test_a_channel_with_a_thick_web_is_a_beam() -> None:
    """Its torsion constant came out below zero, and was used."""
    thin = lp.Channel(width=0.04, height=0.08, flange=0.0005, web=0.004)
    assert thin.torsion_constant == pytest.approx(0.08 * 0.004**3 / 3, rel=0.05)
    lp.Beam(thin, lp.STEEL, end=(1.0, 0.0, 0.0))
