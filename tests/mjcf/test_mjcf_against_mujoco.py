"""Robots from MJCF against MuJoCo's own model of the text: poses, mass properties, torques, mass matrix, reactions."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from against_mujoco import Beside
from mjcf_texts import SEVERAL_JOINTS, TREES

import loadpath as lp
from loadpath.api.robot import as_robot
from loadpath.files.mjcf import read_mjcf


@pytest.mark.parametrize("name", TREES)
def test_a_tree_moves_and_is_loaded_as_in_mujoco(name: str) -> None:
    tree = read_mjcf(TREES[name]).tree
    found = Beside(tree, mujoco.MjModel.from_xml_string(TREES[name])).differences(np.random.default_rng(1), 3)
    assert found.largest < 1e-12, found


def test_the_compiled_functions_too() -> None:
    robot = as_robot(read_mjcf(SEVERAL_JOINTS).tree)
    beside = Beside(robot, mujoco.MjModel.from_xml_string(SEVERAL_JOINTS))
    q, qd, qdd = beside.state(np.random.default_rng(2))
    mujoco.mj_inverse(beside.model, beside.data)
    expected = beside.speeds().T @ beside.data.qfrc_inverse
    np.testing.assert_allclose(robot.inverse_dynamics(q, qd, qdd), expected, rtol=0, atol=1e-11 * abs(expected).max())


def test_dry_friction_is_that_of_mujoco() -> None:
    """In a steady motion MuJoCo's friction loss is a constant force against the speed; ours adds it to the drive."""
    text = """<mujoco><option timestep="0.001"/><worldbody><body><joint name="j" axis="0 0 1" frictionloss="0.7"/>
              <geom size="0.1" mass="2"/></body></worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qvel[:] = 2.0
    mujoco.mj_forward(model, data)
    arm = as_robot(read_mjcf(text).tree)
    needed = arm.inverse_dynamics([0.0], [2.0], [0.0])[0]
    assert needed == pytest.approx(0.7, abs=1e-12)
    assert data.qfrc_constraint[0] == pytest.approx(-needed, rel=1e-6)


def test_a_switch_in_the_file_switches_off_here_too() -> None:
    option = """<option><flag gravity="disable" spring="disable" damper="disable" frictionloss="disable"/></option>"""
    text = TREES["arm"].replace('<option gravity="0.3 -0.2 -9.7"/>', option)
    if "spring" not in {word.lower().removeprefix("mjdsbl_") for word in dir(mujoco.mjtDisableBit)}:
        text = text.replace('spring="disable" damper="disable"', 'passive="disable"')
    tree = read_mjcf(text).tree
    assert tree.gravity == (0.0, 0.0, 0.0)
    for joint in tree.joints:
        assert not any(joint.viscous_friction) and not any(joint.coulomb_friction) and not any(joint.springs)
    assert Beside(tree, mujoco.MjModel.from_xml_string(text)).differences(np.random.default_rng(4)).largest < 1e-12


@pytest.mark.skipif(not hasattr(mujoco.MjModel, "actuator_armature"), reason="this MuJoCo has no armature of actuators")
def test_armature_and_damping_of_actuators_count_at_their_joints() -> None:
    text = """<mujoco><worldbody><body name="b"><joint name="j" armature="1" damping="2"/><geom size=".1"/></body>
              </worldbody><actuator><motor joint="j" gear="3" armature="0.5" damping="0.25"/></actuator></mujoco>"""
    tree = read_mjcf(text).tree
    assert tree.joint("j").armature == (1 + 9 * 0.5,) and tree.joint("j").viscous_friction == (2 + 9 * 0.25,)
    assert Beside(tree, mujoco.MjModel.from_xml_string(text)).differences(np.random.default_rng(4)).largest < 1e-12


@pytest.mark.filterwarnings("ignore::loadpath.ModelWarning")  # coordinates in other axes
def test_every_joint_that_is_written_means_the_same_to_mujoco() -> None:
    rng = np.random.default_rng(5)
    for seed in range(3):
        text = lp.catalog.random_tree(9, seed, "all", general=True).to_mjcf()
        tree = read_mjcf(text).tree
        assert Beside(tree, mujoco.MjModel.from_xml_string(text)).differences(rng, 1).largest < 1e-11
