"""The command line: what it prints, that the numbers are the library's, and how it tells mistakes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result
from typer.testing import CliRunner

import loadpath as lp
from loadpath.cli import app

BAD_URDF = """<robot name="r"><link name="a"/><link name="b"><inertial><mass value="2,5"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" velocity="1" effort="1"/></joint></robot>"""


def run(*arguments: str, columns: int = 80) -> Result:
    return CliRunner().invoke(app, list(arguments), env={"COLUMNS": str(columns), "NO_COLOR": "1"})


def row(text: str, beginning: str) -> list[str]:
    """The words of the first line that begins so, without marks."""
    line = next(line for line in text.splitlines() if line.startswith(beginning))
    return re.sub("[▲▼]", " ", line).split()


# Demo


def test_demo_prints_the_torques_of_the_library() -> None:
    result = run("demo", "--samples", "3", "--duration", "2", "--payload", "2")
    assert result.exit_code == 0, result.output
    robot = lp.catalog.panda().with_payload(2.0)
    motion = lp.Motion.swing(robot, 2001, 2.0)
    tau = robot.inverse_dynamics(motion.q, motion.qd, motion.qdd)[[0, 1000, 2000]]
    for k, name in enumerate(robot.dof_names):
        shown = [float(word) for word in row(result.output, name)[-3:]]
        assert shown == pytest.approx(tau[:, k], abs=0.006 if abs(tau[:, k]).max() > 10 else 6e-4)


def test_demo_prints_the_wrenches_of_the_library() -> None:
    result = run("demo", "puma560", "--joint", "joint3", "--samples", "5", columns=100)
    assert result.exit_code == 0, result.output
    robot = lp.catalog.puma560()
    motion = lp.Motion.swing(robot, 2001)
    wrench = robot.joint_wrenches(motion.q, motion.qd, motion.qdd)["joint3"]
    table = result.output[result.output.index("Wrench at joint3") :].splitlines()[3:8]
    shown = np.array([[float(word) for word in re.sub("[▲▼]", " ", line).split()[2:]] for line in table])
    expected = np.concatenate([wrench.force, wrench.torque], axis=-1)[[0, 500, 1000, 1500, 2000]]
    np.testing.assert_allclose(shown, expected, atol=0.06)
    across = np.linalg.norm(wrench.force[:, :2], axis=1).max()  # the axis of a DH joint is z
    force = result.output[result.output.index("Force at every joint") :]
    axial, radial = (float(word) for word in row(force, "joint3")[4:6])
    assert axial == pytest.approx(np.abs(wrench.force[:, 2]).max(), abs=0.06)
    assert radial == pytest.approx(across, abs=0.06)


@pytest.mark.parametrize("columns", [80, 100, 200])
@pytest.mark.parametrize("robot", ["panda", "lau_arm", "puma560", "planar:4"])
def test_demo_fits_its_width(robot: str, columns: int) -> None:
    result = run("demo", robot, columns=columns)
    assert result.exit_code == 0
    assert max(len(line) for line in result.stdout.splitlines()) <= columns
    assert "…" not in result.stdout
    assert result.stdout.count("▲") >= 2


def test_more_instants_than_fit_are_shown_as_rows_only() -> None:
    result = run("demo", "--samples", "50")
    assert "…" not in result.stdout
    assert max(len(line) for line in result.stdout.splitlines()) <= 80
    assert len(re.findall(r"^ *\d\.\d\d s", result.stdout, re.MULTILINE)) == 50


def test_marks_are_on_the_largest_and_smallest() -> None:
    result = run("demo", "planar:2", "--samples", "8")
    line = next(line for line in result.output.splitlines() if line.startswith("joint1"))
    numbers = [float(word.rstrip("▲▼")) for word in line.split()[3:]]
    marked = {word[-1]: float(word[:-1]) for word in line.split()[3:] if word[-1] in "▲▼"}
    assert marked == {"▲": max(numbers), "▼": min(numbers)}


def test_forces_and_torques_have_their_units() -> None:
    result = run("demo", "lau_arm")
    assert row(result.output, "theta1")[1:3] == ["N", "m"]
    assert row(result.output, "d2")[1] == "N"
    assert row(result.output, "d2")[2] != "m"


def test_the_motion_keeps_the_limits_and_rests_at_its_ends() -> None:
    robot = lp.catalog.panda(hand=True)
    motion = lp.Motion.swing(robot, 501)
    for joint in robot.joints:
        if joint.motion.dof and joint.mimic is None:
            (limits,) = joint.limits
            q, qd = motion.q[:, robot.q_slices[joint.name]], motion.qd[:, robot.v_slices[joint.name]]
            assert limits.lower <= q.min() < q.max() <= limits.upper
            assert 0 < np.abs(qd).max() <= limits.velocity
    assert not motion.qd[[0, -1]].any()
    assert not motion.qdd[[0, -1]].any()
    rate = np.gradient(motion.q, motion.t, axis=0)
    np.testing.assert_allclose(rate[1:-1], motion.qd[1:-1], atol=1e-3 * np.abs(motion.qd).max())


def test_joints_with_quaternions_stay_where_they_are() -> None:
    robot = lp.catalog.panda().floating()
    motion = lp.Motion.swing(robot, 11)
    np.testing.assert_array_equal(motion.q[:, :7], np.tile([0, 0, 0, 0, 0, 0, 1.0], (11, 1)))
    assert not motion.qd[:, :6].any()
    assert motion.qd[5, 6:].all()


# Info and count


def test_info_lists_every_link_and_joint() -> None:
    robot = lp.catalog.panda(hand=True)
    result = run("info", "panda")
    assert result.exit_code == 0
    for joint in lp.catalog.panda().joints:
        assert row(result.output, joint.name)[2] == joint.child
    assert f"{robot.link('panda_link1').inertia.mass:.5g}" in row(result.output, "panda_link1")
    assert "mimic" not in result.output


FLEXIBLE = """
import loadpath as lp

links = [lp.Link("base"), lp.Link("outer", lp.Inertia(30.0, (1, 0, 0))), lp.Link("inner", lp.Inertia(20.0, (-1, 0, 0)))]
joints = [lp.Joint("lift", "base", "outer", lp.Revolute((0, -1, 0)), limits=[lp.Limits(0.0, 1.0)]),
          lp.Joint("extend", "outer", "inner", lp.Prismatic((1, 0, 0)), lp.Pose(translation=(2, 0, 0)),
                   limits=[lp.Limits(0.0, 1.2)])]
tube = lp.RectangularTube(0.06, 0.08, 0.003)
crane = lp.Robot("crane", tuple(links), tuple(joints)).with_beams({
    "outer": lp.Beam(tube, lp.STEEL, end=(2, 0, 0)),
    "inner": lp.Beam(tube, lp.STEEL, start=(-2, 0, 0), end=(0, 0, 0), guide=lp.Guide(front=0.0, tail=-1.8))})
soft = {"joint2": lp.JointCompliance(drive=5e3, tilting=2e4, damping=10.0)}
arm = lp.catalog.planar(2, mass=4.0).with_payload(3.0).with_beams(
    {"link1": lp.Beam(lp.Tube(0.03, 0.002), lp.STEEL, end="joint2")}, joint_compliance=soft)
wheels = [lp.FixedWheel((x, y), 0.1, stiffness=2e5) for x in (-0.6, 0.6) for y in (-0.4, 0.4)]
rover = lp.WheeledBase(mass=150, center_of_mass=(0, 0, 0.2), inertia=[[5, 0, 0], [0, 9, 0], [0, 0, 12]], wheels=wheels,
                       friction=lp.WheelFriction(0.8)).carrying(arm, at=(0, 0, 0.3))
"""


def test_info_names_beams_guides_and_what_gives_way(tmp_path: Path) -> None:
    file = tmp_path / "flexible.py"
    file.write_text(FLEXIBLE)
    crane = run("info", f"{file}:crane").output
    assert row(crane, "outer ")[:3] == ["outer", "30", "1.0000"]
    assert row(crane[crane.index("Guides") :], "extend ")[:3] == ["extend", "inner", "outer"]
    assert "Guide(front=0, tail=-1.8)" in crane.replace("\n", "")
    arm = run("info", f"{file}:arm").output
    soft = row(arm[arm.index("Compliant joints") :], "joint2 ")
    assert soft == ["joint2", "drive", "5000;", "tilting", "2e+04;", "damping", "10"]
    rover = run("info", f"{file}:rover").output
    assert row(rover, "wheel1")[-1] == "2e+05"


def test_demo_shows_what_gives_way_and_which_tables_are_rigid(tmp_path: Path) -> None:
    file = tmp_path / "flexible.py"
    file.write_text(FLEXIBLE)
    said = {name: run("demo", f"{file}:{name}", columns=200).output for name in ("arm", "rover")}
    names: dict[str, object] = {}
    exec(FLEXIBLE, names)
    for name, text in said.items():
        subject: lp.FlexibleRobot | lp.Rover = names[name]  # type: ignore[assignment]
        motion = lp.Motion.swing(subject.robot if isinstance(subject, lp.Rover) else subject, 2001)
        some = tuple(part[::20] for part in (motion.q, motion.qd, motion.qdd))
        sag = 1e3 * np.linalg.norm(subject.deflection(*some).tip.displacement, axis=-1).max()
        assert f"Largest deflection: {sag:.4g} mm of 'payload'" in text
        assert f"The arm buckles under {subject.buckling(*some).worst.factor:.4g} times these loads" in text
        assert "The tables below are those of the rigid arm." in text
        assert "Smallest safety against yield" in text and "Lowest natural frequency under load" in text


def test_info_tells_who_mimics_whom(tmp_path: Path) -> None:
    file = tmp_path / "hand.urdf"
    finger = BAD_URDF.split("\n", 1)[1].replace('name="j"', 'name="k"').replace('"b"', '"c"')
    finger = finger.replace("<limit", '<mimic joint="j" multiplier="-2"/><limit')
    link = '<link name="c"><inertial><mass value="1"/>'
    file.write_text(BAD_URDF.replace("2,5", "2.5").replace("</robot>", link + finger))
    result = run("info", str(file))
    assert result.exit_code == 0, result.output
    assert ["k", "j", "-2", "0", "rad"] in [line.split() for line in result.output.splitlines()]


def test_count_prints_the_counts_of_the_library() -> None:
    result = run("count", "two_link", columns=110)
    assert result.exit_code == 0
    for name in ("inverse_dynamics", "joint_wrenches", "gravity_forces", "jacobian"):
        count = lp.catalog.two_link().operation_count(name)
        assert row(result.output, name)[-4:-2] == [str(count.multiplications), str(count.additions)]


def test_count_of_chosen_functions() -> None:
    result = run("count", "two_link", "--function", "jacobian", "--function", "link_poses")
    assert [line.split()[0] for line in result.output.splitlines()[3:5]] == ["jacobian", "link_poses"]
    assert "inverse_dynamics" not in result.output


def test_count_goes_on_where_a_robot_has_no_such_function(tmp_path: Path) -> None:
    file = tmp_path / "ghost.urdf"
    file.write_text(re.sub("<inertial>.*</inertial>", "", BAD_URDF, flags=re.DOTALL))
    result = run("count", str(file))
    assert result.exit_code == 0, result.output
    assert row(result.output, "mass_matrix_inverse") == ["mass_matrix_inverse", "-", "-", "-", "-"]
    assert row(result.output, "link_poses")[1] != "-"


def test_version() -> None:
    result = run("--version")
    assert result.exit_code == 0
    assert result.output.strip() == f"loadpath {lp.__version__}"


# Files, doubts and mistakes


def test_a_doubtful_file_is_shown_with_its_doubts(tmp_path: Path) -> None:
    file = tmp_path / "arm.urdf"
    file.write_text(BAD_URDF.replace("2,5", "2.5").replace('izz="1"', 'izz="3"'))
    for command in ("demo", "info"):
        result = run(command, str(file))
        assert result.exit_code == 0, result.output
        assert "warning:" in result.stderr
        assert "link 'b'" in result.stderr
        assert "triangle inequality" in result.stderr
        assert "triangle" not in result.stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["demo", "pnda"], "did you mean 'panda'"),
        (["info", "zzz"], "panda"),
        (["demo", "planar"], "planar:N"),
        (["demo", "planar:x"], "planar:N"),
        (["demo", "nowhere.urdf"], "nowhere.urdf"),
        (["count", "arm.step"], ".step"),
        (["count", "--function", "jacobean"], "no function 'jacobean'"),
        (["demo", "--payload", "-1"], "payload"),
        (["demo", "--payload", "nan"], "nan"),
        (["demo", "--payload", "1", "--link", "panda_lnk3"], "did you mean 'panda_link3'"),
        (["demo", "--joint", "elbow"], "no joint 'elbow'"),
        (["demo", "--duration", "0"], "duration"),
        (["demo", "--duration", "nan"], "duration"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(arguments: list[str], told: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("loadpath: ")
    assert result.stderr.count("\n") == 1
    assert told in result.stderr


def test_a_broken_file_is_one_line_that_names_it(tmp_path: Path) -> None:
    file = tmp_path / "arm.urdf"
    file.write_text(BAD_URDF)
    result = run("demo", str(file))
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    for part in ("arm.urdf", "link 'b'", "2,5"):
        assert part in result.stderr
    assert run("demo", str(tmp_path)).exit_code == 2


def test_a_robot_without_joints_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "stone.urdf"
    file.write_text('<robot name="stone"><link name="stone"/></robot>')
    result = run("demo", str(file))
    assert result.exit_code == 2
    assert "no moving joints" in result.stderr


def _shell(command: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "import loadpath.cli; loadpath.cli.main()", *command],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_piped_output_has_no_control_codes() -> None:
    done = _shell(["info", "two_link"], PYTHONIOENCODING="utf-8")
    assert done.returncode == 0
    assert "\x1b" not in done.stdout + done.stderr


def test_output_without_unicode_is_ascii() -> None:
    done = _shell(["demo", "two_link"], PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert done.stdout.isascii() and "\x1b" not in done.stdout + done.stderr
    assert "^" in done.stdout


def test_a_reader_that_leaves_early_is_no_mistake() -> None:
    program = [sys.executable, "-c", "import loadpath.cli; loadpath.cli.main()", "demo", "puma560", "--samples", "50"]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert "Traceback" not in process.stderr.read()
