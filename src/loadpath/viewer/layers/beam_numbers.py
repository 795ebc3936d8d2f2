"""A robot with loops and beams: how far it bends and how near its beams are to yielding, in numbers. Its bent shape is
not drawn, as `plot_deflection` does not: loops and beams together have deflections of their link frames only.
"""

from __future__ import annotations

import time
import warnings
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.viewer.layer import Layer

if TYPE_CHECKING:
    from loadpath.api.kinds import ClosedFlexibleRobot
    from loadpath.viewer.stage import Stage
    from loadpath.viewer.state import Frame

EVERY = 0.3


class BeamNumbers(Layer):
    """Deflection and stress as text."""

    tabs = ("Beams",)

    def __init__(self, robot: ClosedFlexibleRobot) -> None:
        self.robot = robot

    def build(self, stage: Stage) -> None:
        super().build(stage)
        self._at = 0.0
        with stage.tab("Beams"):
            self.summary = stage.server.gui.add_html("")

    def draw(self, frame: Frame) -> None:
        now = time.monotonic()
        if frame.loads is None or (frame.plays and now - self._at < EVERY):
            return
        self._at = now
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is past the yield strength is said here
            words = self._words(frame)
        self.summary.content = self.caption = f'<div style="font-size:0.85em;padding:0 0.75em">{words}</div>'

    def _words(self, frame: Frame) -> str:
        state = (frame.state.q, frame.state.qd, frame.state.qdd)
        case: dict[str, Any] = {"external": frame.acting} if frame.acting else {}
        moved = np.linalg.norm(np.asarray(self.robot.deflection(*state, **case).displacement), axis=-1)
        link = self.robot.link_names[int(moved.argmax())]
        words = f"Bends by up to <b>{1000 * moved.max():.3g} mm</b>, link {escape(link)}; drawn unbent."
        if self.robot.beams:
            worst = self.robot.stress(*state, **case).worst
            words += f"<br>Largest stress <b>{worst.value / 1e6:.3g} MPa</b>, link {escape(worst.link)}."
        return words
