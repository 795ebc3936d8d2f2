"""Writing SDF: what is read back is the robot that was written, or the same mechanism, or it is said what is lost."""

from __future__ import annotations

import dataclasses
import math
import warnings
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from sdf_text import body, joint, model, robot_of

import loadpath as lp
from loadpath.files.sdf import read_sdf
from loadpath.files.sdf.writing import sdf_of
from loadpath.files.urdf.reading import read_urdf
from loadpath.files.xml_writing import roll_pitch_yaw
from loadpath.robot.pose import Pose
from real_robots import REAL_ROBOTS, REFUSED

pytestmark = pytest.mark.filterwarnings("ignore::loadpath.ModelWarning")
QUICK = ("panda_description/panda", "z1_description/z1", "so_arm_description/so100", "talos_data/talos_reduced",
         "icub_description/icub", "iris_description/iris", "romeo_description/romeo")


def there_and_back(robot: lp.Robot) -> lp.Robot:
    return robot_of(read_sdf(sdf_of(robot).text, "written.sdf"))


def shapes_of(robot: lp.Robot) -> list[object]:
    """All of the shapes but their names, which SDF needs and URDF may leave out, and where meshes were found."""
    plain = {"name": "", "file": "", "content": None}
    kept = [dataclasses.asdict(shape) | plain | {"kind": shape.kind} for link in robot.links for shape in link.shapes]
    return [{**shape, "color": shape["color"] if shape["purpose"] == "visual" else None} for shape in kept]


def check_robot(name: str) -> None:
    robot = lp.load(REAL_ROBOTS[name])
    again = there_and_back(robot)
    assert again == robot
    assert shapes_of(again) == shapes_of(robot)
    assert sdf_of(robot).lost == ()


@pytest.mark.parametrize("name", QUICK)
def test_real_robots_come_back_as_they_were(name: str) -> None:
    check_robot(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(REAL_ROBOTS.keys() - REFUSED.keys() - set(QUICK)))
def test_all_real_robots_come_back_as_they_were(name: str) -> None:
    check_robot(name)


@pytest.mark.parametrize("robot", [
    lp.catalog.puma560(), lp.catalog.panda(hand=True), lp.catalog.panda().floating("legs", "moon"),
    lp.catalog.stanford_arm().with_gravity((0.1, 0, -1.62)), lp.catalog.random_tree(8, 3),
], ids=lambda robot: robot.name)
def test_robots_of_the_catalog_come_back_as_they_were(robot: lp.Robot) -> None:
    assert sdf_of(robot).lost == () and there_and_back(robot) == robot


def test_names_that_links_and_joints_share_are_kept_apart() -> None:
    robot = lp.load(REAL_ROBOTS["z1_description/z1"])
    shared = set(robot.link_names) & set(robot.joint_names)
    root = ElementTree.fromstring(sdf_of(robot).text)
    for tag in ("link", "joint", "frame"):
        names = [entry.get("name") for entry in root.iter() if entry.tag in ("link", "joint", "frame")]
        assert len(names) == len(set(names)), tag
    assert shared  # otherwise this shows nothing
    links = (lp.Link("world", lp.Inertia(1.0)), lp.Link("x::y"), lp.Link("__z__"))
    welds = (lp.Joint("x::y", "world", "x::y", lp.Fixed()), lp.Joint("world", "x::y", "__z__", lp.Fixed()))
    odd = lp.Robot("a::b", links, welds)
    assert there_and_back(odd) == odd


def test_all_numbers_of_drives_come_back() -> None:
    spring = lp.TorsionSpring(20.0, 0.1)
    hinge = lp.Joint("hinge", "world", "arm", lp.Revolute((0, 1, 0)), (0, 0, 0.4), (0.1, 0, 0), 0.3, 0.2, 1e-4, 80,
                     (lp.Limits(-1, 2, 3, 4),), springs=((spring,),))
    follower = lp.Joint("follower", "arm", "hand", lp.Prismatic((0.6, 0, 0.8)), mimic=lp.Mimic("hinge", 0.01, 0.2))
    screw = lp.Joint("screw", "hand", "nut", lp.Helical((0, 0, 1), pitch=0.0031))
    links = (
        lp.Link("world"),
        *(lp.Link(name, lp.Inertia(1.0, (0.1, 0, 0), np.eye(3))) for name in ("arm", "hand", "nut")),
    )
    robot = lp.Robot("drives", links, (hinge, follower, screw))
    written = sdf_of(robot)
    assert written.lost == () and there_and_back(robot) == robot
    root = ElementTree.fromstring(written.text)
    assert root.get("version") == "1.11" and root.find(".//mimic/multiplier").text == "0.01"  # type: ignore[union-attr]


def test_several_springs_are_one() -> None:
    springs = (lp.TorsionSpring(20.0, 0.1, 1.0), lp.TorsionSpring(5.0, -0.4))
    robot = lp.catalog.planar(1).with_drives({"joint1": lp.Drive(spring=springs)})
    again = there_and_back(robot)
    q = np.array([[0.3], [-1.0]])
    np.testing.assert_allclose(
        again.inverse_dynamics(q, 0 * q, 0 * q), robot.inverse_dynamics(q, 0 * q, 0 * q), atol=1e-12
    )


@pytest.mark.parametrize("motion", [
    lp.Cylindrical((0, 1, 0)), lp.Planar(), lp.Generalized("ry rz -x"), lp.Universal((1, 0, 0), (0, 1, 1)),
], ids=lambda motion: type(motion).__name__)
def test_joints_without_a_word_are_several(motion: lp.JointType) -> None:
    links = (lp.Link("world"), lp.Link("body", lp.Inertia(2.0, (0.1, 0.2, 0.3), np.diag([0.1, 0.2, 0.15]))))
    robot = lp.Robot("one", links, (lp.Joint("j", "world", "body", motion, (0.1, 0, 0.2), (0, 0.3, 0)),))
    written, again = sdf_of(robot), there_and_back(robot)
    assert bool(written.lost) == (not isinstance(motion, lp.Universal))
    q, qd, qdd = np.random.default_rng(3).uniform(-1, 1, (3, robot.n))
    np.testing.assert_allclose(again.inverse_dynamics(q, qd, qdd), robot.inverse_dynamics(q, qd, qdd), atol=1e-12)


# Loops


@pytest.mark.parametrize("robot", [
    lp.catalog.four_bar(), pytest.param(lp.catalog.excavator(), marks=pytest.mark.slow),
    pytest.param(lp.catalog.stewart_platform(), marks=pytest.mark.slow),
], ids=lambda robot: robot.name)
def test_loops_come_back_as_loops(robot: lp.ClosedRobot) -> None:
    """Coordinates count from where the file shows the robot, so the two are compared there, under gravity."""
    again = there_and_back(robot)
    assert isinstance(again, lp.ClosedRobot)
    assert (again.loop_names, again.mobility) == (robot.loop_names, robot.mobility)
    rest = np.zeros(again.n)
    torques = [each.with_driven(*robot.driven).inverse_dynamics(q, rest, rest)
               for each, q in ((robot, robot.home), (again, again.neutral()))]
    np.testing.assert_allclose(*torques, atol=1e-6)


def test_a_coupling_comes_back() -> None:
    robot = lp.catalog.planar(3).with_coupling({"joint1": 1.0, "joint3": -2.0}, name="belt", offset=0.2)
    again = there_and_back(robot)
    assert isinstance(again, lp.ClosedRobot)
    ((name, ratios, offset),) = ((each.name, dict(each.ratios), each.offset) for each in again.couplings)
    assert (name, ratios["joint1"] / ratios["joint3"], offset / ratios["joint1"]) == ("belt", -0.5, pytest.approx(0.2))


def test_what_is_lost_is_said() -> None:
    balancer = lp.LineSpring(on_parent=(0, 0, 0.5), on_child=(0.5, 0, 0), stiffness=20)
    arm = lp.catalog.planar(1).with_drives({"joint1": lp.Drive(spring=balancer)})
    assert any("line springs of joint 'joint1'" in said for said in sdf_of(arm).lost)
    three = lp.catalog.planar(3).with_coupling({"joint1": 1.0, "joint2": 2.0, "joint3": -2.0}, name="differential")
    assert any("coupling 'differential' of 3 speeds" in said for said in sdf_of(three).lost)
    assert any("drives at crank_joint" in said for said in sdf_of(lp.catalog.four_bar()).lost)


def test_a_file_is_written_whole(tmp_path: Path) -> None:
    robot = lp.catalog.panda()
    assert robot.to_sdf(tmp_path / "panda.sdf") == (tmp_path / "panda.sdf").read_text() == robot.to_sdf()
    assert lp.load(tmp_path / "panda.sdf") == robot
    with pytest.raises(ValueError, match=r"panda\.urdf"):
        robot.to_sdf(tmp_path / "panda.urdf")
    with warnings.catch_warnings():
        warnings.simplefilter("error", lp.ModelWarning)
        with pytest.raises(lp.ModelWarning, match=r"as SDF: [\s\S]*drives at crank_joint"):
            lp.catalog.four_bar().to_sdf()


def test_what_was_read_is_written_and_read_again() -> None:
    mimic = "<mimic joint='hinge'><multiplier>2</multiplier></mimic>"
    bodies = body("base"), body("arm", "0.1 0.2 0.3 0.4 0.5 0.6"), body("hand")
    joints = (joint("bolt", "world", "base", "fixed"), joint("hinge", "base", "arm", axis="1 2 3"),
              joint("f", "arm", "hand", "prismatic", in_axis=mimic))
    robot = robot_of(read_sdf(model(*bodies, *joints, version="1.11")))
    again = there_and_back(robot)
    assert [dataclasses.replace(joint, origin=Pose()) for joint in again.joints] == [
        dataclasses.replace(joint, origin=Pose()) for joint in robot.joints
    ]
    for one, other in zip(again.joints, robot.joints, strict=True):  # products of rotations have no exact angles
        np.testing.assert_allclose(one.origin.matrix, other.origin.matrix, atol=1e-15)


# Angles


def test_angles_give_rotations_back() -> None:
    random = np.random.default_rng(5)
    right = math.pi / 2
    special = [
        (0.1, right, 0.3),
        (-0.2, -right, 0),
        (1.5708, 1.5708, -1.5708),
        (3.14159, 0, 3.1416),
        (0, -1.5708, 6e-17),
    ]
    for angles in [*special, *random.uniform(-6, 6, (50, 3)), *np.round(random.uniform(-3, 3, (50, 3)), 3)]:
        pose = Pose.from_xyz_rpy(rpy=angles)
        assert Pose.from_xyz_rpy(rpy=roll_pitch_yaw(pose)).rotation == pose.rotation, angles
        other = pose @ Pose.from_xyz_rpy(rpy=(0.3, 0.2, 0.1))
        np.testing.assert_allclose(Pose.from_xyz_rpy(rpy=roll_pitch_yaw(other)).R, other.R, atol=5e-15)


def test_meshes_are_named_so_that_they_are_found_from_another_folder(tmp_path: Path) -> None:
    (tmp_path / "meshes").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "meshes" / "arm.stl").write_bytes(b"solid arm\nendsolid arm\n")
    shape = "<visual><geometry><mesh filename='meshes/arm.stl'/></geometry></visual>"
    (tmp_path / "arm.urdf").write_text(f"<robot name='r'><link name='arm'>{shape}</link></robot>")
    robot = lp.load(tmp_path / "arm.urdf")
    robot.to_sdf(tmp_path / "out" / "arm.sdf")
    (found,) = lp.load(tmp_path / "out" / "arm.sdf").link("arm").shapes
    assert isinstance(found, lp.MeshShape) and Path(found.file) == tmp_path / "meshes" / "arm.stl"


def test_meshes_of_archives_are_reported() -> None:
    mesh = lp.MeshShape("zz/arm.stl", content=b"solid", uri="package://zz/arm.stl")
    written = sdf_of(lp.Robot("r", (lp.Link("arm", shapes=(mesh,)),), ()))
    assert "package://zz/arm.stl" in written.text
    assert written.lost == ("mesh 'zz/arm.stl' of link 'arm' came in an archive: it is named, and not written",)


def test_a_home_that_is_lost_is_reported() -> None:
    """The palletizer's loops are closed at zero, too, where it is not at home."""
    lost = sdf_of(lp.catalog.parallelogram_palletizer()).lost
    assert lost[0].startswith("home: ") and lost[1].startswith("drives at ")


def test_no_angle_is_beyond_a_turn() -> None:
    """What a reader would take for degrees; the legs of the platform are where more digits are found a turn on."""
    robot = lp.catalog.stewart_platform()
    for text in (robot.to_urdf(), robot.to_sdf()):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            read_urdf(text) if "<robot" in text else read_sdf(text)


def test_the_home_of_a_tree_is_named_as_lost() -> None:
    with pytest.warns(lp.ModelWarning, match=r"home \(0\.1, 0\.2, .*\): SDF has no word for it"):
        lp.catalog.ur5().with_home([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]).to_sdf()
