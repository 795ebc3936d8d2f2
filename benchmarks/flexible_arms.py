"""How fast the deflection, stress and buckling of a flexible six-joint arm are, one thread.

The peer is the least that a frame of finite elements has to do for a state: one dense solution of its equations, six
unknowns a beam, by LAPACK in a batch; assembling them and the loads is left out, in favour of the peer.
"""

from __future__ import annotations

import time
import tracemalloc

import numpy as np

import loadpath as lp
from benchmarks.report import Row
from benchmarks.timing import best_times
from loadpath.engine.better import settle

BATCH = 4096
SOME = 50_000
"""States whose extremes are sought."""


def arm() -> lp.FlexibleRobot:
    """A UR5 whose links are aluminium tubes wherever they have a length, on compliant drives."""
    robot = lp.catalog.ur5().with_payload(3.0)
    tube, beams = lp.Tube(0.04, 0.003), {}
    carrier = {joint.child: joint for joint in robot.joints}
    for joint in robot.joints:
        # From the joint that carries the link: a DH link's own frame lies at its far end.
        if joint.parent in carrier and np.linalg.norm((carrier[joint.parent].link_offset @ joint.origin).p) > 0.01:
            beams.setdefault(joint.parent, lp.Beam(tube, lp.ALUMINIUM, end=joint.name))
    drives = {joint.name: lp.JointCompliance(drive=2e4) for joint in robot.joints if joint.motion.dof}
    return robot.with_beams(beams, joint_compliance=drives)


def rows(quick: bool) -> list[Row]:
    """The rows of the table."""
    flexible = arm()
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.uniform(-1, 1, (3, BATCH, flexible.n))
    unknowns = 6 * len(flexible.beams)
    frames = rng.normal(size=(BATCH, unknowns, unknowns)) + 10 * np.eye(unknowns)
    loads = rng.normal(size=(BATCH, unknowns, 1))
    times = best_times(
        {
            "deflection": lambda: flexible.small_deflection(q, qd, qdd),
            "peer": lambda: np.linalg.solve(frames, loads),
            "stress": lambda: flexible.section_stresses(q, qd, qdd),
            "buckling": lambda: flexible.section_buckling(q, qd, qdd),
            "compliance": lambda: flexible.compliance(q, "payload"),
        },
        3 if quick else 30,
    )
    each = {name: 1e9 * seconds / BATCH for name, seconds in times.items()}
    name = f"UR5 of {len(flexible.beams)} beams and {len(flexible.joint_compliances)} compliant joints, {BATCH} states"
    return [
        Row(
            f"{name}: the linear solve alone of a frame of finite elements / deflection",
            times["peer"] / times["deflection"],
            at_least=20.0,
            remark=f"{each['peer']:.0f} / {each['deflection']:.0f} ns a state",
        ),
        Row("same: stresses, nine sections a beam", each["stress"], "ns a state"),
        Row("same: buckling, nine sections a beam", each["buckling"], "ns a state"),
        Row("same: compliance at the tip", each["compliance"], "ns a state"),
        *_sliding(quick),
        *_extremes(flexible, quick),
    ]


def crane(guided: bool) -> lp.FlexibleRobot:
    """A slewing crane with a boom of two tubes, the inner one in a guide or clamped on the end of the outer one."""
    links = (lp.Link("base"), lp.Link("column", lp.Inertia(900.0, (0, 0, 1.0))), lp.Link("outer", lp.Inertia(1.0)),
             lp.Link("inner", lp.Inertia(1.0)), lp.Link("hook", lp.Inertia(800.0, (0, 0, -0.3))))
    slide = lp.Prismatic((1, 0, 0)) if guided else lp.Prismatic((0, 0, 1))
    joints = (
        lp.Joint("slew", "base", "column", lp.Revolute((0, 0, 1))),
        lp.Joint("luff", "column", "outer", lp.Revolute((0, -1, 0)), lp.Pose(translation=(0.3, 0, 2.0))),
        lp.Joint("slide", "outer", "inner", slide, lp.Pose(translation=(4, 0, 0)), limits=lp.Limits(0.0, 3.0)),
        lp.Joint("tip", "inner", "hook", lp.Fixed(), lp.Pose(translation=(0.0 if guided else 4.0, 0, 0))),
    )
    outer = lp.Beam(lp.RectangularTube(0.25, 0.35, 0.008), lp.STEEL, end=(4, 0, 0))
    tube = lp.RectangularTube(0.2, 0.3, 0.006)
    inner = lp.Beam(tube, lp.STEEL, end=(4, 0, 0))
    if guided:
        inner = lp.Beam(tube, lp.STEEL, start=(-4, 0, 0), end=(0, 0, 0), guide=lp.Guide(front=0.0, tail=-3.8))
    robot = lp.Robot("crane", links, joints)
    return robot.with_beams({"outer": outer, "inner": inner}, inertia_from_beams=True)


def _sliding(quick: bool) -> list[Row]:
    """A boom whose inner tube slides, against one whose inner tube is clamped and moves across."""
    sliding, clamped = crane(True), crane(False)
    rng = np.random.default_rng(2)
    q, qd, qdd = rng.uniform(0.1, 1, (3, BATCH, sliding.n))
    one = q[0], qd[0], qdd[0]
    times = best_times(
        {
            "sliding": lambda: sliding.small_deflection(q, qd, qdd),
            "clamped": lambda: clamped.small_deflection(q, qd, qdd),
            "one sliding": lambda: [sliding.small_deflection(*one) for _ in range(100)],
            "one clamped": lambda: [clamped.small_deflection(*one) for _ in range(100)],
        },
        3 if quick else 30,
    )
    return [
        Row(
            f"crane with a boom of two tubes, {BATCH} states: deflection, inner tube in a guide / clamped",
            times["clamped"] / times["sliding"],
            at_least=0.5,
            remark=f"{1e9 * times['sliding'] / BATCH:.0f} / {1e9 * times['clamped'] / BATCH:.0f} ns a state",
        ),
        Row("same, one state a call", times["one clamped"] / times["one sliding"], at_least=0.5),
    ]


def _extremes(flexible: lp.FlexibleRobot, quick: bool) -> list[Row]:
    count = 5_000 if quick else SOME
    states = np.random.default_rng(1).uniform(-1, 1, (3, count, flexible.n))
    flexible.extremes(*states[:, :100])
    settle()
    begin = time.process_time()
    flexible.extremes(*states)
    seconds = time.process_time() - begin
    tracemalloc.start()
    flexible.extremes(*states)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return [
        Row(
            "same: extremes of deflection, stress and buckling of the arm as a whole",
            1e6 * seconds / count,
            "us a state",
            remark=f"{count:,} states",
        ),
        Row(
            "same: memory beside the states", peak / 1e6, "MB", at_most=100.0, remark="does not grow with their number"
        ),
    ]
