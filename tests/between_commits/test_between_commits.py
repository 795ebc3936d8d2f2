"""The tool that compares two commits: a tree is the same as itself, and what is changed in a recording is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from between_commits.__main__ import ROOT, checked_out, main
from between_commits.compare import ADDED, apart, differences, table
from between_commits.record import Recording
from between_commits.robots import FAMILIES, ROBOTS, chosen


def test_a_tree_is_the_same_as_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([".", "--only", "two link", "--quantity", "gravity", "--keep", str(tmp_path / "kept")]) == 0
    assert "1 robots, seed 0: 0 differences, 0 additions" in capsys.readouterr().out
    stored = json.loads((tmp_path / "kept" / "new" / "0.json").read_text())
    assert stored["robot"] == "two link"
    assert {"states", "gravity_forces", "with_gravity"} <= set(stored["answered"])


ANSWERS = {
    "mass_matrix": lambda: np.array([[2.0, 0.5], [0.5, 1.0]]),
    "operation_count": lambda: {"multiplications": 12, "additions": 10},
    "simulate": lambda: np.array([1.0, 2.0]),
    "dof_names": lambda: ("joint1", "joint2"),
    "locked": lambda: 1 / 0,
}


def _recorded(folder: Path, **changes: Any) -> Path:
    """A recording of what no robot had to answer."""
    recording = Recording("robot")
    for name, call in (ANSWERS | changes).items():
        if call is not None:
            recording.ask(name, call)
    folder.mkdir()
    recording.write(folder, 0)
    return folder


def _refusing() -> Any:
    raise ValueError("not of this robot")


@pytest.mark.parametrize(
    ("quantity", "answer", "kind"),
    [
        ("mass_matrix", lambda: np.array([[2.0, 0.5], [0.5, 1.0 + 2e-11]]), "differs"),
        ("mass_matrix", lambda: np.eye(3), "shape"),
        ("mass_matrix", _refusing, "refused by NEW"),
        ("mass_matrix", None, "missing"),
        ("operation_count", lambda: {"multiplications": 13, "additions": 10}, "differs"),
        ("simulate", lambda: np.array([1.0, 2.0 + 1e-7]), "differs"),
        ("dof_names", lambda: ("joint1", "elbow"), "words"),
        ("locked", _refusing, "other refusal"),
        ("locked", lambda: 1.0, "refused by OLD"),
        ("entropy", lambda: 1.0, ADDED),
    ],
)
def test_what_is_changed_is_told(tmp_path: Path, quantity: str, answer: Any, kind: str) -> None:
    old, new = _recorded(tmp_path / "old"), _recorded(tmp_path / "new", **{quantity: answer})
    (row,) = differences(old, new)
    assert (row.robot, row.quantity, row.kind) == ("robot", quantity, kind)
    assert quantity in table([row])


def test_what_is_within_bounds_is_not_told(tmp_path: Path) -> None:
    new = _recorded(tmp_path / "new", mass_matrix=lambda: np.array([[2.0, 0.5], [0.5, 1.0 + 1e-12]]),
                    simulate=lambda: np.array([1.0, 2.0 + 1e-9]))
    assert not list(differences(_recorded(tmp_path / "old"), new))


def test_differences_are_shares_of_the_largest_entry() -> None:
    a = np.array([1000.0, 1e-9, np.nan, np.inf])
    assert apart(a, a.copy()) == 0.0
    assert apart(a, a + np.array([0, 1e-9, 0, 0])) == pytest.approx(1e-12)
    assert apart(a, np.array([1000.0, 1e-9, 0.0, np.inf])) == np.inf
    assert apart(a, np.array([1000.0, 1e-9, np.nan, -np.inf])) == np.inf


def test_robots_of_all_kinds_are_compared() -> None:
    assert chosen() == list(ROBOTS) and len(ROBOTS) == sum(map(len, FAMILIES.values())) >= 50
    assert chosen("closed beams") == list(FAMILIES["closed beams"]) and chosen("Four Bar of") == chosen("four bar of")


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a checkout of Git")
def test_a_commit_is_checked_out_for_a_while() -> None:
    with checked_out("HEAD") as tree:
        assert (tree / "src" / "loadpath" / "__init__.py").exists()
    assert not tree.exists()
