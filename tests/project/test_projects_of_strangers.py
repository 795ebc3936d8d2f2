"""A project file reads around itself, and elsewhere only if its user trusts it. What it must not read is in the corpus
of `tests/bad_files/projects.txt`; here is what it may, and how to say so.
"""

from __future__ import annotations

import sys
import time
import types
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

import loadpath as lp
from loadpath.cli import app

ARM = (Path(__file__).parents[1] / "bad_files" / "arm.urdf").read_text()
OUTSIDE = "outside of what a project file may read"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose robot lies in a folder beside its own."""
    (tmp_path / "robots").mkdir()
    (tmp_path / "robots" / "arm.urdf").write_text(ARM)
    (tmp_path / "made" / "below").mkdir(parents=True)
    file = tmp_path / "made" / "project.toml"
    file.write_text('[robot]\nfile = "../robots/arm.urdf"\n')
    return file


@pytest.mark.parametrize("place", ["arm.urdf", "below/arm.urdf", "below/../arm.urdf", "ABSOLUTE/below/arm.urdf"])
def test_what_lies_beside_or_below_is_read(project: Path, place: str) -> None:
    name = place.replace("ABSOLUTE", str(project.parent))
    (project.parent / name).write_text(ARM)
    project.write_text(f'[robot]\nfile = "{name}"\n')
    assert lp.load_project(project).robot.n == 2


def test_paths_relative_to_the_working_folder(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project.parent / "arm.urdf").write_text(ARM)
    project.write_text('[robot]\nfile = "arm.urdf"\n')
    monkeypatch.chdir(project.parent)
    assert lp.load_project("project.toml").robot.n == 2
    monkeypatch.chdir(project.parent.parent)
    assert lp.load_project("made/project.toml").robot.n == 2


def test_a_link_to_the_project_file_reads_where_the_link_is(project: Path, tmp_path: Path) -> None:
    link = tmp_path / "project.toml"
    link.symlink_to(project)
    project.write_text('[robot]\nfile = "robots/arm.urdf"\n')
    assert lp.load_project(link).robot.n == 2


def test_what_lies_elsewhere_is_read_from_a_project_that_is_trusted(project: Path) -> None:
    with pytest.raises(lp.ModelError, match=OUTSIDE):
        lp.load_project(project)
    assert lp.load_project(project, trust=True).robot.n == 2


def test_a_repository_is_one_place(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".git").mkdir()
    assert lp.load_project(project).robot.n == 2
    monkeypatch.setenv("HOME", str(tmp_path))  # settings of the home may be kept in a repository
    with pytest.raises(lp.ModelError, match=OUTSIDE):
        lp.load_project(project)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / ".git").rmdir()
    (tmp_path / "robots" / ".git").mkdir()  # of another repository
    with pytest.raises(lp.ModelError, match=OUTSIDE):
        lp.load_project(project)


def test_packages_around_are_read(project: Path, tmp_path: Path) -> None:
    (tmp_path / "robots" / "package.xml").write_text("<package><name>robots</name></package>")
    assert lp.load_project(project).robot.n == 2


def test_folders_of_ros_are_read(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path / "robots"))
    assert lp.load_project(project).robot.n == 2


def test_packages_that_a_trusted_project_names(project: Path, tmp_path: Path) -> None:
    """They widen what its robot may include, which is why a stranger's project may not name them."""
    start = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
    (project.parent / "arm.xacro").write_text(f'{start}<xacro:include filename="../robots/arm.xacro"/></robot>')
    (tmp_path / "robots" / "arm.xacro").write_text("<robot><link name='from_elsewhere'/></robot>")
    project.write_text('[robot]\nfile = "arm.xacro"\npackage_paths = ["../robots"]\n')
    with pytest.raises(lp.ModelError, match=rf"line 3, \[robot\]: package_paths is '../robots', {OUTSIDE}"):
        lp.load_project(project)
    assert lp.load_project(project, trust=True).robot.link_names == ("from_elsewhere",)


def test_nothing_is_downloaded_or_imported_for_a_stranger(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package, arm = types.ModuleType("robot_descriptions"), types.ModuleType("robot_descriptions.arm_description")
    package.DESCRIPTIONS = {"arm_description": None}  # type: ignore[attr-defined]
    arm.URDF_PATH = str(project.parents[1] / "robots" / "arm.urdf")  # type: ignore[attr-defined]
    arm.PACKAGE_PATH = arm.REPOSITORY_PATH = str(project.parents[1] / "robots")  # type: ignore[attr-defined]
    project.write_text('[robot]\nfile = "arm_description"\n')
    monkeypatch.setitem(sys.modules, "robot_descriptions", None)  # an import of it is an error of its own
    with pytest.raises(lp.ModelError, match="file is 'arm_description', a robot of robot_descriptions, which is down"):
        lp.load_project(project)
    monkeypatch.setitem(sys.modules, "robot_descriptions", package)
    monkeypatch.setitem(sys.modules, "robot_descriptions.arm_description", arm)
    assert lp.load_project(project, trust=True).robot.n == 2


def test_a_file_of_that_name_is_no_description(project: Path) -> None:
    (project.parent / "arm_description").write_text(ARM)
    project.write_text('[robot]\nfile = "arm_description"\n')
    assert lp.load_project(project).robot.n == 2


@pytest.mark.parametrize("command", [["info"], ["loads", "--q", "0,0"], ["check"]])
def test_the_command_line_trusts_when_it_is_told(project: Path, command: list[str]) -> None:
    refused = CliRunner().invoke(app, [*command, str(project)])
    assert refused.exit_code == 2 and OUTSIDE in refused.output and "--trust" in refused.output
    taken = CliRunner().invoke(app, [*command, str(project), "--trust"])
    assert OUTSIDE not in taken.output and taken.exit_code != 2, taken.output


def test_new_says_what_its_file_needs(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project.parents[1])
    beside = CliRunner().invoke(app, ["new", "robots/arm.urdf", "-o", "robots/project.toml"])
    assert beside.exit_code == 0 and "trust" not in beside.output
    assert lp.load_project("robots/project.toml").robot.n
    elsewhere = CliRunner().invoke(app, ["new", "robots/arm.urdf", "-o", "made/project.toml", "--force"])
    assert elsewhere.exit_code == 0 and "try: loadpath report made/project.toml --trust" in elsewhere.output
    assert "only with --trust; made/project.toml beside the robot's file needs none" in elsewhere.output
    assert 'file = "../robots/arm.urdf"' in Path("made/project.toml").read_text()
    assert lp.load_project("made/project.toml", trust=True).robot.n


def _limits(count: int) -> str:
    tables = "".join(f"[limits.joint{k}]\neffort = 5\n" for k in range(1, count))
    return f'[robot]\ncatalog = "planar:{count}"\n{tables}'


def _motors(count: int) -> str:
    motor = 'kind = "motor"\ncontinuous_torque = 1\nrotor_inertia = 1e-4\n'
    return f'[robot]\ncatalog = "planar:{count}"\n' + "".join(
        f"[parts.joint{k}]\n{motor}[drives.joint{k}]\nratio = 50\n" for k in range(1, count)
    )


@pytest.mark.parametrize("written", [_limits, _motors])
def test_time_grows_with_the_number_of_tables_and_no_faster(tmp_path: Path, written: Callable[[int], str]) -> None:
    """A robot is made anew for all of them, not for each: 400 limits took 8 s, 800 four times as long."""

    def seconds(count: int) -> float:
        file = tmp_path / "project.toml"
        file.write_text(written(count))
        start = time.process_time()
        assert lp.load_project(file).robot.n == count
        return time.process_time() - start

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seconds(10)
        few, many = min(seconds(100) for _ in range(2)), seconds(800)
    assert many < 24 * few + 0.5, (few, many)


MOTOR = '[[parts.joint1]]\nkind = "motor"\ncontinuous_torque = 1\nrotor_inertia = {rotor}\nname = "motor {number}"\n'


@pytest.mark.parametrize("wrong", [1, 700, 1999])
def test_the_part_that_is_refused_is_found_among_many(tmp_path: Path, wrong: int) -> None:
    """All of them at the joint were taken off one by one, each time a call deeper: a RecursionError."""
    file = tmp_path / "project.toml"
    parts = "".join(MOTOR.format(number=k, rotor=1e-4 if k < wrong else 2e-4) for k in range(2000))
    file.write_text(f'[robot]\ncatalog = "two_link"\n[drives.joint1]\nratio = 50\n{parts}')
    line = 5 + 5 * wrong + 1
    words = rf"line {line}, \[parts.joint1\]: .* rotor_inertia is 0.0002 kg m\^2 in motor 'motor {wrong}' and 0.0001"
    with pytest.raises(lp.ModelError, match=words):
        lp.load_project(file)


def test_the_table_that_is_refused_is_found_among_many(tmp_path: Path) -> None:
    file = tmp_path / "project.toml"
    file.write_text(_limits(50) + "lower = 2\nupper = 1\n[limits.joint50]\neffort = -1\n")
    with pytest.raises(lp.ModelError, match=r"line 101, \[limits.joint49\]: .* lower limit 2.0 is above the upper"):
        lp.load_project(file)


def test_a_crowd_of_wheels_is_refused(tmp_path: Path) -> None:
    """Which contacts of a base lift is tried out, in a time that grows with the third power of their number."""
    feet = "".join(f'[[base.wheels]]\nkind = "support"\nposition = [{k % 8}, {k // 8}]\n' for k in range(200))
    file = tmp_path / "project.toml"
    base = "[base]\nmass = 80\ncenter_of_mass = [0, 0, 0.2]\nfriction = { sliding = 0.6, static = 0.8, rolling = 0 }\n"
    file.write_text(base + feet)
    with pytest.raises(lp.ModelError, match=r"line 185, \[base.wheels\]: 200 wheels and feet: expected at most 60"):
        lp.load_project(file)
