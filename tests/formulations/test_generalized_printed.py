"""Where Lau's thesis is misprinted or wrong: the printed equation fails, the corrected one holds."""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp
from loadpath.formulations import newton_euler
from loadpath.formulations.generalized_coefficients import coefficients, displacement
from loadpath.formulations.generalized_motion import freedoms
from loadpath.mechanics.kinematics import placements
from loadpath.robot.mechanism import Mechanism, plain
from on_scalars import entries, on_arrays
from references import lau_printed
from references.lau_printed import Joint, closed_form, recursion
from references.lau_robots import in_two_joints
from references.to_pinocchio import random_state

RIGHT, WRONG = 1e-12, 1e-3
"""Deviations relative to the largest entry: at most that if right, at least that if wrong."""


def deviation(found: object, expected: object) -> float:
    found, expected = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
    return float(np.abs(found - expected).max() / np.abs(expected).max())


def floats(rows: object) -> np.ndarray:
    return np.array([list(row) for row in rows], dtype=float)


def thesis_chain(slides_first: bool) -> tuple[list[Joint], np.ndarray, np.ndarray]:
    """Three joints that turn and slide, in motion; gravity; the wrenches at them by Newton-Euler, (3, 6), in world axes
    about their points (the displaced ones, if they slide first)."""
    robot = in_two_joints(lp.catalog.random_chain(3, 4, "free", general=True), slides_first)
    mechanism = plain(robot)
    q, qd, qdd = random_state(robot, np.random.default_rng(7))
    places = placements(mechanism, entries(q))
    R, origin = [floats(at.rows) for at in places], [at.origin.astype(float) for at in places]
    force, torque = on_arrays(newton_euler.joint_wrenches, mechanism, q, qd, qdd)
    chain, expected = [], []
    for k in range(0, 6, 2):
        body, turn, slide = mechanism.bodies[k + 1], (k, k + 1)[slides_first], (k + 1, k)[slides_first]
        w, u = mechanism.bodies[turn].v, mechanism.bodies[slide].v
        c = body.moment.astype(float) / body.mass
        central = body.inertia.astype(float) - body.mass * (c @ c * np.eye(3) - np.outer(c, c))
        chain.append(
            Joint(
                o=origin[k + 1] if slides_first else origin[k],
                origin=origin[k + 1],
                w=R[turn] @ qd[w],
                alpha=R[turn] @ qdd[w],
                u=R[k] @ qd[u],
                a=R[k] @ qdd[u],
                mass=body.mass,
                center=origin[k + 1] + R[k + 1] @ c,
                tensor=R[k + 1] @ central @ R[k + 1].T,
                slides_first=slides_first,
            )
        )
        expected.append(np.concatenate([R[k] @ force[k], R[k] @ torque[k]]))
    return chain, np.array(robot.gravity), np.array(expected)


def joined(wrenches: list) -> np.ndarray:
    return np.array([np.concatenate(wrench) for wrench in wrenches])


# Chapter 3


@pytest.mark.parametrize("slides_first", [False, True])
def test_closed_form_corrected(slides_first: bool) -> None:
    chain, g, expected = thesis_chain(slides_first)
    assert deviation(joined(closed_form(chain, g)), expected) < RIGHT


@pytest.mark.parametrize("error", ["own_product_twice", "kronecker_missing", "extra_inertia", "gravity_as_load"])
def test_closed_form_as_printed(error: str) -> None:
    """(3-20), (3-28), (3-70a), (3-75)."""
    chain, g, expected = thesis_chain(False)
    assert deviation(joined(closed_form(chain, g, **{error: True})), expected) > WRONG


def test_joints_that_slide_first_have_no_product_of_their_own() -> None:
    chain, g, expected = thesis_chain(True)
    assert deviation(joined(closed_form(chain, g, own_product_always=True)), expected) > WRONG


def test_triple_product() -> None:
    """(2-86)."""
    p, q, r = np.random.default_rng(0).normal(size=(3, 3))
    expected = np.cross(p, np.cross(q, np.cross(r, p)))
    assert deviation(lau_printed.triple_product(p, q, r), expected) < RIGHT
    assert deviation(lau_printed.triple_product(p, q, r, as_printed=True), expected) > WRONG


# Chapter 4


def model_of(mechanism: Mechanism, q: np.ndarray, as_printed: bool) -> np.ndarray:
    """D_ikl by the printed equation (4-104), or the corrected one, for joints of one freedom."""
    n, places = mechanism.n, placements(mechanism, entries(q))
    D_ikl = np.zeros((n, n, n))
    for j, (body, at) in enumerate(zip(mechanism.bodies, places, strict=True)):
        p, K = body.moment.astype(float) / body.mass, body.inertia.astype(float) / body.mass
        moving = freedoms(mechanism, entries(q), places)[: j + 1]
        delta_mu = [
            tuple(part.astype(float) for part in displacement(f.angular, f.linear, f.origin, at)) for f in moving
        ]
        for i in range(j + 1):
            for k in range(j + 1):
                for l in range(k, j + 1):  # noqa: E741
                    value = lau_printed.velocity_coefficient(
                        body.mass, p, K, delta_mu[i], delta_mu[k], delta_mu[l], as_printed=as_printed
                    )
                    D_ikl[i, k, l] += value
                    if k != l:
                        D_ikl[i, l, k] += value
    return D_ikl


def test_velocity_coefficients_as_printed() -> None:
    """(4-104): the printed term K (delta_l x delta_k) is too much. The corrected ones are those of the library."""
    robot = lp.catalog.random_chain(5, 3, ["revolute", "prismatic", "revolute"], general=True)
    q, qd, _ = random_state(robot, np.random.default_rng(1))
    still = robot.with_gravity((0.0, 0.0, 0.0))
    mechanism = plain(still)
    expected = on_arrays(newton_euler.bias_forces, mechanism, q, qd)
    forces = {printed: np.einsum("ikl,k,l->i", model_of(mechanism, q, printed), qd, qd) for printed in (False, True)}
    assert deviation(forces[False], expected) < RIGHT
    assert deviation(forces[True], expected) > WRONG
    assert deviation(on_arrays(coefficients, mechanism, q)[2], model_of(mechanism, q, False)) < RIGHT


def test_gravity_coefficients_as_printed() -> None:
    """(4-102): the printed sign gives the load, not what the joint must supply."""
    robot = lp.catalog.puma560()
    q, _, _ = random_state(robot, np.random.default_rng(1))
    D_i = on_arrays(coefficients, plain(robot), q)[0]
    expected = on_arrays(newton_euler.gravity_forces, plain(robot), q)
    assert deviation(D_i, expected) < RIGHT
    assert deviation(-D_i, expected) > WRONG


# Chapter 5


def test_recursion_corrected() -> None:
    chain, g, expected = thesis_chain(False)
    assert deviation(joined(recursion(chain, g)), expected) < RIGHT


@pytest.mark.parametrize("error", ["turning_of_link_before", "gravity_pulls_base_down"])
def test_recursion_as_printed(error: str) -> None:
    """(5-31) and (5-83) with w, alpha of the link before; (5-34) with + g."""
    chain, g, expected = thesis_chain(False)
    assert deviation(joined(recursion(chain, g, **{error: True})), expected) > WRONG


def test_rates_of_orientations() -> None:
    """(5-2), (5-3): without the factor the product rule fails; with it, it is what differences give."""
    rng = np.random.default_rng(3)
    axes, angles, rates = rng.normal(size=(3, 3)), rng.normal(size=3), rng.normal(size=3)
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)

    def turn(axis: np.ndarray, angle: complex) -> np.ndarray:
        S = np.cross(np.eye(3), -axis)
        return np.eye(3) + np.sin(angle) * S + (1 - np.cos(angle)) * S @ S

    def chain(t: complex) -> np.ndarray:
        A = np.eye(3)
        for axis, angle, rate in zip(axes, angles, rates, strict=True):
            A = A @ turn(axis, angle + rate * t)
        return A

    steps = []
    for axis, angle, rate in zip(axes, angles, rates, strict=True):
        S, B = rate * np.cross(np.eye(3), -axis), turn(axis, angle)
        steps.append((B, S @ B, S @ S @ B))
    h = 1e-4
    first = chain(1e-30j).imag / 1e-30
    second = (chain(h) - 2 * chain(0.0) + chain(-h)) / h**2
    A, A_t, A_tt = lau_printed.turning_matrices(steps)
    assert deviation(A, chain(0.0).real) < RIGHT
    assert deviation(A_t, first) < RIGHT
    assert deviation(A_tt, second.real) < 1e-6
    _, A_t, A_tt = lau_printed.turning_matrices(steps, factor_missing=True)
    assert deviation(A_t, first) > WRONG
    assert deviation(A_tt, second.real) > WRONG


# The worked example, as it is printed


def example() -> tuple[np.ndarray, np.ndarray, dict[str, float]]:
    """Forces and torques that accelerations alone take at all joints of the thesis's arm, at its instant d2 = length,
    the mass center half way: (joints, 3) each.
    """
    m1, M, d1, d2 = 1.3, 0.7, 0.35, 0.9
    arm = lp.catalog.lau_arm(m1, M, 0.1, d1, d2, gravity=(0.0, 0.0, 0.0))
    qdd = np.array([1.1, 1.7, -1.3])
    force, torque = on_arrays(newton_euler.joint_wrenches, plain(arm), np.array([0.4, 0.6, d2]), np.zeros(3), qdd)
    return force, torque, {"M": M, "d1": d1, "d2": d2, "s": np.sin(0.6), "c": np.cos(0.6), "I": M * d2**2 / 12}


def test_inertial_force_of_the_example_as_printed() -> None:
    """(3-121): the y component has the cosine of theta2."""
    force, _, x = example()
    M, d1, d2, s, c = (x[k] for k in ("M", "d1", "d2", "s", "c"))
    al1, al2, a2 = 1.1, 1.7, -1.3
    printed = M * np.array([-a2 - al1 * d1 * c, -al1 * d2 * s / 2, al2 * d2 / 2 - al1 * d1 * s])
    corrected = M * np.array([-a2 - al1 * d1 * c, -al1 * d2 * c / 2, al2 * d2 / 2 - al1 * d1 * s])
    assert deviation(printed, force[1]) > WRONG
    assert deviation(corrected, force[1]) < RIGHT


def test_inertial_torques_of_the_example_as_printed() -> None:
    """(3-123) and (3-124), with the printed moments M d2^2/12 and with those about the joint."""
    _, torque, x = example()
    M, d1, d2, s, c, central = (x[k] for k in ("M", "d1", "d2", "s", "c", "I"))
    al1, al2, a2 = 1.1, 1.7, -1.3
    I1zz = 1.3 * d1**2 / 2
    about_y = -0.5 * M * d1 * d2 * s * al1
    for moment in (central, M * d2**2 / 3):
        printed = [
            0.5 * M * d1 * d2 * c * al1,
            moment * al2 + 0.5 * M * d1 * d2 * s * al1,
            (0.5 * M * d1 * d2 * s + moment * c) * al1,
        ]
        assert deviation(printed, torque[1]) > WRONG
        printed = [
            M * d1 * (a2 * s + 0.5 * d2 * al2 * c) + al1 * (M * d2**2 + moment) * c * s,
            -0.5 * M * d2**2 * al2 + moment * al2 - 1.5 * M * d1 * d2 * s * al1,
            M * d1 * (a2 * c - 0.5 * d2 * al2 * s) + (M * d1**2 + moment * c**2 + I1zz) * al1,
        ]
        assert deviation(printed, torque[0]) > WRONG
    about_joint = M * d2**2 / 3
    corrected = [0.0, about_joint * al2 + about_y, about_joint * c * al1]
    assert deviation(corrected, torque[1]) < RIGHT
    corrected = [
        M * d1 * (a2 * s + 0.5 * d2 * c * al2) + about_joint * s * c * al1,
        about_joint * al2 + about_y,
        M * d1 * (a2 * c - 0.5 * d2 * s * al2) + (I1zz + M * d1**2 + about_joint * c**2) * al1,
    ]
    assert deviation(corrected, torque[0]) < RIGHT


def test_inertial_coefficients_of_the_example_as_printed() -> None:
    """D_11, D_21, D_22 under (4-127) and (4-128); I3yy about the tip."""
    m1, M, d1, d3 = 1.3, 0.7, 0.35, 0.9
    arm = lp.catalog.lau_arm(m1, M, 0.1, d1, d3)
    D_ik = on_arrays(coefficients, plain(arm), np.array([0.4, 0.6, d3]))[1]
    s, c = np.sin(0.6), np.cos(0.6)
    I1zz, tip = m1 * d1**2 / 2, M * d3**2 / 3
    assert D_ik[1, 1] == pytest.approx(tip) != pytest.approx(tip + M * d3**2)
    assert D_ik[1, 0] == pytest.approx(-0.5 * M * d1 * d3 * s) != pytest.approx(0.5 * M * d1 * d3 * s)
    assert D_ik[0, 0] == pytest.approx(I1zz + M * d1**2 + tip * c**2)
    assert D_ik[0, 0] != pytest.approx(I1zz + M * d1**2 + (tip + M * d3**2) * c**2)
    assert D_ik[0, 2] == pytest.approx(M * d1 * c) != pytest.approx(M * d1 * np.cos(0.4))
