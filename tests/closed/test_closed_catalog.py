"""The mechanisms of the catalog: they close, move as their docstrings say, and refuse sizes that cannot be."""

from __future__ import annotations

import math
import pickle
import warnings

import numpy as np
import pytest

import loadpath as lp
from closed.cases import CATALOG, ask, catalog, poses_of, reference, state
from closed.references.closing import closed, moved, open_by

FREEDOMS = {"four_bar": 1, "slider_crank": 1, "five_bar": 2, "parallelogram_palletizer": 4, "excavator": 4, "delta": 3,
            "stewart_platform": 6}
OPEN = {"four_bar": 3, "slider_crank": 3, "five_bar": 3, "parallelogram_palletizer": 9, "excavator": 12, "delta": 0,
        "stewart_platform": 0}


@pytest.mark.parametrize("name", CATALOG)
def test_made_without_a_warning_closed_within_limits_and_with_its_freedoms(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        robot = getattr(lp.catalog, name)()
    assert robot == catalog(name)
    assert robot.digest == pickle.loads(pickle.dumps(robot)).digest
    assert abs(open_by(reference(robot), np.array(robot.near))).max() < 1e-12
    np.testing.assert_allclose(robot.home, robot.near, rtol=0, atol=1e-15)
    assert robot.mobility == FREEDOMS[name] == len(robot.driven)
    assert set(robot.independent) == set(robot.driven)
    model = reference(robot)
    held = sum(loop.rows for loop in robot.loops)
    assert held - np.linalg.matrix_rank(model.jacobian(robot.home)) == OPEN[name]
    # Drives are in the tree, hold the mechanism up with what they have, and stand within their range.
    tau = ask(robot, "gravity_forces", robot.home)
    for joint in robot.joints:
        for limits, k in zip(joint.limits, range(robot.n)[robot.v_slices[joint.name]] if joint.motion.dof else (),
                             strict=True):
            assert abs(tau[k]) <= limits.effort
            if joint.motion.coordinates == joint.motion.dof:
                assert limits.lower <= robot.home[robot.q_slices[joint.name]][0] <= limits.upper


def at(robot, places):
    """The closed configuration with some joints placed, reached in small steps from home."""
    model = reference(robot)
    own = [robot.dof_names.index(joint) for joint in places]
    q, target = np.array(robot.home), np.array(list(places.values()))
    start = q[[robot.q_slices[joint].start for joint in places]]
    for part in np.linspace(0.25, 1, 4):
        step = np.zeros(robot.n)
        here = q[[robot.q_slices[joint].start for joint in places]]
        step[own] = start + part * (target - start) - here
        q = closed(model, moved(robot, q, step), own)
    return q


def test_palletizer_keeps_its_gripper_level_and_its_elbow_angle_is_that_of_the_forearm():
    robot = catalog("parallelogram_palletizer")
    q = at(robot, {"yaw_joint": 0.5, "shoulder_joint": 1.2, "elbow_joint": -0.4, "gripper_joint": 0.3})
    poses = poses_of(robot, q)
    np.testing.assert_allclose(poses["gripper"][:3, 2], [0, 0, -1], atol=1e-12)
    assert poses["forearm"][2, 0] == pytest.approx(math.sin(-0.4), abs=1e-12)
    assert poses["lower_arm"][2, 0] == pytest.approx(math.sin(1.2), abs=1e-12)
    reach = poses["tip"][:3, 3] @ [math.cos(0.5), math.sin(0.5), 0]
    assert reach == pytest.approx(0.26 + 0.95 * math.cos(1.2) + 1.05 * math.cos(0.4) + 0.10, abs=1e-12)


def test_excavator_takes_the_angles_of_its_home():
    robot = lp.catalog.excavator(boom=0.2, arm=-1.2, bucket=-0.5)
    assert abs(open_by(reference(robot), np.array(robot.near))).max() < 1e-12
    poses = poses_of(robot, np.array(robot.near))
    # A cylinder's coordinate is the distance of its pins, its rod lies along x of its barrel.
    for name, link in (("boom", "boom"), ("arm", "arm"), ("bucket", "lever")):
        loop = next(loop for loop in robot.loops if loop.name == f"{name}_rod_pin")
        pin = (poses[link] @ loop.on.matrix)[:3, 3]
        distance = np.linalg.norm(pin - poses[f"{name}_barrel"][:3, 3])
        assert robot.home[robot.q_slices[f"{name}_cylinder"]][0] == pytest.approx(distance, abs=1e-12)


def test_excavator_cylinders_hold_the_moment_of_the_weights():
    """By hand: the boom cylinder's force times its arm about the boom's hinge is the moment of all beyond the house."""
    robot = catalog("excavator")
    poses = poses_of(robot, robot.home)
    hinge, foot = poses["boom"][:3, 3], poses["boom_barrel"][:3, 3]
    pin = poses["boom_rod"][:3, 3]
    beyond = [link for link in robot.links if link.name not in ("tracks", "house", "boom_barrel", "boom_rod")]
    moment = 0.0
    for link in beyond:
        center = poses[link.name] @ [*link.inertia.center_of_mass, 1.0]
        moment += link.inertia.mass * 9.81 * (center[0] - hinge[0])
    # barrel and rod lean on the house and on the boom: each by the moments about the other end
    along = (pin - foot) / np.linalg.norm(pin - foot)
    across, length, weights = np.array([-along[2], 0, along[0]]), np.linalg.norm(pin - foot), []
    for name in ("boom_barrel", "boom_rod"):
        inertia = robot.link(name).inertia
        center = (poses[name] @ [*inertia.center_of_mass, 1.0])[:3] - foot
        weights.append((inertia.mass * 9.81, center))
    lean = sum(weight * center[0] for weight, center in weights) / length  # across the cylinder, at the boom's pin
    force = -lean * across  # that the cylinder puts on the boom, with what it pushes along
    arm = pin - hinge
    lever = arm[0] * along[2] - arm[2] * along[0]
    axial = (moment - (arm[0] * force[2] - arm[2] * force[0])) / lever
    drive = axial + weights[1][0] * along[2]  # the drive carries its rod, too
    tau = ask(robot, "gravity_forces", robot.home)
    assert tau[robot.dof_names.index("boom_cylinder")] == pytest.approx(drive, rel=1e-12)


def test_delta_moves_its_platform_without_turning_it():
    robot = catalog("delta")
    for seed in (1, 2):
        q, qd, _ = state(robot, seed)
        np.testing.assert_allclose(poses_of(robot, q)["platform"][:3, :3], np.eye(3), atol=1e-12)
        bodies = reference(robot).bodies(reference(robot).polynomials(q, qd, 0 * qd))
        assert abs(bodies["platform"].omega).max() < 1e-11


def test_stewart_platform_pushes_up_by_its_weight():
    robot = catalog("stewart_platform")
    tau = ask(robot, "gravity_forces", robot.home)[list(robot.split.driven)]
    np.testing.assert_allclose(tau, tau[0], rtol=1e-12)
    length, rise = robot.home[robot.q_slices["leg1"]][0], 0.75
    sine = rise / length
    # By moments about its foot a leg leans on its ball with `leans`, across itself; its push carries the height of that
    # and a sixth of the platform; the drive carries the rod, too.
    body = 0.62 * length
    leans = (6.0 * body / 2 + 2.5 * (length - body / 2)) / length
    push = (60.0 / 6 + leans * (1 - sine**2)) / sine
    assert tau[0] == pytest.approx(9.81 * (push + 2.5 * sine), rel=1e-12)


@pytest.mark.parametrize(("make", "message"), [
    (lambda: lp.catalog.four_bar(ground=2.0), "the ground of 2.0 m is as long as the other three together"),
    (lambda: lp.catalog.four_bar(crank=-1), "crank is -1.0: expected more than zero"),
    (lambda: lp.catalog.four_bar(masses=(1, 2)), "masses are .*: expected 3, of crank, coupler, rocker"),
    (lambda: lp.catalog.slider_crank(crank=0.3), "the rod of 0.2 m must be longer than crank and offset together"),
    (lambda: lp.catalog.five_bar(ground=3.0), "too far for two rods of 0.4 m"),
    (lambda: lp.catalog.delta(height=-3.0), "do not bring the platform to the height -3.0 m"),
    (lambda: lp.catalog.delta(masses=(1, 2)), "expected 3, of an arm, of a rod and of the platform"),
    (lambda: lp.catalog.stewart_platform(height=0), "height is 0.0: expected more than zero"),
    (lambda: lp.catalog.parallelogram_palletizer(lever=math.nan), "lever"),
    (lambda: lp.catalog.excavator(bucket=1.5), "bucket 1.5 rad: its lever and link do not bring it there"),
    (lambda: lp.catalog.excavator(boom=1.2), "boom 1.2 rad: its cylinder would be 3.1.* m long, expected 1.7 to 3 m"),
])
def test_sizes_that_cannot_be_are_refused(make, message):
    with pytest.raises(lp.ModelError, match=message):
        make()


@pytest.mark.parametrize("lengths", [(0.4, 0.2, 0.4, 0.2), (0.3, 0.5, 0.3, 0.4), (1.0, 0.1, 0.6, 0.6),
                                     (0.1, 0.3, 0.3, 0.3)])
def test_four_bars_of_all_kinds_close(lengths):
    """Parallelogram, double rocker, a crank that swings between limits, drag link."""
    robot = lp.catalog.four_bar(*lengths)
    assert abs(open_by(reference(robot), np.array(robot.near))).max() < 1e-12
    assert robot.mobility == 1
    assert robot.driven == ("crank_joint",)


def test_bars_side_by_side_bend_their_pins():
    flat, wide = (lp.catalog.four_bar(spacing=spacing) for spacing in (0.0, 0.02))
    found = [ask(robot, "joint_wrenches", robot.home, np.zeros(3), np.zeros(3)) for robot in (flat, wide)]
    assert abs(found[0]["coupler_joint"].torque[:2]).max() < 1e-15
    assert abs(found[1]["coupler_joint"].torque[:2]).max() > 1e-3
    np.testing.assert_allclose(found[0]["coupler_joint"].force[:2], found[1]["coupler_joint"].force[:2], atol=1e-13)
