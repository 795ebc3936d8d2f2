"""The single causes of the chosen joint's load: which link weighs, which joint accelerates, which two turn at once."""

from __future__ import annotations

import warnings
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.viewer.layer import Layer
from loadpath.viewer.layers.choice import LoadChoice
from loadpath.viewer.layers.numbers import number

if TYPE_CHECKING:
    from loadpath.scalars.types import Floats
    from loadpath.viewer.stage import Stage
    from loadpath.viewer.state import Frame

SHOWN = 8


class SingleCauses(Layer):
    """The largest terms of `load_breakdown`, of a robot that stands or a motion that is paused."""

    tabs = ("Loads",)

    def __init__(self, choice: LoadChoice) -> None:
        self.choice = choice

    def build(self, stage: Stage) -> None:
        super().build(stage)
        with stage.tab("Loads"):
            hint = "Which links, joints and pairs of joints; of a motion, when it is paused."
            self.shown = stage.server.gui.add_checkbox("single causes", False, hint=hint)
            self.list = stage.server.gui.add_html("", visible=False)
        self.shown.on_update(lambda _: stage.refresh())

    def draw(self, frame: Frame) -> None:
        self.list.visible = bool(self.shown.value) and not frame.plays and frame.loads is not None
        if self.list.visible:
            joint = self.choice.selected
            try:
                found = self.terms(frame, joint)
                more = f"{len(found) - SHOWN} more" if len(found) > SHOWN else ""
            except ValueError as refused:  # as of loops with beams
                found, more = [], escape(str(refused))
            lines = "".join(_line(name, six) for name, six in found[:SHOWN])
            text = (f'<div style="font-size:0.72em;padding:0 0.75em"><b>{escape(joint)}</b>, by torque'
                    f'<table style="width:100%">{lines}</table>{more}</div>')
            if text != self.list.content:
                self.list.content = text

    def terms(self, frame: Frame, joint: str) -> list[tuple[str, Floats]]:
        """Causes and their wrenches (6,), the largest torque first; of equal ones the larger force."""
        state = frame.state
        options: dict[str, Any] = dict(self.stage.subject.case(state.base))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = self.stage.subject.robot.load_breakdown(
                state.q, state.qd, state.qdd, external=frame.acting or None, compiled=False, **options
            )
        terms = []
        for name, wrench in found.by_cause(joint).items():
            terms.append((name, np.concatenate([np.asarray(wrench.force), np.asarray(wrench.torque)])))
        return sorted(terms, key=lambda term: (-np.linalg.norm(term[1][3:]), -np.linalg.norm(term[1][:3])))


def _line(name: str, six: Floats) -> str:
    force, torque = (number(float(np.linalg.norm(part))) for part in (six[:3], six[3:]))
    return (f"<tr><td>{escape(name)}</td><td style='text-align:right'>{force} N</td>"
            f"<td style='text-align:right'>{torque} N m</td></tr>")
