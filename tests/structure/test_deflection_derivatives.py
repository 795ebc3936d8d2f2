"""Derivatives of the deflection against differences of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import loadpath as lp


def arm() -> Any:
    """Two turns and a slide, beams on two links, a soft drive."""
    robot = lp.catalog.stanford_arm().with_payload(2.0)
    joints = [joint.name for joint in robot.joints if joint.motion.dof]
    child = robot.joint(joints[0]).child
    return robot.with_beams({}, joint_compliance={name: lp.JointCompliance(drive=1e4) for name in joints[:3]}), child


@pytest.mark.parametrize("axes", ["world", "link"])
def test_against_differences(axes: str) -> None:
    robot, _ = arm()
    rng = np.random.default_rng(1)
    state = list(rng.uniform(-1, 1, (3, 2, robot.n)))
    loads: dict[str, Any] = {"axes": axes, "base_acceleration": rng.normal(size=6), "base_velocity": rng.normal(size=6),
                             "external": {robot.link_names[-1]: lp.Wrench(force=(10.0, 20.0, -30.0))}}
    found = robot.deflection_derivatives(*state, **loads)
    for which, slopes in enumerate(found):
        for k, unit in enumerate(1e-5 * np.eye(robot.n)):
            ends = [robot.small_deflection(*(array + (which == number) * side * unit
                                             for number, array in enumerate(state)), **loads) for side in (1, -1)]
            for part, up, down in zip(slopes, *ends, strict=True):
                assert np.abs(part[..., k] - (up - down) / 2e-5).max() < 1e-6 * max(np.abs(part).max(), 1e-6)


def test_loops_refuse_it() -> None:
    bar = lp.catalog.four_bar()
    soft = bar.with_beams({}, joint_compliance={bar.joint_names[0]: lp.JointCompliance(drive=1e4)})
    with pytest.raises(lp.ModelError, match="with loops the joints between turn"):
        soft.deflection_derivatives(bar.home, 0 * bar.home, 0 * bar.home)
