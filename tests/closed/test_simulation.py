"""Simulations of closed chains: against equations of one freedom by hand, what is conserved, and what friction does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import loadpath as lp
from closed.references import one_freedom

Z = (0.0, 0.0, 1.0)
TIMES = np.linspace(0, 0.8, 17)


VISCOUS, COULOMB = (0.001, 0.002, 0.5), (0.03, 0.02, 0.8)


@pytest.fixture(scope="module")
def engine():
    return lp.catalog.slider_crank()


@pytest.fixture(scope="module")
def worn(engine):
    """With friction at every joint."""
    joints = [replace(j, viscous_friction=(d,), coulomb_friction=(c,))
              for j, d, c in zip(engine.joints, VISCOUS, COULOMB, strict=True)]
    return replace(engine, joints=tuple(joints))


def started(theta, speed):
    """A state of the slider-crank."""
    theta = np.float64(theta)
    return one_freedom.coordinates(theta), one_freedom.ratios(theta) * speed


# By hand


def test_motion_of_the_slider_crank(engine):
    """Whole turns under gravity and a torque, against the equation of one freedom."""
    run = engine.simulate(*started(0.4, 9.0), torque=[0.3, 0, 0], times=TIMES, rtol=1e-10)
    expected, _ = one_freedom.simulated(0.4, 9.0, TIMES, tau=0.3)
    np.testing.assert_allclose(run.q, one_freedom.coordinates(expected[:, 0]), atol=2e-8)
    np.testing.assert_allclose(run.qd[:, 0], expected[:, 1], atol=1e-6)
    assert run.closure.max() < 1e-13
    assert run.energy_drift < 1e-8
    assert abs(engine.constraint_jacobian(run.q) @ run.qd[..., None]).max() < 1e-12
    np.testing.assert_allclose(engine.inverse_dynamics(run), run.tau, atol=1e-8)


def test_small_oscillation_frequency(engine):
    """About its hanging position the crank swings with sqrt(V'' / m)."""
    rest = -np.pi / 2
    curvature = (one_freedom.slope(one_freedom.potential, rest + 1e-5)
                 - one_freedom.slope(one_freedom.potential, rest - 1e-5)) / 2e-5
    period = 2 * np.pi * np.sqrt(one_freedom.inertia(rest) / curvature)
    run = engine.simulate(*started(rest + 1e-5, 0.0), times=np.linspace(0, period, 9), rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(run.q[:, 0] - rest, 1e-5 * np.cos(2 * np.pi * run.t / period), atol=5e-11)


def test_friction_at_driven_and_passive_joints(worn):
    """Viscous and Coulomb friction of every joint act on the one freedom through the loop, until it sticks for good."""
    run = worn.simulate(*started(0.4, 15.0), duration=1.5, sample_rate=20)
    expected, rests = one_freedom.simulated(0.4, 15.0, run.t, viscous=VISCOUS, coulomb=COULOMB)
    np.testing.assert_allclose(run.q, one_freedom.coordinates(expected[:, 0]), atol=1e-6)
    assert rests is not None
    stuck = run.t > rests
    assert stuck.any()
    assert (run.sticking == stuck[:, None]).all()
    assert (run.qd[stuck] == 0).all()
    assert (np.abs(run.friction[stuck]) <= np.array(COULOMB) * (1 + 1e-8)).all()
    assert run.energy_drift < 1e-7
    # What holds it balances gravity.
    along = one_freedom.ratios(run.q[-1, 0])
    np.testing.assert_allclose(along @ run.friction[-1], -one_freedom.slope(one_freedom.potential, run.q[-1, 0]))


def test_friction_holds_up_to_what_all_joints_hold_together(worn):
    """At rest the joints of one freedom hold together what none would alone; above that it slips."""
    robot, theta = worn, np.float64(1.0)
    limit = COULOMB @ np.abs(one_freedom.ratios(theta)) + one_freedom.slope(one_freedom.potential, theta)
    start = started(theta, 0.0)
    assert (robot.simulate(*start, [limit - 1e-6, 0, 0], duration=0.01).sticking).all()
    assert robot.simulate(*start, [limit + 1e-6, 0, 0], duration=0.01).qd[-1, 0] > 0


def test_complementarity_of_two_freedoms():
    """At every moment friction of every joint is at its limit against the speed, or the joint stands within it."""
    limits = np.array([0.3, 0.25, 0.3, 0.2])
    robot = lp.catalog.five_bar(gravity=0.0)
    moving = [j.name for j in robot.joints if j.motion.dof]
    joints = [replace(j, coulomb_friction=(limits[moving.index(j.name)],)) if j.motion.dof else j for j in robot.joints]
    robot = replace(robot, joints=tuple(joints))
    run = robot.simulate(robot.home, np.zeros(4), lambda t, q, qd: [np.sin(3 * t), 0, 1.5 * np.cos(4 * t), 0],
                         duration=1.5, sample_rate=50)
    free = robot.without_friction()
    np.testing.assert_allclose(run.qdd, free.forward_dynamics(run.q, run.qd, run.tau - run.friction), atol=1e-6)
    slips = ~run.sticking
    assert run.sticking.any()
    assert slips.all(axis=1).any()
    assert (run.qd[run.sticking] == 0).all()
    assert (np.abs(run.friction) <= limits * (1 + 1e-8)).all()
    moves = slips & (np.abs(run.qd) > 1e-9)
    np.testing.assert_allclose(run.friction[moves], (np.sign(run.qd) * limits)[moves])
    assert run.energy_drift < 1e-7
    assert run.closure.max() < 1e-13


# Redundant loops


def three_cranks(lift):
    """A plate on three parallel cranks, one of which is one too many; the middle pivots are `lift` out of line."""
    def rod(mass, length):
        across = mass * length**2 / 12
        return lp.Inertia.from_moments(mass, (length / 2, 0, 0), ixx=0.0, iyy=across, izz=across)

    upright = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
    at = lambda x, z: lp.Pose(upright.tolist(), (x, 0, z))  # noqa: E731
    cranks = [lp.Link(f"crank{k}", rod(1.0, 0.2)) for k in (1, 2, 3)]
    links = [lp.Link("base"), lp.Link("plate", rod(2.0, 0.5)), *cranks]
    joints = [lp.Joint(f"joint{k}", "base", f"crank{k}", lp.Revolute(Z), at(x, z))
              for k, x, z in ((1, 0, 0), (2, 0.5, 0), (3, 0.25, lift))]
    joints.append(lp.Joint("plate_joint", "crank1", "plate", lp.Revolute(Z), lp.Pose(translation=(0.2, 0, 0))))
    robot = lp.Robot("three_cranks", tuple(links), tuple(joints))
    for k, place in ((2, (0.5, 0, 0)), (3, (0.25, lift, 0))):
        robot = robot.with_loop(f"pin{k}", "plate", f"crank{k}", motion=lp.Revolute(Z), at=place, on=(0.2, 0, 0),
                                q=[1.0, 1.0, 1.0, -1.0])
    return robot


def test_redundant_loop_through_whole_turns():
    """A loop too many, dependent only where the loops are closed, does no harm: the plate swings as a pendulum."""
    robot = three_cranks(0.3)
    assert robot.mobility == 1
    unit = np.array([1.0, 1.0, 1.0, -1.0])
    run = robot.simulate(robot.home, 12.0 * unit, times=TIMES, rtol=1e-9)
    inertia, weight = 3 * 0.04 / 3 + 2.0 * 0.04, 9.81 * (3 * 0.1 + 2.0 * 0.2)
    rate = lambda t, y: (y[1], -weight / inertia * np.cos(y[0]))  # noqa: E731
    swing = solve_ivp(rate, (0, TIMES[-1]), (1.0, 12.0), "DOP853", TIMES, rtol=1e-12, atol=1e-12)
    assert run.q[-1, 0] - run.q[0, 0] > 2 * np.pi
    np.testing.assert_allclose(run.q, unit * swing.y[0][:, None], atol=1e-6)
    assert run.energy_drift < 1e-7
    assert run.closure.max() < 1e-13


def test_methods_agree(engine):
    start = started(0.4, 9.0)
    expected, _ = one_freedom.simulated(0.4, 9.0, TIMES[:6])
    for method, within in (("RK23", 1e-4), ("RK45", 1e-5), ("Radau", 1e-4), ("BDF", 1e-3)):
        run = engine.simulate(*start, times=TIMES[:6], method=method, rtol=1e-6)
        np.testing.assert_allclose(run.q[:, 0], expected[:, 0], atol=within)
        assert run.closure.max() < 1e-13


# Dead points and bifurcations


def test_dead_points(engine):
    """The slider is at its ends where crank and rod are in line, at every half turn; nothing else of it ever is."""
    run = engine.simulate(*started(0.4, 20.0), times=TIMES[:11])
    assert {point.joints for point in run.dead_points} == {("slider_joint",)}
    assert not any(point.driven for point in run.dead_points)
    at = engine.simulate(*started(0.4, 20.0), times=[point.time for point in run.dead_points])
    np.testing.assert_allclose(at.q[:, 0] / np.pi, np.arange(1, len(run.dead_points) + 1), atol=1e-9)


@pytest.mark.slow
def test_dead_points_of_the_drive(engine):
    """A drive at the slider is dead there, and the crank's inertia carries it through."""
    start = started(0.4, 20.0)
    points = engine.with_driven("slider_joint").simulate(*start, times=TIMES[:9]).dead_points
    assert points
    assert all(point.driven for point in points)
    expected = [point.time for point in engine.simulate(*start, times=TIMES[:9]).dead_points]
    np.testing.assert_allclose([point.time for point in points], expected, atol=1e-9)


def test_bifurcation():
    """A parallelogram in line can turn over; nothing is decided silently."""
    robot = lp.catalog.four_bar(0.4, 0.2, 0.4, 0.2, gravity=0.0)
    unit = np.array([1.0, -1.0, 1.0])
    qd = 5.0 * unit
    start = robot.home
    with pytest.raises(lp.IntegrationError, match="passes a bifurcation") as caught:
        robot.simulate(start, qd, duration=1.0)
    before, passed = caught.value.result, (np.pi - start[0]) / 5.0
    assert isinstance(before, lp.ClosedSimulation) and passed - 0.011 < before.times[-1] <= passed
    np.testing.assert_allclose(before.q[:, 0], start[0] + 5.0 * before.times, atol=1e-6)
    with pytest.warns(lp.ModelWarning, match="it goes straight on"):
        run = robot.simulate(start, qd, duration=1.2, strict=False)
    assert len(run.bifurcations) == 2
    np.testing.assert_allclose(run.bifurcations, (np.arange(1, 3) * np.pi - start[0]) / 5.0, atol=1e-6)
    # Both cranks turn alike all the time. At the two bifurcations rounding is magnified, as the processor rounds.
    np.testing.assert_allclose(run.q, start + run.t[:, None] * qd, atol=1e-5)
    with pytest.raises(lp.ModelError, match="starts at a bifurcation"):
        robot.simulate([0.0, 0.0, 0.0], np.zeros(3), duration=1.0)


# What is conserved


@pytest.mark.slow
def test_drift_and_energy_over_a_hundred_turns():
    bar = lp.catalog.four_bar()
    qd = bar.complete(bar.home, {"crank_joint": 10.0}).qd
    run = bar.simulate(bar.home, qd, duration=100.0, sample_rate=20, rtol=1e-10)
    assert abs(run.q[-1, 0] - run.q[0, 0]) > 200 * np.pi
    assert run.closure.max() < 1e-10
    assert abs(bar.constraint_jacobian(run.q) @ run.qd[..., None]).max() < 1e-10
    assert run.energy_drift < 1e-7


def test_momentum_of_a_floating_linkage():
    base = {"base": lp.Inertia.from_moments(3.0, (0.2, 0, 0), ixx=0.3, iyy=0.3, izz=0.3)}
    bar = lp.catalog.four_bar(gravity=0.0).with_inertias(base).floating()
    q = np.array([0, 0, 0, 0, 0, 0, 1, *lp.catalog.four_bar().home])
    J = bar.constraint_jacobian(q)
    free = np.linalg.svd(J)[2][bar.n - bar.mobility :].T
    run = bar.simulate(q, free @ np.array([0.5, -1.0, 0.8, 3.0, -2.0, 1.0, 0.6]), times=TIMES[:11], rtol=1e-10)
    linear, angular = bar.momentum(run.q, run.qd)
    assert np.ptp(linear, axis=0).max() < 1e-8
    assert np.ptp(angular, axis=0).max() < 1e-8
    assert run.energy_drift < 1e-9
    assert run.closure.max() < 1e-13


# Arguments


def test_energy_balance_with_wrenches_and_a_controller(worn):
    """Power of drives, friction and wrenches balances, in the loops nothing is lost; the controller is called at its
    rate, and a stop ends it."""
    calls = []

    def control(t, q, qd):
        calls.append(t)
        return [0.4 * (8.0 - qd[0]), 0.0, -3.0 * qd[2]]  # and a damper at the slider, which has no drive

    push = {"slider": lp.Wrench(force=(5.0, 0.0, 1.0))}
    run = worn.simulate(*started(0.4, 5.0), control, duration=0.5, control_rate=50, external=push,
                         stop=lambda t, q, qd: q[0] - 2.5)
    assert run.stopped
    assert abs(run.q[-1, 0] - 2.5) < 1e-9
    np.testing.assert_allclose(np.diff(calls), 0.02, atol=1e-9)
    assert run.energy_drift < 1e-7
    assert np.abs(run.external_work[-1] - 5.0 * (run.q[-1, 2] - run.q[0, 2])) < 1e-8


def test_starts_off_the_loops(engine):
    q, qd = started(0.4, 5.0)
    off = q + np.array([0.0, 0.0, 1e-3])
    with pytest.raises(lp.ModelError, match=r"loop 'slider_pin' is 0.001 m off.*assemble"):
        engine.simulate(off, qd, duration=0.1)
    with pytest.warns(lp.ModelWarning, match="loop 'slider_pin' is 0.001 m off"):
        run = engine.simulate(off, np.zeros(3), duration=0.1, strict=False)
    assert run.closure.max() < 1e-13
    assert np.abs(run.q[0] - q).max() < 0.05
    with pytest.raises(lp.ModelError, match=r"would open the loops.*complete"):
        engine.simulate(q, qd + np.array([0, 0, 0.1]), duration=0.1)
    with pytest.warns(lp.ModelWarning, match="would open the loops"):
        run = engine.simulate(q, qd + np.array([0, 0, 0.1]), duration=0.1, strict=False)
    assert abs(engine.constraint_jacobian(run.q[0]) @ run.qd[0]).max() < 1e-12
    with pytest.raises(lp.ModelError, match="no closed configuration is found near"):
        engine.simulate([0.4, 0.0, 30.0], qd, duration=0.1, strict=False)


def test_what_is_refused(engine):
    start = started(0.4, 5.0)
    with pytest.raises(ValueError, match=r"method 'LSODA'.*expected one of RK23"):
        engine.simulate(*start, duration=0.1, method="LSODA")
    with pytest.raises(TypeError, match=r"takes no 'modes': robot .* has no beams"):
        engine.simulate(*start, duration=0.1, modes=2)
    light = replace(engine, links=tuple(replace(link, inertia=lp.Inertia()) for link in engine.links))
    with pytest.raises(lp.ModelError, match="without moving any inertia"):
        light.simulate(*start, duration=0.1)


@pytest.mark.slow
def test_joints_that_stop_together():
    """A delta that falls straight down stops sideways with six joints at once, of which two freedoms; later it stands
    with fifteen joints stuck on three freedoms."""
    robot = lp.catalog.delta()
    limits = np.random.default_rng(2).uniform(0.8, 4.0, robot.n)
    joints = [replace(j, coulomb_friction=tuple(limits[robot.v_slices[j.name]])) if j.motion.dof in (1, 2) else j
              for j in robot.joints]
    rubbing = replace(robot, joints=tuple(joints))
    qd = rubbing.complete(robot.home, np.array([0.4, -0.3, 0.2])).qd
    run = rubbing.simulate(robot.home, qd, duration=0.3, sample_rate=40)
    assert run.sticking[-1].sum() == 15
    assert (run.qd[-1] == 0).all()
    assert (np.abs(run.friction) <= limits * (1 + 1e-8)).all()
    free = robot.forward_dynamics(run.q, run.qd, run.tau - run.friction)
    np.testing.assert_allclose(run.qdd, free, atol=1e-9 * np.abs(free).max())
    assert run.energy_drift < 1e-8
