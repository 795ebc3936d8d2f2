"""Stewart platform and delta against their inverse dynamics in closed form, to 1e-10."""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp
from closed.cases import ask
from closed.platforms import delta_case, stewart_case
from closed.references import delta, stewart

TOLERANCE = 1e-10


def test_stewart_platform():
    robot, model, place = stewart_case()
    for seed in range(2):
        motion, (q, qd, qdd) = place(seed)
        drives, balls = stewart.inverse_dynamics(model, *motion)
        tau = ask(robot, "inverse_dynamics", q, qd, qdd)
        size = abs(drives).max()
        np.testing.assert_allclose(tau[list(robot.split.driven)], drives, atol=TOLERANCE * size)
        wrenches = ask(robot, "joint_wrenches", q, qd, qdd)
        for k in range(6):
            force = motion[1] @ wrenches[f"ball{k + 1}"].force
            np.testing.assert_allclose(force, balls[k], atol=TOLERANCE * size)
            assert abs(wrenches[f"ball{k + 1}"].torque).max() < TOLERANCE * size
        assert not ask(robot, "reaction_leverages", q).any()


def test_stewart_platform_that_is_pushed():
    robot, model, place = stewart_case()
    motion, (q, qd, qdd) = place(1)
    force, torque = np.array([100.0, -50, 30]), np.array([5.0, 20, -10])
    drives, _ = stewart.inverse_dynamics(model, *motion, force, torque)
    tau = ask(robot, "inverse_dynamics", q, qd, qdd, external={"platform": lp.Wrench(force=force, torque=torque)})
    np.testing.assert_allclose(tau[list(robot.split.driven)], drives, atol=TOLERANCE * abs(drives).max())


@pytest.mark.slow
def test_stewart_platform_from_its_legs():
    robot, _, place = stewart_case()
    for seed in range(3):
        motion, (q, qd, qdd) = place(seed)
        legs = {f"leg{k}": q[robot.q_slices[f"leg{k}"]][0] for k in range(1, 7)}
        found = robot.assemble(legs, near=robot.home)
        assert found.reached
        platform = robot.link_poses(found.q)[robot.link_names.index("platform")]
        np.testing.assert_allclose(platform[:3, 3], motion[0], atol=1e-10)
        np.testing.assert_allclose(platform[:3, :3], motion[1], atol=1e-10)
        own = {f"leg{k}": robot.dof_names.index(f"leg{k}") for k in range(1, 7)}
        completed = robot.complete(q, {leg: qd[k] for leg, k in own.items()}, {leg: qdd[k] for leg, k in own.items()})
        speeds = robot.link_velocities(q, completed[0])["platform"]
        np.testing.assert_allclose(speeds.linear, motion[2], atol=1e-11)
        np.testing.assert_allclose(speeds.angular, motion[3], atol=1e-11)
        rates = robot.link_accelerations(q, *completed)["platform"]
        np.testing.assert_allclose(rates.linear, motion[4], atol=1e-10)
        np.testing.assert_allclose(rates.angular, motion[5], atol=1e-10)


def test_delta():
    robot, model, place = delta_case()
    for seed in range(2):
        motion, (q, qd, qdd) = place(seed)
        torques, balls = delta.inverse_dynamics(model, *motion)
        tau = ask(robot, "inverse_dynamics", q, qd, qdd)
        size = abs(torques).max()
        np.testing.assert_allclose(tau[list(robot.split.driven)], torques, atol=TOLERANCE * size)
        wrenches = ask(robot, "joint_wrenches", q, qd, qdd)
        for k in range(3):
            for j, letter in enumerate("ab"):
                name = f"ball{k + 1}{letter}"
                np.testing.assert_allclose(wrenches[name].force, balls[k, j], atol=TOLERANCE * abs(balls).max())
        platform = ask(robot, "link_accelerations", q, qd, qdd)["platform"]
        np.testing.assert_allclose(platform.linear, motion[3], atol=1e-10)
        assert abs(platform.angular).max() < 1e-10


@pytest.mark.slow
def test_delta_from_its_arms():
    robot, _, place = delta_case()
    angles, places = [], []
    for seed in range(20):
        motion, _ = place(seed)
        angles.append(motion[0])
        places.append(motion[1])
    angles = np.array(angles)
    found = robot.assemble({f"arm{k + 1}_joint": angles[:, k] for k in range(3)}, near=robot.home)
    assert found.reached.all()
    platforms = robot.link_poses(found.q)[:, robot.link_names.index("platform")]
    np.testing.assert_allclose(platforms[:, :3, 3], places, atol=1e-10)
    np.testing.assert_allclose(platforms[:, :3, :3], np.broadcast_to(np.eye(3), (20, 3, 3)), atol=1e-10)
