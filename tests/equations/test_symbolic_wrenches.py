"""Joint wrenches in symbols: against the numeric ones, by cause against the breakdown, against the thesis."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import loadpath as lp
from equations.evaluated import ROBOTS, at, equations_of, robot_of, same, state_of
from loadpath.algorithms.load_terms import layout
from loadpath.robot.mechanism import plain

HEAVY = ("quaternion", "floating", "several freedoms", "stanford_arm", "puma560")
SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in HEAVY]
SIX = [pytest.param(name, marks=pytest.mark.slow) for name in ("stanford_arm", "puma560")]
NUMBERS = [name for name in ROBOTS if name not in HEAVY]


def check_wrenches(name: str, parameters: str) -> None:
    robot, found = robot_of(name), equations_of(name, parameters)
    state = state_of(robot)
    expected = robot.joint_wrenches.uncompiled(*state)
    same(at(found, found.joint_wrenches.force, state), expected.force)
    same(at(found, found.joint_wrenches.torque, state), expected.torque)


@pytest.mark.parametrize("name", [*NUMBERS, *SLOW])
def test_wrenches_are_the_numeric_ones(name: str) -> None:
    check_wrenches(name, "numbers")


@pytest.mark.parametrize("name", ["two_link", "lau_arm"])
def test_wrenches_with_symbols_are_the_numeric_ones(name: str) -> None:
    check_wrenches(name, "symbols")


@pytest.mark.parametrize("name", ["stanford_arm", "puma560"])
def test_an_elbow_of_six_joints(name: str) -> None:
    """One joint of six, which is quick; all of them are slow."""
    robot, found = robot_of(name), equations_of(name)
    joint, state = robot.joint_names[3], state_of(robot)
    wrench, expected = found.joint_wrenches[joint], robot.joint_wrenches.uncompiled(*state)[joint]
    same(at(found, [*wrench.force, *wrench.torque], state), np.concatenate([expected.force, expected.torque]))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["stanford_arm", "puma560"])
def test_wrenches_of_six_joints_with_symbols(name: str) -> None:
    check_wrenches(name, "symbols")


@pytest.mark.parametrize("formulation", lp.Robot.inverse_dynamics.formulations)
def test_every_formulation_gives_the_same_wrenches(formulation: str) -> None:
    found = lp.catalog.lau_arm().equations(formulation, "symbols")
    expected = equations_of("lau_arm", "symbols")
    for joint in ("theta1", "d2"):
        for one, other in zip(found.joint_wrenches[joint].torque, expected.joint_wrenches[joint].torque, strict=True):
            assert sympy.expand(one - other) == 0


@pytest.mark.parametrize("axes", ["world", "parent"])
@pytest.mark.parametrize("name", ["lau_arm", "tree", "standard DH"])
def test_wrenches_in_other_axes(name: str, axes: str) -> None:
    robot, found = robot_of(name), equations_of(name)
    state = state_of(robot)
    here, there = robot.joint_wrenches.uncompiled(*state), found.joint_wrenches_in(axes)
    poses = dict(zip(robot.link_names, robot.link_poses.uncompiled(state[0]), strict=True))
    for joint in robot.joints:
        R = poses[joint.child][:3, :3] @ np.array(joint.link_offset.rotation).T
        R = R if axes == "world" else poses[joint.parent][:3, :3].T @ R
        same(at(found, there[joint.name].force, state), R @ here[joint.name].force)
        same(at(found, there[joint.name].torque, state), R @ here[joint.name].torque)


@pytest.mark.parametrize("name", ["two_link", "lau_arm", "tree", "general frames", *SIX])
def test_causes_are_those_of_the_breakdown(name: str) -> None:
    """Term by term, with the part of each link's mass by itself."""
    robot, found = robot_of(name), equations_of(name)
    state = state_of(robot)
    expected: dict[tuple[str, ...], np.ndarray] = {}
    for term, row in zip(layout(plain(robot), by_link=True), robot.load_terms.uncompiled(*state, by_link=True).values,
                         strict=True):
        names = () if term.kind == "gravity" else term.names
        expected[term.joint, term.kind, *names, str(term.link)] = row
    loads = found.loads_by_cause(by_link=True)
    made = {(joint, *key): load for joint in robot.joint_names for key, load in loads[joint].items()}
    assert made.keys() <= expected.keys()
    for key, row in expected.items():
        load = made.get(key)
        same(np.zeros(6) if load is None else at(found, [*load.force, *load.torque], state), row)


@pytest.mark.parametrize("name", ["lau_arm", "tree"])
def test_causes_add_up(name: str) -> None:
    found = equations_of(name)
    for joint, loads in found.wrenches_by_cause.items():
        total = sum((load.torque for load in loads.values()), sympy.zeros(3, 1))
        for one, other in zip(total, found.joint_wrenches[joint].torque, strict=True):
            difference = sympy.expand(one - other)
            assert all(abs(number) < 1e-12 for number in sympy.Poly(difference, *difference.free_symbols).coeffs()) if (
                difference.free_symbols) else abs(difference) < 1e-12
        for load in loads.values():
            assert load.motion.free_symbols <= {*found.qd, *found.qdd}


# The thesis


q1, q2, d2, w1, w2, u2, alpha1, alpha2, a2 = sympy.symbols("q1 q2 q3 qd1 qd2 qd3 qdd1 qdd2 qdd3")
M1, M2, d1, L, g = sympy.symbols("M1 M2 d1 L g")
NAMES = {"turntable.mass": "M1", "rod.mass": "M2", "theta2.origin.y": "d1", "rod.center_of_mass.x": "L/2",
         "rod.inertia.xx": "Ixx", "rod.inertia.yy": "Iyy", "rod.inertia.zz": "Izz", "gravity": "g"}


def inertial(found: lp.equations.Equations, joint: str) -> sympy.Matrix:
    loads = found.wrenches_by_cause[joint]
    return sum((load.force for load in loads.values() if load.kind == "inertial"), sympy.zeros(3, 1))


def test_inertial_forces_of_the_thesis() -> None:
    """(3-121), (3-122) as corrected (cos for sin in y), at the instant d2 = L for which the thesis prints them."""
    found = lp.catalog.lau_arm().equations(parameters=NAMES)
    c, s, half = sympy.cos(q2), sympy.sin(q2), sympy.Rational(1, 2)
    second = M2 * sympy.Matrix([-a2 - alpha1 * d1 * c, -half * alpha1 * d2 * c, half * alpha2 * d2 - alpha1 * d1 * s])
    first = M2 * sympy.Matrix(
        [-a2 * c + half * d2 * alpha2 * s - d1 * alpha1, -half * d2 * c * alpha1, a2 * s + half * d2 * alpha2 * c]
    )
    assert sympy.expand(inertial(found, "theta2").subs(L, d2) - second) == sympy.zeros(3, 1)
    assert sympy.expand(inertial(found, "theta1").subs(L, d2) - first) == sympy.zeros(3, 1)


def test_gravity_of_the_thesis() -> None:
    """(3-114), (3-115), (3-119), (3-120) as corrected: the thesis gives loads, and wrenches here hold against them."""
    found = lp.catalog.lau_arm().equations(parameters=NAMES)
    c, s = sympy.cos(q2), sympy.sin(q2)
    of = {joint: found.wrenches_by_cause[joint][("gravity",)] for joint in ("theta1", "theta2")}
    assert -of["theta2"].force == M2 * g * sympy.Matrix([s, 0, -c])
    assert sympy.expand(-of["theta1"].force) == sympy.expand(-(M1 + M2) * g * sympy.Matrix([0, 0, 1]))
    assert sympy.expand(of["theta2"].torque.subs(L, d2)) == sympy.Matrix([0, M2 * g * d2 * c / 2, 0])
    assert sympy.expand(of["theta1"].torque.subs(L, d2)) == M2 * g * sympy.Matrix([d1, d2 * c / 2, 0])
    by_link = found.loads_by_cause(by_link=True)["theta1"]
    assert by_link["gravity", "rod"].force[2] == M2 * g and by_link["gravity", "turntable"].force[2] == M1 * g


def test_wrenches_of_the_thesis_are_written_short() -> None:
    found = lp.catalog.lau_arm().equations(parameters=NAMES)
    force = found.wrenches_by_cause["theta2"]["inertial", "theta1"].force
    assert [str(entry) for entry in force] == [
        "-M2*d1*qdd1*cos(q2)", "-M2*qdd1*(-L + 2*q3)*cos(q2)/2", "-M2*d1*qdd1*sin(q2)"]


@pytest.mark.slow
def test_all_wrenches_of_three_general_joints_with_a_symbol_for_every_constant() -> None:
    robot = lp.catalog.random_dh_arm(3, seed=1)
    constants = lp.equations.constants(robot)
    assert all(
        constants[f"{link}.inertia.{entry}"].value for link in robot.link_names[1:] for entry in ("xx", "xy", "yz")
    )
    found = robot.equations(parameters="symbols")
    force, torque = found.joint_wrenches.force, found.joint_wrenches.torque
    state = state_of(robot)
    expected = robot.joint_wrenches.uncompiled(*state)
    same(at(found, force, state), expected.force)
    same(at(found, torque, state), expected.torque)


# What is refused


def test_mistakes_name_what_there_is() -> None:
    found = equations_of("lau_arm")
    with pytest.raises(ValueError, match="did you mean 'theta"):
        found.joint_wrenches["theta"]
    with pytest.raises(ValueError, match="no axes 'wrld'"):
        found.joint_wrenches_in("wrld")
    closed = lp.catalog.four_bar().equations()
    for ask in (lambda: closed.joint_wrenches, lambda: closed.wrenches_by_cause,
                lambda: closed.constraint_wrenches):
        with pytest.raises(ValueError, match=r"four_bar.*robot\.joint_wrenches"):
            ask()
