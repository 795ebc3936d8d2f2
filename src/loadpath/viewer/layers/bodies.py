"""The links: their meshes, or what the kinematics say of them; the browser moves each by its pose."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadpath.drawing.robot_figure import RADIUS, joint_solid
from loadpath.drawing.scene import Solid, ball, prism, together
from loadpath.drawing.skeleton import Pin, apart, free_end, outline_of
from loadpath.quantities.carriers import Carrier, carriers
from loadpath.robot.estimated import DrawnShape, drawn_shapes
from loadpath.robot.joints.base import quaternions_of
from loadpath.robot.loops import Loop
from loadpath.robot.model import RobotModel
from loadpath.robot.pose import Pose
from loadpath.robot.shapes import Color as Shade
from loadpath.scalars.types import Floats
from loadpath.viewer.colors import BODY, JOINT, Color, rgb
from loadpath.viewer.stage import Layer

if TYPE_CHECKING:
    from loadpath.viewer.stage import Frame, Stage


# The shapes of links as surfaces of one colour each: what the browser draws of boxes, cylinders and meshes.


MOST_TRIANGLES = 60_000
"""Triangles of a surface whose edges are looked at; larger ones are fine enough as they are."""


class DrawnPiece(NamedTuple):
    """A surface of one colour, in the frame of its link."""

    points: Floats
    triangles: NDArray[np.int64]
    color: Color
    opacity: float


def pieces_of(robot: RobotModel) -> tuple[dict[str, list[DrawnPiece]], list[str]]:
    """The visible shapes of every link that has any, and the links that have shapes none of which can be drawn.

    >>> import loadpath as lp
    >>> box = lp.BoxShape((0.4, 0.1, 0.1), color=(1, 0, 0))
    >>> found, missing = pieces_of(lp.Robot("box", (lp.Link("base", shapes=[box]),), ()))
    >>> found["base"][0].color, missing
    ((255, 0, 0), [])
    """
    # Shapes to be touched are often rough: they are drawn only of robots that have nothing else.
    seen = any(shape.purpose == "visual" for link in robot.links for shape in link.shapes)
    drawn = drawn_shapes(robot.links, "visual" if seen else None)
    found = {name: [piece for shape in shapes for piece in _pieces(shape)] for name, shapes in drawn.items()}
    without = [link.name for link in robot.links if link.shapes and not found[link.name]
               and (not seen or any(shape.purpose == "visual" for shape in link.shapes))]
    return {name: pieces for name, pieces in found.items() if pieces}, without


def _pieces(drawn: DrawnShape) -> Iterator[DrawnPiece]:
    surface = drawn.triangles
    if drawn.shape.color is not None or surface.colors is None:
        yield _piece(surface.vertices, surface.faces, drawn.shape.color)
        return
    shades, number = np.unique(np.round(surface.colors, 3), axis=0, return_inverse=True)
    for k, shade in enumerate(shades):
        r, g, b, opacity = (float(part) for part in shade)
        yield _piece(surface.vertices, surface.faces[number.reshape(-1) == k], (r, g, b, opacity))


def _piece(points: Floats, faces: NDArray[np.int64], shade: Shade | None) -> DrawnPiece:
    """A surface, with edges that are drawn sharp where it has them: corners of its own for each side of them."""
    import trimesh

    mesh = trimesh.Trimesh(points, faces, process=True)
    if len(faces) < MOST_TRIANGLES:
        mesh = mesh.smooth_shaded
    color, opacity = rgb(BODY), 1.0
    if shade is not None:
        r, g, b, opacity = shade
        color = round(255 * r), round(255 * g), round(255 * b)
    return DrawnPiece(np.asarray(mesh.vertices, dtype=float), np.asarray(mesh.faces, dtype=np.int64), color, opacity)


# Links without a shape, drawn from the kinematics: tubes between the joints of a link, and the joints as solids. All
# in the frame of the link, so that the browser moves them; only what slides is longer or shorter in every picture.


TUBE = 0.6
"""Radius of a link, of that of a joint."""


class Ends(NamedTuple):
    """What a joint or loop joins: two links, and where it is on each."""

    first: str
    second: str
    at: Pose
    on: Pose


def ends_of_carrier(carrier: Carrier) -> Ends:
    """The links that a joint or loop joins, and its frames on them."""
    if isinstance(carrier, Loop):
        return Ends(carrier.first, carrier.second, carrier.at, carrier.on)
    return Ends(carrier.parent, carrier.child, carrier.origin, carrier.link_offset.inverse())


class Skeleton(NamedTuple):
    """A link as surfaces in its frame."""

    tubes: Solid | None
    joints: Solid | None


def skeletons(robot: RobotModel, size: float) -> dict[str, Skeleton]:
    """Every link as tubes, with the joints that it hangs on.

    >>> import loadpath as lp
    >>> found = skeletons(lp.catalog.planar(2), 2.0)
    >>> float(found["link1"].tubes.points[:, 0].max().round(3)), found["tip"].joints is None
    (1.026, True)
    """
    radius = RADIUS * size
    points: dict[str, list[Floats]] = {name: [] for name in robot.link_names}
    pins: dict[str, list[Solid]] = {name: [] for name in robot.link_names}
    for carrier in carriers(robot):
        ends = ends_of_carrier(carrier)
        points[ends.first].append(ends.at.p)
        points[ends.second].append(ends.on.p)
        if carrier.motion.dof:
            direction = carrier.motion.axis_direction()
            axis = None if direction is None else ends.on.R @ np.array(direction)
            pin = Pin(carrier.name, ends.on.p, np.zeros(3), True, isinstance(carrier, Loop), axis,
                      any(carrier.motion.angular))
            pins[ends.second].append(joint_solid(pin, radius))
    found = {}
    for name, places in points.items():
        if len(apart(np.array(places).reshape(-1, 3))) < 2:
            places.extend([np.zeros(3)] if name == robot.base.name else free_end(robot, name, np.eye(4)))
        tubes = list(_tubes(outline_of(np.array(places).reshape(-1, 3)), TUBE * radius))
        joints = pins[name]
        found[name] = Skeleton(together(tubes) if tubes else None, together(joints) if joints else None)
    return found


def _tubes(outline: Floats, radius: float) -> Iterator[Solid]:
    for start, end in pairwise(outline):
        yield prism(0.5 * (start + end), end - start, radius, float(np.linalg.norm(end - start)), sides=12)
    if len(outline) > 1:
        for corner in outline:
            yield ball(corner, radius, sides=8)


def sliding(robot: RobotModel) -> list[Carrier]:
    """Joints and loops that can slide: between their two frames there is a rod.

    >>> import loadpath as lp
    >>> [joint.name for joint in sliding(lp.catalog.lau_arm())]
    ['d2']
    """
    return [carrier for carrier in carriers(robot) if carrier.motion.dof and not all(carrier.motion.angular)]


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
        pieces, without = pieces_of(robot) if self.shapes else ({}, [])
        bare = skeletons(robot, stage.subject.size)
        self.nodes: list[Any] = []
        self.meshes: list[Any] = []
        for k, link in enumerate(robot.link_names):
            self.nodes.append(scene.add_frame(node_of(k), show_axes=False))
            for i, piece in enumerate(pieces.get(link, ())):
                self._add(f"{node_of(k)}/shape{i}", piece)
            if not pieces or link in without:
                for i, (solid, color) in enumerate(((bare[link].tubes, BODY), (bare[link].joints, JOINT))):
                    if solid is not None:
                        piece = DrawnPiece(solid.points, solid.triangles, rgb(color), 1.0)
                        self._add(f"{node_of(k)}/bare{i}", piece, flat=color == JOINT)
        self.rods = [] if pieces else [(carrier, self._rod(k)) for k, carrier in enumerate(sliding(robot))]
        self.meant = [mesh.opacity for mesh in self.meshes]
        self._sent: Floats = np.full((len(self.nodes), 7), np.nan)
        with stage.tab("View"):
            # Through bodies that are a little transparent, arrows at the joints inside them are seen.
            # Beams that bend are drawn in place of links that do not.
            share = 0.3 if stage.subject.arm is not None else 0.75 if pieces else 1.0
            self.opacity = stage.server.gui.add_slider("opacity of links", 0.05, 1.0, 0.05, share)
            self.opacity.on_update(lambda _: self.refade())
        self.refade()

    def _add(self, name: str, piece: DrawnPiece, flat: bool = False) -> None:
        mesh = self.stage.server.scene.add_mesh_simple(
            name, piece.points, piece.triangles, color=piece.color, opacity=piece.opacity, side="double",
            flat_shading=flat, cast_shadow=False, receive_shadow=False,
        )
        self.meshes.append(mesh)

    def _rod(self, number: int) -> Any:
        z, radius = np.array([0.0, 0.0, 1.0]), 0.4 * RADIUS * self.stage.subject.size
        body = prism(0.5 * z, z, radius, 1.0, sides=12)
        self._add(f"{ROOT}/rods/{number}", DrawnPiece(body.points, body.triangles, rgb(JOINT), 1.0))
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
