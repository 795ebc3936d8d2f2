"""A base that moves as given and gravity that changes in time: against changed gravity, and against one more joint."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import loadpath as lp

TIGHT = {"rtol": 1e-11, "duration": 0.5}
LIFT = np.array([0.0, 0.0, 3.0, 0.0, 0.0, 0.0])
"""Along gravity, so that the shapes of the flexible arm stay the same."""


def bar() -> lp.Robot:
    return lp.catalog.four_bar()


def arm() -> lp.Robot:
    return lp.catalog.planar(2, mass=2.0)


def bent() -> lp.Robot:
    rod = lp.Beam(lp.Rod(0.01), lp.ALUMINIUM, end="tip_joint")
    return lp.catalog.planar(1).with_beams({"link1": rod}, inertia_from_beams=True)


def start(robot: lp.Robot) -> np.ndarray:
    return np.asarray(robot.home) if robot.loops else np.full(robot.n, 0.3)


@pytest.mark.parametrize("make", [arm, bar, bent])
def test_a_lift_is_another_gravity(make) -> None:
    robot = make()
    lifted = robot.with_gravity(np.array(robot.gravity) - LIFT[:3])
    options = TIGHT | ({"modes": 2} if robot.is_elastic else {})
    still = lifted.simulate(start(robot), **options)
    by_acceleration = robot.simulate(start(robot), base_acceleration=LIFT, **options)
    by_gravity = robot.simulate(start(robot), gravity=lambda t: lifted.gravity, **options)
    assert np.ptp(still.q, axis=0).max() > 0.1
    for found in (by_acceleration, by_gravity):
        assert np.abs(found.q - still.q).max() < (1e-8 if robot.is_elastic else 1e-10)
        assert np.abs(found.base_work).max() > 0.1 and found.energy_drift < 1e-8
    if robot.is_elastic:
        moved, stood = by_acceleration.deflection.tip.displacement, still.deflection.tip.displacement
        assert np.abs(moved - stood).max() < 1e-6 * np.abs(stood).max()
        loads = by_acceleration.stress().von_mises, still.stress().von_mises
        assert np.abs(loads[0] - loads[1]).max() < 1e-6 * loads[1].max()
    elif not robot.loops:
        under = robot.simulate(start(robot), under=lp.LoadCase(base_acceleration=LIFT), **options)
        assert np.array_equal(under.q, by_acceleration.q)
        for found in (by_acceleration, by_gravity):  # which bring the motion of the base, and gravity
            assert np.abs(robot.inverse_dynamics(found)).max() < 1e-9
            assert np.abs(robot.joint_wrenches(found).force - robot.joint_wrenches(still.q, still.qd, still.qdd,
                          gravity=lifted.gravity).force).max() < 1e-8


def test_a_base_that_shakes_is_a_slide_that_is_led() -> None:
    """The same arm on a slide with a large mass, which is shaken by what its inertia takes: it hardly feels the arm."""
    robot, heavy = arm(), 1e9
    slide = lp.Joint("slide", "ground", "base", motion=lp.Prismatic((1, 0, 0)))
    links = (lp.Link("ground"), replace(robot.links[0], inertia=lp.Inertia(heavy)), *robot.links[1:])
    on_slide = lp.Robot("on slide", links, (slide, *robot.joints), robot.gravity)
    shaken = lambda t: [5.0 * np.cos(9.0 * t), 0, 0, 0, 0, 0]  # noqa: E731
    found = robot.simulate([0.3, 0.1], [0.0, 0.0], base_acceleration=shaken, **TIGHT)
    led = on_slide.simulate([0.0, 0.3, 0.1], [0.0, 0.0, 0.0],
                            lambda t, q, qd: [heavy * shaken(t)[0], 0.0, 0.0], **TIGHT)
    assert np.abs(found.q - led.q[:, 1:]).max() < 1e-6
    assert np.abs(found.base_work).max() > 0.1 and found.energy_drift < 1e-8


def test_a_base_that_turns_is_a_joint_that_turns() -> None:
    """A pendulum on a table that turns ever faster about gravity's axis; the table is a heavy joint of its own."""
    pendulum = lp.Robot(
        "pendulum",
        (lp.Link("table"), lp.Link("rod", lp.Inertia(2.0, (0.5, 0.0, 0.0)))),
        (lp.Joint("hinge", "table", "rod", lp.Revolute((0, 1, 0)), origin=lp.Pose(translation=(0.3, 0.1, 0.0))),),
        (0.0, 0.0, -9.81),
    )
    heavy = 1e9
    turning = lp.Robot(
        "turning",
        (lp.Link("world"), lp.Link("table", lp.Inertia(heavy, tensor=np.diag([heavy] * 3))), *pendulum.links[1:]),
        (lp.Joint("turn", "world", "table", motion=lp.Revolute((0, 0, 1))), *pendulum.joints),
        (0.0, 0.0, -9.81),
    )
    w0, rate = 2.0, 3.0
    found = pendulum.simulate([0.4], [0.0], base_velocity=lambda t: [0, 0, 0, 0, 0, w0 + rate * t],
                              base_acceleration=[0, 0, 0, 0, 0, rate], **TIGHT)
    whole = turning.simulate([0.0, 0.4], [w0, 0.0], [heavy * rate, 0.0], **TIGHT)
    assert np.abs(found.q[:, 0] - whole.q[:, 1]).max() < 1e-6
    assert np.abs(found.base_work).max() > 0.1 and found.energy_drift < 1e-8
    assert np.abs(pendulum.inverse_dynamics(found)).max() < 1e-8


def test_what_does_not_go_together_is_refused() -> None:
    robot = arm()
    with pytest.raises(ValueError, match="its 'base_velocity' changes at"):
        robot.simulate([0, 0], base_acceleration=[0, 0, 0, 0, 0, 1.0], duration=0.1)
    with pytest.raises(ValueError, match="about another axis than gravity's"):
        robot.simulate([0, 0], base_velocity=[0, 0, 0, 1.0, 0, 0], duration=0.1)
    with pytest.raises(ValueError, match=r"'gravity' has the shape \(2,\)"):
        robot.simulate([0, 0], gravity=[0, 1.0], duration=0.1)
    with pytest.raises(ValueError, match="a base that moves without turning"):
        bent().simulate([0.3], base_velocity=[0, 0, 0, 0, 0, 1.0], duration=0.1, modes=1)
    rover = lp.catalog.lau_rover()
    with pytest.raises(TypeError, match="takes no 'gravity': that of a rover is that of its ground"):
        rover.simulate([0, 0, 0.5], gravity=[0, 0, -1.0], duration=0.1)
    with pytest.raises(TypeError, match="takes no 'base_acceleration': the base of a rover moves by velocity="):
        rover.simulate([0, 0, 0.5], base_acceleration=LIFT, duration=0.1)


def test_options_of_other_robots_are_refused_by_name() -> None:
    with pytest.raises(TypeError, match=r"takes no 'modes': robot 'planar2' has no beams.*with_beams"):
        arm().simulate([0, 0], duration=0.1, modes=3)
    with pytest.raises(TypeError, match=r"takes no 'velocity': robot 'four_bar' is on a fixed base.*carrying"):
        bar().simulate(bar().home, duration=0.1, velocity=(0.1, 0.0))
    with pytest.raises(TypeError, match="takes no 'strict': robot 'planar2' has no loops"):
        arm().simulate([0, 0], duration=0.1, strict=False)
    with pytest.raises(TypeError, match="takes no 'prescribed': robot 'rover' is on wheels"):
        lp.catalog.lau_rover().simulate([0, 0, 0.5], duration=0.1, prescribed={"theta1": 0.0})
    with pytest.raises(ValueError, match="'q' is missing: 2 coordinates"):
        arm().simulate(duration=0.1)
