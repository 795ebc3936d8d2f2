"""What went wrong, said where it is seen; and what is shown, at the top of the panel."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from loadpath.viewer.layer import Layer

if TYPE_CHECKING:
    from loadpath.viewer.stage import Stage
    from loadpath.viewer.state import Frame

NO_LOADS = "No loads are known here: the loops are open or at a dead point, or the state is not a number."


class Notice(Layer):
    """A line of text above the tabs."""

    def build(self, stage: Stage) -> None:
        super().build(stage)
        self._text = ""
        self.line = stage.server.gui.add_html("", visible=False)

    def say(self, text: str) -> None:
        """Show a line, or none."""
        if text != self._text:
            self._text = text
            self.line.content = f'<div style="padding:0.3em 0.75em;color:#b45000">⚠ {escape(text)}</div>'
            self.line.visible = bool(text)

    def draw(self, frame: Frame) -> None:
        self.say(NO_LOADS if frame.loads is None else "")

    def fail(self, problem: Exception) -> None:
        self.say(str(problem))
