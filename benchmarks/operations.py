"""How many operations inverse dynamics takes on the arm that the literature counts on: six revolutes, no zeros."""

from __future__ import annotations

import loadpath as lp
from benchmarks.report import Row

# W. Khalil, J.-F. Kleinfinger, Minimum operations and minimum parameters of the dynamic models of tree structure
# robots, IEEE J. Robotics and Automation 3 (1987), 517-526: the best figures for this arm that were found.
KHALIL_KLEINFINGER = (425, 369)


def rows(quick: bool) -> list[Row]:
    """The rows of the table."""
    counts = [
        lp.catalog.random_dh_arm(6, seed).operation_count("inverse_dynamics") for seed in range(2 if quick else 10)
    ]
    remark = f"most of {len(counts)} random arms; Khalil and Kleinfinger: {KHALIL_KLEINFINGER[0]}"
    return [
        Row(
            "general 6-revolute arm, multiplications",
            max(count.multiplications for count in counts),
            at_most=KHALIL_KLEINFINGER[0],
            remark=remark,
        ),
        Row(
            "general 6-revolute arm, additions",
            max(count.additions for count in counts),
            at_most=KHALIL_KLEINFINGER[1],
            remark=remark.replace(str(KHALIL_KLEINFINGER[0]), str(KHALIL_KLEINFINGER[1])),
        ),
    ]
