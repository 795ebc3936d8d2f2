"""Identification: exact data, noise and its statistics, wrong priors, friction, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import loadpath as lp
from excitations import excitation_motion
from loadpath.identification.consistency import bodies, pseudo_inertia
from loadpath.identification.parameters import of_drives, of_inertia
from loadpath.robot.catalog.random_robots import random_inertia


def is_consistent(found):
    """Every link with influence has a positive definite pseudo-inertia, no drive parameter is negative."""
    links = bodies(found.base, found.base.parameters.of(found.base.robot)).links
    for link in (found.robot.links[i] for i in links):
        assert link.inertia.mass > 0
        assert link.inertia.faults() == []
        assert np.linalg.eigvalsh(pseudo_inertia(of_inertia(link.inertia)))[0] > 0, link.name
    assert min(values.min() for values in of_drives(found.robot).values()) >= 0
    return True


def wrong(robot, seed):
    """The robot with the inertias of other bodies where it has any, and without friction and rotors."""
    rng = np.random.default_rng(seed)
    others = {link.name: random_inertia(rng) for link in robot.links if not link.inertia.is_zero}
    return robot.with_inertias(others).without_friction().without_rotors()


def measured(robot, samples, seed, noise=0.0, size=1.0):
    q, qd, qdd = excitation_motion(robot, samples, seed, size=size)
    tau = robot.inverse_dynamics(q, qd, qdd)
    return q, qd, qdd, tau + noise * np.random.default_rng(seed + 1000).normal(size=tau.shape)


# Exact data


@pytest.mark.parametrize(
    "robot",
    [
        lp.catalog.two_link(),
        lp.catalog.two_link(distributed=True),
        lp.catalog.puma560(),
        lp.catalog.panda(),
        lp.catalog.panda(hand=True),
        lp.catalog.stanford_arm(),
        lp.catalog.random_chain(4, 3, ["revolute", "cylindrical", "planar"], general=True, drives=True),
        lp.catalog.random_tree(6, 5, ["revolute", "prismatic", "fixed", "universal"], general=True, drives=True),
    ],
    ids=lambda robot: robot.name,
)
def test_exact_data_give_the_torques_and_base_parameters_whatever_the_prior(robot):
    q, qd, qdd, tau = measured(robot, 600, 1)
    scale = np.abs(tau).max()
    for prior in (robot, wrong(robot, 7)):
        found = lp.identify(prior, q, qd, qdd, tau, rotors=True)
        assert is_consistent(found)
        np.testing.assert_allclose(found.fitted_torque, tau, rtol=0, atol=1e-10 * scale)
        truth = found.base.of(robot)
        np.testing.assert_allclose(found.values, truth, rtol=0, atol=1e-10 * np.abs(truth).max())
        assert found.residual.max() < 1e-10 * scale
    # in other states too, through the robot itself
    q, qd, qdd = excitation_motion(robot, 50, 99)
    expected = robot.inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(found.robot.inverse_dynamics(q, qd, qdd), expected, rtol=0, atol=1e-9 * scale)


def test_a_prior_that_is_right_stays_as_it_is():
    robot = lp.catalog.random_dh_arm(4, 3)
    found = lp.identify(robot, *measured(robot, 300, 2), friction=False)
    for before, after in zip(robot.links, found.robot.links, strict=True):
        np.testing.assert_allclose(of_inertia(after.inertia), of_inertia(before.inertia), atol=1e-9)
    assert found.robot.joints == robot.joints


def test_links_without_influence_keep_their_inertia():
    robot = lp.catalog.panda()
    found = lp.identify(wrong(robot, 3), *measured(robot, 300, 2))
    assert found.robot.link("panda_link8").inertia.is_zero
    assert found.robot.link("panda_link0") == wrong(robot, 3).link("panda_link0")


def test_friction_of_every_joint_is_found():
    robot = lp.catalog.puma560()
    found = lp.identify(wrong(robot, 1), *measured(robot, 600, 3), rotors=True)
    for key, values in of_drives(robot).items():
        if key != "Ia":
            np.testing.assert_allclose(of_drives(found.robot)[key], values, rtol=1e-9)
    # rotors that are not grouped with a link as well
    np.testing.assert_allclose(of_drives(found.robot)["Ia"][2:], of_drives(robot)["Ia"][2:], rtol=1e-8)


def test_drives_that_are_not_sought_count_as_known():
    robot = lp.catalog.puma560()
    data = measured(robot, 400, 3)
    prior = robot.with_inertias({"link6": lp.Inertia.from_moments(1.0, ixx=0.1, iyy=0.1, izz=0.1)})
    found = lp.identify(prior, *data, friction=False, rotors=False)
    assert found.robot.joints == robot.joints
    np.testing.assert_allclose(found.fitted_torque, data[3], atol=1e-9)


def test_followers_hand_their_friction_to_the_joint_they_follow():
    robot = lp.catalog.panda(hand=True)
    joints = [replace(j, viscous_friction=2.0, coulomb_friction=3.0) if "finger" in j.name else j for j in robot.joints]
    robot = replace(robot, joints=tuple(joints))
    found = lp.identify(robot, *measured(robot, 600, 4))
    assert found.robot.joint("panda_finger_joint2").viscous_friction == (0.0,)
    np.testing.assert_allclose(found.robot.joint("panda_finger_joint1").viscous_friction, 4.0, rtol=1e-8)
    np.testing.assert_allclose(found.robot.joint("panda_finger_joint1").coulomb_friction, 6.0, rtol=1e-8)


def test_a_floating_robot():
    body = {"base": lp.Inertia.from_moments(3.0, (0.1, 0, 0), ixx=0.3, iyy=0.2, izz=0.4, ixy=0.02)}
    robot = lp.catalog.planar(1).with_inertias(body).floating()
    rng = np.random.default_rng(1)
    q, qd, qdd = rng.normal(size=(200, robot.nq)), *rng.normal(size=(2, 200, robot.n))
    tau = robot.inverse_dynamics(q, qd, qdd)
    found = lp.identify(wrong(robot, 2), q, qd, qdd, tau, friction=False)
    assert found.base.number == 10 + 7
    np.testing.assert_allclose(found.robot.link("base").inertia.mass + found.robot.link("link1").inertia.mass, 4.0)
    np.testing.assert_allclose(found.fitted_torque, tau, atol=1e-9)


# Noise


@pytest.mark.slow
def test_standard_deviations_agree_with_the_scatter_of_many_measurements():
    robot = lp.catalog.random_dh_arm(3, 5)
    joints = tuple(replace(j, viscous_friction=0.5, coulomb_friction=0.8) for j in robot.joints)
    robot = replace(robot, joints=joints)
    q, qd, qdd, tau = measured(robot, 300, 1)
    noise = np.array([0.5, 0.1, 0.02])
    rng = np.random.default_rng(0)
    prior = wrong(robot, 4)
    runs = [lp.identify(prior, q, qd, qdd, tau + noise * rng.normal(size=tau.shape)) for _ in range(80)]
    truth = runs[0].base.of(robot)
    told = np.mean([run.standard_deviations for run in runs], axis=0)
    fits = np.array([run.least_squares for run in runs])
    np.testing.assert_allclose(np.std(fits - truth, axis=0) / told, 1.0, atol=0.3)  # 8 % expected of 80 runs
    assert abs(np.sqrt(np.mean(((fits - truth) / told) ** 2)) - 1.0) < 0.05
    np.testing.assert_allclose(np.mean([run.noise for run in runs], axis=0), noise, rtol=0.02)
    # The robots themselves scatter no more, and their mean is not off by more than chance allows.
    values = np.array([run.values for run in runs])
    assert np.sqrt(np.mean(((values - truth) / told) ** 2)) < 1.1
    off = np.abs(np.mean(values, axis=0) - truth) / told
    assert off.max() < 0.45, off  # 0.11 by chance; bodies at the edge of the possible are pushed inwards
    assert all(is_consistent(run) for run in runs[:10])


def test_weights_by_noise_beat_equal_ones():
    robot = lp.catalog.random_dh_arm(3, 5)
    q, qd, qdd, tau = measured(robot, 400, 1)
    noise = np.array([2.0, 0.05, 0.01])
    rng = np.random.default_rng(1)
    squares = {"by noise": 0.0, "equal": 0.0, "known": 0.0}
    for _ in range(8):
        noisy = tau + noise * rng.normal(size=tau.shape)
        for weights in squares:
            given_weights = noise if weights == "known" else weights
            found = lp.identify(robot, q, qd, qdd, noisy, friction=False, weights=given_weights)
            squares[weights] += np.sum((found.least_squares - found.base.of(robot)) ** 2)
    assert squares["by noise"] < 0.2 * squares["equal"]
    assert squares["known"] < 1.3 * squares["by noise"]


@pytest.mark.parametrize("robot", [lp.catalog.puma560(), lp.catalog.panda()], ids=lambda robot: robot.name)
def test_real_robots_from_noisy_data(robot):
    """Noise of a few percent of the torques: the torques of the fit are better than the measured ones by far."""
    q, qd, qdd, tau = measured(robot, 1000, 5)
    rms = np.sqrt(np.mean(tau**2, axis=0))
    noisy = tau + 0.03 * rms * np.random.default_rng(2).normal(size=tau.shape)
    found = lp.identify(wrong(robot, 6), q, qd, qdd, noisy, rotors=True)
    assert is_consistent(found)
    off = np.sqrt(np.mean((found.fitted_torque - tau) ** 2, axis=0))
    assert (off < 0.012 * rms).all()
    np.testing.assert_allclose(found.residual, 0.03 * rms, rtol=0.15)
    of_robot = found.robot.inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(found.fitted_torque, of_robot + found.offsets, atol=1e-9)
    before = wrong(robot, 6).inverse_dynamics(q, qd, qdd)
    assert (off < 0.1 * np.sqrt(np.mean((before - tau) ** 2, axis=0))).all()


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.floats(0.001, 30.0), st.booleans())
def test_robots_are_always_consistent(seed, noise, tree):
    """However strong the noise, and though least squares alone asks for bodies that cannot be."""
    make = lp.catalog.random_tree if tree else lp.catalog.random_chain
    robot = make(3, seed, ["revolute", "prismatic", "universal", "fixed"], drives=True)
    if robot.n == 0:
        return
    q, qd, qdd = excitation_motion(robot, 60, seed)
    tau = np.random.default_rng(seed).normal(size=(60, robot.n)) * noise  # no robot moves like this
    found = lp.identify(robot, q, qd, qdd, tau, rotors=bool(seed % 2), offsets=not seed % 2, max_condition=1e9)
    assert is_consistent(found)
    assert np.isfinite(found.standard_deviations).all()


def test_impossible_priors_are_mended():
    """Published robots break the conditions of real bodies; what is identified does not."""
    broken = lp.Inertia.from_moments(1.0, (0.1, 0.0, 0.0), ixx=0.1, iyy=0.1, izz=-0.02)
    robot = lp.catalog.random_dh_arm(3, 2)
    with pytest.warns(lp.ModelWarning, match="negative principal moment"):
        prior = robot.with_inertias({"link2": broken})
    found = lp.identify(prior, *measured(robot, 200, 2, noise=0.1))
    assert is_consistent(found)


def test_a_stronger_prior_pulls_more():
    robot = lp.catalog.random_dh_arm(3, 2)
    data = measured(robot, 100, 2, noise=0.01)
    prior = wrong(robot, 1)
    weak, strong = (lp.identify(prior, *data, friction=False, prior_weight=w) for w in (1e-4, 1e4))
    start = weak.base.of(prior)
    told = weak.standard_deviations
    assert np.linalg.norm((strong.values - start) / told) < np.linalg.norm((weak.values - start) / told)
    assert np.abs((weak.values - weak.least_squares) / told).max() < 0.01


# What is told


def test_single_parameters_are_masked_unless_they_are_identifiable():
    robot = lp.catalog.puma560()
    found = lp.identify(robot, *measured(robot, 400, 1, noise=0.1))
    names = found.base.parameter_names
    deviations = found.parameter_deviations
    assert deviations[names.index("m2")] is np.ma.masked
    assert deviations[names.index("fv1")] > 0
    assert not found.identifiable[names.index("Ixx6")] and found.identifiable[names.index("Ixy6")]
    assert np.isfinite(deviations.filled(0.0)).all()
    assert found.parameters.shape == (70 + 12,)
    text = str(found)
    assert "identified from 400 states" in text and "std. dev." in text and "not identifiable" in text


def test_chunks_of_any_size_give_the_same(monkeypatch):
    robot = lp.catalog.planar(2)
    data = measured(robot, 3000, 1, noise=0.1)
    whole = lp.identify(robot, *data)
    monkeypatch.setattr("loadpath.identification.measurements._CHUNK", 2 * 44 * 100)
    parts = lp.identify(robot, *data, progress=True)
    np.testing.assert_allclose(parts.values, whole.values, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(parts.standard_deviations, whole.standard_deviations, rtol=1e-9)


def test_a_hundred_thousand_states():
    robot = lp.catalog.two_link(distributed=True)
    q, qd, qdd, tau = measured(robot, 100_000, 1, noise=1.0)
    found = lp.identify(robot, q, qd, qdd, tau)
    np.testing.assert_allclose(found.noise, 1.0, rtol=0.02)
    assert found.standard_deviations.max() < 0.02
    assert (np.abs(found.values - found.base.of(robot)) < 5 * found.standard_deviations).all()


def test_leading_axes_are_rows():
    robot = lp.catalog.planar(2)
    q, qd, qdd, tau = measured(robot, 300, 1, noise=0.1)
    flat = lp.identify(robot, q, qd, qdd, tau)
    stacked = lp.identify(robot, *(a.reshape(3, 100, 2) for a in (q, qd, qdd, tau)))
    np.testing.assert_array_equal(stacked.values, flat.values)
