"""`loadpath study`: computed, gone on with after a kill, what it prints and writes, and what it refuses."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from click.testing import Result
from typer.testing import CliRunner

import loadpath as lp
from loadpath.cli import app

pytest.importorskip("zarr", minversion="3")

PROJECT = """
[robot]
catalog = "planar:2"
[payload]
mass = 1.0
[limits.joint1]
effort = 90
[motion]
swing = true
duration = 1.5
[study]
answers = ["mass", "utilisation", "*.drive"]
chunk = 4
[study.space]
payload.mass = { from = "0 kg", to = "4 kg", count = 5 }
"link1.length" = ["0.8 m", "1.2 m"]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "arm.toml").write_text(PROJECT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["study", *arguments], env={"COLUMNS": "100", "NO_COLOR": "1"})


def test_it_computes_prints_and_keeps(folder: Path) -> None:
    first = run("arm.toml", "--front", "mass,utilisation", "--where", "utilisation <= 100 %", "--why", "knee", "--csv",
                "designs.csv", "--report", "page.html")
    assert first.exit_code == 0, first.output
    for words in ("10 designs of payload.mass, link1.length", "10 computed", "*.drive", "Front of mass, utilisation",
                  "(knee)", "limited by the", "Wrote designs.csv", "Wrote page.html", "kept in arm.zarr"):
        assert words in first.output, words
    assert "<html" in (folder / "page.html").read_text()
    assert len((folder / "designs.csv").read_text().splitlines()) == 11
    written = {path: path.stat().st_mtime_ns for path in (folder / "arm.zarr").rglob("*") if path.is_file()}
    again = run("arm.toml", "--json")
    assert "all of it is there" in again.stderr
    assert written == {path: path.stat().st_mtime_ns for path in written}
    found = json.loads(again.stdout)
    assert (found["designs"], found["computed"], found["failed"]) == (10, 10, 0)
    mass = next(one for one in found["answers"] if one["name"] == "mass")
    assert (mass["least"], mass["largest"], mass["largest_at"]) == (2.0, 6.0, 8)


def test_cost_computes_nothing(folder: Path) -> None:
    found = run("arm.toml", "--cost")
    assert found.exit_code == 0, found.output
    assert "designs  10" in found.stdout
    assert not (folder / "arm.zarr").exists()
    assert json.loads(run("arm.toml", "--cost", "--json").stdout)["cost"]["designs"] == 10


def test_begun_anew_or_in_memory(folder: Path) -> None:
    assert run("arm.toml", "--in-memory").exit_code == 0
    assert not (folder / "arm.zarr").exists()
    assert run("arm.toml", "--to", "own.zarr").exit_code == 0
    store = folder / "own.zarr" / "zarr.json"
    before = store.stat().st_mtime_ns
    (folder / "arm.toml").write_text(PROJECT.replace('"4 kg"', '"5 kg"'))
    other = run("arm.toml", "--to", "own.zarr")
    assert other.exit_code == 2
    assert "its space is another" in other.stderr
    assert run("arm.toml", "--to", "own.zarr", "--no-resume").exit_code == 0
    assert store.stat().st_mtime_ns > before
    assert not list(folder.glob(".own*"))


def test_a_linked_store_is_begun_anew_where_it_is(folder: Path) -> None:
    (folder / "disk").mkdir()
    (folder / "link.zarr").symlink_to("disk/arm.zarr")
    for arguments in ((), ("--no-resume",)):
        found = run("arm.toml", "--to", "link.zarr", *arguments)
        assert found.exit_code == 0, found.output
    assert (folder / "link.zarr").is_symlink()
    assert [path.name for path in (folder / "disk").iterdir()] == ["arm.zarr"]


def test_a_folder_that_is_no_study_is_never_deleted(folder: Path) -> None:
    (folder / "mine").mkdir()
    (folder / "mine" / "thesis.txt").write_text("years of work")
    found = run("arm.toml", "--to", "mine", "--no-resume")
    assert found.exit_code == 2
    assert "not one of a study" in found.stderr
    assert (folder / "mine" / "thesis.txt").exists()


@pytest.mark.slow  # 5 s
def test_killed_it_goes_on_and_comes_to_the_same_bits(folder: Path) -> None:
    (folder / "arm.toml").write_text(PROJECT.replace("count = 5", "count = 60"))
    command = [sys.executable, "-m", "loadpath.cli", "study", "arm.toml"]
    running = subprocess.Popen([*command, "--threads", "1"], env={**os.environ, "NO_COLOR": "1"},
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    status = folder / "arm.zarr" / "status" / "c"
    end = time.monotonic() + 60
    while len(list(status.glob("[0-9]*"))) < 3 and running.poll() is None and time.monotonic() < end:
        time.sleep(0.002)
    running.send_signal(signal.SIGKILL)
    running.wait()
    there = len(list(status.glob("[0-9]*")))
    assert 3 <= there < 30, there
    assert "% are there: it goes on" in run("arm.toml").stderr
    assert run("arm.toml", "--to", "whole.zarr").exit_code == 0
    for file in (folder / "whole.zarr").rglob("c/*"):
        if file.is_file():
            assert file.read_bytes() == (folder / "arm.zarr" / file.relative_to(folder / "whole.zarr")).read_bytes()


def test_designs_that_fail_are_said_and_do_not_stop_the_others(folder: Path) -> None:
    masses = ", ".join([str(k / 10) for k in range(60)]) + ", -1.0"
    (folder / "arm.toml").write_text(PROJECT.replace('{ from = "0 kg", to = "4 kg", count = 5 }', f"[{masses}]"))
    found = run("arm.toml")
    assert found.exit_code == 0, found.output
    assert "120 computed, 2 failed" in found.stdout
    assert "2 designs failed, the first is 120: 'payload.mass' has the number -1" in found.stdout


def test_nothing_that_fulfils_ends_with_one(folder: Path) -> None:
    found = run("arm.toml", "--where", "mass > 100 kg", "--front", "mass,utilisation")
    assert found.exit_code == 1
    assert "0 designs fulfil mass > 100 kg" in found.stdout


@pytest.mark.parametrize(("arguments", "said"), [
    (("arm.toml", "--front", "mass"), "two aims or more"),
    (("arm.toml", "--front", "mass,utilization"), "did you mean 'utilisation'"),
    (("arm.toml", "--where", "masss < 3"), "no parameter or answer 'masss'"),
    (("arm.toml", "--where", "mass"), "compares nothing"),
    (("arm.toml", "--csv", "designs.xlsx"), "is written as CSV"),
    (("arm.toml", "--csv", "no/such/folder.csv"), "no folder 'no/such'"),
    (("arm.toml", "--report", "page.docx"), "is written as HTML or PDF"),
    (("arm.toml", "--to", ""), "empty"),
    (("arm.toml", "--to", "arm.toml"), "is a file"),
    (("arm.toml", "--to", "no/such/store.zarr"), "no folder"),
    (("arm.toml", "--to", "a.zarr", "--in-memory"), "give one of them"),
    (("arm.toml", "--threads", "0"), "greater than or equal to 1"),
    (("arm.toml", "--scheduler", "nonsense://x"), "no scheduler of Dask answers"),
    (("panda",), "is no project file"),
    (("missing.toml",), "No such file"),
])
def test_what_is_wrong_is_one_line_and_nothing_is_written(folder: Path, arguments: tuple[str, ...], said: str) -> None:
    if "--scheduler" in arguments:
        pytest.importorskip("distributed")
    found = run(*arguments)
    assert found.exit_code == 2, found.output
    assert said in found.stderr
    assert not list(folder.glob("*/*/c/*"))


@pytest.mark.parametrize("why", ["knee", "10", "-3", "x"])
def test_why_of_no_design(folder: Path, why: str) -> None:
    found = run("arm.toml", "--why", why)
    assert not (folder / "arm.zarr").exists()
    assert found.exit_code == 2
    assert "design" in found.stderr


def test_a_store_for_which_there_is_no_room_is_an_error_before_anything_is_computed(
    folder: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("loadpath.cli.commands.study.shutil.disk_usage", lambda path: SimpleNamespace(free=100))
    found = run("arm.toml")
    assert found.exit_code == 2
    assert "are free there" in found.stderr
    assert not (folder / "arm.zarr").exists()


def test_answers_are_those_of_python(folder: Path) -> None:
    assert run("arm.toml").exit_code == 0
    study = lp.load_project("arm.toml").study("arm.zarr")
    assert study.done
    own = lp.load_project("arm.toml").study().run()
    for name in ("mass", "utilisation", "*.drive"):
        np.testing.assert_array_equal(study.answer(name), own.answer(name))
