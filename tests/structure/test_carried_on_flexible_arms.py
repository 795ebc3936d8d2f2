"""Loads that come and go on a flexible arm, against the arm with the payload on."""

import numpy as np
import pytest

import loadpath as lp

CENTER, TENSOR = (0.05, 0.02, 0.1), [[0.02, 0.001, 0.0], [0.001, 0.03, 0.002], [0.0, 0.002, 0.025]]
BOX = lp.RectangularTube(0.03, 0.06, 0.002)
BEAMS = {"link1": lp.Beam(BOX, lp.ALUMINIUM, end="joint2"), "link2": lp.Beam(BOX, lp.ALUMINIUM, end="tip_joint")}
RIGID = lp.catalog.planar(2, mass=3.0)
ARM = RIGID.with_beams(BEAMS)
HEAVY = RIGID.with_payload(2.0, CENTER, inertia=TENSOR).with_beams(BEAMS)
MOTION = lp.Motion.through(ARM, [[0, 0], [1, 0.5]], times=[0, 0.7], rate=30)
LOAD = lp.Carried(2.0, from_=0.2, to=0.5, center_of_mass=CENTER, inertia=TENSOR, name="box")
LOADED, WHEN = MOTION.with_loads([LOAD]), LOAD.at(MOTION.t)
OF_HEAVY = lp.Motion.from_checked(MOTION.t, MOTION.q, MOTION.qd, MOTION.qdd, HEAVY)


def either(heavy, light):
    return np.where(WHEN.reshape(-1, *[1] * (np.ndim(light) - 1)), heavy, light)


def test_the_arm_bends_and_is_stressed_as_with_a_payload():
    found, heavy, light = ARM.deflection(LOADED), HEAVY.deflection(OF_HEAVY), ARM.deflection(MOTION)
    links = [HEAVY.link_names.index(link) for link in ARM.link_names]
    assert np.abs(found.displacement - either(heavy.displacement[:, links], light.displacement)).max() < 1e-15
    found, heavy, light = (arm.stress(motion, sections=5).von_mises
                           for arm, motion in ((ARM, LOADED), (HEAVY, OF_HEAVY), (ARM, MOTION)))
    assert np.allclose(found, either(heavy, light), rtol=1e-11)


def test_stability_counts_where_the_mass_is():
    found, heavy, light = (arm.buckling(motion).factor
                           for arm, motion in ((ARM, LOADED), (HEAVY, OF_HEAVY), (ARM, MOTION)))
    # As a wrench without the body it would be off by 2 %; the discretizations differ by 1e-4.
    assert np.allclose(found, either(heavy, light), rtol=2e-4)


@pytest.mark.parametrize("call", [
    lambda: ARM.respond(LOADED), lambda: ARM.natural_frequencies(LOADED), lambda: ARM.bandwidth_check(LOADED),
    lambda: ARM.natural_frequencies(LOADED, loaded=False), lambda: ARM.shaped(LOADED),
    lambda: ARM.deflection(LOADED, iterate=True),
])
def test_vibrations_refuse_masses_that_come_and_go(call):
    with pytest.raises(ValueError, match=r"the motion carries 'box'.*with_payload"):
        call()
