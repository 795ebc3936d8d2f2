"""Runs of the benchmarks that are kept: they can be read, and their trend is of one machine."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from benchmarks import history, tables
from benchmarks.report import Row

ROOT = Path(__file__).parents[2]


def run_of(day: str, machine: str, value: float) -> dict[str, object]:
    rows = [Row("ratio", value, at_least=2.0), Row("time", 1 / value, "ms", at_most=3.0), Row("told", value)]
    return history.record(day, machine, {"one": ("One", rows)}, "abc")


def test_what_is_kept_can_be_read() -> None:
    every = history.runs()
    assert len(every) >= 2 and all(run["machine"] and run["commit"] and run["rows"] for run in every)
    assert {row["table"] for run in every for row in run["rows"]} <= set(tables.ALL)


def test_trends_are_of_one_machine_and_say_what_is_worse(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    for day, machine, value in (("2026-01-01", "A, 2 cores; numpy 1", 4.0), ("2026-01-02", "B", 100.0),
                                ("2026-01-03", "A, 2 cores; numpy 2", 3.0)):
        history.append(run_of(day, machine, value), file)
    found = {trend.what: trend for trend in history.trends(history.runs(file))}
    assert found["ratio"].values == (4.0, 3.0) and found["ratio"].days == ("2026-01-01", "2026-01-03")
    assert history.words(found["ratio"]) == "-25 %, worse" and history.words(found["time"]) == "+33 %, worse"
    assert history.words(found["told"]) == "-25 %"
    page = str(tmp_path / "t.html")
    program = [sys.executable, "-m", "benchmarks", "--trend", "--history", str(file), "--plot", page]
    ran = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 1 and "Trend on A, 2 cores" in ran.stdout
    assert "plotly" in (tmp_path / "t.html").read_text(encoding="utf-8").lower()
    assert json.loads(file.read_text(encoding="utf-8").splitlines()[0])["commit"] == "abc"
