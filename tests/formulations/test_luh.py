"""Luh's Newton-Euler form: against everything else, in both sets of axes; the printed initial condition is wrong."""

from __future__ import annotations

import numpy as np
import pytest

from formulation_checks import (
    ROBOTS,
    check_compiled,
    check_example_poses,
    check_gravity_forces,
    check_inverse_dynamics,
    check_joint_wrenches,
    check_scalars,
    deviation,
    states,
)
from loadpath.formulations import luh, newton_euler
from loadpath.robot.mechanism import plain
from loadpath.robot.model import RobotModel
from loadpath.scalars import IDENTITY
from on_scalars import entries, on_arrays
from references import luh_printed
from references.dh_chains import GRAVITY, as_robot, random_motion, random_rows

AXES = ["link", "base"]


@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("robot", ROBOTS.values(), ids=ROBOTS)
def test_inverse_dynamics_and_joint_wrenches(robot: RobotModel, axes: str) -> None:
    check_inverse_dynamics(luh.inverse_dynamics, robot, axes=axes)
    check_joint_wrenches(luh.joint_wrenches, robot, axes=axes)


@pytest.mark.parametrize("robot", ROBOTS.values(), ids=ROBOTS)
def test_gravity_forces(robot: RobotModel) -> None:
    check_gravity_forces(luh.gravity_forces, robot)


def test_on_all_scalars() -> None:
    check_scalars(luh.inverse_dynamics)


def test_compiled() -> None:
    check_compiled("luh")


def test_example_poses() -> None:
    check_example_poses(luh.inverse_dynamics)


@pytest.mark.parametrize("kinds", ["RRR", "PRP", "RPRP"])
def test_the_table_holds_with_minus_g_and_not_as_printed(kinds: str) -> None:
    rows = random_rows(kinds, 3)
    motion = random_motion(len(rows), 4)
    tau = on_arrays(newton_euler.inverse_dynamics, plain(as_robot(rows)), *motion)
    assert deviation(luh_printed.inverse_dynamics(rows, *motion, vdot_0=-GRAVITY), tau) < 1e-12
    assert deviation(luh_printed.inverse_dynamics(rows, *motion, vdot_0=GRAVITY), tau) > 0.1


def test_base_axes_need_no_rotations_and_link_axes_no_arms_in_dh_frames() -> None:
    robot = as_robot(random_rows("RPR", 5))
    state = [entries(part) for part in states(robot)[0]]
    in_base = luh.links(plain(robot), *state, axes="base")
    assert all(link.R is IDENTITY for link in in_base)
    in_links = luh.links(plain(robot), *state)
    assert all(link.e.tolist() == [0.0, 0.0, 0.0] for link in in_links)
    # The axis of a joint is z of frame i-1, without any rounding: it costs nothing to add.
    assert in_links[0].zqd[:2].tolist() == [0.0, 0.0]
    assert in_links[2].zqd[:2].tolist() == [0.0, 0.0]


def test_moments_are_about_origin_i_minus_1() -> None:
    """Of a sliding joint: about the point where it sits on the link before, not about the point that slid."""
    rows = random_rows("RPR", 6)
    robot = as_robot(rows)
    q, qd, qdd = random_motion(3, 7)
    links = luh.links(plain(robot), entries(q), entries(qd), entries(qdd))
    wrenches = luh.backward(links, luh.forward(links, plain(robot).gravity))
    force, torque = on_arrays(newton_euler.joint_wrenches, plain(robot), q, qd, qdd)
    slide = np.array([0.0, 0.0, q[1]])
    turn = links[1].R.matrix().astype(float)
    assert deviation(turn @ wrenches[1].force.astype(float), np.array(robot.joints[1].origin.R) @ force[1]) < 1e-12
    about_origin = np.array(robot.joints[1].origin.R) @ (torque[1] + np.cross(slide, force[1]))
    assert deviation(turn @ wrenches[1].torque.astype(float), about_origin) < 1e-12
