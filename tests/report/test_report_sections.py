"""The sections of flexible arms and of rovers say what the functions behind them say."""

from dataclasses import replace

import numpy as np
import pytest

import loadpath as lp
from loadpath.report import Table


@pytest.fixture(scope="module")
def arm():
    tube = lp.Tube(outer_radius=0.02, wall=0.0015)
    return lp.catalog.planar(1).with_payload(1.0).with_beams({"link1": lp.Beam(tube, lp.ALUMINIUM, end="tip_joint")})


def figures(section):
    return {figure.label: figure for figure in section.figures}


def titled(report, title):
    return next(section for section in report.sections if section.title == title)


def leading(text: str) -> float:
    return float(text.split(maxsplit=1)[0].replace("\N{MINUS SIGN}", "-").replace(",", ""))


def test_beams_of_a_flexible_arm(arm):
    motion = lp.Motion.swing(arm, 101)
    report = arm.report(motion)
    found = figures(titled(report, "Beams"))
    state = motion.q, motion.qd, motion.qdd
    tip = 1e3 * np.linalg.norm(arm.deflection(*state).tip.displacement, axis=-1).max()
    assert leading(found["Largest deflection"].value) == pytest.approx(tip, rel=1e-3)
    with np.errstate(divide="ignore"):
        safety = float(arm.stress(*state).worst.safety)
    assert leading(found["Safety against yield"].value) == pytest.approx(safety, rel=1e-3)
    lowest = arm.natural_frequencies(motion.q, 1, qd=motion.qd, qdd=motion.qdd).frequencies.min()
    assert leading(found["Lowest frequency"].value) == pytest.approx(lowest, rel=1e-3)
    factor = arm.buckling(*state).worst.factor
    assert leading(found["Buckling factor"].value) == pytest.approx(factor, rel=1e-2)
    assert set(found) < set(figures(titled(report, "Overview")))  # to be seen first


def test_vibration_and_fatigue_of_a_flexible_arm(arm):
    motion = lp.Motion.through(arm, [[0.0], [1.5]], times=[0.0, 0.5])
    report = arm.report(motion)
    found = figures(titled(report, "Vibration"))
    response = arm.respond(motion, damping=0.02)
    assert leading(found["Largest displacement, vibrating"].value) == pytest.approx(
        1e3 * response.peak.displacement, rel=1e-3)
    assert leading(found["Vibration left at the end"].value) == pytest.approx(1e3 * response.residual, rel=1e-3)
    settled = found["Settling time"]
    assert leading(settled.value) == pytest.approx(response.settling_time(1e-4), rel=1e-3)  # the arm is 1 m long
    life = figures(titled(report, "Fatigue"))["Fatigue life"]
    worst = arm.fatigue(motion).worst
    assert life.value.startswith("unlimited") == np.isinf(worst.life)
    (table,) = [block for block in titled(report, "Fatigue").blocks if isinstance(block, Table)]
    assert leading(table.rows[0][3]) == pytest.approx(worst.largest_range / 1e6, rel=1e-3)


def test_what_an_arm_refuses_stands_on_the_page(arm):
    """A material without fatigue data, a motion that does not end at rest: the page says so and has the remainder."""
    plain = replace(lp.ALUMINIUM, name="plain", fatigue=None)
    bare = arm.with_beams({"link1": lp.Beam(lp.Tube(0.02, 0.0015), plain, end="tip_joint")})
    report = bare.report(lp.Motion.swing(bare, 101))
    section = titled(report, "Fatigue")
    assert not section.figures and any("plain" in warning for warning in section.warnings)
    assert titled(report, "Vibration").figures


def test_a_rover_on_tyres_shows_its_sag_and_its_margin_deflected(arm):
    base = lp.WheeledBase(mass=40, center_of_mass=(0.2, 0, 0.3), inertia=np.diag([1.0, 2.0, 3.0]), wheels=[
        lp.FixedWheel((x, y), 0.1, stiffness=2e4) for x in (-0.5, 0.5) for y in (-0.9, 0.9)],
        friction=lp.WheelFriction(0.8))
    rover = base.carrying(arm, at=(0.1, 0, 0.5))
    motion = lp.Motion.swing(rover.robot, 101)
    first = figures(titled(rover.report(motion, acceleration=(0.5, 0.0)), "Overview"))
    states, moving = (motion.q, motion.qd, motion.qdd), {"acceleration": (0.5, 0.0)}
    tip = 1e3 * np.linalg.norm(rover.deflection(*states, **moving).tip.displacement, axis=-1).max()
    assert leading(first["Largest deflection"].value) == pytest.approx(tip, rel=1e-3)
    margin = rover.stability(*states, deflected=True, **moving).margin.min()
    assert leading(first["Tipping margin, deflected"].value) == pytest.approx(margin, rel=1e-3)
    assert leading(first["Tipping margin, deflected"].value) < leading(first["Smallest tipping margin"].value)
    ringing = rover.respond(motion, **moving).peak.displacement
    assert leading(first["Largest displacement, vibrating"].value) == pytest.approx(1e3 * ringing, rel=1e-3)


def test_a_motion_that_lets_the_arm_ring_is_alarming(arm):
    slow, fast = (figures(titled(arm.report(lp.Motion.swing(arm, duration=t)), "Beams"))["Lowest frequency"]
                  for t in (20.0, 0.3))
    assert fast.alarming and not slow.alarming


def test_wheels_of_a_rover():
    rover = lp.catalog.lau_rover()
    motion = lp.Motion.swing(rover.robot, 201)
    report = rover.report(motion)
    section = titled(report, "Wheels")
    loads = rover.wheel_loads(motion.q, motion.qd, motion.qdd)
    stability = rover.stability(motion.q, motion.qd, motion.qdd)
    found = figures(section)
    assert leading(found["Largest wheel load"].value) == pytest.approx(loads.normal.max(), rel=1e-3)
    assert leading(found["Smallest tipping margin"].value) == pytest.approx(stability.margin.min(), rel=1e-3)
    table, *_ = [block for block in section.blocks if isinstance(block, Table)]
    assert [row[0] for row in table.rows] == list(rover.contact_names)
    assert any("rolls away" in warning for warning in section.warnings)  # its wheels are not driven


def test_a_moving_base_loads_the_robot_on_it():
    rover = lp.catalog.lau_rover(driven=True)
    motion = lp.Motion.swing(rover.robot, 51)
    v, w, a = np.full(51, 0.5), np.full(51, 0.8), np.full(51, 2.0)
    report = rover.report(motion, velocity=(v, w), acceleration=(a, 0 * a))
    none, zero = np.zeros(51), np.zeros(51)
    twist = np.stack([v, none, none, none, none, w], axis=-1)
    rate = np.stack([a, w * v, none, none, none, zero], axis=-1)
    tau = rover.robot.inverse_dynamics(motion.q, motion.qd, motion.qdd, base_velocity=twist, base_acceleration=rate)
    table = next(block for block in titled(report, "Drives").blocks if isinstance(block, Table))
    for k, row in enumerate(table.rows):
        assert abs(leading(row[2][0])) == pytest.approx(np.abs(tau[:, k]).max(), rel=1e-3)
    blocks = titled(report, "Where the loads come from").blocks
    causes = " ".join(block.note for block in blocks)
    charts = [c for b in blocks if b.kind == "choice" for c in b.charts.values()]
    assert "base" in causes or any(trace["name"].startswith("base") for c in charts for trace in c.traces)


def test_a_rover_on_a_slope_weighs_on_its_robot():
    rover = lp.catalog.lau_rover().on(lp.Ground(slope=0.2))
    level, steep = lp.catalog.lau_rover().report(), rover.report(heading=np.pi)
    assert titled(level, "Drives").blocks[0].rows != titled(steep, "Drives").blocks[0].rows
    with pytest.raises(ValueError, match="expected one number, or one for each of the"):
        rover.report(heading=np.zeros(3))


def test_a_base_that_turns_on_a_slope():
    """The weight along the slope turns with the heading."""
    rover = lp.catalog.lau_rover().on(lp.Ground(slope=0.2))
    motion = lp.Motion.swing(rover.robot, 41)
    heading = np.linspace(0.0, 2.0, 41)
    report = rover.report(motion, heading=heading)
    expected = [
        rover.robot.with_gravity(rover.ground.gravity_in_base(h)).inverse_dynamics.uncompiled(q, qd, qdd)
        for h, q, qd, qdd in zip(heading.tolist(), motion.q, motion.qd, motion.qdd, strict=True)
    ]
    for k, row in enumerate(titled(report, "Drives").blocks[0].rows):
        assert abs(leading(row[2][0])) == pytest.approx(np.abs(np.array(expected)[:, k]).max(), rel=1e-3)
    assert "heading 0 rad to 2 rad" in report.subtitle or "heading 0 to 2 rad" in report.subtitle
    assert not any("motion of the base" in warning for warning in report.sections[0].warnings)  # it is gravity
