"""The trail of a link: where its origin has been."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.viewer.layer import Layer
from loadpath.viewer.layers.bodies import ROOT

if TYPE_CHECKING:
    from loadpath.scalars.types import Floats
    from loadpath.viewer.stage import Stage
    from loadpath.viewer.state import Frame

MOST, EVERY, COLOR = 1500, 0.05, (224, 142, 11)
JUMP = 0.2
"""Of the robot's size: no line is drawn over a step as long as that, as from one pose to another."""
NEAR = 1e-3
"""Of the robot's size: points nearer to the last one are left out."""


class Trail(Layer):
    """A line behind the tip."""

    tabs = ("View",)

    def build(self, stage: Stage) -> None:
        super().build(stage)
        gui, ends = stage.server.gui, stage.subject.ends
        self.points: deque[Floats] = deque(maxlen=MOST)
        self._at, self._followed = 0.0, ends[0]
        self.line: Any = None
        with stage.tab("View"), gui.add_folder("Trail", expand_by_default=False):
            self.shown = gui.add_checkbox("trail", True)
            self.link = gui.add_dropdown("of link", stage.subject.robot.link_names, initial_value=ends[0])
            gui.add_button("Clear").on_click(lambda _: self.clear())
        for chooser in (self.shown, self.link):
            chooser.on_update(lambda _: stage.refresh())

    def clear(self) -> None:
        """Begin anew."""
        self.points.clear()
        self.stage.refresh()

    def draw(self, frame: Frame) -> None:
        if self.link.value != self._followed:
            self._followed = self.link.value
            self.points.clear()
        at = frame.poses[self.stage.subject.robot.link_names.index(self._followed), :3, 3].copy()
        if not self.points or np.linalg.norm(at - self.points[-1]) > NEAR * self.stage.subject.size:
            self.points.append(at)
        shown = bool(self.shown.value) and len(self.points) > 1
        if self.line is not None:
            self.line.visible = shown
        now = time.monotonic()
        if not shown or (now - self._at < EVERY and frame.plays):
            return
        self._at = now
        path = np.array(self.points, dtype=np.float32)
        segments = np.stack([path[:-1], path[1:]], axis=1)
        steps = np.linalg.norm(segments[:, 1] - segments[:, 0], axis=-1)
        segments = segments[steps < JUMP * self.stage.subject.size]
        if not len(segments):
            return
        if self.line is None:
            self.line = self.stage.server.scene.add_line_segments(f"{ROOT}/trail", segments, COLOR, thickness=2.5,
                                                                 thickness_units="screen")
        else:
            self.line.points = segments
