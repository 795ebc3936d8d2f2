"""Progress: the share done and the time left, at a terminal alone."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

import loadpath as lp
from loadpath.cli import app, messages
from loadpath.progress import each, hidden, in_words, part, part_of_rest, reporting, shown, steps, watched


def seen_of(work: object) -> list[float]:
    seen: list[float] = []
    with watched(seen.append):
        work()  # type: ignore[operator]
    return seen


def test_parts_lie_inside_parts() -> None:
    def work() -> None:
        with part(0.5):
            for number in each([1, 3], weights=[1, 3]):
                with reporting(False, "inside") as report:
                    report(0.5)
                    for _ in each(range(number)):  # told by the function itself
                        pass
        with part(0.25), part_of_rest(0.5), part_of_rest(0.5):
            pass
        step = steps(2)
        step()
        step()

    assert seen_of(work) == pytest.approx([0.0625, 0.125, 0.3125, 0.5, 0.5625, 0.625, 0.75, 0.875, 1.0])


def test_what_a_function_is_asked_for_goes_before_what_is_watched() -> None:
    own: list[float] = []

    def work() -> None:
        with reporting(own.append, "own") as report:
            report(1.0)

    assert seen_of(work) == [] and own == [1.0]
    with pytest.raises(ValueError, match="progress is 3: expected True, False or a function"), reporting(3, "x"):  # type: ignore[arg-type]
        pass


def test_loops_that_are_left_and_errors_leave_nothing_behind() -> None:
    def work() -> None:
        for _ in each(range(10)):
            break
        with pytest.raises(RuntimeError), part(0.5):
            raise RuntimeError
        with part(1.0):
            pass

    assert seen_of(work) == [1.0]
    assert list(each("ab")) == ["a", "b"]  # where nobody looks


def test_the_time_left() -> None:
    assert in_words(0.25, 10) == "25 %, 30 s left" and in_words(0.5, 7200) == "50 %, 2.0 h left"
    assert in_words(0.9, 0.1) == "90 %"  # too soon to say
    assert in_words(0.75, 10, before=0.5) == "75 %, 10 s left"  # half was there before


def test_nothing_is_shown_in_pipes_or_where_it_is_off(capsys: pytest.CaptureFixture[str]) -> None:
    with shown("work"), part(1.0):
        pass
    with hidden(), shown("work", Console(force_terminal=True)), part(1.0):
        pass
    arm = lp.catalog.planar(1)
    arm.simulate([0.1], [0.0], duration=0.1, progress=True)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("arguments", [
    ("report", "planar:2", "-o", "page.html"), ("verdict", "ur5"), ("simulate", "planar:1", "--duration", "0.2"),
    ("loads", "planar:2"), ("compare", "ur5", "ur5"), ("count", "planar:1"), ("verify", "planar:2"),
    ("fastest", "planar:2", "--acceleration", "5", "-o", "quick.csv"), ("deflect", "beams.toml"),
    ("report", "beams.toml", "-o", "page.html"), ("rover", "lau_rover"),
])
def test_commands_tell_how_much_is_done(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if "beams.toml" in arguments:
        assert CliRunner().invoke(app, ["new", "planar:2", "--beams", "-o", "beams.toml"]).exit_code == 0
    seen: list[float] = []

    @contextmanager
    def watching(what: str, console: Console) -> Iterator[None]:
        with watched(seen.append):
            yield

    monkeypatch.setattr(messages, "shown", watching)
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code in (0, 1), result.output
    assert seen and seen == sorted(seen) and seen[-1] <= 1.0
    if arguments[0] in ("report", "verdict", "compare", "count", "verify", "deflect"):
        assert seen[-1] > 0.89
    if arguments[0] == "report":
        assert len(seen) > 10


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo terminals")
@pytest.mark.parametrize("off", [False, True])
def test_at_a_terminal_there_is_a_bar_unless_it_is_off(off: bool, tmp_path: Path) -> None:
    import pty

    command = [sys.executable, "-m", "loadpath", "report", "panda", "-o", str(tmp_path / "r.html")]
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(sys.executable, [*command, *(["--no-progress"] if off else [])],
                  {**os.environ, "TERM": "xterm", "COLUMNS": "120", "PYTHONPATH": os.pathsep.join(sys.path)})
    said = b""
    end = time.monotonic() + 120
    while time.monotonic() < end:
        try:
            said += os.read(terminal, 65536)
        except OSError:  # it has ended
            break
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    shares = [int(share) for share in re.findall(rb"(\d+) %(?:,|\s)", said.split(b"note:")[0])]
    assert ("Compiling and examining panda" in said.decode(errors="replace")) is not off
    if not off:
        assert len(shares) > 3 and shares == sorted(shares) and b" s left" in said
    assert np.all(np.array(shares) <= 100)
