"""Base parameters and identification of robots with loops."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import loadpath as lp
from loadpath.closure.freedoms import poses_nearby

State = tuple[np.ndarray, np.ndarray, np.ndarray]


def states(robot: lp.Robot, count: int, seed: int, within: float = 0.8) -> State:
    """Closed states all around home."""
    q = np.array(poses_nearby(robot, count, seed, within))
    rng, names = np.random.default_rng(seed), robot.independent
    speeds, accelerations = rng.normal(size=(2, robot.mobility, len(q))) * [[[3.0]], [[30.0]]]
    return q, *robot.complete(q, dict(zip(names, speeds, strict=True)), dict(zip(names, accelerations, strict=True)))


def other(robot: lp.Robot, seed: int = 1) -> lp.Robot:
    """Of the same geometry, with other inertias and with friction."""
    rng = np.random.default_rng(seed)

    def body(own: lp.Inertia) -> lp.Inertia:
        mass, tensor = rng.uniform(0.8, 1.2, 2)
        return lp.Inertia(mass * own.mass, own.center_of_mass, tensor * np.array(own.tensor))

    def rubbing(joint: lp.Joint) -> lp.Joint:
        viscous, coulomb = rng.uniform(0.1, 0.3, (2, joint.motion.dof))
        return replace(joint, viscous_friction=tuple(viscous), coulomb_friction=tuple(coulomb))

    links = tuple(replace(link, inertia=body(link.inertia)) if link.inertia.mass else link for link in robot.links)
    return replace(robot, links=links, joints=tuple(rubbing(j) if j.motion.dof else j for j in robot.joints))


def test_the_groups_of_a_slider_crank_are_those_found_by_hand() -> None:
    """The slider is a point mass at the end of the rod: (m3) goes to the rod as one, m2 and m3 to the crank."""
    base = lp.catalog.slider_crank(crank=0.05, rod=0.2).base_parameters()
    assert base.groups == (
        "mx1 + 0.05 (m2 + m3)", "my1", "Izz1 + 0.0025 (m2 + m3)", "mx2 + 0.2 m3", "my2", "Izz2 + 0.04 m3"
    )
    assert "grouped by numbers, not by symbols: m3" in str(base.symbolic())


@pytest.mark.parametrize(("name", "number"), [
    ("four_bar", 8),  # nine of three plane bodies, less one that the loop shares among them
    ("five_bar", 11),
    pytest.param("delta", 34, marks=pytest.mark.slow),
])
def test_the_number_of_groups_is_the_rank_of_the_drives_regressor(name: str, number: int) -> None:
    robot = getattr(lp.catalog, name)()
    base = robot.base_parameters()
    assert base.number == number and base.grouping.misfit < 1e-12
    at = states(robot, 400, 3)
    Y = robot.regressor.uncompiled(*at).reshape(-1, 10 * len(robot.links))
    values = np.linalg.svd(Y, compute_uv=False)  # as they are: scaled columns of rounding would count
    assert int((values > 1e-9 * values[0]).sum()) == number
    tau = robot.inverse_dynamics.uncompiled(*at)
    np.testing.assert_allclose(base.regressor(*at) @ base.values, tau, rtol=0, atol=1e-9 * np.abs(tau).max())


@pytest.mark.parametrize("name", [
    "four_bar", "five_bar",
    pytest.param("delta", marks=pytest.mark.slow),
    pytest.param("stewart_platform", marks=pytest.mark.slow),
])
def test_forces_of_another_robot_give_its_base_parameters(name: str) -> None:
    prior = getattr(lp.catalog, name)()
    true = other(prior)
    at = states(prior, 600, 5)
    tau = true.inverse_dynamics(*at)
    found = lp.identify(prior, *at, tau, max_condition=1e6)
    base = found.base.of(true)
    np.testing.assert_allclose(found.values, base, rtol=0, atol=1e-9 * np.abs(base).max())
    acting = {name for group in found.base.groups for name in re.findall(r"f[vc]\d+", group)}
    assert acting == {f"{kind}{k}" for kind in ("fv", "fc") for k in range(1, prior.n + 1)}  # of passive joints, too
    there = states(prior, 50, 9)
    wanted = true.inverse_dynamics(*there)
    np.testing.assert_allclose(found.robot.inverse_dynamics(*there), wanted, rtol=0, atol=1e-9 * np.abs(wanted).max())
    assert found.robot.closing_names == prior.closing_names


def test_a_preload_of_more_drives_than_freedoms_is_no_inertia() -> None:
    prior = lp.catalog.four_bar().with_driven("crank_joint", "rocker_joint")
    true = other(prior)
    at = states(prior, 400, 5)
    preload = np.random.default_rng(8).normal(size=(len(at[0]), 2))
    found = lp.identify(prior, *at, true.inverse_dynamics(*at, preload=preload), max_condition=1e6)
    np.testing.assert_allclose(found.values, found.base.of(true), rtol=0, atol=1e-10)


def test_noise_is_within_its_standard_deviations() -> None:
    prior = lp.catalog.five_bar()
    true, at = other(prior), states(prior, 2000, 5)
    noise = np.random.default_rng(3).normal(size=at[1].shape) * 0.05
    noise[:, [1, 3]] = 0.0
    found = lp.identify(prior, *at, true.inverse_dynamics(*at) + noise)
    off = (found.values - found.base.of(true)) / found.standard_deviations
    assert np.abs(off).max() < 4 and 0.4 < np.sqrt((off**2).mean()) < 1.6
    np.testing.assert_allclose(found.noise[[0, 2]], 0.05, rtol=0.05)


def test_known_friction_is_taken_off_as_the_drives_feel_it() -> None:
    true = other(lp.catalog.four_bar())
    prior = replace(true, links=lp.catalog.four_bar().links)
    at = states(prior, 400, 5)
    found = lp.identify(prior, *at, true.inverse_dynamics(*at), friction=False, max_condition=1e6)
    np.testing.assert_allclose(found.values, found.base.of(true), rtol=0, atol=1e-10)


def test_states_of_no_closed_robot_are_refused() -> None:
    bar = lp.catalog.four_bar()
    q, qd, qdd = states(bar, 100, 1)
    with pytest.raises(ValueError, match="identify: the loops of 'four_bar' are open at 1 of"):
        lp.identify(bar, np.concatenate([q[:-1], q[-1:] + 0.1]), qd, qdd, 0 * qd)
    with pytest.raises(ValueError, match="excitation: qd is no motion of the closed robot 'four_bar'"):
        lp.excitation(bar, q, qd + 0.1, qdd)
    assert lp.excitation(bar, q, qd, qdd).condition < 1e5
