"""Links that buckle together; numbers of beams that leave something out say so: telescopes, carriages; effects."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest
from scipy.optimize import brentq

import loadpath as lp

ROD = lp.Rod(0.01)
EI = 210e9 * ROD.second_moment_y
WEIGHTLESS = lp.Material(210e9, 80e9, 0.0, 300e6, name="weightless")
UPRIGHT = [np.pi / 2, 0.0]


def column(links: int, load: float, **soft: float) -> lp.FlexibleRobot:
    """Rods of 1 m in line, upright, with a weight on top."""
    ends = [*(f"joint{k}" for k in range(2, links + 1)), "tip_joint"]
    beams = {f"link{k + 1}": lp.Beam(ROD, WEIGHTLESS, end=end) for k, end in enumerate(ends)}
    compliance = {joint: lp.JointCompliance(drive=k) for joint, k in soft.items()}
    return lp.catalog.planar(links, mass=1e-6).with_payload(load / 9.81).with_beams(beams, joint_compliance=compliance)


def test_two_links_in_line_at_their_true_critical_load() -> None:
    """Each by itself holds four times that."""
    found = column(2, 0.999 * np.pi**2 * EI / 4**2).buckling_safety(UPRIGHT)
    assert found.arm_factor == pytest.approx(1.0, rel=3e-3)
    assert found.worst.safety == pytest.approx(1.0, rel=3e-3)
    assert found.worst_euler.safety > 3.9


@pytest.mark.parametrize("k", [50.0, 2000.0, 1e5])
def test_a_link_on_the_spring_of_its_drive_at_its_true_critical_load(k) -> None:
    x = brentq(lambda x: x * np.tan(x) - k / EI, 1e-9, np.pi / 2 - 1e-9)
    found = column(1, 0.999 * x**2 * EI, joint1=k).buckling_safety([np.pi / 2])
    assert found.worst.safety == pytest.approx(1.0, rel=3e-3)


def test_loads_past_the_buckling_of_the_whole_arm_are_named_once() -> None:
    arm = column(2, 1.25 * np.pi**2 * EI / 4**2)
    states = [[0.3, 0.1]] * 5 + [UPRIGHT] * 1000
    for ask in (arm.extremes, arm.buckling_safety, arm.buckling):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            ask(states)
        (text,) = (str(each.message) for each in caught if "past buckling" in str(each.message))
        assert "in state" in text and "the whole arm holds 0.8 times" in text


def test_stout_arms_and_arms_in_tension_raise_no_question() -> None:
    tube = lp.Tube(0.04, 0.003)
    beams = {"link1": lp.Beam(tube, lp.STEEL, end="joint2"), "link2": lp.Beam(tube, lp.STEEL, end="tip_joint")}
    soft = {"joint1": lp.JointCompliance(drive=2e4), "joint2": lp.JointCompliance(drive=1e4)}
    arm = lp.catalog.planar(2).with_payload(10.0).with_beams(beams, joint_compliance=soft, inertia_from_beams=True)
    slender = column(2, np.pi**2 * EI / 4**2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        arm.buckling_safety([UPRIGHT, [0.0, 0.0], [1.0, -0.5]])
        slender.buckling_safety([-np.pi / 2, 0.0])
        column(1, 10.0).buckling_safety([np.pi / 2])


def boom(axis: tuple[float, float, float], at: tuple[float, float, float]) -> lp.Robot:
    box = lp.Inertia(300.0, (1.0, 0, 0), np.diag([10.0, 300.0, 300.0]))
    links = (lp.Link("base"), lp.Link("outer", box), lp.Link("inner", box), lp.Link("hook", lp.Inertia(10.0)))
    return lp.Robot("crane", links, (
        lp.Joint("turn", "base", "outer", lp.Revolute((0, 1, 0))),
        lp.Joint("slide", "outer", "inner", lp.Prismatic(axis), lp.Pose(translation=at)),
        lp.Joint("hook_joint", "inner", "hook", lp.Fixed(), lp.Pose(translation=(0.5, 0, 0))),
    ))


def test_telescopes_and_carriages_are_named() -> None:
    section = lp.RectangularTube(0.2, 0.3, 0.02)
    outer = lp.Beam(section, lp.ALUMINIUM, end=(4.0, 0, 0))
    inner = lp.Beam(section, lp.ALUMINIUM, start=(-3.0, 0, 0), end="hook_joint")
    telescope, carriage = boom((1, 0, 0), (4, 0, 0)), boom((1, 0, 0), (1, 0, 0))
    with pytest.raises(lp.ModelError, match=r"'inner' slides along its own beam by joint 'slide', as a telescope does"):
        telescope.with_beams({"inner": inner})
    with pytest.raises(lp.ModelError, match=r"joint 'slide' slides along the beam of 'outer', and the place of"):
        carriage.with_beams({"outer": outer})
    inclined = boom((np.cos(0.2), 0, np.sin(0.2)), (1, 0, 0))
    with pytest.warns(lp.ModelWarning, match=r"link 'inner' slides at 11.5 degrees to its own beam: as a telescope"):
        inclined.with_beams({"inner": inner})
    with pytest.warns(lp.ModelWarning, match=r"joint 'slide' slides at 11.5 degrees to the beam of 'outer': along"):
        inclined.with_beams({"outer": outer})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        telescope.with_beams({"outer": outer})  # a rigid inner part that moves out from the end
        boom((0, 0, 1), (1, 0, 0)).with_beams({"outer": outer, "inner": inner})  # a lift across the beams


def test_effects_as_a_mapping_change_the_usual_ones() -> None:
    arm = lp.catalog.planar(1, mass=3.0).with_beams({"link1": lp.Beam(ROD, lp.STEEL, end="tip_joint")})
    without = arm.deflection([0.3], effects=["bending", "torsion", "extension", "joints"]).displacement
    assert np.array_equal(arm.deflection([0.3], effects={"shear": False}).displacement, without)
    every = arm.deflection([0.3]).displacement
    assert np.array_equal(arm.deflection([0.3], effects={"shear": True}).displacement, every)
    assert not np.array_equal(without, every)
    expected = arm.compliance([0.3], effects=("bending", "torsion", "extension", "joints"))
    for same in ({"shear": False}, ["joints", "bending", "extension", "torsion"],
                 {"bending", "torsion", "extension", "joints"}):
        assert np.array_equal(arm.compliance([0.3], effects=same), expected)
        assert np.array_equal(arm.stiffness([0.3], effects=same), arm.stiffness([0.3], effects={"shear": False}))
        assert arm.natural_frequencies([0.3], 1, effects=same).frequencies.shape == (1,)
    for wrong, words in (({"warping": False}, "'warping' is no effect of a flexible arm: there are 'bending'"),
                         ({"shear": "no"}, "'effects' has 'no' for 'shear': expected True or False"),
                         (3, "'effects' is 3: expected some of 'bending'"),
                         ([3], "3 is no effect of a flexible arm")):
        for ask in (arm.deflection, arm.compliance, arm.natural_frequencies, arm.extremes):
            with pytest.raises(ValueError, match=re.escape(words)):
                ask([0.3], effects=wrong)
