"""What closes the loops of a robot: a ring of another colour about every pin, and its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from loadpath.drawing.solids import ball
from loadpath.quantities.carriers import carriers
from loadpath.viewer.layer import Layer
from loadpath.viewer.layers.bodies import ROOT

if TYPE_CHECKING:
    from loadpath.viewer.stage import Stage
    from loadpath.viewer.state import Frame

COLOR, RADIUS = (204, 121, 167), 0.03


class Loops(Layer):
    """Marks at the joints that close loops."""

    tabs = ("View",)

    def build(self, stage: Stage) -> None:
        super().build(stage)
        loops = stage.subject.robot.loops
        self.rows = range(len(carriers(stage.subject.robot)) - len(loops), len(carriers(stage.subject.robot)))
        with stage.tab("View"):
            self.shown = stage.server.gui.add_checkbox("names of what closes loops", False)
            self.shown.on_update(lambda _: stage.refresh())
        body = ball(np.zeros(3), RADIUS * stage.subject.size, sides=10)
        self.marks = [
            stage.server.scene.add_mesh_simple(f"{ROOT}/loops/{k}", body.points, body.triangles, color=COLOR,
                                               opacity=0.45, cast_shadow=False, receive_shadow=False)
            for k in range(len(loops))
        ]
        self.names = [stage.server.scene.add_label(f"{ROOT}/loops/{k}/name", loop.name, visible=False)
                      for k, loop in enumerate(loops)]

    def draw(self, frame: Frame) -> None:
        for row, mark, name in zip(self.rows, self.marks, self.names, strict=True):
            mark.position = frame.joints[row, :3, 3]
            name.visible = bool(self.shown.value)
