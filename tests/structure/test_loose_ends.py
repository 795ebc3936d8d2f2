"""A beam whose far end has no frame: what is reported of the tip would be of another place."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import loadpath as lp

BEAM = lp.Beam(lp.Tube(0.02, 0.002), lp.STEEL, end=(1, 0, 0))


def cantilever(*, with_end: bool = False) -> lp.Robot:
    links = [lp.Link("base"), lp.Link("rod", lp.Inertia(2.0, (0.5, 0, 0), np.diag([1e-3, 0.17, 0.17])))]
    joints = [lp.Joint("turn", "base", "rod", lp.Revolute((0, 1, 0)))]
    if with_end:
        links.append(lp.Link("end"))
        joints.append(lp.Joint("weld", "rod", "end", lp.Fixed(), lp.Pose(translation=(1, 0, 0))))
    return lp.Robot("cantilever", tuple(links), tuple(joints))


def test_a_beam_without_a_frame_at_its_end_is_named() -> None:
    arm = cantilever().with_beams({"rod": BEAM})
    with pytest.warns(lp.ModelWarning, match=r"deflection: the beam of link 'rod' goes on for 1 m .*fixed joint"):
        assert not arm.deflection([0.0]).tip.displacement.any()
    with pytest.warns(lp.ModelWarning, match="extremes: the beam of link 'rod'"):
        arm.extremes([0.0])
    motion = lp.Motion.through(arm, [[0.0], [0.5]], times=[0, 0.3])
    with pytest.warns(lp.ModelWarning, match="respond: the beam of link 'rod'"):
        arm.respond(motion, modes=1)
    with pytest.warns(lp.ModelWarning, match="respond"), pytest.raises(lp.ModelError, match="'rod' does not vibrate"):
        arm.shaped(motion)


def test_a_payload_held_far_from_its_frame_is_named() -> None:
    """Its frame, at the start of the beam, goes up as the beam's end goes down."""
    arm = cantilever().with_beams({"rod": BEAM}).with_payload(5.0, center_of_mass=(1, 0, 0))
    with pytest.warns(lp.ModelWarning, match="holds 'payload' by its mass center, 1 m along, and .* lies 0 m along"):
        assert arm.deflection([0.0]).tip.displacement[2] > 0


def test_ends_with_a_frame_raise_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        arm = cantilever(with_end=True).with_beams({"rod": BEAM})
        assert arm.deflection([0.0]).tip.displacement[2] < 0
        assert arm.with_payload(5.0).deflection([0.0]).tip.displacement[2] < -2e-3
        arm = (
            lp.catalog.planar(2, mass=3.0)
            .with_payload(1.0, center_of_mass=(0.2, 0, 0))
            .with_beams({"link2": lp.Beam(lp.Tube(0.02, 0.002), lp.STEEL, end="tip_joint")})
        )
        arm.deflection([0.0, 0.0])
