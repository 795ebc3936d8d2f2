"""Worst cases over boxes of states: the gap between value and bound after some processor seconds."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from unittest import mock

import loadpath as lp
from benchmarks.report import Row
from loadpath.bounds import branch_and_bound
from loadpath.bounds.asked import Sense

REST, MOVING = lp.Box(qd=0), lp.Box(qd=(-2, 2), qdd=(-5, 5))
SECONDS = 5.0


LOADED = {"payload": (0, 5), "payload_center": [(-0.1, 0.1), 0, (0, 0.2)]}
DRIVING = lp.Box(q={"theta1": (-1, 1), "theta2": (-1, 1), "d2": (0.2, 0.6)}, qd=(-1, 1), qdd=(-1, 1),
                 velocity=[(0, 1), (-0.5, 0.5)], acceleration=[(-1, 1), (-1, 1)])


def cases() -> Iterator[tuple[str, lp.Robot, str, str, lp.Box, Sense | None]]:
    """Words, a robot, a name, a quantity, a box, and which extreme."""
    puma, ur5, panda = lp.catalog.puma560().without_friction(), lp.catalog.ur5(), lp.catalog.panda()
    for quantity in ("drive", "radial_force"):
        yield "3R, moving", lp.catalog.planar(3), "joint1", quantity, MOVING, None
    for words, robot in (("PUMA 560, moving", puma), ("UR5, moving", ur5)):
        for quantity in ("drive", "tilting_moment"):
            for k in range(3):
                yield words, robot, robot.dof_names[k], quantity, MOVING, None
        for k in (3, 4):
            yield words, robot, robot.dof_names[k], "drive", MOVING, None
    for k in (1, 3, 5):
        for quantity in ("drive", "tilting_moment"):
            yield "Panda, at rest", panda, panda.dof_names[k], quantity, REST, None
    yield "Panda, moving", panda, "panda_joint2", "drive", MOVING, None
    yield "PUMA 560, at rest, any payload", puma, "joint2", "drive", lp.Box(qd=0, **LOADED), None
    yield "PUMA 560, moving, payload 0 to 5 kg", puma, "joint2", "drive", replace(MOVING, payload=(0, 5)), None
    tube = lp.Tube(outer_radius=0.04, wall=0.003)
    ends = {"link1": lp.Beam(tube, lp.STEEL, end="joint2"), "link2": lp.Beam(tube, lp.STEEL, end="tip_joint")}
    flexible = lp.catalog.planar(2).with_beams(ends, inertia_from_beams=True).with_payload(5.0)
    for words, box in (("at rest", REST), ("moving", MOVING)):
        yield f"2R of beams with 5 kg, {words}", flexible, "payload", "deflection", box, None
    rover = lp.catalog.lau_rover(driven=True)
    yield "rover, driving", rover, "wheel1", "normal", DRIVING, "max"
    yield "rover, driving", rover, "wheel1", "normal", DRIVING, "min"
    yield "rover, driving", rover, "rover", "margin", DRIVING, None


def rows(quick: bool) -> list[Row]:
    """The rows of the table. A gap of 0.1 % at most is certified; where the load is one of a few joints it has to be.
    Time is that of the processor, on a machine with other work too.
    """
    found = []
    for words, robot, of, quantity, box, sense in list(cases())[:: 7 if quick else 1]:
        robot.worst_case(of, quantity, over=box, sense=sense, seconds=0.01)  # compiled
        with mock.patch.object(branch_and_bound.time, "monotonic", time.process_time):
            case = robot.worst_case(of, quantity, over=box, sense=sense, seconds=SECONDS)
        name = f"{'least ' if case.sense == 'min' else ''}{quantity} of {of.removeprefix('panda_')}"
        has_to = words == "3R, moving" or (words.startswith("PUMA") and of in ("joint1", "joint2", "joint3"))
        remark = (f"{case.value:.5g}, bound {case.bound:.5g}, largest of 4,096 samples {case.largest_sample:.5g}; "
                  f"{case.boxes:,} boxes, {case.seconds:.2g} s")
        gap = round(100.0 * case.relative_gap, 3)
        found.append(Row(f"{words}: {name}, gap", gap, "%", at_most=0.1 if has_to else None, remark=remark))
    return found
