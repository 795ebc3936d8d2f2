"""Long compilations say what they do, on a terminal only, and leave nothing there."""

from __future__ import annotations

import io
import sys
import time

import pytest

import loadpath as lp
from loadpath.engine import kernels, notice


class Screen(io.StringIO):
    """A terminal that remembers what was written."""

    def __init__(self, terminal: bool = True) -> None:
        super().__init__()
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal

    @property
    def line(self) -> str:
        """What stands in the line at last."""
        return self.getvalue().split("\r\x1b[K")[-1]


def a_screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    """In place of stderr. (Not as a fixture: pytest puts its own there when the test begins.)"""
    made = Screen()
    monkeypatch.setattr(sys, "stderr", made)
    return made


def wait_for(screen: Screen, text: str) -> None:
    end = time.monotonic() + 10.0
    while text not in screen.getvalue():
        assert time.monotonic() < end, screen.getvalue()
        time.sleep(0.01)


def test_a_line_appears_after_a_while_and_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = a_screen(monkeypatch)
    monkeypatch.setattr(notice, "PATIENCE", 0.05)
    with notice.notice("tracing it") as say:
        wait_for(screen, "tracing it")
        say("compiling it")
        assert screen.line == "loadpath: compiling it (once)"
    assert screen.line == ""
    say("something late")
    assert screen.line == ""


def test_what_is_quick_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = a_screen(monkeypatch)
    monkeypatch.setattr(notice, "PATIENCE", 0.2)
    with notice.notice("tracing it") as say:
        say("compiling it")
    time.sleep(0.4)
    assert screen.getvalue() == ""


def test_an_error_removes_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = a_screen(monkeypatch)
    monkeypatch.setattr(notice, "PATIENCE", 0.0)
    with pytest.raises(KeyboardInterrupt), notice.notice("tracing it"):
        wait_for(screen, "tracing it")
        raise KeyboardInterrupt
    assert screen.line == ""


@pytest.mark.parametrize("stream", [Screen(terminal=False), None])
def test_nothing_is_said_without_a_terminal(monkeypatch: pytest.MonkeyPatch, stream: Screen | None) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(notice, "PATIENCE", 0.0)
    with notice.notice("tracing it") as say:
        time.sleep(0.05)
        say("compiling it")
    assert stream is None or stream.getvalue() == ""


def test_a_robot_says_what_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = a_screen(monkeypatch)
    monkeypatch.setenv("LOADPATH_CACHE_DIR", "off")
    monkeypatch.setattr(notice, "PATIENCE", 0.0)
    monkeypatch.setattr(kernels, "_kept", type(kernels._kept)())
    lp.catalog.planar(2, length=0.51).mass_matrix([0.0, 0.0])
    assert "compiling mass_matrix, " in screen.getvalue()
    assert "operations: about 1 s" in screen.getvalue()
    assert screen.line == ""
    seen = screen.getvalue()
    lp.catalog.planar(2, length=0.51).mass_matrix([0.0, 0.0])
    assert screen.getvalue() == seen


def test_a_line_that_comes_too_late_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = a_screen(monkeypatch)
    line = notice._Line("tracing it")
    line.remove()
    line._show()
    assert screen.getvalue() == ""
