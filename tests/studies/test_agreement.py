"""Random designs of studies against robots of their numbers alone: their equations run on arrays as they are written,
without families and compiled code. `python -m benchmarks studies` does it a thousand times.
"""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest

import loadpath as lp
from loadpath.engine.quantity import Compiled

ANSWERS = ["wrenches", "utilisation", "joint2.tilting_moment", "joint3.drive:rms", "joint1.power:max", "mass"]


def puma() -> tuple[lp.Robot, lp.Space]:
    limits = {f"joint{k}": lp.Limits(effort=effort) for k, effort in enumerate((300, 600, 400, 90, 90, 90), start=1)}
    return lp.catalog.puma560().with_limits(limits).with_payload(0.0), lp.Space({
        "payload.mass": lp.span("0 kg", "12 kg"), "link2.length": lp.span("0.35 m", "0.55 m"),
        "wall": lp.span("2 mm", "6 mm"), "link2.mass": lambda wall: 3500.0 * wall,
        "ratio": [80.0, 100.0, 120.0], "joint2.gear_ratio": lambda ratio: ratio})


def tree() -> tuple[lp.Robot, lp.Space]:
    """A slide on a turntable, and a second branch beside it."""
    bodies = [lp.Inertia(mass, (0.1, 0.02, 0.2), np.diag([0.05, 0.04, 0.03])) for mass in (6.0, 3.0, 2.0, 1.5)]
    robot = lp.Robot("tree", links=(lp.Link("base"), *(lp.Link(f"link{k}", body) for k, body in
                                                      enumerate(bodies, start=1))), joints=(
        lp.Joint("joint1", "base", "link1", lp.Revolute((0, 0.6, 0.8)), limits=(lp.Limits(-3, 3, 40.0, 900.0),)),
        lp.Joint("joint2", "link1", "link2", lp.Prismatic((1, 0, 0)), (0.3, 0, 0.1),
                 limits=(lp.Limits(-3, 3, 50.0, 900.0),)),
        lp.Joint("joint3", "link2", "link3", lp.Revolute((0, 1, 0)), (0.2, 0.1, 0)),
        lp.Joint("joint4", "link1", "link4", lp.Revolute((1, 0, 0)), (0, 0.4, 0))))
    return robot.with_payload(0.5, link="link3", center_of_mass=(0.1, 0, 0.1)), lp.Space({
        "payload.mass": lp.span("0 kg", "5 kg"), "link2.length": lp.span("0.1 m", "0.6 m"),
        "link4.mass": lp.span("1 kg", "4 kg"), "joint1.viscous_friction": lp.span(0.0, 3.0),
        "motion.speed": lp.span(0.5, 2.0), "gravity": [(0.0, 0.0, -9.81), (3.0, 0.0, -1.62)]})


@pytest.mark.parametrize("make", [puma, tree])
def test_designs_are_robots_of_their_own_numbers(make: object) -> None:
    robot, space = make()  # type: ignore[operator]
    motion = lp.Motion.swing(robot, samples=40)
    study = lp.study(robot, space.latin_hypercube(6, seed=5), motion, answers=ANSWERS).run(threads=1)
    assert study.counts["computed"] == 6
    for number in range(6):
        design = study.robot_of(number)
        own = lp.Robot(design.name, links=design.links, joints=design.joints, gravity=design.gravity)
        moved = motion.scaled(speed=float(study.design(number).get("motion.speed", 1.0)))  # type: ignore[arg-type]
        with patch.object(Compiled, "compiles", lambda *_: False):
            peaks, verdict = own.peak_loads(moved), own.verdict(moved)
        assert verdict.worst is not None
        for name, expected in {
            "wrenches": peaks.components.magnitude, "utilisation": verdict.worst.utilisation,
            "joint2.tilting_moment": peaks["joint2", "tilting_moment"].magnitude,
            "joint3.drive:rms": peaks["joint3", "drive"].rms, "joint1.power:max": peaks["joint1", "power"].maximum,
            "mass": sum(link.inertia.mass for link in own.links),
        }.items():
            found = study.answer(name)[number]
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * np.abs(expected).max(), err_msg=name)
