"""Random three-link arms with beams of several kinds, compliant joints and a payload."""

from __future__ import annotations

from typing import Any

import numpy as np

import loadpath as lp
from loadpath.robot.catalog.random_robots import random_inertia

SECTIONS = (
    lp.Bar(0.03, 0.045),
    lp.RectangularTube(0.04, 0.05, 0.004),
    lp.Tube(0.03, 0.003),
    lp.IBeam(0.06, 0.07, 0.01, 0.008),
)


def random_arm(seed: int, joints: Any = "revolute", *, beams: int = 3) -> lp.FlexibleRobot:
    """Three links placed anyhow. The second beam is stepped, the last ends at a point; each link weighs more than its
    beam, by a random body that sits on it somewhere.
    """
    rng = np.random.default_rng(seed)
    robot = lp.catalog.random_chain(3, seed, joints=joints, general=True)
    chosen = {}
    for k, joint in enumerate(robot.joints[:beams]):
        section = SECTIONS[int(rng.integers(len(SECTIONS)))]
        end = robot.joints[k + 1].name if k < 2 else tuple(rng.uniform(-0.4, 0.4, 3))
        y_axis = tuple(rng.normal(size=3))
        if k == 1:
            parts = [(0.3, section, lp.TITANIUM), (0.7, lp.Rod(0.02), lp.ALUMINIUM)]
            chosen[joint.child] = lp.Beam(end=end, segments=parts, y_axis=y_axis)
        else:
            chosen[joint.child] = lp.Beam(section, lp.ALUMINIUM, end=end, y_axis=y_axis)
    springs = {
        robot.joints[0].name: lp.JointCompliance(drive=5e3),
        robot.joints[1].name: lp.JointCompliance(drive=3e3, tilting=2e4),
    }
    arm = robot.with_beams(chosen, joint_compliance=springs, inertia_from_beams=True)
    heavier = {link: arm.link(link).inertia + random_inertia(rng) for link in chosen}
    loaded = arm.with_inertias(heavier).with_payload(
        mass=2.0, center_of_mass=(0.05, 0.02, 0.1), inertia=np.diag([0.02, 0.03, 0.04])
    )
    assert isinstance(loaded, lp.FlexibleRobot)
    return loaded
