"""Springs that hold the tip of an arm with beams, in time: a cantilever on a spring, by hand."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.optimize import brentq, least_squares

import loadpath as lp

ROD = lp.Rod(0.006)
EI, WEIGHT = lp.STEEL.youngs_modulus * ROD.second_moment_y, 9.81 * lp.STEEL.density * ROD.area
SHARE = 15.0
"""Stiffness of the spring times L^3 / EI; L is 1 m."""
SPRING = lp.TipSpring("tip", rest=(1.0, 0.0, 0.0), stiffness=(0.0, 0.0, SHARE * EI))
SAG = WEIGHT / (8 * EI) / (1 + SHARE / 3)


@cache
def cantilever() -> lp.Robot:
    rod = lp.Beam(ROD, lp.STEEL, end="tip_joint")
    return lp.catalog.planar(1).with_beams({"link1": rod}, inertia_from_beams=True)


def moved(elastic: str, duration: float = 0.2) -> lp.Simulation:
    arm = cantilever()
    return arm.simulate([0.0], duration=duration, prescribed={"joint1": 0.0}, external=SPRING.during(arm), damping=0.0,
                        modes=10, elastic=elastic, effects=("bending", "extension"), sample_rate=2000)


def test_a_cantilever_rests_on_its_spring_as_by_hand() -> None:
    still = moved("equilibrium", 0.02)
    np.testing.assert_allclose(still.tip_position[:, 2], -SAG, rtol=1e-4)
    np.testing.assert_allclose(still.external["tip"].force[:, 2], SHARE * EI * SAG, rtol=1e-4)
    # The drive carries what the spring leaves.
    np.testing.assert_allclose(still.tau[:, 0], WEIGHT / 2 - SHARE * EI * SAG, rtol=1e-3)


def test_a_cantilever_on_a_spring_rings_at_the_frequencies_of_the_textbook() -> None:
    """Dropped from the straight: b^3 (1 + cos b cosh b) + k L^3 / EI (cosh b sin b - sinh b cos b) = 0."""

    def characteristic(b: float) -> float:
        return (b**3 * (1 / np.cosh(b) + np.cos(b)) + SHARE * (np.sin(b) - np.tanh(b) * np.cos(b)))

    wanted = np.array([brentq(characteristic, *ends) for ends in ((1.9, 3.9), (4.0, 7.0))]) ** 2 * np.sqrt(
        EI * 9.81 / WEIGHT)
    found = moved("straight")
    t, z = found.times, found.tip_position[:, 2]

    def fitted(omega: np.ndarray) -> np.ndarray:
        parts = np.stack([np.ones_like(t), *(f(w * t) for w in omega for f in (np.cos, np.sin))], axis=1)
        return parts @ np.linalg.lstsq(parts, z, rcond=None)[0] - z

    rung = least_squares(fitted, wanted, x_scale=wanted).x
    assert rung[0] == pytest.approx(wanted[0], rel=5e-4)
    assert rung[1] == pytest.approx(wanted[1], rel=5e-3)
    # The spring has taken what it stores; the reported tip has also what the coordinates leave out of the bending.
    stored = 0.5 * SHARE * EI * z**2
    np.testing.assert_allclose(found.external_work, -stored, atol=5e-4 * stored.max())
    assert found.energy_drift < 1e-5


def test_the_spring_pulls_at_a_point_beside_the_link_and_damps_there() -> None:
    arm = cantilever()
    beside = lp.TipSpring("tip", rest=(1.0, 0.1, 0.0), stiffness=50.0, damping=2.0, at=(0.0, 0.1, 0.0))
    found = arm.simulate([0.0], duration=0.05, prescribed={"joint1": 0.0}, external=beside.during(arm), modes=8,
                         elastic="straight", damping=0.0)
    poses = found.link_poses[:, arm.link_names.index("tip")]
    place = poses[:, :3, 3] + poses[:, :3, :3] @ [0.0, 0.1, 0.0]
    speed = np.gradient(place[:, 2], found.times, edge_order=2)
    wanted = -50.0 * place[:, 2] - 2.0 * speed
    np.testing.assert_allclose(found.external["tip"].force[1:-1, 2], wanted[1:-1],
                               atol=0.05 * np.abs(wanted).max())
    assert np.abs(found.external["tip"].torque[:, 0]).max() > 0.05 * np.abs(found.external["tip"].force[:, 2]).max()
