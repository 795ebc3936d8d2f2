"""Closed robots on wheels under torques: against trees that mimic, fixed bases, MuJoCo, and what is conserved."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import loadpath as lp

RATIO, OFFSET = -0.5, 0.3
"""The third joint follows the first."""
ON_TOP = (0.0, 0.0, 0.5)


def with_friction(robot, coulomb, viscous=None):
    """The robot with friction at its joints of one freedom, by their names."""
    viscous = viscous or {}
    joints = [replace(joint, coulomb_friction=(coulomb.get(joint.name, 0.0),),
                      viscous_friction=(viscous.get(joint.name, 0.0),)) if joint.motion.dof == 1 else joint
              for joint in robot.joints]
    return replace(robot, joints=tuple(joints))


def heavy(**options):
    """A base that nothing here tips over."""
    wheels = [lp.FixedWheel((-1, 1), 0.2, name="left"), lp.FixedWheel((-1, -1), 0.2, name="right"),
              lp.CasterWheel((1.5, 0), 0.1, name="caster")]
    return lp.WheeledBase(mass=2e4, center_of_mass=(0.2, 0, 0.1), inertia=np.diag([2e3, 4e3, 5e3]), wheels=wheels,
                          friction=lp.WheelFriction(0.8, static=0.9, rolling=0.01), **options)


def on_casters(mass=30.0):
    """A base that nothing holds in the plane."""
    wheels = [lp.CasterWheel(at, 0.1) for at in ((1.5, 0), (-1, 1), (-1, -1))]
    return lp.WheeledBase(mass=mass, center_of_mass=(0.05, 0.02, 0.1), inertia=np.diag([2.0, 3.0, 4.0]), wheels=wheels,
                          friction=lp.WheelFriction(0.5, rolling=0.0))


# The coupling against the tree that mimics


def coupled_and_mimicking(coulomb=None, viscous=None):
    arm = with_friction(lp.catalog.planar(3, mass=2.0, length=0.3), coulomb or {}, viscous)
    joints = tuple(replace(joint, mimic=lp.Mimic("joint1", RATIO, OFFSET)) if joint.name == "joint3" else joint
                   for joint in arm.joints)
    belt = {"joint3": 1.0, "joint1": -RATIO}
    return arm.with_coupling(belt, name="belt", offset=OFFSET), replace(arm, joints=joints)


def of_all(two, offset=0.0):
    two = np.asarray(two, dtype=float)
    return np.concatenate([two, RATIO * two[..., :1] + offset], axis=-1)


@pytest.mark.parametrize(("friction", "torque", "coulomb"), [
    (lp.WheelFriction(0.8, rolling=0.02), lambda t, q, qd: np.array([5 * np.sin(3 * t), -2 * qd[1]]),
     {"joint1": 1.0, "joint2": 0.5}),
    (lp.WheelFriction(0.1, rolling=0.0), lambda t, q, qd: np.zeros(2), {"joint1": 4.0, "joint2": 1.5, "joint3": 8.0}),
])
def test_a_coupling_and_a_joint_that_mimics(friction, torque, coulomb):
    """The same motion, wheels and events, through slip of wheels and joints that stick; in the second case two joints
    stick at the same freedom and share what they hold.
    """
    closed, tree = coupled_and_mimicking(coulomb, {"joint1": 0.2, "joint2": 0.3, "joint3": 0.1})
    base = lp.catalog.lau_rover(friction=friction).base
    q, qd = np.array([0.4, -0.3]), np.array([1.0, -0.5])
    own = base.carrying(closed, at=ON_TOP).simulate(
        of_all(q, OFFSET), of_all(qd), lambda t, q, qd: np.append(torque(t, q[:2], qd[:2]), 0.0), duration=0.6,
        sample_rate=20,
    )
    other = base.carrying(tree, at=ON_TOP).simulate(q, qd, torque, duration=0.6, sample_rate=20, rtol=1e-9)
    np.testing.assert_allclose(own.q, of_all(other.q, OFFSET), atol=1e-8)
    np.testing.assert_allclose(own.qd, of_all(other.qd), atol=1e-7)
    np.testing.assert_allclose(own.qdd, of_all(other.qdd), atol=1e-5)
    for part in ("pose", "velocity", "tau", "kinetic", "potential", "joint_heat", "drive_work", "external_work"):
        mine = own.tau[:, :2] if part == "tau" else getattr(own, part)
        np.testing.assert_allclose(mine, getattr(other, part), atol=1e-7, err_msg=part)
    np.testing.assert_allclose(own.normal, other.normal, atol=1e-5)
    happened = [[(event.kind, round(event.time, 6)) for event in run.events if event.part != "joint3"]
                for run in (own, other)]
    assert happened[0] == happened[1]
    assert len([event for event in own.events if event.kind.startswith("joint")]) >= 2
    assert own.closure.max() < 1e-13
    assert own.energy_drift < 1e-8


def test_forward_dynamics_of_a_coupling_and_a_joint_that_mimics():
    rng = np.random.default_rng(3)
    closed, tree = coupled_and_mimicking(viscous={"joint1": 0.2, "joint3": 0.1})
    base = lp.catalog.lau_rover(friction=lp.WheelFriction(0.8)).base
    own, other = base.carrying(closed, at=ON_TOP), base.carrying(tree, at=ON_TOP)
    q, qd, tau = rng.normal(size=(3, 5, 4, 2))
    velocity = np.array([0.3, 0.1])
    mine = own.forward_dynamics(of_all(q, OFFSET), of_all(qd), np.append(tau, np.zeros((5, 4, 1)), axis=-1),
                                velocity=velocity, wheel_torques={"wheel2": 0.2})
    theirs = other.forward_dynamics(q, qd, tau, velocity=velocity, wheel_torques={"wheel2": 0.2})
    np.testing.assert_allclose(mine.qdd, of_all(theirs.qdd), atol=1e-10)
    for part in ("acceleration", "normal", "longitudinal", "lateral"):
        np.testing.assert_allclose(getattr(mine, part), getattr(theirs, part), atol=1e-10, err_msg=part)
    np.testing.assert_allclose(mine.tau[..., :2], tau, atol=1e-12)


# A base that stands against a fixed one


@pytest.mark.parametrize("held", [{"freedoms": ()}, {"wheel_rates": {"left": 0.0, "right": 0.0}}])
def test_a_four_bar_on_a_base_that_stands(held):
    bar = lp.catalog.four_bar()
    qd, _ = bar.complete(bar.home, {"crank_joint": 3.0})
    own = heavy().carrying(bar, at=ON_TOP).simulate(bar.home, qd, [0.3, 0.0, 0.0], duration=0.5, sample_rate=20, **held)
    fixed = bar.simulate(bar.home, qd, [0.3, 0.0, 0.0], duration=0.5, sample_rate=20)
    np.testing.assert_allclose(own.q, fixed.q, atol=1e-7)
    np.testing.assert_allclose(own.tau, fixed.tau, atol=1e-12)
    assert np.abs(own.pose).max() < 1e-15
    assert [(dead.joints, round(dead.time, 7)) for dead in own.dead_points] == [
        (dead.joints, round(dead.time, 7)) for dead in fixed.dead_points]
    assert own.dead_points
    assert own.closure.max() < 1e-13


def test_friction_at_dead_points_of_a_slider_crank():
    """Whole turns: at each dead point the slider stands for an instant and its friction turns round."""
    engine = with_friction(lp.catalog.slider_crank(), dict.fromkeys(("crank_joint", "rod_joint", "slider_joint"), 0.02))
    qd, _ = engine.complete(engine.home, {"crank_joint": 20.0})
    own = heavy().carrying(engine, at=ON_TOP).simulate(engine.home, qd, duration=0.5, sample_rate=20, freedoms=())
    fixed = engine.simulate(engine.home, qd, duration=0.5, sample_rate=20)
    np.testing.assert_allclose(own.q, fixed.q, atol=1e-6)
    np.testing.assert_allclose(own.joint_heat, fixed.dissipated, atol=1e-7)
    assert len(own.dead_points) == len(fixed.dead_points) > 3


def test_all_joints_of_a_linkage_stick():
    """More joints than freedoms hold it: it stands, at the same moment as on a fixed base."""
    bar = with_friction(lp.catalog.four_bar(), dict.fromkeys(("crank_joint", "coupler_joint", "rocker_joint"), 0.3))
    qd, _ = bar.complete(bar.home, {"crank_joint": 3.0})
    own = heavy().carrying(bar, at=ON_TOP).simulate(bar.home, qd, duration=0.5, sample_rate=20)
    fixed = bar.simulate(bar.home, qd, duration=0.5, sample_rate=20)
    np.testing.assert_allclose(own.q, fixed.q, atol=1e-8)
    stops = [event for event in own.events if event.kind == "joint stops"]
    assert {event.part for event in stops} == {"crank_joint", "coupler_joint", "rocker_joint"}
    assert not own.qd[-1].any()


@pytest.mark.parametrize("name", ["parallelogram_palletizer", "delta"])
def test_robots_with_several_loops_on_a_braked_base(name):
    robot = getattr(lp.catalog, name)()
    qd, _ = robot.complete(robot.home, dict.fromkeys(robot.driven, 0.3))
    own = heavy().carrying(robot, at=ON_TOP).simulate(
        robot.home, qd, duration=0.2, sample_rate=20, wheel_rates={"left": 0.0, "right": 0.0}
    )
    fixed = robot.simulate(robot.home, qd, duration=0.2, sample_rate=20)
    np.testing.assert_allclose(own.q, fixed.q, atol=1e-7)
    assert own.closure.max() < 1e-13


# What is conserved


def test_momentum_on_casters():
    """Nothing outside acts in the plane: momentum and moment of momentum of all stay, whatever the drives do."""
    bar = with_friction(lp.catalog.four_bar(), {"coupler_joint": 0.05}, {"crank_joint": 0.1})
    rover = on_casters().carrying(bar, at=ON_TOP)
    run = rover.simulate(bar.home, np.zeros(3), lambda t, q, qd: np.array([3 * np.cos(4 * t), 0, 0.2]), duration=0.5,
                         sample_rate=20, velocity=(0.1, 0.05, 0.3))
    U = np.concatenate([run.velocity, run.qd], axis=-1)
    p = (rover.mass_matrix(run.q) @ U[..., None])[:, :3, 0]  # in base axes about its origin
    c, s = np.cos(run.pose[:, 2]), np.sin(run.pose[:, 2])
    x, y = c * p[:, 0] - s * p[:, 1], s * p[:, 0] + c * p[:, 1]
    about_ground = p[:, 2] + run.pose[:, 0] * y - run.pose[:, 1] * x
    for part in (x, y, about_ground):
        np.testing.assert_allclose(part, part[0], atol=1e-7 * np.abs(p).max())
    assert np.abs(run.qd).max() > 1.0
    assert run.energy_drift < 1e-8
    assert run.closure.max() < 1e-13


def test_forces_of_loops_agree_with_inverse_dynamics():
    """The accelerations that come out of the torques ask for the torques."""
    robot = lp.catalog.parallelogram_palletizer()
    rover = lp.catalog.lau_rover(friction=lp.WheelFriction(0.8)).base.carrying(robot, at=(0, 0, 0.3))
    torque = np.zeros(robot.n)
    driven = list(robot.split.driven)
    torque[driven] = [1.0, -2.0, 0.5, 0.3]
    qd, _ = robot.complete(robot.home, dict.fromkeys(robot.driven, 0.2))
    found = rover.forward_dynamics(robot.home, qd, torque, velocity=(0.2, 0.1))
    given = rover.base_acceleration(robot.home, qd, found.qdd, velocity=(0.2, 0.1))
    np.testing.assert_allclose(given.acceleration, found.acceleration, atol=1e-10)
    np.testing.assert_allclose(given.tau, torque, atol=1e-8)
    np.testing.assert_allclose(found.tau, torque, atol=1e-12)


# MuJoCo


def mujoco_text(rover, bar):
    """The base on slides and a hinge, the four-bar on it, closed by `connect`."""

    def body(link, inside, at):
        inertia = rover.robot.link(link).inertia
        tensor = np.array(inertia.tensor) + 1e-12 * np.eye(3)
        entries = [tensor[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
        numbers = " ".join(f"{x:.17g}" for x in entries)
        center = " ".join(f"{x:.17g}" for x in inertia.center_of_mass)
        return (f'<body name="{link}" {at}><inertial pos="{center}" mass="{inertia.mass:.17g}" '
                f'fullinertia="{numbers}"/>{inside}</body>')

    hinge = '<joint name="{}" axis="0 0 1"/>'
    upright = 'quat="0.7071067811865476 0.7071067811865476 0 0"'
    crank, length = bar.joint("coupler_joint").origin.p[0], bar.loops[0].at.p[0]
    ground = bar.joint("rocker_joint").origin.p[0]
    coupler = body("coupler", hinge.format("coupler_joint"), f'pos="{crank:.17g} 0 0"')
    first = body("crank", hinge.format("crank_joint") + coupler, f'pos="{ON_TOP[0]} {ON_TOP[1]} {ON_TOP[2]}" {upright}')
    second = body("rocker", hinge.format("rocker_joint"), f'pos="{ON_TOP[0] + ground:.17g} 0 {ON_TOP[2]}" {upright}')
    planar = '<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><joint axis="0 0 1"/>'
    return f"""
        <mujoco><compiler angle="radian"/><option gravity="0 0 -9.81" timestep="0.0002" integrator="RK4"
        tolerance="1e-14" iterations="200"/>
        <worldbody>{body(rover.robot.base.name, planar + first + second, "")}</worldbody>
        <equality><connect body1="coupler" body2="rocker" anchor="{length:.17g} 0 0"
        solref="0.001 1" solimp="0.9999 0.9999 0.001"/></equality></mujoco>"""


def test_a_four_bar_on_casters_in_mujoco():
    """MuJoCo's `connect` is a spring and a damper, of 1 ms here: its pin opens a little, by 1e-7 of the motion."""
    mujoco = pytest.importorskip("mujoco")
    bar = lp.catalog.four_bar()
    rover = on_casters(mass=12.0).carrying(bar, at=ON_TOP)
    qd, _ = bar.complete(bar.home, {"crank_joint": 4.0})
    torque = np.array([0.4, 0.0, 0.0])
    run = rover.simulate(bar.home, qd, torque, duration=0.4, sample_rate=10, velocity=(0.1, -0.05, 0.2))
    assert not run.tipped
    model = mujoco.MjModel.from_xml_string(mujoco_text(rover, bar))
    model.eq_data[0, 3:6] = bar.loops[0].on.p
    data = mujoco.MjData(model)
    data.qpos[3:], data.qvel[:3], data.qvel[3:] = bar.home, (0.1, -0.05, 0.2), qd
    data.qfrc_applied[3:] = torque
    there = []
    for k in range(2001):
        if k % 500 == 0:
            there.append(np.array(data.qpos))
        mujoco.mj_step(model, data)
    own = np.concatenate([run.pose, run.q], axis=-1)
    assert np.abs(own[-1, :3]).max() > 0.01
    np.testing.assert_allclose(own, there, atol=1e-6)


# What is refused, and what is said


@pytest.fixture(scope="module")
def rover():
    return lp.catalog.lau_rover(friction=lp.WheelFriction(0.8)).base.carrying(lp.catalog.four_bar(), at=(0.1, 0, 0.4))


def test_starts_that_are_not_closed(rover):
    q = rover.robot.home
    with pytest.raises(lp.ModelError, match=r"the start q is not closed: loop 'rocker_pin'.*strict=False"):
        rover.simulate(q + np.array([1e-3, 0, 0]), duration=0.1)
    with pytest.raises(lp.ModelError, match=r"the start qd would open the loops.*complete"):
        rover.simulate(q, [1.0, 0, 0], duration=0.1)
    with pytest.warns(lp.ModelWarning, match="it starts from the nearest closed configuration"):
        run = rover.simulate(q + np.array([1e-3, 0, 0]), duration=0.05, strict=False)
    assert run.closure.max() < 1e-13
    with pytest.raises(ValueError, match=r"LSODA.*closed loops"):
        rover.simulate(q, duration=0.1, method="LSODA")


def test_states_that_are_not_closed(rover):
    q = rover.robot.home
    with pytest.raises(ValueError, match=r"loops of its robot are open"):
        rover.forward_dynamics(q + np.array([0.1, 0, 0]), np.zeros(3))
    with pytest.raises(ValueError, match=r"at 1 of 2 states, first .1,.*qd is no motion of the closed robot.*complete"):
        rover.forward_dynamics(q, [[0, 0, 0], [1.0, 0, 0]])
    with pytest.warns(lp.ModelWarning, match="NaN"):
        found = rover.forward_dynamics(np.array([q, q * np.nan]), np.zeros(3))
    assert np.isfinite(found.qdd[0]).all() and np.isnan(found.qdd[1]).all()
    assert found.unknown.tolist() == [False, True]


def test_a_robot_whose_loops_leave_it_no_freedom():
    """It stands on its base, which moves as one that carries the same masses."""
    bar = lp.catalog.four_bar()
    stiff = bar.locked({"crank_joint": bar.home[0]})
    base = lp.catalog.lau_rover(friction=lp.WheelFriction(0.8)).base
    run = base.carrying(stiff, at=(0, 0, 0.4)).simulate(stiff.home, velocity=(0.1, 0.0), duration=0.5, sample_rate=10)
    held = base.carrying(bar, at=(0, 0, 0.4)).roll(
        lp.Motion(np.linspace(0, 0.5, 6), np.tile(bar.home, (6, 1)), np.zeros((6, 3)), np.zeros((6, 3)), robot=bar),
        velocity=(0.1, 0.0),
    )
    np.testing.assert_allclose(run.pose, held.pose, atol=1e-9)
    assert not run.qd.any()
