"""Wrenches moved to other points and other axes: what they do to a body must not change."""

from __future__ import annotations

import dask.array as da
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import Rotation

import loadpath as lp


def random_wrench(rng: np.random.Generator, *batch: int) -> lp.Wrench:
    force, torque, point = rng.normal(size=(3, *batch, 3))
    return lp.Wrench(force, torque, point=point)


def random_pose(rng: np.random.Generator, *batch: int) -> np.ndarray:
    pose = np.zeros((*batch, 4, 4))
    count = int(np.prod(batch))
    pose[..., :3, :3] = Rotation.random(count, random_state=rng).as_matrix().reshape(*batch, 3, 3)
    pose[..., :3, 3] = rng.normal(size=(*batch, 3))
    pose[..., 3, 3] = 1.0
    return pose


def test_a_lever_by_hand() -> None:
    """50 N down at 2 m along x: 100 N m about y at the origin, and no torque at the point itself."""
    weight = lp.Wrench(force=(0, 0, -50), point=(2, 0, 0))
    assert_array_equal(weight.at((0, 0, 0)).torque, [0, 100, 0])
    assert_array_equal(weight.at((0, 0, 0)).at((2, 0, 0)).torque, [0, 0, 0])
    assert_array_equal(weight.at((2, 0, 7)).torque, [0, 0, 0])  # along its own line nothing changes
    assert_array_equal(weight.at((1, 0, 0)).point, [1, 0, 0])


@given(st.integers(0, 10_000))
def test_power_does_not_depend_on_point_and_axes(seed: int) -> None:
    """A rigid body gets the same power from a wrench, wherever it is told."""
    rng = np.random.default_rng(seed)
    wrench, pose, to = random_wrench(rng, 4), random_pose(rng, 4), rng.normal(size=3)
    v, omega = rng.normal(size=(2, 3))  # of the frame's origin

    def power(of: lp.Wrench) -> np.ndarray:
        return of.power(v + np.cross(omega, of.point), omega)

    expected = power(wrench)
    assert_allclose(power(wrench.at(to)), expected, rtol=1e-12, atol=1e-12)
    there = wrench.in_frame(pose)
    back = np.swapaxes(pose[:, :3, :3], -1, -2)
    turned_omega = np.einsum("kij,j->ki", back, omega)
    origin = np.einsum("kij,kj->ki", back, v + np.cross(omega, pose[:, :3, 3]))
    found = there.power(origin + np.cross(turned_omega, there.point), turned_omega)
    assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_there_and_back_again() -> None:
    rng = np.random.default_rng(3)
    wrench, pose = random_wrench(rng, 5), random_pose(rng, 5)
    back = wrench.in_frame(pose, axes="link").in_frame(np.linalg.inv(pose), axes="world")
    for part in ("force", "torque", "point"):
        assert_allclose(getattr(back, part), getattr(wrench, part), atol=1e-13)
    assert back.axes == "world"


def test_poses_of_all_kinds() -> None:
    rng = np.random.default_rng(4)
    wrench, matrix = random_wrench(rng), random_pose(rng)
    by_matrix = wrench.in_frame(matrix)
    by_pose = wrench.in_frame(lp.Pose.from_matrix(matrix))
    assert_allclose(by_pose.torque, by_matrix.torque, rtol=1e-14)
    assert_allclose(by_pose.point, by_matrix.point, rtol=1e-14)
    turned = wrench.in_frame(matrix[:3, :3])
    assert_allclose(turned.force, by_matrix.force, rtol=1e-14)
    assert_allclose(turned.point, matrix[:3, :3].T @ wrench.point, rtol=1e-14)


def test_a_joint_wrench_in_the_world_balances_the_weight() -> None:
    """From joint axes into the world by the pose of the joint frame: it holds everything beyond it."""
    robot = lp.catalog.panda()
    rng = np.random.default_rng(5)
    q = rng.uniform(-1, 1, (3, 7))
    wrench = robot.static_wrenches(q)["panda_joint3"]
    frames = robot.link_poses(q)[..., robot.link_names.index("panda_link3"), :, :]  # Panda's links are in joint frames
    in_world = wrench.in_frame(np.linalg.inv(frames), axes="world")
    beyond = robot.links[3:]
    mass = sum(link.inertia.mass for link in beyond)
    assert_allclose(in_world.force, np.broadcast_to([0, 0, mass * 9.81], (3, 3)), atol=1e-12)
    assert_allclose(in_world.point, frames[:, :3, 3], atol=1e-12)
    # About the world's origin, it is the moment of the weights.
    poses = robot.link_poses(q)[..., 3:, :, :]
    centers = np.array([[*link.inertia.center_of_mass, 1.0] for link in beyond])
    places = np.einsum("klij,lj->kli", poses, centers)[..., :3]
    weights = np.array([[0, 0, 9.81 * link.inertia.mass] for link in beyond])
    assert_allclose(in_world.at((0, 0, 0)).torque, np.cross(places, weights).sum(axis=-2), atol=1e-11)


def test_sums() -> None:
    rng = np.random.default_rng(6)
    one, two = random_wrench(rng), random_wrench(rng)
    here = np.array([0.1, 0.2, 0.3])
    total = one.at(here) + two.at(here)
    assert_allclose(total.torque, one.at(here).torque + two.at(here).torque)
    assert_array_equal(total.point, here)
    nothing = total - one.at(here) - two.at(here)
    assert_allclose(nothing.force, 0, atol=1e-15)
    assert_allclose((-one).force, -one.force)
    assert_array_equal((-one).point, one.point)


def test_what_cannot_be_added_is_said() -> None:
    one = lp.Wrench(force=(1, 0, 0))
    with pytest.raises(ValueError, match="different points: bring one of them to the other's with `at`"):
        _ = one + lp.Wrench(force=(1, 0, 0), point=(0, 0, 1))
    with pytest.raises(ValueError, match="'world', the other in 'link'"):
        _ = one + lp.Wrench(force=(1, 0, 0), axes="link")
    with pytest.raises(TypeError):
        _ = one + 1.0  # type: ignore[operator]
    with pytest.raises(TypeError):
        _ = one - (1, 2, 3)  # type: ignore[operator]


MIRRORED, STRETCHED, TALL = np.diag([1.0, 1, -1]), np.diag([1.0, 1, 1.001]), np.eye(4)
TALL[3, 0] = 0.5


@pytest.mark.parametrize(
    ("pose", "message"),
    [
        (MIRRORED, "not right-handed: det R = -1"),
        (STRETCHED, "not orthogonal: R R\\^T differs from 1 by 0.002"),
        (np.stack([np.eye(3), STRETCHED]), r"pose \(1,\): its rotation is not orthogonal"),
        (TALL, "expected 0 0 0 1 as the last row"),
        (np.eye(2), r"pose has the shape \(2, 2\)"),
        ([["a"]], "pose has the shape"),
        (np.eye(3) * 1j, "dtype complex128"),
    ],
)
def test_what_is_no_pose_is_said(pose: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        lp.Wrench(force=(1, 2, 3)).in_frame(pose)


def test_bad_parts_are_named() -> None:
    with pytest.raises(ValueError, match="point of a wrench has the shape"):
        lp.Wrench(force=(1, 2, 3), point=(1, 2))
    with pytest.raises(ValueError, match=r"force, torque and point .* \(2, 3\), \(3,\), \(5, 3\), which do not go"):
        lp.Wrench(np.zeros((2, 3)), point=np.zeros((5, 3)))
    with pytest.raises(ValueError, match="axes of a wrench are 'here'"):
        lp.Wrench(force=(1, 2, 3)).in_frame(np.eye(3), axes="here")  # type: ignore[arg-type]


def test_a_nan_stays_in_its_row() -> None:
    poses = np.stack([np.eye(4)] * 3)
    poses[1, 0, 0] = np.nan
    force = lp.Wrench(force=(1, 2, 3)).in_frame(poses).force
    assert np.isnan(force[1]).any()
    assert_array_equal(force[[0, 2]], [[1, 2, 3]] * 2)


def test_dask_arrays_stay_lazy() -> None:
    rng = np.random.default_rng(8)
    wrench, pose = random_wrench(rng, 6), random_pose(rng)
    lazy = lp.Wrench(da.from_array(wrench.force, chunks=(2, 3)), da.from_array(wrench.torque, chunks=(3, 3)))
    found = lazy.at((1, 2, 3)).in_frame(pose)
    assert isinstance(found.torque, da.Array)
    plain = lp.Wrench(wrench.force, wrench.torque).at((1, 2, 3)).in_frame(pose)
    assert_allclose(found.torque.compute(), plain.torque, atol=1e-14)


# As an external wrench on a robot


@pytest.mark.parametrize("axes", ["world", "link"])
def test_an_external_wrench_acts_where_it_acts(axes: str) -> None:
    robot = lp.catalog.random_chain(3, 12, general=True)
    q, still = [0.3, -0.5, 0.2], [0, 0, 0]
    force, torque, point = np.random.default_rng(2).normal(size=(3, 3))
    off_origin = lp.Wrench(force, torque, axes, point)
    at_origin = lp.Wrench(force, torque + np.cross(point, force), axes)
    found = robot.inverse_dynamics(q, still, still, external={"link3": off_origin})
    assert_allclose(found, robot.inverse_dynamics(q, still, still, external={"link3": at_origin}), rtol=1e-13)
    plain = robot.inverse_dynamics(q, still, still, external={"link3": lp.Wrench(force, torque, axes)})
    assert abs(found - plain).max() > 1e-3


def test_axes_that_only_the_caller_knows_are_refused() -> None:
    arm = lp.catalog.two_link()
    wrench = lp.Wrench(force=(1, 2, 3)).in_frame(np.eye(3))
    with pytest.raises(ValueError, match="'tip' has the axes 'other': expected 'world' or 'link'"):
        arm.inverse_dynamics([0, 0], [0, 0], [0, 0], external={"tip": wrench})


def test_a_wrench_keeps_its_numbers_when_the_array_it_was_made_from_is_used_again() -> None:
    force, cases = np.zeros(3), []
    for k in range(3):
        force[2] = -10.0 * k
        cases.append(lp.Wrench(force=force, torque=force, point=force))
    assert [case.force[2] for case in cases] == [0.0, -10.0, -20.0]
    assert [case.torque[2] for case in cases] == [0.0, -10.0, -20.0]
    assert [case.point[2] for case in cases] == [0.0, -10.0, -20.0]
