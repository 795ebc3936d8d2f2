"""Every command and table at widths from 60 to 120: they fit, no name is broken, and every limit has its unit."""

from __future__ import annotations

import functools
import io
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

import loadpath as lp
from loadpath.cli import app
from loadpath.cli.command_list import COMMANDS as COMMANDS_THAT_ARE
from loadpath.cli.tables import Sheet, joint_table, link_table, peak_table

NAMES = ["gripper_left_inner_double_joint", "wrist_right_ft_tool_joint", "leg_left_1_joint", "torso_2_joint"]


def robot() -> lp.Robot:
    """A tree with names as long as those of Talos."""
    links, joints, parent = [lp.Link("base_link")], [], "base_link"
    for k, name in enumerate(NAMES):
        child = name.replace("joint", "link")
        links.append(lp.Link(child, lp.Inertia(1.25, (0.1, 0.0, -0.2), ((0.01, 0, 0), (0, 0.02, 0), (0, 0, 0.02)))))
        motion = lp.Prismatic((0, 0, 1)) if k == 3 else lp.Revolute((0, 1, 0))
        limits = [lp.Limits(-1.5, 2.25, 3.5, 120.0)]
        joints.append(lp.Joint(name, parent, child, motion, lp.Pose(translation=(0.1, 0, 0.2)), limits=limits))
        parent = child
    return lp.Robot("long_names", links, joints)


def printed(part: object, width: int) -> str:
    console = Console(file=io.StringIO(), width=width, highlight=False, markup=False, emoji=False)
    console.print(part)
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


def broken(text: str, names: Sequence[str]) -> list[str]:
    """Words of a text that are pieces of names: what names are made of, and no name itself."""
    pieces = {part for name in names for k in range(len(name)) if name[k] == "_" for part in (name[: k + 1], name[k:])}
    words = {word.strip("'\",;:.()[]<>=") for word in text.split()}
    return sorted(words & pieces)


@pytest.mark.parametrize("width", [60, 70, 80, 100, 120])
def test_names_are_whole(width: int) -> None:
    arm = robot()
    motion = lp.Motion.swing(arm, 11)
    wrenches = arm.joint_wrenches.uncompiled(motion.q, motion.qd, motion.qdd)
    console = Console(width=width)
    for table in (link_table(arm), joint_table(arm),
                  peak_table(arm, motion, wrenches, "force", console)):
        text = printed(table, width)
        assert max(map(len, text.splitlines())) <= width
        assert "…" not in text
        assert not broken(text, [*arm.joint_names, *arm.link_names])
        assert sum(name in text for name in [*arm.joint_names, *arm.link_names]) >= len(NAMES)


@pytest.mark.parametrize("width", [60, 80, 100])
def test_limits_have_units_of_their_joint(width: int) -> None:
    text = printed(joint_table(robot()), width)
    assert text.count("-1.5 .. 2.25 rad") == 3 and text.count("-1.5 .. 2.25 m") == 1
    assert text.count("3.5 rad/s") == 3 and text.count("3.5 m/s") == 1
    assert text.count("120 N m") == 3 and len(re.findall(r"120 N(?! m)", text)) == 1


def test_what_fits_is_not_folded_and_what_never_fits_is_written_row_by_row() -> None:
    table = Sheet(["joint", "value (N m)"])
    table.add_row("some_long_name_of_a_joint", "12.5")
    assert printed(table, 60).splitlines()[2].split() == ["some_long_name_of_a_joint", "12.5"]
    assert printed(table, 26).splitlines() == ["some_long_name_of_a_joint", "  value (N m): 12.5"]
    narrow = Sheet(["joint", *(f"column {k}" for k in range(9))])
    narrow.add_row("elbow", *[f"{k}.000000" for k in range(9)])
    text = printed(narrow, 40)
    assert text.splitlines()[0] == "elbow"
    assert "column 8: 8.000000" in text and max(map(len, text.splitlines())) <= 40


def test_columns_of_less_importance_are_left_out_and_named() -> None:
    table = Sheet(["joint", "used", "at", "by"], words=("by",), less_important=("by", "at"))
    table.add_row("a_name_of_a_joint", "71.6 %", "0.5 s", "gravity of_another_link")
    assert "gravity of_another_link" in printed(table, 60) and "Left out" not in printed(table, 60)
    narrow = printed(table, 34)
    assert "0.5 s" in narrow and "gravity" not in narrow and "Left out, for want of width: by." in narrow
    assert max(map(len, narrow.splitlines())) <= 34


CART = """
[robot]
file = "arm.urdf"
[base]
name = "cart_with_a_long_name"
mass = 60
center_of_mass = [0, 0, 0.2]
inertia = [1, 1, 1]
friction = { sliding = 0.6 }
position = [0, 0, 0.3]
[[base.wheels]]
kind = "fixed wheel"
name = "wheel_on_the_left_side"
position = [0, 0.6]
radius = "100 mm"
[[base.wheels]]
kind = "fixed wheel"
name = "wheel_on_the_right_side"
position = [0, -0.6]
radius = "100 mm"
[[base.wheels]]
kind = "caster"
name = "caster_in_the_front"
position = [1.2, 0]
radius = "100 mm"
[[base.wheels]]
kind = "caster"
name = "caster_in_the_back"
position = [-1.2, 0]
radius = "100 mm"
"""
BENDING = """
[robot]
file = "arm.urdf"
[beams.leg_left_1_link]
section = { kind = "tube", outer_radius = "30 mm", wall = "3 mm" }
material = "steel"
end = "torso_2_joint"
[[parts.wrist_right_ft_tool_joint]]
kind = "crossed roller bearing"
C = "29 kN"
C0 = "50 kN"
dp = "110 mm"
"""
STUDY = BENDING.partition("[beams")[0] + """
[study]
answers = ["mass", "wrist_right_ft_tool_joint.tilting_moment", "wrist_right_ft_tool_joint.drive:rms"]
front = ["mass", "wrist_right_ft_tool_joint.tilting_moment"]
[study.space]
"torso_2_link.mass" = ["1 kg", "2 kg"]
[motion]
file = "short.csv"
"""
GEARS = """kind,name,ratio,peak_torque (N m),mass (kg)
strain wave gear,size 14,100,3,0.1
strain wave gear,size 20,100,82000,0.3
"""
SHORT = ["--motion", "short.csv"]
"""Tables of beams are as wide for three samples."""
COMMANDS = {
    "info": ["arm.urdf"], "check": ["arm.urdf"], "demo": ["arm.urdf", "--samples", "3"],
    "loads": ["arm.urdf"], "loads of a state": ["arm.urdf", "--q", "0,0,0,0", "--joint", NAMES[0]],
    "loads of a joint": ["arm.urdf", "--joint", NAMES[1]],
    "deflect": ["beams.toml", *SHORT], "rover": ["cart.toml"], "simulate": ["arm.urdf", "--duration", "0.1"],
    "report": ["arm.urdf", "--sections", "verdict", "-o", "report.html"], "verdict": ["arm.urdf"],
    "compare": ["arm.urdf", "beams.toml", *SHORT],
    "datasheet": ["arm.urdf", "--sections", "drives", "-o", "sheet.html"],
    "verdict of a rover": ["cart.toml"], "verdict of beams": ["beams.toml", *SHORT],
    "count": ["arm.urdf"], "verify": ["arm.urdf", "--states", "1"],
    "bench": ["arm.urdf", "--states", "10"], "info of a rover": ["cart.toml"], "info of beams": ["beams.toml"],
    "size": ["arm.urdf", "--table", f"{NAMES[0]}=gears.csv", "--why"],
    "study": ["study.toml", "--in-memory"], "fastest": ["arm.urdf", "--acceleration", "2"],
    "convert": ["arm.urdf", "arm.sdf"], "export": ["arm.urdf", "gravity_forces", "-o", "code.c"],
}
ELSEWHERE = {"new", "view", "equations"}
"""Whose output is a file, a page, or formulas."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("widths")
    robot().to_urdf(made / "arm.urdf")
    (made / "cart.toml").write_text(CART)
    (made / "beams.toml").write_text(BENDING)
    (made / "study.toml").write_text(STUDY)
    (made / "gears.csv").write_text(GEARS)
    lp.Motion.swing(robot(), 3).to_csv(made / "short.csv")
    return made


def test_every_command_is_here() -> None:
    assert set(COMMANDS_THAT_ARE) <= {name.split()[0] for name in COMMANDS} | ELSEWHERE


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_fit_and_break_no_name(command: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setattr("loadpath.cli.commands.bench.AT_LEAST", 0.0)
    monkeypatch.setattr(lp.Robot, "operation_count", functools.cache(lp.Robot.operation_count))  # the same at any width
    wheels = [line.split('"')[1] for line in CART.splitlines() if line.startswith("name")]
    names = [*NAMES, *(name.replace("joint", "link") for name in NAMES), *wheels]
    for width in (60, 70, 80, 100):
        env = {"COLUMNS": str(width), "NO_COLOR": "1"}
        result = CliRunner().invoke(app, [command.split(maxsplit=1)[0], *COMMANDS[command]], env=env)
        assert result.exit_code in (0, 1), result.output
        assert not broken(result.stdout, names), result.stdout
        for line in result.stdout.splitlines():
            assert len(line) <= width or len(line.split()) == 1, (width, line)
