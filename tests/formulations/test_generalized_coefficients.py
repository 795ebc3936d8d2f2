"""One freedom at a time: D_i, D_ik, D_ikl against mass matrix, gravity and Christoffel symbols; reactions anywhere."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import loadpath as lp
from loadpath.algorithms import composite_body
from loadpath.formulations import newton_euler
from loadpath.formulations.generalized_coefficients import coefficients, reaction_component
from loadpath.robot.mechanism import Mechanism, plain
from loadpath.robot.model import RobotModel
from loadpath.scalars import zeros
from on_scalars import applied, entries, on_arrays
from references.lau_robots import assert_near, with_mimics
from references.to_pinocchio import random_state

IN_TURN = ["revolute", "prismatic", "universal", "cylindrical", "planar", "translational", "helical"]
"""Joints whose speeds are the rates of coordinates that act one after the other."""

CHAIN = lp.catalog.random_chain(7, 1, IN_TURN, general=True, drives=True)
TREE = with_mimics(lp.catalog.random_tree(8, 2, IN_TURN, general=True, drives=True))
ALL = lp.catalog.random_tree(11, 3, "all", general=True, drives=True)


@pytest.mark.parametrize("robot", [CHAIN, TREE, ALL], ids=["chain", "tree with mimics", "all types"])
def test_gravity_and_inertia(robot: RobotModel) -> None:
    mechanism = plain(robot)
    q, qd, _ = random_state(robot, np.random.default_rng(1))
    D_i, D_ik, D_ikl, Ia = on_arrays(coefficients, mechanism, q)
    assert_near(D_i, on_arrays(newton_euler.gravity_forces, mechanism, q))
    assert_near(D_ik + np.diag(Ia), on_arrays(composite_body.mass_matrix, mechanism, q))
    assert (Ia > 0).all()
    np.testing.assert_array_equal(D_ikl, np.swapaxes(D_ikl, 1, 2))
    speeds = np.einsum("ikl,k,l->i", D_ikl, qd, qd)
    friction = on_arrays(newton_euler.inverse_dynamics, only_drives(mechanism), q, qd, 0 * qd)
    bias = on_arrays(newton_euler.bias_forces, mechanism, q, qd)
    assert_near(D_i + speeds + friction, bias)


def only_drives(mechanism: Mechanism) -> Mechanism:
    """The mechanism without inertia and gravity: friction is left."""
    bodies = tuple(replace(b, mass=0.0, moment=zeros(3), inertia=zeros(3, 3)) for b in mechanism.bodies)
    return replace(mechanism, bodies=bodies, gravity=zeros(3))


@pytest.mark.parametrize("robot", [CHAIN, TREE], ids=["chain", "tree with mimics"])
def test_velocity_coefficients_are_christoffel_symbols(robot: RobotModel) -> None:
    """D_ikl = 1/2 (d D_ik/d q_l + d D_il/d q_k - d D_kl/d q_i), by complex steps: exact to rounding."""
    mechanism, step = plain(robot), 1e-30
    q, _, _ = random_state(robot, np.random.default_rng(1))
    _, _, D_ikl, _ = on_arrays(coefficients, mechanism, q)
    mass = on_arrays(composite_body.mass_matrix, mechanism, q + 1j * step * np.eye(robot.n))
    slope = np.moveaxis(mass.imag / step, 0, 2)  # d D_ik / d q_l
    expected = 0.5 * (slope + np.swapaxes(slope, 1, 2) - np.moveaxis(slope, 2, 0))
    assert_near(D_ikl, expected)


@settings(max_examples=6)
@given(seed=st.integers(0, 1000), branches=st.booleans())
def test_reactions_in_any_direction_at_any_joint(seed: int, branches: bool) -> None:
    """A virtual joint tells what the joint wrench has in that direction, about any point; at fixed joints too."""
    make = lp.catalog.random_tree if branches else lp.catalog.random_chain
    robot = make(4, seed, "all", general=True)
    mechanism, rng = plain(robot), np.random.default_rng(seed)
    state = random_state(robot, rng)
    external = {robot.link_names[-1]: applied(*rng.normal(size=(2, 3)) * 10)}
    force, torque = on_arrays(newton_euler.joint_wrenches, mechanism, *state, external=external)
    size = max(np.abs(force).max(), np.abs(torque).max(), 1.0)
    scalars = [entries(part) for part in state]
    for k, joint in enumerate(robot.joint_names):
        s, point = rng.normal(size=(2, 3))
        s /= np.linalg.norm(s)
        along = reaction_component(mechanism, *scalars, joint, s.tolist(), external=external)
        about = reaction_component(mechanism, *scalars, joint, s.tolist(), "torque", external=external)
        elsewhere = reaction_component(
            mechanism, *scalars, joint, s.tolist(), "torque", point=point.tolist(), external=external
        )
        expected = force[k] @ s, torque[k] @ s, (torque[k] - np.cross(point, force[k])) @ s
        np.testing.assert_allclose((along, about, elsewhere), expected, rtol=0, atol=1e-12 * size)


def test_reactions_along_the_joint_are_the_drive_forces() -> None:
    robot = lp.catalog.random_chain(4, 5, ["revolute", "prismatic"])
    mechanism = plain(robot)
    state = random_state(robot, np.random.default_rng(0))
    tau = on_arrays(newton_euler.inverse_dynamics, mechanism, *state)
    found = [
        reaction_component(mechanism, *map(entries, state), joint.name, joint.motion.axis, kind)
        for joint, kind in zip(robot.joints, ("torque", "force") * 2, strict=True)
    ]
    assert_near(np.array(found), tau)


def test_reactions_on_batches() -> None:
    robot = lp.catalog.random_chain(2, 5, ["free", "revolute"])
    rng = np.random.default_rng(0)
    states = [random_state(robot, rng) for _ in range(3)]
    columns = [entries(np.array(part)) for part in zip(*states, strict=True)]
    together = reaction_component(plain(robot), *columns, "joint2", (0.0, 0.6, 0.8))
    each = [reaction_component(plain(robot), *map(entries, s), "joint2", (0.0, 0.6, 0.8)) for s in states]
    np.testing.assert_allclose(together, each, rtol=1e-13)


def test_wrong_calls_of_reactions() -> None:
    mechanism, state = plain(lp.catalog.two_link()), [entries(np.zeros(2))] * 3
    with pytest.raises(ValueError, match="no joint 'joint9'; there are joint1, joint2, tip_joint"):
        reaction_component(mechanism, *state, "joint9", (1, 0, 0))
    with pytest.raises(ValueError, match="kind is 'moment': expected 'force' or 'torque'"):
        reaction_component(mechanism, *state, "joint1", (1, 0, 0), "moment")
    with pytest.raises(ValueError, match="direction has 2 entries and point 3: expected three each"):
        reaction_component(mechanism, *state, "joint1", (1, 0))


def test_model_of_the_worked_example() -> None:
    """The thesis's arm, section 4.3, corrected: every D_ik, and D_ikl through the velocity forces h."""
    m1, M, d1, length, g = 1.3, 0.7, 0.35, 0.9, 9.81
    arm = lp.catalog.lau_arm(m1, M, 0.1, d1, length, gravity=g)
    q, (w1, w2, u) = np.array([0.4, 0.6, 0.8]), (0.5, -0.7, 0.9)
    D_i, D_ik, D_ikl, _ = on_arrays(coefficients, plain(arm), q)
    s, c, r = np.sin(q[1]), np.cos(q[1]), q[2] - length / 2
    I1zz, Ixx, Iyy, Izz = m1 * d1**2 / 2, 0.0, M * length**2 / 12, M * length**2 / 12
    D11 = I1zz + M * d1**2 + Ixx * s**2 + (Izz + M * r**2) * c**2
    D12, D13, D22 = -M * d1 * r * s, M * d1 * c, Iyy + M * r**2
    assert_near(D_ik, np.array([[D11, D12, D13], [D12, D22, 0], [D13, 0, M]]))
    assert_near(D_i, np.array([0.0, M * g * r * c, M * g * s]))
    h = [
        2 * (Ixx - Izz - M * r**2) * s * c * w1 * w2
        + 2 * M * r * c**2 * w1 * u
        - M * d1 * r * c * w2**2
        - 2 * M * d1 * s * w2 * u,
        (Izz + M * r**2 - Ixx) * s * c * w1**2 + 2 * M * r * w2 * u,
        -M * r * (c**2 * w1**2 + w2**2),
    ]
    assert_near(np.einsum("ikl,k,l->i", D_ikl, (w1, w2, u), (w1, w2, u)), np.array(h))
