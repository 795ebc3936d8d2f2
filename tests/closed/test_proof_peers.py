"""Forward dynamics against Pinocchio's `constraintDynamics`, with point and rigid closures, to 1e-8; and what MuJoCo
gives for a four-bar.
"""

from __future__ import annotations

import mujoco
import numpy as np
import pinocchio as pin
import pytest

import loadpath as lp
from closed.cases import ask, catalog, poses_of, state
from closed.references import plane
from references.to_pinocchio import random_state, to_pinocchio

CLOSURES = {"Spherical": pin.ContactType.CONTACT_3D, "Fixed": pin.ContactType.CONTACT_6D}


def accelerations(robot, q, qd, tau):
    """By Pinocchio: balls as points that stay together, welds as frames that do. The hinge of a plane loop is a ball
    there, which holds it as well.
    """
    peer = to_pinocchio(robot)
    models, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    for loop in robot.loops:
        kind = CLOSURES.get(type(loop.motion).__name__, pin.ContactType.CONTACT_3D)
        ends = []
        for link, pose in ((loop.first, loop.at), (loop.second, loop.on)):
            placement = peer.offset_of[link] * pin.SE3(pose.R, pose.p)
            ends += [peer.body_of[link], placement]
        models.append(pin.RigidConstraintModel(kind, peer.model, *ends, pin.ReferenceFrame.LOCAL))
        datas.append(models[len(models) - 1].createData())
    data = peer.model.createData()
    pin.initConstraintDynamics(peer.model, data, models, datas)
    settings = pin.ProximalSettings(1e-14, 1e-10, 100)
    a = pin.constraintDynamics(peer.model, data, peer.q(q), peer.v(qd), peer.speeds @ tau, models, datas, settings)
    return peer.speeds.T @ a


def compare(robot, q, qd, seed):
    tau = np.zeros(robot.n)
    tau[list(robot.split.driven)] = np.random.default_rng(seed).uniform(-10, 10, len(robot.split.driven))
    found = ask(robot, "forward_dynamics", q, qd, tau)
    expected = accelerations(robot, q, qd, tau)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8 * max(1.0, abs(expected).max()))


@pytest.mark.parametrize("name", ["delta", pytest.param("stewart_platform", marks=pytest.mark.slow), "four_bar"])
def test_point_closures(name):
    robot = catalog(name)
    q, qd, _ = state(robot, 1)
    for seed in range(3):
        compare(robot, q, qd, seed)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 6))])
def test_rigid_closures(seed):
    """A tree that is welded at the end of one branch, and a ball between two others."""
    tree = lp.catalog.random_chain(12, seed, ["revolute", "universal", "prismatic", "spherical"])
    q = random_state(tree, np.random.default_rng(seed))[0]
    poses = poses_of(tree, q)
    at = lp.Pose.from_matrix(poses[tree.link_names[-1]])
    robot = tree.with_loop("weld", tree.link_names[0], tree.link_names[-1], motion=lp.Fixed(), at=at, on=(0, 0, 0), q=q)
    middle = tree.link_names[7]
    point = poses[middle][:3, 3]
    robot = robot.with_loop("ball", tree.link_names[0], middle, motion=lp.Spherical(), at=point, on=(0, 0, 0), q=q)
    q, qd, _ = state(robot, 1, spread=0.05)
    compare(robot, q, qd, seed)


FOUR_BAR = """
<mujoco>
  <compiler angle="radian"/>
  <option gravity="0 0 -9.81" timestep="0.001"/>
  <worldbody>
    {crank}
    {rocker}
  </worldbody>
  <equality><connect body1="coupler" body2="rocker" anchor="{length} 0 0"/></equality>
</mujoco>
"""


def mujoco_four_bar(robot):
    """The four-bar with its loop closed by `connect`, at home."""

    def body(name, joint, origin, inside=""):
        inertia = robot.link(name).inertia
        x = " ".join(f"{v:.17g}" for v in inertia.center_of_mass)
        moments = " ".join(f"{inertia.tensor[k][k]:.17g}" for k in range(3))
        return (f'<body name="{name}" {origin}><joint name="{joint}" axis="0 0 1"/>'
                f'<inertial pos="{x}" mass="{inertia.mass:.17g}" diaginertia="{moments}"/>{inside}</body>')

    upright = 'quat="0.7071067811865476 0.7071067811865476 0 0"'
    crank, coupler = robot.joint("coupler_joint").origin.p[0], robot.loops[0].at.p[0]
    ground = robot.joint("rocker_joint").origin.p[0]
    first = body("crank", "crank_joint", upright, body("coupler", "coupler_joint", f'pos="{crank:.17g} 0 0"'))
    second = body("rocker", "rocker_joint", f'pos="{ground:.17g} 0 0" {upright}')
    # MuJoCo reads where the pin is from the unmoved bodies, so the point on the rocker is set afterwards.
    model = mujoco.MjModel.from_xml_string(FOUR_BAR.format(crank=first, rocker=second, length=f"{coupler:.17g}"))
    model.eq_data[0, 3:6] = robot.loops[0].on.p
    return model


def test_mujoco_inverse_dynamics_of_a_four_bar_is_not_what_its_crank_takes():
    """A fact to cite: with `connect` it gives the passive joints torques, without a warning. Plane statics gives what
    the crank takes, and so do we.
    """
    robot = catalog("four_bar")
    q, still = robot.home, np.zeros(3)
    exact = plane.of_robot(robot, q, still, still, robot.driven)["crank_joint"].drive
    ours = robot.inverse_dynamics(q, still, still)
    np.testing.assert_allclose(ours, [exact, 0.0, 0.0], atol=1e-13)
    model = mujoco_four_bar(robot)
    data = mujoco.MjData(model)
    data.qpos[:] = q
    mujoco.mj_forward(model, data)
    assert abs(data.efc_pos[: data.ne]).max() < 1e-9  # it is the same linkage, closed
    np.testing.assert_allclose(data.qfrc_bias, robot.tree.inverse_dynamics(q, still, still), atol=1e-9)
    data.qacc[:] = 0.0
    mujoco.mj_inverse(model, data)
    theirs = np.array(data.qfrc_inverse)
    assert abs(theirs[1:]).max() > 0.1 * abs(exact)
    # It is the same question: applied at the crank alone our torque holds MuJoCo's linkage still.
    data.qfrc_applied[:] = ours
    mujoco.mj_forward(model, data)
    assert abs(data.qacc).max() < 0.05 * 9.81 / 0.12
