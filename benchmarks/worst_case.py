"""Worst cases over boxes of states: value, gap and boxes after some processor seconds.

`python -m benchmarks.worst_case 10`
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from unittest import mock

import loadpath as lp
from loadpath.bounds import branch_and_bound

REST, MOVING = lp.Box(qd=0), lp.Box(qd=(-2, 2), qdd=(-5, 5))
SECONDS = 10.0


def cases() -> Iterator[tuple[str, lp.Robot, str, str, lp.Box]]:
    """A name, a robot, a joint, a quantity, a box."""
    puma, panda = lp.catalog.puma560().without_friction(), lp.catalog.panda()
    for words, box in (("at rest", REST), ("moving", MOVING)):
        yield f"3R, {words}", lp.catalog.planar(3), "joint1", "drive", box
        yield f"3R, {words}", lp.catalog.planar(3), "joint1", "radial_force", box
        for quantity in ("drive", "tilting_moment"):
            yield f"PUMA 560, {words}", puma, "joint2", quantity, box
        for quantity in ("drive", "tilting_moment"):
            yield f"Panda, {words}", panda, "panda_joint2", quantity, box


def rows(seconds: float = SECONDS) -> Iterator[str]:
    """Lines of a table in Markdown. Time is that of the processor, on a machine with other work too."""
    yield "| robot | load | largest of 4,096 samples | value | bound | gap | boxes | s |"
    yield "|---|---|---|---|---|---|---|---|"
    for words, robot, joint, quantity, box in cases():
        with mock.patch.object(branch_and_bound.time, "monotonic", time.process_time):
            found = robot.worst_case(joint, quantity, over=box, seconds=seconds)
        gap = "certified" if found.certified else f"{100 * found.relative_gap:.2g} %"
        name = f"`{quantity}` of joint {joint[-1]}"
        yield (f"| {words} | {name} | {found.largest_sample:.5g} | {found.value:.5g} | {found.bound:.5g} | {gap} | "
               f"{found.boxes:,} | {found.seconds:.2g} |")


if __name__ == "__main__":
    for line in rows(*map(float, sys.argv[1:2])):
        print(line, flush=True)
