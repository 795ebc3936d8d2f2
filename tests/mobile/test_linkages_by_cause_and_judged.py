"""Wheels on links by cause, in verdicts, reports and peaks: sums, hand moments, and runs as free bodies."""

from __future__ import annotations

import numpy as np
import pytest
from linked import axle, rocker_bogie, tractor, trailer, with_trailer
from numpy.testing import assert_allclose

import loadpath as lp

G = 9.81


@pytest.fixture(scope="module")
def truck():
    return with_trailer(pitch=True)


@pytest.fixture(scope="module")
def run(truck):
    rates = {"rl": lambda t: (2.0 + t) / 0.3, "rr": lambda t: (2.0 + t) / 0.3}
    return truck.simulate([0.0, 0.0], velocity=(2.0, 0.0), wheel_rates=rates, steering={"fl": 0.0, "fr": 0.0},
                          duration=0.2, sample_rate=20)


@pytest.mark.parametrize(("name", "rolling"), [("truck", 0.0), ("truck", 0.02), ("rover", 0.0), ("rover", 0.02)])
@pytest.mark.parametrize("slope", [0.0, 0.1])
def test_causes_sum_to_the_loads(name: str, rolling: float, slope: float) -> None:
    rng, friction, ground = np.random.default_rng(4), lp.WheelFriction(0.8, rolling=rolling), lp.Ground(slope=slope)
    if name == "truck":
        rover, link = tractor(axle(), friction=friction).carrying(trailer(pitch=True), at=(-0.8, 0, 0.4)), "trailer"
    else:
        rover, link = rocker_bogie(link_mass=2.0, friction=friction), "left bogie"
    rover, free = rover.on(ground), np.array([1.0, 0.0]) if name == "truck" else np.zeros(3)  # the hitch about z
    q, qd, qdd = (free * rng.uniform(-0.3, 0.3, (4, rover.n)) for _ in range(3))
    moving = {"velocity": rng.normal(size=(4, 3)) * (1, 0, 0.1), "acceleration": rng.normal(size=(4, 3)) * (0.5, 0, 0),
              "heading": rng.normal(size=4), "external": {link: lp.Wrench((10.0, 3.0, -20.0), (1.0, 2.0, 3.0))}}
    split, standing = rover.wheel_load_breakdown(q, qd, qdd, **moving), rover.stability(q, qd, qdd, **moving)
    loads, weight = split.loads, split.loads.normal.sum(axis=-1).max()
    for quantity in ("normal", "longitudinal", "lateral", "drive_torque"):
        assert_allclose(getattr(split, quantity).sum(axis=-2), getattr(loads, quantity), atol=1e-12 * weight)
    there = np.isfinite(standing.edge_moments)
    assert_allclose(split.edge_moments.sum(axis=-2)[there], standing.edge_moments[there], atol=1e-12 * weight)
    assert split.edges == standing.edges


def test_causes_by_hand_moments(truck) -> None:
    """The trailer's weight is on its axle by levers, the tractor's not at all; braking takes some of it off."""
    split = truck.wheel_load_breakdown([0, 0], velocity=(5.0, 0.0), acceleration=(-2.0, 0.0))
    axle_load = {cause: values + split.by_cause("tr")[cause] for cause, values in split.by_cause("tl").items()}
    assert_allclose(axle_load["gravity trailer"], 300 * G * 2.6 / 3, rtol=1e-9)
    assert abs(axle_load["gravity rover"]) < 1e-9
    assert_allclose(axle_load["base inertial"], -300 * 2 * 0.3 / 3, rtol=1e-9)
    front = sum(split.by_cause(wheel)["gravity trailer"] for wheel in ("fl", "fr"))
    assert_allclose(front, -300 * G * 0.4 / 3 * 0.8 / 2.5, rtol=1e-9)


def test_what_joints_carry_has_the_wheels_of_their_links(truck) -> None:
    states = [0, 0], [0, 0], [0, 0]
    parts = truck.load_breakdown(*states).by_cause("pitch")
    assert_allclose(sum(part.force for part in parts.values()), (0, 0, 300 * G * 0.4 / 3), atol=1e-6)
    motion = lp.Motion(np.linspace(0, 1, 3), *np.zeros((3, 3, 2)))
    peaks = truck.peak_loads(motion)
    assert_allclose(peaks["pitch", "force_z"].highest.value, 300 * G * 0.4 / 3, rtol=1e-6)
    with pytest.raises(ValueError, match="ask for the motions of a spectrum singly"):
        truck.peak_loads(lp.DutySpectrum([(motion, 0.5), (motion, 0.5)]))


def test_a_run_has_the_loads_and_margins_of_its_linkage(truck, run) -> None:
    still = np.zeros((len(run.times), 2))
    given = {"velocity": run.velocity, "acceleration": run.acceleration, "steering": np.zeros(2)}
    statics = truck.stability(run.q, run.qd, still, **given)
    for name in ("margin", "energy_margin"):
        assert_allclose(getattr(truck.stability(run), name), getattr(statics, name), rtol=1e-6)
    assert truck.stability(run).edges == statics.edges
    assert_allclose(truck.inverse_dynamics(run), 0, atol=1e-6)  # no drive holds the hitch
    assert_allclose(truck.joint_wrenches(run).force[:, -1, 0], 300.0, rtol=1e-6)  # 1 m/s^2
    split = truck.wheel_load_breakdown(run)
    assert_allclose(split.joints.sum(axis=-2), split.loads.state.linked.load, atol=1e-6)
    rover = rocker_bogie(link_mass=2.0)
    stands = rover.simulate([0, 0, 0], duration=0.02, sample_rate=50)
    assert_allclose(rover.stability(stands).margin, rover.stability([0, 0, 0]).margin, rtol=0.05)  # not 0.5, the hull's


def test_verdicts(truck, run) -> None:
    rated = truck.with_parts({"tl": lp.WheelRating(load=1400.0, speed=5.0)})
    still = np.zeros(2)
    judged = rated.verdict((still, still, still), velocity=(1.0, 0.0))
    rows = {(row.joint, row.check): row for row in judged}
    standing = truck.stability([0, 0])
    assert_allclose(rows["rover", "tipping over"].demand + standing.margin, rows["rover", "tipping over"].capacity)
    assert_allclose(rows["rover", "tipping over"].capacity, 0.7, rtol=1e-9)  # half the track
    assert "J, 51.6°" in rows["rover", "tipping over"].note
    assert_allclose(rows["tl", "load"].demand, 300 * G * 2.6 / 6, rtol=1e-9)
    assert_allclose(rows["tl", "speed"].demand, 1.0, rtol=1e-9)
    assert_allclose(judged.causes(rows["tl", "load"])["gravity trailer"], 300 * G * 2.6 / 6, rtol=1e-9)
    towards = judged.causes(rows["rover", "tipping over"])
    assert_allclose(sum(towards.values()), rows["rover", "tipping over"].demand, atol=1e-9)
    found = {(row.joint, row.check): row for row in rated.verdict(run)}
    assert found["rover", "falling over"].holds
    assert_allclose(found["tl", "speed"].demand, run.velocity[-1, 0], rtol=1e-6)


def test_reports(truck, run) -> None:
    motion = lp.Motion(np.linspace(0, 1, 5), *np.zeros((3, 5, 2)))
    for report in (truck.report(run), truck.report(motion, velocity=(1.0, 0.0), acceleration=(-1.0, 0.0))):
        assert "over the edge rl, fl, tl" in report.html or "over the edge rr, fr, tr" in report.html
        assert "Energy left to tipping over" in report.html
    assert "What keeps the base from tipping over an edge" in report.html
    assert "Not by cause" not in report.html
