"""The stage: one thread that computes and draws, whatever is asked of it from others.

Sliders, gizmos and the player ask for changes; each replaces what the same one asked before and the stage has not yet
done. So a storm of a hundred values from a slider is one picture: the latest. Only this thread touches the scene.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from loadpath.viewer.state import Frame, State

if TYPE_CHECKING:
    from loadpath.viewer.layer import Layer
    from loadpath.viewer.subject import Subject

Change = Callable[[State], State]
TABS = ("Pose", "Motion", "Loads", "Ground", "Beams", "Use", "View")
"""In the order of the panel; those that no layer asks for are left out."""
RATE = 60.0
"""Pictures a second, of a motion that plays."""


class Stage:
    """The state that is shown, and the thread that shows it."""

    def __init__(self, subject: Subject, server: Any, start: State) -> None:
        self.subject, self.server = subject, server
        self.start = start
        self.layers: list[Layer] = []
        self.state = start
        self.frame: Frame | None = None
        self.problem: Exception | None = None
        self._changes: dict[str, Change] = {}
        self._asked = self._done = 0
        self._wake = threading.Condition()
        self._drawing = threading.RLock()
        self._tabs: dict[str, Any] = {}
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="loadpath viewer", daemon=True)

    # What layers and users ask for, from any thread

    def change(self, by: str, change: Change) -> int:
        """Ask for another state; it takes the place of what `by` asked before, if that is not yet drawn."""
        with self._wake:
            self._changes.pop(by, None)
            self._changes[by] = change
            self._asked += 1
            self._wake.notify_all()
            return self._asked

    def refresh(self) -> int:
        """Ask for the same state to be drawn again, as after a choice."""
        return self.change("refresh", lambda state: state)

    def show(self, change: Change, timeout: float = 60.0) -> Frame:
        """Ask for another state and wait until it is drawn; what goes wrong is raised here."""
        number = self.change("user", change)
        with self._wake:
            if not self._wake.wait_for(lambda: self._done >= number or self._stopped, timeout):
                raise TimeoutError(f"the viewer did not draw within {timeout:g} s")
            problem, frame = self.problem, self.frame
        if problem is not None:
            raise problem
        if frame is None:
            raise RuntimeError("the viewer has been stopped")
        return frame

    @contextlib.contextmanager
    def tab(self, name: str) -> Iterator[None]:
        """Where controls of this kind are put."""
        with self._tabs[name]:
            yield

    # The thread

    def begin(self, layers: list[Layer]) -> None:
        """Build the layers, draw the first picture, and go on in a thread of its own."""
        self.layers = layers
        wanted = {tab for layer in layers for tab in layer.tabs}
        for layer in layers:
            if not layer.tabs:
                layer.build(self)
        group = self.server.gui.add_tab_group()
        self._tabs = {tab: group.add_tab(tab) for tab in TABS if tab in wanted}
        for layer in [layer for layer in layers if layer.tabs]:
            layer.build(self)
        self.draw(self.state)
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        with self._wake:
            self._stopped = True
            self._wake.notify_all()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join(timeout=5.0)

    def draw(self, state: State) -> Frame:
        """Compute a state and draw it in all layers, at once for the browser."""
        with self._drawing:
            plays = any(layer.moves_by_itself for layer in self.layers)
            frame = self.subject.frame(state, time.monotonic(), plays)
            with self.server.atomic():
                for layer in self.layers:
                    layer.draw(frame)
            self.state, self.frame = state, frame
        return frame

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Nothing else is drawn meanwhile."""
        with self._drawing:
            yield

    def _run(self) -> None:
        due = time.monotonic()
        while True:
            with self._wake:
                moving = any(layer.moves_by_itself for layer in self.layers)
                pause = max(0.0, due - time.monotonic()) if moving else None
                self._wake.wait_for(lambda: bool(self._changes) or self._stopped, pause)
                if self._stopped:
                    return
                changes, self._changes = list(self._changes.values()), {}
                number = self._asked
            due = max(due + 1.0 / RATE, time.monotonic())
            self._step(changes)
            with self._wake:
                self._done = number
                self._wake.notify_all()

    def _step(self, changes: list[Change]) -> None:
        try:
            state = self.state
            for change in changes:
                state = change(state)
            for layer in self.layers:
                state = layer.advance(state)
            self.draw(state)
            self.problem = None
        except Exception as problem:  # one picture that cannot be drawn does not end the viewer
            self.problem = problem
            for layer in self.layers:
                layer.fail(problem)
