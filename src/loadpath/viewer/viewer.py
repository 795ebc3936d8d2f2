"""What `robot.view()` returns: the address, and ways to move, play, record and end."""

from __future__ import annotations

import threading
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Self

import numpy as np

from loadpath.states.reading import read_states
from loadpath.viewer import server as servers
from loadpath.viewer.recording import record
from loadpath.viewer.subject import stopped

if TYPE_CHECKING:
    from os import PathLike
    from pathlib import Path
    from types import TracebackType

    from loadpath.scalars.types import ArrayLike, Floats
    from loadpath.viewer.layers.player import Player
    from loadpath.viewer.stage import Stage
    from loadpath.viewer.state import Frame


class Viewer:
    """A robot in the browser. It goes on in threads of its own until `stop`, the end of a `with` block, or of Python.

    >>> import loadpath as lp
    >>> with lp.catalog.planar(2).view(open_browser=False) as viewer:
    ...     viewer.set([0.3, -0.5])
    ...     viewer.url.startswith("http://127.0.0.1:"), viewer.q.tolist()
    (True, [0.3, -0.5])
    """

    def __init__(self, stage: Stage, player: Player, url: str) -> None:
        self._stage, self._player, self._url = stage, player, url
        self._ended = threading.Event()

    @property
    def url(self) -> str:
        """The address to open in a browser."""
        return self._url

    @property
    def running(self) -> bool:
        """Whether it has not been stopped."""
        return not self._ended.is_set()

    @property
    def frame(self) -> Frame:
        """What is shown: the state, poses of the links, and every joint's wrench by cause."""
        assert self._stage.frame is not None
        return self._stage.frame

    @property
    def q(self) -> Floats:
        """(nq,): coordinates that are shown."""
        return self.frame.state.q.copy()

    def set(self, q: ArrayLike, qd: ArrayLike | None = None, qdd: ArrayLike | None = None) -> None:
        """Show a state, at rest unless speeds and accelerations are given; returns when it is drawn."""
        self._check_running()
        robot = self._stage.subject.robot
        given = read_states(robot, q, qd, qdd, caller="set", at_rest=True)
        states = [np.array(part, dtype=float) for part in given[:3]]
        for part, values, size in zip(("q", "qd", "qdd"), states, (robot.nq, robot.n, robot.n), strict=True):
            if values.shape != (size,):
                raise ValueError(f"set: '{part}' has the shape {values.shape}: expected ({size},), one state")
            if not np.isfinite(values).all():
                raise ValueError(f"set: '{part}' has a NaN or an infinite number")
        q_, qd_, qdd_ = states
        self._player.pause()
        self._stage.show(lambda state: replace(stopped(state, q_), qd=qd_, qdd=qdd_))

    def play(self) -> None:
        """Play the motion, from where it stands."""
        self._check_running()
        self._player.play()

    def pause(self) -> None:
        """Let the motion stand."""
        self._player.pause()

    def seek(self, time: float) -> None:
        """Show the motion at a time (s); returns when it is drawn."""
        self._check_running()
        self._player.pause()
        self._player.seek(float(time))
        self._stage.show(lambda state: state)

    def record(self, path: str | PathLike[str], *, rate: float = 30.0) -> Path:
        """Write the motion, as it is shown with its arrows, as one HTML file that plays without a network: to open by a
        double click, to send by mail. `rate` is in pictures a second.
        """
        self._check_running()
        return record(self._stage, self._player, path, rate)

    def stop(self) -> None:
        """End it; the page in the browser stays as it is."""
        if not self._ended.is_set():
            self._ended.set()
            self._player.pause()
            self._stage.stop()
            servers.stop(self._stage.server)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until it is stopped, as a program does that shows nothing else; whether it was."""
        return self._ended.wait(timeout)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _check_running(self) -> None:
        if not self.running:
            raise RuntimeError("the viewer has been stopped: robot.view() begins another one")

    def _repr_html_(self) -> str:
        if not self.running:
            return "<p>This viewer has been stopped.</p>"
        return (f'<iframe src="{escape(self.url)}" style="width:100%;height:640px;border:1px solid '
                f'rgba(128,128,128,.4)" title="{escape(self._stage.subject.name)}"></iframe>')

    def __repr__(self) -> str:
        where = self.url if self.running else "stopped"
        return f"<viewer of '{self._stage.subject.name}': {where}>"

    # For tests and for what is not offered here

    @property
    def stage(self) -> Stage:
        """The thread that draws, its layers and viser's server: not part of what stays as it is between versions."""
        return self._stage
