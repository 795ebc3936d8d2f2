"""What the viewer computes: causes against `load_breakdown`, payload and pull against robots that have them."""

import numpy as np
import pytest

import loadpath as lp
from loadpath.viewer.layers.player import playable
from loadpath.viewer.stage import BaseMotion, Load, Pull, State
from loadpath.viewer.subject import six, subject_of


def moving_state(subject, seed=1):
    """A random state; of a robot with loops, with its loops closed."""
    draw = np.random.default_rng(seed)
    robot = subject.robot
    q = subject.moving.random(subject.moving.home, draw).q
    if robot.held_by_loops:
        count = len(robot.independent)
        qd, qdd = robot.complete(q, dict(zip(robot.independent, draw.normal(size=count), strict=True)),
                                 dict(zip(robot.independent, draw.normal(size=count), strict=True)))
        return State(q, qd, qdd)
    return State(q, draw.normal(size=robot.n), draw.normal(size=robot.n))


def by_kind(robot, state, **options):
    """The terms of `load_breakdown`, summed over all that cause them: (joints, 6) by kind."""
    found = robot.load_breakdown(state.q, state.qd, state.qdd, compiled=False, **options)
    names, result = robot.closed_joint_names, {}
    for row, term in enumerate(found.index.terms):
        table = result.setdefault(term.kind, np.zeros((len(names), 6)))
        table[names.index(term.joint)] += found.values[row]
    return result


@pytest.mark.parametrize("robot", [
    lp.catalog.panda(), lp.catalog.lau_arm(), lp.catalog.random_tree(5, seed=2),
    pytest.param(lp.catalog.random_chain(4, 3, "all"), marks=pytest.mark.slow),
], ids=lambda robot: robot.name)
def test_causes_are_those_of_load_breakdown(robot):
    subject = subject_of(robot)
    state = moving_state(subject)
    shown, kinds = subject.frame(state).loads, by_kind(robot, state)
    for cause in ("gravity", "inertial", "centrifugal", "coriolis"):
        expected = kinds.get(cause, 0.0)
        np.testing.assert_allclose(shown.by_cause[cause], expected, atol=1e-11 * max(1.0, np.abs(expected).max()))
    assert set(kinds) <= set(shown.by_cause)
    np.testing.assert_allclose(shown.tau, robot.inverse_dynamics(state.q, state.qd, state.qdd), rtol=0, atol=0)


def test_causes_of_a_robot_with_loops():
    robot = lp.catalog.four_bar()
    subject = subject_of(robot)
    state = moving_state(subject)
    shown, kinds = subject.frame(state).loads, by_kind(robot, state, by="drive")
    for cause in ("gravity", "inertial", "centrifugal", "coriolis"):
        np.testing.assert_allclose(shown.by_cause[cause], kinds.get(cause, np.zeros_like(shown.total)), atol=1e-9)
    total = six(robot.joint_wrenches(state.q, state.qd, state.qdd))
    np.testing.assert_allclose(shown.total, total, atol=1e-10 * np.abs(total).max())


@pytest.mark.parametrize("mass", [0.3, 4.0])
def test_a_payload_is_that_of_with_payload(mass):
    robot = lp.catalog.panda()
    subject = subject_of(robot)
    state = moving_state(subject)
    state = State(state.q, state.qd, state.qdd, payload=Load("panda_link8", mass))
    shown, loaded = subject.frame(state).loads, robot.with_payload(mass, link="panda_link8")
    expected = six(loaded.joint_wrenches(state.q, state.qd, state.qdd))[: len(robot.joints)]
    np.testing.assert_allclose(shown.total, expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())
    expected = loaded.inverse_dynamics(state.q, state.qd, state.qdd)
    np.testing.assert_allclose(shown.tau, expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())


def test_a_pull_is_an_external_force():
    robot, force = lp.catalog.lau_arm(), np.array([3.0, -20.0, 7.0])
    subject = subject_of(robot)
    state = moving_state(subject)
    pulled = State(state.q, state.qd, state.qdd, pull=Pull("rod", force))
    shown, external = subject.frame(pulled), {"rod": lp.Wrench(force)}
    expected = six(robot.joint_wrenches(state.q, state.qd, state.qdd, external=external))
    np.testing.assert_allclose(shown.loads.total, expected, atol=1e-12 * np.abs(expected).max())
    np.testing.assert_allclose(shown.loads.tau, robot.inverse_dynamics(state.q, state.qd, state.qdd, external=external))
    assert list(shown.acting) == ["rod"]


def test_what_a_payload_exerts_on_its_link_is_its_weight_at_rest():
    subject = subject_of(lp.catalog.planar(2))
    frame = subject.frame(State(np.array([0.4, 0.9]), np.zeros(2), np.zeros(2), payload=Load("tip", 2.0)))
    np.testing.assert_allclose(frame.acting["tip"].force, 2.0 * np.array(subject.robot.gravity), atol=1e-12)


def test_a_rover_that_turns_and_brakes():
    rover = lp.catalog.lau_rover()
    subject = subject_of(rover)
    base = BaseMotion(np.array([1.0, 0.0, 0.5]), np.array([-2.0, 0.0, 0.3]))
    state = moving_state(subject)
    shown = subject.frame(State(state.q, state.qd, state.qdd, base=base)).loads
    twist, rate = np.zeros(6), np.zeros(6)
    twist[[0, 5]] = 1.0, 0.5
    rate[[0, 1, 5]] = -2.0, 0.5 * 1.0, 0.3  # the axes turn: w times v to the left
    total = six(rover.robot.joint_wrenches(state.q, state.qd, state.qdd, base_velocity=twist, base_acceleration=rate))
    np.testing.assert_allclose(shown.total, total, atol=1e-12 * np.abs(total).max())
    assert np.abs(shown.by_cause["base"]).max() > 0.1


def test_a_load_that_the_motion_picks_up_is_external():
    robot = lp.catalog.planar(2)
    subject = subject_of(robot)
    motion = lp.Motion.swing(robot, duration=1.0).with_loads([lp.Carried(2.0, link="tip")])
    state = playable(subject, motion).at(0.5, subject.at(robot.neutral()))
    loaded = robot.with_payload(2.0, link="tip")
    expected = six(loaded.joint_wrenches(state.q, state.qd, state.qdd))[: len(robot.joints)]
    np.testing.assert_allclose(subject.frame(state).loads.total, expected, atol=1e-9)


def test_a_state_that_is_not_a_number_has_no_loads():
    subject = subject_of(lp.catalog.planar(2))
    assert subject.frame(State(np.array([np.nan, 0.0]), np.zeros(2), np.zeros(2))).loads is None
