"""The lower bounds of the dependencies are those that are run (`.ci/lowest.txt`, `.ci/smoke.py`)."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_what_is_declared_is_what_is_run() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = [*project["dependencies"], *project["optional-dependencies"]["study"]]
    lines = (ROOT / ".ci/lowest.txt").read_text(encoding="utf-8").splitlines()
    run = sorted(line for line in lines if line and not line.startswith("#"))
    assert sorted(re.sub(r"\[.*\]", "", bound).replace(">=", "==") for bound in declared) == run


def test_a_bound_of_an_extra_is_the_same_wherever_it_stands() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    bounds: dict[str, set[str]] = {}
    for listed in extras.values():
        for one in listed:
            bounds.setdefault(one.partition(">=")[0], set()).add(one)
    assert {name: found for name, found in bounds.items() if len(found) > 1} == {}
