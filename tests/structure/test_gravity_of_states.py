"""Beams under gravity of each state: as arms that have that gravity themselves, one state after the other."""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp

TUBE = lp.Tube(0.03, 0.003)
BEAMS = {"link1": lp.Beam(TUBE, lp.STEEL, end="joint2"), "link2": lp.Beam(TUBE, lp.STEEL, end="tip_joint")}
RANDOM = np.random.default_rng(3)
STATES = RANDOM.normal(size=(3, 3, 2))
GRAVITY = 9.0 * RANDOM.normal(size=(3, 3))
MOVING = {"base_acceleration": RANDOM.normal(size=(3, 6))}


@pytest.fixture(scope="module")
def arm() -> lp.FlexibleRobot:
    return lp.catalog.planar(2, mass=2.0).with_payload(3.0).with_beams(BEAMS, inertia_from_beams=True)


@pytest.mark.parametrize("base", [{}, MOVING], ids=["still", "moving"])
def test_deflection_and_stress(arm: lp.FlexibleRobot, base: dict[str, np.ndarray]) -> None:
    bent, stress = (ask(*STATES, gravity=GRAVITY, **base) for ask in (arm.deflection, arm.stress))
    for k, g in enumerate(GRAVITY):
        own, state = arm.with_gravity(g), [part[k] for part in STATES]
        acting = {name: part[k] for name, part in base.items()}
        for found, expected in ((bent.displacement[k], own.deflection(*state, **acting).displacement),
                                (stress.von_mises[k], own.stress(*state, **acting).von_mises)):
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12 * abs(expected).max())


def test_a_deflection_in_many_pieces_is_divided_under_the_same_gravity(arm: lp.FlexibleRobot) -> None:
    g = GRAVITY[0]
    found = arm.deflection(STATES[0][0], gravity=g, iterate=True).displacement
    expected = arm.with_gravity(g).deflection(STATES[0][0], iterate=True).displacement
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_the_cause_gravity_of_fatigue_is_the_gravity_that_acts(arm: lp.FlexibleRobot) -> None:
    motion, g = lp.Motion.swing(arm), (0.0, 0.0, -2000.0)
    found, expected = arm.fatigue(motion, gravity=g), arm.with_gravity(g).fatigue(motion)
    np.testing.assert_allclose(found.damage, expected.damage, rtol=1e-9)
    assert expected.damage.max() > 0
    for link, shares in expected.causes.items():
        assert found.causes[link] == pytest.approx(shares, rel=1e-6, abs=1e-9)


def test_loops_stay_closed_under_it() -> None:
    bar = lp.catalog.four_bar()
    elastic = bar.with_beams({"coupler": lp.Beam(lp.Rod(0.008), lp.STEEL, end="rocker_pin")}, inertia_from_beams=True)
    g, q = (3.0, -2.0, 5.0), bar.home
    own = elastic.with_gravity(g)
    for ask in ("static_wrenches", "stress", "deflection"):
        part = {"static_wrenches": "force", "stress": "von_mises", "deflection": "displacement"}[ask]
        found, expected = getattr(getattr(elastic, ask)(q, gravity=g), part), getattr(getattr(own, ask)(q), part)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12 * abs(expected).max())
