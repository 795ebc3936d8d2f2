"""The links: their meshes, or what the kinematics say of them; the browser moves each by its pose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.drawing.colors import JOINT, rgb
from loadpath.drawing.robot_figure import RADIUS
from loadpath.drawing.scene import ball, prism
from loadpath.drawing.surfaces import Surface, bodies_of, ends_of_carrier, sliding
from loadpath.quantities.carriers import carriers
from loadpath.robot.joints.base import quaternions_of
from loadpath.scalars.types import Floats
from loadpath.viewer.stage import Layer

if TYPE_CHECKING:
    from loadpath.viewer.stage import Frame, Stage


MOST_TRIANGLES = 60_000
"""Triangles of a surface whose edges are looked at; larger ones are fine enough as they are."""


def sharp(surface: Surface) -> Surface:
    """A surface with edges that are drawn sharp where it has them: corners of its own for each side of them."""
    import trimesh

    mesh = trimesh.Trimesh(surface.points, surface.triangles, process=True)
    if len(surface.triangles) < MOST_TRIANGLES:
        mesh = mesh.smooth_shaded
    points, triangles = np.asarray(mesh.vertices, dtype=float), np.asarray(mesh.faces, dtype=np.int64)
    return surface._replace(points=points, triangles=triangles)


# What slides is drawn as a rod between the two frames of the joint, longer or shorter in every picture.


ROOT = "/robot"
"""The node that everything of the robot hangs on: a rover drives by it."""


def node_of(link: int) -> str:
    """The node of a link, by its number: names from files may have any letters."""
    return f"{ROOT}/links/{link}"


def wxyz_of(turns: Floats) -> Floats:
    """(..., 4): quaternions in the order of the browser."""
    return np.roll(quaternions_of(turns), 1, axis=-1)


class Bodies(Layer):
    """The links of the robot."""

    tabs = ("View",)

    def __init__(self, shapes: bool = True) -> None:
        self.shapes = shapes

    def build(self, stage: Stage) -> None:
        super().build(stage)
        robot, scene = stage.subject.robot, stage.server.scene
        scene.add_frame(ROOT, show_axes=False)
        bodies, shaped = bodies_of(robot, stage.subject.size, self.shapes, bolted=stage.subject.rover is None)
        self.nodes: list[Any] = []
        self.meshes: list[Any] = []
        for k, link in enumerate(robot.link_names):
            self.nodes.append(scene.add_frame(node_of(k), show_axes=False))
            for i, surface in enumerate(bodies.get(link, ())):
                self._add(f"{node_of(k)}/shape{i}", surface if surface.flat else sharp(surface))
        self.rods = [] if shaped else [(carrier, self._rod(k)) for k, carrier in enumerate(sliding(robot))]
        self.meant = [mesh.opacity for mesh in self.meshes]
        self._sent: Floats = np.full((len(self.nodes), 7), np.nan)
        with stage.tab("View"):
            # Through bodies that are a little transparent, arrows at the joints inside them are seen.
            # Beams that bend are drawn in place of links that do not.
            share = 0.3 if stage.subject.arm is not None else 0.75 if shaped else 1.0
            self.opacity = stage.server.gui.add_slider("opacity of links", 0.05, 1.0, 0.05, share)
            self.opacity.on_update(lambda _: self.refade())
        self.refade()

    def _add(self, name: str, surface: Surface) -> None:
        mesh = self.stage.server.scene.add_mesh_simple(
            name, surface.points, surface.triangles, color=surface.color, opacity=surface.opacity, side="double",
            flat_shading=surface.flat, cast_shadow=False, receive_shadow=False,
        )
        self.meshes.append(mesh)

    def _rod(self, number: int) -> Any:
        z, radius = np.array([0.0, 0.0, 1.0]), 0.4 * RADIUS * self.stage.subject.size
        body = prism(0.5 * z, z, radius, 1.0, sides=12)
        self._add(f"{ROOT}/rods/{number}", Surface(body.points, body.triangles, rgb(JOINT)))
        return self.meshes[-1]

    def refade(self) -> None:
        """Make the links as transparent as is asked for."""
        share = float(self.opacity.value)
        for mesh, meant in zip(self.meshes, self.meant, strict=True):
            own = 1.0 if meant is None else meant
            mesh.opacity = None if share * own >= 1.0 else share * own

    def draw(self, frame: Frame) -> None:
        values = np.concatenate([frame.poses[:, :3, 3], wxyz_of(frame.poses[:, :3, :3])], axis=1)
        if not np.isfinite(values).all():
            raise ValueError("a state that is to be drawn has a NaN or an infinite number")
        changed = values != self._sent
        for k in np.flatnonzero(changed[:, :3].any(axis=1)):
            self.nodes[k].position = values[k, :3]
        for k in np.flatnonzero(changed[:, 3:].any(axis=1)):
            self.nodes[k].wxyz = values[k, 3:]
        self._sent = values
        self._draw_rods(frame)

    def _draw_rods(self, frame: Frame) -> None:
        names = self.stage.subject.robot.link_names
        for carrier, rod in self.rods:
            ends = ends_of_carrier(carrier)
            start = (frame.poses[names.index(ends.first)] @ ends.at.matrix)[:3, 3]
            end = (frame.poses[names.index(ends.second)] @ ends.on.matrix)[:3, 3]
            length = float(np.linalg.norm(end - start))
            rod.visible = length > 1e-9
            if rod.visible:
                rod.position, rod.wxyz = start, wxyz_of(turned_to((end - start) / length))
                rod.scale = (1.0, 1.0, length)


def turned_to(direction: Floats) -> Floats:
    """(3, 3): a rotation that brings z to a direction."""
    aside = np.eye(3)[int(np.argmin(np.abs(direction)))]
    x = np.cross(aside, direction)
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(direction, x), direction], axis=-1)


# What closes the loops of a robot: a ring of another colour about every pin, and its name.


LOOP_COLOR, LOOP_RADIUS = (204, 121, 167), 0.03


class Loops(Layer):
    """Marks at the joints that close loops."""

    tabs = ("View",)

    def build(self, stage: Stage) -> None:
        super().build(stage)
        loops = stage.subject.robot.loops
        self.rows = range(len(carriers(stage.subject.robot)) - len(loops), len(carriers(stage.subject.robot)))
        with stage.tab("View"):
            self.shown = stage.server.gui.add_checkbox("names of what closes loops", False)
            stage.redraw_on(self.shown)
        body = ball(np.zeros(3), LOOP_RADIUS * stage.subject.size, sides=10)
        self.marks = [
            stage.server.scene.add_mesh_simple(f"{ROOT}/loops/{k}", body.points, body.triangles, color=LOOP_COLOR,
                                               opacity=0.45, cast_shadow=False, receive_shadow=False)
            for k in range(len(loops))
        ]
        self.names = [stage.server.scene.add_label(f"{ROOT}/loops/{k}/name", loop.name, visible=False)
                      for k, loop in enumerate(loops)]

    def draw(self, frame: Frame) -> None:
        for row, mark, name in zip(self.rows, self.marks, self.names, strict=True):
            mark.position = frame.joints[row, :3, 3]
            name.visible = bool(self.shown.value)
