"""A closed mechanism drawn: its links between their pins, and the force at every pin as an arrow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from loadpath.loads.carriers import carriers
from loadpath.plotting import COLORS, label
from loadpath.report.blocks import Chart
from loadpath.report.peaks import number
from loadpath.robot.loops import Loop
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Floats

FLAT = 0.02
"""Of a mechanism's size: pins no farther than this from one plane make a plane mechanism."""
LONGEST = 0.25
"""Length of the longest arrow, of the mechanism's size."""
SAME = 1e-5
"""Points nearer to each other (m) are one: a loop is never closed to the last digit."""
FORCE, GROUND, INK = "#d1495b", "#9aa7b2", "#1d2730"
LINKS = tuple(color for color in COLORS if color not in (FORCE, GROUND))
FEW = 14
"""Up to so many links have a line in the legend of a drawing in space."""
WRITTEN = 0.01
"""Pins with less than this part of the largest force have no name next to them; the pointer shows it."""
TOGETHER = 0.03
"""Of a mechanism's size: pins nearer to each other have their names in one place."""


class _Pin(NamedTuple):
    """A joint or loop in the world."""

    name: str
    point: Floats
    force: Floats
    """On its second link, world axes."""
    moves: bool
    closes: bool


def mechanism_with_forces(robot: RobotModel, link_poses: Floats, force: Floats, title: str) -> Chart:
    """A closed robot in one pose, with the force at each joint and loop; `link_poses` are (links, 4, 4), `force` is
    (joints and loops, 3), in the frames of their second links. Links are lines or outlines between their pins; the
    longest arrow is a quarter as long as the mechanism. A plane mechanism is seen from in front of its plane.
    """
    poses = dict(zip(robot.link_names, link_poses, strict=True))
    pins, on_links = _pins(robot, poses, force)
    lines = {name: _outline(np.array(points)) for name, points in on_links.items() if points}
    lines = {name: outline for name, outline in lines.items() if len(outline) > 1}
    points = np.concatenate([[pin.point for pin in pins], *lines.values()])
    size = float(np.ptp(points, axis=0).max(initial=0.0)) or 1.0
    axes = _plane(points, size)
    if axes is None:
        return _in_space(title, robot.base.name, pins, lines, size)
    return _in_plane(title, robot.base.name, pins, lines, size, axes)


def _look(names: Sequence[str], ground: str) -> dict[str, dict[str, Any]]:
    """How every link is drawn."""
    moving = [name for name in names if name != ground]
    looks: dict[str, dict[str, Any]] = {name: {"color": LINKS[k % len(LINKS)]} for k, name in enumerate(moving)}
    return {**looks, ground: {"color": GROUND, "dash": "dot"}}


def _in_plane(
    title: str, ground: str, pins: Sequence[_Pin], lines: dict[str, Floats], size: float, axes: Floats
) -> Chart:
    looks = _look([*lines], ground)
    traces: list[dict[str, Any]] = []
    for name, outline in lines.items():
        x, y = axes @ outline.T
        own = {"width": 2 if name == ground else 7, **looks[name]}
        traces.append({"type": "scatter", "mode": "lines", "x": x, "y": y, "name": label(name), "line": own,
                       "opacity": 0.8, "hoverinfo": "name"})  # fmt: skip
    for group, closes, symbol in (("joints", False, "circle"), ("joints that close loops", True, "diamond")):
        shown = [pin for pin in pins if pin.closes == closes]
        x, y = axes @ np.array([pin.point for pin in shown]).reshape(-1, 3).T
        traces.append({
            "type": "scatter", "mode": "markers", "x": x, "y": y, "name": group, "hovertext": _texts(shown),
            "hoverinfo": "text", "marker": {"color": INK, "size": 9, "symbol": symbol}, "showlegend": bool(shown),
        })  # fmt: skip
    arrows, tips = [], []
    for pin, tip in _arrows(pins, size):
        (x0, y0), (x1, y1) = (axes @ pin.point).tolist(), (axes @ tip).tolist()
        tips.append([x1, y1])
        arrows.append({"x": x1, "y": y1, "ax": x0, "ay": y0, "xref": "x", "yref": "y", "axref": "x", "ayref": "y",
                       "showarrow": True, "arrowhead": 2, "arrowsize": 1.1, "arrowwidth": 2.5, "arrowcolor": FORCE,
                       "text": ""})  # fmt: skip
    # Arrows do not count where the axes choose their range.
    ends = np.array(tips).reshape(-1, 2)
    traces.append({"type": "scatter", "mode": "lines", "x": ends[:, 0], "y": ends[:, 1], "hoverinfo": "skip",
                   "line": {"color": FORCE, "width": 0}, "opacity": 0, "showlegend": False})  # fmt: skip
    traces.append({"type": "scatter", "mode": "lines", "x": [None], "y": [None], "hoverinfo": "skip",
                   "name": "force on the second link", "line": {"color": FORCE, "width": 3}})  # fmt: skip
    layout = {
        "xaxis": {"title": {"text": f"{_direction(axes[0])} (m)"}, "zeroline": False},
        "yaxis": {"title": {"text": f"{_direction(axes[1])} (m)"}, "zeroline": False, "scaleanchor": "x"},
        "annotations": [*arrows, *_names(pins, size, axes)], "hovermode": "closest",
    }  # fmt: skip
    return Chart(title, traces, layout, 520)


def _in_space(title: str, ground: str, pins: Sequence[_Pin], lines: dict[str, Floats], size: float) -> Chart:
    looks = _look([*lines], ground)
    traces: list[dict[str, Any]] = []
    for name, outline in lines.items():
        own = {"width": 3 if name == ground else 9, "color": looks[name]["color"]}
        traces.append({"type": "scatter3d", "mode": "lines", **_xyz(outline), "name": label(name), "hoverinfo": "name",
                       "line": own, "opacity": 0.85, "showlegend": len(lines) <= FEW})  # fmt: skip
    for group, closes, symbol in (("joints", False, "circle"), ("joints that close loops", True, "diamond")):
        shown = [pin for pin in pins if pin.closes == closes]
        points = np.array([pin.point for pin in shown]).reshape(-1, 3)
        traces.append({
            "type": "scatter3d", "mode": "markers", **_xyz(points), "name": group, "hovertext": _texts(shown),
            "hoverinfo": "text", "marker": {"color": INK, "size": 4, "symbol": symbol}, "showlegend": bool(shown),
        })  # fmt: skip
    drawn = [_arrow(pin.point, tip, 0.035 * size) for pin, tip in _arrows(pins, size)]
    traces.append({
        "type": "scatter3d", "mode": "lines", **_xyz(np.concatenate([np.zeros((0, 3)), *drawn])), "hoverinfo": "skip",
        "name": "force on the second link", "line": {"color": FORCE, "width": 5}, "showlegend": bool(drawn),
    })  # fmt: skip
    scene: dict[str, Any] = {f"{axis}axis": {"title": {"text": f"{axis} (m)"}} for axis in "xyz"}
    camera = {"eye": {"x": 1.25, "y": -1.45, "z": 0.6}, "center": {"x": 0, "y": 0, "z": -0.08}}
    scene |= {"aspectmode": "data", "camera": camera}
    layout = {"scene": scene, "margin": {"l": 0, "r": 0, "t": 0, "b": 0}, "hovermode": "closest"}
    return Chart(title, traces, layout, 560)


def _names(pins: Sequence[_Pin], size: float, axes: Floats) -> list[dict[str, Any]]:
    """Names and forces next to the pins, those of pins in one place together; on the side away from their arrows."""
    strongest = max((float(np.linalg.norm(pin.force)) for pin in pins), default=0.0)
    groups: list[list[_Pin]] = []
    for pin in pins:
        if np.linalg.norm(pin.force) < WRITTEN * strongest:
            continue
        near = [group for group in groups if np.linalg.norm(axes @ (group[0].point - pin.point)) < TOGETHER * size]
        if near:
            near[0].append(pin)
        else:
            groups.append([pin])
    notes: list[dict[str, Any]] = []
    written: list[tuple[float, float, float]] = []
    for group in sorted(groups, key=lambda group: -float(axes[1] @ group[0].point)):
        x, y = (axes @ group[0].point).tolist()
        words = "<br>".join(f"{label(pin.name)} {number(float(np.linalg.norm(pin.force)))} N" for pin in group)
        left = float(sum((axes @ pin.force)[0] for pin in group)) > 0
        side = "right" if left else "left"
        # Below those that it would hide, a line for each.
        near_ones = [k for at, low, k in written if abs(at - x) < 0.3 * size and low - y < 0.05 * size]
        lower = max(near_ones, default=0)
        written.append((x, y, lower + len(group)))
        notes.append({"x": x, "y": y, "xref": "x", "yref": "y", "text": words, "showarrow": False, "align": side,
                      "font": {"size": 11}, "xanchor": side, "xshift": -10 if left else 10, "yshift": -13 * lower,
                      "bgcolor": "rgba(255,255,255,0.6)"})  # fmt: skip
    return notes


def _arrow(start: Floats, tip: Floats, head: float) -> Floats:
    """The lines of an arrow in space, with a gap after each: its shaft and four barbs."""
    along = (tip - start) / np.linalg.norm(tip - start)
    aside = np.cross(along, np.eye(3)[int(np.argmin(np.abs(along)))])
    aside /= np.linalg.norm(aside)
    gap = np.full(3, np.nan)
    barbs = [tip - head * (along + sign * 0.4 * side) for side in (aside, np.cross(along, aside)) for sign in (1, -1)]
    return np.array([start, tip, gap, *(point for barb in barbs for point in (tip, barb, gap))])


def _texts(pins: Sequence[_Pin]) -> list[str]:
    return [f"{label(pin.name)}<br>{number(float(np.linalg.norm(pin.force)))} N" for pin in pins]


def _arrows(pins: Sequence[_Pin], size: float) -> list[tuple[_Pin, Floats]]:
    """The pins with forces to be seen, and where their arrows end."""
    strongest = max((float(np.linalg.norm(pin.force)) for pin in pins), default=0.0)
    shown = [pin for pin in pins if np.linalg.norm(pin.force) > 5e-3 * strongest] if strongest else []
    return [(pin, pin.point + pin.force * (LONGEST * size / strongest)) for pin in shown]


def _pins(robot: RobotModel, poses: dict[str, Floats], force: Floats) -> tuple[list[_Pin], dict[str, list[Floats]]]:
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
        # Of a joint that slides: a rod is drawn from the end of its barrel; a guide on the base, or one that closes a
        # loop, as the slot of a lever, is part of the link that it is on.
        on_links[first if closes or first == robot.base.name else second] += [other, frame[:3, 3]]
    for name, found in on_links.items():
        if name != robot.base.name and len(_apart(np.array(found))) == 1:
            found.extend(_free_end(robot, name, poses[name]))
    return pins, on_links


def _free_end(robot: RobotModel, link: str, pose: Floats) -> list[Floats]:
    """Where a link that nothing else hangs on is drawn to: its frame's origin, or its mass center."""
    body = robot.link(link).inertia
    ends = [pose[:3, 3]]
    if body.mass > 0:
        ends.append(pose[:3, 3] + pose[:3, :3] @ np.array(body.center_of_mass))
    return ends


def _outline(points: Floats) -> Floats:
    """The line through the points of a link: between two, or around three and more, in their plane."""
    corners = _apart(points)
    if len(corners) < 3:
        return corners
    about = corners - corners.mean(axis=0)
    _, sizes, axes = np.linalg.svd(about, full_matrices=False)
    if sizes[1] < 0.02 * sizes[0]:  # on a line
        return corners[np.argsort(about @ axes[0])]
    around = np.argsort(np.arctan2(about @ axes[1], about @ axes[0]))
    return corners[[*around, around[0]]]


def _apart(points: Floats) -> Floats:
    """The points that are not one of those before them."""
    found = [points[0]]
    for point in points[1:]:
        if min(float(np.linalg.norm(point - other)) for other in found) > SAME:
            found.append(point)
    return np.array(found)


def _xyz(points: Floats) -> dict[str, Floats]:
    return {axis: points[:, k] for k, axis in enumerate("xyz")}


def _plane(points: Floats, size: float) -> Floats | None:
    """Two directions, to the right and up, of the plane that all points are in; none if there is no such plane."""
    about = points - points.mean(axis=0)
    _, _, axes = np.linalg.svd(about, full_matrices=False)
    normal = axes[2]
    if np.abs(about @ normal).max() > FLAT * size:
        return None
    if abs(normal[2]) > 0.9:  # lying: seen from above
        return np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    toward = normal if normal @ np.array([0.3, -1.0, 0.0]) > 0 else -normal
    up = np.array([0.0, 0.0, 1.0]) - toward[2] * toward
    up /= np.linalg.norm(up)
    return np.array([np.cross(up, toward), up])


def _direction(axis: Floats) -> str:
    """A direction in words: an axis of the world, or how it lies."""
    k = int(np.argmax(np.abs(axis)))
    if abs(axis[k]) > 1 - 1e-6:
        return f"{'-' if axis[k] < 0 else ''}{'xyz'[k]}"
    return "up, in the plane of the mechanism" if axis[2] > 0.5 else "across, in the plane of the mechanism"
