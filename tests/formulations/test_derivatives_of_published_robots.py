"""Derivatives of humanoids and other published robots against Pinocchio's, second ones against differences of first."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from benchmarks.peers import load, paired, states
from real_robots import REAL_ROBOTS

pytestmark = pytest.mark.slow
ROBOTS = ["g1_description/g1_29dof_rev_1_0", "talos_data/talos_full_v2", "icub_description/icub",
          "xarm_description/xarm7", "tiago_description/tiago", "hyq_description/hyq_no_sensors",
          "kinova_description/kinova"]


@pytest.mark.parametrize("name", ROBOTS)
def test_first_derivatives(name: str) -> None:
    path = REAL_ROBOTS[name]
    robot, model = load(path), pin.buildModelFromUrdf(str(path))
    both = paired(robot, model)
    data, follow = model.createData(), both.follow
    q, qd, qdd = states(robot, 3, seed=2)
    inverse = robot.inverse_dynamics_derivatives(q, qd, qdd)
    tau = robot.inverse_dynamics(q, qd, qdd)
    forward = robot.forward_dynamics_derivatives(q, qd, tau)
    for k in range(len(q)):
        pin.computeRNEADerivatives(model, data, both.coordinates(q[k]), follow @ qd[k], follow @ qdd[k])
        M = np.triu(data.M) + np.triu(data.M, 1).T
        by_q, by_qd, M = (follow.T @ part @ follow for part in (data.dtau_dq, data.dtau_dv, M))
        for found, theirs in ((inverse.q[k], by_q), (inverse.qd[k], by_qd), (inverse.qdd[k], M)):
            np.testing.assert_allclose(found, theirs, rtol=0, atol=1e-12 * np.abs(theirs).max())
        # of the accelerations by the implicit function theorem
        for found, theirs in ((forward.q[k], by_q), (forward.qd[k], by_qd)):
            right = -np.linalg.solve(M, theirs)
            np.testing.assert_allclose(found, right, rtol=0, atol=1e-9 * np.abs(right).max())
        np.testing.assert_allclose(M @ forward.tau[k], np.eye(robot.n), rtol=0, atol=1e-9)


def test_second_derivatives_of_a_humanoid() -> None:
    """Four-point differences of the first ones along random directions."""
    robot = load(REAL_ROBOTS[ROBOTS[0]])
    q, qd, qdd = (array[0] for array in states(robot, 1, seed=3))
    second = robot.inverse_dynamics_second_derivatives(q, qd, qdd).dense()
    rng, step = np.random.default_rng(4), 1e-3
    along = rng.normal(size=(2, robot.n))
    steps = step * np.array([1.0, -1.0, 2.0, -2.0])[:, None]
    weights = np.array([8.0, -8.0, -1.0, 1.0]) / (12 * step)
    by_q = robot.inverse_dynamics_derivatives(q + steps * along[0], qd, qdd)
    by_qd = robot.inverse_dynamics_derivatives(q, qd + steps * along[1], qdd)
    pairs = [
        (np.einsum("ijk,k", second.q_q, along[0]), by_q.q), (np.einsum("ijk,k", second.qd_qd, along[1]), by_qd.qd),
        (np.einsum("ijk,j", second.q_qd, along[0]), by_q.qd), (np.einsum("ijk,j", second.q_qdd, along[0]), by_q.qdd),
    ]
    for found, first in pairs:
        differences = np.tensordot(weights, first, axes=1)
        np.testing.assert_allclose(found, differences, rtol=0, atol=1e-8 * np.abs(differences).max())
