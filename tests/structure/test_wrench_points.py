"""A wrench at a point of a link with a beam: where it acts, said, and how to press on the beam itself."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import loadpath as lp

LENGTH, PUSH = 1.0, 40.0
ROD = lp.Beam(lp.Rod(0.01), lp.STEEL, end="tip_joint")


def cantilever(*welded: float) -> lp.FlexibleRobot:
    """A rod of 1 m without gravity, with links without mass welded along it."""
    arm = lp.catalog.planar(1, mass=3.0).with_gravity((0, 0, 0))
    links = [lp.Link(f"at {x}") for x in welded]
    joints = [lp.Joint(f"weld {x}", "link1", f"at {x}", lp.Fixed(), lp.Pose(translation=(x, 0, 0))) for x in welded]
    arm = lp.Robot("rod", (*arm.links, *links), (*arm.joints, *joints), gravity=(0, 0, 0))
    return arm.with_beams({"link1": ROD})


def frame_place(arm: lp.FlexibleRobot) -> float:
    """Where along the beam the link's own frame is."""
    poses = arm.link_poses([0.0])
    return float(poses[arm.link_names.index("link1"), 0, 3])


ASKED: dict[str, Any] = {
    "deflection": lambda arm, push: arm.deflection([0.0], external=push),
    "stress": lambda arm, push: arm.stress([0.0], external=push),
    "buckling_safety": lambda arm, push: arm.buckling_safety([0.0], external=push),
    "extremes": lambda arm, push: arm.extremes([[0.0]], link="tip", external=push),
    "compensated": lambda arm, push: arm.compensated([0.0], link="tip", external=push),
}


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("axes", ["link", "world"])
def test_a_point_away_from_the_frame_is_said(name: str, axes: Any) -> None:
    arm = cantilever()
    away = 0.5 if frame_place(arm) < 0.25 else -0.5
    push = {"link1": lp.Wrench(force=(0, 0, -PUSH), point=(away, 0, 0), axes=axes)}
    with pytest.warns(lp.ModelWarning, match=r"link 'link1' acts at a point 0\.5 m from the link's frame.*weld a link"):
        ASKED[name](arm, push)


@pytest.mark.parametrize("name", ASKED)
def test_no_false_alarm(name: str) -> None:
    arm = cantilever()
    for push in (
        {"link1": lp.Wrench(force=(0, 0, -PUSH))},
        {"link1": lp.Wrench(force=(0, 0, -PUSH), point=(0, 0.3, 0), axes="link")},  # off the beam, at the same section
        {"tip": lp.Wrench(force=(0, 0, -PUSH), point=(0.3, 0, 0))},  # on a link without a beam
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("error", lp.ModelWarning)
            warnings.filterwarnings("ignore", message="arm 'rod': link .* turns by")
            ASKED[name](arm, push)


def test_a_link_welded_to_the_beam_presses_on_it() -> None:
    arm, at = cantilever(0.4), 0.4
    push = {"at 0.4": lp.Wrench(force=(0, 0, -PUSH))}
    stress = arm.stress([0.0], external=push)
    x = stress.sections.positions
    moment = PUSH * np.clip(at - x, 0.0, None)
    np.testing.assert_allclose(stress.bending, moment * 4 / (np.pi * 0.01**3), rtol=1e-9, atol=1.0)
    sag = arm.deflection([0.0], external=push, effects=("bending",))["tip"].displacement[2]
    EI = lp.STEEL.youngs_modulus * np.pi / 4 * 0.01**4
    np.testing.assert_allclose(sag, -PUSH * at**2 * (3 * LENGTH - at) / (6 * EI), rtol=1e-9)
