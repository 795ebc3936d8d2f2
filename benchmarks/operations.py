"""How many operations inverse dynamics takes: on the arm that the literature counts on (six revolutes, no zeros), and
on two robots with their right angles.
"""

from __future__ import annotations

import loadpath as lp
from benchmarks.report import Row

# W. Khalil, J.-F. Kleinfinger, Minimum operations and minimum parameters of the dynamic models of tree structure
# robots, IEEE J. Robotics and Automation 3 (1987), 517-526: the best figures for this arm that were found.
KHALIL_KLEINFINGER = (425, 369)
MOST = {"general 6-revolute arm": (386, 328), "Panda": (304, 283), "PUMA 560": (199, 165)}
"""Multiplications and additions that were reached once: no change may take more."""


def rows(quick: bool) -> list[Row]:
    """The rows of the table."""
    arms = [lp.catalog.random_dh_arm(6, seed) for seed in range(2 if quick else 10)]
    general = f"most of {len(arms)} random arms; Khalil and Kleinfinger: "
    rows = []
    for name, robots in {"general 6-revolute arm": arms, "Panda": [lp.catalog.panda()],
                         "PUMA 560": [lp.catalog.puma560()]}.items():
        counts = [robot.operation_count("inverse_dynamics") for robot in robots]
        for k, kind in enumerate(("multiplications", "additions")):
            rows.append(Row(f"{name}, {kind}", max(getattr(count, kind) for count in counts), at_most=MOST[name][k],
                            remark=f"{general}{KHALIL_KLEINFINGER[k]}" if robots is arms else ""))
    return rows
