"""A force on a link, to drag in the scene: the arrow from the link's origin to the handle is the force."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.drawing.colors import OF_CAUSES, linear, rgb
from loadpath.drawing.scene import ball
from loadpath.viewer.layers.arrows import LONGEST_ARROW
from loadpath.viewer.layers.bodies import ROOT
from loadpath.viewer.stage import Layer, Load
from loadpath.viewer.stage import Pull as PullOf

if TYPE_CHECKING:
    from loadpath.viewer.stage import Frame, Stage


# A payload: a mass on a link, by a slider. Wrenches are linear in it, so nothing is compiled for another mass.


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


MOST_FORCES = 1000.0
"""Times the robot's weight: no larger force is dragged or typed."""


class Pull(Layer):
    """The force that is dragged."""

    tabs = ("Loads",)

    def build(self, stage: Stage) -> None:
        super().build(stage)
        gui, subject = stage.server.gui, stage.subject
        weight = 9.81 * sum(link.inertia.mass for link in subject.robot.links)
        self.largest = _most(weight)
        """N: as long as the longest arrow of a load."""
        self.arrow: Any = None
        with stage.tab("Loads"), gui.add_folder("External force", expand_by_default=False):
            self.shown = gui.add_checkbox("pull", False, hint="Drag the handle in the scene, or type the force.")
            self.link = gui.add_dropdown("on link", subject.robot.link_names, initial_value=subject.ends[0])
            ends = (MOST_FORCES * self.largest,) * 3
            self.force = gui.add_vector3("force (N)", (0.0, 0.0, 0.0), min=tuple(-end for end in ends), max=ends,
                                         step=self.largest / 1000)
        self.handle = stage.server.scene.add_transform_controls(
            f"{ROOT}/pull", scale=0.1 * subject.size, disable_rotations=True, depth_test=False, visible=False
        )
        self.handle.on_update(lambda _: self._dragged())
        for chooser in (self.shown, self.link, self.force):
            chooser.on_update(lambda _: self.put())

    @property
    def metres(self) -> float:
        """m of arrow for each N."""
        return LONGEST_ARROW * self.stage.subject.size / self.largest

    def _origin(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        frame = self.stage.frame
        assert frame is not None
        return frame.poses[self.stage.subject.robot.link_names.index(self.link.value), :3, 3]

    def _dragged(self) -> None:
        force = (np.asarray(self.handle.position) - self._origin()) / self.metres
        force = np.clip(force, -MOST_FORCES * self.largest, MOST_FORCES * self.largest)
        self.force.value = tuple(float(round(value, 6)) for value in force)
        self.put()

    def put(self) -> None:
        """Ask for the force that is chosen."""
        force = np.array(self.force.value, dtype=float)
        pull = PullOf(str(self.link.value), force) if self.shown.value else None
        self.stage.change("pull", lambda state: replace(state, pull=pull))

    def draw(self, frame: Frame) -> None:
        pull = frame.state.pull
        self.handle.visible = pull is not None
        if self.arrow is not None:
            self.arrow.visible = pull is not None and bool(pull.force.any())
        if pull is None:
            return
        start = frame.poses[self.stage.subject.robot.link_names.index(pull.link), :3, 3]
        end = start + pull.force * self.metres
        if np.linalg.norm(np.asarray(self.handle.position) - end) > 1e-9:
            self.handle.position = end
        if pull.force.any():
            points, size = np.array([[start, end]], dtype=np.float32), self.stage.subject.size
            if self.arrow is None:
                self.arrow = self.stage.server.scene.add_arrows(
                    f"{ROOT}/pull_arrow", points, linear(rgb(OF_CAUSES["pull"])), shaft_radius=0.01 * size,
                    head_radius=0.025 * size, head_length=0.06 * size,
                )
            else:
                self.arrow.points = points
