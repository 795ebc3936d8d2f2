"""Springs and Stribeck friction in the equations: by hand, against MuJoCo, against the energy, in every formulation."""

from __future__ import annotations

import math

import numpy as np
import pytest

import loadpath as lp

LINE = lp.LineSpring((0.1, -0.2, 0.3), (0.2, 0.15, -0.1), stiffness=500.0, free_length=0.2, preload=-30.0)
WOUND = lp.TorsionSpring(30.0, rest=0.2, preload=4.0)
RUBBING = lp.Friction(1.0, 2.0, 3.5, 0.4)


def sprung(robot, first, second):
    return robot.with_drives({
        first: lp.Drive(spring=(WOUND, LINE), friction=RUBBING),
        second: lp.Drive(spring=lp.LineSpring((0, 0.1, 0), (0.3, 0, 0.1), 80.0), friction=lp.Friction(0, 1, 2, 0.3, 1)),
    })


def states(robot, count=5, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(count, robot.nq)), rng.normal(size=(count, robot.n)), rng.normal(size=(count, robot.n))


# By hand


def test_torsion_spring_of_one_joint_by_hand():
    arm = lp.catalog.planar(1, gravity=0).with_drives({"joint1": lp.Drive(spring=WOUND)})
    assert arm.inverse_dynamics([0.7], [0.0], [0.0]) == pytest.approx([30.0 * 0.5 - 4.0])
    assert arm.gravity_forces.uncompiled([0.7]) == pytest.approx([11.0])
    assert arm.potential_energy.uncompiled([0.7]) == pytest.approx(0.5 * 30 * 0.25 - 4 * 0.5)
    assert arm.forward_dynamics.uncompiled([0.7], [0.0], [0.0]) == pytest.approx([-11.0 / (1 / 3)])  # 1 kg, 1 m
    bare = lp.catalog.planar(1, gravity=0)
    torques = (robot.static_wrenches.uncompiled([0.7]).torque for robot in (arm, bare))
    assert np.array_equal(*torques)  # it loads no bearing


def test_gas_spring_of_one_joint_by_hand():
    """A strut of 100 N from 0.3 m below the joint to 0.4 m along a level rod pushes along (0.8, 0.6)."""
    strut = lp.LineSpring(on_parent=(0, 0, -0.3), on_child=(0.4, 0, 0), preload=-100.0)
    arm = lp.catalog.planar(1, gravity=0).with_drives({"joint1": lp.Drive(spring=strut)})
    assert arm.inverse_dynamics.uncompiled([0.0], [0.0], [0.0]) == pytest.approx([-100 * 0.6 * 0.4])
    found = arm.static_wrenches.uncompiled([0.0])
    wrench = found["joint1"]
    assert wrench.force == pytest.approx([-80.0, -60.0, 0.0])  # the bearing holds the rod against the strut
    assert wrench.torque == pytest.approx([0.0, 0.0, -24.0])
    assert found["tip_joint"].force == pytest.approx(np.zeros(3), abs=1e-12)
    along = arm.force_along.uncompiled([0.0], [0.0], [0.0], [1, 0, 0], joint="joint1")
    assert along == pytest.approx(-80.0)


def test_stribeck_friction_by_hand():
    arm = lp.catalog.planar(1, gravity=0).with_drives({"joint1": lp.Drive(friction=RUBBING)})
    speeds = np.array([-1.0, -0.4, 0.0, 1e-9, 0.2, 3.0])
    tau = arm.inverse_dynamics(np.zeros((6, 1)), speeds[:, None], np.zeros((6, 1)))[:, 0]
    expected = [math.copysign(2 + 1.5 * math.exp(-((v / 0.4) ** 2)), v) * (v != 0) + v for v in speeds]
    assert tau == pytest.approx(expected, abs=1e-14)
    assert tau == pytest.approx([RUBBING.at(v) for v in speeds], abs=1e-14)
    tustin = arm.with_drives({"joint1": lp.Drive(friction=lp.Friction(0, 2, 3.5, 0.4, exponent=1))})
    assert tustin.inverse_dynamics.uncompiled([0.0], [0.2], [0.0]) == pytest.approx([2 + 1.5 * math.exp(-0.5)])


def test_an_ideal_balancer_holds_a_rod_everywhere():
    """Of free length zero, from a above the joint to b on the rod: stiffness a b = m g c in every position."""
    spring = lp.LineSpring(on_parent=(0, 0, 0.4), on_child=(0.5, 0, 0), stiffness=9.81 * 0.5 / (0.4 * 0.5))
    arm = lp.catalog.planar(1).with_drives({"joint1": lp.Drive(spring=spring)})
    q = np.linspace(-3, 3, 50)[:, None]
    assert np.abs(arm.gravity_forces.uncompiled(q)).max() < 1e-13


# Against others


MJCF = """<mujoco><compiler angle="radian"/><option gravity="0 0 -9.81"/><worldbody>
<body name="a" pos="0 0 0.1"><joint name="j1" axis="0 1 0" stiffness="30" springref="0.2" damping="1.0" armature="0.2"/>
<geom type="capsule" size="0.02" fromto="0 0 0 0.5 0 0" mass="2"/><site name="s2" pos="0.2 0.15 -0.1"/>
<site name="s3" pos="0.1 0 0.2"/>
<body name="b" pos="0.5 0 0"><joint name="j2" type="slide" axis="1 0 0" stiffness="400" springref="0.1"/>
<geom type="sphere" size="0.05" pos="0.1 0.02 0" mass="1"/><site name="s4" pos="0.3 0 0.1"/></body></body>
<site name="s1" pos="0.1 -0.2 0.3"/></worldbody>
<tendon><spatial stiffness="500" springlength="0.2"><site site="s1"/><site site="s2"/></spatial>
<spatial stiffness="80" springlength="0.05"><site site="s3"/><site site="s4"/></spatial></tendon></mujoco>"""


def test_springs_of_joints_and_tendons_as_in_mujoco():
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(MJCF)
    data = mujoco.MjData(model)

    def link(k, name):
        turn = np.zeros(9)
        mujoco.mju_quat2Mat(turn, model.body_iquat[k])
        turn = turn.reshape(3, 3)
        tensor = turn @ np.diag(model.body_inertia[k]) @ turn.T
        return lp.Link(name, lp.Inertia(float(model.body_mass[k]), model.body_ipos[k], tensor))

    arm = lp.Robot("arm", (lp.Link("world"), link(1, "a"), link(2, "b")), (
        lp.Joint("j1", "world", "a", lp.Revolute((0, 1, 0)), (0, 0, 0.1), viscous_friction=1.0),
        lp.Joint("j2", "a", "b", lp.Prismatic((1, 0, 0)), (0.5, 0, 0)),
    )).with_drives({
        "j1": lp.Drive(ratio=10, rotor_inertia=2e-3, spring=(
            lp.TorsionSpring(30, 0.2), lp.LineSpring((0.1, -0.2, 0.3), (0.2, 0.15, -0.1), 500, 0.2))),
        "j2": lp.Drive(spring=(lp.TorsionSpring(400, 0.1), lp.LineSpring((0.1, 0, 0.2), (0.3, 0, 0.1), 80, 0.05))),
    })
    for q, qd, qdd in zip(*states(arm), strict=True):
        data.qpos, data.qvel, data.qacc = q, qd, qdd
        mujoco.mj_inverse(model, data)
        assert arm.inverse_dynamics.uncompiled(q, qd, qdd) == pytest.approx(data.qfrc_inverse, rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("make", [
    lambda: sprung(lp.catalog.planar(2), "joint1", "joint2"),
    lambda: sprung(lp.catalog.lau_arm(), "theta2", "d2"),
], ids=["planar", "sliding"])
def test_spring_forces_are_the_slope_of_the_energy(make):
    arm = make().without_friction()
    bare, (q, _, _) = arm.without_springs(), states(arm)
    h, numeric = 1e-3, np.empty_like(q)
    for k in range(arm.n):

        def energy(step, k=k):
            moved = q.copy()
            moved[:, k] += step
            return arm.potential_energy.uncompiled(moved) - bare.potential_energy.uncompiled(moved)

        coarse, fine = ((energy(s) - energy(-s)) / (2 * s) for s in (2 * h, h))
        numeric[:, k] = (4 * fine - coarse) / 3
    found = arm.gravity_forces.uncompiled(q) - bare.gravity_forces.uncompiled(q)
    assert found == pytest.approx(numeric, rel=1e-7, abs=1e-7)


def test_all_formulations_agree_with_springs_and_stribeck_friction():
    arm = sprung(lp.catalog.random_chain(4, 2), *lp.catalog.random_chain(4, 2).dof_names[:2])
    assert lp.verify(arm, states=5).agrees


def test_wrenches_by_other_formulations_and_on_a_moving_base():
    arm = sprung(lp.catalog.planar(2), "joint1", "joint2")
    motion = states(arm)
    base = {"base_velocity": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], "base_acceleration": [1, 2, 3, 0.4, 0.5, 0.6]}
    for case in ({}, base):
        found = arm.joint_wrenches.uncompiled(*motion, **case)
        for formulation in ("luh", "natural-orthogonal-complement"):
            other = arm.joint_wrenches.uncompiled(*motion, **case, formulation=formulation)
            assert other.force == pytest.approx(found.force, abs=1e-10)
            assert other.torque == pytest.approx(found.torque, abs=1e-10)


def test_derivatives_with_springs_and_stribeck_friction():
    arm = sprung(lp.catalog.planar(2), "joint1", "joint2")
    q, qd, qdd = states(arm)
    found, h, tau = arm.inverse_dynamics_derivatives(q, qd, qdd), 1e-6, arm.inverse_dynamics.uncompiled
    for k in range(arm.n):
        step = h * np.eye(arm.n)[k]
        by_q = (tau(q + step, qd, qdd) - tau(q - step, qd, qdd)) / (2 * h)
        by_qd = (tau(q, qd + step, qdd) - tau(q, qd - step, qdd)) / (2 * h)
        assert found.q[..., k] == pytest.approx(by_q, rel=1e-5, abs=1e-6)
        assert found.qd[..., k] == pytest.approx(by_qd, rel=1e-5, abs=1e-6)


def test_exports_have_springs_and_stribeck_friction():
    arm = sprung(lp.catalog.planar(2), "joint1", "joint2")
    q, qd, qdd = (part[0] for part in states(arm))
    found = np.array(arm.casadi_function("inverse_dynamics")(q, qd, qdd)).ravel()
    assert found == pytest.approx(arm.inverse_dynamics.uncompiled(q, qd, qdd), rel=1e-13)
    assert "exp(" in arm.c_source("inverse_dynamics")


# Causes


@pytest.mark.parametrize("closed", [False, True])
def test_springs_are_causes_that_sum_up(closed):
    if closed:
        arm = sprung(lp.catalog.four_bar(), "crank_joint", "rocker_joint")
        motion = lp.Motion.swing(arm).resampled(20)
        state, drive, joint = (motion.q, motion.qd, motion.qdd), "crank_joint", "rocker_joint"
    else:
        arm = sprung(lp.catalog.planar(2), "joint1", "joint2")
        state, drive, joint = states(arm), "joint1", "joint2"
    loads, wrenches = arm.load_breakdown(*state, compiled=False), arm.joint_wrenches.uncompiled(*state)
    assert loads.totals()[..., :3] == pytest.approx(wrenches.force, abs=1e-10)
    assert loads.totals()[..., 3:] == pytest.approx(wrenches.torque, abs=1e-10)
    parts, tau = loads.drive(drive), arm.inverse_dynamics.uncompiled(*state)
    assert sum(parts.values()) == pytest.approx(tau[:, arm.dof_names.index(drive)], abs=1e-10)
    assert f"spring {joint}" in loads.causes(joint) and f"spring {drive}" in parts and f"friction {drive}" in parts
    alone = arm.without_springs().load_breakdown(*state, compiled=False).drive(drive)
    assert parts["gravity link1" if not closed else "gravity crank"] == pytest.approx(
        alone["gravity link1" if not closed else "gravity crank"])


def test_the_peak_of_a_drive_knows_its_spring():
    arm = lp.catalog.planar(2).with_drives({"joint1": lp.Drive(spring=lp.TorsionSpring(500.0))})
    peak = arm.peak_loads(lp.Motion.swing(arm))["joint1", "drive"].peak
    causes = {part.cause: part.value for part in peak.top(20)}
    assert "spring joint1" in causes and sum(causes.values()) == pytest.approx(peak.value)


def test_a_counterweight_is_a_payload_with_a_cause_of_its_own():
    arm = lp.catalog.planar(1).with_payload(2.0, (-0.25, 0, 0), link="link1", name="counterweight")
    assert abs(arm.gravity_forces.uncompiled([0.3])[0]) < 1e-12  # 1 kg at 0.5 m, 2 kg at -0.25 m
    parts = arm.load_breakdown([0.0], [0.0], [0.0], compiled=False).drive("joint1")
    assert parts["gravity counterweight"] == pytest.approx(-2 * 9.81 * 0.25)


# Closed chains


def test_closed_chains_with_springs_two_ways():
    bar = sprung(lp.catalog.four_bar(), "crank_joint", "rocker_joint")
    motion = lp.Motion.swing(bar).resampled(10)
    state = motion.q, motion.qd, motion.qdd
    found = bar.joint_wrenches.uncompiled(*state)
    other = bar.joint_wrenches.uncompiled(*state, formulation="natural-orthogonal-complement")
    assert other.force == pytest.approx(found.force, abs=1e-9)
    assert other.torque == pytest.approx(found.torque, abs=1e-9)
    tau = bar.inverse_dynamics.uncompiled(*state)
    assert bar.forward_dynamics.uncompiled(motion.q, motion.qd, tau) == pytest.approx(motion.qdd, abs=1e-9)
