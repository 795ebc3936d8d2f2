"""Buckling of a flexible six-joint arm against SciPy's `eigh` on an assembled frame: seconds per state, one thread.

The frame is that of the tests, three elements or more along each beam, with which its own error is 1e-4 too, and the
geometric stiffness of axial forces alone, the textbooks' (it misses what moments do: its factors are some 5 % too large
here, and in some states several times). Of a state only the assembly of its two matrices and their largest eigenvalue
count, not the loads, nor the kinematics, in favour of the peer; in the second comparison the eigenvalue alone, of
matrices that lie ready.
"""

from __future__ import annotations

import sys
import time
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.linalg import eigh

import loadpath as lp
from benchmarks.flexible_arms import arm
from benchmarks.report import Row
from benchmarks.timing import best_times

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "structure"))
STATES = 2000


def rows(quick: bool) -> list[Row]:
    """The rows of the table."""
    from frame_buckling import axial_forces, geometric_stiffness
    from frame_of_arm import ArmFrame

    flexible = arm()
    # Round tubes have no direction, but the frame's elements need one across each beam.
    across = {placed.link: np.linalg.svd([placed.end - placed.start])[2][1] for placed in flexible.placed_beams}
    flexible = flexible.with_beams({link: replace(beam, y_axis=tuple(_in_link(flexible, link) @ across[link]))
                                    for link, beam in flexible.beams})
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.uniform(-1, 1, (3, 400 if quick else STATES, flexible.n))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        begin = time.perf_counter()
        flexible.buckling(q[0], qd[0], qdd[0])
        first = time.perf_counter() - begin
        reference = ArmFrame(flexible, q[0], qd[0], qdd[0], pieces=3)
        tensions = axial_forces(reference.frame, reference.load())

        def assembled() -> None:
            _largest(-geometric_stiffness(reference.frame, tensions), reference.frame.stiffness())

        K, G = reference.frame.stiffness(), geometric_stiffness(reference.frame, tensions)
        work = {
            "assembled": assembled,
            "ready": lambda: _largest(-G, K),
            "one": lambda: flexible.buckling(q[0], qd[0], qdd[0]),
            "batch": lambda: flexible.buckling(q, qd, qdd),
            "frequencies": lambda: flexible.natural_frequencies(q[:40], 3, order=4),
            "unloaded": lambda: flexible.natural_frequencies(q[:40], 3, order=4, loaded=False),
        }
        seconds = best_times(work, 2 if quick else 5, 0.02)
    each = seconds["batch"] / len(q)
    name = f"UR5 of {len(flexible.beams)} beams and {len(flexible.joint_compliances)} compliant joints"
    return [
        Row(f"{name}, batch: assembling a frame and SciPy's eigh / buckling per state", seconds["assembled"] / each,
            at_least=20.0, remark=f"{1e3 * seconds['assembled']:.3g} ms, {len(K)} unknowns, / {1e3 * each:.3g} ms"),
        Row("same: SciPy's eigh alone, of matrices that lie ready / buckling per state", seconds["ready"] / each,
            remark=f"{1e3 * seconds['ready']:.3g} ms"),
        Row("same: one state, with the order found", 1e3 * seconds["one"], "ms"),
        Row("same: the first call, with compiling", first, "s", at_most=5.0),
        Row("same: three frequencies under load / without load", seconds["frequencies"] / seconds["unloaded"],
            remark=f"{25 * seconds['frequencies']:.3g} ms a state"),
    ]


def _in_link(flexible: lp.FlexibleRobot, link: str) -> np.ndarray:
    """Rotation from the joint frame of a link to its own."""
    return next(joint.link_offset.R.T for joint in flexible.joints if joint.child == link)


def _largest(A: np.ndarray, B: np.ndarray) -> None:
    eigh(A, B, eigvals_only=True, subset_by_index=(len(A) - 1, len(A) - 1))
