"""Joint wrenches of real robots against what the peers compute, each from the same text of the robot by its own reader.

| peer | what | told |
|---|---|---|
| Pinocchio | `data.f` after `rnea` | at the joint, in the child's joint frame |
| MuJoCo | `cfrc_int` after `mj_rnePostConstraint` | about the mass center of the tree, in world axes; torque first |
| Drake | the port `reaction_forces` | at the joint, in the child's joint frame |

All are by the parent on the child. Drake is in the extra `peers`, and its tests are skipped without it.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import loadpath as lp
from loadpath.formulations import newton_euler
from loadpath.robot.reduction import reduced, reframed
from on_scalars import entries, on_arrays
from real_robots import REAL_ROBOTS, REFUSED
from references.bare_urdf import bare_urdf
from references.to_pinocchio import random_state

TOLERANCE = 1e-10
STATES = 2
COMPILED = {"panda_description/panda", "ur_description/ur5_robot", "kinova_description/kinova", "solo_description/solo"}
NAMES = sorted(REAL_ROBOTS.keys() - REFUSED.keys())
PEERS_NAMES = [
    "panda_description/panda",
    "ur_description/ur5_robot",
    "ur_description/ur10_robot",
    "kinova_description/kinova",
    "xarm_description/xarm7",
    "z1_description/z1",
    "so_arm_description/so100",
    "talos_data/talos_left_arm",
    "talos_data/talos_reduced",
    "go2_description/go2",
    "solo_description/solo",
    "solo_description/solo12",
    "bolt_description/bolt",
    "g1_description/g1_29dof_rev_1_0",
    "centauro_description/centauro",
    "simple_humanoid_description/simple_humanoid",
    "double_pendulum_description/double_pendulum_continuous",
]
"""What MuJoCo and Drake accept too."""


def load(name: str, folder: Path) -> tuple[lp.Robot, Path]:
    path = folder / "robot.urdf"
    path.write_text(bare_urdf(REAL_ROBOTS[name]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lp.ModelWarning)
        return lp.load(path), path


def ours(name: str, robot: lp.Robot, state: tuple[np.ndarray, ...]) -> np.ndarray:
    """(joints, 6), force first: compiled for a few, by the same equations for the others."""
    if name in COMPILED:
        found = robot.joint_wrenches(*state)
        return np.concatenate([found.force, found.torque], axis=-1)
    return np.concatenate(on_arrays(newton_euler.joint_wrenches, reframed(robot), *state), axis=-1)


def random_states(robot: lp.Robot) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(8)
    return [random_state(robot, rng) for _ in range(STATES)]


def assert_near(found: np.ndarray, expected: np.ndarray) -> None:
    size = max(float(np.abs(expected).max()), 1e-3)
    np.testing.assert_allclose(found, expected, rtol=0, atol=TOLERANCE * size)


# Pinocchio, by its own reader of URDF; it has no fixed joints


def to_peer(robot: lp.Robot, model: Any, state: tuple[np.ndarray, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Our state in Pinocchio's order."""
    q, v, a = np.zeros(model.nq), np.zeros(model.nv), np.zeros(model.nv)
    for joint in robot.joints:
        if joint.motion.dof:
            peer = model.joints[model.getJointId(joint.name)]
            [value], k = state[0][robot.q_slices[joint.name]], robot.v_slices[joint.name].start
            turning = (np.cos(value), np.sin(value))  # how it tells the angle of a joint without end
            q[peer.idx_q : peer.idx_q + peer.nq] = value if peer.nq == 1 else turning
            v[peer.idx_v], a[peer.idx_v] = state[1][k], state[2][k]
    return q, v, a


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if k % 2 else []) for k, name in enumerate(NAMES)]
)
def test_pinocchio(name: str, tmp_path: Path) -> None:
    pin = pytest.importorskip("pinocchio")
    robot, path = load(name, tmp_path)
    model = pin.buildModelFromUrdf(str(path))
    data = model.createData()
    moving = [joint for joint in robot.joints if joint.motion.dof]
    assert {joint.name for joint in moving} == set(model.names) - {"universe"}
    for state in random_states(robot):
        pin.rnea(model, data, *to_peer(robot, model, state))
        expected = [data.f[model.getJointId(joint.name)].vector for joint in moving]
        found = ours(name, robot, state)[[robot.joint_names.index(joint.name) for joint in moving]]
        if moving:
            assert_near(found, np.array(expected))


@pytest.mark.parametrize("name", PEERS_NAMES)
def test_pinocchio_on_a_moving_base(name: str, tmp_path: Path) -> None:
    """Its base on a free joint that moves as ours does: the wrench on the base, and those at the joints."""
    pin = pytest.importorskip("pinocchio")
    robot, path = load(name, tmp_path)
    model = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    data = model.createData()
    moving = [joint for joint in robot.joints if joint.motion.dof]
    velocity, acceleration = np.random.default_rng(9).normal(size=(2, 6))
    motion = {"base_velocity": entries(velocity), "base_acceleration": entries(acceleration)}
    for state in random_states(robot):
        q, v, a = to_peer(robot, model, state)
        q[6], v[:6], a[:6] = 1.0, velocity, acceleration
        a[:3] -= np.cross(velocity[3:], velocity[:3])  # rates of components in turning axes
        pin.rnea(model, data, q, v, a)
        expected = [data.f[model.getJointId(joint.name)].vector for joint in moving]
        found = np.concatenate(on_arrays(newton_euler.joint_wrenches, reframed(robot), *state, **motion), axis=-1)
        assert_near(found[[robot.joint_names.index(joint.name) for joint in moving]], np.array(expected))
        # The free joint carries the root link: its wrench is the one on the base.
        on_base = np.concatenate(on_arrays(newton_euler.base_wrench, reduced(robot), *state, **motion))
        assert_near(on_base, data.f[1].vector)


# MuJoCo, fixed joints too

_MUJOCO_OPTIONS = '<mujoco><compiler fusestatic="false" inertiafromgeom="false" balanceinertia="false"/></mujoco>'


@pytest.mark.parametrize("name", PEERS_NAMES)
def test_mujoco(name: str, tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    robot, _ = load(name, tmp_path)
    model = mujoco.MjModel.from_xml_string(bare_urdf(REAL_ROBOTS[name], before=_MUJOCO_OPTIONS))
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)  # joint limits
    data = mujoco.MjData(model)
    for state in random_states(robot):
        for joint in robot.joints:
            if joint.motion.dof:
                peer = model.joint(joint.name)
                k = robot.v_slices[joint.name].start
                data.qpos[peer.qposadr[0]] = state[0][robot.q_slices[joint.name].start]
                data.qvel[peer.dofadr[0]], data.qacc[peer.dofadr[0]] = state[1][k], state[2][k]
        mujoco.mj_inverse(model, data)
        mujoco.mj_rnePostConstraint(model, data)
        expected = []
        for joint in robot.joints:
            body = model.body(joint.child).id
            torque, force = data.cfrc_int[body, :3], data.cfrc_int[body, 3:]
            axes, arm = data.xmat[body].reshape(3, 3), data.subtree_com[model.body_rootid[body]] - data.xpos[body]
            expected.append([*(axes.T @ force), *(axes.T @ (torque + np.cross(arm, force)))])
        assert_near(ours(name, robot, state), np.array(expected))


# Drake, fixed joints too


# Its feet have inertia without mass, for which Drake puts in a body of its own choice, with a warning.
DRAKE_NAMES = [name for name in PEERS_NAMES if name != "bolt_description/bolt"]


@pytest.mark.parametrize("name", DRAKE_NAMES)
def test_drake(name: str, tmp_path: Path) -> None:
    pytest.importorskip("pydrake")
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import MultibodyForces

    robot, path = load(name, tmp_path)
    plant = MultibodyPlant(0.0)
    Parser(plant).AddModels(str(path))
    if robot.base.name != "world":  # a link of this name is its world already
        plant.WeldFrames(plant.world_frame(), plant.GetFrameByName(robot.base.name))
    plant.mutable_gravity_field().set_gravity_vector(np.array(robot.gravity))
    plant.Finalize()
    context = plant.CreateDefaultContext()
    for state in random_states(robot):
        q, v, a = np.zeros(plant.num_positions()), np.zeros(plant.num_velocities()), np.zeros(plant.num_velocities())
        for joint in robot.joints:
            if joint.motion.dof:
                peer, k = plant.GetJointByName(joint.name), robot.v_slices[joint.name].start
                q[peer.position_start()] = state[0][robot.q_slices[joint.name].start]
                v[peer.velocity_start()], a[peer.velocity_start()] = state[1][k], state[2][k]
        plant.SetPositions(context, q)
        plant.SetVelocities(context, v)
        forces = MultibodyForces(plant)
        plant.CalcForceElementsContribution(context, forces)
        tau = plant.CalcInverseDynamics(context, a, forces)
        # It tells reactions of the motion that follows from forces, so it gets those that give our motion.
        plant.get_applied_generalized_force_input_port().FixValue(context, tau)
        reactions = plant.get_reaction_forces_output_port().Eval(context)
        expected = []
        for joint in robot.joints:
            reaction = reactions[int(plant.GetJointByName(joint.name).index())]
            expected.append([*reaction.translational(), *reaction.rotational()])
        assert_near(ours(name, robot, state), np.array(expected))
