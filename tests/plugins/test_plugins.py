"""Plugins of other packages are known wherever a name is: in files, in the catalog, on the command line."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

import loadpath as lp
from installing import install, install_example
from loadpath.cli import app

ARM = """
[robot]
file = "arm.rods"
[beams.link1]
section = { kind = "ellipse", a = "30 mm", b = "20 mm" }
material = "steel"
end = "joint2"
[[parts.joint2]]
kind = "Shear pin"
strength = "2 kN"
[motion]
swing = true
duration = 2
"""
ROVER = """
[robot]
catalog = "planar:1"
[base]
mass = 60
center_of_mass = [0, 0, 0.2]
friction = { sliding = 0.6 }
""" + "".join(f"""
[[base.wheels]]
kind = "{kind}"
position = [{x}, {y}]
radius = "100 mm"
""" for kind, x, y in (("fixed wheel", 0, 0.6), ("fixed wheel", 0, -0.6), ("ball wheel", 1, 0), ("ball-wheel", -1, 0)))


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "100", "NO_COLOR": "1"})


@pytest.fixture
def example(site: Path) -> Path:
    install_example(site)
    return site


def in_folder(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / name.replace("_", ".", 1)).write_text(text)
    return folder


# What plugins add is known


def test_a_project_of_foreign_things_is_read_and_judged(example: Path, tmp_path: Path) -> None:
    in_folder(tmp_path, arm_rods='{"rods": 2, "length": 0.5}', project_toml=ARM)
    project = lp.load_project(tmp_path / "project.toml")
    assert project.robot.n == 2
    row = project.verdict()["joint2", "shear"]
    states = project.robot.joint_wrenches(project.motion)["joint2"].force
    assert row.demand == pytest.approx((states[..., :2] ** 2).sum(-1).max() ** 0.5)  # z is the axis
    assert row.utilisation == pytest.approx(row.demand / 2000.0)
    (_, beams), *_ = project.robot.beams
    section = (beams if isinstance(beams, lp.Beam) else beams[0]).section
    assert type(section).__name__ == "Ellipse" and section.a == 0.03


def test_a_report_knows_them(example: Path, tmp_path: Path) -> None:
    in_folder(tmp_path, arm_rods='{"rods": 1, "length": 0.5}',
              project_toml=ARM.replace("[[parts.joint2]]", "[[parts.joint1]]").replace("joint2", "tip_joint"))
    result = run("report", str(tmp_path / "project.toml"), "-o", str(tmp_path / "out.html"))
    assert result.exit_code == 0, result.output
    assert "shear pin" in (tmp_path / "out.html").read_text()


def test_a_rover_rolls_on_foreign_wheels(example: Path, tmp_path: Path) -> None:
    in_folder(tmp_path, rover_toml=ROVER)
    rover = lp.load_project(tmp_path / "rover.toml").rover
    assert rover is not None
    assert [type(wheel).__name__ for wheel in rover.base.wheels[2:]] == ["BallWheel", "BallWheel"]
    loads = rover.wheel_loads([0.0], [0.0], [0.0])
    mass = 60 + sum(link.inertia.mass for link in lp.catalog.planar(1).links)
    assert loads.normal.sum() == pytest.approx(-mass * lp.catalog.planar(1).gravity[2])


def test_a_foreign_robot_is_of_the_catalog(example: Path) -> None:
    assert dir(lp.catalog) == sorted([*lp.catalog.__all__, "rack"])
    assert "rack" not in lp.catalog.__all__
    assert lp.verify(lp.catalog.rack()).agrees  # with a joint of its own
    assert run("info", "rack:20").exit_code == 0
    assert "'rack' in the catalog; did you mean" not in run("info", "rac").output
    assert "did you mean 'rack'" in run("info", "rac").output
    with pytest.raises(AttributeError, match="did you mean 'rack'"):
        _ = lp.catalog.rak
    with pytest.raises(FileNotFoundError, match=r"lp\.catalog\.rack"):
        lp.load("rack")
    failed = run("info", "rack:0")
    assert failed.exit_code == 2 and "stops with ZeroDivisionError: a wheel of no size" in failed.stderr


def test_a_foreign_format_is_read_written_and_listed(example: Path, tmp_path: Path) -> None:
    in_folder(tmp_path, arm_rods='{"rods": 3, "length": 0.5}', bad_rods='{"rods": 3}', empty_rods=" ")
    assert lp.load(tmp_path / "arm.rods").n == 3
    with zipfile.ZipFile(tmp_path / "arm.zip", "w") as archive:
        archive.write(tmp_path / "arm.rods", "inside/arm.rods")
    assert lp.load(tmp_path / "arm.zip").n == 3
    with pytest.raises(lp.ModelError, match=r"bad\.rods: Rods of package 'loadpath-example' stops with KeyError: 'len"):
        lp.load(tmp_path / "bad.rods")
    with pytest.raises(lp.ModelError, match="empty"):
        lp.load(tmp_path / "empty.rods")
    for options in (("made.rods",), ("-", "--to", "rods")):
        result = run("convert", "planar:2", *(one if one[0] == "-" else str(tmp_path / one) for one in options[:1]),
                     *options[1:])
        assert result.exit_code == 0 and "lost: masses" in result.stderr, result.output
    assert json.loads((tmp_path / "made.rods").read_text())["rods"] == 2
    assert ".rods (Rods)" in run("convert", "planar:2", str(tmp_path / "made.txt")).stderr


def test_a_foreign_part_is_in_tables_of_parts(example: Path, tmp_path: Path) -> None:
    in_folder(tmp_path, pins_csv="kind,strength (kN)\nshear_pin,2\n")
    (row,) = lp.parts.read(tmp_path / "pins.csv")
    assert row.part.strength == 2000.0


def test_a_foreign_command_is_listed_helped_and_run(example: Path) -> None:
    text = " ".join(run("--help").output.split())
    assert "Of other packages" in text and "Of package loadpath-example: What is of loadpath-example" in text
    assert text.index("Equations and speed") < text.index("weigh") < text.index("of other packages: rack")
    assert run("weigh", "rack").stdout == "2 kg\n" and run("weigh", "rack", "--grams").stdout == "2000 g\n"
    helped = run("weigh", "--help")
    assert helped.exit_code == 0 and "Print the mass of a robot." in helped.output and "--debug" in helped.output
    wrong = run("weigh", "no_robot")
    assert wrong.exit_code == 2 and wrong.stderr.count("\n") == 1 and "no robot 'no_robot'" in wrong.stderr
    assert "Did you mean 'weigh'" in run("weig").stderr


# What is wrong with plugins is said, and stops nothing else


def test_one_that_cannot_be_imported_is_a_warning(site: Path, tmp_path: Path) -> None:
    every = {"catalog": "arm", "commands": "dance", "formats": "dxf", "parts": "pin", "sections": "egg",
             "wheels": "ball"}
    install(site, "broken", {group: {name: "broken_module:x"} for group, name in every.items()},
            broken_module="import nothing_of_this_name")
    said = r"{} of package 'broken' is left out: importing broken_module:x ends with ModuleNotFoundError: No module"
    with pytest.warns(lp.PluginWarning, match=said.format("robot 'arm'")), pytest.raises(AttributeError):
        _ = lp.catalog.arm
    in_folder(tmp_path, arm_toml='[robot]\ncatalog = "planar:2"\n[[parts.joint2]]\nkind = "pin"\n')
    with pytest.warns(lp.PluginWarning, match=said.format("part 'pin'")), pytest.raises(lp.ModelError, match="no part"):
        lp.load_project(tmp_path / "arm.toml")
    in_folder(tmp_path, arm_html="<html></html>")
    with pytest.warns(lp.PluginWarning, match=said.format("format 'dxf'")), pytest.raises(lp.ModelError, match="a web"):
        lp.load(tmp_path / "arm.html")
    named = run("info", "arm")
    assert named.exit_code == 2 and "warning: robot 'arm' of package 'broken' is left out" in named.stderr
    assert "no robot 'arm' in the catalog: its plugin is left out, as a warning says" in named.stderr
    assert "dance" in run("--help").output
    result = run("dance")
    assert result.exit_code == 2
    assert "warning: command 'dance' of package 'broken' is left out: importing" in result.stderr
    assert len(result.stderr.splitlines()) == 2
    assert lp.catalog.ur5().n == 6 and run("info", "ur5").exit_code == 0


@pytest.mark.parametrize("code", ["raise SystemExit(3)", "import sys; sys.exit()", "1/0", "def x(: pass", "y = 1",
                                  "x = 1", "x = int"])
def test_one_that_is_something_else_is_a_warning(site: Path, code: str) -> None:
    install(site, "odd", {"parts": {"pin": "odd_module:x"}}, odd_module=code)
    from loadpath.parts.kinds import kinds, part_class

    assert "pin" in kinds()
    with pytest.warns(lp.PluginWarning, match="part 'pin' of package 'odd' is left out"):
        assert part_class("pin") is None


def test_our_names_win_and_that_is_said(site: Path, tmp_path: Path) -> None:
    install(site, "greedy", {"catalog": {"ur5": "greedy:x"}, "commands": {"report": "greedy:x"},
                             "parts": {"bolted_flange": "greedy:x"}, "formats": {"urdf": "greedy:x"}})
    assert lp.catalog.ur5().n == 6  # without a look at entry points
    with pytest.warns(lp.PluginWarning, match="robot 'ur5' of package 'greedy' is not used: loadpath has one of this"):
        assert dir(lp.catalog) == sorted(lp.catalog.__all__)
    from loadpath.parts.kinds import kinds

    with pytest.warns(lp.PluginWarning, match="part 'bolted_flange' of package 'greedy' is not used"):
        assert kinds().count("bolted flange") == 1
    result = run("--help")
    assert result.exit_code == 0 and "command 'report' of package 'greedy' is not used" in result.stderr
    assert "Of other packages" not in result.output


def test_one_name_of_two_packages_is_an_error_with_both(example: Path, tmp_path: Path) -> None:
    again = {"catalog": {"rack": "other:x"}, "commands": {"weigh": "other:x"}, "formats": {"rods": "other:x"},
             "parts": {"ShearPin": "other:x"}}
    install(example, "second", again, other="x = None")
    both = "is in the packages 'loadpath-example' and 'second': uninstall all but one of them"
    with pytest.raises(AttributeError, match=f"robot 'rack' {both}"):
        _ = lp.catalog.rack
    assert f"robot 'rack' {both}" in run("info", "rack").stderr
    assert f"command 'weigh' {both}" in run("weigh", "ur5").stderr
    in_folder(tmp_path, arm_toml='[robot]\ncatalog = "planar:2"\n[[parts.joint2]]\nkind = "shear pin"\n', arm_rods="{}")
    with pytest.raises(lp.ModelError, match=rf"arm\.toml.*part 'shear pin' {both}"):
        lp.load_project(tmp_path / "arm.toml")
    with pytest.raises(lp.ModelError, match="format 'Rods' " + both):
        lp.load(tmp_path / "arm.rods")
    assert run("--help").exit_code == 0 and "rack" in dir(lp.catalog)


@pytest.mark.parametrize(("made", "said"), [
    ("Format('dxf', (1,), '', 'a.b')", "expected endings like"),
    ("Format('dxf', ('.DXF',), '', 'a.b')", "expected endings like"),
    ("Format('dxf', (), '', 'a.b')", "expected a root element or an ending"),
    ("Format('dxf', ('.dxf',), '', 'reader')", "expected dotted names"),
    ("Format('dxf', ('.urdf',), '', 'a.b')", "the endings of URDF are read as such"),
    ("'dxf'", "expected a loadpath.files.formats.Format"),
])
def test_formats_that_cannot_be_are_said(site: Path, made: str, said: str) -> None:
    code = f"from loadpath.files.formats import Format\nx = {made}"
    install(site, "odd", {"formats": {"dxf": "odd_format:x"}}, odd_format=code)
    result = run("convert", "planar:1", "arm.nothing")
    assert result.exit_code == 2 and "does not say its format" in result.stderr
    assert "warning: format 'dxf' of package 'odd'" in result.stderr and said in result.stderr
    assert "dxf" not in result.stderr.partition("does not say")[2]


def test_what_packages_say_of_themselves_is_no_markup(site: Path) -> None:
    install(site, "[red]x", {"commands": {"dance": "x:x"}})
    assert "[red]x" in run("--help").output


def test_groups_that_are_not_known_and_names_that_cannot_be_typed_are_said(site: Path) -> None:
    install(site, "typo", {"part": {"pin": "typo:x"}, "catalog": {"my arm": "typo:x"}})
    with pytest.warns(lp.PluginWarning) as caught:
        dir(lp.catalog)
    said = " ".join(str(one.message) for one in caught)
    assert "package 'typo' adds to 'loadpath.part', which is not known: expected one of loadpath.catalog" in said
    assert "robot 'my arm' of package 'typo' is not used: nobody can ask for that name" in said


def test_a_command_that_fails_says_whose_it_is(site: Path) -> None:
    install(site, "loud", {"commands": {"boom": "loud:boom", "huh": "loud:huh"}},
            loud="def boom(n: int = 1) -> None:\n    {}[n]\ndef huh(x: 'Nothing') -> None: ...\n")
    result = run("boom")
    assert result.exit_code == 3 and "fault of loadpath" not in result.stderr
    assert "command 'boom' of package 'loud' stops with KeyError: 1" in result.stderr
    assert "Traceback" in run("boom", "--debug").stderr
    odd = run("huh")
    assert odd.exit_code == 3 and "command 'huh' of package 'loud' cannot be a command" in odd.stderr


# They are looked for late

LATE = """
from importlib import metadata
metadata.entry_points = None  # whoever looks fails
import loadpath as lp
from loadpath.cli import app
from loadpath.parts.kinds import part_class
lp.catalog.planar(1), lp.load_project({path!r}), part_class("bolted flange")
app(["info", "planar:1"], standalone_mode=False)
import warnings
warnings.simplefilter("error")
try:
    dir(lp.catalog)
except lp.PluginWarning as said:
    print(said)
"""


def test_nothing_is_looked_for_where_names_are_ours(tmp_path: Path) -> None:
    in_folder(tmp_path, own_toml=ROVER.replace("ball wheel", "caster").replace("ball-wheel", "caster wheel"))
    code = LATE.format(path=str(tmp_path / "own.toml"))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not done.stderr
    said = "plugins are not known: the entry points of installed packages cannot be read (TypeError: 'NoneType' object"
    assert done.stdout.splitlines()[-1].startswith(said)  # the test looks in the right place


def test_a_library_that_is_imported_does_not_import_them() -> None:
    code = "import sys, loadpath.plugins; print('importlib.metadata' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
