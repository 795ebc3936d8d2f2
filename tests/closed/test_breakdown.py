"""Loads by cause through loops: every single cause against Newton-Euler in maximal coordinates, where one link has
mass, one speed moves or one joint rubs; the sums against the joint wrenches and the drives.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

import loadpath as lp
from closed.cases import CATALOG, catalog, random_closed, state, states
from closed.references.maximal import Maximal

TOLERANCE = 1e-10


def with_drives_that_lose(robot):
    """Friction and rotors at every joint that moves."""
    joints = tuple(
        replace(joint, viscous_friction=(0.3,) * joint.motion.dof, rotor_inertia=(0.02,) * joint.motion.dof)
        for joint in robot.joints
    )
    return replace(robot, joints=joints)


def only(robot, *links, gravity=(0.0, 0.0, 0.0), losses=False):
    """The robot with the mass of these links alone."""
    made = robot.with_inertias({link: lp.Inertia() for link in robot.link_names if link not in links})
    made = made.with_gravity(gravity)
    return made if losses else made.without_friction().without_rotors()


class Alone:
    """Joint wrenches (joints and loops, 6) and drives (n,) of single causes, by the reference."""

    def __init__(self, robot, q):
        self.robot, self.q = robot, q
        self.still = np.zeros(robot.n)
        self.weightless = Maximal(only(robot, *robot.link_names))
        self.massless = Maximal(only(robot))

    def of(self, model, qd=None, qdd=None, **how):
        qd, qdd = (self.still if part is None else part for part in (qd, qdd))
        found = model.inverse(self.q, qd, qdd, self.robot.split.driven, **how)
        return np.concatenate([found.force, found.torque], axis=-1), found.tau

    def moved(self, qd=None, qdd=None, **how):
        return self.of(self.weightless, qd, qdd, **how)


def single_causes(robot, q, qd, qdd):
    """Every cause with its words, its wrenches and its drives."""
    alone, n = Alone(robot, q), robot.n
    names, unit = robot.dof_names, np.eye(n)
    squares = {}
    for k in range(n):
        yield f"inertial {names[k]}", alone.moved(qdd=qdd * unit[k])
        squares[k] = alone.moved(qd=qd * unit[k])
        yield f"centrifugal {names[k]}", squares[k]
        rubbing = Maximal(only(robot, losses=True))
        yield f"friction {names[k]}", alone.of(rubbing, qd=qd * unit[k])
        yield f"rotor {names[k]}", alone.of(rubbing, qdd=qdd * unit[k])
    for k, m in combinations(range(n), 2):
        both = alone.moved(qd=qd * (unit[k] + unit[m]))
        parts = zip(both, squares[k], squares[m], strict=True)
        yield f"coriolis {names[k]}, {names[m]}", tuple(whole - first - second for whole, first, second in parts)
    for link in robot.link_names[1:]:
        yield f"gravity {link}", alone.of(Maximal(only(robot, link, gravity=robot.gravity)))


def compare(robot, q, qd, qdd):
    loads = robot.load_breakdown(q, qd, qdd, compiled=False)
    expected = dict(single_causes(robot, q, qd, qdd))
    size = max(abs(loads.totals()).max(), 1.0)
    found = {joint: loads.by_cause(joint) for joint in loads.index.joint_names}
    assert {cause for causes in found.values() for cause in causes} <= expected.keys()
    for cause, (wrenches, tau) in expected.items():
        for joint, six in zip(loads.index.joint_names, wrenches, strict=True):
            own = found[joint].get(cause)
            here = np.zeros(6) if own is None else np.concatenate([own.force, own.torque])
            np.testing.assert_allclose(here, six, atol=TOLERANCE * size, err_msg=f"{cause} at {joint}")
        for drive in robot.driven:
            part = loads.drive(drive).get(cause, 0.0)
            np.testing.assert_allclose(part, tau[robot.dof_names.index(drive)], atol=TOLERANCE * size, err_msg=cause)


@pytest.mark.parametrize("name", ["four_bar", "slider_crank", "five_bar"])
def test_single_causes_of_plane_linkages(name):
    robot = with_drives_that_lose(catalog(name))
    compare(robot, *state(robot, 3))


@pytest.mark.parametrize("seed", [0, pytest.param(4, marks=pytest.mark.slow), pytest.param(8, marks=pytest.mark.slow)])
def test_single_causes_of_random_loops_in_space(seed):
    robot = with_drives_that_lose(random_closed(seed))
    compare(robot, *state(robot, seed))


def test_more_drives_than_freedoms_share_every_cause_and_the_preload_is_one():
    robot = with_drives_that_lose(catalog("five_bar").with_driven("left_joint", "right_joint", "left_rod_joint"))
    q, qd, qdd = state(robot, 5)
    compare(robot, q, qd, qdd)
    preload, weights = np.array([3.0, -2.0, 4.0]), np.array([1.0, 2.0, 0.5])
    own = {"preload": preload, "weights": weights}
    loads = robot.load_breakdown(q, qd, qdd, **own, compiled=False)
    wrenches = robot.joint_wrenches.uncompiled(q, qd, qdd, **own)
    tau = robot.inverse_dynamics.uncompiled(q, qd, qdd, **own)
    np.testing.assert_allclose(loads.totals()[..., :3], wrenches.force, atol=1e-12)
    for drive in robot.driven:
        assert abs(sum(loads.drive(drive).values()) - tau[robot.dof_names.index(drive)]) < 1e-12
    given = np.zeros((2, robot.n))
    given[:, list(robot.split.driven)] = preload, weights
    alone = Alone(robot, q)
    expected, forces = alone.of(alone.massless, preload=given[0], weights=given[1])
    pin = loads.cause("end_pin", "preload")
    np.testing.assert_allclose(np.concatenate([pin.force, pin.torque]), expected[-1], atol=1e-11)
    assert abs(loads.drive("right_joint")["preload"] - forces[robot.dof_names.index("right_joint")]) < 1e-11


def test_external_wrenches_and_a_moving_base():
    robot = catalog("four_bar")
    q, qd, qdd = state(robot, 1)
    rng = np.random.default_rng(2)
    force, torque, velocity, acceleration = rng.normal(size=(4, 6))[:, :6]
    hook = {"coupler": lp.Wrench(force[:3], torque[:3])}
    base = {"base_velocity": velocity, "base_acceleration": acceleration}
    loads = robot.load_breakdown(q, qd, qdd, external=hook, **base, compiled=False)
    wrenches = robot.joint_wrenches.uncompiled(q, qd, qdd, external=hook, **base)
    np.testing.assert_allclose(loads.totals()[..., 3:], wrenches.torque, atol=1e-12)
    alone = Alone(robot, q)
    pushed, _ = alone.of(alone.massless, external={"coupler": (force[:3], torque[:3])})
    turning, _ = alone.moved(base_velocity=velocity)
    for k, joint in enumerate(loads.index.joint_names):
        own = loads.external[joint, "coupler"], loads.base[joint, "centrifugal"]
        for found, expected in zip(own, (pushed, turning), strict=True):
            np.testing.assert_allclose(np.concatenate([found.force, found.torque]), expected[k], atol=1e-11)


@pytest.mark.parametrize("name", [*CATALOG[:3], *(pytest.param(name, marks=pytest.mark.slow) for name in CATALOG[3:])])
def test_causes_sum_to_the_wrenches_and_the_drives(name):
    robot = with_drives_that_lose(catalog(name))
    state_ = states(robot, 3)
    wrenches, tau = robot.joint_wrenches.uncompiled(*state_), robot.inverse_dynamics.uncompiled(*state_)
    size = max(1.0, abs(wrenches.force).max(), abs(wrenches.torque).max())
    for how in ({}, {"by": "joint"}, {"by_link": True}, {"frame": "world"}, {"frame": robot.link_names[-1]}):
        loads = robot.load_breakdown(*state_, **how, compiled=False)
        six = loads.totals()
        lengths = np.linalg.norm(six[..., :3], axis=-1), np.linalg.norm(six[..., 3:], axis=-1)
        np.testing.assert_allclose(lengths[0], np.linalg.norm(wrenches.force, axis=-1), atol=1e-12 * size)
        np.testing.assert_allclose(lengths[1], np.linalg.norm(wrenches.torque, axis=-1), atol=1e-12 * size)
        if "frame" not in how:
            np.testing.assert_allclose(six[..., :3], wrenches.force, atol=1e-12 * size)
        for drive in robot.driven:
            whole = sum(loads.drive(drive).values())
            np.testing.assert_allclose(whole, tau[:, robot.dof_names.index(drive)], atol=1e-12 * size)


def test_a_link_alone_is_what_its_mass_does():
    robot = with_drives_that_lose(catalog("four_bar"))
    q, qd, qdd = state(robot, 7)
    loads = robot.load_breakdown(q, qd, qdd, by_link=True, compiled=False).of_link("coupler")
    expected, tau = Alone(robot, q).of(Maximal(only(robot, "coupler", gravity=robot.gravity)), qd, qdd)
    np.testing.assert_allclose(loads.totals(), expected, atol=1e-11)
    assert abs(sum(loads.drive("crank_joint").values()) - tau[0]) < 1e-11


def test_the_compiled_breakdown_is_the_same():
    robot = catalog("four_bar")
    state_ = states(robot, 5)
    compiled, plain = (robot.load_breakdown(*state_, compiled=flag) for flag in (True, False))
    for part in ("values", "friction", "rotor", "drives"):
        np.testing.assert_allclose(getattr(compiled, part), getattr(plain, part), atol=1e-13)


def test_what_is_made_of_a_breakdown():
    robot = with_drives_that_lose(catalog("four_bar"))
    state_ = states(robot, 4)
    loads = robot.load_breakdown(*state_, compiled=False)
    assert loads.top("rocker_pin", "force_x", 1)[0].cause in loads.causes("rocker_pin")
    assert any(part.kind == "friction" for part in loads.top("crank_joint", "drive", 99))
    text = loads.to_table("rocker_pin", count=3)
    assert "force_z~" in text and "force_x~" not in text and "rigid statics leaves it open" in text
    assert len(loads.plot("rocker_pin", "force_x").data) > 3
    assert set(loads.to_dataframe().joint.unique()) == set(robot.closed_joint_names)
    mean = robot.reduce_loads(state_, lp.LoadMean(), block=2)
    np.testing.assert_allclose(mean.totals(), loads.totals().mean(axis=0), atol=1e-12)
    whole = sum(mean.drive("crank_joint").values())
    np.testing.assert_allclose(whole, sum(loads.drive("crank_joint").values()).mean(), atol=1e-12)


def test_friction_of_a_passive_joint_loads_the_pins_and_that_of_the_only_drive_does_not():
    robot = with_drives_that_lose(catalog("four_bar"))
    loads = robot.load_breakdown(*state(robot, 2), compiled=False)
    assert abs(loads.cause("rocker_pin", "friction", "rocker_joint").force).max() > 1e-4
    assert "friction crank_joint" not in loads.causes("rocker_pin")
    assert loads.drive("crank_joint")["friction crank_joint"] == loads.friction[0]


def test_refusals():
    robot = catalog("four_bar")
    state_ = state(robot, 2)
    loads = robot.load_breakdown(*state_, compiled=False)
    with pytest.raises(ValueError, match=r"'coupler_joint' is passive: it has no drive; the drives are crank_joint"):
        loads.drive("coupler_joint")
    with pytest.raises(ValueError, match=r"no joint 'rocker_pn'; did you mean 'rocker_pin'\?"):
        loads.total("rocker_pn")
    with pytest.raises(ValueError, match=r"load_breakdown: .* open at this state: 'rocker_pin' by"):
        robot.load_breakdown(state_[0] + 0.1, *state_[1:], compiled=False)
    with pytest.raises(ValueError, match="preload= is for robots with more drives than freedoms"):
        robot.load_breakdown(*state_, preload=[1.0], compiled=False)
    with pytest.raises(ValueError, match="preload= is for closed chains"):
        lp.catalog.planar(1).load_breakdown([0], [0], [0], preload=[1.0])


@pytest.mark.parametrize("name", ["five_bar", pytest.param("parallelogram_palletizer", marks=pytest.mark.slow)])
def test_motion_by_drive_is_what_each_drive_does_when_it_moves_alone(name):
    robot = with_drives_that_lose(catalog(name))
    q, qd, qdd = state(robot, 4)
    own = list(robot.split.independent)
    loads = robot.load_breakdown(q, qd, qdd, by="drive", compiled=False)
    alone = Alone(robot, q)
    still = np.zeros(len(own))

    def moved(speeds, accelerations):
        return alone.moved(*alone.weightless.complete(q, own, speeds, accelerations))[0]

    size = max(1.0, abs(loads.totals()).max())
    unit = np.eye(len(own))
    for a, name_of in enumerate(robot.independent):
        for joint, six in zip(loads.index.joint_names, moved(still, qdd[own] * unit[a]), strict=True):
            found = loads.inertial[joint, name_of]
            np.testing.assert_allclose([*found.force, *found.torque], six, atol=TOLERANCE * size)
        for joint, six in zip(loads.index.joint_names, moved(qd[own] * unit[a], still), strict=True):
            found = loads.centrifugal[joint, name_of]
            np.testing.assert_allclose([*found.force, *found.torque], six, atol=TOLERANCE * size)
    wrenches = robot.joint_wrenches.uncompiled(q, qd, qdd)
    for how in (
        {},
        {"by_link": True},
        {"base_velocity": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], "base_acceleration": [1.0] * 6},
    ):
        loads = robot.load_breakdown(q, qd, qdd, by="drive", compiled=False, **how)
        case = {key: value for key, value in how.items() if key.startswith("base")}
        wrenches = robot.joint_wrenches.uncompiled(q, qd, qdd, **case)
        np.testing.assert_allclose(loads.totals()[..., :3], wrenches.force, atol=1e-11 * size)
    assert loads.index.movers == robot.independent
