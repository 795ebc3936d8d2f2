"""Pictures show what was computed: curves end where the deflection says, colors are the safety."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from random_arms import random_arm

import loadpath as lp
from loadpath.structure.arm_lines import deflected, magnification_of, mode_shape, resting, rigid_lines


def cantilever() -> lp.FlexibleRobot:
    beam = lp.Beam(lp.RectangularTube(0.02, 0.03, 0.002), lp.STEEL, end="tip_joint")
    return lp.catalog.planar(1).with_beams({"link1": beam}, inertia_from_beams=True)


@pytest.fixture(scope="module")
def arm() -> lp.FlexibleRobot:
    return random_arm(4, ["revolute", "prismatic"])


def test_a_beam_is_drawn_along_its_curve() -> None:
    """The sag under its own weight: q x^2 (6 L^2 - 4 L x + x^2) / (24 EI)."""
    arm = cantilever()
    shape, _ = deflected(arm, np.zeros(1), np.zeros(1), np.zeros(1), {"effects": ("bending",)})
    (curve,) = shape.curves
    x = curve.points[:, 0]
    section = lp.RectangularTube(0.02, 0.03, 0.002)
    load = 9.81 * 7850 * section.area
    stiffness = 210e9 * section.second_moment_z  # the section's z lies along the joint's axis, which is level
    sag = -load * x**2 * (6 - 4 * x + x**2) / (24 * stiffness)
    np.testing.assert_allclose(curve.displacement[:, 2], sag, atol=1e-4 * abs(sag).max())  # cubics between five points


def test_the_lines_end_where_the_deflection_says(arm: lp.FlexibleRobot) -> None:
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, arm.n))
    shape, _ = deflected(arm, q, qd, qdd, {})
    found = arm.deflection(q, qd, qdd)
    np.testing.assert_allclose(shape.tip_displacement, found.displacement, atol=1e-12)
    for curve in shape.curves[:2]:  # these end at a joint, whose child's frame they carry
        beam = arm.placed_beams[curve.beam]
        child = arm.joint(beam.child or "").child
        np.testing.assert_allclose(curve.points[0], shape.roots[arm.link_names.index(curve.link)], atol=1e-12)
        if beam.child not in dict(arm.joint_compliances) and isinstance(
            arm.joint(beam.child or "").motion, lp.Revolute
        ):
            k = arm.link_names.index(child)
            np.testing.assert_allclose(curve.displacement[-1], shape.root_displacement[k], atol=1e-12)
    rest = resting(arm, q)
    np.testing.assert_allclose(rest.roots, shape.roots, atol=1e-12)
    np.testing.assert_allclose(rest.curves[1].points[-1], shape.curves[1].points[-1], atol=1e-12)
    assert all(line.shape == (2, 3) for _, line in rigid_lines(arm, shape, 3.0))


def lengths(figure: Any) -> list[str]:
    json.loads(figure.to_json())  # what a page would get
    return [trace.name for trace in figure.data]


def test_figure_of_a_deflection(arm: lp.FlexibleRobot) -> None:
    q = np.zeros(arm.n)
    figure = arm.plot_deflection(q, magnification=7)
    assert lengths(figure)[:2] == ["undeflected", "deflected, 7 times"]
    tip = arm.deflection(q)["payload"].displacement
    rest = arm.link_poses(q)[-1, :3, 3]
    frames = next(trace for trace in figure.data if trace.name == "link frames")
    drawn = np.array([frames.x[-1], frames.y[-1], frames.z[-1]])
    np.testing.assert_allclose(drawn, rest + 7 * tip, atol=1e-12)
    shape, _ = deflected(arm, q, q, q, {})
    assert f"{1000 * shape.largest():.3g} mm" in figure.layout.title.text  # that of the last beam's free end


def test_magnification() -> None:
    arm = cantilever()
    shape, _ = deflected(arm, np.zeros(1), np.zeros(1), np.zeros(1), {})
    factor = magnification_of(shape, "auto")
    assert 0.04 < factor * shape.largest() / shape.size() <= 0.12
    assert factor / 10 ** np.floor(np.log10(factor)) in (1.0, 2.0, 5.0)
    assert magnification_of(resting(arm, np.zeros(1)), "auto") == 1.0
    with pytest.raises(ValueError, match="magnification is 'big'"):
        arm.plot_deflection([0.0], magnification="big")
    with pytest.raises(ValueError, match="magnification is nan"):
        arm.plot_deflection([0.0], magnification=float("nan"))
    with pytest.raises(ValueError, match=r"batch shape \(2,\): choose one"):
        arm.plot_deflection([[0.0], [1.0]])
    with pytest.raises(ValueError, match="NaN"):
        arm.plot_deflection([np.nan])


def test_colors_of_safety() -> None:
    arm = cantilever().with_payload(mass=12.0)
    q = np.array([[1.2], [0.1], [0.6]])
    stress = arm.stress(q, sections=25)
    figure = arm.plot_safety(q, against="yield")
    assert lengths(figure)
    assert f"smallest safety {stress.safety.min():.3g}, link 'link1', 0 m" in figure.layout.title.text
    assert "state 1" in figure.layout.title.text
    beam = next(trace for trace in figure.data if trace.name == "link1")
    np.testing.assert_allclose(beam.line.color, np.log10(np.clip(stress.safety.min(axis=0), 1, 10)), atol=1e-12)
    assert beam.z[-1] == pytest.approx(np.sin(0.1), abs=1e-9)  # drawn in the worst state
    both = arm.plot_safety(q)
    lower = np.minimum(stress.safety, arm.buckling_safety(q, sections=25).safety).min(axis=0)
    beam = next(trace for trace in both.data if trace.name == "link1")
    np.testing.assert_allclose(beam.line.color, np.log10(np.clip(lower, 1, 10)), atol=1e-12)
    with pytest.raises(ValueError, match="against is 'rust'"):
        arm.plot_safety(q, against="rust")
    with pytest.raises(ValueError, match="no state without a NaN"):
        arm.plot_safety([np.nan])


def test_figures_of_modes(arm: lp.FlexibleRobot) -> None:
    q = np.full((2, arm.n), 0.3)
    modes = arm.natural_frequencies(q, 3)
    one = modes[1]
    figure = one.plot(1)
    assert lengths(figure) == ["at rest", "out", "back", "joints"]
    assert f"mode 2, {one.frequencies[1]:.4g} Hz" in figure.layout.title.text
    shape = mode_shape(one, 0)
    for curve in shape.curves[:1]:
        k = arm.link_names.index(curve.link)
        np.testing.assert_allclose(curve.points[0], shape.roots[k], atol=1e-12)
    with pytest.raises(ValueError, match="choose it"):
        modes.plot()
    with pytest.raises(ValueError, match="mode is 7: there are 0 to 2"):
        one.plot(7)


def test_frequency_maps(arm: lp.FlexibleRobot) -> None:
    first, second, third = arm.dof_names
    seen: list[float] = []
    chart = arm.frequency_map({third: (-1.0, 1.0, 4), second: np.array([0.0, 0.2, 0.5])}, progress=seen.append)
    assert chart.frequencies.shape == (4, 3)
    assert chart.units == ("rad", "m")
    assert seen[-1] == 1.0
    direct = arm.natural_frequencies(chart.q[2, 1], 1).frequencies[0]
    assert chart.frequencies[2, 1] == pytest.approx(direct, rel=1e-4)
    assert chart.q[2, 1].tolist() == [0.0, 0.2, chart.axes[0][1][2]]
    assert arm.natural_frequencies(chart.worst_q, 1).frequencies[0] == pytest.approx(chart.lowest, rel=1e-4)
    heat = chart.plot()
    assert lengths(heat) == [None]
    assert heat.layout.xaxis.title.text == f"{third} (rad)"
    np.testing.assert_allclose(heat.data[0].z, chart.frequencies.T)
    line = arm.frequency_map({third: (-1.0, 1.0, 3)}, q=np.array([0.4, 0.1, 0.0]))
    assert line.frequencies.shape == (3,)
    assert line.q[0].tolist() == [0.4, 0.1, -1.0]
    lengths(line.plot())
    cloud = arm.frequency_map(samples=5, seed=3)
    assert cloud.frequencies.shape == (5,)
    assert cloud.tip == "payload"
    np.testing.assert_allclose(cloud.tip_positions, arm.link_poses(cloud.q)[:, -1, :3, 3])
    lengths(cloud.plot())
    given = arm.frequency_map(q=cloud.q)
    np.testing.assert_allclose(given.frequencies, cloud.frequencies)
    assert "5 poses" in repr(given)
    with pytest.raises(ValueError, match="'elbow' is no coordinate"):
        arm.frequency_map({"elbow": (0, 1)})
    with pytest.raises(ValueError, match="one or two coordinates"):
        arm.frequency_map(dict.fromkeys((first, second, third), (0, 1)))
    with pytest.raises(ValueError, match="expected two or more"):
        arm.frequency_map({first: (0, 1, 1)})
    with pytest.raises(ValueError, match="one pose"):
        arm.frequency_map({first: (0, 1)}, q=cloud.q)


def test_bandwidth_of_a_motion() -> None:
    arm = cantilever()
    lowest = arm.natural_frequencies([0.0], 1).frequencies[0]
    t = np.linspace(0, 40, 8001)
    for hertz in (1.0, 4.0):
        check = arm.bandwidth_check(lp.Motion(t, 0.1 * np.sin(2 * np.pi * hertz * t)[:, None]))
        assert hertz < check.bandwidth < 1.1 * hertz + 0.1
        assert check.frequency == pytest.approx(lowest, rel=1e-4)
        assert check.ratio == pytest.approx(lowest / check.bandwidth, rel=1e-4)
        assert check.passed == (check.ratio >= 5)
    slow, fast = (arm.bandwidth_check(lp.Motion.through(arm, [[0.0], [1.0]], times=[0, T])) for T in (4.0, 1.0))
    assert fast.bandwidth == pytest.approx(4 * slow.bandwidth, rel=0.02)  # the same stroke in a quarter of the time
    given = arm.bandwidth_check(lp.Motion.through(arm, [[0.0], [1.0]], times=[0, 1]), bandwidth=lowest / 2)
    assert not given.passed
    assert given.amplification == pytest.approx(4 / 3, rel=1e-3)
    assert "less than 5" in str(given)
    assert "at least 5" in str(slow)
    still = arm.bandwidth_check(lp.Motion([0.0, 1.0], [[0.2], [0.2]], [[0.0], [0.0]], [[0.0], [0.0]]))
    assert still.ratio == np.inf
    assert still.passed
    with pytest.raises(ValueError, match=r"takes an lp\.Motion or a simulation, not a ndarray"):
        arm.bandwidth_check(t)
    with pytest.raises(ValueError, match="bandwidth is -1"):
        arm.bandwidth_check(lp.Motion.swing(arm, duration=1.0), bandwidth=-1)
    with pytest.raises(ValueError, match="the motion has 2 coordinates"):
        arm.bandwidth_check(lp.Motion([0.0, 1.0], np.zeros((2, 2)), np.zeros((2, 2)), np.zeros((2, 2))))


def test_a_long_arm_in_a_plane_is_all_in_view_at_equal_scales() -> None:
    arm = lp.catalog.planar(1, length=60.0).with_beams(
        {"link1": lp.Beam(lp.Tube(0.5, 0.02), lp.STEEL, end="tip_joint")}, inertia_from_beams=True
    )
    for figure in (arm.plot_deflection([1.0]), arm.plot_safety([1.0]), arm.natural_frequencies([1.0]).plot(0)):
        view = figure.layout.scene
        ranges = {k: view[f"{k}axis"].range for k in "xyz"}
        sizes = np.array([high - low for low, high in ranges.values()])
        shares = np.array([view.aspectratio[k] for k in "xyz"])
        assert np.allclose(sizes / sizes.max(), shares / shares.max())
        assert shares.max() <= 2  # Plotly shows about that much
        for part in figure.data:
            for k, (low, high) in ranges.items():
                values = np.asarray(part[k], dtype=float)
                values = values[np.isfinite(values)]
                assert ((low <= values) & (values <= high)).all()


def test_a_rigid_link_whose_far_end_is_a_loop_is_drawn_to_it() -> None:
    """The rocker of a four-bar: a straight line from its joint to the pin at the end of the coupler."""
    bars = lp.catalog.four_bar()
    rod = lp.Beam(lp.Rod(0.008), lp.STEEL, end="rocker_pin")
    arm = bars.with_beams({"coupler": rod}, inertia_from_beams=True)
    still = np.zeros(3)
    shape, bent = deflected(arm, bars.home, still, still, {})
    (coupler,) = shape.curves
    for factor in (0.0, 1e4):
        (rocker,) = [line for link, line in rigid_lines(arm, shape, factor) if link == "rocker"]
        pin = coupler.points[-1] + factor * coupler.displacement[-1]
        np.testing.assert_allclose(rocker[1], pin, atol=1e-9)
        if factor == 0.0:
            joint = np.asarray(bars.link_poses(bars.home))[bars.link_names.index("rocker"), :3, 3]
            np.testing.assert_allclose(rocker, [joint, pin], atol=1e-9)
    assert len(bent.link_names) > len(arm.link_names)
    modes = arm.natural_frequencies(bars.home, count=1)
    (rocker,) = [line for link, line in rigid_lines(arm, mode_shape(modes, 0), 0.01) if link == "rocker"]
    (line,) = modes.beam_lines()
    np.testing.assert_allclose(rocker[1], line.points[-1] + 0.01 * line.displacement[0, -1], atol=1e-9)
