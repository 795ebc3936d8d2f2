"""The sections of flexible arms and of rovers say what the functions behind them say."""

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


def leading(text: str) -> float:
    return float(text.split(maxsplit=1)[0].replace("\N{MINUS SIGN}", "-").replace(",", ""))


def test_beams_of_a_flexible_arm(arm):
    motion = lp.Motion.swing(arm, 301)
    section = arm.report(motion).sections[-1]
    assert section.title == "Beams"
    found = figures(section)
    state = motion.q, motion.qd, motion.qdd
    tip = 1e3 * np.linalg.norm(arm.deflection(*state).tip.displacement, axis=-1).max()
    assert leading(found["Largest deflection"].value) == pytest.approx(tip, rel=1e-3)
    with np.errstate(divide="ignore"):
        safety = float(arm.stress(*state).worst.safety)
    assert leading(found["Safety against yield"].value) == pytest.approx(safety, rel=1e-3)
    lowest = arm.natural_frequencies(motion.q[:1], 1).frequencies[0, 0]  # one joint: the same in all poses
    assert leading(found["Lowest frequency"].value) == pytest.approx(lowest, rel=1e-3)


def test_a_motion_that_lets_the_arm_ring_is_alarming(arm):
    slow = figures(arm.report(lp.Motion.swing(arm, duration=20.0)).sections[-1])["Lowest frequency"]
    fast = figures(arm.report(lp.Motion.swing(arm, duration=0.3)).sections[-1])["Lowest frequency"]
    assert fast.alarming and not slow.alarming


def test_wheels_of_a_rover():
    rover = lp.catalog.lau_rover()
    motion = lp.Motion.swing(rover.robot, 201)
    report = rover.report(motion)
    section = report.sections[-1]
    assert section.title == "Wheels"
    loads = rover.wheel_loads(motion.q, motion.qd, motion.qdd)
    stability = rover.stability(motion.q, motion.qd, motion.qdd)
    found = figures(section)
    assert leading(found["Largest wheel load"].value) == pytest.approx(loads.normal.max(), rel=1e-3)
    assert leading(found["Smallest tipping margin"].value) == pytest.approx(stability.margin.min(), rel=1e-3)
    (table,) = [block for block in section.blocks if isinstance(block, Table)]
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
    (table,) = [block for block in report.sections[1].blocks if isinstance(block, Table)]
    for k, row in enumerate(table.rows):
        assert abs(leading(row[2][0])) == pytest.approx(np.abs(tau[:, k]).max(), rel=1e-3)
    causes = " ".join(block.text for block in report.sections[3].blocks if block.kind == "text")
    charts = [c for b in report.sections[3].blocks if b.kind == "choice" for c in b.charts.values()]
    assert "base" in causes or any(trace["name"].startswith("base") for c in charts for trace in c.traces)


def test_a_rover_on_a_slope_weighs_on_its_robot():
    rover = lp.catalog.lau_rover().on(lp.Ground(slope=0.2))
    level, steep = lp.catalog.lau_rover().report(), rover.report(heading=np.pi)
    assert level.sections[1].blocks[0].rows != steep.sections[1].blocks[0].rows
    with pytest.raises(ValueError, match="one heading"):
        rover.report(heading=np.zeros(3))
