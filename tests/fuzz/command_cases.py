"""The command line: arguments of every command, names of robots, files that are not what they should be."""

from __future__ import annotations

import os
import random
import tempfile
import warnings
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from typer.testing import CliRunner

from loadpath.cli import app
from refusals import place

from .hostile import NAMES, NUMBERS, hostile_name, seeds
from .outcome import ACCEPTED, REFUSED, Fault, Outcome, Parser, control_characters
from .urdf_cases import random_robot
from .xml_trees import plain

_ROBOTS = (
    "panda", "two_link", "two_link", "planar:2", "lau_arm", "lau_rover", "puma560", "planar", "planar:", "planar:0",
    "planar:-1", "planar:1.5", "planar:\uff13", "planar:1_0", "planar: 2", "planar:+2", "planar:2:3:4:5:6",
    "planar:nan", "planar:0x2", "random_tree:2:1", "random_tree:2",
    "random_tree:2:-1", "random_chain:0:0", "generalized:2",
    "generalized:0", "pnda", "Panda", "__all__", "catalog", "random_dh_arm:1:99999999999999999999", "", " ", ":",
    "::", "/", ".", "..", "~", "-", "good.urdf", "bad.urdf", "none.urdf", "folder.urdf", "folder/", "good.csv",
    "good.URDF", "good.urdf:2", "./good.urdf", "hostile.urdf", "[bold]x", "x.step", "\x1b[31m",
    "file:///etc/passwd", "planar:99999999999999999999",
)
_OPTIONS: dict[str, tuple[str, ...]] = {
    "demo": ("--samples", "--payload", "--link", "--joint", "--duration"),
    "info": (),
    "count": ("--function",),
    "equations": ("--formulation", "--parameters", "--latex", "--digits"),
    "verify": ("--states", "--seed"),
    "report": ("--motion", "--payload", "--link", "--duration", "-o"),
}
_SLOW = ("panda", "puma560", "lau_arm", "random_tree:2:1", "generalized:2", "lau_rover")
"""Robots that are only shown, not computed: this is about arguments."""


@st.composite
def cases(draw: st.DrawFn) -> dict[str, Any]:
    """A command with a robot and options, some of them wrong."""
    rng = random.Random(draw(seeds))
    command = draw(st.sampled_from(("info", "info", "info", *_OPTIONS)))
    robot = draw(st.sampled_from(_ROBOTS)) if draw(st.integers(0, 4)) else draw(hostile_name)
    if command != "info" and robot in _SLOW:
        robot = "two_link"
    arguments = [command, robot]
    for option in (
        draw(st.lists(st.sampled_from(_OPTIONS[command] or ("--x",)), max_size=2)) if command != "info" else ()
    ):
        value = rng.choice(
            (
                *NUMBERS,
                *NAMES,
                "1",
                "2",
                "0.5",
                "joint1",
                "link1",
                "inverse_dynamics",
                "swing",
                "good.csv",
                "bad.csv",
                "good.npz",
                "out.html",
                "folder",
                "nowhere/out.html",
                "symbols",
                "newton-euler",
            )
        )
        if option in ("--states", "--samples") and value.strip("0").isdigit() and float(value) > 1000:
            value = "3"
        arguments += [option] if option == "--latex" else [option, value]
    if draw(st.integers(0, 9)) == 0:
        rng.shuffle(arguments)
    if draw(st.integers(0, 19)) == 0:
        arguments.append(draw(hostile_name))
    return {"arguments": [word.replace("\x00", "") for word in arguments], "seed": rng.randrange(1000)}


def _folder(path: Path, seed: int) -> None:
    """What a user may have lying about."""
    rng = random.Random(seed)
    (path / "good.urdf").write_text(plain(random_robot(rng, 3)))
    (path / "bad.urdf").write_text("<robot name='r'><link name='a'><inertial/></link></robot>")
    hostile = (
        "<robot name='a&#x9b;31m&#x202e;'><link name='a&#10;loadpath: all is well'/><link name='[bold]'/><joint name="
        "'&#x9b;2J' type='fixed'><parent link='a&#10;loadpath: all is well'/><child link='[bold]'/></joint></robot>"
    )
    (path / "hostile.urdf").write_text(hostile)
    (path / "folder.urdf").mkdir()
    (path / "folder").mkdir()
    (path / "good.csv").write_text("t,q.joint1,q.joint2\n0,0,0\n1,0.1,0.1\n2,0.3,0.2\n3,0.4,0.2\n")
    (path / "bad.csv").write_text("t,q.joint1 [\x1b[31mdeg\x1b[2J],q.joint2\n0,0,0\n")
    (path / "good.npz").write_bytes(b"PK")


def check(case: dict[str, Any]) -> Outcome:
    """Printed, or one line on what is wrong and exit code 2; nothing that a terminal would obey."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _folder(Path(folder), case["seed"])
        os.chdir(folder)
        try:
            result = CliRunner().invoke(app, case["arguments"], env={"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"})
        finally:
            os.chdir(before)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise Fault(
            f"{type(result.exception).__name__} at {place(result.exception)}: {str(result.exception)[:200]}"
        ) from result.exception
    if found := control_characters(result.output):
        raise Fault(f"prints {found!r}")
    if result.exit_code not in (0, 1, 2):
        raise Fault(f"exit code {result.exit_code}")
    if result.exit_code == 2:
        lines = [line for line in result.stderr.splitlines() if line.startswith("loadpath: ")]
        if len(lines) != 1 and "Usage:" not in result.stderr and "Error" not in result.stderr:
            raise Fault(f"exit code 2 with the words {result.stderr[:200]!r}")
        return REFUSED
    return ACCEPTED


commands = Parser("command line", cases(), check, weight=0.6)
