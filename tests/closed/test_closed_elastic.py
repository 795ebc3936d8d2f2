"""Stiffness, stresses over motions, fatigue and responses of closed robots of beams: by deflections and stresses of
single states, resonances, and the same robot cut elsewhere.
"""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pytest
from rings import ring

import loadpath as lp

HINGE = lp.Revolute((0, 0, 1))
JOINTS = {"A": HINGE, "B": lp.Universal((1, 0, 0), (0, 1, 0)), "C": lp.Spherical(), "D": HINGE}
SOFT = {"B": lp.JointCompliance(rotation=2e3, translation=2e5)}
LOAD = {"coupler": lp.Wrench(force=(3.0, -2.0, -4.0), torque=(0.08, -0.05, 0.06))}


@cache
def cut_at(name: str) -> lp.Robot:
    return ring(JOINTS, name, SOFT).with_driven("A")


@cache
def bar() -> lp.Robot:
    made = lp.catalog.four_bar()
    ends = {"crank": "coupler_joint", "coupler": "rocker_pin", "rocker": "rocker_pin"}
    return made.with_beams({link: lp.Beam(lp.Rod(0.004), lp.STEEL, end=end) for link, end in ends.items()},
                           inertia_from_beams=True)


@cache
def swing() -> lp.Motion:
    t = np.linspace(0.0, 0.3, 31)
    return bar().motion(t, {"crank_joint": bar().home[0] + 0.4 * (1 - np.cos(np.pi * t / 0.3))})


def test_compliance_is_what_unit_loads_do_wherever_the_ring_is_cut() -> None:
    found = []
    for name in "BCD":
        arm = cut_at(name)
        q, C = arm.home, cut_at(name).compliance(arm.home, "coupler")
        found.append(C)
        still = arm.deflection(q)
        for k, part in enumerate(("force", "torque")):
            for axis in range(3):
                unit = lp.Wrench(**{part: np.eye(3)[axis] * 1e-3})
                moved = arm.deflection(q, external={"coupler": unit})
                both = np.concatenate([moved["coupler"].displacement - still["coupler"].displacement,
                                       moved["coupler"].rotation - still["coupler"].rotation])
                np.testing.assert_allclose(both / 1e-3, C[:, 3 * k + axis], rtol=1e-6, atol=1e-9 * np.abs(C).max())
        np.testing.assert_allclose(arm.stiffness(q, "coupler") @ C, np.eye(6), atol=1e-6)
    np.testing.assert_allclose(found, found[:1] * 3, rtol=1e-9, atol=1e-12 * np.abs(found[0]).max())


@pytest.mark.parametrize("cuts", ["BC", pytest.param("CD", marks=pytest.mark.slow)])
def test_stresses_deflections_and_responses_do_not_know_the_cut(cuts: str) -> None:
    found = []
    for name in cuts:
        arm = cut_at(name)
        q = arm.home
        worst = arm.extremes(q, external=LOAD, link="coupler")
        stresses = [arm.stress(q, external=LOAD).of(link).von_mises.max() for link in ("crank", "coupler", "rocker")]
        np.testing.assert_allclose([worst.stress[link].value for link in ("crank", "coupler", "rocker")], stresses)
        moved = arm.deflection(q, external=LOAD)["coupler"].displacement
        np.testing.assert_allclose(worst.tip.displacement, moved, rtol=1e-12)
        safety = arm.buckling_safety(q, external=LOAD)
        assert safety.arm_factor == pytest.approx(float(arm.buckling(q, external=LOAD).factor), rel=1e-3)
        shaken = [arm.frequency_response(q, source, ("coupler", "x"), [0.0, 11.0, 25.0], modes=6, external=LOAD,
                                         tolerance=1e-3) for source in (("coupler", "z"), ("ground", "y"), "A")]
        found.append([*stresses, *moved, safety.safety.min(), *(abs(each.response) for each in shaken)])
    for other in found[1:]:
        for a, b in zip(found[0], other, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-12)


def test_a_response_is_the_compliance_when_slow_and_large_at_the_natural_frequencies() -> None:
    arm = cut_at("C")
    q = arm.home
    h = arm.frequency_response(q, ("coupler", "z"), damping=0.01, loaded=False)
    assert h.static == pytest.approx(float(arm.compliance(q, "coupler")[2, 2]), rel=1e-9)
    lowest = arm.natural_frequencies(q, 3, loaded=False).frequencies
    assert min(abs(h.peaks[0].frequency / lowest - 1)) < 1e-3
    with pytest.raises(ValueError, match="joint 'D' follows from the loops: shake one of A"):
        arm.frequency_response(q, "D", "coupler")


def test_a_drive_that_shakes_loads_as_its_acceleration_does() -> None:
    """At the frequency zero the response to an acceleration is the deflection that it makes."""
    arm = bar().with_gravity(0.0)
    q, still = arm.home, np.zeros(3)
    slow = arm.frequency_response(q, "crank_joint", "coupler", [0.0], loaded=False).response[0].real.ravel()
    qdd = arm.complement(q)[:, 0]
    wanted = arm.deflection(q, still, qdd)["coupler"]
    np.testing.assert_allclose(slow, [*wanted.displacement, *wanted.rotation], rtol=1e-6,
                               atol=1e-9 * np.abs(slow).max())


def test_extremes_of_a_motion_are_those_of_its_states() -> None:
    arm, motion = bar(), swing()
    found = arm.extremes(motion, link="coupler")
    stress = arm.stress(motion)
    for link, worst in found.stress.items():
        own = stress.of(link)
        assert worst.value == pytest.approx(own.von_mises.max(), rel=1e-12)
        assert worst.state == (int(own.von_mises.max(axis=-1).argmax()),)
    distance = np.linalg.norm(arm.deflection(motion)["coupler"].displacement, axis=-1)
    assert found.tip.distance == pytest.approx(distance.max(), rel=1e-12)


def test_an_end_that_a_loop_holds_needs_no_frame() -> None:
    four = lp.catalog.four_bar()
    arm = four.with_beams({"coupler": lp.Beam(lp.Rod(0.008), lp.STEEL, end="rocker_pin")}, inertia_from_beams=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert arm.extremes(four.home, link="coupler").worst_stress.link == "coupler"


def test_fatigue_of_a_closed_motion_and_its_causes() -> None:
    pytest.importorskip("pylife")
    arm, motion = bar(), swing()
    found = arm.fatigue(motion, sections=3, counting="once", detail=lp.SNCurve(1e6, slope=3.0))
    force, moment = arm.section_actions(motion.q, motion.qd, motion.qdd, sections=3)
    fibres = found.fibres
    stress = fibres.stress(force, moment)[~fibres.twisted]
    np.testing.assert_allclose(found.largest_range, np.ptp(stress, axis=1), rtol=1e-9)
    shares = found.causes[found.worst.link]
    assert {"gravity", "speeds of the joints", "acceleration of crank_joint"} <= set(shares)
    assert not any("rocker" in name for name in shares)


def test_pictures_of_a_closed_arm() -> None:
    arm = bar()
    figure = arm.plot_deflection(arm.home, magnification=10.0)
    assert {line.name for line in figure.data} >= {"undeflected", "link frames"}
    assert "smallest safety" in arm.plot_safety(arm.home).layout.title.text
