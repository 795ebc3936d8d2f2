"""What the shell completes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from loadpath.cli import app
from loadpath.cli.options import complete_motions, complete_projects, complete_robots


def test_names_of_the_catalog_and_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("pan.urdf", "project.toml", "notes.md", "log.csv"):
        (tmp_path / name).touch()
    (tmp_path / "parts").mkdir()
    assert complete_robots("pa") == ["panda", "parallelogram_palletizer", "pan.urdf", f"parts{os.sep}"]
    assert complete_robots("pla") == ["planar:"]
    assert complete_motions("") == ["swing", "log.csv", f"parts{os.sep}"]
    assert complete_projects("pro") == ["project.toml"]
    assert complete_robots(f"{tmp_path}{os.sep}pan") == [str(tmp_path / "pan.urdf")]
    assert complete_robots("nowhere/at/all") == []


def test_bash_gets_them() -> None:
    environment = {**os.environ, "_LOADPATH_COMPLETE": "complete_bash", "COMP_WORDS": "loadpath info pum",
                   "COMP_CWORD": "2"}
    program = "from loadpath.cli import main; main()"
    ran = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert ran.stdout.split() == ["puma560"]


def imported_for(*words: str, completing: bool = False) -> set[str]:
    """Modules that a run of the program has imported at its end."""
    program = (
        "import atexit, sys; atexit.register(lambda: print('MODULES', *sys.modules, file=sys.stderr)); "
        "from loadpath.cli import main; main()"
    )
    environment = dict(os.environ)
    if completing:
        environment |= {"_LOADPATH_COMPLETE": "complete_bash", "COMP_WORDS": " ".join(("loadpath", *words)),
                        "COMP_CWORD": str(len(words))}
    arguments = [] if completing else words
    ran = subprocess.run([sys.executable, "-c", program, *arguments], env=environment, capture_output=True, text=True,
                         check=False)
    assert ran.stdout, ran.stderr
    return set(ran.stderr.partition("MODULES")[2].split())


@pytest.mark.parametrize(
    ("words", "completing"),
    [(("--help",), False), (("verdict", "--help"), False), (("",), True), (("verdict", "--hou"), True),
     (("info", "pa"), True)],
)
def test_help_and_completion_import_neither_numpy_nor_the_rooms_of_the_work(
    words: tuple[str, ...], completing: bool
) -> None:
    modules = imported_for(*words, completing=completing)
    rooms = {name.split(".")[1] for name in modules if name.startswith("loadpath.")}
    assert "numpy" not in modules
    assert not rooms & {"api", "robot", "report", "mobile", "parts"}
    assert not [name for name in modules if name.startswith("loadpath.cli.commands.")]


def test_a_command_whose_help_was_shown_runs_in_the_same_process() -> None:
    """What is imported for a signature alone is not kept: the module that runs is whole."""
    name = "loadpath.cli.commands.verify"
    sys.modules.pop(name, None)
    assert "--states" in CliRunner().invoke(app, ["verify", "--help"], env={"NO_COLOR": "1"}).stdout
    assert name not in sys.modules
    assert CliRunner().invoke(app, ["verify", "planar:1", "--states", "1"]).exit_code == 0
