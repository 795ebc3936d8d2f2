"""The workflow file for a host: it can be read, names what is there, and has the Pythons that are declared."""

from __future__ import annotations

import json
import runpy
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
yaml = pytest.importorskip("yaml")


def test_it_runs_what_is_there_on_the_pythons_that_are_declared() -> None:
    flow = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text(encoding="utf-8"))
    words = [word for job in flow["jobs"].values() for step in job["steps"] for word in step.get("run", "").split()]
    named = {word for word in words if word.startswith((".ci/", "tests/", "src"))}
    assert {".ci/run", ".ci/smoke.py", ".ci/lowest.txt", ".ci/pythons.py"} <= named
    assert all((ROOT / word).exists() for word in named)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = [line.rpartition(" ")[2] for line in project["classifiers"] if "Python :: 3." in line]
    assert flow["jobs"]["everywhere"]["strategy"]["matrix"]["python"] == declared
    systems = flow["jobs"]["everywhere"]["strategy"]["matrix"]["system"]
    assert {name.split("-")[0] for name in systems} == {"ubuntu", "macos", "windows"} and "ubuntu-24.04-arm" in systems


def test_digits_are_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    about = {"python": "3.11", "system": "Linux", "machine": "x86_64", "numpy": "2.0", "llvmlite": "0.44"}
    files = []
    for name, value in (("a", 1.0), ("b", 1.0 + 2**-52), ("c", 1.1), ("d", float("nan"))):
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps({"about": about, "numbers": {"torques": [value.hex(), (2.0).hex()]}}))
        files.append(str(path))
    main = runpy.run_path(str(ROOT / ".ci/pythons.py"))["main"]
    for chosen, more, code, words in (
        ([files[0], files[0]], [], 0, "the same 2 numbers to the last bit"),
        (files[:2], [], 0, "1 of 2 numbers differ"),
        (files[:2], ["--bits"], 1, "1 of 2 numbers differ"),
        ([files[0], files[2]], [], 1, "by at most 5.0e-02 (torques)"),
        ([files[0], files[3]], [], 1, "by at most inf"),
    ):
        monkeypatch.setattr("sys.argv", ["pythons.py", "--files", *chosen, *more])
        assert main() == code
        assert words in capsys.readouterr().out
