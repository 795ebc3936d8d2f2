"""The command line: every command with every kind of robot, and every wrong argument in one line, no traceback."""

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
from loadpath.cli.options import ROBOTS
from loadpath.cli.robots import find
from loadpath.project.sources import names
from loadpath.report.collecting import by_kind

COMMANDS = ("info", "demo", "count", "equations", "verify", "report")

FLEXIBLE = """
import loadpath as lp
tube = lp.Tube(outer_radius=0.02, wall=0.002)
arm = lp.catalog.planar(2).with_beams({"link2": lp.Beam(tube, lp.ALUMINIUM, end="tip_joint")})
"""
SLOPE = """
import loadpath as lp
rover = lp.catalog.lau_rover().on(lp.Ground(slope=0.1))
"""


def run(*arguments: str | Path, columns: int = 110) -> Result:
    return CliRunner().invoke(app, list(map(str, arguments)), env={"COLUMNS": str(columns), "NO_COLOR": "1"})


def one_line(result: Result, *words: str) -> None:
    """The command said what is wrong in one line, and ended with 2."""
    assert result.exit_code == 2, (result.exit_code, result.output, result.exception)
    assert result.stdout == "" and "Traceback" not in result.stderr
    assert result.stderr.startswith("loadpath: ") and result.stderr.count("\n") == 1, result.stderr
    for word in words:
        assert word in result.stderr, result.stderr


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def options(command: str) -> list[str]:
    """Arguments that make a command quick."""
    return {"count": ["--function", "gravity_forces"], "verify": ["--states", "2"]}.get(command, [])


# Wrong arguments

WRONG_ROBOTS = {
    "unknown": ("zzz", "no robot 'zzz' in the catalog"),
    "misspelt": ("pnda", "did you mean 'panda'"),
    "empty": ("", "no robot ''"),
    "incomplete": ("planar", "write planar:N"),
    "no number": ("planar:x", "write planar:N"),
    "not whole": ("planar:2.5", "write planar:N"),
    "too many": ("planar:1:2:3:4:5:6", "write planar:N"),
    "zero": ("planar:0", "planar"),
    "negative": ("planar:-3", "planar"),
    "huge": ("planar:99999999999999999999", "expected at most 1,000"),
    "large": ("planar:100000", "expected at most 1,000"),
    "endless": ("planar:" + "9" * 5000, "write planar:N"),
    "large tree": ("random_tree:10001:1", "expected at most 1,000"),
    "large chain": ("random_chain:1000000:1", "expected at most 1,000"),
    "large generalized": ("generalized:1000000", "expected at most 1,000"),
    "negative seed": ("random_chain:3:-1", "random_chain:3:-1"),
    "no seed": ("random_chain:3", "random_chain:N:SEED"),
    "missing file": ("nowhere.urdf", "nowhere.urdf"),
    "other format": ("arm.step", ".step"),
    "folder": (".", "."),
    "folder of that ending": ("folder.urdf", "folder.urdf is a folder"),
    "device": ("/dev/null", "/dev/null"),
    "long name": ("x" * 5000, "no robot"),
    "long file": ("x" * 5000 + ".urdf", "File name too long"),
    "nul": ("a\0b.urdf", "null byte"),
    "missing Python file": ("nowhere.py", "there is no such Python file"),
    "Python without robot": ("nothing.py", "makes no robot or rover: expected one"),
    "Python with two": ("two.py", "makes several robots: write one of two.py:a, two.py:b"),
    "Python with another": ("two.py:c", "makes no robot or rover 'c'; there are two.py:a, two.py:b"),
    "Python that fails": ("fails.py", "fails.py: it stops with ZeroDivisionError: division by zero"),
    "Python that ends": ("ends.py", "it ends the program (exit code 3)"),
    "no Python": ("broken.py", "SyntaxError"),
}


def _files() -> None:
    Path("folder.urdf").mkdir()
    Path("nothing.py").write_text("x = 1\n")
    Path("two.py").write_text("import loadpath as lp\na, b = lp.catalog.planar(1), lp.catalog.planar(2)\n")
    Path("fails.py").write_text("1 / 0\n")
    Path("ends.py").write_text("import sys\nsys.exit(3)\n")
    Path("broken.py").write_text("def (:\n")


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(("robot", "words"), WRONG_ROBOTS.values(), ids=WRONG_ROBOTS)
def test_wrong_robots(command: str, robot: str, words: str) -> None:
    _files()
    one_line(run(command, robot), words)


WRONG_OPTIONS = {
    "demo": [["--samples", "1"], ["--samples", "51"], ["--samples", "x"], ["--samples"], ["--payload", "x"],
             ["--payload", "-1"], ["--payload", "nan"], ["--payload", "inf"], ["--payload", "1", "--link", "no"],
             ["--link", "no"], ["--joint", "no"], ["--duration", "0"], ["--duration", "-1"], ["--duration", "nan"],
             ["--duration", "inf"], ["--duration", "1e-300"], ["--duration", "1e300"], ["--bogus"], ["extra"]],
    "info": [["--bogus"], ["extra"], ["--samples", "3"]],
    "count": [["--function", "jacobean"], ["--function"], ["--bogus"], ["extra"]],
    "equations": [["--formulation", "no"], ["--parameters", "letters"], ["--digits", "0"], ["--digits", "16"],
                  ["--digits", "x"], ["extra"], ["--bogus"]],
    "verify": [["--states", "0"], ["--states", "100000000"], ["--states", "x"], ["--seed", "-1"],
               ["--seed", "99999999999999999999999"], ["extra"], ["--bogus"]],
    "report": [["--motion", "m.txt"], ["--motion", "no.csv"], ["--motion", "no.npz"], ["--motion", ""],
               ["--motion", "."], ["--motion", "folder.csv"], ["--motion", "bad.csv"], ["--motion", "bad.npz"],
               ["--motion", "good.csv", "--duration", "1"], ["--payload", "-1"], ["--payload", "x"], ["--link", "no"],
               ["--duration", "0"], ["--duration", "1e-300"], ["-o", "no/such/r.html"], ["-o", "."], ["-o", ""],
               ["-o", "r.docx"], ["-o", "/dev/full"], ["-o", "x" * 300 + ".html"], ["extra"], ["--bogus"]],
}


@pytest.mark.parametrize(
    ("command", "arguments"), [(c, a) for c, each in WRONG_OPTIONS.items() for a in each], ids=lambda x: str(x)[:40]
)
def test_wrong_options(here: Path, command: str, arguments: list[str]) -> None:
    Path("folder.csv").mkdir()
    Path("bad.csv").write_text("t,joint1\n")
    Path("bad.npz").write_bytes(b"PK")
    Path("good.csv").write_text("t,joint1,joint2\n0,0,0\n1,0,0\n")
    before = sorted(here.iterdir())
    one_line(run(command, "two_link", *arguments))
    assert sorted(here.iterdir()) == before


def test_wrong_commands() -> None:
    one_line(run("reprot"), "No such command 'reprot'")
    one_line(run("--bogus"), "No such option: --bogus")
    result = run()
    assert result.exit_code == 2 and "Usage:" in result.output


def test_arguments_of_python_are_shown_as_options(here: Path) -> None:
    """A robot with two ends: the message has the option of the command line."""
    body = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    joint = ('<joint name="{0}" type="revolute"><parent link="base"/><child link="{0}"/><limit lower="-1" upper="1" '
             'velocity="1" effort="1"/></joint>')
    Path("y.urdf").write_text(
        f'<robot name="y"><link name="base"/><link name="left">{body}</link><link name="right">{body}</link>'
        f"{joint.format('left')}{joint.format('right')}</robot>"
    )
    result = run("demo", "y.urdf", "--payload", "1")
    one_line(result, "several ends", "--link right")
    assert "link=" not in result.stderr
    assert run("demo", "y.urdf", "--payload", "1", "--link", "right").exit_code == 0


# Kinds of robots


def test_every_robot_that_help_lists_is_there() -> None:
    assert list(ROBOTS) == sorted(names())
    assert {pattern.split(":")[0] for pattern in ROBOTS} == set(lp.catalog.__all__)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_a_rover(command: str) -> None:
    result = run(command, "lau_rover", *options(command))
    assert result.exit_code == 0, result.output
    note = "note: 'rover' is a rover: the"
    if command in ("count", "equations", "verify"):
        assert note in result.stderr and "of its robots on the standing base, of 3 degrees of freedom" in result.stderr
    elif command == "report":  # whose page may go to standard output
        assert result.stderr.startswith("note: verdict: no limit exceeded over a demo swing of 1 s: 4 checks")
    else:
        assert result.stderr == ""


def test_info_of_a_rover() -> None:
    rover = lp.catalog.lau_rover()
    text = run("info", "lau_rover").stdout
    loads = rover.wheel_loads(rover.robot.neutral()).normal
    for wheel, load in zip(rover.base.wheels, loads, strict=True):
        lines = [line for line in text.splitlines() if line.startswith(wheel.name)]
        line = next(line for line in lines if f"{wheel.position[0]:.4f}" in line)
        assert float(line.split()[-1]) == pytest.approx(load, abs=0.006)
    standing = rover.stability(rover.robot.neutral())
    assert f"is {float(standing.margin):.4f} m from the nearest edge" in " ".join(text.split())
    assert "12 kg" in text and "turntable" in text and "caster" in text


def test_a_rover_on_a_slope_faces_uphill_and_it_is_said(here: Path) -> None:
    Path("ramp.py").write_text("import loadpath as lp\nramp = lp.catalog.lau_rover().on(lp.Ground(slope=0.2))\n")
    words = "facing up its slope of 0.2 rad"
    ramp = lp.catalog.lau_rover().on(lp.Ground(slope=0.2))
    text = run("info", "ramp.py").stdout
    assert words in " ".join(text.split())
    line = next(line for line in text.splitlines() if line.startswith("wheel1"))
    load = ramp.wheel_loads(ramp.robot.neutral(), heading=0.0).normal[0]
    assert float(line.split()[-1]) == pytest.approx(load, abs=0.006)
    assert words in " ".join(run("demo", "ramp.py").stdout.split())
    assert words in run("count", "ramp.py").stderr
    Path("steep.py").write_text("import loadpath as lp\nramp = lp.catalog.lau_rover().on(lp.Ground(slope=1.2))\n")
    assert "from the nearest edge: it tips over" in " ".join(run("info", "steep.py").stdout.split())


@pytest.mark.parametrize("payload", [0.0, 1.5])
def test_demo_of_a_rover(payload: float) -> None:
    rover = lp.catalog.lau_rover()
    rover = rover.with_payload(payload) if payload else rover
    text = run("demo", "lau_rover", "--samples", "3", "--payload", payload).stdout
    motion = lp.Motion.swing(rover.robot, 2001)
    normal = rover.wheel_loads(motion.q, motion.qd, motion.qdd).normal[[0, 1000, 2000]]
    for k, name in enumerate(rover.contact_names):
        words = re.sub("[▲▼▁▂▃▄▅▆▇█]", " ", next(x for x in text.splitlines() if x.startswith(name))).split()[2:]
        assert [float(word) for word in words] == pytest.approx(normal[:, k].tolist(), abs=0.06)
    worst = rover.stability(motion.q, motion.qd, motion.qdd).margin.min()
    assert f"Smallest distance of the zero-moment point from an edge: {worst:.3g} m" in " ".join(text.split())


def test_report_of_a_rover_over_a_motion_in_a_file() -> None:
    rover = lp.catalog.lau_rover()
    lp.Motion.swing(rover.robot, 101, duration=2.5).to_csv("m.csv")
    result = run("report", "lau_rover", "--motion", "m.csv", "--payload", "1.5")
    assert result.exit_code == 0, result.output
    html = Path("report.html").read_text(encoding="utf-8")
    assert "Normal forces of the wheels" in html and "Motion of 2.5 s, 101 samples. Carries 1.5 kg on" in html


def test_a_rover_on_a_slope_stands_on_it() -> None:
    Path("rover.py").write_text(SLOPE)
    named = find("rover.py")
    assert named.rover is not None
    np.testing.assert_allclose(named.robot.gravity, named.rover.ground.gravity_in_base(0.0))
    assert run("demo", "rover.py").exit_code == 0


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_a_flexible_arm(command: str) -> None:
    Path("arm.py").write_text(FLEXIBLE)
    for name in ("arm.py", "arm.py:arm"):
        result = run(command, name, *options(command))
        assert result.exit_code == 0, result.output
    if command in ("count", "equations", "verify"):
        assert "'planar2' has beams or compliant joints" in result.stderr and "of the rigid arm" in result.stderr
    if command == "info":
        assert [x.split() for x in result.stdout.splitlines() if "Tube" in x] == [["link2", "Tube", "aluminium", "1"]]
    if command == "report":
        assert "deflection" in Path("report.html").read_text(encoding="utf-8").lower()


def test_a_base_without_robots() -> None:
    Path("base.py").write_text("import loadpath as lp\nrover = lp.Rover(lp.catalog.lau_rover().base)\n")
    result = run("info", "base.py")
    if result.exit_code:  # a rover carries at least one robot
        one_line(result)
    else:
        assert "standing load" in result.stdout
        one_line(run("demo", "base.py"), "no moving joints")


# Output and endings


def shell(command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    program = f"{sys.executable} -m loadpath.cli"
    return subprocess.run(
        ["bash", "-c", command.replace("loadpath", program)], capture_output=True, text=True, check=False,
        env={**os.environ, **environment},
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
@pytest.mark.parametrize("arguments", ["info two_link", "equations two_link", "--help", "--version"])
def test_a_full_disk_is_one_line(arguments: str) -> None:
    done = shell(f"loadpath {arguments} > /dev/full")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "loadpath: the output could not be written: No space left on device\n"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of a shell")
@pytest.mark.parametrize("arguments", ["info planar:600", "report two_link -o -"])
@pytest.mark.parametrize("buffered", ["", "1"], ids=["buffered", "unbuffered"])
def test_a_reader_that_leaves_is_no_mistake(
    monkeypatch: pytest.MonkeyPatch, arguments: str, buffered: str
) -> None:
    monkeypatch.setenv("PYTHONUNBUFFERED", buffered)
    done = shell(f"loadpath {arguments} | head -1; echo ${{PIPESTATUS[0]}} 1>&2")
    assert done.stderr == "141\n"
    assert done.stdout.count("\n") == 1


def test_a_report_to_standard_output() -> None:
    report = "loadpath report two_link --duration 1 -o"
    for _ in range(3):  # a report tells when it was made: a minute may pass between the two
        done = shell(f"{report} - > out.html; {report} r.html")
        assert done.returncode == 0
        printed = Path("out.html").read_text().replace(f"{report} -", f"{report} r.html")  # and by which command
        if printed == Path("r.html").read_text():
            break
    assert printed == Path("r.html").read_text()
    assert done.stdout.startswith("Wrote r.html (") and done.stderr == ""
    assert sorted(path.name for path in Path().iterdir()) == ["out.html", "r.html"]


@pytest.mark.skipif(sys.platform == "win32", reason="devices of POSIX")
def test_a_report_into_a_device() -> None:
    result = run("report", "planar:1", "-o", "/dev/null")
    assert result.exit_code == 0
    assert result.stdout == "Wrote /dev/null.\n"
    assert not Path("/dev/null").is_file()


# Warnings


def test_one_line_for_each_kind_of_warning_limits_first() -> None:
    """The speeds of a noisy log are uncertain at every joint; the limits that it breaks are shown before."""
    rng = np.random.default_rng(1)
    arm = lp.catalog.ur5()
    t = np.arange(0, 1, 0.008)
    q = np.sin(4 * t)[:, None] * np.ones(6) + rng.normal(0, 1e-3, (len(t), 6))
    lines = [",".join(["t", *arm.dof_names]), *(",".join(map(str, [a, *row])) for a, row in zip(t, q, strict=True))]
    Path("m.csv").write_text("\n".join(lines))
    result = run("report", "ur5", "--motion", "m.csv")
    assert result.exit_code == 0, result.output
    notes = [line for line in result.stderr.splitlines() if not line.startswith("warning: ")]
    assert len(notes) == 1 and notes[0].startswith("note: verdict: does not hold over m.csv")
    shown = [line for line in result.stderr.splitlines() if line not in notes]
    assert len(shown) == len(by_kind(shown)) < 8
    broken = [k for k, line in enumerate(shown) if re.search(r"\blimits?\b|faster than", line)]
    assert broken == list(range(len(broken))) and broken
    assert "more; see loadpath info" not in result.stderr
