"""Motions that excite too little, and calls that are wrong: refused with what is missing."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import loadpath as lp
from excitations import excitation_motion


@pytest.fixture(scope="module")
def robot():
    return lp.catalog.puma560()


def identify(robot, q, qd, qdd, **options):
    return lp.identify(robot, q, qd, qdd, robot.inverse_dynamics(q, qd, qdd), **options)


def test_poses_at_rest_are_refused(robot):
    q, qd, qdd = excitation_motion(robot, 300, 1)
    with pytest.raises(
        ValueError, match=r"joints joint1, .* do not move; not excited: Iyy1 .* and 30 more \(of the joints joint1, "
    ):
        identify(robot, q, 0 * qd, 0 * qdd)


def test_one_moving_joint_is_not_enough_and_the_still_ones_are_named(robot):
    q, qd, qdd = (a * (np.arange(6) == 1) for a in excitation_motion(robot, 300, 1))
    with pytest.raises(ValueError, match="the joints joint1, joint3, joint4, joint5, joint6 do not move"):
        identify(robot, q, qd, qdd)


def test_one_still_joint_is_named_and_its_groups(robot):
    """Link 6 itself is moved enough by the other joints: only its drive stays unknown."""
    q, qd, qdd = (a * (np.arange(6) != 5) for a in excitation_motion(robot, 300, 1))
    with pytest.raises(
        ValueError, match=r"the joint joint6 does not move; not excited: fv6; fc6 \(of the joints joint6"
    ):
        identify(robot, q, qd, qdd)
    identify(robot, q, qd, qdd, friction=False)


def test_a_still_shoulder_hides_the_moment_about_it(robot):
    q, qd, qdd = (a * (np.arange(6) != 0) for a in excitation_motion(robot, 300, 1))
    with pytest.raises(ValueError, match="the joint joint1 does not move; not excited: Iyy1 "):
        identify(robot, q, qd, qdd, friction=False)


def test_constant_speed_is_refused(robot):
    t = np.linspace(0, 10, 500)[:, None]
    qd = np.array([0.5, -0.3, 0.7, 0.9, -0.4, 1.1]) + 0 * t
    with pytest.raises(ValueError, match=r"not excited: .*fv1"):  # and fc1: friction has one value only
        identify(robot, qd * t, qd, 0 * qd)


def test_a_slow_motion_is_refused_by_its_condition(robot):
    q, qd, qdd = excitation_motion(robot, 400, 1)
    slow = 1e-3
    with pytest.raises(ValueError, match="condition"):
        identify(robot, q, slow * qd, slow**2 * qdd)
    identify(robot, q, slow * qd, slow**2 * qdd, max_condition=1e12)  # exact data: the user may insist


def test_too_few_states(robot):
    q, qd, qdd = excitation_motion(robot, 5, 1)
    with pytest.raises(ValueError, match=r"5 states \(with 6 forces a state\) are too few for 48 base parameters"):
        identify(robot, q, qd, qdd)


def test_numbers_that_are_not_finite_are_named(robot):
    q, qd, qdd = excitation_motion(robot, 50, 1)
    tau = robot.inverse_dynamics(q, qd, qdd)
    tau[17, 3] = np.nan
    tau[20, 1] = np.inf
    with pytest.raises(ValueError, match="'tau' is nan in row 17 at joint 'joint4', and 1 more"):
        lp.identify(robot, q, qd, qdd, tau)
    with pytest.raises(ValueError, match="'qd' is inf in row 2 at joint 'joint1'"):
        lp.excitation(robot, q, np.where(np.arange(50)[:, None] == 2, np.inf, qd), qdd)


def test_shapes(robot):
    q, qd, qdd = excitation_motion(robot, 50, 1)
    with pytest.raises(ValueError, match=r"'q' has the shape \(50, 5\): expected \(samples, 6\)"):
        lp.identify(robot, q[:, :5], qd, qdd, qd)
    with pytest.raises(ValueError, match="batch shapes do not go together"):
        lp.identify(robot, q, qd[:40], qdd, qd)
    with pytest.raises(ValueError, match="'tau' is not an array of numbers"):
        lp.identify(robot, q, qd, qdd, [["a"] * 6])


def test_wrong_options(robot):
    q, qd, qdd = excitation_motion(robot, 50, 1)
    with pytest.raises(ValueError, match="weights are 'noise'"):
        lp.identify(robot, q, qd, qdd, qd, weights="noise")
    with pytest.raises(ValueError, match="expected 6 positive standard deviations"):
        lp.identify(robot, q, qd, qdd, qd, weights=[1.0, 2.0])
    with pytest.raises(ValueError, match="prior_weight is 0"):
        lp.identify(robot, q, qd, qdd, qd, prior_weight=0)


# Excitation


def test_excitation_judges_a_motion(robot):
    good = lp.excitation(robot, *excitation_motion(robot, 400, 1))
    assert good.sufficient() and good.condition < 200 and good.unexcited() == () and "sufficient" in str(good)
    assert good.still == ()
    slower = lp.excitation(robot, *excitation_motion(robot, 400, 1, size=0.2))
    assert slower.condition > 3 * good.condition
    q, qd, qdd = (a * (np.arange(6) != 5) for a in excitation_motion(robot, 300, 1))
    bad = lp.excitation(robot, q, qd, qdd)
    assert not bad.sufficient() and bad.still == ("joint6",)
    assert bad.unexcited() == ("fv6", "fc6")
    assert "joints that do not move: joint6" in str(bad)
    assert lp.excitation(robot, q, qd, qdd, friction=False).base.number == 36


def test_nothing_at_all_is_excited_at_rest_without_gravity():
    arm = lp.catalog.planar(2).with_gravity((0, 0, 0))
    rest = np.zeros((50, 2))
    found = lp.excitation(arm, rest, rest, rest)
    assert found.condition == np.inf and len(found.unexcited()) == found.base.number
    with pytest.raises(ValueError, match="does not excite"):
        lp.identify(arm, rest, rest, rest, rest)


def test_excitation_does_not_depend_on_units_of_length():
    def arm(size):
        rows = [{"d": 0.3 * size, "alpha": np.pi / 2}, {"a": 0.4 * size}, {"a": 0.3 * size}]
        gravity = (0, 0, -9.81 * size)  # so that the same motion is the same, only larger
        return lp.from_dh([row | {"mass": 1.0} for row in rows], gravity=gravity)

    motion = excitation_motion(arm(1.0), 300, 1)
    conditions = [lp.excitation(arm(size), *motion).condition for size in (1.0, 1e-3, 1e3)]
    np.testing.assert_allclose(conditions, conditions[0], rtol=1e-6)


def test_a_wrong_sign_is_told() -> None:
    arm = lp.catalog.planar(2)
    rubbing = replace(arm, joints=tuple(replace(j, viscous_friction=0.3 if j.motion.dof else ()) for j in arm.joints))
    t = np.linspace(0, 10, 400)[:, None] * (1.0, 1.7)
    q, qd, qdd = np.sin(t), np.cos(t) * (1.0, 1.7), -np.sin(t) * (1.0, 1.7**2)
    tau = rubbing.inverse_dynamics(q, qd, qdd) + 0.01 * np.random.default_rng(0).normal(size=q.shape)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lp.identify(arm, q, qd, qdd, tau)
    with pytest.warns(lp.ModelWarning, match=r"least squares gives fv2 = -0\.3.*are signs and units") as told:
        lp.identify(arm, q, -qd, qdd, tau)
    assert told[0].filename == __file__


def test_excitation_is_per_state_and_in_units_of_the_robot():
    robot = lp.catalog.planar(2)
    q, qd, qdd = excitation_motion(robot, 50, 3)
    once = lp.excitation(robot, q, qd, qdd, friction=False, offsets=False).singular_values
    doubled = (np.concatenate([a, a]) for a in (q, qd, qdd))
    twice = lp.excitation(robot, *doubled, friction=False, offsets=False).singular_values
    np.testing.assert_allclose(twice, once, rtol=1e-10)
    # By hand: the columns of the base parameters, in units of kg, of the links' length and of gravity, and of a state.
    base = robot.base_parameters(friction=False)
    length, gravity = 1.0, 9.81
    unit = np.array([length if name.startswith("m") else length**2 for name in ("mx1", "my1", "Izz1") * 2])
    rows = base.regressor(q, qd, qdd) * unit / (gravity * length)
    expected = np.linalg.svd(rows.reshape(-1, base.number), compute_uv=False) / np.sqrt(len(q))
    np.testing.assert_allclose(once, expected, rtol=1e-9)
    # Forces with an offset show what differs from the mean of a joint's rows.
    centred = (rows - rows.mean(axis=0)).reshape(-1, base.number)
    expected = np.linalg.svd(centred, compute_uv=False) / np.sqrt(len(q))
    np.testing.assert_allclose(lp.excitation(robot, q, qd, qdd, friction=False).singular_values, expected, rtol=1e-9)


def test_a_joint_that_only_turns_backwards_is_not_still():
    robot = lp.catalog.planar(2)
    t = np.linspace(0, 2, 40)
    q, qd, qdd = np.stack([np.sin(t), -t], -1), np.stack([np.cos(t), -np.ones(40)], -1), np.zeros((40, 2))
    assert lp.excitation(robot, q, qd, qdd).still == ()
    assert lp.excitation(robot, q * (1, 0), qd * (1, 0), qdd).still == ("joint2",)
