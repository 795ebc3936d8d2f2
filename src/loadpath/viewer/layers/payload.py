"""A payload: a mass on a link, by a slider. Wrenches are linear in it, so nothing is compiled for another mass."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from loadpath.drawing.solids import ball
from loadpath.viewer.colors import OF_CAUSES, rgb
from loadpath.viewer.layer import Layer
from loadpath.viewer.layers.bodies import ROOT
from loadpath.viewer.state import Load

if TYPE_CHECKING:
    from loadpath.viewer.stage import Stage
    from loadpath.viewer.state import Frame

RADIUS = 0.05
"""Of the ball of the largest mass, of the robot's size."""


class Payload(Layer):
    """The slider of the payload's mass."""

    tabs = ("Loads",)

    def build(self, stage: Stage) -> None:
        super().build(stage)
        gui, subject = stage.server.gui, stage.subject
        self.most = _most(sum(link.inertia.mass for link in subject.robot.links))
        with stage.tab("Loads"), gui.add_folder("Payload", expand_by_default=False):
            self.mass = gui.add_slider("mass (kg)", 0.0, self.most, self.most / 1000, 0.0)
            self.link = gui.add_dropdown("on link", subject.robot.link_names[1:] or subject.robot.link_names,
                                         initial_value=subject.ends[0])
        for chooser in (self.mass, self.link):
            chooser.on_update(lambda _: self.put())
        body = ball(np.zeros(3), 1.0, sides=10)
        self.ball = stage.server.scene.add_mesh_simple(
            f"{ROOT}/payload", body.points, body.triangles, color=rgb(OF_CAUSES["payload"]), opacity=0.6, visible=False,
            cast_shadow=False, receive_shadow=False, scale=RADIUS * subject.size,
        )

    def put(self) -> None:
        """Ask for the payload that is chosen."""
        mass, link = float(self.mass.value), str(self.link.value)
        payload = Load(link, mass) if mass > 0 else None
        self.stage.change("payload", lambda state: replace(state, payload=payload))

    def draw(self, frame: Frame) -> None:
        payload = frame.state.payload
        if payload is not None:
            self.ball.position = frame.poses[self.stage.subject.robot.link_names.index(payload.link), :3, 3]
            share = min(payload.mass / self.most, 1.0) ** (1 / 3)
            self.ball.scale = max(share, 0.1) * RADIUS * self.stage.subject.size
        self.ball.visible = payload is not None  # last: never seen in another size


def _most(mass: float) -> float:
    """A round number about as large as the robot's own mass.

    >>> _most(18.0), _most(0.3), _most(0.0)
    (20.0, 0.5, 1.0)
    """
    if mass <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(mass))
    return next(step * power for step in (1.0, 2.0, 5.0, 10.0) if step * power >= mass)
