"""Arrows of force and torque at every joint, by the parent on the child; a torque has two heads."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.quantities.carriers import carriers
from loadpath.viewer import colors
from loadpath.viewer.arrows import LONGEST, ArrowScale, arrows, in_world, part_of
from loadpath.viewer.layer import Layer
from loadpath.viewer.layers.bodies import ROOT
from loadpath.viewer.layers.choice import ALL, EACH, FORCE, TORQUE, TOTAL, LoadChoice

if TYPE_CHECKING:
    from loadpath.scalars.types import Floats
    from loadpath.viewer.stage import Stage
    from loadpath.viewer.state import Frame

HEAD, SMALL = 0.045, 0.3
"""Length of a head, of the robot's size; of that, the heads of short arrows."""
UNITS = {FORCE: "N", TORQUE: "N m"}
OF_TOTAL = {FORCE: colors.FORCE, TORQUE: colors.TORQUE}


class Arrows(Layer):
    """The arrows of the loads that are chosen."""

    tabs = ("Loads",)

    def __init__(self, choice: LoadChoice) -> None:
        self.choice = choice

    def build(self, stage: Stage) -> None:
        super().build(stage)
        self.names = stage.subject.robot.closed_joint_names
        along = [carrier.motion.axis_direction() for carrier in carriers(stage.subject.robot)]
        self.along: Floats = np.array([(0.0, 0.0, 0.0) if one is None else one for one in along]).reshape(-1, 3)
        self.handles: dict[tuple[str, str, bool], Any] = {}
        self.drawn: dict[tuple[str, str], Floats] = {}
        """(arrows, 2, 3) by quantity and cause: what the browser shows, before it is rounded to single precision."""
        with stage.tab("Loads"):
            gui = stage.server.gui
            self.length = gui.add_slider("length of arrows", 0.1, 4.0, 0.1, 1.0)
            self.length.on_update(lambda _: self.fit())
            button = gui.add_button("Fit arrows", hint="The largest load shown gets the longest arrow.")
            button.on_click(lambda _: self.fit())
            self.legend = gui.add_html("")
        self.fit(draw=False)

    def fit(self, draw: bool = True) -> None:
        """Scale anew from what is shown."""
        longest = LONGEST * self.stage.subject.size * float(self.length.value)
        self.scales = {FORCE: ArrowScale(longest), TORQUE: ArrowScale(longest)}
        if draw:
            self.stage.refresh()

    def draw(self, frame: Frame) -> None:
        wanted = {} if frame.loads is None or not self.names else self._vectors(frame)
        for (quantity, _), vectors in wanted.items():
            self.scales[quantity].see(vectors)
        head, origins = HEAD * self.stage.subject.size, frame.joints[self._rows(), :3, 3]
        self.drawn = {key: arrows(origins, vectors, self.scales[key[0]], 2 if key[0] == TORQUE else 1, head)
                      for key, vectors in wanted.items()}
        for key, handle in self.handles.items():
            handle.visible = key[:2] in self.drawn
        for (quantity, cause), points in self.drawn.items():
            length = np.linalg.norm(points[:, 1] - points[:, 0], axis=-1)
            for small in (False, True):
                some = points[(length < 2 * head) == small]
                self._show(quantity, cause, small, some)
        self._draw_legend(wanted)

    def _rows(self) -> list[int]:
        chosen = self.choice.joint.value
        return list(range(len(self.names))) if chosen == ALL else [self.names.index(chosen)]

    def _vectors(self, frame: Frame) -> dict[tuple[str, str], Floats]:
        """(joints, 3) in world axes, by quantity and cause."""
        assert frame.loads is not None
        rows, cause = self._rows(), self.choice.cause.value
        turns, along = frame.joints[rows, :3, :3], self.along[rows]
        by_cause = frame.loads.by_cause
        if cause == TOTAL:
            wrenches = {TOTAL: frame.loads.total}
        elif cause == EACH:
            wrenches = dict(by_cause)
        else:
            wrenches = {cause: by_cause[cause]} if cause in by_cause else {}
        found = {}
        for name, wrench in wrenches.items():
            shown = part_of(in_world(turns, wrench[rows]), self.choice.component.value, self.choice.axes.value, turns,
                            along)
            for quantity in self.choice.quantities:
                found[quantity, name] = shown[:, (FORCE, TORQUE).index(quantity)]
        return found

    def _show(self, quantity: str, cause: str, small: bool, points: Floats) -> None:
        key = (quantity, cause, small)
        if key in self.handles:
            handle = self.handles[key]
            handle.visible = len(points) > 0
            if len(points):
                handle.points = points.astype(np.float32)
        elif len(points):
            size = self.stage.subject.size * (SMALL if small else 1.0)
            color = OF_TOTAL[quantity] if cause == TOTAL else colors.OF_CAUSES[cause]
            self.handles[key] = self.stage.server.scene.add_arrows(
                f"{ROOT}/loads/{quantity}/{cause}/{'short' if small else 'long'}", points.astype(np.float32),
                colors.linear(colors.rgb(color)), shaft_radius=0.007 * size, head_radius=0.018 * size,
                head_length=HEAD * size,
            )

    def _draw_legend(self, wanted: dict[tuple[str, str], Floats]) -> None:
        causes = list(dict.fromkeys(cause for _, cause in wanted))
        lines = []
        for quantity in self.choice.quantities:
            scale = self.scales[quantity]
            heads = "➤" if quantity == FORCE else "➤➤"
            color = f"color:{OF_TOTAL[quantity]}" if causes == [TOTAL] else ""
            words = f"100 mm is {0.1 / scale.factor:.3g} {UNITS[quantity]}" if scale.factor else "none"
            lines.append(f'<span style="{color}">{heads} {quantity}</span>: {words}')
        if causes != [TOTAL]:
            lines += [f'<span style="color:{colors.OF_CAUSES[cause]}">■</span> {escape(cause)}' for cause in causes]
        text = '<div style="font-size:0.85em;padding:0 0.75em">' + "<br>".join(lines) + "</div>"
        if text != self.caption:
            self.legend.content = self.caption = text
