"""Iterated deflections: the elastica, beam-columns, tension, and what is warned of."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from elastic_arms import WEIGHTLESS, cantilever, random_rod_arm
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import loadpath as lp

ROD = lp.Rod(0.005)
EI = WEIGHTLESS.youngs_modulus * ROD.second_moment_y
ARM = cantilever(ROD)


def iterated(force: Any, **options: Any) -> Any:
    wrench = lp.Wrench(force=np.array(force, dtype=float))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lp.ModelWarning)
        return ARM.deflection([0.0], external={"tip": wrench}, iterate=True, effects=["bending"], **options)


def elastica(alpha: float) -> tuple[float, float, float]:
    """Way back, sag and slope at the tip of a unit cantilever under the tip force alpha EI / L^2, by shooting."""

    def slope(s: float, y: np.ndarray) -> list[float]:
        return [y[1], -alpha * np.cos(y[0]), np.cos(y[0]), np.sin(y[0])]

    def end(bend: float) -> np.ndarray:
        return np.asarray(solve_ivp(slope, (0, 1), [0.0, bend, 0.0, 0.0], rtol=1e-11, atol=1e-12).y[:, -1])

    bend = brentq(lambda k: float(end(k)[1]), 0.0, 2 * alpha)
    theta, _, x, y = end(bend)
    return 1 - x, y, theta


@pytest.mark.parametrize(("alpha", "tolerance"), [(0.1, 4e-6), (0.4, 6e-5), (1.0, 3e-4), (2.0, 8e-4)])
def test_the_elastica(alpha: float, tolerance: float) -> None:
    back, sag, slope = elastica(alpha)
    found = iterated((0, 0, -alpha * EI), pieces=8).tip
    assert_allclose(found.displacement[1:], (0, -sag), atol=tolerance * sag)
    assert_allclose(found.displacement[0], -back, rtol=1e-3)
    assert_allclose(found.rotation, (0, slope, 0), atol=tolerance * slope)
    finer = iterated((0, 0, -alpha * EI), pieces=16).tip
    assert abs(finer.displacement[2] + sag) < 0.3 * abs(found.displacement[2] + sag) + 1e-12
    coarse = iterated((0, 0, -alpha * EI)).tip.displacement
    assert_allclose(coarse[2], -sag, rtol=6e-3 if alpha > 1 else 3e-3)
    small = ARM.compliance([0.0], effects=("bending",))[2, 2] * alpha * EI
    assert abs(found.displacement[2] + sag) < 0.02 * abs(small - sag)


def test_a_beam_column_grows_as_timoshenko_says() -> None:
    """Transverse tip force F and compression P: w = F (tan kL - kL) / (k P), k^2 = P / EI; in tension with tanh."""
    euler = np.pi**2 * EI / 4
    for share in (0.2, 0.5, 0.8):
        k = np.sqrt(share * euler / EI)
        expected = (np.tan(k) - k) / (k * share * euler)
        found = iterated((-share * euler, 0, -1e-3), pieces=16).tip.displacement[2] / 1e-3
        assert_allclose(-found, expected, rtol=2e-3)
    for times in (1.0, 10.0, 50.0):
        k = np.sqrt(times * euler / EI)
        expected = (k - np.tanh(k)) / (k * times * euler)
        found = iterated((times * euler, 0, -1e-3), pieces=16).tip.displacement[2] / 1e-3
        assert_allclose(-found, expected, rtol=4e-3)


@pytest.mark.slow
def test_small_loads_give_the_small_deflection() -> None:
    arm = random_rod_arm(3, 2)
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.uniform(-1, 1, (3, 5, arm.n))
    with warnings.catch_warnings():
        warnings.simplefilter("error", lp.ModelWarning)
        both = [arm.deflection(q, qd, qdd, iterate=iterate, pieces=2) for iterate in (False, True)]
    assert both[1].difference is not None
    assert both[1].difference.shape == (5,)
    assert both[1].difference.max() < 0.01
    assert_allclose(both[1].displacement, both[0].displacement, atol=0.01 * np.abs(both[0].displacement).max())
    # Ten thousand times stiffer: ten thousand times nearer.
    stiff = {name: lp.Beam(beam.section, lp.Material(70e13, 26e13, 2700.0), end=beam.end) for name, beam in arm.beams}
    hard = arm.with_beams(stiff)
    found = hard.deflection(q, qd, qdd, iterate=True, pieces=1)
    assert found.difference.max() < 1e-6
    own = hard.deflection(q, qd, qdd, iterate=True, pieces=1, axes="link")
    R = hard.link_poses(q)[..., :3, :3]
    assert_allclose(np.einsum("...ij,...j->...i", R, own.displacement), found.displacement, atol=1e-15)


def test_large_differences_and_rotations_are_told_with_state_and_share() -> None:
    forces = np.array([[0, 0, -0.01 * EI], [0, 0, -1.0 * EI]])
    external = {"tip": lp.Wrench(force=forces)}
    with pytest.warns(lp.ModelWarning, match=r"differs by 19.* % .*in state 1: more than 5 %"):
        ARM.deflection([0.0], external=external, iterate=True)
    with pytest.warns(lp.ModelWarning, match=r"link 'tip' turns by 0.5 rad.*in state 1.*iterate=True"):
        ARM.deflection([0.0], external=external, effects=["bending"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ARM.deflection([0.0], external={"tip": lp.Wrench(force=forces[0])}, iterate=True)


def test_rows_without_numbers_stay_alone() -> None:
    arm = random_rod_arm(2, 4, sliding=False)
    q = np.array([[0.1, 0.2], [np.nan, 0.2], [0.3, 0.1]])
    found = arm.deflection(q, iterate=True, pieces=2)
    assert np.isnan(found.displacement[1, -1]).all()
    assert_allclose(found.displacement[2], arm.deflection(q[2], iterate=True, pieces=2).displacement, rtol=1e-7)
    with pytest.raises(ValueError, match="'pieces' is 0"):
        arm.deflection(q, iterate=True, pieces=0)
    with pytest.raises(ValueError, match="'without_driven'"):
        arm.deflection(q, iterate=True, without_driven=True)


@pytest.mark.parametrize("tilt", [0.0, 1e-3])
def test_past_buckling_the_equilibrium_is_unstable_and_told(tilt: float) -> None:
    """A column balances past Euler's load, upright or on the wrong side; the straight one shows no sign of it."""
    push = np.pi**2 * EI / 4 * np.array([0.5, 0.98, 1.02, 3.0, -20.0])
    external = {"tip": lp.Wrench(force=np.stack([-push, 0 * push, push * tilt * 1e-3], axis=-1))}
    with pytest.warns(lp.ModelWarning, match=r"unstable in 2 of 5 states, the first in state 2: loads past buckling"):
        found = ARM.deflection([0.0], external=external, iterate=True)
    assert found.stable is not None
    assert found.stable.tolist() == [True, True, False, False, True]
    assert np.isfinite(found.displacement).all()


def test_a_pole_on_a_spring_falls_where_its_weight_is_more_than_the_spring() -> None:
    robot = lp.catalog.planar(1, length=1.0, mass=4.0, gravity=10.0)
    for stiffness, holds in ((21.0, True), (19.0, False)):  # m g L / 2 = 20 N m/rad
        arm = robot.with_beams(joint_compliance={"joint1": lp.JointCompliance(drive=stiffness)})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lp.ModelWarning)
            found = arm.deflection([[np.pi / 2], [-np.pi / 2]], iterate=True)
        assert found.stable is not None
        assert found.stable.tolist() == [holds, True]
