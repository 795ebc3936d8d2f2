"""Angles, channels, T, hexagonal and polygon sections against finite elements, handbooks and closed formulas; thin
walls against plate and shell formulas.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import loadpath as lp
from loadpath.robot.sections.polygon import moments
from loadpath.robot.sections.profiles import hexagon

mm = 1e-3


def test_profiles_are_those_of_the_handbook_but_for_fillets() -> None:
    """cm^2 and cm^4 of rolled sections; their fillets are a few percent of the area."""
    for section, area, strong, weak in (
        (lp.Channel(55 * mm, 100 * mm, 7.5 * mm, 4.5 * mm), 12.5, 207, 38.3),  # UPE 100
        (lp.Channel(80 * mm, 200 * mm, 11 * mm, 6 * mm), 29.0, 1910, 187),  # UPE 200
        (lp.IBeam(100 * mm, 200 * mm, 8.5 * mm, 5.6 * mm), 28.5, 1943, 142),  # IPE 200
        (lp.Angle(50 * mm, 50 * mm, 5 * mm), 4.80, 17.4, 4.55),  # L 50 x 5, about u and v
        (lp.Angle(100 * mm, 100 * mm, 10 * mm), 19.2, 280, 73.0),  # L 100 x 10
    ):
        found = section.area * 1e4, section.second_moment_y * 1e8, section.second_moment_z * 1e8
        assert_allclose(found, (area, strong, weak), rtol=0.06)
    assert_allclose(lp.Angle(50 * mm, 50 * mm, 5 * mm).centroid, 14.0 * mm, rtol=0.03)  # L 50 x 5
    # shear centre of UPE 200: 5.41 cm beyond the centroid
    channel = lp.Channel(80 * mm, 200 * mm, 11 * mm, 6 * mm)
    assert_allclose(channel.centroid[0] - channel.shear_centre[0], 54.1 * mm, rtol=0.03)


def analysed(points: Any, holes: Any = (), nu: float = 0.0, elements: int = 250) -> Any:
    """sectionproperties, in the axes of the points."""
    from sectionproperties.analysis import Section
    from sectionproperties.pre import Geometry, Material
    from shapely import Polygon

    unit = Material("unit", 1.0, nu, 1.0, 1.0, "w")
    shape = Polygon(np.array(points) * 1e3, [np.array(hole) * 1e3 for hole in holes])
    geometry = Geometry(shape, material=unit)
    geometry.create_mesh([shape.area / elements])
    section = Section(geometry)
    section.calculate_geometric_properties()
    section.calculate_warping_properties()
    return section


@pytest.mark.parametrize(
    ("section", "by_elements"),
    [
        (lp.Channel(60 * mm, 100 * mm, 2 * mm, 8 * mm), 1.650e-8),
        (lp.TBeam(60 * mm, 80 * mm, 2 * mm, 8 * mm), 1.295e-8),
        (lp.Channel(60 * mm, 100 * mm, 3.9 * mm, 8 * mm), 1.840e-8),
        (lp.TBeam(60 * mm, 80 * mm, 3.9 * mm, 8 * mm), 1.395e-8),
        (lp.Channel(60 * mm, 100 * mm, 8 * mm, 1 * mm), 1.879e-8),
    ],
)
def test_torsion_of_thick_and_thin_webs(section: Any, by_elements: float) -> None:
    """m^4, by sectionproperties with some 1200 elements; the polynomials of junctions alone go negative there."""
    assert_allclose(section.torsion_constant, by_elements, rtol=0.015)
    assert lp.Channel(40 * mm, 80 * mm, 0.5 * mm, 4 * mm).torsion_constant > 80 * mm * (4 * mm) ** 3 / 3 * 0.95


@pytest.mark.parametrize(
    ("section", "torsion", "shear"),
    [
        (lp.Angle(100 * mm, 65 * mm, 5 * mm), 0.02, 0.05),
        (lp.Channel(75 * mm, 200 * mm, 8 * mm, 6 * mm), 0.01, 0.07),
        (lp.TBeam(100 * mm, 120 * mm, 6 * mm, 5 * mm), 0.01, 0.06),
    ],
)
def test_open_profiles_against_finite_elements(section: Any, torsion: float, shear: float) -> None:
    fe = analysed(section.outline)
    assert_allclose(section.area * 1e6, fe.get_area(), rtol=1e-9)
    strong, weak = fe.get_eip()
    assert_allclose([section.second_moment_y * 1e12, section.second_moment_z * 1e12], [strong, weak], rtol=1e-9)
    assert abs(math.sin(section.principal_angle - math.radians(fe.get_phi()))) < 1e-6
    assert_allclose(section.torsion_constant * 1e12, fe.get_ej(), rtol=torsion)
    # sectionproperties' 11 is the strong axis: shear across it, and along it
    along_weak, along_strong = np.array(fe.get_eas_p()) / fe.get_area()
    assert_allclose(section.shear_factors(0.0), [along_weak, along_strong], rtol=shear)


def test_hexagons_against_finite_elements() -> None:
    bar, tube = lp.HexagonalBar(0.02), lp.HexagonalTube(0.04, 0.002)
    for nu in (0.0, 0.3):
        fe = analysed(hexagon(0.02), nu=nu)
        assert_allclose(bar.shear_factors(nu), np.array(fe.get_eas()) / fe.get_area(), rtol=1e-3)
    assert_allclose(bar.area * 1e6, fe.get_area(), rtol=1e-9)
    assert_allclose(bar.second_moment_y * 1e12, fe.get_eic()[0], rtol=1e-9)
    assert_allclose(bar.torsion_constant * 1e12, fe.get_ej(), rtol=1e-3)
    stress = fe.calculate_stress(mzz=1.0).get_stress()[0]["sig_zxy_mzz"]
    assert_allclose(1 / (bar.torsion_modulus * 1e9), np.abs(stress).max(), rtol=1e-2)
    for axis, peak in zip("xy", bar.shear_peaks, strict=True):
        stress = fe.calculate_stress(**{f"v{axis}": 1.0}).get_stress()[0][f"sig_zxy_v{axis}"]
        assert_allclose(peak / (bar.area * 1e6), np.abs(stress).max(), rtol=0.02)
    fe = analysed(hexagon(0.04), [hexagon(0.036)])
    assert_allclose(tube.area * 1e6, fe.get_area(), rtol=1e-9)
    assert_allclose(tube.second_moment_z * 1e12, fe.get_eic()[1], rtol=1e-9)
    assert_allclose(tube.torsion_constant * 1e12, fe.get_ej(), rtol=0.02)
    assert_allclose(tube.shear_factors(0.0), np.array(fe.get_eas()) / fe.get_area(), rtol=0.03)


def test_thin_walls_come_to_closed_formulas() -> None:
    """Strips of an I beam come to the closed formula of the library, those of a T to Cowper's shear factor."""
    from loadpath.robot.sections.walls import Strip, flow

    b, h, f, w = 0.5, 1.0, 0.002, 0.002
    top, bottom = (0.0, h / 2), (0.0, -h / 2)
    strips = [Strip((-b / 2, h / 2), top, f), Strip((b / 2, h / 2), top, f), Strip(top, bottom, w),
              Strip(bottom, (-b / 2, -h / 2), f), Strip(bottom, (b / 2, -h / 2), f)]
    # the last two share what arrives: each takes half, and starts with it
    along = flow(strips[:3], 1)
    beam = lp.IBeam(b, h + f, f, w)
    peak = along.first_moment(2, 0.5) / w * beam.area / beam.second_moment_y
    assert_allclose(beam.shear_peaks[1], peak, rtol=5e-3)
    tee = lp.TBeam(0.6, 1.0, 0.002, 0.001)
    n, m = 0.6, 0.6 * 0.002 / (1.0 * 0.001)  # b / h and b t_f / (h t_w); Cowper (1966), thin-walled T, nu = 0
    cowper = 10 * (1 + 4 * m) ** 2 / (12 + 96 * m + 276 * m**2 + 192 * m**3 + 30 * n**2 * (m + m**2))
    assert_allclose(tee.shear_factors(0.0)[1], cowper, rtol=5e-3)


def test_polygons_against_exact_shapes() -> None:
    b, h = 0.012, 0.05
    bar, drawn = lp.Bar(b, h), lp.PolygonSection([(0, 0), (b, 0), (b, h), (0, h)], elements=150)
    for part in ("area", "second_moment_y", "second_moment_z", "torsion_constant", "torsion_modulus"):
        assert_allclose(getattr(drawn, part), getattr(bar, part), rtol=5e-3, err_msg=part)
    assert drawn.principal_angle == 0.0
    assert_allclose(drawn.extremes, bar.extremes)
    assert_allclose(drawn.shear_factors(0.0), bar.shear_factors(0.0), rtol=2e-3)
    assert_allclose(drawn.shear_peaks[1], 1.5, rtol=0.06)  # of a narrow one; across its width it is larger
    around = [(0.02 * math.cos(a), 0.02 * math.sin(a)) for a in np.linspace(0, 2 * math.pi, 60, endpoint=False)]
    inside = [(0.5 * y, 0.5 * z) for y, z in around]
    tube, ring = lp.Tube(0.02, 0.01), lp.PolygonSection(around, holes=[inside], elements=150)
    for part in ("area", "second_moment_y", "torsion_constant"):
        assert_allclose(getattr(ring, part), getattr(tube, part), rtol=0.01, err_msg=part)
    made = lp.PolygonSection(hexagon(0.02), elements=150)
    assert_allclose(made.torsion_constant, lp.HexagonalBar(0.02).torsion_constant, rtol=2e-3)


def test_polygons_turned_and_moved_are_the_same_section() -> None:
    points = np.array([(0, 0), (0.05, 0), (0.05, 0.005), (0.005, 0.005), (0.005, 0.03), (0, 0.03)])
    c, s = math.cos(0.4), math.sin(0.4)
    moved = points @ np.array([[c, s], [-s, c]]) + [0.3, -0.2]
    one, other = lp.PolygonSection(points.tolist()), lp.PolygonSection(moved.tolist()[::-1])
    for part in ("area", "second_moment_y", "second_moment_z", "extremes"):
        assert_allclose(getattr(other, part), getattr(one, part), rtol=1e-9)
    assert abs(math.sin(other.principal_angle - one.principal_angle - 0.4)) < 1e-9
    made = lp.Angle(0.05, 0.03, 0.005)
    assert_allclose([one.second_moment_y, one.second_moment_z], [made.second_moment_y, made.second_moment_z], rtol=1e-9)
    assert moments([(0, 0), (1, 0), (1, 1), (0, 1)]).about_centroid().yz == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: lp.Angle(0.05, 0.05, 0.05), "wall of an angle is 0.05 m: expected less than its shorter leg"),
        (lambda: lp.Channel(0.05, 0.1, 0.05, 0.005), "flange of a channel is 0.05"),
        (lambda: lp.Channel(0.05, 0.1, 0.005, 0.05), "web of a channel is 0.05"),
        (lambda: lp.TBeam(0.05, 0.05, 0.06, 0.005), "flange of a T beam is 0.06"),
        (lambda: lp.HexagonalTube(0.04, 0.02), "wall of a hexagonal tube is 0.02"),
        (lambda: lp.PolygonSection([(0, 0), (1, 0)]), "are 2: expected three or more"),
        (lambda: lp.PolygonSection([(0, 0), (0.1, 0.1), (0.1, 0), (0, 0.05)]), "cross"),
        (lambda: lp.PolygonSection([(0, 0), (0.1, 0), (0.2, 0)]), "lie on a line"),
        (lambda: lp.PolygonSection([(0, 0), (0.1, 0), (0, "a")]), "points of a polygon"),
        (lambda: lp.PolygonSection([(0, 0), (0.1, 0), (0, 0.1)], holes=[[(0, 0), (0.2, 0), (0, 0.2)]]), "reaches out"),
        (lambda: lp.PolygonSection([(0, 0), (0.1, 0), (0, 0.1)], elements=1), "elements of a polygon section is 1"),
        (
            lambda: lp.Beam(lp.PolygonSection([(0, 0), (0.1, 0), (0, 0.1)]), lp.STEEL, end="tip",
                            end_section=lp.PolygonSection([(0, 0), (0.2, 0), (0, 0.1)])),
            "cannot taper",
        ),
    ],
)
def test_bad_sections(make: Any, words: str) -> None:
    with pytest.raises(lp.ModelError, match=words):
        make()


def test_a_polygon_in_millimetres_is_asked_about() -> None:
    with pytest.warns(lp.ModelWarning, match="reach over 50 m: millimetres"):
        lp.PolygonSection([(0, 0), (50, 0), (0, 50)])


def test_without_sectionproperties_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "sectionproperties.analysis", None)
    section = lp.PolygonSection([(0, 0), (0.0123, 0), (0, 0.0456)])
    assert section.area > 0
    with pytest.raises(ImportError, match=r"pip install loadpath\[sections\]"):
        section.torsion_constant  # noqa: B018


def loaded(section: Any, **options: Any) -> lp.FlexibleRobot:
    return lp.catalog.planar(1).with_beams({"link1": lp.Beam(section, lp.STEEL, end="tip_joint", **options)},
                                           inertia_from_beams=True)


WORLD_Y = tuple(lp.catalog.planar(1).link_poses.uncompiled([0.0])[1, :3, :3].T @ [0.0, 1.0, 0.0])
"""The world's y axis in the frame of the link."""


def test_an_angle_bends_out_of_the_plane_of_its_load() -> None:
    """Against the general formula of unsymmetrical bending, in the axes of the legs."""
    section = lp.Angle(0.06, 0.04, 0.005)
    arm = loaded(section, y_axis=WORLD_Y).with_gravity((0, 0, 0))
    push = np.array([0.0, 30.0, -50.0])
    found = arm.deflection([0.0], external={"tip": lp.Wrench(force=push)}, effects=["bending"])["tip"].displacement
    m = moments(section.outline).about_centroid()
    # curvature k = [yy, yz; yz, zz]^-1 M / E in the axes of the legs (y along world y, z = x cross y along world z)
    stiffness = 210e9 * np.array([[m.yy, m.yz], [m.yz, m.zz]])
    expected = np.linalg.solve(stiffness, push[1:]) / 3  # F L^3 / 3 E I
    assert_allclose(found[1:], expected, rtol=1e-9)


def test_stress_of_an_angle_is_that_of_its_corners() -> None:
    section = lp.Angle(0.06, 0.04, 0.005)
    arm = loaded(section, y_axis=WORLD_Y).with_gravity((0, 0, 0))
    push = {"tip": lp.Wrench(force=(0.0, 30.0, -50.0))}
    stress = arm.stress([0.0], external=push)
    m = moments(section.outline).about_centroid()
    y0, z0 = section.centroid
    # sigma = a y + b z with M_y = int z sigma = -(-50) ..., from equilibrium in the axes of the legs
    My, Mz = 1.0 * 50.0, 1.0 * 30.0  # about world y and z at the root
    a, b = np.linalg.solve([[m.yy, m.yz], [m.yz, m.zz]], [-Mz, My])
    largest = max(abs(a * (y - y0) + b * (z - z0)) for y, z in section.outline)
    # signs are taken as they are worst, so that the bending stress may come out larger
    assert largest * (1 - 1e-9) <= stress.bending[0] <= 1.5 * largest
    force, moment = arm.section_actions([0.0], [0.0], [0.0], external=push)
    signed = [force[0, 0] / section.area + moment[0, 1] * c.z / section.second_moment_y
              - moment[0, 2] * c.y / section.second_moment_z for c in section.corners]
    assert_allclose(max(map(abs, signed)), largest, rtol=1e-9)


def test_sections_that_are_turned_differently_along_a_beam_are_refused() -> None:
    robot = lp.catalog.planar(1)
    similar = lp.Beam(lp.Angle(0.06, 0.04, 0.005), lp.STEEL, end="tip_joint", end_section=lp.Angle(0.03, 0.02, 0.0025))
    assert robot.with_beams({"link1": similar}, inertia_from_beams=True).deflection([0.0]).displacement.shape == (3, 3)
    with pytest.raises(lp.ModelError, match=r"link 'link1': the principal axes .* turned by"):
        robot.with_beams({"link1": lp.Beam(lp.Angle(0.06, 0.04, 0.005), lp.STEEL, end="tip_joint",
                                           end_section=lp.Angle(0.06, 0.06, 0.005))})


@pytest.mark.parametrize("section", [
    lp.Angle(0.05, 0.05, 0.005), lp.Channel(0.05, 0.1, 0.008, 0.006), lp.TBeam(0.08, 0.08, 0.009, 0.009),
    lp.HexagonalBar(0.02), lp.HexagonalTube(0.04, 0.003),
])
def test_von_mises_of_every_section_lies_between_its_parts(section: Any) -> None:
    arm = loaded(section)
    rng = np.random.default_rng(1)
    push = {"tip": lp.Wrench(force=rng.normal(size=(20, 3)) * 50, torque=rng.normal(size=(20, 3)) * 5)}
    stress = arm.stress(np.zeros((20, 1)), external=push)
    low = np.maximum(np.abs(stress.axial) + 0.0, stress.bending - 1e-9)
    high = np.sqrt((np.abs(stress.axial) + stress.bending) ** 2 + 3 * (stress.shear + np.abs(stress.torsion)) ** 2)
    assert (stress.von_mises <= high * (1 + 1e-9)).all()
    assert (stress.von_mises >= low * (1 - 1e-9)).all()
    assert max(f.bending_y for f in section.fibres) == pytest.approx(1.0)
    assert max(f.bending_z for f in section.fibres) == pytest.approx(1.0)


# Local buckling


def test_critical_stresses_of_walls() -> None:
    steel = lp.Material(210e9, density=7850, yield_strength=355e6, poisson_ratio=0.3)
    box = lp.RectangularTube(0.104, 0.064, 0.002).local_buckling(steel)
    assert_allclose(box.compression, 4 * math.pi**2 * 210e9 / (12 * 0.91) * (0.002 / 0.1) ** 2, rtol=1e-12)
    assert box.bending == box.bending_y == box.compression  # the wide sides are the flanges of bending about y
    assert_allclose(box.bending_z, 4 * math.pi**2 * 210e9 / (12 * 0.91) * (0.002 / 0.06) ** 2, rtol=1e-12)
    assert (box.wall, box.slenderness) == ("wall of the height", pytest.approx(30))
    assert_allclose(box.limit, 42 * math.sqrt(235 / 355))
    girder = lp.IBeam(0.2, 0.8 + 0.03, 0.015, 0.006).local_buckling(steel)
    plate = math.pi**2 * 210e9 / (12 * 0.91)
    assert_allclose(girder.compression, 4 * plate * (0.006 / 0.8) ** 2)
    assert_allclose(girder.bending, min(23.9 * plate * (0.006 / 0.8) ** 2, 0.43 * plate * (0.015 / 0.097) ** 2))
    tube = lp.Tube(0.1005, 0.001).local_buckling(steel)
    classical = 210e9 / math.sqrt(3 * 0.91) * 0.001 / 0.1  # 0.605 E t / r
    assert_allclose(classical, 0.605 * 210e9 * 0.01, rtol=1e-3)
    assert_allclose(tube.compression, classical * (1 - 0.901 * (1 - math.exp(-10 / 16))))
    assert_allclose(tube.bending, classical * (1 - 0.731 * (1 - math.exp(-10 / 16))))
    # an orthotropic plate with the moduli of an isotropic one is that one
    same = lp.Material(210e9, 210e9 / 2.6, yield_strength=355e6, poisson_ratio=0.3, orthotropic=True,
                       transverse_modulus=210e9)
    for section in (lp.RectangularTube(0.104, 0.064, 0.002), lp.Tube(0.1005, 0.001)):
        assert_allclose(section.local_buckling(same).compression, section.local_buckling(steel).compression, rtol=1e-9)
    assert_allclose(lp.Angle(0.05, 0.05, 0.002).local_buckling(same).compression,
                    lp.Angle(0.05, 0.05, 0.002).local_buckling(steel).compression, rtol=0.02)
    soft = lp.Material(135e9, 5e9, orthotropic=True)
    assert math.isnan(lp.Tube(0.02, 0.001).local_buckling(soft).compression)
    assert lp.Bar(0.01, 0.02).local_buckling(steel).compression == math.inf
    assert math.isnan(lp.Section(1e-3, 1e-7, 1e-7, 1e-7).local_buckling(steel).compression)


USUAL = [
    (lp.Tube(0.03, 0.002), lp.ALUMINIUM), (lp.Tube(0.04, 0.003), lp.ALUMINIUM), (lp.Tube(0.05, 0.0015), lp.STEEL),
    (lp.Tube(0.06, 0.002), lp.CARBON_UD), (lp.Tube(0.0125, 0.001), lp.TITANIUM), (lp.Tube(0.01, 0.0005), lp.CARBON_UD),
    (lp.RectangularTube(0.06, 0.06, 0.002), lp.ALUMINIUM), (lp.RectangularTube(0.08, 0.04, 0.003), lp.ALUMINIUM),
    (lp.RectangularTube(0.1, 0.1, 0.004), lp.STEEL), (lp.RectangularTube(0.3, 0.5, 0.012), lp.materials["S690"]),
    (lp.IBeam(0.1, 0.2, 0.0085, 0.0056), lp.STEEL), (lp.IBeam(0.2, 0.5, 0.016, 0.0102), lp.STEEL),
    (lp.IBeam(0.3, 0.29, 0.014, 0.0085), lp.STEEL), (lp.Channel(0.08, 0.2, 0.011, 0.006), lp.STEEL),
    (lp.Angle(0.1, 0.1, 0.01), lp.STEEL), (lp.TBeam(0.08, 0.08, 0.009, 0.009), lp.STEEL),
    (lp.HexagonalTube(0.03, 0.002), lp.ALUMINIUM), (lp.Tube(0.0005, 0.00005), lp.STEEL),
]


def test_usual_sections_are_not_warned_of_and_thin_ones_are() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", lp.ModelWarning)
        for section, material in USUAL:
            lp.catalog.planar(1, mass=1e3).with_beams({"link1": lp.Beam(section, material, end="tip_joint")})
    robot = lp.catalog.planar(1, mass=100.0)
    with pytest.warns(lp.ModelWarning, match=r"wall of the height .* 98 times as wide as thick, beyond 34\.2") as seen:
        robot.with_beams({"link1": lp.Beam(lp.RectangularTube(0.2, 0.1, 0.001), lp.STEEL, end="tip_joint")})
    assert len(seen) == 1
    with pytest.warns(lp.ModelWarning, match="round wall .* 400 times as wide as thick, beyond 48.*wrinkle at"):
        robot.with_beams({"link1": lp.Beam(lp.Tube(0.1, 0.0005), lp.ALUMINIUM, end="tip_joint")})


def test_stress_past_local_buckling_is_reported() -> None:
    with pytest.warns(lp.ModelWarning, match="times as wide as thick"):
        arm = loaded(lp.RectangularTube(0.2, 0.2, 0.001)).with_gravity((0, 0, 0))
    section = arm.beams[0][1].segments[0].section
    critical = section.local_buckling(lp.STEEL).compression
    push = {"tip": lp.Wrench(force=(-0.5 * critical * section.area, 0.0, 0.0))}
    stress = arm.stress([0.0], external=push)
    assert_allclose(stress.local[0], 2.0, rtol=1e-9)
    pull = arm.stress([0.0], external={"tip": lp.Wrench(force=(1e4, 0, 0))})
    assert (pull.local == math.inf).all()
    with pytest.warns(lp.ModelWarning, match="walls of link 'link1', .* are past local buckling .*: safety 0.5"):
        arm.stress([0.0], external={"tip": lp.Wrench(force=(-2 * critical * section.area, 0.0, 0.0))})
    with pytest.warns(lp.ModelWarning, match="past local buckling"):
        found = arm.extremes([0.0], external={"tip": lp.Wrench(force=(-2 * critical * section.area, 0.0, 0.0))})
    assert_allclose(found.worst_local.safety, 0.5, rtol=1e-9)
    assert found.worst_local.link == "link1"
    assert arm.extremes([0.0], external={"tip": lp.Wrench(force=(1e4, 0, 0))}).worst_local is None


def test_the_long_sides_of_a_box_are_webs_when_it_is_bent_about_its_strong_axis() -> None:
    with pytest.warns(lp.ModelWarning, match="times as wide as thick"):
        arm = loaded(lp.RectangularTube(0.1, 0.3, 0.002), y_axis=WORLD_Y).with_gravity((0, 0, 0))
    section, plate = lp.RectangularTube(0.1, 0.3, 0.002), math.pi**2 * 210e9 / (12 * (1 - lp.STEEL.poisson_ratio**2))
    short, long = (plate * (0.002 / c) ** 2 for c in (0.096, 0.296))
    for force, W, critical in (
        ((0.0, 0.0, -100.0), section.second_moment_y / 0.15, min(4 * short, 23.9 * long)),
        ((0.0, 100.0, 0.0), section.second_moment_z / 0.05, min(4 * long, 23.9 * short)),
    ):
        stress = arm.stress([0.0], external={"tip": lp.Wrench(force=force)})
        assert_allclose(stress.local[0], critical / (100.0 / W), rtol=1e-9)
        assert_allclose(stress.of("link1").local[0], stress.local[0])
        found = arm.extremes([[0.0]], external={"tip": lp.Wrench(force=force)})
        assert_allclose(found.worst_local.safety, stress.local.min(), rtol=1e-9)
