"""Does everything hold over the motion? The verdict on limits, parts and beams, when it is asked for."""

from __future__ import annotations

import warnings
from html import escape
from typing import TYPE_CHECKING

from loadpath.viewer.colors import shades
from loadpath.viewer.layer import Layer

if TYPE_CHECKING:
    from loadpath.parts.verdict.result import Verdict, VerdictRow
    from loadpath.viewer.layers.player import Player
    from loadpath.viewer.stage import Stage

MOST = 30
"""Checks that are listed, the worst first."""


class VerdictOverMotion(Layer):
    """A button, and the table that it fills."""

    tabs = ("Use",)

    def __init__(self, player: Player) -> None:
        self.player = player

    def build(self, stage: Stage) -> None:
        super().build(stage)
        if self.player.motion is None:
            return
        gui = stage.server.gui
        with stage.tab("Use"):
            self.button = gui.add_button("Verdict over the motion", hint="Limits, parts and beams, without the payload "
                                         "and the force of this page.")  # fmt: skip
            self.table = gui.add_html("")
        self.button.on_click(lambda _: self.judge())

    def judge(self) -> None:
        """Examine the motion; it may take a while, in a thread of its own."""
        assert self.player.motion is not None
        subject = self.stage.subject
        self.button.disabled = True
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                owner = subject.robot if subject.rover is None else subject.rover
                found = owner.verdict(self.player.motion.source, external=self.stage.start.always)
            self.table.content = table(found)
        except ValueError as problem:
            self.table.content = f'<div style="padding:0 0.75em">⚠ {escape(str(problem))}</div>'
        finally:
            self.button.disabled = False


def table(found: Verdict) -> str:
    """HTML: the checks, the worst first."""
    rows = found.ranked
    left = f"<br>{len(rows) - MOST} more, all below" if len(rows) > MOST else ""
    mark = "" if found.holds else "⚠ "
    return (f'<div style="font-size:0.78em;padding:0 0.75em"><b>{mark}{escape(found.summary)}</b>'
            f'<table style="width:100%">'
            f"{''.join(_line(row) for row in rows[:MOST])}</table>{left}</div>")  # fmt: skip


def _line(row: VerdictRow) -> str:
    r, g, b = (int(part) for part in shades(row.utilisation))
    mark = f'<span style="color:rgb({r},{g},{b})">■</span>'
    beyond = "" if row.holds else " ⚠"
    return (f"<tr><td>{mark} {escape(row.joint)}</td><td>{escape(row.part)}, {escape(row.check)}</td>"
            f'<td style="text-align:right">{100 * row.utilisation:.0f} %{beyond}</td></tr>')  # fmt: skip
