"""The gizmo on the tip: drag or turn it, and the robot follows by inverse kinematics, within its limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.viewer.layer import Layer
from loadpath.viewer.layers.bodies import ROOT, wxyz_of
from loadpath.viewer.subject import stopped

if TYPE_CHECKING:
    from loadpath.scalars.types import Floats
    from loadpath.viewer.stage import Stage
    from loadpath.viewer.state import Frame, State


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
        for chooser in (self.shown, self.link):
            chooser.on_update(lambda _: stage.refresh())

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
