"""Stiff equations are noticed, and an implicit method takes over; fast but not stiff ones are left alone."""

from __future__ import annotations

import dataclasses
import warnings
from typing import Any

import numpy as np
import pytest
from scipy.integrate import simpson, solve_bvp

import loadpath as lp

ARM = lp.catalog.planar(2)


def damped(friction: float) -> lp.Robot:
    joints = (dataclasses.replace(j, viscous_friction=friction) if j.motion.dof else j for j in ARM.joints)
    return dataclasses.replace(ARM, joints=tuple(joints))


def silent(robot: lp.Robot, **options: Any) -> lp.Simulation:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return robot.simulate([0.3, 0.2], [0, 0], **options)


def test_strong_damping_switches_the_method_and_says_so() -> None:
    robot = damped(1e6)
    silent(robot, duration=1e-6)  # compiles
    with pytest.warns(lp.ModelWarning, match=r"stiff at t = .*Radau takes over; give method='Radau'"):
        found = robot.simulate([0.3, 0.2], [0, 0], duration=2.0)
    assert found.steps < 500  # millions were to come
    assert found.times[-1] == 2.0
    exact = silent(robot, duration=2.0, method="Radau")
    assert found.q == pytest.approx(exact.q, abs=1e-9)
    # By hand: at these speeds all that counts is gravity against friction.
    gravity = ARM.gravity_forces([0.3, 0.2])
    assert found.qd[-1] == pytest.approx(-gravity / 1e6, rel=1e-4)
    assert found.energy_drift < 1e-7


def test_a_stiff_controller_is_noticed_too() -> None:
    def hold(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return -1e4 * (q - 0.1) - 1e5 * qd

    with pytest.warns(lp.ModelWarning, match="the equations are stiff"):
        found = ARM.simulate([0.3, 0.2], [0, 0], hold, duration=0.5)
    assert found.steps < 1000


@pytest.mark.parametrize("friction", [0.0, 1.0, 100.0])
def test_usual_damping_is_not_stiff(friction: float) -> None:
    silent(damped(friction), duration=2.0)


@pytest.mark.parametrize("wheels", [False, True])
def test_a_damped_wrist_takes_few_steps_and_stays_exact(wheels: bool) -> None:
    """Damping of 3 N m s/rad stops the light wrist of a UR5 within 30 microseconds, the arm within a second."""
    arm = lp.catalog.ur5()
    amplitude, rate = np.array([10, 20, 10, 2, 2, 1.0]), np.arange(3.0, 9.0)

    def law(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        forces: np.ndarray = arm.gravity_forces(q) - 3 * qd + amplitude * np.sin(rate * t)
        return forces

    fixed = [lp.FixedWheel((x, y), 0.1) for x in (0.4, -0.4) for y in (0.3, -0.3)]
    base = lp.WheeledBase(mass=100, center_of_mass=(0, 0, 0.25), inertia=np.diag([4.0, 6.0, 8.0]), wheels=fixed,
                          friction=lp.WheelFriction(sliding=0.6, static=0.8, rolling=0.01))
    robot = base.carrying(arm, at=(0.1, 0, 0.4)) if wheels else arm
    brakes: dict[str, Any] = {"wheel_rates": dict.fromkeys(robot.contact_names, 0.0)} if wheels else {}
    start = [0.3, -0.6, 1.0, -0.5, 0.2, 0.8], [0.3] * 6

    def run(**options: Any) -> Any:
        return robot.simulate(*start, law, duration=0.08, **brakes, **options)

    quick, explicit = run(), run(max_step=1e-4)  # so short that stability does not bind it
    assert quick.steps < 250 and explicit.steps > 750  # 440 where stability binds them
    np.testing.assert_allclose(quick.q, explicit.q, rtol=0, atol=5e-9)
    np.testing.assert_allclose(quick.qd, explicit.qd, rtol=0, atol=5e-8)
    assert quick.energy_drift < 1e-7


@pytest.mark.slow
def test_fast_oscillations_are_not_stiff() -> None:
    def spring(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return -3e5 * q

    found = silent(ARM, torque=spring, duration=6.0)  # some thousand swings
    assert found.steps > 5000
    assert found.energy_drift < 1e-3


def test_states_in_degrees_are_asked_about() -> None:
    q = np.array([0.3, -1.2, 1.2, -1.5, 0.5, 1.0])
    arm = lp.catalog.ur5()
    with pytest.warns(lp.ModelWarning, match=r"simulate: joint 'elbow_joint' is at 68.*outside its limits .*degrees\?"):
        arm.simulate(np.degrees(q), np.zeros(6), duration=0.0)
    with pytest.warns(lp.ModelWarning, match=r"simulate: joint 'elbow_joint' moves at 68.*degrees\?"):
        arm.simulate(q, np.degrees(q), duration=0.0)
    with pytest.warns(lp.ModelWarning, match=r"rollout: joint 'elbow_joint' .*degrees\?"):
        arm.rollout(np.degrees(q)[None], np.zeros(6), step=0.001, steps=1)
    with pytest.warns(lp.ModelWarning, match=r"simulate: joint 'joint1' is at 74.48.*: degrees\?"):
        ARM.simulate(np.degrees([1.3, 0.4]), [0, 0], duration=0.0)


@pytest.mark.parametrize("q", [[0.3, -1.2], [6.2, -6.2], [12.0, 0.0]])
def test_states_in_radians_are_not_asked_about(q: Any) -> None:
    silent_state = np.array(q)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ARM.simulate(silent_state, [0, 0], duration=0.0)
        lp.catalog.ur5().simulate([*(silent_state / 2), 0, 0, 0, 0], np.zeros(6), duration=0.0)
        wheel = lp.Robot("wheel", (lp.Link("a"), lp.Link("b", lp.Inertia.from_moments(1, ixx=1, iyy=1, izz=1))),
                         (lp.Joint("j", "a", "b", lp.Continuous()),))
        wheel.simulate([500.0], [90.0], duration=0.0)


def test_more_samples_than_memory_holds_are_refused() -> None:
    with pytest.raises(ValueError, match=r"1e\+11 samples: expected at most 1e\+08; give a lower sample_rate"):
        ARM.simulate([0, 0], [0, 0], duration=1e9)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_torques_that_are_not_numbers_name_the_time(bad: float) -> None:
    def torque(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return np.array([0.0, bad if t > 0.05 else 0.0])

    with pytest.raises(ValueError, match=r"function 'torque' returned (nan|inf) for 'joint2' at t = 0\.\d+ s"):
        ARM.simulate([0, 0], [0, 0], torque, duration=0.2)


def test_implicit_methods_go_on_for_as_long_as_asked() -> None:
    """SciPy's differences along the works in y, on which nothing depends, grew tenfold each time until they overflowed
    in the 160th."""
    arm = lp.catalog.planar(2)
    implicit, explicit = (arm.simulate([0.3, 0.2], [0.0, 0.0], duration=16.0, method=m) for m in ("Radau", "DOP853"))
    assert implicit.energy_drift < 1e-6
    assert implicit.steps > 3000
    assert np.abs(implicit.q[:200] - explicit.q[:200]).max() < 1e-4


def test_fast_modes_of_a_thin_rod_are_followed_through_many_steps() -> None:
    """Twist and stretch of a thin rod are a thousand times as fast as its bending; their damping asks for Radau,
    whose differences along the works in y grew until they overflowed.
    """
    rod = lp.Beam(lp.Rod(0.001), lp.STEEL, end="tip_joint")
    arm = lp.catalog.planar(1).with_beams({"link1": rod}, inertia_from_beams=True)
    run = arm.simulate([0.3], [0.0], duration=0.015, modes=16, method="Radau")
    assert run.steps > 300
    assert run.energy_drift < 1e-7
    # It starts as the elastica that it is under its weight: EI theta'' = w (1 - s) cos(theta).
    k = 9.81 * lp.STEEL.density * np.pi * 0.001**2 / (lp.STEEL.youngs_modulus * np.pi / 4 * 0.001**4)
    s = np.linspace(0, 1, 201)
    elastica = solve_bvp(
        lambda s, y: np.array([y[1], k * (1 - s) * np.cos(y[0])]),
        lambda at, end: np.array([at[0] - 0.3, end[1]]), s, np.array([0.3 - 0.1 * s, 0 * s]), tol=1e-8,
    )
    theta = elastica.sol(s)[0]
    assert run.tip_position[0, [0, 2]] == pytest.approx(
        [simpson(np.cos(theta), x=s), simpson(np.sin(theta), x=s)], abs=2e-4
    )
