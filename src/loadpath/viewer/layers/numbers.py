"""The numbers of one joint: its wrench by cause in a table, and beside it in the scene what it carries in all."""

from __future__ import annotations

import time
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from loadpath import html
from loadpath.viewer.arrows import in_world
from loadpath.viewer.colors import OF_CAUSES
from loadpath.viewer.layer import Layer
from loadpath.viewer.layers.bodies import ROOT
from loadpath.viewer.layers.choice import ALL, LoadChoice
from loadpath.viewer.loads import CAUSES

if TYPE_CHECKING:
    from loadpath.scalars.types import Floats
    from loadpath.viewer.stage import Stage
    from loadpath.viewer.state import Frame

EVERY = 0.15
"""s: people read no faster."""
HEADS = [html.Markup(f"{letter}<sub>{axis}</sub>") for letter in "FM" for axis in "xyz"]


class Numbers(Layer):
    """The wrench of the chosen joint by cause."""

    tabs = ("Loads",)

    def __init__(self, choice: LoadChoice) -> None:
        self.choice = choice

    def build(self, stage: Stage) -> None:
        super().build(stage)
        self.names = stage.subject.robot.closed_joint_names
        self._at, self._text = 0.0, ""
        with stage.tab("Loads"):
            self.table = stage.server.gui.add_html("")
        self.label = stage.server.scene.add_label(f"{ROOT}/number", "", visible=False, anchor="bottom-left")

    def draw(self, frame: Frame) -> None:
        self.label.visible = self.choice.joint.value != ALL and frame.loads is not None
        if not self.names or frame.loads is None:
            return
        row = self.names.index(self.choice.selected)
        if self.label.visible:
            self.label.position = frame.joints[row, :3, 3]
        now = time.monotonic()
        if now - self._at < EVERY and frame.plays:
            return
        self._at = now
        parts = {cause: self._in_axes(frame, row, frame.loads.by_cause[cause][row])
                 for cause in CAUSES if cause in frame.loads.by_cause}
        total = np.asarray(sum(parts.values()))
        drive = self._drive(frame)
        text = table(self.choice.selected, self.choice.axes.value, parts, total, drive)
        if text != self._text:
            self.table.content = self._text = text
        if self.label.visible:
            force, torque = np.linalg.norm(total[:3]), np.linalg.norm(total[3:])
            words = f"{self.choice.selected}: {force:.4g} N, {torque:.4g} N m"
            if self.label.text != words:
                self.label.text = words

    def _in_axes(self, frame: Frame, row: int, wrench: Floats) -> Floats:
        if self.choice.axes.value == "joint":
            return wrench
        return in_world(frame.joints[[row], :3, :3], wrench[None]).reshape(6)

    def _drive(self, frame: Frame) -> str:
        """What the drives of the joint give, in words."""
        robot = self.stage.subject.robot
        place = robot.v_slices.get(self.choice.selected)
        if place is None or frame.loads is None:
            return ""
        turns = next(j.motion.angular for j in robot.joints if j.name == self.choice.selected)
        values = [f"{0.0 if abs(value) < 1e-9 else value:.4g} {'N m' if angular else 'N'}"
                  for value, angular in zip(frame.loads.tau[place], turns, strict=False)]
        return f"drive: {', '.join(values)}"


def table(joint: str, axes: str, parts: dict[str, Floats], total: Floats, drive: str) -> str:
    """HTML: the rows are causes, the columns components.

    >>> "9.81" in table("joint1", "world", {"gravity": np.array([0, 0, 9.81, 0, 0, 0])}, np.zeros(6), "")
    True
    """
    rows = [[html.marked(cause, OF_CAUSES.get(cause)), *map(number, values)] for cause, values in parts.items()]
    rows.append([html.Markup(f"<b>{text}</b>") for text in ("total", *map(number, total))])
    words = f"<br>{escape(drive)}" if drive else ""
    title = f"<b>{escape(joint)}</b>, N and N m by the parent on the child, {axes} axes{words}"
    return html.table(html.Markup(title), ["cause", *HEADS], rows, look=html.PANEL)


def number(value: float) -> str:
    """Three digits or four, without an exponent where one can be done without.

    >>> number(1234.56), number(0.012345), number(1e-14)
    ('1235', '0.0123', '0')
    """
    if abs(value) < 1e-9:
        return "0"
    return f"{value:.0f}" if 1000 <= abs(value) < 1e6 else f"{value:.3g}"
