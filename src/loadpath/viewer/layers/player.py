"""The motion: play, pause, scrub, speed, loop."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from loadpath.viewer.layer import Layer

if TYPE_CHECKING:
    from loadpath.viewer.playable import Playable
    from loadpath.viewer.stage import Stage
    from loadpath.viewer.state import Frame, State

EVERY = 0.1
"""s: the slider of time follows no more often."""
SPEEDS = (0.05, 4.0)
"""Times as fast as it is."""


class Player(Layer):
    """What moves the robot along a motion."""

    tabs = ("Motion",)

    def __init__(self, motion: Playable | None) -> None:
        self.motion = motion
        self.playing = False
        self.position = 0.0
        """s, in the motion."""
        self._last = self._shown = 0.0

    @property
    def moves_by_itself(self) -> bool:
        return self.playing

    def build(self, stage: Stage) -> None:
        super().build(stage)
        gui = stage.server.gui
        if self.motion is None:
            return
        with stage.tab("Motion"):
            self.button = gui.add_button("Play", hint="Play or pause: key P")
            step = max(self.motion.duration / 1000, 1e-6)
            self.scrub = gui.add_slider("time (s)", 0.0, self.motion.duration, step, 0.0)
            self.speed = gui.add_slider("speed (times)", *SPEEDS, 0.05, 1.0)
            self.loop = gui.add_checkbox("loop", True)
        self.button.on_click(lambda _: self.toggle())
        self.scrub.on_update(self._scrubbed)
        gui.add_command("Play or pause", hotkey="P").on_trigger(lambda _: self.toggle())

    def toggle(self) -> None:
        """Play if it stands, else pause."""
        (self.pause if self.playing else self.play)()

    def play(self) -> None:
        """Begin to play where it stands; at the end, from the beginning."""
        if self.motion is None:
            return
        if self.position >= self.motion.duration:
            self.position = 0.0
        self.playing, self._last = True, time.monotonic()
        self.button.label = "Pause"
        position, motion = self.position, self.motion
        self.stage.change("player", lambda state: motion.at(position, state))

    def pause(self) -> None:
        """Stand still."""
        if self.playing and self.motion is not None:
            self.playing = False
            self.button.label = "Play"
            self.stage.refresh()

    def seek(self, position: float) -> None:
        """Go to a time (s)."""
        if self.motion is not None:
            self.position = min(max(position, 0.0), self.motion.duration)
            at, motion = self.position, self.motion
            self._shown = 0.0
            self.stage.change("player", lambda state: motion.at(at, state))

    def _scrubbed(self, event: Any) -> None:
        if event.client is not None:
            self.pause()
            self.seek(float(self.scrub.value))

    def advance(self, state: State) -> State:
        if not self.playing or self.motion is None:
            return state
        if state.time is None:  # somebody moved the robot by hand
            self.pause()
            return state
        now = time.monotonic()
        self.position += (now - self._last) * float(self.speed.value)
        self._last = now
        if self.position > self.motion.duration:
            if self.loop.value and self.motion.duration > 0:
                self.position %= self.motion.duration
            else:
                self.position = self.motion.duration
                self.pause()
        return self.motion.at(self.position, state)

    def draw(self, frame: Frame) -> None:
        if self.motion is None or frame.state.time is None:
            return
        now = time.monotonic()
        if now - self._shown > EVERY or not frame.plays:
            self._shown = now
            if abs(self.scrub.value - frame.state.time) > 1e-9:
                self.scrub.value = frame.state.time
