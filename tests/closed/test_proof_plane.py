"""Plane linkages: drives and pin forces against the plane's own equations, body by body, to 1e-11."""

from __future__ import annotations

import numpy as np
import pytest

from closed.cases import PLANE, ask, catalog, joint_frames, state
from closed.plane_linkages import random_linkage
from closed.references import plane

TOLERANCE = 1e-11


def compare(robot, q, qd, qdd, compiled=False):
    """All drives, and force and couple in the plane at every joint and loop."""
    expected = plane.of_robot(robot, q, qd, qdd, robot.driven)
    size = max(1.0, *(abs(pin.force) + abs(pin.couple) for pin in expected.values()))
    tau = ask(robot, "inverse_dynamics", q, qd, qdd, compiled=compiled)
    wrenches = ask(robot, "joint_wrenches", q, qd, qdd, compiled=compiled)
    for k, name in enumerate(robot.dof_names):
        if name in robot.driven:
            assert tau[k] == pytest.approx(expected[name].drive, abs=TOLERANCE * size)
        else:
            assert tau[k] == 0.0
    frames = joint_frames(robot, q)
    for name, pin in expected.items():
        force = frames[name][:3, :3] @ wrenches[name].force
        torque = frames[name][:3, :3] @ wrenches[name].torque
        assert abs(complex(force @ plane.RIGHT, force @ plane.UP) - pin.force) < TOLERANCE * size, name
        assert abs(torque @ plane.NORMAL - pin.couple) < TOLERANCE * size, name
        # Nothing acts out of the plane, so nothing but nothing is the least there.
        assert abs(force @ plane.NORMAL) < TOLERANCE * size
        assert abs(torque @ plane.RIGHT) + abs(torque @ plane.UP) < TOLERANCE * size


@pytest.mark.parametrize("name", PLANE)
def test_linkages_of_the_textbooks(name):
    for seed in range(3):
        robot = catalog(name)
        compare(robot, *state(robot, seed, spread=0.4, speed=5.0), compiled=name == "four_bar")


@pytest.mark.parametrize(("seed", "compiled"), [
    *((seed, False) for seed in range(2)),
    *(pytest.param(seed, True, marks=pytest.mark.slow) for seed in range(16)),
])
def test_random_linkages(seed, compiled):
    robot = random_linkage(seed)
    assert robot.mobility == 1 + seed % 2
    compare(robot, *state(robot, 1), compiled=compiled)


def test_four_bar_closes_where_the_law_of_cosines_says():
    robot = catalog("four_bar")
    angles = np.linspace(0, 2 * np.pi, 50)
    found = robot.assemble({"crank_joint": angles}, near=robot.home)
    assert found.reached.all()
    for q, angle in zip(found.q, angles, strict=True):
        coupler, rocker = plane.four_bar_angles(0.40, 0.12, 0.36, 0.28, angle)
        turned = np.array([q[0] + q[1] - coupler, q[2] - rocker])
        assert abs(np.exp(1j * turned) - 1).max() < 1e-11


@pytest.mark.slow
def test_slider_crank_and_five_bar_close_where_their_triangles_say():
    robot = catalog("slider_crank")
    angles = np.linspace(0, 2 * np.pi, 50)
    for q, angle in zip(robot.assemble({"crank_joint": angles}, near=robot.home).q, angles, strict=True):
        lean, place = plane.slider_crank_place(0.05, 0.20, angle)
        assert abs(np.exp(1j * (q[0] + q[1] - lean)) - 1) + abs(q[2] - place) < 1e-11
    robot = catalog("five_bar")
    left, right = np.linspace(1.6, 2.6, 20), np.linspace(1.5, 0.5, 20)
    found = robot.assemble({"left_joint": left, "right_joint": right}, near=robot.home)
    for q, *angles in zip(found.q, left, right, strict=True):
        rods = plane.five_bar_angles(0.20, (0.25, 0.25), (0.40, 0.40), angles)
        assert abs(np.exp(1j * (np.array([q[0] + q[1], q[2] + q[3]]) - rods)) - 1).max() < 1e-11
