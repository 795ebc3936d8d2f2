"""Sliders for every freedom, and buttons for home, reset and a random pose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.viewer.layers.bodies import ROOT, wxyz_of
from loadpath.viewer.stage import Layer
from loadpath.viewer.subject import stopped

if TYPE_CHECKING:
    from collections.abc import Callable

    from loadpath.scalars.types import Floats
    from loadpath.viewer.moving import Control, Moved
    from loadpath.viewer.stage import Frame, Stage, State


EVERY = 0.1
"""s: sliders follow a motion no more often; the robot itself does."""


class Pose(Layer):
    """The sliders."""

    tabs = ("Pose",)

    def build(self, stage: Stage) -> None:
        super().build(stage)
        gui, moving = stage.server.gui, stage.subject.moving
        self.draw_from = np.random.default_rng()
        self.sliders: list[tuple[Control, Any]] = []
        with stage.tab("Pose"):
            buttons = gui.add_button_group("pose", ("home", "start", "random"))
            buttons.on_click(lambda event: self.press(event.target.value))
            if not moving.controls:
                gui.add_markdown("No joint of this robot moves.")
            for control in moving.controls:
                slider = gui.add_slider(control.label, *control.ends, control.step, control.shown(stage.start.q))
                slider.on_update(self._moved(control, slider))
                self.sliders.append((control, slider))
        for label, key, pose in (("Home", "H", "home"), ("Random pose", "R", "random"), ("Start pose", "S", "start")):
            command = gui.add_command(label, hotkey=key)
            command.on_trigger(lambda _, pose=pose: self.press(pose))

    def press(self, pose: str) -> None:
        """Go home, to where the viewer began, or anywhere."""
        moving, start = self.stage.subject.moving, self.stage.start
        if pose == "random":
            self._ask("pose", lambda state: moving.random(state.q, self.draw_from))
        else:
            q: Floats = moving.home if pose == "home" else start.q
            self.stage.change("pose", lambda state: stopped(state, q))

    def _moved(self, control: Control, slider: Any) -> Callable[[Any], None]:
        moving = self.stage.subject.moving

        def callback(event: Any) -> None:
            if event.client is not None:  # a person moved it, not a motion that plays
                value = float(slider.value)
                self._ask(f"slider {control.name}", lambda state: moving.put(state.q, control, value))

        return callback

    def _ask(self, by: str, move: Callable[[State], Moved]) -> None:
        def change(state: State) -> State:
            self.drawn_at = -np.inf  # what cannot be reached springs back at once
            return stopped(state, move(state).q)

        self.stage.change(by, change)

    def draw(self, frame: Frame) -> None:
        if not self.due(frame, EVERY):
            return
        for control, slider in self.sliders:
            value = control.shown(frame.state.q)
            if abs(value - slider.value) > 0.25 * control.step:
                slider.value = value


# The gizmo on the tip: drag or turn it, and the robot follows by inverse kinematics, within its limits.


class Tip(Layer):
    """The gizmo."""

    tabs = ("Pose",)

    def build(self, stage: Stage) -> None:
        super().build(stage)
        subject, gui = stage.subject, stage.server.gui
        self.dragged = False
        with stage.tab("Pose"), gui.add_folder("Tip", expand_by_default=False):
            self.shown = gui.add_checkbox("gizmo", False, hint="Drag the arrows or rings at the tip in the scene.")
            self.link = gui.add_dropdown("link", subject.ends, initial_value=subject.ends[0])
            self.position_only = gui.add_checkbox("position only", False)
        self.gizmo = stage.server.scene.add_transform_controls(
            f"{ROOT}/tip", scale=0.18 * subject.size, visible=False, depth_test=False, line_width=3.0
        )
        self.gizmo.on_update(self._dragged)
        stage.redraw_on(self.shown, self.link)

    def _dragged(self, event: Any) -> None:
        self.dragged = event.phase != "end"  # while it is in the hand, it stays there, whatever the robot reaches
        self.follow()

    def follow(self) -> None:
        """Bring the tip to the gizmo."""
        pose = pose_from(self.gizmo)
        link, turn = str(self.link.value), not self.position_only.value

        def change(state: State) -> State:
            return stopped(state, self.stage.subject.moving.reach(state.q, link, pose, turn=turn).q)

        self.stage.change("tip", change)

    def draw(self, frame: Frame) -> None:
        self.gizmo.visible = bool(self.shown.value)
        if not self.shown.value or self.dragged:
            return
        pose = frame.poses[self.stage.subject.robot.link_names.index(self.link.value)]
        self.gizmo.position, self.gizmo.wxyz = pose[:3, 3], wxyz_of(pose[:3, :3])


def pose_from(handle: Any) -> Floats:
    """(4, 4): where a node of the scene is."""
    from scipy.spatial.transform import Rotation

    pose = np.eye(4)
    w, x, y, z = handle.wxyz
    pose[:3, :3] = Rotation.from_quat([x, y, z, w]).as_matrix()
    pose[:3, 3] = handle.position
    return pose
