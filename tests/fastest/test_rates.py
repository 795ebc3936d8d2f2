"""Limits of torque rates and jerk: closed forms, Ipopt on the whole problem, the robot's own torques over time."""

from __future__ import annotations

import numpy as np
import pytest
from ipopt_rates import ipopt_with_rates
from scipy.integrate import quad

import loadpath as lp
from loadpath.fastest.rising import Speeds

ROD = lp.catalog.planar(1, gravity=0)  # 1/3 kg m^2
POINTS = [[0, -1.2, 1.4, -0.3, 0.4, 0], [0.8, -0.9, 0.9, -0.1, 0.6, 0.5], [1.4, -1.4, 1.6, -0.5, 0.2, 1.0]]
RATE = np.array([150.0] * 3 + [28.0] * 3)


def test_seven_phases_of_one_joint() -> None:
    """L / v + v / a + a / j where jerk, acceleration and speed all rule; a torque's rate is the inertia times that."""
    best = 3 / 1.5 + 1.5 / 2 + 2 / 8
    for limits in ({"acceleration": 2.0, "speed": 1.5, "jerk": 8.0},
                   {"torque": 2 / 3, "speed": 1.5, "torque_rate": 8 / 3}):
        found = ROD.fastest([[0.0], [3.0]], limits)
        assert best * (1 - 1e-9) < found.duration < best * 1.0015
        assert found.certificate <= 1 + 2e-6
    kinds = [stretch.limit.split(" of ")[0] for stretch in found.rules if stretch.end - stretch.begin > 0.05]
    assert kinds == ["torque rate", "torque", "torque rate", "speed", "torque rate", "torque", "torque rate"]
    higher = ROD.fastest([[0.0], [3.0]], {"torque": 2 / 3, "speed": 1.5, "torque_rate": 1.1 * 8 / 3})
    assert found.costs["torque rate of 'joint1'"] == pytest.approx(found.duration - higher.duration, rel=0.02)


def test_jerk_alone_rules() -> None:
    """Four phases: (32 L / j)^(1/3)."""
    found = ROD.fastest([[0.0], [3.0]], {"acceleration": 50.0, "jerk": 8.0})
    best = (32 * 3 / 8) ** (1 / 3)
    assert best * (1 - 1e-9) < found.duration < best * 1.005


def test_the_time_of_an_interval_by_quadrature() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        h, x0, (u0, u1) = rng.uniform(0.1, 0.4), rng.uniform(0.9, 2), rng.uniform(-1, 1, 2)
        no = np.zeros(1, dtype=bool)
        speeds = Speeds(np.array([u0, u1]), np.array([x0, x0 + h * (u0 + u1)]), no, no)
        rise = (u1 - u0) / h
        exact = quad(lambda d, x0=x0, u0=u0, k=rise: (x0 + 2 * u0 * d + k * d * d) ** -0.5, 0, h)[0]
        assert speeds.durations(np.array([h]))[0][0] == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("share", [20.0, 5.0])
def test_the_whole_problem_by_ipopt(share: float) -> None:
    """Rates as they are, not their tangents: Ipopt finds no shorter time on the same grid."""
    pytest.importorskip("casadi")
    found = lp.catalog.ur5().fastest(POINTS, {"torque_rate": share * RATE}, intervals=40)
    best = ipopt_with_rates(found.found)  # type: ignore[arg-type]
    assert found.duration == pytest.approx(best, rel=7e-4)  # limits are made smaller by what may lie between points
    assert found.duration >= best * (1 - 1e-6)


@pytest.mark.parametrize("rubs", [False, True])
def test_torques_over_time(rubs: bool) -> None:
    """By the robot's own inverse dynamics at many instants, with a stop on the way, friction, a bearing's cone and a
    payload: no torque changes faster, nor is anything else exceeded.
    """
    arm = lp.catalog.ur5()
    if rubs:
        arm = arm.with_drives({"elbow_joint": lp.Drive(friction=lp.Friction(viscous=3.0)),
                               "wrist_1_joint": lp.Drive(friction=lp.Friction(coulomb=2.0, viscous=1.0))})
    heavy = arm.with_payload(mass=3.0, center_of_mass=(0, 0, 0.1))
    path = lp.Path.through(POINTS, dwell={1: 0.25})
    free = arm.fastest(path, also=[heavy], intervals=300)
    found = arm.fastest(path, {"torque_rate": 10 * RATE, "tilting_moment": {"wrist_1_joint": 16.0}}, also=[heavy],
                        intervals=120)
    assert found.duration > free.duration
    assert found.certificate <= 1 + 1e-4
    t = np.linspace(0.0, found.duration, 100_001)
    q, qd, qdd = found.at(t)
    assert np.abs(np.diff(q, axis=0) / np.diff(t)[:, None] - (qd[1:] + qd[:-1]) / 2).max() < 1e-6
    assert np.abs(np.diff(qd, axis=0) / np.diff(t)[:, None] - (qdd[1:] + qdd[:-1]) / 2).max() < 1e-2
    still = (np.abs(qd) < 1e-6).any(axis=1)
    steady = ~(still[1:] | still[:-1])  # elsewhere dry friction jumps
    steady &= (np.sign(qd[1:]) == np.sign(qd[:-1])).all(axis=1)
    for robot in (arm, heavy):
        tau = robot.inverse_dynamics(q, qd, qdd)
        assert np.abs(tau / RATE).max() <= 1 + 1e-4
        rate = np.abs(np.diff(tau, axis=0)) / np.diff(t)[:, None] / (10 * RATE)
        assert 0.99 < rate[steady].max() <= 1.001 if robot is heavy else rate[steady].max() <= 1.001
    moment = heavy.joint_wrenches(q, qd, qdd)
    assert np.isfinite(np.asarray(moment.torque)).all()


def test_from_speed_to_speed() -> None:
    """Ends that are not at rest: the acceleration is free at once, so (v1 - v0) / a remains."""
    limits = {"acceleration": 2.0, "speed": 4.0, "jerk": 100.0}
    found = ROD.fastest([[0.0], [3.0]], limits, start=2.0, end="any")
    assert found.duration == pytest.approx((4.0 - 2.0) / 2, rel=1e-3)


def test_a_coupling_by_hand() -> None:
    """Two wheels, one driven, the other turning three times as far: I1 + 9 I2; a / j + sqrt((a / j)^2 + 4 L / a)."""
    wheels = [lp.Link(name, lp.Inertia(1.0, (0, 0, 0), np.diag([i, i, i]))) for name, i in (("a", 0.2), ("b", 0.05))]
    pair = lp.Robot("gears", [lp.Link("box"), *wheels], [
        lp.Joint("a", "box", "a", lp.Revolute((0, 0, 1))), lp.Joint("b", "box", "b", lp.Revolute((0, 0, 1)), (1, 0, 0)),
    ]).with_coupling({"a": 3.0, "b": -1.0}).with_driven("a")
    found = pair.fastest([[0.0], [2.0]], {"torque": 4.0, "torque_rate": 40.0})
    a = 4.0 / (0.2 + 9 * 0.05)
    best = 4 / 40 + np.sqrt((4 / 40) ** 2 + 4 * 2.0 / a)
    assert best * (1 - 1e-9) < found.duration < best * 1.002
    assert "torque rate of 'b'" not in map(str, found.limits)


def test_rates_that_hardly_matter_cost_hardly_anything() -> None:
    """First intervals are as short as the ramps; and rates so low that the robot creeps are kept, too."""
    rod, limits = lp.catalog.planar(1), {"torque": 8.0, "speed": 5.0}
    free = rod.fastest([[-1.0], [0.5]], limits).duration
    assert rod.fastest([[-1.0], [0.5]], limits | {"torque_rate": 1e6}).duration == pytest.approx(free, rel=2e-3)
    creeping = rod.fastest([[-1.0], [0.5]], limits | {"torque_rate": 0.01})
    assert creeping.certificate <= 1 + 1e-4
    assert creeping.duration > 100


def test_nothing_is_held_at_rest_that_is_too_heavy() -> None:
    """With jumps a rod could swing to where it is not held; torques that begin and end at rest must hold it."""
    rod = lp.catalog.planar(1)
    limits = {"speed": 5.0, "torque_rate": 50.0}
    assert rod.fastest([[-0.4], [0.0]], limits | {"torque": 9.81 / 2 * 1.0001}).certificate <= 1 + 1e-4
    with pytest.raises(lp.NoMotionError, match="exceeded at rest") as caught:
        rod.fastest([[-0.4], [0.0]], limits | {"torque": 9.81 / 2 * 0.999})
    assert [each.limit for each in caught.value.at_rest] == ["torque of 'joint1'"]


def test_corners_that_are_hardly_rounded() -> None:
    limits = {"torque": 60.0, "speed": 3.0, "jerk": 50.0}
    found = lp.catalog.planar(2).fastest(lp.Path.lines([[0, 0], [1, 0], [1, 1]], blend=0.01), limits, intervals=100)
    assert found.certificate <= 1 + 1e-4
    _, _, qdd = found.at(np.linspace(0, found.duration, 100_001))
    assert np.abs(np.diff(qdd, axis=0)).max() / (found.duration / 100_000) <= 50 * 1.001


def test_wrong_input_is_named() -> None:
    arm = lp.catalog.planar(2)
    with pytest.raises(ValueError, match="beside torques"):
        arm.fastest([[0, 0], [1, 1]], {"jerk": 3.0})
    with pytest.raises(lp.ModelError, match="curvature of the path jumps"):
        bent = lp.Path([0, 1, 2], [[[0, 0], [0, 0.8]], [[1, 0], [1, 0]], [[0, 0], [1, 0]]], {})
        arm.fastest(bent, {"torque": 60.0, "jerk": 3.0})
    with pytest.raises(ValueError, match="path_durations"):
        arm.path_durations([[[0, 0], [1, 1]]], {"torque": 60.0, "jerk": 3.0})
    with pytest.raises(ValueError, match="no such limit"):
        arm.fastest([[0, 0], [1, 1]], {"torque": 60.0, "jerk": True})
    with pytest.raises(ValueError, match="more than zero"):
        arm.fastest([[0, 0], [1, 1]], {"torque": 60.0, "torque_rate": -1.0})
    with pytest.raises(lp.NoMotionError, match="torque"):
        arm.fastest([[0, 0], [1, 1]], {"torque": 6.0, "torque_rate": 100.0})


@pytest.mark.parametrize("rubs", [False, True])
def test_bounds_of_rates_hold_between_points(rubs: bool) -> None:
    """On every interval, those next to rests too, no rate by differences over time is above its bound, and the bound is
    no more than a little above: with dry, viscous and Stribeck's friction, on a coarse grid.
    """
    arm, points = lp.catalog.planar(2), [[-1.2, 0.5], [-0.4, 1.2], [0.2, 0.9]]
    if rubs:
        rough = lp.Friction(coulomb=2.0, viscous=1.5, static=4.0, stribeck_speed=0.3)
        arm = arm.with_drives(dict.fromkeys(arm.dof_names, lp.Drive(friction=rough)))
    rates = np.array([900.0, 500.0])
    result = arm.fastest(points, {"torque": 60.0, "speed": 6.0, "torque_rate": rates}, intervals=20)
    assert result.certificate <= 1.00001
    found = result.found
    which = [k for k, name in enumerate(result.limits) if name.kind == "torque rate"]
    bound, lasts = found.bound[:, which], found.durations
    each = 201
    share = np.linspace(1e-6, 1 - 1e-6, each)
    i = np.repeat(np.arange(len(lasts)), each)
    q, qd, qdd = result.timing.within(i, (lasts[:, None] * share).ravel())
    tau = np.asarray(arm.inverse_dynamics(q, qd, qdd)).reshape(len(lasts), each, 2)
    step = lasts * (share[1] - share[0])
    seen = (np.abs(np.diff(tau, axis=1)) / step[:, None, None]).max(axis=1) / rates
    # An interval next to a rest begins with what friction jumps by.
    ends = found.state.at_rest if rubs else np.zeros(len(lasts), dtype=bool)
    assert (seen <= bound * (1 + 1e-6) + 1e-7)[~ends].all()
    assert (bound - seen)[~found.state.at_rest & (bound > 0.9).any(axis=1)].max() < 0.02
    assert seen[~ends].max() > 0.98
