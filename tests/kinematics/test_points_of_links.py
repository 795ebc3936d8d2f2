"""Jacobians of points of links, `point=`: against Pinocchio, differences of positions, and the mass matrix."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

import loadpath as lp
from references.to_pinocchio import random_state, to_pinocchio

ROBOT = lp.catalog.random_tree(4, 7, ["universal", "prismatic", "spherical", "revolute"], general=True)
POINTS = np.random.default_rng(2).normal(size=(3, 3))


def states() -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(1)
    return tuple(np.array(part) for part in zip(*(random_state(ROBOT, rng) for _ in range(3)), strict=True))


def test_against_pinocchio() -> None:
    q, qd, _ = states()
    peer, kind = to_pinocchio(ROBOT), pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    for link in ROBOT.link_names[1:]:
        found = ROBOT.jacobian.uncompiled(q, link, point=POINTS)
        for k, point in enumerate(POINTS):
            at = peer.offset_of[link] * pin.SE3(np.eye(3), point)
            frame = peer.model.addFrame(pin.Frame(f"{link}{k}", peer.body_of[link], 0, at, pin.FrameType.OP_FRAME))
            data = peer.model.createData()
            pin.computeJointJacobiansTimeVariation(peer.model, data, peer.q(q[k]), peer.v(qd[k]))
            J = pin.computeFrameJacobian(peer.model, data, peer.q(q[k]), frame, kind) @ peer.speeds
            np.testing.assert_allclose(found[k], J, rtol=0, atol=1e-12)
    assert not ROBOT.jacobian.uncompiled(q, ROBOT.link_names[0], point=POINTS).any()  # the base stands


def test_it_is_the_slope_of_the_point_and_its_rate_that_of_the_jacobian() -> None:
    q, qd, _ = states()
    link, h = ROBOT.link_names[-1], 1e-6

    def place(at: np.ndarray) -> np.ndarray:
        pose = ROBOT.link_poses.uncompiled(at)[:, -1]
        return pose[:, :3, 3] + np.einsum("kij,kj->ki", pose[:, :3, :3], POINTS)

    ahead, back = (ROBOT.integrate.uncompiled(q, sign * h * qd) for sign in (1, -1))
    speed = np.einsum("kij,kj->ki", ROBOT.jacobian.uncompiled(q, link, point=POINTS), qd)[:, :3]
    np.testing.assert_allclose(speed, (place(ahead) - place(back)) / (2 * h), atol=1e-8)
    slope = ROBOT.jacobian.uncompiled(ahead, link, point=POINTS) - ROBOT.jacobian.uncompiled(back, link, point=POINTS)
    np.testing.assert_allclose(ROBOT.jacobian_dot(q, qd, link, point=POINTS), slope / (2 * h), atol=1e-7)


def test_velocities_of_mass_centers_give_the_mass_matrix() -> None:
    """Course notes, (35) to (41): M is the sum of m Jv'Jv + Jw'I Jw."""
    q = states()[0]
    M = np.zeros((3, ROBOT.n, ROBOT.n))
    poses = ROBOT.link_poses.uncompiled(q)
    for k, link in enumerate(ROBOT.links):
        J = ROBOT.jacobian.uncompiled(q, link.name, point=link.inertia.center_of_mass)
        R = poses[:, k, :3, :3]
        tensor = R @ np.array(link.inertia.tensor) @ R.transpose(0, 2, 1)
        M += link.inertia.mass * J[:, :3].transpose(0, 2, 1) @ J[:, :3]
        M += J[:, 3:].transpose(0, 2, 1) @ tensor @ J[:, 3:]
    expected = ROBOT.without_rotors().mass_matrix.uncompiled(q)
    np.testing.assert_allclose(M, expected, rtol=0, atol=1e-12 * np.abs(M).max())


def test_what_else_takes_a_point() -> None:
    q = states()[0]
    link = ROBOT.link_names[-1]
    J = ROBOT.jacobian.uncompiled(q, link, point=POINTS)
    expected = J @ np.linalg.solve(ROBOT.mass_matrix.uncompiled(q), J.transpose(0, 2, 1))
    found = ROBOT.operational_space_mobility.uncompiled(q, link, point=POINTS)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9 * np.abs(expected).max())
    free = ROBOT.generalized_jacobian.uncompiled(q, link, point=POINTS)
    at_origin = ROBOT.generalized_jacobian.uncompiled(q, link)
    arm = np.einsum("kij,kj->ki", ROBOT.link_poses.uncompiled(q)[:, -1, :3, :3], POINTS)
    moved = at_origin[:, :3] + np.cross(at_origin[:, 3:].transpose(0, 2, 1), arm[:, None]).transpose(0, 2, 1)
    np.testing.assert_allclose(free[:, :3], moved, atol=1e-12)
    np.testing.assert_allclose(free[:, 3:], at_origin[:, 3:], atol=1e-12)


def test_of_a_closed_robot() -> None:
    """A point of the coupler: per unit of the crank's speed, the other joints following."""
    bar = lp.catalog.four_bar()
    point = (0.1, 0.2, 0.3)
    J = bar.jacobian.uncompiled(bar.home, "coupler", point=point)
    found = bar.driven_jacobian.uncompiled(bar.home, "coupler", point=point)
    np.testing.assert_allclose(found, J @ bar.complement.uncompiled(bar.home), atol=1e-12)
    assert not np.allclose(found, bar.driven_jacobian.uncompiled(bar.home, "coupler"))


def test_points_broadcast_and_keep_their_kind() -> None:
    arm = lp.catalog.planar(2)
    q = np.zeros((4, 1, 2))
    found = arm.jacobian(q, "link2", point=POINTS)
    assert found.shape == (4, 3, 6, 2)
    np.testing.assert_array_equal(found[2, 1], arm.jacobian(q[2, 0], "link2", point=POINTS[1]))
    single = arm.jacobian(q.astype(np.float32), "link2", point=POINTS.astype(np.float32))
    assert single.dtype == np.float32
    broken = POINTS.copy()
    broken[1, 0] = np.nan
    some = arm.jacobian(q[0], "link2", point=broken)
    assert np.isnan(some[1]).any()
    np.testing.assert_array_equal(some[[0, 2]], found[0, [0, 2]])
    with pytest.raises(ValueError, match=r"'point' has the shape \(2,\): expected \(\.\.\., 3\)"):
        arm.jacobian([0, 0], "link2", point=(1, 2))
    with pytest.raises(TypeError, match="mass_matrix takes no 'point'; jacobian, "):
        arm.mass_matrix([0, 0], point=(1, 2, 3))
