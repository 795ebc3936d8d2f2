"""Payload diagrams: against `max_payload` and verdicts on robots that carry the mass, by hand, and their shape."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import loadpath as lp
from loadpath.handling import diagram
from loadpath.handling.offsets import Grid, Places, azimuths

OFFSETS = (np.linspace(-0.1, 0.4, 6), np.linspace(0.0, 0.3, 5))


@pytest.fixture(scope="module")
def panda() -> lp.Robot:
    return lp.catalog.panda()


@pytest.fixture(scope="module")
def swing(panda: lp.Robot) -> lp.Motion:
    return lp.Motion.swing(panda, samples=60)


LIMITS = {"panda_joint4": {"radial_force": 110.0, "tilting_moment": 30.0, "force_x": (-100.0, 90.0)},
          "panda_joint6": {"axial_force": (-60.0, 60.0), "torque": 20.0}, "panda_joint5": 5.0}


def test_ten_places_give_all_others() -> None:
    rng = np.random.default_rng(0)
    points = rng.normal(size=(50, 3))
    where = Places.around(points)
    # Any polynomial of the second degree is met.
    a, b, C = rng.normal(), rng.normal(size=3), rng.normal(size=(3, 3))
    values = lambda x: a + x @ b + np.einsum("...i,ij,...j->...", x, C, x)  # noqa: E731
    np.testing.assert_allclose(where.weights(points) @ values(where.nodes), values(points), rtol=1e-11, atol=1e-12)


def test_fifty_random_offsets_against_max_payload(panda: lp.Robot, swing: lp.Motion) -> None:
    """Every kind of limit, in motion: what the diagram says at 50 places is what max_payload says of each by itself."""
    rng = np.random.default_rng(1)
    axial, radial = np.sort(rng.uniform(-0.1, 0.4, 10)), np.sort(rng.uniform(-0.3, 0.3, 5))
    way = np.array([0.6, 0.8, 0.0])
    found = panda.payload_diagram(swing, offsets=(axial, radial), directions=("z", way), limits=LIMITS)
    binding = set()
    for i, x in enumerate(axial):
        for j, y in enumerate(radial):
            alone = panda.max_payload(swing, LIMITS, center_of_mass=(y * way + (0, 0, x)).tolist())
            assert found.mass[i, j] == pytest.approx(alone.mass, rel=1e-12)
            assert alone.binding is not None
            limit = found.limit(i, j)
            quantity = "drive" if limit.check == "effort" else limit.check
            assert (limit.joint, quantity, found.sample[i, j]) == (
                alone.binding.name, alone.binding.quantity, alone.binding.sample)
            binding.add(limit)
    assert len(binding) > 1
    assert set(found.shares) == binding
    assert sum(found.shares.values()) == pytest.approx(1.0)


def test_bodies_and_what_acts_beside(panda: lp.Robot, swing: lp.Motion) -> None:
    tensor = np.diag([0.02, 0.03, 0.04])
    acting = {"external": {"panda_hand": lp.Wrench(force=(3.0, -2.0, 5.0))} if "panda_hand" in panda.link_names else
              {panda.link_names[-1]: lp.Wrench(force=(3.0, -2.0, 5.0))},
              "base_acceleration": [0.5, 0.2, 1.0, 0.0, 0.0, 0.3]}
    found = panda.payload_diagram(swing, offsets=([0.1], [0.2]), directions=("-x", "y"), inertia_per_mass=tensor,
                                  limits=LIMITS, **acting)
    alone = panda.max_payload(swing, LIMITS, center_of_mass=(-0.1, 0.2, 0.0), inertia_per_mass=tensor, **acting)
    assert found.mass[0, 0] == pytest.approx(alone.mass, rel=1e-12)


def test_worst_direction_all_around(panda: lp.Robot, swing: lp.Motion) -> None:
    found = panda.payload_diagram(swing, offsets=OFFSETS, around=6)
    assert found.directions[1] is None
    for i, j in ((0, 0), (3, 4), (5, 2)):
        each = []
        for angle in np.arange(6) * np.pi / 3:
            center = found.radial[j] * np.array([math.cos(angle), math.sin(angle), 0]) + (0, 0, found.axial[i])
            each.append(panda.max_payload(swing, center_of_mass=center.tolist()).mass)
        assert found.mass[i, j] == pytest.approx(min(each), rel=1e-12)
        if j:
            assert found.azimuth[i, j] == pytest.approx(int(np.argmin(each)) * np.pi / 3)


def test_azimuths_are_across_any_direction() -> None:
    for axial in (np.eye(3)[0], np.eye(3)[2], np.array([1.0, 2.0, -2.0]) / 3):
        ways, angles = azimuths(axial, None, 5)
        np.testing.assert_allclose(ways @ axial, 0, atol=1e-15)
        np.testing.assert_allclose(np.linalg.norm(ways, axis=1), 1)
        assert len(angles) == 5


def test_pendulum_by_hand() -> None:
    """A rod of 1 kg and 1 m held level and turning: T = (g/2 + a/3) + m (g (1 + x) + a ((1 + x)^2 + y^2))."""
    arm, a, limit = lp.catalog.planar(1), 3.0, 40.0
    found = arm.payload_diagram([0.0], [0.0], [a], offsets=OFFSETS, directions=("x", "y"), limits={"joint1": limit})
    g = 9.81
    x, y = 1.0 + found.axial[:, None], found.radial[None, :]
    # Level, an offset across the rod has no weight's arm, but inertia.
    by_hand = (limit - g / 2 - a / 3) / (g * x + a * (x**2 + y**2))
    np.testing.assert_allclose(found.mass, by_hand, rtol=1e-13)


def test_shape_of_printed_diagrams(panda: lp.Robot, swing: lp.Motion) -> None:
    """In statics the reciprocal of the mass is a maximum of affine functions of the offset: convex."""
    still = np.random.default_rng(3).uniform(-1, 1, (40, panda.n)), np.zeros((40, panda.n)), np.zeros((40, panda.n))
    x, y = np.linspace(0, 0.4, 9), np.linspace(-0.3, 0.3, 9)
    found = panda.payload_diagram(*still, offsets=(x, y), directions=("z", "x"), limits=LIMITS)
    rate = 1.0 / found.mass
    for along in (rate, rate.T, np.stack([np.diagonal(rate)])):
        assert (np.diff(along, 2, axis=1) >= -1e-12).all()
    assert (np.diff(np.sort(found.mass.ravel())) >= 0).all()
    far = panda.payload_diagram(*still, offsets=([0.0, 1.0, 2.0, 4.0], [0.0]), limits=LIMITS)
    assert (np.diff(far.mass[1:, 0]) < 0).all()          # far out, farther is less


def geared() -> tuple[lp.Robot, lp.Motion]:
    arm = lp.catalog.planar(2).with_limits({})
    arm = arm.with_drives({name: lp.Drive(ratio=50, rotor_inertia=2e-4, efficiency=0.85, torque_constant=0.1)
                           for name in ("joint1", "joint2")})
    gear = {"rated_torque": 60.0, "rated_speed": 200.0, "rated_life": 8000.0, "average_torque": 80.0,
            "peak_torque": 140.0}
    arm = arm.with_parts({
        "joint1": [lp.StrainWaveGear(ratio=50, **gear, name="G1"), lp.Motor(continuous_torque=1.2, peak_torque=4.0),
                   lp.BoltedFlange(bolts=8, circle=0.1, preload=8e3, proof_load=12e3, friction=0.12)],
        "joint2": [lp.StrainWaveGear(ratio=50, **gear, name="G2"),
                   lp.CrossedRollerBearing(C=9e3, C0=12e3, dp=0.05, permitted_moment=60.0),
                   lp.Brake(holding_torque=3.0)],
    })
    return arm, lp.Motion.swing(arm, 41, duration=1.2)


@pytest.mark.parametrize("hours", [None, 20_000.0])
def test_parts_against_a_verdict_on_each(hours: float | None) -> None:
    """At the mass of each cell a verdict on the robot that carries it has its worst row at 1, and it is that limit."""
    arm, swing = geared()
    found = arm.payload_diagram(swing, offsets=([0.0, 0.2], [0.0, 0.5]), directions=("x", "y"), hours=hours)
    for i, j in np.ndindex(found.mass.shape):
        loaded = arm.with_payload(found.mass[i, j], (found.axial[i], found.radial[j], 0.0))
        row = max((row for row in loaded.verdict(swing, hours=hours).ranked if row.check not in ("speed", "position")),
                  key=lambda row: row.utilisation)
        assert row.utilisation == pytest.approx(1.0, abs=1e-10)
        assert (row.joint, row.part, row.check) == tuple(found.limit(i, j))
    assert found.not_checked
    assert all(note for _, note in found.not_checked)


def test_tiles_and_foremost_states_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is proven of whole tiles, and found by few states, is what all states say of each cell."""
    arm, swing = geared()
    options = {"offsets": (np.linspace(-0.3, 0.6, 13), np.linspace(0.5, 0.0, 11)), "directions": ("x", "z"),
               "hours": 20_000.0}
    limits = {"joint2": {"radial_force": 35.0, "tilting_moment": 6.0}, "joint1": 60.0}
    asked = [(arm, {}), (arm.without_parts("joint1"), {"limits": limits})]
    quick = [one.payload_diagram(swing, **options, **more) for one, more in asked]
    monkeypatch.setattr(diagram, "COARSE", 10**9)
    monkeypatch.setattr(diagram, "_unproven", lambda part, grid, best: np.flatnonzero(np.isfinite(best) & (best > 0)))
    for (one, more), found in zip(asked, quick, strict=True):
        whole = one.payload_diagram(swing, **options, **more)
        np.testing.assert_allclose(found.mass, whole.mass, rtol=1e-12)
        np.testing.assert_array_equal(found.which, whole.which)
    assert len(quick[1].shares) == 3


def test_control_points_hold_all_cells_of_a_tile() -> None:
    """Any convex function of a payload is no larger in a tile than at its control points."""
    rng = np.random.default_rng(5)
    ways = np.array([0.0, 0.0, 1.0]), np.array([[0.6, 0.8, 0.0]])
    grid = Grid(np.linspace(-0.2, 0.5, 7), np.linspace(0.0, 0.4, 5), *ways)
    places = Places.around(grid.points)
    cells = places.weights(grid.points.reshape(-1, 3))
    for tile in grid.tiles(4):
        at, hull = cells[grid.numbers(tile)], grid.hull(tile, places)
        for _ in range(20):
            A = rng.normal(size=(10, 4))
            convex = [np.linalg.norm(points @ A, axis=1).max() for points in (at, hull)]
            assert convex[0] <= convex[1] * (1 + 1e-12)
        # One of the corners is a cell, so that nothing smaller would do.
        assert min(np.abs(hull - row).max(axis=1).min() for row in at) < 1e-9


def test_what_stands_still_never_wears() -> None:
    """With a life asked for, gears and rings of joints at rest have a life without end at any payload."""
    arm, _ = geared()
    still = [[0.0, 0.0]], [[0.0, 0.0]], [[0.0, 0.0]]
    found = arm.payload_diagram(*still, offsets=([0.0], [0.0]), hours=20_000.0)
    loaded = arm.with_payload(found.mass[0, 0]).verdict(*still, hours=20_000.0)
    assert loaded.ranked[0].utilisation == pytest.approx(1.0, abs=1e-10)
    assert loaded.ranked[0].check == found.limit(0, 0).check


def test_spectrum(panda: lp.Robot, swing: lp.Motion) -> None:
    spectrum = lp.DutySpectrum([(swing, 0.5), (swing.scaled(speed=0.5), 0.5)])
    both = panda.payload_diagram(spectrum, offsets=([0.1], [0.1]))
    each = [panda.payload_diagram(motion, offsets=([0.1], [0.1])).mass[0, 0] for motion in spectrum.motions]
    assert both.mass[0, 0] == pytest.approx(min(each), rel=1e-12)


def test_loops() -> None:
    """Reactions of a loop, too; a pin that closes it carries what the coupler does."""
    bar = lp.catalog.four_bar()
    moving = lp.Motion.swing(bar, 21)
    limits = {"rocker_pin": {"radial_force": 300.0}, "crank_joint": 500.0, "coupler_joint": {"radial_force": 250.0}}
    found = bar.payload_diagram(moving, offsets=([0.1, 0.3], [0.0, 0.2]), directions=("x", "y"), link="coupler",
                                limits=limits)
    for i, j in np.ndindex(found.mass.shape):
        center = (found.axial[i], found.radial[j], 0.0)
        alone = bar.max_payload(moving, limits, link="coupler", center_of_mass=center)
        assert found.mass[i, j] == pytest.approx(alone.mass, rel=1e-12)
        assert alone.binding is not None
        assert found.limit(i, j).joint == alone.binding.name


def test_what_is_carried_already_stays(panda: lp.Robot, swing: lp.Motion) -> None:
    carrying = panda.with_payload(1.0, (0, 0, 0.1))
    offsets = ([0.1], [0.0])
    free, more = (robot.payload_diagram(swing, offsets=offsets, link="panda_link8") for robot in (panda, carrying))
    assert more.carried == 1.0
    assert more.mass[0, 0] == pytest.approx(free.mass[0, 0] - 1.0, rel=1e-10)


def test_nothing_left_and_nothing_bound() -> None:
    arm = lp.catalog.planar(1)
    level = [0.0], [0.0], [0.0]
    over = arm.payload_diagram(*level, offsets=([0.0], [0.0]), limits={"joint1": 1.0})
    assert over.mass[0, 0] == 0.0
    assert over.limit(0, 0).joint == "joint1"
    none = arm.payload_diagram(*level, offsets=([-1.0, 0.0], [0.0]), directions=("x", "y"), limits={"joint1": 100.0})
    assert math.isinf(none.mass[0, 0])                   # on the axis it weighs nothing
    assert np.isfinite(none.mass[1, 0])
    with pytest.raises(ValueError, match="no payload at -1 m, 0 m"):
        none.limit(0, 0)
    assert "0.5" in str(none.shares[none.limit(1, 0)])


def test_largest_inertia_by_hand_and_by_max_payload(panda: lp.Robot, swing: lp.Motion) -> None:
    found = panda.payload_diagram(swing, offsets=([0.1], [0.0]), limits=LIMITS)
    tensor = np.diag([1.0, 0.5, 0.8])
    most = panda.max_payload(swing, LIMITS, center_of_mass=(0, 0, 0.1)).mass
    masses = np.array([0.3 * most, 0.9 * most, 1.1 * most])
    chart = found.largest_inertia(masses, (0, 0, 0.1), tensor=tensor)
    assert math.isnan(chart.inertia[2])
    for mass, inertia, k in zip(masses[:2], chart.inertia[:2], chart.which[:2], strict=True):
        # A payload whose inertia goes with its mass in this ratio may have just this mass.
        alone = panda.max_payload(swing, LIMITS, center_of_mass=(0, 0, 0.1), inertia_per_mass=inertia / mass * tensor)
        assert alone.mass == pytest.approx(mass, rel=1e-10)
        assert alone.binding is not None
        assert chart.limits[k].joint == alone.binding.name
    assert len(found.largest_inertia().mass) == 11
    assert "kg m^2" in chart.to_table()


def test_tables_pictures_and_files(panda: lp.Robot, swing: lp.Motion, tmp_path: Path) -> None:
    found = panda.payload_diagram(swing, offsets=OFFSETS, directions=("z", "x"), limits=LIMITS)
    assert found.to_table().count("\n") == 1 + len(found.axial)
    lines = found.to_csv(tmp_path / "diagram.csv").read_text().splitlines()
    assert len(lines) == 1 + found.mass.size
    assert float(lines[1].split(",")[2]) == found.mass[0, 0]
    assert found.to_dataframe().shape == (30, 8)
    figure = found.plot([1.0, 2.0])
    names = {trace.name for trace in figure.data if trace.name}
    assert names == {limit.words for limit in found.shares}
    levels = [trace.contours.value for trace in figure.data if trace.type == "contour"]
    assert levels == [1.0, 2.0]
    assert "panda" in repr(found) and "kg" in found._repr_html_()
    masses = list(panda.payload_diagram(swing, offsets=([0.0], [0.0])).plot().data)
    assert masses


@pytest.mark.parametrize(("options", "words"), [
    ({"offsets": ([0.0], [-0.1])}, "a radial offset is -0.1 m: expected zero or more"),
    ({"offsets": ([0.0],)}, "expected two rows of numbers"),
    ({"offsets": ([math.nan], [0.0])}, "axial offsets are .*: expected one row of finite numbers"),
    ({"offsets": (["a"], [0.0])}, "axial offsets"),
    ({"offsets": ([], [0.0])}, "expected one row of finite numbers"),
    ({"directions": ("z", "-z")}, "expected two that are not parallel"),
    ({"directions": ("w", None)}, "the axial direction is 'w'"),
    ({"directions": "z"}, "expected two"),
    ({"around": 0}, "'around' is 0"),
    ({"limits": {"panda_joint9": 3.0}}, "no such degree of freedom"),
    ({"link": "nowhere"}, "nowhere"),
    ({"hours": -1.0}, "hours"),
    ({"inertia_per_mass": [[1.0]]}, "inertia_per_mass"),
    ({"model_limits": False}, "has no limits of effort and no parts"),
])
def test_wrong_questions(panda: lp.Robot, swing: lp.Motion, options: dict, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        panda.payload_diagram(swing, **options)


def test_states_that_are_not_there_or_no_numbers(panda: lp.Robot) -> None:
    none = np.zeros((0, panda.n))
    with pytest.raises(ValueError, match="there are no states"):
        panda.payload_diagram(none, none, none)
    bad = np.full((1, panda.n), math.nan)
    with pytest.raises(ValueError, match="not numbers in some states"):
        panda.payload_diagram(bad, 0 * bad, 0 * bad)


def test_units_as_text(panda: lp.Robot, swing: lp.Motion) -> None:
    text = panda.payload_diagram(swing, offsets=(["0 mm", "100 mm"], ["5 cm"]))
    number = panda.payload_diagram(swing, offsets=([0.0, 0.1], [0.05]))
    np.testing.assert_array_equal(text.mass, number.mass)


def test_robots_on_a_rover() -> None:
    """A rover may tip before its robots are at a limit; on a base that is held it is as max_payload."""
    rover = lp.catalog.lau_rover()
    states = [0.3, 0.4, 1.0], [0.5, 0.0, 0.1], [1.0, 0.5, 0.0]
    options = {"limits": {"theta2": 400.0}, "link": "rod"}
    with pytest.raises(lp.ModelError, match=r"may tip or slip.*rover\.largest_payload"):
        rover.payload_diagram(*states, offsets=([0.0, 0.3], [0.2]), **options)
    held = rover.on_fixed_base
    found = held.payload_diagram(*states, offsets=([0.0, 0.3], [0.2]), directions=("x", "y"), **options)
    alone = held.max_payload(*states, center_of_mass=(0.3, 0.2, 0.0), **options)
    assert found.mass[1, 0] == pytest.approx(alone.mass, rel=1e-12)
