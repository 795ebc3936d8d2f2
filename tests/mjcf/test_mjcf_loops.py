"""Equality constraints of MJCF as loops and couplings: MuJoCo's own residuals and Jacobians, and a four-bar by hand."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest
from mjcf_texts import FOUR_BAR

import loadpath as lp
from loadpath.api.robot import as_robot
from loadpath.files.mjcf import read_mjcf

TWO_ARMS = """
<mujoco><compiler angle="radian"/><worldbody>
  <body name="a" pos="0 0 1" euler="0.1 0.2 0.3"><joint name="a" axis="0 1 0"/><geom size="0.1" mass="1" pos="0.2 0 0"/>
    <body name="b" pos="0.4 0 0"><joint name="b" axis="0 0 1"/><geom size="0.1" mass="1" pos="0.2 0 0"/>
      <site name="s" pos="0.1 0.2 0.3" euler="0.5 0.6 0.7"/></body></body>
  <body name="c" pos="1 0 1"><joint name="c" axis="1 0 0" ref="0.3"/><geom size="0.1" mass="1" pos="0 0.2 0"/>
    <site name="t" pos="-0.1 0.3 0" euler="1 0 0.2"/></body>
</worldbody><equality>{}</equality></mujoco>"""
TIES = {
    "connect of bodies": '<connect name="tie" body1="b" body2="c" anchor="0.1 0.2 0.3"/>',
    "connect to the world": '<connect name="tie" body1="b" anchor="0.1 0.2 0.3"/>',
    "connect of sites": '<connect name="tie" site1="s" site2="t"/>',
    "weld of bodies": '<weld name="tie" body1="b" body2="c"/>',
    "weld at a pose": '<weld name="tie" body1="b" body2="c" relpose="0.1 0.2 0.3 0.9 0.1 0.2 0" anchor="0.3 0 0.1"/>',
    "weld of sites": '<weld name="tie" site1="s" site2="t"/>',
    "weld of points": '<weld name="tie" body1="b" body2="c" torquescale="0"/>',
}


@pytest.mark.parametrize("name", TIES)
def test_a_tie_is_as_far_open_as_mujoco_says(name: str) -> None:
    text = TWO_ARMS.format(TIES[name])
    read = read_mjcf(text)
    (loop,) = read.loops
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    tree = as_robot(read.tree)
    rng = np.random.default_rng(3)
    for q in rng.uniform(-1, 1, (3, 3)):
        data.qpos[:] = q
        mujoco.mj_forward(model, data)
        poses = dict(zip(tree.link_names, tree.link_poses(q), strict=True))
        at, on = poses[loop.first] @ loop.at.matrix, poses[loop.second] @ loop.on.matrix
        np.testing.assert_allclose(at[:3, 3] - on[:3, 3], data.efc_pos[:3], atol=1e-12)
        if isinstance(loop.motion, lp.Fixed):
            # MuJoCo's error is the vector part of the quaternion between the two, with a sign and scale of its own.
            turn = on[:3, :3].T @ at[:3, :3]
            sine = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
            vector = sine / (2 * np.sqrt(1 + np.trace(turn)))
            scale = np.linalg.norm(data.efc_pos[3:]) / np.linalg.norm(vector)
            assert scale == pytest.approx(round(scale), abs=1e-9) and scale > 0
        else:
            assert data.nefc == 3 or name == "weld of points"


def closed(text: str, folder: Path) -> lp.ClosedRobot:
    path = folder / "robot.xml"
    path.write_text(text)
    robot = lp.load(path)
    assert isinstance(robot, lp.ClosedRobot)
    return robot


def test_a_four_bar_is_that_of_the_catalog_way(tmp_path: Path) -> None:
    """The same mechanism, once from MJCF and once with `with_loop`; two balls on an axis are its hinge."""
    bar = closed(FOUR_BAR, tmp_path)
    assert bar.loop_names == ("pin",) and isinstance(bar.loops[0].motion, lp.Revolute)
    assert bar.mobility == 1 and bar.driven == ("crank_joint",)
    hinge, at, on = lp.Revolute((0, 1, 0)), (0.36, 0, 0), (0.28, 0, 0)
    own = bar.tree.with_loop("pin", "coupler", "rocker", motion=hinge, at=at, on=on, q=bar.home)
    q, (qd, qdd) = bar.home, bar.complete(bar.home, [2.0], [3.0])
    np.testing.assert_allclose(bar.inverse_dynamics(q, qd, qdd), own.inverse_dynamics(q, qd, qdd), atol=1e-10)
    ours, theirs = bar.joint_wrenches(q, qd, qdd), own.joint_wrenches(q, qd, qdd)
    np.testing.assert_allclose(ours.force, theirs.force, atol=1e-8)


def test_the_drive_of_a_four_bar_by_the_jacobian_of_mujoco(tmp_path: Path) -> None:
    """M qdd + h = tau + J' lambda, with M, h and J of MuJoCo: passive joints give lambda, the driven one its torque."""
    bar = closed(FOUR_BAR, tmp_path)
    q, (qd, qdd) = bar.home, bar.complete(bar.home, [2.0], [3.0])
    model = mujoco.MjModel.from_xml_string(FOUR_BAR)
    model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = q, qd
    mujoco.mj_forward(model, data)
    J = np.array(data.efc_J).reshape(-1, 3)[: data.ne]
    M = np.zeros((3, 3))
    for k in range(3):
        column = np.zeros(3)
        mujoco.mj_mulM(model, data, column, np.eye(3)[k])
        M[:, k] = column
    needed = M @ qdd + data.qfrc_bias
    force = np.linalg.lstsq(J[:, 1:].T, needed[1:], rcond=None)[0]
    np.testing.assert_allclose(J @ qd, 0, atol=1e-9)
    assert bar.inverse_dynamics(q, qd, qdd)[0] == pytest.approx(needed[0] - J[:, 0] @ force, rel=1e-9)


def test_fixed_tendons_are_couplings_that_mujoco_finds_closed(tmp_path: Path) -> None:
    tendons = """</equality><tendon>
      <fixed name="one"><joint joint="a" coef="1"/><joint joint="b" coef="-2"/></fixed>
      <fixed name="two"><joint joint="c" coef="0.5"/></fixed></tendon>
      <equality><tendon name="gears" tendon1="one" tendon2="two" polycoef="0.2 3 0 0 0"/>"""
    text = TWO_ARMS.format(tendons)
    robot = closed(text, tmp_path)
    (coupling,) = robot.couplings
    assert dict(coupling.ratios) == {"a": 1.0, "b": -2.0, "c": -1.5}
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    rng = np.random.default_rng(1)
    for q in rng.uniform(-1, 1, (3, 3)):
        data.qpos[:] = q
        mujoco.mj_forward(model, data)
        ours = sum(ratio * q["abc".index(name)] for name, ratio in coupling.ratios) - coupling.offset
        assert ours == pytest.approx(data.efc_pos[0], abs=1e-14)
    again = read_mjcf(robot.to_mjcf()).couplings[0]
    assert again.ratios == coupling.ratios and again.offset == pytest.approx(coupling.offset, abs=1e-15)


def test_a_joint_that_follows_carries_its_torque_to_the_leader(tmp_path: Path) -> None:
    text = TWO_ARMS.format('<joint joint1="b" joint2="c" polycoef="0.1 -1.5 0 0 0"/>')
    path = tmp_path / "robot.xml"
    path.write_text(text)
    robot = lp.load(path)
    assert robot.dof_names == ("a", "c")
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_EQUALITY)
    data = mujoco.MjData(model)
    T = np.array([[1, 0], [0, -1.5], [0, 1]])
    q, qd, qdd = np.array([0.3, -0.4]), np.array([1.0, 2.0]), np.array([-1.0, 0.5])
    data.qpos[:] = [0.3, 0.1 - 1.5 * (-0.4 - 0.3), -0.4]
    data.qvel[:], data.qacc[:] = T @ qd, T @ qdd
    mujoco.mj_inverse(model, data)
    np.testing.assert_allclose(robot.inverse_dynamics(q, qd, qdd), T.T @ data.qfrc_inverse, rtol=1e-12)


def test_a_coupling_of_joints_that_follow_others() -> None:
    """a - 2 b = 0.5 where b = 3 c + 0.1 (c counts from 0.3): a - 6 c = 0.5 + 2 (0.1 - 0.9)."""
    text = TWO_ARMS.format("""</equality><tendon>
      <fixed name="one"><joint joint="a" coef="1"/><joint joint="b" coef="-2"/></fixed></tendon>
      <equality><tendon name="gears" tendon1="one" polycoef="0.5 0 0 0 0"/>
      <joint joint1="b" joint2="c" polycoef="0.1 3 0 0 0"/>""")
    (coupling,) = read_mjcf(text).couplings
    assert dict(coupling.ratios) == {"a": 1.0, "c": -6.0}
    assert coupling.offset == pytest.approx(0.5 + 2 * (0.1 - 0.9), abs=1e-15)


SITES = """<mujoco><worldbody>
  <body name="a"><joint axis="0 1 0"/><geom size="0.1"/><site name="a1"/><site name="a2" pos="{}"/></body>
  <body name="b" pos="1 0 0"><joint axis="0 1 0"/><geom size="0.1"/><site name="b1"/><site name="b2" pos="{}"/></body>
  </worldbody><equality><connect site1="a1" site2="b1"/><connect site1="a2" site2="b2"/></equality></mujoco>"""


@pytest.mark.parametrize(
    ("on_a", "on_b", "kinds"),
    [
        ("0 0.2 0", "0 0.2 0", ["Revolute"]),
        ("0 0.2 0", "0.12 0.16 0", ["Revolute"]),  # as far apart, in another direction
        ("0 0.2 0", "0 0.3 0", ["Spherical", "Spherical"]),  # farther apart on one body than on the other
        ("0 0 0", "0 0 0", ["Spherical", "Spherical"]),  # in one place
        ("0 0.2 0", "0 0 0", ["Spherical", "Spherical"]),
    ],
)
def test_two_connects_are_a_hinge_only_where_their_points_are_as_far_apart_on_both_bodies(
    on_a: str, on_b: str, kinds: list[str]
) -> None:
    read = read_mjcf(SITES.format(on_a, on_b))
    assert [type(loop.motion).__name__ for loop in read.loops] == kinds
