"""Sections of exceptional cases: every row equals the function that it shows."""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp
from loadpath.parts.verdict.table import percent
from loadpath.report.blocks import Chart, Section, Table, number

GEAR = lp.StrainWaveGear(ratio=100, peak_torque=400, momentary_torque=800, name="gear")
BRAKE = lp.Brake(holding_torque=150.0, response_time=0.02, on="joint", energy_per_stop=200.0, name="brake")
CASES = (lp.ExceptionalCase("e-stop", "stop", at=0.5, count=100),
         lp.ExceptionalCase("lean", "static", external={"link2": lp.Wrench(force=(0, 0, -200))}))


def arm() -> lp.Robot:
    robot = lp.catalog.planar(2).with_payload(3.0)
    return robot.with_parts({name: [GEAR, BRAKE] for name in robot.dof_names})


def motion(robot: lp.Robot) -> lp.Motion:
    return lp.Motion.through(robot, [[0, 0], [1.0, -0.5]], times=[0, 1.0])


def table(section: Section, title: str) -> Table:
    return next(block for block in section.blocks if isinstance(block, Table) and block.title == title)


@pytest.mark.parametrize("of_cycles", [False, True])
def test_every_row_is_what_its_function_says(of_cycles: bool) -> None:
    robot = arm()
    moving = motion(robot)
    both = [(moving, 0.5), (moving.scaled(duration=2.0), 0.5)]
    duty = lp.DutySpectrum(both, ["fast", "slow"]) if of_cycles else moving
    made = robot.report(duty, exceptions=CASES, only=["verdict", "exceptions"])
    found = robot.verdict(duty, exceptions=CASES)
    assert made.verdict is not None and made.verdict.headline == found.headline
    sections = [section for section in made.sections if section.title.startswith("Exception: ")]
    assert [section.title.removeprefix("Exception: ") for section in sections] == [
        case.name for case in found.exceptions]
    assert len(sections) == (4 if of_cycles else 2)
    for section, case in zip(sections, found.exceptions, strict=True):
        limits = table(section, "Momentary limits")
        rows = {(row.part, row.joint, row.check): row for row in case.verdict.checks}
        for cells in limits.rows:
            row = rows[cells[0], cells[1], cells[2] if isinstance(cells[2], str) else cells[2][0]]
            shown = cells[3] if isinstance(cells[3], str) else cells[3][0]
            assert (shown, cells[4], cells[6]) == (number(row.demand), number(row.capacity), percent(row.utilisation))
        assert section.figures[0].value == percent(case.verdict.worst.utilisation)
    assert not any("nan" in cell[1] for section in sections for cells in table(section, "Momentary limits").rows
                   for cell in cells if not isinstance(cell, str))
    stop = robot.stop(moving, at=0.5)
    facts = {row[0]: row[1] for row in table(sections[0], "What happens").rows}
    assert facts == {"instant of the motion": "0.5", "stopping time": number(stop.time),
                     f"way of '{stop.tip}'": number(stop.tip_distance), "energy in all brakes": number(stop.heat.sum())}
    charts = {block.title: block for block in sections[0].blocks if isinstance(block, Chart)}
    assert set(charts) == {"Torques at the joints", "Speeds, turning", "Heat of the brakes"}
    drawn = np.asarray(charts["Torques at the joints"].traces[0]["y"])
    assert drawn.max() == pytest.approx(robot.inverse_dynamics(stop.motion)[:, 0].max())
    checks = next(block for block in made.sections[0].blocks if isinstance(block, Table) and block.title == "Checks")
    names = [cells[2] if isinstance(cells[2], str) else cells[2][0] for cells in checks.rows]
    assert any("lean" in name for name in names) and any("e-stop" in name for name in names)


def test_rovers_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match="exceptions= are of robots without wheels, and 'rover' is a rover"):
        lp.catalog.lau_rover().report(only=["overview"], exceptions=CASES)
