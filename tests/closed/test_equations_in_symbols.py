"""Equations of closed chains in symbols against the compiled and the other quantities."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import sympy

import loadpath as lp
from loadpath.algorithms.loops import inverse_dynamics
from loadpath.algorithms.loops.rows import constraint_jacobian, constraint_rate
from loadpath.formulations import newton_euler
from loadpath.robot.joints import JointType
from loadpath.robot.mechanism import plain
from loadpath.scalars import array

LINKAGES = ("four_bar", "slider_crank", "five_bar")
of_drives = inverse_dynamics.closed_inverse_dynamics(newton_euler.inverse_dynamics)


@cache
def linkage(name: str, parameters: str) -> tuple[lp.Robot, object]:
    robot = getattr(lp.catalog, name)()
    return robot, robot.equations(parameters=parameters)


@cache
def state(name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A state on the manifold, with equations of its own: by T and J of the plain mechanism."""
    robot, _ = linkage(name, "numbers")
    mechanism, q = plain(robot), array(robot.home.tolist())
    J = constraint_jacobian(mechanism, q).astype(float)
    own, other = list(robot.split.independent), list(robot.split.dependent)
    rng = np.random.default_rng(5)
    qd, qdd = np.zeros(robot.n), np.zeros(robot.n)
    qd[own], qdd[own] = rng.standard_normal((2, len(own)))
    qd[other] = np.linalg.lstsq(J[:, other], -J[:, own] @ qd[own])[0]
    gamma = constraint_rate(mechanism, q, array(qd.tolist())).astype(float)
    qdd[other] = np.linalg.lstsq(J[:, other], -J[:, own] @ qdd[own] - gamma)[0]
    return robot.home, qd, qdd


def value(found: object, expression: sympy.Matrix, name: str) -> np.ndarray:
    values = found.parameters
    function = sympy.lambdify([found.q, found.qd, found.qdd, list(values)], expression)
    return np.array(function(*state(name), list(values.values())), dtype=float)


def spans(rows: np.ndarray) -> np.ndarray:
    """The projector on the span of rows."""
    _, sizes, turned = np.linalg.svd(rows)
    kept = turned[: int((sizes > 1e-9).sum())]
    return kept.T @ kept


@pytest.mark.parametrize("parameters", ["symbols", pytest.param("numbers", marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", LINKAGES)
def test_equations_of_linkages_are_the_numbers(name: str, parameters: str) -> None:
    robot, found = linkage(name, parameters)
    q, qd, qdd = (array(part.tolist()) for part in state(name))
    mechanism = plain(robot)
    J = constraint_jacobian(mechanism, q).astype(float)
    ours = value(found, found.constraint_jacobian, name)
    assert ours.shape == (2, robot.n)  # in the plane alone
    np.testing.assert_allclose(value(found, found.constraints, name), 0.0, atol=1e-15)
    np.testing.assert_allclose(spans(ours), spans(J), atol=1e-12)
    np.testing.assert_allclose(ours @ state(name)[1], 0.0, atol=1e-14)
    gamma = value(found, found.constraint_rate, name)[:, 0]
    np.testing.assert_allclose(ours @ state(name)[2] + gamma, 0.0, atol=1e-12)
    expected, _ = of_drives(mechanism, q, qd, qdd)
    expected = expected.astype(float)
    np.testing.assert_allclose(value(found, found.torques, name)[:, 0], expected, atol=1e-12 * np.abs(expected).max())
    open_torques = newton_euler.inverse_dynamics(mechanism, q, qd, qdd).astype(float)
    np.testing.assert_allclose(value(found, found.open_torques, name)[:, 0], open_torques, atol=1e-13)
    # The multipliers of least squares solve the equations of motion: nothing of them is left.
    left = open_torques - expected
    multipliers = np.linalg.lstsq(ours.T, left)[0]
    np.testing.assert_allclose(ours.T @ multipliers, left, atol=1e-12 * np.abs(open_torques).max())


def test_multipliers_of_a_pin_are_its_force_in_the_axes_of_the_base() -> None:
    robot, found = linkage("four_bar", "numbers")
    q, qd, qdd = state("four_bar")
    left = value(found, found.open_torques - found.torques, "four_bar")[:, 0]
    x, z = np.linalg.lstsq(value(found, found.constraint_jacobian, "four_bar").T, left)[0]
    pin = robot.joint_wrenches(q, qd, qdd)["rocker_pin"]
    turned = robot.link_poses(q)[robot.link_names.index("rocker"), :3, :3] @ pin.force
    np.testing.assert_allclose(turned, [x, 0, z], atol=1e-12 * np.abs(left).max() / 0.1)


def test_they_are_written_as_in_books() -> None:
    _, bar = linkage("four_bar", "symbols")
    l0, l1, l2, l3, q1, q2, q3 = sympy.symbols("l0:4 q1:4")
    x = l0 + l3 * sympy.cos(q3) - l1 * sympy.cos(q1) - l2 * sympy.cos(q1 + q2)
    assert sympy.expand(bar.constraints[0] - x) == 0
    assert bar.left_out == ("rocker_pin.y", "rocker_pin.turn1", "rocker_pin.turn2")
    assert bar.complement[2] == l1 * sympy.sin(q2) / (l3 * sympy.sin(q1 + q2 - q3))
    text = str(bar)
    assert "= tau + J' lambda; phi(q) = 0" in text and "left out, since no joint moves there: rocker_pin.y" in text
    latex = bar.latex()
    assert r"\lambda_{2}" in latex and r"\tau_{1}" in latex and r"\tau_{2}" not in latex


@cache
def chain() -> lp.Robot:
    bar = lp.Inertia(1.0, (0, 0, 0), np.diag([0.01, 0.01, 0.01]))
    links = (lp.Link("base"), lp.Link("l0", bar), lp.Link("l1", bar), lp.Link("l2", bar))
    axes = ((0, 0, 1), (0, 1, 0), (1, 0, 0))
    joints = tuple(
        lp.Joint(f"j{k}", links[k].name, f"l{k}", lp.Revolute(axis), (0.3, 0.1 * k, 0)) for k, axis in enumerate(axes)
    )
    return lp.Robot("chain", links, joints)


MOTIONS = (lp.Universal(), lp.PointOnPlane((0, 0, 1)))
OTHER_MOTIONS = (lp.Fixed(), lp.Revolute((0, 0, 1)), lp.Spherical(), lp.Prismatic((1, 0, 0)), lp.Planar(),
                 lp.Cylindrical((0, 1, 0)), lp.Translational(), lp.PointOnLine((0, 0, 1)))


@pytest.mark.parametrize("motion", [*MOTIONS, *(pytest.param(each, marks=pytest.mark.slow) for each in OTHER_MOTIONS)])
def test_rates_of_spatial_constraints_span_what_the_loop_holds(motion: JointType) -> None:
    q = np.array([0.3, -0.4, 0.5])
    closed = chain().with_loop("hold", "base", "l2", motion=motion, at=(0.2, 0.1, 0.3), q=q)
    found = closed.equations()
    assert len(found.constraints) == 6 - motion.dof
    J = constraint_jacobian(plain(closed), array(q.tolist())).astype(float)
    ours = np.array(found.constraint_jacobian.subs(dict(zip(found.q, q, strict=True))).evalf(), dtype=float)
    np.testing.assert_allclose(spans(ours), spans(J), atol=1e-9)


def test_couplings_have_equations_and_screws_none() -> None:
    geared = chain().with_coupling({"j0": 1.0, "j1": -3.0}, offset=1.5).equations()
    assert geared.constraint_jacobian[0, :2].tolist() == [[1, -3]]
    with pytest.raises(ValueError, match="with the loop 'nut': a Helical joint ties a turn to a slide"):
        chain().with_loop("nut", "base", "l2", motion=lp.Helical((0, 0, 1), pitch=0.1)).equations()


def test_more_drives_than_freedoms_have_no_torques_of_their_own() -> None:
    found = lp.catalog.four_bar().with_driven("crank_joint", "rocker_joint").equations()
    with pytest.raises(ValueError, match="has 2 drives and 1 freedoms"):
        _ = found.torques
    assert found.reduced_torques.shape == (1, 1)
