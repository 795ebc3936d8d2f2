"""Compiled code is found by the data that its equations depend on: all of them."""

from __future__ import annotations

from dataclasses import fields

import loadpath as lp

LABELS = {"name", "known_faults", "parts", "guessed_masses", "ratings", "pedigrees"}
"""No equation depends on them: rotors and ratios of parts are in the joints."""


def subjects() -> list[lp.Robot | lp.Rover]:
    """Something of everything that a robot or a rover may have."""
    tube = lp.Beam(lp.Tube(0.02, 0.001), lp.ALUMINIUM, end="tip_joint")
    rod = lp.Beam(lp.Tube(0.02, 0.001), lp.STEEL, start=(-1, 0, 0), end=(1, 0, 0))
    slide = lp.Joint("slide", "base", "rod", lp.Prismatic((1, 0, 0)))
    sliding = lp.Robot("sliding rod", (lp.Link("base"), lp.Link("rod", lp.Inertia(10.0))), (slide,))
    return [
        lp.catalog.planar(2).with_beams({"link2": tube}, joint_compliance={"joint1": lp.JointCompliance(2e4)}),
        sliding.with_beams({"rod": rod}, guides={"slide": lp.Guide(at=0.0)}),
        lp.catalog.four_bar(),
        lp.catalog.planar(3).with_coupling({"joint1": 1.0, "joint2": -2.0}),
        lp.catalog.lau_rover(),
    ]


def test_all_data_of_a_robot_are_in_its_key() -> None:
    """A new field must be put into `defined_by`, unless no equation depends on it; and into one of the subjects."""
    for name in {part.name for part in fields(lp.Robot)} - LABELS:
        having = [one for one in subjects() if getattr(one, name)]
        assert having, name
        for one in having:
            assert getattr(one, name) in one.defined_by, name
    assert [part.name for part in fields(lp.Rover)] == [part.name for part in fields(lp.Robot)]
