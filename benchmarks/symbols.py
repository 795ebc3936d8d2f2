"""Equations in symbols: how long it takes until all joint wrenches are derived and simplified."""

from __future__ import annotations

import time

import loadpath as lp
from benchmarks.report import Row


def rows(quick: bool) -> list[Row]:
    """The rows of the table; the general arm only in the long run."""
    arms = {"Lau's arm, by cause too": (lp.catalog.lau_arm(), 5.0)}
    if not quick:
        arms["three general joints, a symbol for every constant"] = (lp.catalog.random_dh_arm(3, seed=1), 60.0)
    made = []
    for name, (robot, most) in arms.items():
        start = time.process_time()
        found = robot.equations(parameters="symbols")
        # tables derive an entry when it is read, so the time is that of reading all
        entries = len([*found.joint_wrenches.force, *found.joint_wrenches.torque])
        if most < 60:
            dict(found.wrenches_by_cause)
        seconds = time.process_time() - start
        made.append(Row(f"all joint wrenches of {name}", seconds, "s", at_most=most, remark=f"{entries} entries"))
    return made
