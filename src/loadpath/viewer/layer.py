"""What a layer is: one thing that is drawn, with its controls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loadpath.viewer.state import Frame, State

if TYPE_CHECKING:
    from loadpath.viewer.stage import Stage


class Layer:
    """One thing that is drawn."""

    stage: Stage
    tabs: tuple[str, ...] = ()
    """Where its controls are; none: above the tabs."""

    caption: str = ""
    """HTML: what a recording says of it, which has no controls."""

    @property
    def moves_by_itself(self) -> bool:
        """Whether it changes with the clock, as a motion that plays does."""
        return False

    def build(self, stage: Stage) -> None:
        """Put its nodes into the scene and its controls into the panel."""
        self.stage = stage

    def advance(self, state: State) -> State:
        """The state as the clock changes it."""
        return state

    def draw(self, frame: Frame) -> None:
        """Show an instant."""

    def fail(self, problem: Exception) -> None:
        """Show that an instant could not be drawn."""
