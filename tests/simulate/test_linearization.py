"""Linear equations of small deviations: by hand, by differences in extended precision, against simulations, SciPy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.signal import cont2discrete

import loadpath as lp
from loadpath.algorithms.articulated_body import forward_dynamics
from loadpath.robot.mechanism import plain
from references.to_pinocchio import random_state


def cart_pole() -> lp.Robot:
    """The inverted pendulum of the Control Tutorials for MATLAB and Simulink: cart 0.5 kg with friction 0.1 N s/m, pole
    0.2 kg, mass center at 0.3 m, 0.006 kg m^2; the pole's angle from upright.
    """
    return lp.Robot(
        "cart_pole",
        (lp.Link("ground"), lp.Link("cart", lp.Inertia(0.5)),
         lp.Link("pole", lp.Inertia(0.2, (0, 0, 0.3), np.diag([0.006, 0.006, 0.0])))),
        (lp.Joint("slide", "ground", "cart", lp.Prismatic((1, 0, 0)), viscous_friction=0.1),
         lp.Joint("hinge", "cart", "pole", lp.Revolute((0, -1, 0)))),
        gravity=(0, 0, -9.8),
    )


def test_a_cart_pole_has_the_matrices_of_the_textbook() -> None:
    about = cart_pole().linearize([0.0, 0.0], inputs=["slide"])
    # Printed for x = (x, xdot, phi, phidot), to four digits after the point.
    order = [0, 2, 1, 3]
    assert about.A[np.ix_(order, order)] == pytest.approx(np.array([
        [0, 1, 0, 0], [0, -0.1818, 2.6727, 0], [0, 0, 0, 1], [0, -0.4545, 31.1818, 0]]), abs=5e-5)
    assert about.B[order, 0] == pytest.approx([0, 1.8182, 0, 4.5455], abs=5e-5)
    reached = np.hstack([np.linalg.matrix_power(about.A, k) @ about.B for k in range(4)])
    assert np.linalg.matrix_rank(reached) == 4
    assert about.input_names == ("slide",) and about.state_names[2] == "slide rate"
    assert not about.acceleration.any()  # an equilibrium


def test_a_double_pendulum_swings_at_its_two_frequencies() -> None:
    # Two point masses m on strings l: omega^2 = (2 -+ sqrt 2) g / l.
    arm = lp.catalog.two_link(m1=1.0, m2=1.0, l1=1.0, l2=1.0)
    q = np.zeros(2)
    assert np.abs(arm.gravity_forces(q)).max() < 1e-12
    rates = np.sort(np.abs(arm.linearize(q).eigenvalues().imag))[::2]
    assert np.abs(arm.linearize(q).eigenvalues().real).max() < 1e-7
    assert rates**2 == pytest.approx(np.array([2 - np.sqrt(2), 2 + np.sqrt(2)]) * np.linalg.norm(arm.gravity), rel=1e-9)


def precise(robot: lp.Robot, q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> np.ndarray:
    """Accelerations in extended precision."""
    long = [np.array([np.longdouble(x) for x in part], dtype=object) for part in (q, qd, tau)]
    return np.array(forward_dynamics(plain(robot), *long).tolist(), dtype=np.longdouble)


def test_by_differences_in_extended_precision_with_friction_and_rotors() -> None:
    robot = lp.catalog.random_tree(4, 7, ("revolute", "prismatic"), general=True)
    joints = tuple(replace(joint, viscous_friction=0.3, coulomb_friction=0.2, rotor_inertia=0.01, gear_ratio=5.0)
                   if joint.motion.dof else joint for joint in robot.joints)
    robot = replace(robot, joints=joints)
    q, qd, tau = random_state(robot, np.random.default_rng(3))
    about, n = robot.linearize(q, qd, tau), robot.n
    h, x = np.longdouble(1e-5), np.concatenate([q, qd, tau]).astype(np.longdouble)
    slopes = np.empty((n, 3 * n))
    for k in range(3 * n):
        step = h * (np.arange(3 * n) == k)
        ends = [precise(robot, *np.split(x + side * step, 3)) for side in (1, -1)]
        slopes[:, k] = (ends[0] - ends[1]) / (2 * h)
    size = np.abs(slopes).max()
    assert np.abs(np.hstack([about.A[n:], about.B[n:]]) - slopes).max() < 1e-8 * size  # of the step squared
    assert np.array_equal(about.A[:n], np.eye(n, 2 * n, n)) and not about.B[:n].any()
    assert about.acceleration == pytest.approx(precise(robot, q, qd, tau).astype(float), rel=1e-10)


def moved(robot: lp.Robot, q: np.ndarray, qd: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return robot.integrate(q, x[: robot.n]), qd + x[robot.n :]


@pytest.mark.parametrize("floating", [False, True])
def test_deviations_of_quaternions_turn_with_their_joints(floating: bool) -> None:
    robot = lp.catalog.random_chain(2, 43, ("revolute", "spherical"), general=True)
    robot = robot.floating() if floating else robot
    q, qd, tau = random_state(robot, np.random.default_rng(5))
    A = robot.linearize(q, qd, tau).A
    directions = np.random.default_rng(6).normal(size=(3, 2 * robot.n))
    t, small = 1e-4, 1e-4
    for x in directions:
        def deviation(time: float, size: float, x: np.ndarray = x) -> np.ndarray:
            other, speeds = moved(robot, q, qd, size * x)
            now = robot.integrate(q, time * qd)
            return np.asarray(robot.difference(now, robot.integrate(other, time * speeds)))

        parts = [side * when * deviation(when * t, side * small) for side in (1, -1) for when in (1, -1)]
        assert A[: robot.n] @ x == pytest.approx(sum(parts) / (4 * t * small), abs=1e-5)


@pytest.mark.parametrize("floating", [False, True])
def test_steps_are_those_of_a_simulation_with_held_forces(floating: bool) -> None:
    robot = lp.catalog.random_chain(2, 43, ("revolute", "spherical"), general=True)
    robot = robot.with_gravity((0, 0, 0)).floating() if floating else robot
    q = random_state(robot, np.random.default_rng(8))[0]
    steps, rest = robot.linearize(q, dt=0.05), np.zeros(robot.n)
    hold = robot.gravity_forces(q)
    for both in 1e-4 * np.random.default_rng(9).normal(size=(2, 3 * robot.n)):
        (x, u), ends = np.split(both, [2 * robot.n]), []
        for side in (1, -1):
            start = moved(robot, q, rest, side * x)
            end = robot.simulate(*start, hold + side * u, duration=0.05, rtol=1e-12, sample_rate=20)
            ends.append(np.concatenate([robot.difference(q, end.q[-1]), end.qd[-1]]))
        assert (ends[0] - ends[1]) / 2 == pytest.approx(steps.A @ x + steps.B @ u, abs=1e-9)


def test_a_closed_robot_in_its_independent_coordinates_is_that_of_its_simulation() -> None:
    bar = lp.catalog.four_bar()
    drive = bar.independent[0]
    about = bar.linearize(bar.home, bar.complete(bar.home, {drive: 1.5})[0], [2.0, 0.0, 0.0])
    assert about.A.shape == (2, 2) and about.B.shape == (2, 1) and about.state_names == (drive, f"{drive} rate")

    def after(x: np.ndarray, u: float, t: float) -> np.ndarray:
        q = bar.assemble({drive: bar.home[0] + x[0]}).q
        qd = bar.complete(q, {drive: 1.5 + x[1]})[0]
        end = bar.simulate(q, qd, [2.0 + u, 0.0, 0.0], duration=t, rtol=1e-12, sample_rate=1 / t)
        return np.array([end.q[-1][0], end.qd[-1][0]])

    def rate(x: np.ndarray, u: float, t: float, small: float = 1e-3) -> np.ndarray:
        return ((after(small * x, small * u, t) - after(-small * x, -small * u, t)) / (2 * small) - x) / t

    for x, u in ((np.array([1.0, 0.0]), 0.0), (np.array([0.0, 1.0]), 0.0), (np.zeros(2), 1.0)):
        first = 2 * rate(x, u, 1.5e-4) - rate(x, u, 3e-4)  # at the beginning: the motion goes on, and with it A
        assert first == pytest.approx(about.A @ x + about.B[:, 0] * u, abs=3e-5 * np.abs(about.A).max())


def test_the_four_bar_at_rest_step_by_step() -> None:
    bar = lp.catalog.four_bar()
    drive, t, small = bar.independent[0], 0.02, 1e-4
    hold, step = bar.gravity_forces(bar.home), bar.linearize(bar.home, dt=0.02)
    ends = []
    for side in (1, -1):
        q = bar.assemble({drive: bar.home[0] + side * small}).q
        end = bar.simulate(q, np.zeros(3), hold + side * np.array([0.1, 0, 0]) * small * 10, duration=t, rtol=1e-12,
                           sample_rate=1 / t)
        ends.append([end.q[-1][0], end.qd[-1][0]])
    found = (np.array(ends[0]) - ends[1]) / 2
    assert found == pytest.approx(small * (step.A[:, 0] + step.B[:, 0]), abs=1e-9)


def test_discrete_equations_are_scipys() -> None:
    robot = lp.catalog.random_tree(3, 9, ("revolute", "prismatic"), general=True)
    rng = np.random.default_rng(1)
    q, qd, tau = (np.array(part) for part in zip(*(random_state(robot, rng) for _ in range(4)), strict=True))
    tip = robot.link_names[-1]
    many = robot.linearize(q.reshape(2, 2, -1), qd.reshape(2, 2, -1), tau[0], dt=0.03, output=tip)
    assert many.A.shape == (2, 2, 6, 6) and many.dt == 0.03 and many.C.shape == (2, 2, 6, 6)
    for k in range(4):
        one = robot.linearize(q[k], qd[k], tau[0], output=tip)
        A, B, C, D, _ = cont2discrete((one.A, one.B, one.C, one.D), 0.03)
        at = divmod(k, 2)
        for found, wanted in ((many.A, A), (many.B, B), (many.C, C), (many.D, D)):
            assert found[at] == pytest.approx(wanted, rel=1e-12, abs=1e-13)
        assert one.C[:, :3] == pytest.approx(robot.jacobian(q[k], tip), abs=1e-14) and not one.C[:, 3:].any()


def test_what_sticks_and_what_bends_is_refused_by_name() -> None:
    arm = lp.catalog.puma560()
    with pytest.raises(ValueError, match=r"joint 'joint1' rests and has dry friction.*dry_friction=False"):
        arm.linearize([0.1] * 6)
    free = arm.linearize([0.1] * 6, dry_friction=False)
    smooth = replace(arm, joints=tuple(replace(joint, coulomb_friction=()) for joint in arm.joints))
    assert pytest.approx(smooth.linearize([0.1] * 6).A, rel=1e-12) == free.A
    arm.linearize([0.1] * 6, [0.1] * 6)
    beam = lp.Beam(lp.Tube(outer_radius=0.04, wall=0.003), lp.STEEL, end="tip_joint")
    with pytest.raises(lp.ModelError, match=r"linearize.*beams \(link1\)"):
        lp.catalog.planar(1).with_beams({"link1": beam}).linearize([0.0])
    with pytest.raises(ValueError, match="no degree of freedom for an input 'joint9'"):
        lp.catalog.planar(1).linearize([0.0], inputs=["joint9"])
    with pytest.raises(ValueError, match="'dt' is -1"):
        lp.catalog.planar(1).linearize([0.0], dt=-1)
    about = lp.catalog.planar(1).linearize([0.0], dt=0.1)
    with pytest.raises(ValueError, match=r"steps of 0.1 s already"):
        about.discretized(0.1)


def test_a_state_that_is_not_a_number_leaves_the_others_alone() -> None:
    found = lp.catalog.planar(2).linearize([[np.nan, 0.0], [0.1, 0.2]], dt=0.01)
    assert np.isnan(found.A[0]).any() and np.isfinite(found.A[1]).all()


def test_a_simulation_in_place_of_states() -> None:
    arm = lp.catalog.planar(2)
    run = arm.simulate([0.1, 0.2], [0, 0], [3.0, 1.0], duration=0.1, sample_rate=50)
    about = arm.linearize(run)
    assert about.A.shape == (len(run.times), 4, 4)
    assert about.A[-1] == pytest.approx(arm.linearize(run.q[-1], run.qd[-1], [3.0, 1.0]).A, rel=1e-12)
