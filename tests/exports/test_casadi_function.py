"""CasADi functions: the same numbers as the compiled methods, derivatives, and an optimal-control problem."""

from __future__ import annotations

import casadi
import numpy as np
import pytest
from export_cases import QUANTITIES, arguments, asked, expected, mixed

import loadpath as lp
from loadpath.exports.casadi_function import casadi_function


@pytest.mark.parametrize("name", QUANTITIES)
def test_every_quantity_agrees_with_the_compiled_method(name: str) -> None:
    asking = asked(mixed(), name)
    given = arguments(asking)
    function = casadi_function(asking)
    names = [*function.name_in(), *function.name_out()]
    assert len(set(names)) == len(names)
    results = function.call([casadi.DM(a) for a in given])
    for result, wanted in zip(results, expected(asking, *given), strict=True):
        rows = wanted.reshape(-1, wanted.shape[-1]) if wanted.ndim > 1 else wanted.reshape(-1, 1)
        assert result.shape == rows.shape
        np.testing.assert_allclose(result.full(), rows, rtol=1e-10, atol=1e-10 * max(1, abs(rows).max()))


def test_arguments_and_results_have_names() -> None:
    robot = lp.catalog.two_link()
    f = robot.casadi_function("inverse_dynamics")
    assert (f.name_in(), f.name_out()) == (["q", "qd", "qdd"], ["tau"])
    q, qd, qdd = [0.1, 0.2], [0.3, 0.4], [0.5, 0.6]
    np.testing.assert_allclose(f(q=q, qdd=qdd, qd=qd)["tau"].full().ravel(), robot.inverse_dynamics(q, qd, qdd))
    assert robot.casadi_function("inverse_dynamics_derivatives").name_out() == ["dtau_dq", "dtau_dqd", "dtau_dqdd"]
    assert robot.casadi_function("joint_wrenches").name_out() == ["force", "torque"]


def test_poses_stand_below_each_other() -> None:
    robot = lp.catalog.panda()
    q = np.linspace(-1, 1, 7)
    stacked = robot.casadi_function("link_poses")(q).full()
    poses = robot.link_poses(q)
    np.testing.assert_allclose(stacked[4 * 3 : 4 * 3 + 4], poses[3], atol=1e-14)
    np.testing.assert_allclose(stacked.reshape(-1, 4, 4), poses, atol=1e-14)


@pytest.mark.parametrize("kind", [casadi.SX, casadi.MX])
def test_derivatives_through_symbols(kind: type) -> None:
    """The Jacobian that CasADi makes is the quantity that Loadpath has."""
    robot = lp.catalog.two_link()
    f = robot.casadi_function("inverse_dynamics")
    x = [kind.sym(name, 2) for name in ("q", "qd", "qdd")]
    slopes = casadi.Function("slopes", x, [casadi.jacobian(f(*x), x[0]), casadi.jacobian(f(*x), x[1])])
    state = [0.3, -0.7], [1.1, 0.2], [0.4, -2.0]
    by_q, by_qd = (slope.full() for slope in slopes(*state))
    wanted = robot.inverse_dynamics_derivatives(*state)
    np.testing.assert_allclose(by_q, wanted.q, atol=1e-13)
    np.testing.assert_allclose(by_qd, wanted.qd, atol=1e-13)


def test_external_wrenches_are_an_argument() -> None:
    robot = lp.catalog.panda()
    ends = robot.link_names[-1], robot.link_names[3]
    f = robot.casadi_function("inverse_dynamics", external={ends[0]: "link", ends[1]: "world"})
    rng = np.random.default_rng(3)
    q, qd, qdd = rng.uniform(-1, 1, (3, 7))
    wrenches = rng.uniform(-9, 9, (2, 6))
    wanted = robot.inverse_dynamics(q, qd, qdd, external={
        ends[1]: lp.Wrench(wrenches[1, :3], wrenches[1, 3:]),
        ends[0]: lp.Wrench(wrenches[0, :3], wrenches[0, 3:], axes="link"),
    })
    np.testing.assert_allclose(f(q, qd, qdd, wrenches).full().ravel(), wanted, atol=1e-12)
    assert f.size_in("external") == (2, 6)


def test_formulations_and_links() -> None:
    robot = lp.catalog.panda()
    q, qd, tau = np.random.default_rng(4).uniform(-1, 1, (3, 7))
    f, g = (robot.casadi_function("forward_dynamics", formulation=way) for way in ("articulated-body", None))
    assert f.n_instructions() != g.n_instructions()
    np.testing.assert_allclose(f(q, qd, tau).full(), g(q, qd, tau).full(), rtol=1e-9)
    elbow = robot.link_names[4]
    np.testing.assert_allclose(robot.casadi_function("jacobian", link=elbow)(q).full(), robot.jacobian(q, elbow))


@pytest.mark.parametrize(
    ("name", "options", "told"),
    [
        ("inverse_dynamic", {}, "there are .*inverse_dynamics"),
        ("locked", {}, "not a compiled quantity"),
        (7, {}, "not a compiled quantity"),
        ("mass_matrix", {"link": "tip"}, "takes no link"),
        ("mass_matrix", {"external": ["tip"]}, "takes no external wrenches"),
        ("mass_matrix", {"formulation": "luk"}, "no formulation 'luk'"),
        ("jacobian", {"link": "tipp"}, "did you mean 'tip'"),
        ("inverse_dynamics", {"external": "tip"}, "expected link names"),
        ("inverse_dynamics", {"external": ["tipp"]}, "did you mean 'tip'"),
        ("inverse_dynamics", {"external": ["tip", "tip"]}, "twice"),
        ("inverse_dynamics", {"external": {"tip": "joint"}}, "expected 'world' or 'link'"),
        ("inverse_dynamics", {"external": {"tip": lp.Wrench((1, 2, 3))}}, "are arguments of the exported function"),
    ],
)
def test_what_cannot_be_had_is_refused(name: str, options: dict[str, object], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        lp.catalog.two_link().casadi_function(name, **options)


def test_a_robot_that_does_not_move() -> None:
    still = lp.catalog.two_link().locked({"joint1": 0.3, "joint2": -0.2})
    assert still.casadi_function("mass_matrix").size_out(0) == (0, 0)
    poses = still.casadi_function("link_poses")(casadi.DM(0, 1))
    np.testing.assert_allclose(poses.full().reshape(-1, 4, 4), still.link_poses(np.zeros(0)))


def test_least_torque_swing() -> None:
    """A double pendulum from hanging to rest at an angle in one second, by direct collocation with Ipopt."""
    robot = lp.catalog.two_link(m1=1, m2=1, l1=0.5, l2=0.5)
    forces, rate = robot.casadi_function("inverse_dynamics"), robot.casadi_function("state_derivative")
    steps, duration = 20, 1.0
    h = duration / steps
    begin, end = robot.neutral(), np.array([0.8, -0.4])
    problem = casadi.Opti()
    x, u = problem.variable(4, steps + 1), problem.variable(2, steps + 1)
    for k in range(steps):  # trapezoids
        slopes = rate(x[:, k], u[:, k]) + rate(x[:, k + 1], u[:, k + 1])
        problem.subject_to(x[:, k + 1] == x[:, k] + h / 2 * slopes)
    problem.subject_to(x[:, 0] == np.r_[begin, 0, 0])
    problem.subject_to(x[:, steps] == np.r_[end, 0, 0])
    problem.minimize(casadi.sumsqr(u) * h)
    # The straight way at the speed of a cubic, as a first guess and to be better than.
    s = np.linspace(0, 1, steps + 1)
    blend, speed, acceleration = 3 * s**2 - 2 * s**3, 6 * s - 6 * s**2, 6 - 12 * s
    guess = [np.outer(end, part) for part in (blend, speed, acceleration)]
    torque = np.array([forces(*(part[:, k] for part in guess)).full().ravel() for k in range(steps + 1)]).T
    problem.set_initial(x, np.vstack(guess[:2]))
    problem.set_initial(u, torque)
    problem.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes"})
    found = problem.solve()
    x_found, u_found = found.value(x), found.value(u)
    assert found.value(problem.f) < 0.9 * (torque**2).sum() * h
    np.testing.assert_allclose(x_found[:, -1], [*end, 0, 0], atol=1e-7)
    # It is a motion of the robot: the accelerations that the torques give are those of the states.
    acceleration = robot.forward_dynamics(x_found[:2].T, x_found[2:].T, u_found.T)
    np.testing.assert_allclose(
        np.diff(x_found[2:].T, axis=0) / h, (acceleration[1:] + acceleration[:-1]) / 2, atol=1e-6
    )
