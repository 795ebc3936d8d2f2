"""The natural orthogonal complement of loops: K, T, lambda, and the dynamics by them against the other equations."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import loadpath as lp
from loadpath.algorithms.loops import equilibrium, forward_dynamics, inverse_dynamics, reactions
from loadpath.algorithms.loops import orthogonal_complement as noc
from loadpath.formulations import newton_euler
from loadpath.formulations import orthogonal_complement as tree
from loadpath.mechanics.configuration import integrate
from loadpath.robot.mechanism import plain
from loadpath.robot.reduction import reframed
from loadpath.scalars import array, zeros

NAME = "natural-orthogonal-complement"
MACHINES = ("four_bar", "differential")
OTHERS = ("slider_crank", "five_bar", "parallelogram_palletizer", "excavator", "delta", "stewart_platform")
of_drives = inverse_dynamics.closed_inverse_dynamics(newton_euler.inverse_dynamics)


def differential() -> lp.Robot:
    """Two coupled joints, one of which closes a loop too, with friction and rotors on passive joints."""
    bar = lp.Inertia(1.3, (0.2, 0.01, 0.03), ((0.02, 0.001, 0), (0.001, 0.03, 0.002), (0, 0.002, 0.04)))
    links = [lp.Link("base"), *(lp.Link(name, bar) for name in ("a", "b", "c", "d"))]
    joints = (
        lp.Joint("ja", "base", "a", lp.Revolute((0, 0, 1)), rotor_inertia=0.02),
        lp.Joint("jb", "a", "b", lp.Revolute((0, 0.1, 1)), (0.4, 0, 0), viscous_friction=0.3, rotor_inertia=0.01),
        lp.Joint("jc", "b", "c", lp.Spherical(), (0.3, 0, 0.1), viscous_friction=(0.1, 0.2, 0.3)),
        lp.Joint("jd", "base", "d", lp.Cylindrical((1, 0, 0.2)), (0, 0, 0.5)),
    )
    open_ = lp.Robot("differential", tuple(links), joints)
    q = [0.4, 0.3, 0.1, 0.05, 0.0, 0.99, 0.2, 0.1]
    closed = open_.with_loop("ball", "c", "d", motion=lp.Universal((1, 0, 0), (0, 1, 0)), at=(0.2, 0.1, 0), q=q)
    return closed.with_coupling({"ja": 1.0, "jb": -2.5}, offset=0.4 - 2.5 * 0.3).with_driven("ja", "jc.wx")


@cache
def numbers(robot: lp.Robot) -> tuple[object, ...]:
    """The mechanism, a state on its manifold, forces of the drives and the accelerations that they give."""
    rng, mechanism = np.random.default_rng(0), plain(robot)
    away = robot.home + (0.05 * rng.standard_normal(robot.nq) if robot.nq == robot.n else 0.0)
    q = array(robot.with_home(away).home.tolist())
    qd = noc.T_loop(mechanism, q) @ array(rng.standard_normal(robot.mobility).tolist())
    tau = zeros(robot.n)
    tau[list(robot.split.driven)] = rng.uniform(-20, 20, len(robot.split.driven)).tolist()
    return mechanism, q, qd, tau, noc.forward_dynamics(mechanism, q, qd, tau)[0]


def close(found: object, expected: object, tolerance: float = 1e-11) -> None:
    a, b = np.asarray(found).astype(float), np.asarray(expected).astype(float)
    np.testing.assert_allclose(a, b, rtol=0, atol=tolerance * max(np.abs(b).max(), 1e-3))


@pytest.fixture(scope="module", params=[*MACHINES, *(pytest.param(name, marks=pytest.mark.slow) for name in OTHERS)])
def robot(request: pytest.FixtureRequest) -> lp.Robot:
    return differential() if request.param == "differential" else getattr(lp.catalog, request.param)()


def test_the_complement_is_orthogonal_to_the_constraints_of_all_joints(robot: lp.Robot) -> None:
    mechanism, q, qd, *_ = numbers(robot)
    K, T = (part(mechanism, q).astype(float) for part in (noc.K, noc.T))
    assert np.abs(K @ T).max() < 1e-13 * max(np.abs(K).max() * np.abs(T).max(), 1.0) * 10
    assert np.linalg.matrix_rank(K, 1e-9 * np.abs(K).max()) == 6 * len(mechanism.bodies) - robot.mobility
    assert T.shape == (6 * len(mechanism.bodies), robot.mobility)
    # t = T thetadot_I are the twists that the tree has with all its speeds.
    speeds = array([qd[k] for k in robot.split.independent])
    close(noc.T(mechanism, q) @ speeds, tree.T(mechanism, q) @ qd)


def test_rates_are_those_of_differences(robot: lp.Robot) -> None:
    mechanism, q, qd, *_ = numbers(robot)
    h = 1e-6
    there, back = (integrate(mechanism, q, array([sign * h * x for x in qd])) for sign in (1, -1))
    difference = (noc.T(mechanism, there) - noc.T(mechanism, back)).astype(float) / (2 * h)
    close(noc.Tdot(mechanism, q, qd), difference, 1e-7)


def test_dynamics_are_those_of_the_other_equations(robot: lp.Robot) -> None:
    mechanism, q, qd, tau, qdd = numbers(robot)
    expected, _ = forward_dynamics.forward_dynamics(mechanism, q, qd, tau)
    close(qdd, expected)
    carried = np.abs(newton_euler.inverse_dynamics(mechanism, q, qd, qdd).astype(float)).max()
    found, _ = noc.inverse_dynamics(mechanism, q, qd, qdd)
    by_others, _ = of_drives(mechanism, q, qd, qdd)
    close((found - by_others) / carried, zeros(robot.n), 1e-11 / 1e-3)
    close((found - tau) / carried, zeros(robot.n), 1e-11 / 1e-3)
    # The equation of the source, I thetaddot_I = C thetadot_I + T_loop' tau + gamma + delta, and the rotors.
    independent = list(robot.split.independent)
    drives = noc.T_loop(mechanism, q).T @ tau
    rotors = (noc.mass_matrix(mechanism, q) - noc.I(mechanism, q)) @ qdd[independent]
    if not any(joint.rotor_inertia and any(joint.rotor_inertia) for joint in robot.joints):
        left = noc.I(mechanism, q) @ qdd[independent] + rotors
        right = noc.C(mechanism, q, qd) @ qd[independent] + drives
        right = right + noc.gamma(mechanism, q) + noc.delta(mechanism, q, qd)
        close((left - right) / carried, zeros(robot.mobility), 1e-11 / 1e-3)


@pytest.mark.parametrize("soft", [False, True])
def test_wrenches_of_all_joints_are_those_of_the_other_equations(robot: lp.Robot, soft: bool) -> None:
    mechanism, q, qd, _, qdd = numbers(robot)
    rng = np.random.default_rng(3)
    names = robot.closed_joint_names[::2] if soft else ()
    compliances = tuple((name, tuple(rng.uniform(0.1, 5.0, 6).tolist())) for name in names)
    force, torque, _ = equilibrium.joint_wrenches(mechanism, q, qd, qdd, compliances=compliances)
    expected = reactions.joint_wrenches(reframed(robot), q, qd, qdd, compliances=compliances)
    size = max(np.abs(part.astype(float)).max() for part in expected[:2])
    close(force / size, expected[0] / size, 1e-11)
    close(torque / size, expected[1] / size, 1e-11)


def test_constraint_wrenches_are_a_sum_over_constraints_and_do_no_work(robot: lp.Robot) -> None:
    mechanism, q, qd, tau, qdd = numbers(robot)
    w = noc.constraint_wrenches(mechanism, q, qd, qdd, tau)
    size = np.abs(w.astype(float)).max()
    close(noc.T(mechanism, q).T @ w / size, zeros(robot.mobility), 1e-11 / 1e-3)
    K = noc.K(mechanism, q)
    close(K.T.astype(float) @ tree.multipliers(K, w) / size, w / size, 1e-11)


def test_it_is_a_formulation_of_closed_robots() -> None:
    bar = lp.catalog.four_bar()
    q = bar.home
    qd = bar.complement(q)[:, 0]
    qdd = bar.forward_dynamics(q, qd, [1.0, 0, 0])
    close(bar.forward_dynamics(q, qd, [1.0, 0, 0], formulation=NAME), qdd)
    close(bar.inverse_dynamics(q, qd, qdd, formulation=NAME), [1.0, 0, 0])


@pytest.mark.slow
def test_it_gives_the_wrenches_on_a_base_that_moves() -> None:
    bar = lp.catalog.four_bar()
    q = bar.home
    qd = bar.complement(q)[:, 0]
    qdd = bar.forward_dynamics(q, qd, [1.0, 0, 0])
    shaking = {"base_velocity": [0.1, 0, 0, 0.3, 0.2, -0.4], "base_acceleration": [1.0, 2, 0, 0.3, -1, 0.5]}
    hook = {"coupler": lp.Wrench(force=(1, 2, 3))}
    wrenches = [bar.joint_wrenches(q, qd, qdd, **shaking, external=hook, formulation=name)
                for name in ("newton-euler", NAME)]
    close(wrenches[1].force, wrenches[0].force)
    close(wrenches[1].torque, wrenches[0].torque)
