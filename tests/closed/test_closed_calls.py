"""Calls of a closed robot: states that are none of it, dead points, NaN, drives too many and too few."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import loadpath as lp
from loadpath.algorithms.loops import completion
from loadpath.robot.mechanism import plain
from loadpath.scalars import array


@cache
def bar() -> lp.ClosedRobot:
    return lp.catalog.four_bar()


@cache
def motion() -> tuple[np.ndarray, ...]:
    """Five states of the four-bar that moves."""
    start = bar().home[0]
    q = bar().assemble({"crank_joint": np.linspace(start, start + 1.0, 5)}, path=True).q
    mechanism, acceleration = plain(bar()), array([3.0])
    both = [completion(mechanism, array(x.tolist()), array([1.0 + 0.2 * k]), acceleration) for k, x in enumerate(q)]
    return (q, *(np.array([state[part].astype(float) for state in both]) for part in (0, 1)))


def test_a_state_with_open_loops_is_refused_with_the_loop_and_how_far():
    q, qd, qdd = (x.copy() for x in motion())
    q[3, 1] += 0.01
    with pytest.raises(ValueError, match=r"open at 1 of 5 states \(3\): '.*' by 0.00\d+ m.*assemble.*strict=False"):
        bar().inverse_dynamics(q, qd, qdd)
    with pytest.warns(lp.ModelWarning, match="open at 1 of 5 states"):
        tau = bar().inverse_dynamics(q, qd, qdd, strict=False)
    assert np.isfinite(tau).all()
    expected = bar().inverse_dynamics(*motion())
    np.testing.assert_array_equal(np.delete(tau, 3, 0), np.delete(expected, 3, 0))


def test_the_way_out_names_the_function_that_has_it() -> None:
    bar = lp.catalog.four_bar()
    state = bar.home + 0.01, np.zeros(3), np.zeros(3)
    with pytest.raises(ValueError, match=r"^load_breakdown: .*robot\.load_terms\(\.\.\., strict=False\) gives"):
        bar.load_breakdown(*state, compiled=False)
    with pytest.warns(lp.ModelWarning, match="are open") as warned:
        bar.gravity_forces(state[0], strict=False)
    assert not any("strict" in str(warning.message) for warning in warned)


def test_speeds_and_accelerations_that_the_loops_forbid_are_refused():
    q, qd, qdd = motion()
    with pytest.raises(ValueError, match=r"qd is no motion .* 5 of 5 states .*complete"):
        bar().inverse_dynamics(q, [1.0, 0.0, 0.0], qdd)
    with pytest.raises(ValueError, match=r"qdd is no motion of the closed robot .* at this state"):
        bar().joint_wrenches(q[0], qd[0], [0.0, 0.0, 0.0])
    with pytest.raises(ValueError, match="'strict' is 1: expected True or False"):
        bar().inverse_dynamics(q, qd, qdd, strict=1)


def test_rounding_and_rest_are_no_faults():
    q, qd, qdd = motion()
    bar().inverse_dynamics(q, np.full((5, 3), 1e-12), np.full((5, 3), 1e-12))
    bar().inverse_dynamics(q.astype(np.float32), qd.astype(np.float32), qdd.astype(np.float32))
    bar().inverse_dynamics(q + 1e-9, qd * (1 + 1e-9), qdd)


def test_nan_stays_in_its_state():
    q, qd, qdd = (x.copy() for x in motion())
    q[2, 0] = np.nan
    tau = bar().inverse_dynamics(q, qd, qdd)
    assert np.isnan(tau[2, 0])
    assert np.isfinite(np.delete(tau, 2, 0)).all()
    wrenches = bar().joint_wrenches(q, qd, qdd)
    assert np.isnan(wrenches["rocker_pin"].force[2]).any()
    assert np.isfinite(np.delete(wrenches.force, 2, 0)).all()


def test_results_go_into_given_arrays():
    q, qd, qdd = motion()
    out = np.empty((5, 3))
    assert bar().inverse_dynamics(q, qd, qdd, out=out) is out
    np.testing.assert_array_equal(out, bar().inverse_dynamics(q, qd, qdd))


def test_a_dead_point_is_named():
    """With the rocker as its drive the four-bar is at a dead point where crank and coupler are in line."""
    driven = bar().with_driven("rocker_joint")
    stretched = bar().assemble({"coupler_joint": 0.0}, near=bar().home).q
    with pytest.raises(ValueError, match=r"dead point at this state: there rocker_joint does not determine the motion"):
        driven.gravity_forces(stretched)
    with pytest.warns(lp.ModelWarning, match="dead point"):
        assert np.isnan(driven.gravity_forces(stretched, strict=False)).all()
    zeros = np.zeros(3)
    assert np.isfinite(driven.forward_dynamics(stretched, zeros, zeros)).all()


# Drives


def test_too_few_drives_hold_nothing_still_and_what_can_move_is_named():
    five = lp.catalog.five_bar()
    one = five.with_driven(five.driven[0])
    q = one.home
    for held in (one.gravity_forces, one.static_wrenches):
        with pytest.raises(lp.ModelError, match=r"leave 1 of its 2 freedoms to themselves.*with_driven"):
            held(q)
    assert np.isfinite(one.forward_dynamics(q, np.zeros(4), np.zeros(4))).all()


def test_redundant_drives_share_the_least_effort_by_weight_and_keep_a_preload():
    two = bar().with_driven("crank_joint", "rocker_joint")
    q, qd, qdd = (x[0] for x in motion())
    one = bar().inverse_dynamics(q, qd, qdd)
    T = two.complement(q)[:, 0]
    needed = one[0]
    places = [two.dof_names.index(name) for name in ("crank_joint", "rocker_joint")]
    t = T[places]
    tau = two.inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(tau[places], t * needed / (t @ t), rtol=1e-10)
    assert (np.delete(tau, places) == 0.0).all()
    weights = np.array([1.0, 5.0])
    eased = t / weights**2
    np.testing.assert_allclose(two.inverse_dynamics(q, qd, qdd, weights=weights)[places], eased * needed / (t @ eased),
                               rtol=1e-10)
    stress = np.array([-t[1], t[0]])  # does no work
    np.testing.assert_allclose(two.inverse_dynamics(q, qd, qdd, preload=2.0 * stress)[places] - tau[places],
                               2.0 * stress, atol=1e-10)
    # The reactions carry the preload, and the passive joints still give no force.
    plain, stressed = two.joint_wrenches(q, qd, qdd), two.joint_wrenches(q, qd, qdd, preload=2.0 * stress)
    assert np.abs(plain["rocker_pin"].force - stressed["rocker_pin"].force).max() > 0.1
    with pytest.raises(ValueError, match=r"preload= is for robots with more drives than freedoms.*1 freedoms and 1"):
        bar().inverse_dynamics(q, qd, qdd, preload=[1.0])


# Reactions


def test_determinate_components_do_not_move_with_the_compliances():
    q, qd, qdd = (x[0] for x in motion())
    equal = bar().joint_wrenches(q, qd, qdd)
    assert equal.determinate.shape == (4, 6)
    rng = np.random.default_rng(1)
    load = {"coupler": lp.Wrench(force=(0.0, 5.0, 0.0), torque=(1.0, 0.0, 2.0))}  # out of the plane
    given = {name: np.exp(rng.normal(size=6)).tolist() for name in bar().closed_joint_names}
    equal = bar().joint_wrenches(q, qd, qdd, external=load)
    other = bar().joint_wrenches(q, qd, qdd, external=load, compliances=given)
    change = np.abs(np.concatenate([equal.force - other.force, equal.torque - other.torque], axis=-1))
    assert change[equal.determinate].max() < 1e-9
    assert change[~equal.determinate].min() > 1e-6
    with pytest.raises(ValueError, match="there is no joint 'pin_x'"):
        bar().joint_wrenches(q, qd, qdd, compliances={"pin_x": 1.0})


def test_reactions_in_a_direction_are_those_of_the_wrenches():
    q, qd, qdd = (x[0] for x in motion())
    wrench = bar().joint_wrenches(q, qd, qdd)["rocker_pin"]
    assert bar().force_along(q, qd, qdd, [2, 0, 0], joint="rocker_pin") == pytest.approx(wrench.force[0], rel=1e-12)
    about = bar().torque_about(q, qd, qdd, [0, 1, 0], joint="rocker_pin", point=[0, 0, 0.1])
    assert about == pytest.approx(wrench.torque[1] - 0.1 * wrench.force[0], rel=1e-10)


def test_redundant_drives_pass_where_some_of_them_alone_have_a_dead_point():
    """Crank and coupler in line: a dead point of the rocker's drive, but not of both drives together."""
    one = bar().with_driven("crank_joint")
    both = bar().with_driven("rocker_joint", "crank_joint")
    assert both.independent == ("rocker_joint",)
    stretched = bar().assemble({"coupler_joint": 0.0}, near=bar().home).q
    # There the rocker stands still whatever the crank does: its drive helps with nothing.
    np.testing.assert_allclose(both.gravity_forces(stretched), one.gravity_forces(stretched), atol=1e-9)
    still = np.zeros(3)
    np.testing.assert_allclose(both.joint_wrenches(stretched, still, still).force,
                               one.joint_wrenches(stretched, still, still).force, atol=1e-8)


def test_a_linkage_with_the_five_digits_of_a_file_is_one():
    """A hinge turned by 1.5708 is 4e-6 rad off: the plane linkage cannot be closed exactly, and is one all the same."""

    def linkage(quarter):
        c, s = np.cos(quarter), np.sin(quarter)
        turn = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
        tensor = np.diag([1e-3, 0.02, 0.02]).tolist()
        bars = {"crank": 0.3, "coupler": 0.8, "rocker": 0.6}
        moving = [lp.Link(name, lp.Inertia(1.0, (length / 2, 0, 0), tensor)) for name, length in bars.items()]
        y, z = lp.Revolute((0, 1, 0)), lp.Revolute((0, 0, -1))
        joints = (lp.Joint("crank_joint", "base", "crank", y), lp.Joint("elbow", "crank", "coupler", y, (0.3, 0, 0)),
                  lp.Joint("rocker_joint", "base", "rocker", z, lp.Pose(turn.tolist(), (0.9, 0, 0))))
        on = lp.Pose(turn.T.tolist(), (0.6, 0, 0))
        tree = lp.Robot("linkage", (lp.Link("base"), *moving), joints)
        return tree.with_loop("pin", "coupler", "rocker", motion=y, at=(0.8, 0, 0), on=on).with_home([-1.0, 0.3, 1.2])

    exact, rounded = linkage(np.pi / 2), linkage(1.5708)
    assert rounded.mobility == exact.mobility == 1
    np.testing.assert_allclose(rounded.home, exact.home, atol=0.05)
    found = []
    for robot in (exact, rounded):
        q = robot.assemble({"crank_joint": [-0.5, 0.0, 0.4]}).q
        qd, qdd = robot.complete(q, np.ones((3, 1)), np.ones((3, 1)))
        wrenches = robot.joint_wrenches(q, qd, qdd)
        found.append((robot.inverse_dynamics(q, qd, qdd), wrenches.force, wrenches.determinate))
    np.testing.assert_allclose(found[1][0], found[0][0], atol=1e-6)
    np.testing.assert_allclose(found[1][1], found[0][1], atol=1e-3)
    np.testing.assert_array_equal(found[1][2], found[0][2])


def test_a_drive_is_named_once():
    with pytest.raises(lp.ModelError, match="'crank_joint' is driven 2 times: name each drive once"):
        lp.catalog.four_bar().with_driven("crank_joint", "crank_joint")


def test_open_robots_say_how_to_close_them():
    with pytest.raises(AttributeError, match=r"'planar2' is an open chain.*robot.with_loop\(...\)"):
        lp.catalog.planar(2).assemble()


def test_an_open_chain_may_have_joints_without_a_drive():
    """A double pendulum that is driven at its shoulder: mixed dynamics of the tree is the reference."""
    tree = lp.catalog.planar(2, mass=2.0)
    passive = tree.with_driven("joint1")
    assert passive.passive == ("joint2",) and passive.mobility == 2
    state = [0.3, -0.4], [0.5, 0.2]
    swings = tree.mixed_dynamics(*state, forces={"joint1": 3.0, "joint2": 0.0}, accelerations={})
    np.testing.assert_allclose(passive.forward_dynamics(*state, [3.0, 0.0]), swings.qdd, rtol=1e-12)
    np.testing.assert_allclose(passive.inverse_dynamics(*state, swings.qdd), [3.0, 0.0], rtol=1e-12)
    with pytest.raises(lp.ModelError, match="joint2 can still move"):
        passive.gravity_forces(state[0])
