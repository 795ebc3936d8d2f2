"""What is printed: names from files show their control characters and do not use them; markup is plain text."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result
from hostile import NASTY, WORST, refuse_control, urdf
from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text
from typer.testing import CliRunner

import loadpath as lp
from loadpath.cli import app
from loadpath.printable import printable, printable_lines
from loadpath.progress import reporting

pytestmark = pytest.mark.slow  # minutes in all; `pytest --slow` runs them

THREE = NASTY[:3]


def shell(*arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """The command as a shell runs it: bytes of both streams."""
    return subprocess.run(
        [sys.executable, "-m", "loadpath.cli", *arguments], capture_output=True, check=False,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "COLUMNS": "110", **environment},
    )


def run(*arguments: str) -> Result:
    """The same in this process."""
    return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "110", "NO_COLOR": "1"})


@given(st.text())
def test_printable_text_is_printable_and_changed_no_further(text: str) -> None:
    shown = printable(text)
    assert shown.isprintable()
    assert printable(shown) == shown
    assert not text.isprintable() or shown == text
    assert printable_lines(text).split("\n") == [printable(line) for line in text.split("\n")]


@pytest.mark.parametrize("command", ["info", "demo", "count", "verify", "equations", "report"])
def test_no_command_prints_what_a_terminal_would_obey(tmp_path: Path, command: str) -> None:
    names = NASTY if command == "info" else THREE
    (tmp_path / "arm.urdf").write_text(urdf(names, inertia="1 1 3"), encoding="utf-8")  # with a warning about each
    extra = {"count": ["--function", "gravity_forces"], "report": ["-o", str(tmp_path / "r.html")]}
    done = run(command, str(tmp_path / "arm.urdf"), *extra.get(command, []))
    assert done.exit_code == 0, done.stderr
    for text in (done.stdout, done.stderr):
        refuse_control(text)
        assert not any(line.startswith("loadpath: all is well") for line in text.splitlines())
    assert "triangle" in done.stderr
    if command == "info":
        by_shell = shell("info", str(tmp_path / "arm.urdf"))
        assert (by_shell.stdout.decode(), by_shell.stderr.decode()) == (done.stdout, done.stderr)
        text = done.stdout
        for name in ("[red]x[/red]", "[/]", ":warning:", r"\nloadpath: all is well", r"\x9b2J", r"\u202egnp.exe"):
            assert name in text, name


def test_colours_are_the_program_s_own(tmp_path: Path) -> None:
    """In a terminal there are escape sequences: those of Rich, none of the file."""
    (tmp_path / "arm.urdf").write_text(urdf(NASTY), encoding="utf-8")
    text = shell("info", str(tmp_path / "arm.urdf"), FORCE_COLOR="1", TERM="xterm-256color").stdout.decode()
    assert "\x1b[1m" in text
    assert "\x9b" not in text and "\x1b[2J" not in text and "\u202e" not in text and "\x1b]8" not in text


def test_letters_that_the_terminal_does_not_have(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(urdf(("肘", "ä"), robot="\u8098"), encoding="utf-8")
    done = shell("info", str(tmp_path / "arm.urdf"), PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert rb"\u8098" in done.stdout


def test_a_message_of_a_megabyte_is_shortened(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(f"<robot name='r'><link name='{'x' * 10**6}' mass='1'/><link/></robot>")
    done = run("info", str(tmp_path / "arm.urdf"))
    assert done.exit_code == 2 and done.stderr.startswith("loadpath: ") and len(done.stderr) < 7000


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("m.csv", "t,q.a [\x1b[31mdeg\x1b[2J]\n0,0\n1,1\n", "there is no column"),
        ("m.csv", "t,q.joint1 [\x1b[31mdeg\x1b[2J]\n0,0\n1,1\n", r"is in \x1b[31mdeg\x1b[2J: expected rad, deg"),
        ("m.csv", "t,\x1b]0;owned\x07\n0,0\n", "there is no column"),
        ("m.csv", "t,joint1\n0,0\n1,\x1b[2J\n", "is not a number"),
        ("\x1b[2Jm.csv", "t\n", "there is no column"),
        ("m\nloadpath: all is well.csv", "", "the file is empty"),
    ],
)
def test_messages_about_motions_show_control_characters(tmp_path: Path, name: str, content: str, words: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    done = run("report", "planar:1", "--motion", str(tmp_path / name), "-o", str(tmp_path / "r.html"))
    text = done.stderr
    assert done.exit_code == 2 and done.stdout == ""
    assert text.startswith("loadpath: ") and text.count("\n") == 1 and words in text
    refuse_control(text)


def test_warnings_about_motions_show_control_characters(tmp_path: Path) -> None:
    rows = "".join(f"{t},0,0\n" for t in np.linspace(0, 1, 20))
    (tmp_path / "m.csv").write_text(f"t,joint1,\x1b[2J\u202e\n{rows}")
    names = np.array(["joint1", "\x1b[2J\nwarning: none"])
    np.savez(tmp_path / "m.npz", t=np.linspace(0, 1, 20), q=np.zeros((20, 2)), coordinate_names=names,
             **{"\x1b[2J": np.zeros(2)})
    for file in ("m.csv", "m.npz"):
        done = run("report", "planar:1", "--motion", str(tmp_path / file), "-o", str(tmp_path / "r.html"))
        assert done.exit_code == 0, done.stderr
        refuse_control(done.stdout + done.stderr)
        assert r"not used are the columns '\x1b[2J" in done.stderr
        assert "\nwarning: none" not in done.stderr


@pytest.mark.parametrize(
    "text",
    [
        "<robot name='r'><link name='a'/><link name='a\x9b'/></robot>",
        "<robot name='r'><link name='\u202ea'/><link name='\u202ea'/></robot>",
        "<robot name='r'><link name='a'><inertial\x85/></link></robot>",
        "<robot name='r'><link name='a&#10;x'><inertial><mass value='\x9b'/></inertial></link></robot>",
        "<robot name='r'><joint name='&#10;loadpath: fine' type='\u202e'/></robot>",
        "<\u0085robot/>",
        "<robot name='&#10;'/>",
    ],
)
def test_messages_about_robots_show_control_characters(tmp_path: Path, text: str) -> None:
    (tmp_path / "arm.urdf").write_text(text, encoding="utf-8")
    done = run("info", str(tmp_path / "arm.urdf"))
    assert done.exit_code == 2
    message = done.stderr
    assert message.startswith("loadpath: ") and message.count("\n") == 1
    refuse_control(message)


@pytest.mark.parametrize("name", ["".join(WORST), "x\nloadpath: all is well"], ids=["all", "line"])
def test_results_and_errors_in_python_show_them_too(name: str) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        robot = lp.Robot(
            name,
            (lp.Link("base"), lp.Link(name, lp.Inertia(1.0, (0.1, 0, 0), np.diag([1, 1, 3.0])))),
            (lp.Joint(name, "base", name, lp.Revolute(), limits=lp.Limits(-1, 1, 1, 0.01)),),
        )
        motion = lp.Motion.swing(robot, 11)
        peaks = robot.peak_loads(motion)
        breakdown = robot.load_breakdown(motion.q[0], motion.qd[0], motion.qdd[0])
        payload = robot.max_payload(motion, link=name)
        beam = lp.Beam(lp.Tube(outer_radius=0.02, wall=0.002), lp.STEEL, end=(1.0, 0, 0))
        flexible = robot.with_beams({name: beam})
        rover = replace(lp.catalog.lau_rover().base, name=name).carrying(lp.catalog.planar(1))
        base = robot.base_parameters()
        for result in (robot, motion, peaks, payload, flexible, rover, base, robot.inverse_dynamics, breakdown,
                       peaks[name, "drive"], peaks[name, "drive"].peak, flexible.natural_frequencies([0.0]),
                       robot.report(motion), lp.verify(robot, 2)):
            for text in (repr(result), str(result)):
                for line in text.split("\n"):
                    assert line.isprintable(), (type(result), line)
        for table in (peaks.to_table(), breakdown.to_table(), payload.to_table()):
            for line in table.split("\n"):
                assert line.isprintable() and not line.startswith("loadpath: all is well"), line
        for wrong in (lambda: robot.with_payload(-1, link=name), lambda: lp.Link(name, "heavy")):
            try:
                wrong()
            except lp.ModelError as problem:
                assert all(line.isprintable() for line in str(problem).split("\n"))
    assert caught
    for warning in caught:
        assert all(line.isprintable() for line in str(warning.message).split("\n")), warning.message


def test_errors_can_still_be_pickled() -> None:
    import pickle

    problem = pickle.loads(pickle.dumps(lp.ModelError("link '\x1b[2J'")))
    assert type(problem) is lp.ModelError and str(problem) == r"link '\x1b[2J'"


def test_a_progress_bar_shows_names_as_they_are(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import rich.progress

    shown: list[str] = []
    add = rich.progress.Progress.add_task
    monkeypatch.setattr(rich.progress.Progress, "add_task",
                        lambda bar, what, **options: shown.append(what) or add(bar, what, **options))
    with reporting(True, "simulating \x1b[2J[red]x[/red]") as report:
        report(1.0)
    assert [Text.from_markup(text).plain for text in shown] == [r"simulating \x1b[2J[red]x[/red]"]
    assert "\x1b[2J" not in capsys.readouterr().out
