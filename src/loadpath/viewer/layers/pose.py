"""Sliders for every freedom, and buttons for home, reset and a random pose."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.viewer.layer import Layer
from loadpath.viewer.subject import stopped

if TYPE_CHECKING:
    from collections.abc import Callable

    from loadpath.scalars.types import Floats
    from loadpath.viewer.controls import Control
    from loadpath.viewer.moving import Moved
    from loadpath.viewer.stage import Stage
    from loadpath.viewer.state import Frame, State

EVERY = 0.1
"""s: sliders follow a motion no more often; the robot itself does."""


class Pose(Layer):
    """The sliders."""

    tabs = ("Pose",)

    def build(self, stage: Stage) -> None:
        super().build(stage)
        gui, moving = stage.server.gui, stage.subject.moving
        self.draw_from = np.random.default_rng()
        self.sliders: list[tuple[Control, Any]] = []
        self._at = -np.inf
        with stage.tab("Pose"):
            buttons = gui.add_button_group("pose", ("home", "start", "random"))
            buttons.on_click(lambda event: self.press(event.target.value))
            if not moving.controls:
                gui.add_markdown("No joint of this robot moves.")
            for control in moving.controls:
                slider = gui.add_slider(control.label, *control.ends, control.step, control.shown(stage.start.q))
                slider.on_update(self._moved(control, slider))
                self.sliders.append((control, slider))
        for label, key, pose in (("Home", "H", "home"), ("Random pose", "R", "random"), ("Start pose", "S", "start")):
            command = gui.add_command(label, hotkey=key)
            command.on_trigger(lambda _, pose=pose: self.press(pose))

    def press(self, pose: str) -> None:
        """Go home, to where the viewer began, or anywhere."""
        moving, start = self.stage.subject.moving, self.stage.start
        if pose == "random":
            self._ask("pose", lambda state: moving.random(state.q, self.draw_from))
        else:
            q: Floats = moving.home if pose == "home" else start.q
            self.stage.change("pose", lambda state: stopped(state, q))

    def _moved(self, control: Control, slider: Any) -> Callable[[Any], None]:
        moving = self.stage.subject.moving

        def callback(event: Any) -> None:
            if event.client is not None:  # a person moved it, not a motion that plays
                value = float(slider.value)
                self._ask(f"slider {control.name}", lambda state: moving.put(state.q, control, value))

        return callback

    def _ask(self, by: str, move: Callable[[State], Moved]) -> None:
        def change(state: State) -> State:
            self._at = -np.inf  # what cannot be reached springs back at once
            return stopped(state, move(state).q)

        self.stage.change(by, change)

    def draw(self, frame: Frame) -> None:
        if time.monotonic() - self._at < EVERY and frame.plays:
            return
        self._at = time.monotonic()
        for control, slider in self.sliders:
            value = control.shown(frame.state.q)
            if abs(value - slider.value) > 0.25 * control.step:
                slider.value = value
