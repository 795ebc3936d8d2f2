"""Every wrong file, call and command says what is wrong, where, and what to do, in the words of the corpus."""

from __future__ import annotations

import shlex
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import loadpath as lp
from bad_files.corpus import HERE, NPZ, Case, cases, check_words
from loadpath.cli import app
from refusals import is_refusal, place

CALLS = cases("calls.txt")
COMMANDS = cases("commands.txt")
CSV, NPZ_CASES, URDF = cases("csv/expected.txt"), cases("npz.txt"), cases("urdf/expected.txt")


def described(case: Case) -> str:
    return case.what


def message_of(case: Case, do: Callable[[], Any]) -> str:
    """What is said about it: the error of ours, or all warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            do()
        except Exception as problem:
            known = isinstance(problem, (ValueError, TypeError)) and is_refusal(problem)
            assert known or isinstance(problem, OSError), f"{type(problem).__name__} at {place(problem)}: {problem}"
            assert not case.warning, f"expected a warning, not the error {problem}"
            return str(problem)
    assert case.warning, f"taken without an error; warnings: {[str(warning.message) for warning in caught]}"
    assert all(issubclass(warning.category, UserWarning) for warning in caught)
    return "\n".join(str(warning.message) for warning in caught)


@cache
def arm() -> lp.Robot:
    return lp.load(HERE / "arm.urdf")


@pytest.mark.parametrize("case", URDF, ids=described)
def test_urdf(case: Case) -> None:
    message = message_of(case, lambda: lp.load(HERE / "urdf" / case.what))
    assert message.startswith(str(HERE / "urdf" / case.what))
    check_words(case, message)


@pytest.mark.parametrize("case", CSV, ids=described)
def test_csv(case: Case) -> None:
    message = message_of(case, lambda: lp.Motion.from_csv(HERE / "csv" / case.what, arm()))
    assert case.warning or case.what in message
    check_words(case, message)


@pytest.mark.parametrize("case", NPZ_CASES, ids=described)
def test_npz(case: Case, tmp_path: Path) -> None:
    file = tmp_path / f"{case.what}.npz"
    file.write_bytes(NPZ[case.what]())
    message = message_of(case, lambda: lp.Motion.from_npz(file, arm()))
    assert file.name in message
    check_words(case, message)


@cache
def names() -> dict[str, Any]:
    """What the calls of the corpus may use."""
    feet = [lp.Support((1, 1), name="a"), lp.Support((1, -1), name="b"), lp.Support((-1, 0), name="c")]
    return {
        "lp": lp,
        "np": np,
        "pd": pd,
        "arm": lp.catalog.two_link(),
        "feet": feet,
        "nan": float("nan"),
        "inf": float("inf"),
        "body": lp.Inertia.from_moments(1.0, ixx=0.1, iyy=0.1, izz=0.1),
        "tube": lp.Tube(outer_radius=0.04, wall=0.003),
        "base": lp.WheeledBase(mass=10, center_of_mass=(0, 0, 0.1), wheels=feet),
    }


@pytest.mark.parametrize("case", CALLS, ids=described)
def test_calls(case: Case) -> None:
    check_words(case, message_of(case, lambda: eval(case.what, dict(names()))))


@pytest.mark.parametrize("case", COMMANDS, ids=described)
def test_commands(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(HERE)
    result = CliRunner().invoke(app, shlex.split(case.what), env={"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"})
    assert result.exception is None or isinstance(result.exception, SystemExit), repr(result.exception)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    (line,) = [line for line in result.stderr.splitlines() if not line.startswith("warning:")]
    assert line.startswith("loadpath: ")
    check_words(case, line)


def test_every_file_has_its_words() -> None:
    for kind, listed in (("urdf", URDF), ("csv", CSV)):
        assert sorted(case.what for case in listed) == sorted(path.name for path in (HERE / kind).glob(f"*.{kind}"))
    assert sorted(case.what for case in NPZ_CASES) == sorted(NPZ)


def test_the_corpus_is_large_and_says_nothing_twice() -> None:
    every = [*CALLS, *COMMANDS, *CSV, *NPZ_CASES, *URDF]
    assert len(every) >= 150
    assert len({case.what for case in every}) == len(every)
    assert not list(HERE.glob("*.html")), "a command that was wrong wrote a report"


def test_a_refusal_is_told_from_an_accident() -> None:
    """The check of this file can fail: an error of NumPy on a line of the library is none of its refusals."""
    with pytest.raises(ValueError, match="expected") as refused:
        lp.Revolute((0, 0, 0))
    assert is_refusal(refused.value)
    with pytest.raises(ValueError, match="could not convert") as accident:
        lp.Pose().transform("x")
    assert not is_refusal(accident.value)
