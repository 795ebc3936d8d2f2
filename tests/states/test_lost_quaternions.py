"""A quaternion of zeros says no direction: every way in refuses it by joint and row, NaN stays NaN in its own row, and
any other length is as good as one.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import loadpath as lp


@pytest.fixture(scope="module")
def robot() -> lp.Robot:
    links = (lp.Link("base"), lp.Link("arm", lp.Inertia.box((1, 2, 3), mass=2, pose=(0.5, 0, 0.1))),
             lp.Link("hand", lp.Inertia.box((1, 1, 2), mass=1, pose=(0.1, 0.2, 0))))
    joints = (lp.Joint("hinge", "base", "arm", lp.Revolute((0, 1, 0))),
              lp.Joint("wrist", "arm", "hand", lp.Spherical(), (1, 0, 0)))
    return lp.Robot("ball arm", links, joints)


def states(robot: lp.Robot, *lost: int, value: float = 0.0, dtype: str = "f8") -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(4)
    q = np.tile(robot.neutral(), (4, 1)) + 0.2 * rng.normal(size=(4, robot.nq))
    q[list(lost), 1:5] = value
    return tuple(array.astype(dtype) for array in (q, rng.normal(size=(4, robot.n)), rng.normal(size=(4, robot.n))))


CALLS: dict[str, Callable[[lp.Robot, Any, Any, Any], Any]] = {
    "array": lambda robot, q, qd, qdd: robot.inverse_dynamics(q, qd, qdd),
    "lists": lambda robot, q, qd, qdd: robot.inverse_dynamics(q.tolist(), qd.tolist(), qdd.tolist()),
    "keywords": lambda robot, q, qd, qdd: robot.inverse_dynamics(q=q, qd=qd, qdd=qdd),
    "formulation": lambda robot, q, qd, qdd: robot.inverse_dynamics(q, qd, qdd, formulation="luh"),
    "forward dynamics": lambda robot, q, qd, qdd: robot.forward_dynamics(q, qd, qdd),
    "matrix": lambda robot, q, qd, qdd: robot.mass_matrix(q),
    "poses": lambda robot, q, qd, qdd: robot.link_poses(q),
    "integrate": lambda robot, q, qd, qdd: robot.integrate(q, qd),
    "loads": lambda robot, q, qd, qdd: robot.joint_wrenches(q, qd, qdd),
    "breakdown": lambda robot, q, qd, qdd: robot.load_breakdown(q, qd, qdd),
    "identify": lambda robot, q, qd, qdd: lp.identify(robot, q, qd, qdd, qdd),
    "excitation": lambda robot, q, qd, qdd: lp.excitation(robot, q=q, qd=qd, qdd=qdd),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_zero_quaternion_is_refused_by_joint_and_row(robot: lp.Robot, call: str) -> None:
    words = r"the quaternion of joint 'wrist' in 'q' is zero, at state 2: expected x, y, z, w"
    with warnings.catch_warnings(action="error"), pytest.raises(ValueError, match=words):
        CALLS[call](robot, *states(robot, 2))


@pytest.mark.parametrize("value", [0.0, 1e-200])
def test_one_state_the_short_way(robot: lp.Robot, value: float) -> None:
    q, qd, qdd = states(robot, 2, value=value)
    robot.inverse_dynamics(q[0], qd[0], qdd[0])  # from here on without a Python frame
    with pytest.raises(ValueError, match="inverse_dynamics: the quaternion of joint 'wrist' in 'q' is zero: expected"):
        robot.inverse_dynamics(q[2], qd[2], qdd[2])
    strided = np.repeat(q[2], 2)[::2]
    with pytest.raises(ValueError, match="is zero"):
        robot.inverse_dynamics(strided, qd[2], qdd[2])


@pytest.mark.parametrize("length", [1e-160, 1e-155, 1e155, 1e300])
def test_lengths_whose_square_is_lost(robot: lp.Robot, length: float) -> None:
    """They gave NaN, or without a word the forces of no rotation."""
    q, qd, qdd = states(robot)
    robot.inverse_dynamics(q[0], qd[0], qdd[0])
    q[2, 1:5] *= length / np.linalg.norm(q[2, 1:5])
    words = rf"the quaternion of joint 'wrist' in 'q' has the length {length:.2g}".replace("+", r"\+")
    with warnings.catch_warnings(action="error"):
        with pytest.raises(ValueError, match=words + ": expected"):
            robot.inverse_dynamics(q[2], qd[2], qdd[2])
        with pytest.raises(ValueError, match=words + ", at state 2"):
            robot.inverse_dynamics(q, qd, qdd)
        with pytest.raises(ValueError, match=words):
            robot.link_poses(q[2])


def test_infinite_stays_in_its_row(robot: lp.Robot) -> None:
    plain = robot.inverse_dynamics(*states(robot))
    q, qd, qdd = states(robot, 1, value=np.inf)
    with np.errstate(all="ignore"):
        found = robot.inverse_dynamics(q, qd, qdd)
    np.testing.assert_array_equal(found[[0, 2, 3]], plain[[0, 2, 3]])
    assert np.isnan(found[1]).any()


def test_single_precision(robot: lp.Robot) -> None:
    with pytest.raises(ValueError, match="at state 1"):
        robot.inverse_dynamics(*states(robot, 1, dtype="f4"))
    with pytest.raises(ValueError, match="at state 1"):
        robot.inverse_dynamics(*states(robot, 1, value=1e-30, dtype="f4"))
    for value in (1e-20, 1e20):  # their squares are beyond the numbers there are
        with pytest.raises(ValueError, match=r"has the length 2e.20, at state 1"):
            robot.gravity_forces(states(robot, 1, value=value, dtype="f4")[0])


def test_nan_stays_in_its_row(robot: lp.Robot) -> None:
    plain = robot.inverse_dynamics(*states(robot))
    q, qd, qdd = states(robot, 1, value=np.nan)
    found = robot.inverse_dynamics(q, qd, qdd)
    assert np.isnan(found[1]).any()
    np.testing.assert_array_equal(found[[0, 2, 3]], plain[[0, 2, 3]])
    assert np.isnan(robot.inverse_dynamics(q[1], qd[1], qdd[1])).any()


@pytest.mark.parametrize("length", [1e-6, 3.0, 1e6])
def test_any_other_length_is_as_good_as_one(robot: lp.Robot, length: float) -> None:
    q, qd, qdd = states(robot)
    longer = q.copy()
    longer[:, 1:5] *= length
    np.testing.assert_allclose(robot.inverse_dynamics(longer, qd, qdd), robot.inverse_dynamics(q, qd, qdd), rtol=1e-9)
    turned = q.copy()
    turned[:, 1:5] = [0.6, 0.0, 0.8, 0.0]  # half a turn: w is zero, the quaternion is not
    assert np.isfinite(robot.inverse_dynamics(turned, qd, qdd)).all()


def test_where_quaternions_begin() -> None:
    assert lp.catalog.panda().quaternion_starts == {}
    flying = lp.catalog.panda().floating()
    assert flying.quaternion_starts == {"floating_base": 3}
    q = np.stack([flying.neutral(), flying.neutral()])
    q[1, 3:7] = 0
    with pytest.raises(ValueError, match="joint 'floating_base' in 'q' is zero, at state 1"):
        flying.mass_matrix(q)
