"""What of a check comes from which component of the load: `along` is the derivative of the demand.

Every demand here grows in proportion with the wrench, so that derivative times wrench is the demand (Euler). The sum
alone would not tell a wrong sense or a wrong arm: `along` is scaled to it.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from loadpath.parts.bearings.guide import LinearGuide
from loadpath.parts.bearings.pair import BearingPair
from loadpath.parts.bearings.ring import CrossedRollerBearing, SlewingBearing
from loadpath.parts.bolts import BoltedFlange
from parts.joint_loads_by_hand import causes_sum, examined, loads, place

AXIS = np.array([2.0, -1.0, 2.0]) / 3.0
ACROSS = np.array([1.0, 2.0, 0.0]) / math.sqrt(5.0)
SIDE = np.cross(AXIS, ACROSS)


def pair(kind, arrangement="back-to-back", **numbers):
    """With factors that do not depend on the load."""
    angle = {"factors": (0.4, 0.5, 1.2), "static_factors": (0.6, 0.5)} if kind == "deep groove" else {
        "contact_angle": math.radians(25.0), "arrangement": arrangement}
    return BearingPair(spacing=(-0.03, 0.05), C=20e3, C0=(15e3, 18e3), kind=kind, load_factor=1.3, **angle, **numbers)


BOLTS = {"preload": 8e3, "proof_load": 12e3, "friction": 0.15, "load_factor": 0.2}
CORNERS = tuple(tuple(0.01 * AXIS + x * ACROSS + y * SIDE) for x, y in ((-0.05, 0.02), (0.06, 0.03), (0.01, -0.05)))
PARTS = {
    "deep groove": pair("deep groove"),
    "deep groove, held by b": pair("deep groove", locating="b"),
    "angular contact": pair("angular contact"),
    "angular contact, face to face": pair("angular contact", "face-to-face"),
    "tapered, turning housing": pair("tapered", shaft="parent"),
    "crossed rollers": CrossedRollerBearing(C=20e3, C0=30e3, dp=0.1, offset=0.02, load_factor=1.2, permitted_moment=90),
    "slewing ring": SlewingBearing(C=20e3, C0=30e3, dp=0.3, offset=-0.03, rolling="balls"),
    "circle of bolts": BoltedFlange(bolts=6, circle=0.1, offset=0.02, normal=tuple(AXIS), **BOLTS),
    "bolts without a normal": BoltedFlange(bolts=6, circle=0.1, **BOLTS),
    "bolts one by one": BoltedFlange(positions=CORNERS, normal=tuple(AXIS), **BOLTS),
    "carriage": LinearGuide(C=26e3, C0=45e3, rated_travel=50e3, up=tuple(ACROSS), moments=(300.0, 200.0, 250.0),
                            positions=[(0.01, 0.02, 0.03)], load_factor=1.5),
    "carriages": LinearGuide(C=26e3, C0=45e3, rated_travel=50e3, up=tuple(ACROSS),
                             positions=[tuple(x * AXIS + y * SIDE) for x in (-0.2, 0.3) for y in (-0.1, 0.15)]),
}


def demands(part, wrench):
    where = place(axis=AXIS, turns=not isinstance(part, LinearGuide))
    block = loads(wrench[:3], wrench[3:], speed=2.0, axis=AXIS)
    return examined(part, block, hours=1000.0, where=where), block


@pytest.mark.parametrize("kind", PARTS)
def test_causes_weigh_as_the_derivative_of_the_demand(kind):
    part, rng = PARTS[kind], np.random.default_rng(3)
    for _ in range(8):
        wrench = np.concatenate([rng.normal(size=3) * 900, rng.normal(size=3) * 30])
        checks, block = demands(part, wrench)
        steps = np.diag([0.01] * 3 + [0.001] * 3)
        changed = [(demands(part, wrench + step)[0], demands(part, wrench - step)[0]) for step in steps]
        for name, check in checks.items():
            if not check.checked or check.demand == 0.0:
                continue
            by_steps = [(up[name].demand - down[name].demand) / (2 * step.max())
                        for (up, down), step in zip(changed, steps, strict=True)]
            size = np.abs(by_steps).max()
            np.testing.assert_allclose(check.along, by_steps, atol=1e-5 * size, err_msg=name)
            assert causes_sum(check, [block]) == pytest.approx(check.demand, rel=1e-9)
