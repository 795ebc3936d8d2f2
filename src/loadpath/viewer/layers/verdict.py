"""Does everything hold over the motion? The verdict on limits, parts and beams, when it is asked for, with the payload
and the force of the page.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from loadpath import html
from loadpath.digits import percent
from loadpath.drawing.colors import shades
from loadpath.quantities.wrench import Wrench
from loadpath.viewer.stage import Layer, padded

if TYPE_CHECKING:
    from loadpath.parts.verdict.result import Verdict, VerdictRow
    from loadpath.viewer.layers.player import Player
    from loadpath.viewer.stage import Frame, Stage, State


MOST_ROWS = 30
"""Checks that are listed, the worst first."""


class VerdictOverMotion(Layer):
    """A button, and the table that it fills. `asked` are keywords of the verdict: the life that is required, and how
    the base of a rover moves.
    """

    tabs = ("Use",)

    def __init__(self, player: Player, asked: Mapping[str, Any]) -> None:
        self.player, self.asked = player, asked

    def build(self, stage: Stage) -> None:
        super().build(stage)
        if self.player.motion is None:
            return
        gui = stage.server.gui
        with stage.tab("Use"):
            self.button = gui.add_button("Verdict over the motion", hint="Limits, parts and beams, with the payload "
                                         "and the force of this page, all the time.")
            self.table = gui.add_html("")
        self._found, self._judged, self._outdated = "", "", False
        self.button.on_click(lambda _: self.judge())

    def judge(self) -> None:
        """Examine the motion; it may take a while, in a thread of its own."""
        assert self.player.motion is not None
        assert self.stage.frame is not None
        subject, state = self.stage.subject, self.stage.frame.state
        self.button.disabled = True
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                owner = subject.robot if subject.rover is None else subject.rover
                found = loaded(owner, state).verdict(self.player.motion.source, external=acting(state), **self.asked)
            self._found = table(found)
        except ValueError as problem:
            self._found = f'<div style="padding:0 0.75em">⚠ {escape(str(problem))}</div>'
        finally:
            self.button.disabled = False
        self._judged, self._outdated = with_words(state), False
        self.table.content = _said(self._judged) + self._found

    def draw(self, frame: Frame) -> None:
        """A verdict that is of another payload or force says so."""
        if self.player.motion is None or not self._found:
            return
        outdated = with_words(frame.state) != self._judged
        if outdated != self._outdated:
            self._outdated = outdated
            words = f"⚠ As it was {self._judged}: ask again." if outdated else self._judged
            faded = f'<div style="opacity:0.5">{self._found}</div>' if outdated else self._found
            self.table.content = _said(words) + faded


def with_words(state: State) -> str:
    """With which payload and force of the page a verdict is.

    >>> import loadpath as lp
    >>> from loadpath.viewer.subject import subject_of
    >>> with_words(subject_of(lp.catalog.planar(2)).at([0.0, 0.0]))
    'without payload and force of this page'
    """
    payload, pull = state.payload, state.pull
    words = [f"{payload.mass:.4g} kg on '{payload.link}'"] if payload is not None else []
    if pull is not None and pull.force.any():
        words.append(f"a force of ({', '.join(f'{part:.4g}' for part in pull.force)}) N on '{pull.link}'")
    return f"with {' and '.join(words)}" if words else "without payload and force of this page"


def loaded(owner: Any, state: State) -> Any:
    """A robot or a rover with the payload of the page."""
    if state.payload is None:
        return owner
    links = getattr(owner, "robot", owner).link_names
    name = next(name for k in range(len(links) + 1) if (name := f"payload_of_page{k or ''}") not in links)
    return owner.with_payload(state.payload.mass, link=state.payload.link, name=name)


def acting(state: State) -> dict[str, Wrench] | None:
    """Wrenches that act in every state, with the force of the page."""
    found = dict(state.always or {})
    if state.pull is not None and state.pull.force.any():
        pull, link = Wrench(force=state.pull.force), state.pull.link
        found[link] = found[link] + pull if link in found else pull
    return found or None


def _said(words: str) -> str:
    return padded(escape(words[0].upper() + words[1:]), 0.78)


def table(found: Verdict) -> str:
    """HTML: the checks, the worst first."""
    more = len(found.ranked) - MOST_ROWS
    mark = "" if found.holds else "⚠ "
    return html.table(f"{mark}{found.summary}", (), [_cells(row) for row in found.ranked[:MOST_ROWS]], left=2,
                      note=f"{more} more, all below" if more > 0 else "", look=html.PANEL)


def _cells(row: VerdictRow) -> list[str]:
    r, g, b = (int(part) for part in shades(row.utilisation))
    joint = html.marked(row.joint, f"rgb({r},{g},{b})")
    return [joint, f"{row.part}, {row.named_check}", f"{percent(row.utilisation)}{'' if row.holds else ' ⚠'}"]


# What went wrong, said where it is seen; and what is shown, at the top of the panel.


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
