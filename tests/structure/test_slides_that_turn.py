"""Joints that turn and slide along a beam: no guide holds them, so they are refused as a telescope without one is."""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp

L = 0.8
TUBE = lp.Tube(0.02, 0.002)


def quill(joint: lp.Cylindrical | lp.Helical | lp.Revolute, lower: float = -np.inf) -> lp.Robot:
    rod = lp.Inertia(4.0, (L / 2, 0, 0), np.diag([1e-2, 0.3, 0.3]))
    limits = [lp.Limits(lower=lower)] * joint.dof
    return lp.Robot(
        "scara",
        (lp.Link("base"), lp.Link("a", rod), lp.Link("b", rod), lp.Link("end")),
        (
            lp.Joint("j1", "base", "a", lp.Revolute((0, 0, 1))),
            lp.Joint("j2", "a", "b", joint, lp.Pose(translation=(L, 0, 0)), limits=limits),
            lp.Joint("weld", "b", "end", lp.Fixed(), lp.Pose(translation=(L, 0, 0))),
        ),
    )


@pytest.mark.parametrize("joint", [lp.Cylindrical((1, 0, 0)), lp.Helical((1, 0, 0), pitch=0.01)])
def test_a_beam_along_the_axis_is_refused(joint: lp.Cylindrical | lp.Helical) -> None:
    own, parents = {"b": lp.Beam(TUBE, lp.STEEL, end="weld")}, {"a": lp.Beam(TUBE, lp.STEEL, end=(L, 0, 0))}
    with pytest.raises(lp.ModelError, match=r"joint 'j2' \(\w+\) slides along the beam of its own.*two joints"):
        quill(joint).with_beams(own)
    with pytest.raises(lp.ModelError, match=r"joint 'j2' \(\w+\) slides along the beam of 'a'"):
        quill(joint, lower=-0.5).with_beams(parents)
    quill(joint, lower=0.0).with_beams(parents)  # outwards from the beam's end
    across = type(joint)((0, 0, 1)) if isinstance(joint, lp.Cylindrical) else lp.Helical((0, 0, 1), pitch=0.01)
    quill(across).with_beams(own | parents)
    quill(lp.Revolute((1, 0, 0))).with_beams(own | parents)
