"""Denavit-Hartenberg tables: frames against the product of four elementary motions, both conventions, bad rows."""

import math
import warnings

import numpy as np
import pytest

import loadpath as lp
from loadpath.errors import ModelError, ModelWarning
from loadpath.robot.catalog.random_robots import random_inertia
from loadpath.robot.dh import DHRow, from_dh
from loadpath.robot.inertia import Inertia
from loadpath.robot.parts import Limits, Link
from loadpath.robot.pose import Pose
from references.to_pinocchio import random_state, to_pinocchio

pytestmark = pytest.mark.filterwarnings("ignore:.*no mass:loadpath.errors.ModelWarning")


def turn(axis, angle):
    c, s = math.cos(angle), math.sin(angle)
    result = np.eye(4)
    y, z = (axis + 1) % 3, (axis + 2) % 3
    result[y, y], result[y, z], result[z, y], result[z, z] = c, -s, s, c
    return result


def shift(axis, length):
    result = np.eye(4)
    result[axis, 3] = length
    return result


X, Z = 0, 2


def hand_coded_frames(rows, q, convention):
    """World poses of the DH frames, by the formulas of the textbooks."""
    q = iter(q)
    frames = [np.eye(4)]
    for row in rows:
        theta, d = row.theta, row.d
        if row.joint == "revolute":
            theta += row.offset + next(q)
        elif row.joint == "prismatic":
            d += row.offset + next(q)
        about_z = turn(Z, theta) @ shift(Z, d)
        about_x = shift(X, row.a) @ turn(X, row.alpha)
        frames.append(frames[-1] @ (about_z @ about_x if convention == "standard" else about_x @ about_z))
    return np.array(frames)


def random_rows(rng, n, with_mass=False):
    rows = []
    for k in range(n):
        body = random_inertia(rng)
        inertial = {"mass": body.mass, "center_of_mass": body.center_of_mass, "inertia": body.tensor}
        kind = ("revolute", "prismatic", "fixed")[k % 3]
        offset = 0.0 if kind == "fixed" else rng.uniform(-1, 1)
        rows.append(DHRow(*rng.uniform(-1, 1, 4), kind, offset, **(inertial if with_mass else {})))
    return rows


# Frames


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_link_frames_are_the_dh_frames(convention):
    rng = np.random.default_rng(1)
    rows = random_rows(rng, 7)
    robot = from_dh(rows, convention)
    q = rng.uniform(-2, 2, robot.n)
    np.testing.assert_allclose(to_pinocchio(robot).link_poses(q), hand_coded_frames(rows, q, convention), atol=1e-14)


def test_the_compiled_poses_are_the_dh_frames_too():
    rng = np.random.default_rng(2)
    rows = random_rows(rng, 5)
    robot = lp.from_dh(rows)
    q = rng.uniform(-2, 2, (3, robot.n))
    for pose, state in zip(robot.link_poses(q), q, strict=True):
        np.testing.assert_allclose(pose, hand_coded_frames(rows, state, "standard"), atol=1e-14)


def test_both_conventions_describe_the_same_arm():
    """The same axes: a modified row takes a and alpha of the standard row before it."""
    rng = np.random.default_rng(3)
    standard = random_rows(rng, 6, with_mass=True)
    modified, before = [], DHRow()
    for row in standard:
        # The standard frame seen from the modified one of the same link.
        ahead = Pose.from_matrix(shift(X, row.a) @ turn(X, row.alpha))
        body = Inertia(row.mass, row.center_of_mass, row.inertia).seen_from(ahead)
        modified.append(
            DHRow(row.theta, row.d, before.a, before.alpha, row.joint, row.offset,
                  mass=body.mass, center_of_mass=body.center_of_mass, inertia=body.tensor)
        )
        before = row
    modified.append(DHRow(a=before.a, alpha=before.alpha, joint="fixed"))

    one, other = to_pinocchio(from_dh(standard)), to_pinocchio(from_dh(modified, "modified"))
    q, qd, qdd = random_state(one.robot, rng)
    np.testing.assert_allclose(other.link_poses(q)[-1], one.link_poses(q)[-1], atol=1e-14)
    expected = one.inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(other.inverse_dynamics(q, qd, qdd), expected, atol=1e-12 * abs(expected).max())


@pytest.mark.parametrize("quarters", [-4, -3, -2, -1, 1, 2, 3, 4])
@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_right_angles_are_exact(quarters, convention):
    angle = quarters * math.pi / 2
    rows = [DHRow(alpha=angle), DHRow(theta=angle, joint="prismatic"), DHRow(theta=angle, alpha=angle, joint="fixed")]
    for joint in from_dh(rows, convention).joints:
        entries = [x for pose in (joint.origin, joint.link_offset) for row in pose.rotation for x in row]
        assert set(entries) <= {-1.0, 0.0, 1.0}
        assert not any(math.copysign(1, x) < 0 for x in entries if x == 0)


def test_an_angle_near_a_right_one_is_kept_as_given():
    assert from_dh([DHRow(alpha=1.5708)]).joints[0].link_offset.rotation[1][1] == math.cos(1.5708) != 0


def test_theta_is_the_angle_and_d_the_length_at_zero():
    robot = from_dh([DHRow(theta=0.3, d=0.1), DHRow(theta=0.2, d=0.4, joint="prismatic")])
    poses = to_pinocchio(robot).link_poses([0.0, 0.0])
    np.testing.assert_allclose(poses[1], turn(Z, 0.3) @ shift(Z, 0.1), atol=1e-15)
    np.testing.assert_allclose(poses[2], turn(Z, 0.5) @ shift(Z, 0.5), atol=1e-15)


# What rows may be


def test_rows_may_be_objects_dicts_numbers_or_arrays():
    table = [(0.1, 0.2, 0.3, 0.4), (0.5, 0.6, 0.7, 0.8)]
    rows = [DHRow(*line) for line in table]
    dicts = [dict(zip(("theta", "d", "a", "alpha"), line, strict=True)) for line in table]
    assert from_dh(rows) == from_dh(table) == from_dh(dicts) == from_dh(np.array(table)) == from_dh(iter(rows))


def test_names_limits_drives_and_base_arrive():
    base = Link("pedestal", Inertia(3.0))
    row = DHRow(d=0.1, name="waist", link="trunk", mass=2.0, viscous_friction=0.1, coulomb_friction=0.2,
                rotor_inertia=1e-4, gear_ratio=-60, limits=(-1, 2))
    robot = from_dh([row, {"a": 1, "limits": Limits(-1, 1, 3, 4)}], name="arm", gravity=(0, 0, -1), base=base)
    waist, elbow = robot.joints
    assert (robot.name, robot.gravity, robot.link_names) == ("arm", (0.0, 0.0, -1.0), ("pedestal", "trunk", "link2"))
    assert (waist.name, waist.limits, elbow.limits) == ("waist", (Limits(-1, 2),), (Limits(-1, 1, 3, 4),))
    assert (waist.viscous_friction, waist.coulomb_friction, waist.gear_ratio) == ((0.1,), (0.2,), (-60.0,))
    assert waist.reflected_inertia == pytest.approx((0.36,))


def test_inertias_at_the_mass_center_or_at_the_origin():
    body = random_inertia(np.random.default_rng(5))
    row = {"a": 1.0, "mass": body.mass, "center_of_mass": body.center_of_mass}
    center = from_dh([{**row, "inertia": body.tensor}]).link("link1").inertia
    origin = from_dh([{**row, "inertia": body.at_origin()}], inertia_at="origin").link("link1").inertia
    assert center == body
    np.testing.assert_allclose(origin.tensor, body.tensor, atol=1e-15)
    diagonal = from_dh([{**row, "inertia": (0.1, 0.2, 0.25)}]).link("link1").inertia
    assert diagonal == Inertia(body.mass, body.center_of_mass, np.diag([0.1, 0.2, 0.25]).tolist())


# Bad tables


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"alpha": 90}, r"alpha is 90, more than a whole turn: .* write math.radians\(90\)"),
        ({"theta": -180.0}, r"theta is -180, more than a whole turn"),
        ({"a": 1, "offset": 45}, r"offset is 45, more than a whole turn"),
        ({"alpha": "pi/2"}, r"alpha is 'pi/2': expected a number"),
        ({"a": float("nan")}, r"a is nan: expected a finite number"),
        ({"d": None}, r"d is None: expected a number"),
        ({"a": 1, "alhpa": 0.1}, r"unknown key 'alhpa'; did you mean 'alpha'\?"),
        ({"a": 1, "sigma": 0}, r"unknown key 'sigma'"),
        ({}, r"the row is empty: expected those of theta, d, a, alpha that are not zero"),
        ({"a": 1, "joint": "hinge"}, r"joint is 'hinge': expected 'revolute', 'prismatic' or 'fixed'"),
        ({"a": 1, "joint": 1}, r"joint is 1: expected"),
        ({"a": 1, "mass": -2}, r"mass is -2.0: expected zero or more"),
        ({"a": 1, "mass": "2kN"}, r"mass of a DHRow is '2kN', a force: expected a mass"),
        ({"a": 1, "mass": 1, "center_of_mass": (0, 0)}, r"center_of_mass has 2 numbers"),
        ({"a": 1, "center_of_mass": (0, 0, 1)}, r"center_of_mass is \(0.0, 0.0, 1.0\) but mass is 0"),
        ({"a": 1, "mass": 1, "inertia": 3}, r"inertia is 3: expected a 3 x 3 tensor"),
        ({"a": 1, "mass": 1, "inertia": (1, 1, 1, 0, 0, 0)}, r"six numbers are read in different orders"),
        ({"a": 1, "mass": 1, "inertia": [[1, 2, 0], [0, 1, 0], [0, 0, 1]]}, r"inertia tensor is not symmetric"),
        ({"a": 1, "limits": 2}, r"limits are 2: expected a pair"),
        ({"a": 1, "limits": (2, 1)}, r"lower limit 2.0 is above the upper limit 1.0"),
        ({"a": 1, "viscous_friction": -1}, r"viscous friction is \(-1.0,\), expected zero or more"),
        ({"a": 1, "joint": "fixed", "offset": 0.1}, r"offset is 0.1 in a fixed row"),
        ({"a": 1, "joint": "fixed", "viscous_friction": 1}, r"friction, rotor or limits in a fixed row"),
        ((1, 2, 3), r"\(1, 2, 3\): expected a DHRow"),
        ("0 0 0 0", r"'0 0 0 0': expected a DHRow"),
        (("0", 0, 0, 0), r"theta is '0': expected a number"),
        (DHRow(alpha=-90), r"alpha is -90, more than a whole turn"),
        (7, r"7: expected a DHRow"),
    ],
)
def test_a_bad_row_is_named_with_its_key_and_value(row, message):
    with pytest.raises(ModelError, match=f"DH row 2: .*{message}"):
        from_dh([DHRow(a=1.0), row])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([],), r"the DH table is empty"),
        (("table.csv",), r"DH rows are 'table.csv': expected a list"),
        (({"a": 1},), r"expected a list with one row per joint"),
        (([(0, 0, 0, 0)], "craig"), r"DH convention is 'craig': expected 'standard' or 'modified'"),
    ],
)
def test_bad_tables_are_refused(arguments, message):
    with pytest.raises(ModelError, match=message):
        from_dh(*arguments)


def test_other_bad_options_are_refused():
    with pytest.raises(ModelError, match=r"inertia_at is 'com': expected 'center'"):
        from_dh([(0, 0, 0, 0)], inertia_at="com")
    with pytest.raises(ModelError, match=r"two joints are named 'hip'"):
        from_dh([DHRow(name="hip"), DHRow(name="hip")])


def test_limits_in_degrees_warn():
    with pytest.warns(ModelWarning, match=r"limits of joint 'joint1' are -160 to 160 rad: degrees\?"):
        from_dh([DHRow(a=1, mass=1, limits=(-160, 160))])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        from_dh([DHRow(a=1, mass=1, limits=(-160, 160), joint="prismatic")])


def test_a_link_without_mass_warns():
    with pytest.warns(ModelWarning, match="link 'link1': no mass, though joint 'joint1' moves it"):
        from_dh([DHRow(a=1)])


def test_a_row_of_zeros_is_a_joint_on_the_one_before() -> None:
    """As of a roll joint at the end of a wrist: only its mass is written."""
    rows = [{"a": 0.5, "mass": 1.0}, {"mass": 2.0}, {"joint": "prismatic", "mass": 1.0}]
    zeros = [rows[0], *({**row, "theta": 0, "d": 0, "a": 0, "alpha": 0} for row in rows[1:])]
    assert lp.from_dh(rows) == lp.from_dh(zeros)
    assert lp.from_dh([(0, 0, 0, 0)]).link_poses([0.0])[-1].tolist() == np.eye(4).tolist()
