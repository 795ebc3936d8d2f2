"""The URDF reader: what it reads, what it refuses and in which words, what it only doubts."""

from __future__ import annotations

import math
import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from urdf_corpus import (
    DOUBTFUL,
    END,
    FAULTY,
    MIMIC,
    SHOULDER_AXIS,
    SHOULDER_LIMIT,
    SHOULDER_ORIGIN,
    SOUND,
    UPPER_INERTIAL,
    WELDED_TOOL,
    Case,
    edited,
)

from loadpath.errors import ModelError, ModelWarning
from loadpath.files.opening import open_robot
from loadpath.files.urdf.reading import parse_urdf
from loadpath.robot.joints import Continuous, Fixed, Free, Planar, Prismatic, Revolute
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Limits, Mimic
from loadpath.robot.pose import Pose
from real_robots import DOUBTFUL as DOUBTFUL_ROBOTS
from real_robots import REAL_ROBOTS, REFUSED


def read(text: str | bytes) -> RobotModel:
    """Read a robot about which there is nothing to say."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return parse_urdf(text, source="test.urdf", strict=True)


# What is read


def test_the_sound_robot() -> None:
    robot = read(SOUND)
    assert robot.name == "arm"
    assert robot.link_names == ("base", "upper", "fore", "finger", "tool")
    assert robot.joint_names == ("shoulder", "slide", "grip", "mount")
    shoulder = robot.joint("shoulder")
    assert shoulder.motion == Revolute((0, 1, 0))
    assert shoulder.origin == Pose(translation=(0, 0, 0.5))
    assert shoulder.limits == (Limits(-2, 2, 3, 50),)
    assert shoulder.viscous_friction == (0.5,)
    assert shoulder.coulomb_friction == (0.25,)
    assert robot.joint("slide").motion == Prismatic((1, 0, 0))
    assert robot.joint("grip").mimic == Mimic("slide", -2, 0.01)
    assert robot.joint("mount").motion == Fixed()
    assert robot.link("tool").inertia.is_zero


def test_the_inertia_is_turned_into_the_axes_of_the_link() -> None:
    inertia = read(SOUND).link("upper").inertia
    c, s = math.cos(0.3), math.sin(0.3)
    turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    in_own_axes = np.array([[0.04, 0.001, 0], [0.001, 0.05, 0], [0, 0, 0.06]])
    assert inertia.mass == 2.5
    assert inertia.center_of_mass == (0, 0, 0.2)
    np.testing.assert_allclose(inertia.tensor, turn @ in_own_axes @ turn.T, rtol=1e-14)


def test_the_default_axis_is_x() -> None:
    robot = read(edited((SHOULDER_AXIS, '<limit lower="-2"')))
    assert robot.joint("shoulder").motion == Revolute((1, 0, 0))


def test_an_axis_is_normalised() -> None:
    robot = read(edited((SHOULDER_AXIS, '<axis xyz="0 3 4"/><limit lower="-2"')))
    assert robot.joint("shoulder").motion == Revolute((0, 0.6, 0.8))


def test_a_continuous_joint_has_no_position_limits() -> None:
    joint = read(edited(('type="revolute"', 'type="continuous"'))).joint("shoulder")
    assert joint.motion == Continuous((0, 1, 0))
    assert joint.limits == (Limits(-math.inf, math.inf, 3, 50),)


def test_a_floating_joint_is_free() -> None:
    plain = edited(('type="revolute"', 'type="floating"'), ('damping="0.5" friction="0.25"', ""))
    joint = read(plain).joint("shoulder")
    assert joint.motion == Free()
    assert joint.origin == Pose(translation=(0, 0, 0.5))


@pytest.mark.parametrize("normal", [(0, 0, 1), (0, 0, -1), (1, 0, 0), (0, -1, 0), (1, 2, -3), (1e-9, 0, -1)])
def test_a_planar_joint_moves_across_its_axis(normal: tuple[float, float, float]) -> None:
    axis = " ".join(map(str, normal))
    text = edited(
        ('type="revolute"', 'type="planar"'),
        ('damping="0.5" friction="0.25"', ""),
        (SHOULDER_AXIS, f'<axis xyz="{axis}"/><limit lower="-2"'),
        (SHOULDER_ORIGIN, '<origin xyz="1 2 3" rpy="0.1 0.2 0.3"/>'),
    )
    joint = read(text).joint("shoulder")
    assert joint.motion == Planar()
    frame = Pose.from_xyz_rpy((1, 2, 3), (0.1, 0.2, 0.3))
    # Unmoved, the link stands in the joint frame.
    np.testing.assert_allclose((joint.origin @ joint.link_offset).matrix, frame.matrix, atol=1e-15)
    # The motion's z is the normal.
    unit = np.array(normal) / np.linalg.norm(normal)
    np.testing.assert_allclose(joint.origin.R[:, 2], frame.R @ unit, atol=1e-9)
    # The turn from z to the normal is the smallest: it takes place in their common plane.
    turn = frame.R.T @ joint.origin.R
    if unit[2] > -1 + 1e-6:
        assert np.trace(turn) == pytest.approx(1 + 2 * unit[2])
    else:
        np.testing.assert_allclose(turn, np.diag([1, -1, -1]), atol=1e-8)


def test_a_quaternion_may_stand_for_rpy() -> None:
    quaternion = f'<origin xyz="0 0 0.5" quat_xyzw="{math.sin(0.2)} 0 0 {math.cos(0.2)}"/>'
    robot = read(edited((SHOULDER_ORIGIN, quaternion)))
    expected = Pose.from_xyz_rpy((0, 0, 0.5), (0.4, 0, 0))
    np.testing.assert_allclose(robot.joint("shoulder").origin.matrix, expected.matrix, atol=1e-15)


@pytest.mark.parametrize("length", [1.0, 3.0, 1e-200])
def test_a_quaternion_about_any_axis(length: float) -> None:
    direction = np.array([0.3, -0.7, 0.4, 0.5])
    numbers = " ".join(repr(x) for x in (length * direction).tolist())
    robot = read(edited((SHOULDER_ORIGIN, f'<origin xyz="0 0 0.5" quat_xyzw="{numbers}"/>')))
    expected = Rotation.from_quat(direction).as_matrix()
    np.testing.assert_allclose(robot.joint("shoulder").origin.R, expected, atol=1e-15)


def test_infinite_limits() -> None:
    limit = '<limit lower="-inf" upper="inf" velocity="inf" effort="+Inf"/>'
    robot = read(edited((SHOULDER_LIMIT, limit)))
    assert robot.joint("shoulder").limits == (Limits(-math.inf, math.inf, math.inf, math.inf),)


def test_a_robot_from_a_file_pickles() -> None:
    robot = read(SOUND)
    assert pickle.loads(pickle.dumps(robot)) == robot


# Odd but sound

SOUND_BODY = SOUND.split("\n", 1)[1]
SHUFFLED = edited(('  <link name="tool"/>\n', ""), (END, '  <link name="tool"/>\n</robot>'))
ODD = {
    "byte order mark": b"\xef\xbb\xbf" + SOUND.encode(),
    "no declaration": SOUND_BODY,
    "Latin-1": ('<?xml version="1.0" encoding="iso-8859-1"?>\n<!-- Länge -->' + SOUND_BODY).encode("latin-1"),
    "UTF-16": ('<?xml version="1.0" encoding="utf-16"?>\n' + SOUND_BODY).encode("utf-16"),
    "text that declares another encoding": '<?xml version="1.0" encoding="utf-16"?>\n' + SOUND_BODY,
    "line ends of Windows": SOUND.replace("\n", "\r\n"),
    "comments with xacro in them": SOUND.replace(END, "<!-- <xacro:arm mass='${m}'/> --></robot>"),
    "namespaces": SOUND.replace('<robot name="arm">', '<robot name="arm" xmlns:xacro="http://wiki.ros.org/xacro">'),
    "prefix never declared": SOUND.replace(END, "<gazebo><a:b c:d='1'/></gazebo></robot>"),
    "links behind joints": SHUFFLED,
    "whitespace and line breaks in vectors": SOUND.replace('xyz="0 0 0.5"', 'xyz="  0\n0\t0.5 "'),
    "all spellings of numbers": SOUND.replace('xyz="0 0 0.5"', 'xyz="-0 +0.e0 .5E+0"'),
    "blanks around a number": SOUND.replace('value="2.5"', 'value=" 2.5 "'),
    "inertia of a fixed joint's axis": SOUND.replace('type="fixed">', 'type="fixed"><axis xyz="0 0 0"/>'),
    "mimic, limit and dynamics on a fixed joint": SOUND.replace(
        'type="fixed">',
        'type="fixed"><mimic joint="slide"/><limit effort="0" velocity="0"/><dynamics damping="1"/>',
    ),
    "what does not count": SOUND.replace(
        END,
        '<material name="red"/><gazebo reference="tool"><mass value="x"/></gazebo><transmission name="t">'
        "<joint name='nowhere'/><actuator name='m'><mechanicalReduction>100</mechanicalReduction></actuator>"
        "</transmission><sensor name='s'/></robot>",
    ),
    "what does not count in a joint": SOUND.replace(
        MIMIC, MIMIC + '<safety_controller k_velocity="x"/><calibration rising="0"/>'
    ),
    "an origin of a link that moves nothing": SOUND.replace(
        WELDED_TOOL, '<link name="tool"><origin xyz="0 0 0" rpy="0 -0 0"/></link>'
    ),
    "a document type": "<!DOCTYPE robot>\n" + SOUND_BODY,
}


@pytest.mark.parametrize("text", ODD.values(), ids=ODD.keys())
def test_odd_but_sound(text: str | bytes) -> None:
    assert read(text) == read(SOUND) or text is SHUFFLED
    assert set(read(text).links) == set(read(SOUND).links)


def test_names_may_be_any_text() -> None:
    text = SOUND.replace('"upper"', '"Oberarm links (größer) 上腕"').replace('"shoulder"', '"a/b &amp; c"')
    robot = read(text)
    assert robot.joint("a/b & c").child == "Oberarm links (größer) 上腕"


def test_a_single_link_is_a_robot() -> None:
    assert read("<robot name='stone'><link name='stone'/></robot>").n == 0


def test_mass_may_come_from_what_is_welded_on() -> None:
    text = edited((UPPER_INERTIAL, ""), (WELDED_TOOL, f'<link name="tool">{UPPER_INERTIAL}</link>'))
    text = text.replace('<parent link="fore"/>\n    <child link="tool"/>', '<parent link="upper"/><child link="tool"/>')
    assert read(text).link("upper").inertia.is_zero


# What is refused


@pytest.mark.parametrize("case", FAULTY, ids=lambda case: case.name)
def test_faulty(case: Case) -> None:
    with pytest.raises(ModelError) as caught:
        parse_urdf(case.text, source="robots/test.urdf")
    message = str(caught.value)
    assert message.startswith("robots/test.urdf")
    assert message.count("robots/test.urdf") == 1
    for part in case.says:
        assert part in message


def test_there_are_many_faults_and_each_is_one() -> None:
    assert len({case.text for case in FAULTY}) == len(FAULTY) >= 60
    assert len({case.name for case in FAULTY}) == len(FAULTY)


def test_the_line_is_named() -> None:
    text = edited(('<mass value="1.5"/>', '<mass value="1.5kg"/>'))
    line = 1 + text[: text.index("1.5kg")].count("\n")
    with pytest.raises(ModelError, match=rf"^test\.urdf, line {line}: link 'fore': value of <mass> is '1.5kg'"):
        read(text)


@pytest.mark.parametrize(
    "data", [b"\x00\x01\xff\xfe robot", b"\x89PNG\r\n\x1a\n", b"PK\x03\x04", bytes(range(256)), "\ud800<robot/>"]
)
def test_garbage(data: bytes | str) -> None:
    with pytest.raises(ModelError, match=r"^test\.urdf.*XML"):
        read(data)


def test_unknown_encoding() -> None:
    with pytest.raises(ModelError, match=r"test\.urdf: .*encoding"):
        read(b'<?xml version="1.0" encoding="nonsense"?><robot name="a"/>')


# What is doubted


@pytest.mark.parametrize("case", DOUBTFUL, ids=lambda case: case.name)
def test_doubtful(case: Case) -> None:
    with pytest.warns(ModelWarning) as told:
        parse_urdf(case.text, source="test.urdf")
    (warning,) = told
    message = str(warning.message)
    assert message.startswith("test.urdf: ")
    for part in case.says:
        assert part in message
    assert Path(warning.filename) == Path(__file__)
    with pytest.raises(ModelError) as caught:
        parse_urdf(case.text, source="test.urdf", strict=True)
    assert str(caught.value) == message


def test_all_doubts_come_in_one_message() -> None:
    text = edited(('izz="0.06"', 'izz="0.6"'), ('lower="-2" upper="2"', ""), ('offset="0.01"', 'colour="red"'))
    with pytest.raises(ModelError) as caught:
        parse_urdf(text, source="test.urdf", strict=True)
    message = str(caught.value)
    for part in ("link 'upper': triangle", "joint 'shoulder': <limit>", "joint 'grip'", "colour"):
        assert part in message
    assert message.count("test.urdf") == 1


def test_doubtful_numbers_are_kept() -> None:
    with pytest.warns(ModelWarning, match="triangle inequality"):
        robot = parse_urdf(edited(('rpy="0 0 0.3"', ""), ('izz="0.06"', 'izz="0.6"')))
    assert robot.link("upper").inertia.tensor[2][2] == 0.6


def test_doubts_are_not_told_again_for_robots_made_from_it() -> None:
    with pytest.warns(ModelWarning):
        robot = parse_urdf(edited(('izz="0.06"', 'izz="0.6"')))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        RobotModel("copy", robot.links, robot.joints, known_faults=robot.known_faults)


# Files


def test_a_file(tmp_path: Path) -> None:
    file = tmp_path / "arm.urdf"
    file.write_text(SOUND, encoding="utf-8")
    assert open_robot(file).tree == open_robot(str(file)).tree == read(SOUND)


def test_errors_name_the_file(tmp_path: Path) -> None:
    file = tmp_path / "arm.urdf"
    file.write_text(SOUND.replace("2.5", "-2.5"), encoding="utf-8")
    with pytest.raises(ModelError, match=r"link 'upper': mass is -2\.5") as caught:
        open_robot(file)
    assert str(caught.value).startswith(str(file))


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no such URDF file: '.*nowhere\.urdf'"):
        open_robot(tmp_path / "nowhere.urdf")


def test_a_directory(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="is a folder"):
        open_robot(tmp_path)


# Real robots


@pytest.mark.parametrize("name", sorted(REAL_ROBOTS.keys() - REFUSED.keys()))
def test_real_robots_load_and_only_the_known_ones_are_doubted(name: str) -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        robot = open_robot(REAL_ROBOTS[name]).tree
    assert len(robot.links) == len(robot.joints) + 1
    assert len(told) == (name in DOUBTFUL_ROBOTS)
    for part in DOUBTFUL_ROBOTS.get(name, ()):
        assert part in str(told[0].message)


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_real_files_that_are_no_robots(name: str) -> None:
    with pytest.raises(ModelError) as caught:
        open_robot(REAL_ROBOTS[name])
    assert REFUSED[name] in str(caught.value)
