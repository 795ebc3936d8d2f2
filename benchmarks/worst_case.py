"""Worst cases over boxes of states: value, gap and boxes after some processor seconds.

`python -m benchmarks.worst_case 5`
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from unittest import mock

import loadpath as lp
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


def rows(seconds: float = SECONDS) -> Iterator[str]:
    """Lines of a table in Markdown. Time is that of the processor, on a machine with other work too."""
    yield "| robot | load | largest of 4,096 samples | value | bound | gap | boxes | s |"
    yield "|---|---|---|---|---|---|---|---|"
    for words, robot, of, quantity, box, sense in cases():
        robot.worst_case(of, quantity, over=box, sense=sense, seconds=0.01)  # compiled
        with mock.patch.object(branch_and_bound.time, "monotonic", time.process_time):
            found = robot.worst_case(of, quantity, over=box, sense=sense, seconds=seconds)
        gap = "certified" if found.certified else f"{100 * found.relative_gap:.2g} %"
        name = f"{'least ' if found.sense == 'min' else ''}`{quantity}` of {of.removeprefix('panda_')}"
        yield (f"| {words} | {name} | {found.largest_sample:.5g} | {found.value:.5g} | {found.bound:.5g} | {gap} | "
               f"{found.boxes:,} | {found.seconds:.2g} |")


if __name__ == "__main__":
    for line in rows(*map(float, sys.argv[1:2])):
        print(line, flush=True)
