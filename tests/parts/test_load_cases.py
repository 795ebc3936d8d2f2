"""Load cases for finite elements: every link in equilibrium, at the instants of the peaks, and by hand."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from plain_parts import Coupling, Pin

import loadpath as lp
from loadpath.motion.carried import Carried

ROUNDING = 1e-12


def _moving(robot: lp.Robot) -> lp.Motion:
    return lp.Motion.swing(robot, 41)


@pytest.mark.parametrize(
    ("name", "frame"),
    [("panda", "link"), ("sliding", "link"), ("tree", "world"), ("closed", "link")],
)
def test_every_link_is_in_equilibrium(name: str, frame: str) -> None:
    robot = {"panda": lambda: lp.catalog.panda().with_payload(3.0, (0.02, 0, 0.1), inertia=np.eye(3) * 0.01),
             "sliding": lp.catalog.stanford_arm,
             "tree": lambda: lp.catalog.random_tree(6, 3),
             "closed": lp.catalog.four_bar}[name]()
    last = robot.link_names[-1]
    hook = {last: lp.Wrench(force=(3.0, -40.0, 5.0), torque=(1.0, 2.0, 3.0), axes="link", point=(0.1, 0, 0.2))}
    cases = robot.load_cases(_moving(robot), external=hook, frame=frame, count=6)
    assert len(cases) >= 2
    assert cases.residual < ROUNDING
    forces = [np.linalg.norm(load.force) for case in cases for link in case for load in link.loads]
    assert max(forces) > 1.0  # not in equilibrium because nothing acts


def test_a_moving_base_and_carried_loads_balance() -> None:
    arm = lp.catalog.planar(2).with_inertias({"base": lp.Inertia(4.0, (0.1, 0, 0))})
    box = Carried(2.0, from_=0.5, link="tip", name="box")
    motion = lp.Motion.through(arm, [[0, 0], [1, -1], [0, 0]], times=[0, 1, 2]).with_loads([box])
    moving = {"base_velocity": [0.1, 0, 0.2, 0, 0.3, 0.4], "base_acceleration": [0.5, 1.0, 0, 0.2, 0.7, -0.3]}
    assert arm.load_cases(motion, **moving).residual < ROUNDING
    assert {load.kind for case in arm.load_cases(motion) for link in case for load in link.loads} >= {"external"}


def test_a_level_arm_by_hand() -> None:
    cases = lp.catalog.planar(2).load_cases(([0, 0], [0, 0], [0, 0]), frame="world")
    link = cases[0]["link1"]
    loads = {load.name: load for load in link.loads}
    assert loads["joint1"].force == pytest.approx([0, 0, 2 * 9.81]) and loads["joint2"].force[2] == pytest.approx(-9.81)
    assert abs(loads["joint1"].torque[1]) == pytest.approx(9.81 * (0.5 + 1.5))
    assert loads["joint2"].point == pytest.approx([1.0, 0, 0])
    base = {load.kind: load for load in cases[0]["base"].loads}
    assert base["support"].force == pytest.approx([0, 0, 2 * 9.81])


def test_inertia_of_a_turning_rod_by_hand() -> None:
    case = lp.catalog.planar(1).load_cases(([0.0], [2.0], [3.0]), frame="world")[0]["link1"]
    assert case.acceleration == pytest.approx([-0.5 * 4, 0, 0.5 * 3])
    inertia = next(load for load in case.loads if load.kind == "inertia")
    assert inertia.force == pytest.approx([2.0, 0, -1.5])
    assert abs(inertia.torque[1]) == pytest.approx(3.0 / 12)
    assert case.angular_velocity @ case.angular_acceleration == pytest.approx(6.0)


def test_instants_are_those_of_the_peaks() -> None:
    arm = lp.catalog.panda()
    motion = _moving(arm)
    peaks = arm.peak_loads(motion)
    found = {why: case.sample for case in arm.load_cases(motion) for why in case.because}
    assert found["largest tilting moment at 'panda_joint2'"] == peaks["panda_joint2", "tilting_moment"].peak.sample
    assert found["largest force at 'panda_joint4'"] == peaks["panda_joint4", "force"].peak.sample
    some = arm.load_cases(motion, joints=["panda_joint4"])
    assert all("panda_joint4" in why for case in some for why in case.because)
    assert len(arm.load_cases(motion, count=1)) == 1
    with pytest.raises(ValueError, match="panda_joint_4"):
        arm.load_cases(motion, joints=["panda_joint_4"])
    with pytest.raises(ValueError, match="count is 0"):
        arm.load_cases(motion, count=0)
    with pytest.raises(ValueError, match="frame is 'base'"):
        arm.load_cases(motion, frame="base")


def test_verdicts_have_load_cases_at_their_instants() -> None:
    arm = lp.catalog.planar(2).with_parts({"joint1": [Pin(50.0), Coupling(30.0)]})
    found = arm.verdict(_moving(arm))
    cases = found.load_cases()
    assert cases[0].sample == found.worst.at.sample and "torque of coupling at 'joint1'" in cases[0].because


def test_files_still_sum_to_zero(tmp_path: object) -> None:
    arm = lp.catalog.panda()
    cases = arm.load_cases(_moving(arm), count=2)
    rows = list(csv.DictReader(cases.to_csv(tmp_path / "cases.csv").open()))
    assert len(rows) == len(cases.to_dataframe())
    mine = [row for row in rows if row["case"] == "0" and row["link"] == "panda_link3"]
    total = np.sum([[float(row[f"force_{k}"]) for k in "xyz"] for row in mine], axis=0)
    assert np.abs(total).max() < 1e-11
    written = json.loads(cases.to_json(tmp_path / "cases.json").read_text())
    link = written["cases"][1]["links"][4]
    assert link["link"] == "panda_link4" and len(link["acceleration"]) == 3
    assert written["frame"] == "link"
