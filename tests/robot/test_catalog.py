"""The robots of the catalog against the numbers printed for them, and random robots against what they promise."""

import inspect
import math
import warnings
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import loadpath as lp
from loadpath.errors import ModelError
from loadpath.robot import catalog, joints
from loadpath.robot.pose import Pose
from real_robots import REAL_ROBOTS
from references.to_pinocchio import random_state, to_pinocchio

NAMED = [
    lp.catalog.lau_arm,
    lp.catalog.panda,
    lp.catalog.puma560,
    lp.catalog.stanford_arm,
    lp.catalog.two_link,
    lp.catalog.ur5,
]


@pytest.mark.parametrize("make", NAMED, ids=lambda make: make.__name__)
def test_catalog_robots_warn_of_nothing_and_agree_with_pinocchio(make):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        robot = make()
    rng = np.random.default_rng(0)
    peer = to_pinocchio(robot)
    q, qd, qdd = (np.array(part) for part in zip(*(random_state(robot, rng) for _ in range(4)), strict=True))
    expected = np.array([peer.inverse_dynamics(*state) for state in zip(q, qd, qdd, strict=True)])
    np.testing.assert_allclose(robot.inverse_dynamics(q, qd, qdd), expected, atol=1e-12 * abs(expected).max())


PAGES = Path(__file__).parents[2] / "docs"


def test_every_robot_of_the_catalog_stands_in_the_table() -> None:
    rows = [line for line in (PAGES / "robots.md").read_text().splitlines() if line.startswith("| `")]
    missing = [name for name in lp.catalog.__all__ if not any(f"`{name}(" in row for row in rows)]
    assert not missing


def test_every_joint_stands_in_the_table_of_conventions() -> None:
    text = (PAGES / "conventions.md").read_text()
    rows = [line.split("`")[1] for line in text.splitlines() if line.startswith("| `")]
    kinds = [kind for kind in vars(joints).values() if inspect.isclass(kind) and issubclass(kind, joints.JointType)]
    assert {kind.__name__ for kind in kinds if not inspect.isabstract(kind)} <= set(rows)


@pytest.mark.parametrize("name", catalog.__all__)
def test_every_robot_shows_an_example(name):
    text = inspect.getdoc(getattr(catalog, name))
    assert ">>>" in text


# The two-link arm: course notes, sections 1.1 to 1.4


def test_two_link_pose_1():
    arm, peer = lp.catalog.two_link(), to_pinocchio(lp.catalog.two_link())
    q, still = np.array([math.pi / 2, 0]), np.zeros(2)
    np.testing.assert_allclose(peer.mass_matrix(q), [[5, 2], [2, 1]], atol=1e-12)
    np.testing.assert_allclose(arm.gravity_forces(q), [29.4, 9.8], atol=1e-12)
    np.testing.assert_allclose(arm.inverse_dynamics(q, still, [0, 25.0]), [79.4, 34.8], atol=1e-12)
    np.testing.assert_allclose(peer.forward_dynamics(q, still, [29.4, 19.6]), [-19.6, 49.0], atol=1e-11)


def test_two_link_pose_2():
    arm = lp.catalog.two_link()
    q, still = np.array([math.pi / 2, math.pi / 2]), np.zeros(2)
    np.testing.assert_allclose(arm.inverse_dynamics(q, still, still), [19.6, 0], atol=1e-12)
    np.testing.assert_allclose(arm.inverse_dynamics(q, [0, 2], still), [15.6, 0], atol=1e-12)


def test_two_link_frames():
    x1, y1 = 0.7 * math.sin(0.3), -0.7 * math.cos(0.3)
    x2, y2 = x1 + 0.4 * math.sin(0.8), y1 - 0.4 * math.cos(0.8)  # (6) and (7)
    poses = lp.catalog.two_link(l1=0.7, l2=0.4).link_poses([0.3, 0.5])
    np.testing.assert_allclose(poses[2, :3, 3], [x1, 0, y1], atol=1e-15)
    np.testing.assert_allclose(poses[3, :3, 3], [x2, 0, y2], atol=1e-15)


def test_two_link_with_distributed_mass():
    """Equations (29) to (33), and P with q from the downward vertical, differentiated by hand."""
    m1, m2, l1, l2, g = 1.5, 0.8, 0.7, 0.4, 9.8
    q1, q2, w1, w2, a1, a2 = 0.4, -0.9, 1.1, -0.6, 2.0, 0.7
    i1, i2 = m1 * l1**2 / 12, m2 * l2**2 / 12
    coupling = m2 * l1 * l2 / 2
    m11 = m1 * l1**2 / 4 + i1 + m2 * (l1**2 + l2**2 / 4) + i2 + 2 * coupling * math.cos(q2)
    m12 = m2 * l2**2 / 4 + i2 + coupling * math.cos(q2)
    m22 = m2 * l2**2 / 4 + i2
    h = coupling * math.sin(q2)
    g2 = m2 * g * l2 / 2 * math.sin(q1 + q2)
    g1 = (m1 / 2 + m2) * g * l1 * math.sin(q1) + g2
    expected = [m11 * a1 + m12 * a2 - h * (2 * w1 * w2 + w2**2) + g1, m12 * a1 + m22 * a2 + h * w1**2 + g2]
    arm = lp.catalog.two_link(m1, m2, l1, l2, distributed=True)
    np.testing.assert_allclose(arm.inverse_dynamics([q1, q2], [w1, w2], [a1, a2]), expected, atol=1e-12)


# The PUMA 560: numbers printed for Corke's model of it

QN = np.array([0, math.pi / 4, math.pi, 0, math.pi / 4, 0])


def test_puma560_gravity_load():
    robot = lp.catalog.puma560()
    # P. Corke, Robotics, Vision and Control, chapter 9 (gravload, nominal pose)
    np.testing.assert_allclose(robot.gravity_forces(QN), [0, 31.6399, 6.0351, 0, 0.0283, 0], atol=5e-5)
    # and at an arbitrary pose, as the toolbox's users print it
    expected = [0, -7.9683, 8.4581, -0.0197, 0.0027, 0]
    np.testing.assert_allclose(robot.gravity_forces([1, 2, 3, 4, 5, 6]), expected, atol=5e-5)


def test_puma560_mass_matrix():
    """Of the toolbox: with and without the rotors."""
    expected = [
        [3.6594, -0.4044, 0.1006, -0.0025, 0, 0],
        [-0.4044, 4.4137, 0.3509, 0, 0.0024, 0],
        [0.1006, 0.3509, 0.9378, 0, 0.0015, 0],
        [-0.0025, 0, 0, 0.1925, 0, 0],
        [0, 0.0024, 0.0015, 0, 0.1713, 0],
        [0, 0, 0, 0, 0, 0.1941],
    ]
    np.testing.assert_allclose(to_pinocchio(lp.catalog.puma560()).mass_matrix(QN), expected, atol=5e-5)
    bare = to_pinocchio(lp.catalog.puma560(drives=False)).mass_matrix(QN)
    reflected = [0.7840, 2.3248, 0.5769, 0.1908, 0.1707, 0.1941]
    np.testing.assert_allclose(np.diag(expected) - np.diag(bare), reflected, atol=1e-4)


def test_puma560_jacobian():
    """Of the toolbox for MATLAB, p560.jacob0(q)."""
    expected = [
        [0.0745, -0.2910, -0.2237, 0, 0, 0],
        [0.1568, -0.1991, -0.1531, 0, 0, 0],
        [0, 0.0873, -0.3367, 0, 0, 0],
        [0, 0.5646, 0.5646, -0.6665, 0.7309, -0.6463],
        [0, -0.8253, -0.8253, -0.4560, -0.2436, -0.5472],
        [1, 0, 0, 0.5898, 0.6376, 0.5318],
    ]
    q = [0.6, 0.19, 0.75, 0.91, 0.11, 0.71]
    np.testing.assert_allclose(lp.catalog.puma560().jacobian(q, "link6"), expected, atol=5e-5)


def test_puma560_coulomb_friction_is_the_mean_of_both_directions():
    robot = lp.catalog.puma560()
    moving = robot.inverse_dynamics(QN, np.array([[1e-9] * 6, [-1e-9] * 6]), np.zeros(6))
    difference = (moving[0] - moving[1]) / 2
    printed = [(0.395, -0.435, 62.6111), (0.126, -0.071, 107.815), (0.132, -0.105, 53.7063),
               (11.2e-3, -16.9e-3, 76.0364), (9.26e-3, -14.5e-3, 71.923), (3.96e-3, -10.5e-3, 76.686)]
    np.testing.assert_allclose(difference, [(fore - back) / 2 * gear for fore, back, gear in printed], rtol=1e-6)
    assert robot.joint("joint2").viscous_friction == pytest.approx((0.817e-3 * 107.815**2,))


# The Stanford arm


def test_stanford_arm_jacobian():
    """Of the toolbox for MATLAB, stanf.jacob0(q): the tool's frame."""
    expected = [
        [-0.2330, 0.8162, 0.1559, 0.0015, 0.2534, 0],
        [0.0992, 0.5584, 0.1066, 0.0286, -0.0211, 0],
        [0, -0.2134, 0.9820, -0.0033, -0.0673, 0],
        [0, -0.5646, 0, 0.1559, 0.0516, 0.2632],
        [0, 0.8253, 0, 0.1066, 0.9919, 0.0984],
        [1, 0, 0, 0.9820, -0.1159, 0.9597],
    ]
    q = [0.6, 0.19, 0.75, 0.91, 0.11, 0.71]
    np.testing.assert_allclose(lp.catalog.stanford_arm().jacobian(q, "tool"), expected, atol=5e-5)


def test_stanford_arm_boom_is_a_rod_of_its_own_length():
    """4.25 kg with these moments about the wrist: a rod about its middle, of a length that fits a travel of 0.97 m."""
    boom = lp.catalog.stanford_arm().link("link3").inertia
    length = math.sqrt(12 * boom.principal_moments[-1] / boom.mass)
    assert 1.2 < length < 1.6
    assert boom.at_origin()[0, 0] == pytest.approx(2.51)


def test_stanford_arm_without_drives():
    heavy, light = lp.catalog.stanford_arm(), lp.catalog.stanford_arm(drives=False)
    q = np.array([0.1, 0.2, 0.6, 0.3, 0.4, 0.5])
    difference = to_pinocchio(heavy).mass_matrix(q) - to_pinocchio(light).mass_matrix(q)
    np.testing.assert_allclose(difference, np.diag([0.953, 2.193, 0.782, 0.106, 0.097, 0.020]), atol=1e-12)


# The Panda, against the maker's URDF


@pytest.fixture(scope="module")
def panda_urdf():
    return pin.buildModelFromUrdf(str(REAL_ROBOTS["panda_description/panda"]))


def test_panda_frames_are_those_of_the_urdf(panda_urdf):
    robot = lp.catalog.panda(hand=True)
    q = np.random.default_rng(5).uniform(-1, 1, 8)
    data = panda_urdf.createData()
    pin.framesForwardKinematics(panda_urdf, data, np.r_[q, q[-1]])
    poses = to_pinocchio(robot).link_poses(q)
    for name, pose in zip(robot.link_names, poses, strict=True):
        np.testing.assert_allclose(pose, data.oMf[panda_urdf.getFrameId(name)].homogeneous, atol=1e-12)


def test_panda_forces_are_those_of_the_urdf(panda_urdf):
    robot = lp.catalog.panda(hand=True)
    q, qd, qdd = random_state(robot, np.random.default_rng(6))
    both = np.vstack([np.eye(8), np.eye(8)[-1]])  # the second finger follows the first
    expected = both.T @ pin.rnea(panda_urdf, panda_urdf.createData(), both @ q, both @ qd, both @ qdd)
    # Pinocchio leaves the URDF's damping out, and the catalog's Panda has none.
    np.testing.assert_allclose(robot.inverse_dynamics(q, qd, qdd), expected, atol=1e-12 * abs(expected).max())


def test_panda_without_hand_ends_at_the_flange():
    arm, whole = lp.catalog.panda(), lp.catalog.panda(hand=True)
    assert arm.links == whole.links[: len(arm.links)]
    assert arm.joints == whole.joints[: len(arm.joints)]
    assert arm.link_names[-1] == "panda_link8"


def test_panda_limits_are_those_of_the_urdf(panda_urdf):
    limits = [joint.limits[0] for joint in lp.catalog.panda(hand=True).joints if joint.motion.dof]
    for part, expected in (
        ("lower", panda_urdf.lowerPositionLimit),
        ("upper", panda_urdf.upperPositionLimit),
        ("velocity", panda_urdf.velocityLimit),
        ("effort", panda_urdf.effortLimit),
    ):
        np.testing.assert_allclose([getattr(limit, part) for limit in limits], expected)


# The UR5, against a URDF whose link frames are others


def test_ur5_flange_moves_as_in_the_urdf():
    urdf = pin.buildModelFromUrdf(str(REAL_ROBOTS["ur_description/ur5_robot"]))
    data, peer = urdf.createData(), to_pinocchio(lp.catalog.ur5())
    rng = np.random.default_rng(7)
    # The URDF's base is turned half a turn about z; its tool frame differs from the flange by a constant turn.
    behind = []
    for _ in range(5):
        q = rng.uniform(-3, 3, 6)
        pin.framesForwardKinematics(urdf, data, q)
        tool = data.oMf[urdf.getFrameId("ee_link")].homogeneous
        flange = Pose.from_xyz_rpy(rpy=(0, 0, math.pi)).matrix @ peer.link_poses(q)[-1]
        behind.append(np.linalg.inv(flange) @ tool)
    # the URDF writes right angles with 12 digits, and its measured offsets add up to the published 0.10915
    np.testing.assert_allclose(behind, [behind[0]] * 5, atol=1e-10)
    np.testing.assert_allclose(behind[0][:3, 3], 0, atol=1e-10)


def test_ur5_weighs_as_published():
    masses = [link.inertia.mass for link in lp.catalog.ur5().links[1:]]
    assert masses == [3.7, 8.393, 2.33, 1.219, 1.219, 0.1879]
    # Stretched out horizontally: the shoulder carries each mass at its distance.
    q = np.zeros(6)
    poses = lp.catalog.ur5().link_poses(q)
    bodies = [link.inertia for link in lp.catalog.ur5().links]
    centers = [pose @ [*body.center_of_mass, 1] for pose, body in zip(poses, bodies, strict=True)]
    moment = sum(9.81 * m * c[0] for m, c in zip(masses[1:], centers[2:], strict=True))
    assert lp.catalog.ur5().gravity_forces(q)[1] == pytest.approx(moment, abs=1e-12)


# Lau's arm: the corrected equations of motion of the thesis's example


def test_lau_arm_equations_of_motion():
    m1, m, d1, length, g = 2.0, 3.0, 0.4, 0.9, 9.81
    robot = lp.catalog.lau_arm(m1, m, 0.2, d1, length)
    i1zz, ixx, iyy, izz = m1 * d1**2 / 2, 0.0, m * length**2 / 12, m * length**2 / 12
    for theta1, theta2, d2, w1, w2, u, a1, a2, acc in np.random.default_rng(8).uniform(-2, 2, (3, 9)):
        c, s, r = math.cos(theta2), math.sin(theta2), d2 - length / 2
        mass = np.array([
            [i1zz + m * d1**2 + ixx * s**2 + (izz + m * r**2) * c**2, -m * d1 * r * s, m * d1 * c],
            [-m * d1 * r * s, iyy + m * r**2, 0.0],
            [m * d1 * c, 0.0, m],
        ])
        bias = [
            2 * (ixx - izz - m * r**2) * s * c * w1 * w2 + 2 * m * r * c**2 * w1 * u - m * d1 * r * c * w2**2
            - 2 * m * d1 * s * w2 * u,
            (izz + m * r**2 - ixx) * s * c * w1**2 + 2 * m * r * w2 * u + m * g * r * c,
            -m * r * (c**2 * w1**2 + w2**2) + m * g * s,
        ]
        expected = mass @ [a1, a2, acc] + bias
        forces = robot.inverse_dynamics([theta1, theta2, d2], [w1, w2, u], [a1, a2, acc])
        np.testing.assert_allclose(forces, expected, atol=1e-12 * abs(expected).max())


def test_lau_arm_tip():
    """Equation (3-110), with its entry (2, 1) put right."""
    t1, t2, d0, d1, d2 = 0.3, 0.5, 0.2, 0.4, 0.8
    c1, s1, c2, s2 = math.cos(t1), math.sin(t1), math.cos(t2), math.sin(t2)
    expected = [
        [c1 * c2, -s1, c1 * s2, -d1 * s1 - d2 * c1 * c2],
        [s1 * c2, c1, s1 * s2, d1 * c1 - d2 * s1 * c2],
        [-s2, 0, c2, d0 + d2 * s2],
        [0, 0, 0, 1],
    ]
    np.testing.assert_allclose(lp.catalog.lau_arm(d0=d0, d1=d1).link_poses([t1, t2, d2])[-1], expected, atol=1e-15)


# The planar arm


def test_planar_arm_stretched_out_is_a_cantilever():
    n, length, mass = 5, 0.3, 0.7
    robot = lp.catalog.planar(n, length, mass)
    reach = length * np.arange(n, 0, -1)
    np.testing.assert_allclose(robot.gravity_forces(np.zeros(n)), mass / length * reach * 9.81 * reach / 2, atol=1e-12)
    np.testing.assert_allclose(robot.link_poses(np.zeros(n))[-1, :3, 3], [n * length, 0, 0], atol=1e-15)
    up = [math.pi / 2, *[0.0] * (n - 1)]
    np.testing.assert_allclose(robot.link_poses(up)[-1, :3, 3], [0, 0, n * length], atol=1e-15)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: lp.catalog.planar(0), r"number of links is 0"),
        (lambda: lp.catalog.planar(2.5), r"number of links is 2.5"),
        (lambda: lp.catalog.planar(2, length=0), r"length is 0.0: expected more than zero"),
        (lambda: lp.catalog.two_link(m2=-1), r"m2 is -1.0: expected more than zero"),
        (lambda: lp.catalog.two_link(l1="1m"), r"l1 is '1m': expected a number"),
        (lambda: lp.catalog.lau_arm(d1=0), r"d1 is 0.0"),
        (lambda: lp.catalog.random_chain(0, 1), r"number of joints is 0"),
        (lambda: lp.catalog.random_chain(2, 1, joints="hinge"), r"joint type is 'hinge': expected one of fixed, rev"),
        (lambda: lp.catalog.random_tree(2, 1, joints=[]), r"joints is empty"),
        (lambda: lp.catalog.random_tree(2, 1, joints=[int]), r"joint type is <class 'int'>"),
    ],
)
def test_impossible_robots_are_refused(make, message):
    with pytest.raises(ModelError, match=message):
        make()


# Random robots


@pytest.mark.parametrize("make", [catalog.random_chain, catalog.random_tree])
def test_random_robots_are_the_same_for_the_same_seed(make):
    options = {"joints": "all", "general": True, "drives": True}
    assert make(13, 4, **options) == make(13, 4, **options)
    assert make(13, 4, **options) != make(13, 5, **options)


@pytest.mark.parametrize("seed", range(20))
def test_random_bodies_are_real(seed):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        robots = [catalog.random_tree(6, seed, "all", general=True), catalog.random_dh_arm(6, seed)]
    for robot in robots:
        for link in robot.links[1:]:
            a, b, c = link.inertia.principal_moments
            assert link.inertia.mass > 0
            assert a > 0
            assert c < a + b
            assert np.abs(link.inertia.tensor).min() > 0  # full


def test_every_joint_type_occurs_when_asked():
    every = {kind for kind in vars(joints).values() if inspect.isclass(kind) and issubclass(kind, joints.JointType)}
    every = {kind for kind in every if not inspect.isabstract(kind)}
    for make in (catalog.random_chain, catalog.random_tree):
        assert {type(joint.motion) for joint in make(len(every), 1, joints="all").joints} == every


def test_joint_types_may_be_chosen():
    one = catalog.random_chain(4, 1, joints="spherical")
    assert {type(joint.motion) for joint in one.joints} == {joints.Spherical}
    mixed = catalog.random_chain(4, 1, joints=["fixed", joints.Helical])
    assert [joint.motion.dof for joint in mixed.joints] == [0, 1, 0, 1]
    kinds = {type(joint.motion) for joint in catalog.random_chain(20, 1).joints}
    assert kinds == {joints.Revolute, joints.Prismatic}


def test_chains_are_chains_and_trees_branch():
    chain = catalog.random_chain(6, 2)
    assert [joint.parent for joint in chain.joints] == list(chain.link_names[:-1])
    for seed in range(30):
        tree = catalog.random_tree(3, seed)
        assert len({joint.parent for joint in tree.joints}) < 3


def test_general_robots_are_placed_anyhow():
    plain, general = catalog.random_chain(5, 3), catalog.random_chain(5, 3, joints="revolute", general=True)
    for joint in plain.joints:
        assert joint.link_offset == Pose()
        assert joint.motion.axis == (0.0, 0.0, 1.0)
        assert joint.origin.rotation[0] == (1.0, 0.0, 0.0)  # modified DH: a turn about x
    for joint in general.joints:
        assert min(abs(x) for x in joint.motion.axis) > 0
        assert np.abs(joint.link_offset.matrix[:3]).min() > 0
    assert np.linalg.norm(general.gravity) == pytest.approx(9.81)
    assert min(abs(x) for x in general.gravity) > 0


def test_drives_are_added_to_the_same_robot():
    bare, driven = catalog.random_tree(6, 3, "all"), catalog.random_tree(6, 3, "all", drives=True)
    assert driven.links == bare.links
    for joint, other in zip(driven.joints, bare.joints, strict=True):
        assert (joint.motion, joint.origin) == (other.motion, other.origin)
        assert min((*joint.viscous_friction, *joint.coulomb_friction, *joint.reflected_inertia), default=1) > 0


def test_a_general_arm_has_no_zero_or_right_angle_to_save_on():
    robot = catalog.random_dh_arm(6, seed=1)
    assert robot.gravity == (0.0, 0.0, -9.81)
    for joint in robot.joints:
        a, _, z = joint.link_offset.translation
        turned = joint.link_offset.rotation
        assert min(abs(a), abs(z), abs(turned[1][1]), abs(turned[1][2])) > 0.05
        assert isinstance(joint.motion, joints.Revolute)


def test_a_random_robot_of_all_joint_types_agrees_with_pinocchio():
    robot = lp.catalog.random_tree(12, 9, joints="all", general=True, drives=True)
    peer = to_pinocchio(robot)
    q, qd, qdd = random_state(robot, np.random.default_rng(9))
    expected = peer.inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(robot.inverse_dynamics(q, qd, qdd), expected, atol=1e-12 * abs(expected).max())
    np.testing.assert_allclose(robot.link_poses(q), peer.link_poses(q), atol=1e-13)
    force, torque = peer.joint_wrenches(q, qd, qdd)
    wrenches = robot.joint_wrenches(q, qd, qdd)
    np.testing.assert_allclose(wrenches.force, force, atol=1e-12 * abs(force).max())
    np.testing.assert_allclose(wrenches.torque, torque, atol=1e-12 * abs(torque).max())


def test_the_catalog_offers_its_robots_and_nothing_else() -> None:
    assert dir(lp.catalog) == sorted(lp.catalog.__all__) and "lau_rover" in dir(lp.catalog)
    assert all(callable(getattr(lp.catalog, name)) for name in dir(lp.catalog))
