"""States in calls, load cases with them, and both in blocks."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from handed_in import frame

import loadpath as lp
from loadpath.states import Batch, LoadCase, StateBatch, as_motion, is_motion, read_states
from loadpath.states.load_case import rows_of


@pytest.fixture(scope="module")
def arm() -> lp.Robot:
    return lp.catalog.lau_arm()


@pytest.fixture(scope="module")
def motion(arm: lp.Robot) -> lp.Motion:
    return lp.Motion.swing(arm, 21)




# Calls


def test_a_motion_brings_what_the_quantity_takes(arm: lp.Robot, motion: lp.Motion) -> None:
    tau = arm.inverse_dynamics(motion)
    np.testing.assert_allclose(arm.forward_dynamics(motion, tau), motion.qdd, atol=1e-9)
    np.testing.assert_allclose(arm.forward_dynamics(motion, tau=tau), motion.qdd, atol=1e-9)
    np.testing.assert_array_equal(arm.jacobian(motion, "rod"), arm.jacobian(motion.q, "rod"))
    np.testing.assert_array_equal(arm.inverse_dynamics(q=motion), tau)
    with pytest.raises(TypeError, match="forward_dynamics needs tau as well"):
        arm.forward_dynamics(motion)


def test_a_simulation_brings_its_forces_too(arm: lp.Robot) -> None:
    simulation = arm.simulate([0.1, 0.2, 0.5], [0.3, 0, 0], torque=[1.0, 0.5, 2.0], duration=0.1)
    np.testing.assert_allclose(arm.forward_dynamics(simulation), simulation.qdd, atol=1e-9)
    other = np.zeros(3)
    expected = arm.forward_dynamics(simulation.q, simulation.qd, other)
    np.testing.assert_array_equal(arm.forward_dynamics(simulation, other), expected)


def test_a_motion_with_more_than_it_leaves_room_for(arm: lp.Robot, motion: lp.Motion) -> None:
    with pytest.raises(ValueError, match="inverse_dynamics: the motion has its own q, qd, qdd: leave out 'qd'"):
        arm.inverse_dynamics(motion, motion.qd)
    with pytest.raises(ValueError, match="inverse_dynamics: the motion has its own q, qd, qdd: leave out 'qdd'"):
        arm.inverse_dynamics(motion, qdd=motion.qdd)
    with pytest.raises(TypeError, match="forward_dynamics got 'tau' twice"):
        arm.forward_dynamics(motion, motion.qdd, tau=motion.qdd)
    with pytest.raises(TypeError, match="inverse_dynamics takes q, qd, qdd: 4 arguments were given"):
        arm.inverse_dynamics(motion.q, motion.qd, motion.qdd, frame(motion.q, arm.dof_names))


def test_both_configurations_of_a_displacement_may_have_names(arm: lp.Robot, motion: lp.Motion) -> None:
    begin, end = motion.q[3], motion.q[9]
    named = pd.Series(end, index=arm.dof_names)[::-1]
    np.testing.assert_array_equal(arm.difference(begin, named), arm.difference(begin, end))


def test_results_are_plain_arrays_also_into_out(arm: lp.Robot, motion: lp.Motion) -> None:
    into = np.empty((21, 3))
    tables = [frame(part, arm.dof_names) for part in (motion.q, motion.qd, motion.qdd)]
    found = arm.inverse_dynamics(*tables, out=into)
    assert found is into and type(arm.inverse_dynamics(*tables)) is np.ndarray
    np.testing.assert_array_equal(found, arm.inverse_dynamics(motion.q, motion.qd, motion.qdd))


def test_labels_of_other_arrays_than_states_are_refused(arm: lp.Robot, motion: lp.Motion) -> None:
    moved = pd.Series(np.zeros(6), index=list("abcdef"))
    with pytest.raises(ValueError, match="inverse_dynamics: 'base_velocity' has the labels 'a', 'b'"):
        arm.inverse_dynamics(motion, base_velocity=moved)
    plain = arm.inverse_dynamics(motion, base_velocity=pd.Series(np.zeros(6)))
    np.testing.assert_allclose(plain, arm.inverse_dynamics(motion), atol=1e-12)
    with pytest.raises(ValueError, match="'base_velocity' has 6 masked values"):
        arm.peak_loads(motion, base_velocity=np.ma.masked_all(6))


def test_coordinates_with_quaternions_have_names_of_their_own(arm: lp.Robot) -> None:
    free = arm.floating()
    q = free.neutral() + 0.01 * np.arange(free.nq)
    q[3:7] /= np.linalg.norm(q[3:7])
    named = pd.Series(q, index=free.coordinate_names)
    assert free.coordinate_names[3:8] == (*(f"floating_base.q{k}" for k in "xyzw"), "theta1")
    np.testing.assert_array_equal(free.gravity_forces(named[::-1]), free.gravity_forces(q))
    with pytest.raises(ValueError, match=r"'q' has no 'floating_base\.x', 'floating_base\.y'"):
        free.gravity_forces(pd.Series(q[:9], index=free.dof_names))


def test_rows_of_tables_with_other_labels_belong_to_other_states(arm: lp.Robot, motion: lp.Motion) -> None:
    tables = [frame(part, arm.dof_names) for part in (motion.q, motion.qd, motion.qdd)]
    for run in (arm.inverse_dynamics, arm.peak_loads):
        with pytest.raises(ValueError, match="the rows of 'q' and 'qdd' have different labels"):
            run(tables[0], tables[1], tables[2][::-1])
    together = [table[::-1] for table in tables]
    np.testing.assert_array_equal(arm.inverse_dynamics(*together), arm.inverse_dynamics(motion)[::-1])


def test_a_motion_of_the_same_joints_in_another_order() -> None:
    """Two arms on one base, mounted in one order and in the other."""
    base = lp.catalog.lau_rover().base
    left, right = lp.catalog.planar(2), lp.catalog.two_link()
    one = base.carrying(left, prefix="a_").carrying(right, prefix="b_").robot
    two = base.carrying(right, prefix="b_").carrying(left, prefix="a_").robot
    assert one.dof_names != two.dof_names and set(one.dof_names) == set(two.dof_names)
    swing = lp.Motion.swing(one, 11)
    places = [one.dof_names.index(name) for name in two.dof_names]
    expected = two.inverse_dynamics(swing.q[:, places], swing.qd[:, places], swing.qdd[:, places])
    np.testing.assert_array_equal(two.inverse_dynamics(swing), expected)
    np.testing.assert_array_equal(two.peak_loads(swing).drive.magnitude, np.abs(expected).max(axis=0))
    simulation = one.simulate(swing.q[3], swing.qd[3], duration=0.03)
    expected = two.inverse_dynamics(*(part[:, places] for part in (simulation.q, simulation.qd, simulation.qdd)))
    np.testing.assert_array_equal(two.inverse_dynamics(simulation), expected)
    turned = as_motion(two, swing, "report")
    assert turned.robot is two
    np.testing.assert_array_equal(turned.q, swing.q[:, places])
    np.testing.assert_array_equal(lp.Motion.from_simulation(simulation, two).qd, simulation.qd[:, places])


def test_joints_with_quaternions_in_another_order_need_names_of_their_coordinates() -> None:
    """A simulation has names for its speeds only: which column of q is which cannot be said."""
    free = lp.catalog.planar(2).floating()
    log = SimpleNamespace(q=np.zeros((4, 9)), qd=np.zeros((4, 8)), qdd=np.zeros((4, 8)), dof_names=free.dof_names)
    log.q[:, 6] = 1.0
    np.testing.assert_array_equal(free.gravity_forces(log), free.gravity_forces(log.q))
    log.dof_names = free.dof_names[::-1]
    with pytest.raises(ValueError, match=r"is of a robot with joint2, joint1, .*; robot 'planar2' has float"):
        free.gravity_forces(log)
    log.coordinate_names = free.coordinate_names[::-1]
    found = free.gravity_forces(SimpleNamespace(**{**vars(log), "q": log.q[:, ::-1]}))
    np.testing.assert_array_equal(found, free.gravity_forces(log.q))


# What counts as a motion


def test_anything_with_the_arrays_of_a_motion_is_one(arm: lp.Robot, motion: lp.Motion) -> None:
    log = SimpleNamespace(q=motion.q, qd=motion.qd, qdd=motion.qdd)
    np.testing.assert_array_equal(arm.inverse_dynamics(log), arm.inverse_dynamics(motion))
    assert arm.peak_loads(log).duration is None
    assert arm.peak_loads(SimpleNamespace(**vars(log), times=motion.t)).duration == motion.duration
    derivatives = arm.inverse_dynamics_derivatives(motion.q[0], motion.qd[0], motion.qdd[0])
    assert not is_motion(derivatives) and not is_motion(pd.DataFrame({"q": [0.0], "qd": [0.0], "qdd": [0.0]}))


def test_motion_and_simulation_have_one_name_for_their_times(arm: lp.Robot, motion: lp.Motion) -> None:
    assert motion.times is motion.t
    assert as_motion(arm, motion, "report") is motion
    with pytest.raises(ValueError, match="report: the motion has no times"):
        as_motion(arm, SimpleNamespace(q=motion.q, qd=motion.qd, qdd=motion.qdd), "report")
    with pytest.raises(ValueError, match=r"report takes an lp\.Motion or a simulation, not a tuple"):
        as_motion(arm, (motion.q, motion.qd, motion.qdd), "report")


def test_robots_on_a_rover_may_have_a_prefix() -> None:
    arm = lp.catalog.two_link()
    rover = lp.catalog.lau_rover().base.carrying(arm, prefix="left_")
    swing = lp.Motion.swing(arm, 11)
    expected = rover.wheel_loads(swing.q, swing.qd, swing.qdd).normal
    np.testing.assert_array_equal(rover.wheel_loads(swing).normal, expected)
    with pytest.raises(ValueError, match=r"is of robot 'two_link' with joint1, joint2; robot '.*' has left_"):
        rover.robot.inverse_dynamics(swing)  # of which the prefix is a part


def test_speeds_left_out_are_zero_only_where_that_is_said(arm: lp.Robot) -> None:
    still = read_states(arm, [0.1, 0.2, 0.3], at_rest=True)
    assert still.qd.tolist() == still.qdd.tolist() == [0.0, 0.0, 0.0]
    with pytest.raises(ValueError, match=r"^run: expected q, qd and qdd, or a motion"):
        read_states(arm, [0.1, 0.2, 0.3], [0, 0, 0], caller="run")


def test_identify_takes_a_motion_and_forces_or_a_simulation() -> None:
    arm = lp.catalog.planar(2)
    t = np.linspace(0, 10, 200)
    phase = np.outer(t, (1.0, 1.7))
    wave = lp.Motion(t, np.sin(phase), np.cos(phase) * (1.0, 1.7), -np.sin(phase) * (1.0, 1.7**2), robot=arm)
    tau = arm.inverse_dynamics(wave)
    expected = lp.identify(arm, wave.q, wave.qd, wave.qdd, tau).values
    np.testing.assert_array_equal(lp.identify(arm, wave, tau).values, expected)
    np.testing.assert_array_equal(lp.identify(arm, wave, tau=frame(tau, arm.dof_names)).values, expected)
    measured = SimpleNamespace(q=wave.q, qd=wave.qd, qdd=wave.qdd, tau=tau, times=t)
    np.testing.assert_array_equal(lp.identify(arm, measured).values, expected)
    with pytest.raises(TypeError, match="identify needs tau as well"):
        lp.identify(arm, wave)
    with pytest.raises(ValueError, match=r"identify: a motion has its own qd and qdd: give it and the forces"):
        lp.identify(arm, wave, wave.qd, wave.qdd, tau)


def test_simulations_start_from_states_with_names(arm: lp.Robot) -> None:
    q, qd = np.array([0.1, 0.2, 0.5]), np.array([0.3, 0.0, -0.1])
    torque = np.array([1.0, 0.5, 2.0])
    named = [pd.Series(part, index=arm.dof_names)[::-1] for part in (q, qd, torque)]
    short = {"duration": 0.02}
    expected = arm.simulate(q, qd, torque, **short).q
    np.testing.assert_array_equal(arm.simulate(*named, **short).q, expected)
    over_time = pd.DataFrame([named[2], 2 * named[2]])
    instants = pd.Series([0.0, 0.02], index=["a", "b"])
    found = arm.simulate(*named[:2], over_time, torque_times=instants, **short).tau
    np.testing.assert_allclose(found[-1], 2 * torque)
    three = {"steps": 3, "step": 0.01}
    np.testing.assert_array_equal(arm.rollout(*named, **three).q, arm.rollout(q, qd, torque, **three).q)
    rover = lp.catalog.lau_rover()
    rolled = rover.simulate(*named[:2], torque=named[2], **short)
    np.testing.assert_array_equal(rolled.q, rover.simulate(q, qd, torque=torque, **short).q)
    for run in (arm.simulate, rover.simulate, lambda *s, **o: arm.rollout(*s, steps=1, step=0.01)):
        with pytest.raises(ValueError, match="'q' has no 'd2'"):
            run(named[0].rename({"d2": "slide"}), named[1], **short)
        with pytest.raises(ValueError, match=r"'qd' has 1 masked value, the first at \(1,\)"):
            run(q, np.ma.masked_array(qd, mask=[0, 1, 0]), **short)


def test_inverse_kinematics_start_from_states_with_names() -> None:
    arm = lp.catalog.planar(2)
    target = arm.link_poses([0.3, 0.9])[-1]
    start = pd.Series({"joint2": 1.0, "joint1": 0.2})
    expected = arm.inverse_kinematics(target, q0=[0.2, 1.0]).q
    np.testing.assert_array_equal(arm.inverse_kinematics(target, q0=start).q, expected)
    with pytest.raises(ValueError, match="inverse_kinematics: 'q0' has no 'joint1'"):
        arm.inverse_kinematics(target, q0=start.rename({"joint1": "j1"}))


def test_forces_with_axes_as_labels() -> None:
    pull = lp.Wrench(force=pd.Series({"z": -5.0, "x": 1.0, "y": 2.0}))
    assert pull.force.tolist() == [1.0, 2.0, -5.0]
    with pytest.raises(ValueError, match="force of a wrench has no 'x'"):
        lp.Wrench(force=pd.Series({"fx": 1.0, "y": 2.0, "z": 3.0}))
    with pytest.raises(ValueError, match="torque of a wrench has 3 masked values"):
        lp.Wrench(torque=np.ma.masked_all(3))


# Load cases


def test_a_load_case_names_what_it_has() -> None:
    pull = {"tip": lp.Wrench(force=np.ones((4, 3)))}
    case = LoadCase(pull, base_acceleration=np.zeros(6))
    assert list(case.keywords) == ["external", "base_acceleration"] and list(case.base_motion) == ["base_acceleration"]
    assert case.shapes == {"base_acceleration": (), "external on tip": (4,)}
    assert LoadCase({}).keywords == {}
    with pytest.raises(ValueError, match=r"external wrench on 'tip' is a list: expected an lp\.Wrench"):
        LoadCase({"tip": [0.0, 0.0, 1.0]})
    with pytest.raises(ValueError, match="'external' is a list: expected a mapping"):
        LoadCase([lp.Wrench()])  # type: ignore[arg-type]


def test_a_load_case_of_some_states() -> None:
    force = np.arange(12.0).reshape(4, 3)
    case = LoadCase({"tip": lp.Wrench(force=force, torque=(1, 2, 3))}, np.arange(6.0))
    some = case.of_states(slice(1, 3), (4,))
    assert some.external is not None
    np.testing.assert_array_equal(some.external["tip"].force, force[1:3])
    assert some.external["tip"].torque.shape == (3,) and np.shape(some.base_velocity) == (6,)
    one = case.of_states(2, (4,))
    assert one.external is not None and one.external["tip"].force.tolist() == force[2].tolist()
    shared = LoadCase({"tip": lp.Wrench(force=(1, 0, 0))})
    assert shared.of_states(slice(0, 2), (4,)) is shared


@pytest.mark.parametrize("shape", [(6,), (2, 3), ()])
@pytest.mark.parametrize("rows", [slice(0, 1), slice(1, 4), np.array([0, 3, 5]), 2])
def test_rows_of_a_broadcast_array(shape: tuple[int, ...], rows: Any) -> None:
    count = int(np.prod(shape, dtype=int))
    if count == 1:
        rows = slice(0, 1) if isinstance(rows, slice) else 0
    own = np.random.default_rng(0).normal(size=(*shape, 4))
    for array in (own, own[..., ::2], own[(0,) * len(shape)], own[:1]):
        everything = np.broadcast_to(array, (*shape, array.shape[-1])).reshape(count, -1)
        np.testing.assert_array_equal(rows_of(array, rows, shape), everything[rows])


# Blocks


def test_blocks_go_through_all_states_once() -> None:
    q, tilt = np.arange(24.0).reshape(2, 3, 4), np.arange(18.0).reshape(3, 6)
    batch = Batch({"q": q}, LoadCase(base_velocity=tilt))
    assert batch.shape == (2, 3) and len(batch) == 6 and batch.place(4) == (1, 1)
    blocks = list(batch.blocks(4))
    assert [(block.first, len(block)) for block in blocks] == [(0, 4), (4, 2)]
    np.testing.assert_array_equal(np.concatenate([block.arrays[0] for block in blocks]), q.reshape(6, 4))
    moved = np.concatenate([np.asarray(block.case.base_velocity) for block in blocks])
    np.testing.assert_array_equal(moved, np.broadcast_to(tilt, (2, 3, 6)).reshape(6, 6))


def test_batch_shapes_of_states_and_loads_are_compared(arm: lp.Robot) -> None:
    loads = LoadCase({"rod": lp.Wrench(force=np.zeros((5, 3)))})
    states = read_states(arm, np.zeros((4, 3)), at_rest=True)
    message = r"^run: the batch shapes do not go together: 'q' \(4,\), .*'external on rod' \(5,\)"
    with pytest.raises(ValueError, match=message):
        StateBatch(arm, states, loads, "run")
    with pytest.raises(ValueError, match=r"^run: 'q' has the shape \(4, 2\): expected \(\.\.\., 3\)"):
        StateBatch(arm, states._replace(q=np.zeros((4, 2))), caller="run")


def test_weights_are_those_of_the_trapezoid_rule(arm: lp.Robot) -> None:
    t = np.array([0.0, 1.0, 3.0, 4.0])
    states = read_states(arm, np.zeros((4, 3)), at_rest=True)
    assert StateBatch(arm, states._replace(times=t)).weights.tolist() == [0.125, 0.375, 0.375, 0.125]
    assert StateBatch(arm, states).weights.tolist() == [0.25] * 4
    batch = StateBatch(arm, states._replace(times=t))
    assert batch.where(2) == "sample 2 (t = 3 s)" and batch.duration == 4.0
    assert StateBatch(arm, states).where(2) == "state 2"
    grid = StateBatch(arm, read_states(arm, np.zeros((2, 2, 3)), at_rest=True))
    assert grid.where(2) == "state (1, 0)"
    with pytest.raises(ValueError, match=r"load case of a motion of 4 samples has the batch shape \(7, 4\)"):
        StateBatch(arm, states._replace(times=t), LoadCase(base_velocity=np.zeros((7, 1, 6))))
