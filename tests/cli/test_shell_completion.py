"""What the shell completes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from loadpath.cli.completion import motions, projects, robots


def test_names_of_the_catalog_and_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("pan.urdf", "project.toml", "notes.md", "log.csv"):
        (tmp_path / name).touch()
    (tmp_path / "parts").mkdir()
    assert robots("pa") == ["panda", "parallelogram_palletizer", "pan.urdf", f"parts{os.sep}"]
    assert robots("pla") == ["planar:"]
    assert motions("") == ["swing", "log.csv", f"parts{os.sep}"]
    assert projects("pro") == ["project.toml"]
    assert robots(f"{tmp_path}{os.sep}pan") == [str(tmp_path / "pan.urdf")]
    assert robots("nowhere/at/all") == []


def test_bash_gets_them() -> None:
    environment = {**os.environ, "_LOADPATH_COMPLETE": "complete_bash", "COMP_WORDS": "loadpath info pum",
                   "COMP_CWORD": "2"}  # fmt: skip
    program = "from loadpath.cli import main; main()"
    ran = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert ran.stdout.split() == ["puma560"]
