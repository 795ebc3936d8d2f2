"""What a rover stands on: its body and wheels, the support polygon, the zero-moment point, the load of every wheel, and
how far it is from tipping over.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from loadpath.drawing.colors import BEYOND, linear, rgb
from loadpath.drawing.scene import ball
from loadpath.mobile.drawing import body_of, radii_of, ring_of, wheels_of
from loadpath.mobile.spatial.geometry import rotation_of
from loadpath.viewer.layers.arrows import number
from loadpath.viewer.layers.bodies import ROOT, wxyz_of
from loadpath.viewer.stage import BaseMotion, Layer, padded, write

if TYPE_CHECKING:
    from loadpath.mobile.loads import WheelLoads
    from loadpath.mobile.rover import Rover
    from loadpath.mobile.stability import Stability
    from loadpath.scalars.types import Floats
    from loadpath.viewer.stage import Frame, Stage

POLYGON, POINT, NORMAL = (0, 114, 178), (0, 158, 115), (86, 180, 233)
LIFT = 0.004
"""Of the size: how far above the ground lines are drawn."""
LONGEST_ARROW = 0.35
"""Of the size: the arrow of a wheel that carries the whole weight."""


def stability_and_loads(rover: Rover, frame: Frame) -> tuple[Stability, WheelLoads]:
    """How a rover stands at one instant, and what its wheels carry."""
    state = frame.state
    base: Any = {"velocity": state.base.velocity, "acceleration": state.base.acceleration}
    states = state.q, state.qd, state.qdd
    if state.base.in_space is not None:  # a batch of one sample
        base |= {name: part[None] for name, part in base.items()} | {"in_space": state.base.in_space.free}
        states = state.q[None], state.qd[None], state.qdd[None]
    elif rover.ground.slope:
        base["heading"] = float(state.base.pose[2])
    if frame.acting and state.base.in_space is None:
        base["external"] = frame.acting
    return rover.stability(*states, **base), rover.wheel_loads(*states, **base)


class Standing(NamedTuple):
    """How a rover stands at one instant, in the frame of its base."""

    ring: Floats
    """(corners, 3): the support polygon."""
    zero_moment_point: Floats
    at: Floats
    """(contacts, 3): where the ground pushes, and how strongly (N)."""
    force: Floats
    tips: bool


def standing_of(rover: Rover, frame: Frame) -> Standing:
    """How a rover stands at one instant."""
    standing, loads = stability_and_loads(rover, frame)
    corners, zmp = ring_of(standing), np.ravel(standing.zero_moment_point)
    points = np.asarray(loads.points, dtype=float).reshape(-1, 2)
    at = np.column_stack([points, np.zeros(len(points))])
    if loads.state.free is not None:
        at = loads.state.free.frames[0, :, :, 3]
    return Standing(np.column_stack([corners, np.zeros(len(corners))]), np.array([*zmp, 0.0]), at,
                    np.asarray(loads.force, dtype=float).reshape(-1, 3), bool(np.any(standing.tips_over)))


class GroundUnderRover(Layer):
    """The rover on the ground."""

    tabs = ("Ground",)

    def __init__(self, rover: Rover) -> None:
        self.rover = rover

    def build(self, stage: Stage) -> None:
        super().build(stage)
        gui, scene, size = stage.server.gui, stage.server.scene, stage.subject.size
        with stage.tab("Ground"):
            self.summary = gui.add_html("")
            words = (("v_x (m/s)", 3.0), ("v_y (m/s)", 3.0), ("w (rad/s)", 3.0))
            rates = (("dv_x/dt (m/s^2)", 10.0), ("dv_y/dt (m/s^2)", 10.0), ("dw/dt (rad/s^2)", 10.0))
            base = stage.start.base
            self.velocity, self.acceleration = (
                [gui.add_slider(label, -most, most, most / 100, float(np.clip(value, -most, most)))
                 for (label, most), value in zip(sliders, values, strict=True)]
                for sliders, values in ((words, base.velocity), (rates, base.acceleration))
            )
            gui.add_button("Stand still").on_click(lambda _: self.stand())
        for slider in (*self.velocity, *self.acceleration):
            slider.on_update(lambda event: self.put() if event.client is not None else None)
        self.root = scene.get_handle_by_name(ROOT) or scene.add_frame(ROOT, show_axes=False)
        grid = scene.get_handle_by_name("/ground")
        if grid is not None:
            grid.wxyz = wxyz_of(self._slope)
        self.lines: dict[str, Any] = {}
        self._add_wheels(size)
        body = ball(np.zeros(3), 0.018 * size, sides=10)
        self.point = scene.add_mesh_simple(f"{ROOT}/zero_moment_point", body.points, body.triangles, color=POINT,
                                           cast_shadow=False, receive_shadow=False)
        self.weight = 9.81 * max(sum(link.inertia.mass for link in stage.subject.robot.links), 1e-9)

    def _add_wheels(self, size: float) -> None:
        scene = self.stage.server.scene
        radii = radii_of(self.rover, size)
        for k, surface in enumerate(wheels_of(self.rover, size)):
            scene.add_mesh_simple(f"{ROOT}/wheels/{k}", surface.points, surface.triangles, color=surface.color,
                                  side="double", flat_shading=True, cast_shadow=False, receive_shadow=False)
            scene.add_label(f"{ROOT}/wheels/{k}/name", self.rover.contact_names[k],
                            position=(*self.rover.base.wheels[k].position, 2.2 * radii[k]))
        body = body_of(self.rover, size)
        if body is not None:
            scene.add_mesh_simple(f"{ROOT}/body", body.points, body.triangles, color=body.color, opacity=body.opacity,
                                  flat_shading=True, cast_shadow=False, receive_shadow=False)

    def put(self) -> None:
        """Ask for the motion of the base that is chosen."""
        velocity, acceleration = (np.array([float(slider.value) for slider in sliders])
                                  for sliders in (self.velocity, self.acceleration))
        self.stage.change(
            "base", lambda state: replace(state, base=BaseMotion(velocity, acceleration, state.base.pose))
        )

    def stand(self) -> None:
        """Stop the base."""
        for slider in (*self.velocity, *self.acceleration):
            slider.value = 0.0
        self.put()

    def draw(self, frame: Frame) -> None:
        state, rover, size = frame.state, self.rover, self.stage.subject.size
        self._draw_base(state.base)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what cannot be is said in the panel
            standing, loads = stability_and_loads(rover, frame)
        corners = ring_of(standing)
        raised = LIFT * size
        ring = np.column_stack([corners, np.full(len(corners), raised)])
        self._lines("support", np.stack([ring, np.roll(ring, -1, axis=0)], axis=1),
                    rgb(BEYOND) if standing.tips_over else POLYGON, 5.0)
        zmp = np.asarray(standing.zero_moment_point, dtype=float).reshape(2)
        self.point.visible = bool(np.isfinite(zmp).all())
        if self.point.visible:
            self.point.position = (*zmp, raised)
            self.point.color = rgb(BEYOND) if standing.tips_over else POINT
        self._draw_wheel_loads(loads, raised)
        self._say(standing, loads, "" if state.base.in_space is None else state.base.in_space.words)

    def _draw_base(self, base: BaseMotion) -> None:
        """Where the base is: x uphill on a slope."""
        if base.in_space is not None:
            turn = self._slope @ rotation_of(base.in_space.quaternion)
            self.root.position, self.root.wxyz = self._slope @ base.in_space.position, wxyz_of(turn)
            return
        x, y, heading = (float(value) for value in base.pose)
        c, s = np.cos(heading), np.sin(heading)
        turn = self._slope @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        self.root.position, self.root.wxyz = self._slope @ np.array([x, y, 0.0]), wxyz_of(turn)

    @property
    def _slope(self) -> Floats:
        """(3, 3): of the ground, whose x goes uphill."""
        up, out = np.sin(self.rover.ground.slope), np.cos(self.rover.ground.slope)
        return np.array([[out, 0.0, -up], [0.0, 1.0, 0.0], [up, 0.0, out]])

    def _draw_wheel_loads(self, loads: WheelLoads, raised: float) -> None:
        """The force of the ground on every contact, normal and in the plane, as one arrow that ends where it acts."""
        points = np.asarray(loads.points, dtype=float).reshape(-1, 2)
        metres = LONGEST_ARROW * self.stage.subject.size / self.weight
        vectors = metres * np.asarray(loads.force, dtype=float).reshape(-1, 3)
        start = np.column_stack([points, np.full(len(points), raised)])
        if loads.state.free is not None:
            start = loads.state.free.frames[0, :, :, 3]
        shown = np.isfinite(vectors).all(axis=1) & (np.linalg.norm(vectors, axis=1) > 1e-6 * self.stage.subject.size)
        self._arrows(np.stack([start - vectors, start], axis=1)[shown])

    def _arrows(self, points: Floats) -> None:
        size = self.stage.subject.size
        if "wheels" in self.lines:
            self.lines["wheels"].visible = len(points) > 0
            if len(points):
                self.lines["wheels"].points = points.astype(np.float32)
        elif len(points):
            self.lines["wheels"] = self.stage.server.scene.add_arrows(
                f"{ROOT}/wheel_loads", points.astype(np.float32), linear(NORMAL), shaft_radius=0.008 * size,
                head_radius=0.02 * size, head_length=0.05 * size,
            )

    def _lines(self, name: str, segments: Floats, color: tuple[int, int, int], thickness: float) -> None:
        if name in self.lines:
            self.lines[name].points = segments.astype(np.float32)
            self.lines[name].colors = np.array(color, dtype=np.uint8)
        else:
            self.lines[name] = self.stage.server.scene.add_line_segments(
                f"{ROOT}/{name}", segments.astype(np.float32), color, thickness=thickness, thickness_units="screen"
            )

    def _say(self, standing: Stability, loads: WheelLoads, course: str) -> None:
        margin, energy, tilt = (float(np.ravel(part)[0])
                                for part in (standing.margin, standing.energy_margin, standing.tilt_margin))
        first, second = (str(name) for name in np.ravel(standing.edge))
        verdict = "⚠ tips over" if np.any(standing.tips_over) else "stands"
        said = f"<p>As simulated: the base {escape(course)}.</p>" if course else ""
        forces = [np.ravel(part) for part in (loads.normal, loads.longitudinal, loads.lateral)]
        rows = "".join(
            f"<tr style='text-align:right'><td style='text-align:left'>{escape(name)}</td><td>{number(normal)} N</td>"
            f"<td>{number(along)} N</td><td>{number(across)} N</td></tr>"
            for name, normal, along, across in zip(loads.names, *forces, strict=True)
        )
        text = (
            f"{said}<b>{verdict}</b>: margin {1000 * margin:.4g} mm, {energy:.4g} J, {np.degrees(tilt):.3g}°, over "
            f"the edge {escape(first)} to {escape(second)}<table style='width:100%'><tr>"
            "<th style='text-align:left'>contact</th>"
            "<th style='text-align:right'>normal</th><th style='text-align:right'>along</th>"
            f"<th style='text-align:right'>across</th></tr>{rows}</table>"
        )
        write(self.summary, padded(text, 0.8))
