"""A closed mechanism drawn: its links between their pins, and the force at every pin as an arrow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from loadpath.loads.carriers import carriers
from loadpath.plotting import COLORS, label
from loadpath.report.blocks import Chart
from loadpath.robot.loops import Loop
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.api import Robot

FLAT = 1e-3
"""Of a mechanism's size: pins no farther than this from one plane make a plane mechanism."""
LONGEST = 0.22
"""Length of the longest arrow, of the mechanism's size."""
FORCE, GROUND = "#d1495b", "#9aa7b2"


class _Pin(NamedTuple):
    """A joint or loop in the world."""

    name: str
    point: Floats
    force: Floats
    """On its second link, world axes."""
    moves: bool
    closes: bool


def mechanism_with_forces(robot: Robot, q: Floats, force: Floats, title: str) -> Chart:
    """A closed robot in one pose, with the force at each joint and loop; `force` is (joints and loops, 3), in the
    frames of their second links. Links are lines or outlines between their pins; the longest arrow is about a fifth as
    long as the mechanism.
    """
    poses = dict(zip(robot.link_names, np.asarray(robot.link_poses(q)), strict=True))
    pins, on_links = _pins(robot, poses, force)
    points = np.array([pin.point for pin in pins])
    size = float(np.ptp(points, axis=0).max(initial=0.0)) or 1.0
    normal = _normal(points, size)
    traces = _links(robot, on_links)
    traces += _forces(pins, size)
    traces.append(_joints(pins, [pin for pin in pins if not pin.closes], "joints", "circle"))
    traces.append(_joints(pins, [pin for pin in pins if pin.closes], "joints that close loops", "diamond"))
    scene: dict[str, Any] = {f"{axis}axis": {"title": {"text": f"{axis} (m)"}} for axis in "xyz"}
    scene |= {"aspectmode": "data", "camera": _camera(normal)}
    layout = {"scene": scene, "margin": {"l": 0, "r": 0, "t": 0, "b": 0}, "hovermode": "closest",
              "legend": {"orientation": "h", "x": 0, "y": 0}}  # fmt: skip
    return Chart(title, traces, layout, 520)


def _pins(robot: Robot, poses: dict[str, Floats], force: Floats) -> tuple[list[_Pin], dict[str, list[Floats]]]:
    """All pins, and for every link the points that it is drawn between."""
    pins: list[_Pin] = []
    on_links: dict[str, list[Floats]] = {name: [] for name in robot.link_names}
    for carrier, f in zip(carriers(robot), force, strict=True):
        closes = isinstance(carrier, Loop)
        if isinstance(carrier, Loop):
            first, second, frame = carrier.first, carrier.second, poses[carrier.second] @ carrier.on.matrix
            other = (poses[carrier.first] @ carrier.at.matrix)[:3, 3]
        else:
            first, second = carrier.parent, carrier.child
            frame = poses[second] @ carrier.link_offset.inverse().matrix  # the child's joint frame
            other = (poses[first] @ carrier.origin.matrix)[:3, 3]
        pins.append(_Pin(carrier.name, frame[:3, 3], frame[:3, :3] @ f, carrier.motion.dof > 0, closes))
        on_links[first].append(other)
        on_links[second].append(frame[:3, 3])
    for name, points in on_links.items():
        if len(points) == 1 and name != robot.base.name:
            points += _free_end(robot, name, poses[name])
    return pins, on_links


def _free_end(robot: Robot, link: str, pose: Floats) -> list[Floats]:
    """Where a link that nothing else hangs on is drawn to: its frame's origin, or its mass center."""
    body = robot.link(link).inertia
    ends = [pose[:3, 3]]
    if body.mass > 0:
        ends.append(pose[:3, 3] + pose[:3, :3] @ np.array(body.center_of_mass))
    return ends


def _links(robot: Robot, on_links: dict[str, list[Floats]]) -> list[dict[str, Any]]:
    traces = []
    color = 0
    for name, points in on_links.items():
        outline = _outline(np.array(points)) if points else np.zeros((0, 3))
        if len(outline) < 2:
            continue
        ground = name == robot.base.name
        look = {"color": GROUND, "width": 3, "dash": "dash"} if ground else {"color": COLORS[color % len(COLORS)]}
        color += not ground
        traces.append({
            "type": "scatter3d", "mode": "lines", **_xyz(outline), "name": label(name), "hoverinfo": "name",
            "line": {"width": 8, **look}, "showlegend": False, "opacity": 0.85,
        })  # fmt: skip
    return traces


def _outline(points: Floats) -> Floats:
    """The line through the points of a link: between two, or around three and more, in their plane."""
    apart = [points[0]]
    size = float(np.ptp(points, axis=0).max(initial=0.0))
    for point in points[1:]:
        if min(float(np.linalg.norm(point - other)) for other in apart) > 1e-6 * size:
            apart.append(point)
    corners = np.array(apart)
    if len(corners) < 3:
        return corners
    about = corners - corners.mean(axis=0)
    _, sizes, axes = np.linalg.svd(about, full_matrices=False)
    if sizes[1] < 0.02 * sizes[0]:  # on a line
        return corners[np.argsort(about @ axes[0])]
    around = np.argsort(np.arctan2(about @ axes[1], about @ axes[0]))
    return corners[[*around, around[0]]]


def _joints(pins: Sequence[_Pin], shown: Sequence[_Pin], name: str, symbol: str) -> dict[str, Any]:
    points = np.array([pin.point for pin in shown]).reshape(-1, 3)
    texts = [f"{label(pin.name)}<br>{np.linalg.norm(pin.force):.4g} N" for pin in shown]
    few = len(pins) <= 12
    written = [label(pin.name) if pin.moves and few else "" for pin in shown]
    return {
        "type": "scatter3d", "mode": "markers+text", **_xyz(points), "name": name, "hovertext": texts,
        "hoverinfo": "text", "text": written, "textposition": "top center", "textfont": {"size": 11},
        "marker": {"color": "#1d2730", "size": 5, "symbol": symbol}, "showlegend": bool(shown),
    }  # fmt: skip


def _forces(pins: Sequence[_Pin], size: float) -> list[dict[str, Any]]:
    strongest = max((float(np.linalg.norm(pin.force)) for pin in pins), default=0.0)
    loaded = [pin for pin in pins if np.linalg.norm(pin.force) > 1e-3 * strongest]
    if not loaded or not strongest:
        return []
    start = np.array([pin.point for pin in loaded])
    arrows = np.array([pin.force for pin in loaded]) * (LONGEST * size / strongest)
    shafts = np.stack([start, start + arrows, np.full_like(start, np.nan)], axis=1).reshape(-1, 3)
    heads = arrows / np.linalg.norm(arrows, axis=1, keepdims=True)
    tips = start + arrows
    shared = {"hoverinfo": "skip", "legendgroup": "forces"}
    return [
        {"type": "scatter3d", "mode": "lines", **_xyz(shafts), "name": "force on the second link of each joint",
         "line": {"color": FORCE, "width": 5}, **shared},
        {"type": "cone", **_xyz(tips), **dict(zip("uvw", heads.T, strict=True)), "anchor": "tip", "showscale": False,
         "sizemode": "absolute", "sizeref": 0.05 * size, "colorscale": [[0, FORCE], [1, FORCE]], **shared},
    ]  # fmt: skip


def _xyz(points: Floats) -> dict[str, Floats]:
    return {axis: points[:, k] for k, axis in enumerate("xyz")}


def _normal(points: Floats, size: float) -> Floats | None:
    """The normal of the plane that all pins are in; none if there is no such plane, or more than one."""
    about = points - points.mean(axis=0)
    _, sizes, axes = np.linalg.svd(about, full_matrices=False)
    scale = FLAT * size
    return axes[2] if len(sizes) == 3 and sizes[2] < scale < sizes[1] else None


def _camera(normal: Floats | None) -> dict[str, Any]:
    """From in front of a plane mechanism, else from the side and above."""
    if normal is None:
        return {"eye": {"x": 1.4, "y": -1.6, "z": 0.7}}
    toward = normal if normal @ np.array([0.3, -1.0, 0.5]) > 0 else -normal
    up = {"x": 0, "y": 1, "z": 0} if abs(toward[2]) > 0.9 else {"x": 0, "y": 0, "z": 1}
    eye = {axis: 2.0 * float(toward[k]) for k, axis in enumerate("xyz")}
    return {"eye": eye, "up": up, "projection": {"type": "orthographic"}}
