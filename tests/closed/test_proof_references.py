"""The references against each other: equations written in four ways, none of them the library's."""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp
from closed.cases import CATALOG, PLANE, ask, catalog, reference, state
from closed.platforms import delta_case, stewart_case
from closed.references import delta, plane, stewart
from closed.references.closing import open_by
from closed.references.maximal import Maximal
from references.to_pinocchio import random_state

JOINTS = (lp.Fixed, lp.Revolute, lp.Continuous, lp.Prismatic, lp.Helical, lp.Cylindrical, lp.Universal, lp.Planar,
          lp.Translational, lp.Spherical, lp.Free, lp.PointOnLine, lp.PointOnPlane)
"""Those that the reference knows by their geometry."""


@pytest.mark.parametrize("seed", range(2))
def test_maximal_coordinates_of_an_open_tree_are_newton_euler(seed):
    order = np.random.default_rng(seed).permutation(len(JOINTS))
    robot = lp.catalog.random_tree(7, seed, joints=[JOINTS[k] for k in order])
    q, qd, qdd = random_state(robot, np.random.default_rng(seed))
    rng = np.random.default_rng(seed)
    moving = {"base_velocity": rng.normal(size=6), "base_acceleration": rng.normal(size=6)}
    found = Maximal(robot).inverse(q, qd, qdd, range(robot.n), **moving)
    wrenches = ask(robot, "joint_wrenches", q, qd, qdd, **moving)
    size = abs(wrenches.torque).max()
    forces = ask(robot, "inverse_dynamics", q, qd, qdd, **moving)
    np.testing.assert_allclose(found.tau, forces, atol=1e-11 * size)
    np.testing.assert_allclose(found.force, wrenches.force, atol=1e-11 * size)
    np.testing.assert_allclose(found.torque, wrenches.torque, atol=1e-11 * size)
    assert found.determinate.all()
    tau = rng.normal(size=robot.n)
    qdd = ask(robot, "forward_dynamics", q, qd, tau)
    np.testing.assert_allclose(Maximal(robot).forward(q, qd, tau).qdd, qdd, atol=1e-10 * abs(qdd).max())


@pytest.mark.parametrize("name", CATALOG)
def test_forward_dynamics_undoes_inverse_dynamics_and_power_is_balanced(name):
    robot = catalog(name)
    model = reference(robot)
    q, qd, qdd = state(robot, 1)
    assert abs(open_by(model, q)).max() < 1e-12
    assert abs(np.concatenate(model.constraint_rows(q, qd, qdd))).max() < 1e-11
    found = model.inverse(q, qd, qdd, robot.split.driven)
    assert found.residual < 1e-11 * abs(found.force).max()
    assert found.tau @ qd == pytest.approx(model.power(q, qd, qdd), abs=1e-11 * abs(found.tau).max())
    back = model.forward(q, qd, found.tau)
    np.testing.assert_allclose(back.qdd, qdd, atol=1e-9 * max(1.0, abs(qdd).max()))
    np.testing.assert_allclose(back.force, found.force, atol=1e-9 * abs(found.force).max())


@pytest.mark.parametrize("name", PLANE)
def test_the_plane_in_complex_numbers_is_the_plane_of_free_bodies(name):
    robot = catalog(name)
    for seed in (1, 2):
        q, qd, qdd = state(robot, seed)
        found = reference(robot).inverse(q, qd, qdd, robot.split.driven)
        bars = plane.of_robot(robot, q, qd, qdd, robot.driven)
        for k, joint in enumerate(robot.driven):
            drive = found.tau[robot.split.driven[k]]
            assert bars[joint].drive == pytest.approx(drive, abs=1e-12 * max(1, abs(drive)))


def test_stewart_platform_in_closed_form_is_that_of_free_bodies():
    robot, model, place = stewart_case()
    for seed in range(2):
        motion, (q, qd, qdd) = place(seed)
        drives, balls = stewart.inverse_dynamics(model, *motion)
        found = reference(robot).inverse(q, qd, qdd, robot.split.driven)
        np.testing.assert_allclose(found.tau[list(robot.split.driven)], drives, atol=1e-11 * abs(drives).max())
        assert found.determinate.all()
        pose = motion[1]
        for k in range(1, 7):
            force = pose @ found.force[found.names.index(f"ball{k}")]
            np.testing.assert_allclose(force, balls[k - 1], atol=1e-11 * abs(balls).max())


def test_delta_in_closed_form_is_that_of_free_bodies():
    robot, model, place = delta_case()
    for seed in range(2):
        motion, (q, qd, qdd) = place(seed)
        torques, balls = delta.inverse_dynamics(model, *motion)
        found = reference(robot).inverse(q, qd, qdd, robot.split.driven)
        np.testing.assert_allclose(found.tau[list(robot.split.driven)], torques, atol=1e-11 * abs(torques).max())
        for k in range(3):
            for j, letter in enumerate("ab"):
                force = found.force[found.names.index(f"ball{k + 1}{letter}")]
                np.testing.assert_allclose(force, balls[k, j], atol=1e-11 * abs(balls).max())


def test_delta_with_rods_of_no_mass_is_the_textbook_one():
    _, model, place = delta_case()
    light = delta.without_rod_mass(model)
    for seed in range(2):
        motion, _ = place(seed)
        expected = delta.massless_rods(light, *motion)
        torques = delta.inverse_dynamics(light, *motion)[0]
        np.testing.assert_allclose(torques, expected, atol=1e-12 * abs(expected).max())
