"""Deflection of a flexible arm against the frame finite elements of the tests: seconds per state, one thread.

The elements are given every advantage: of a state only the assembly and the solution of its linear system count (in
the second comparison the solution alone, of systems that lie ready), not the loads, and a beam is one element between
the points where something is held, with which elements are exact.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from benchmarks.report import Row
from benchmarks.timing import best_times

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "structure"))
STATES = 20_000


def rows(quick: bool) -> list[Row]:
    """The rows of the table."""
    from frame_of_arm import ArmFrame
    from random_arms import random_arm

    arm = random_arm(1)
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.uniform(-1, 1, (3, 1000 if quick else STATES, arm.n))
    reference = ArmFrame(arm, q[0], qd[0], qdd[0])
    load = reference.load()
    found = np.concatenate(
        [getattr(arm.deflection(q[0], qd[0], qdd[0]), part) for part in ("displacement", "rotation")], 1
    )
    error = float(np.abs(found - reference.deflection()).max() / np.abs(found).max())
    ready = np.stack([reference.frame.stiffness()] * 20)
    loads = np.broadcast_to(load[:, None], (20, len(load), 1))
    work = {
        "assembled": lambda: np.linalg.solve(reference.frame.stiffness(), load),
        "solved": lambda: np.linalg.solve(ready, loads),
        "one": lambda: arm.small_deflection(q[0], qd[0], qdd[0]),
        "batch": lambda: arm.small_deflection(q, qd, qdd),
        "stress": lambda: arm.section_stresses(q, qd, qdd),
        "frequencies": lambda: arm.natural_frequencies(q[:20], 6, order=4),
    }
    seconds = best_times(work, 3 if quick else 20, 0.02)
    batch, solved = seconds["batch"] / len(q), seconds["solved"] / len(ready)
    assembled, one = 1e6 * seconds["assembled"], 1e6 * seconds["one"]
    alone = f"{assembled:.0f} µs to assemble and solve {len(load)} unknowns, {one:.1f} µs"
    stresses, modes = 1e9 * seconds["stress"] / len(q), 1e3 * seconds["frequencies"] / 20
    return [
        Row("largest difference, as a share of the deflection", error, at_most=1e-8, remark="three links, all effects"),
        Row("one state, frame elements / one call", assembled / one, at_least=20.0, remark=alone),
        Row("batch, solving ready systems / deflection per state", solved / batch, at_least=20.0,
            remark=f"{1e6 * solved:.0f} µs, {1e9 * batch:.0f} ns"),
        Row("stresses per state", stresses, "ns", remark="nine sections or more along each beam"),
        Row("six natural frequencies with shapes per state", modes, "ms", remark="four polynomials a piece"),
    ]
