"""Vibration in time: a motion of ten seconds with eight modes against Newmark's rule on the frame of finite elements.

The elements are given every advantage: of a step only the assembly of stiffness, mass and load and the solution of its
linear system count, not the kinematics and not the setting up of the frame, and a step is a twentieth of the period of
the eighth mode (a period of it is then off by 0.8 %; `respond` has no such error). The steps of the run are timed on a
few of them.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from benchmarks.report import Row
from benchmarks.timing import best_times

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "structure"))
MODES, DURATION = 8, 10.0


def rows(quick: bool) -> list[Row]:
    """The rows of the table."""
    from frame_of_arm import ArmFrame
    from random_arms import random_arm

    import loadpath as lp

    arm = random_arm(1)
    stops = [[0, 0, 0], [1, -0.8, 0.6], [-1, 0.3, 0], [0.5, 0.5, 0.5], [0, 0, 0]]
    motion = lp.Motion.through(arm, stops, times=np.linspace(0, DURATION, len(stops)))
    response = arm.respond(motion, modes=MODES)
    steps = 20 * float(response.frequencies[:, MODES - 1].max()) * DURATION
    frame = ArmFrame(arm, motion.q[100], motion.qd[100], motion.qdd[100], pieces=2, rotary=True)
    step = DURATION / steps
    ready = frame.frame.mass() + step**2 / 4 * frame.frame.stiffness()
    load = frame.load()

    def assembled() -> object:
        matrix = frame.frame.mass() + step**2 / 4 * frame.frame.stiffness()
        return np.linalg.solve(matrix, frame.load())

    work = {
        "respond": lambda: arm.respond(motion, modes=MODES),
        "with peak": lambda: arm.respond(motion, modes=MODES).peak,
        "step": assembled,
        "solution": lambda: np.linalg.solve(ready, load),
    }
    seconds = best_times(work, 3 if quick else 10, 0.02)
    newmark, solutions = steps * seconds["step"], steps * seconds["solution"]
    ours = seconds["respond"]
    return [
        Row("Newmark on the frame / respond, 10 s and 8 modes", newmark / ours, at_least=50.0,
            remark=f"{newmark:.3g} s ({steps:.0f} steps, {len(load)} unknowns), {ours:.3g} s"),
        Row("the solutions of its linear systems alone / respond", solutions / ours, remark=f"{solutions:.3g} s"),
        Row("respond with the tip's peak", 1e3 * seconds["with peak"], "ms",
            remark=f"{len(response.times)} instants, {response.course.arm.size} coordinates"),
    ]
