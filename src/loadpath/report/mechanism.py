"""A closed mechanism drawn: its links between their pins, and the force at every pin as an arrow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from loadpath.drawing.skeleton import Pin, arrow_lines, outline_of, pins_and_points, plane_of, xyz
from loadpath.plotting import COLORS, label
from loadpath.report.blocks import Chart
from loadpath.report.numbers import number
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Floats

LONGEST = 0.25
"""Length of the longest arrow, of the mechanism's size."""
FORCE, GROUND, INK = "#d1495b", "#9aa7b2", "#1d2730"
LINKS = tuple(color for color in COLORS if color not in (FORCE, GROUND))
FEW = 14
"""Up to so many links have a line in the legend of a drawing in space."""
WRITTEN = 0.01
"""Pins with less than this part of the largest force have no name next to them; the pointer shows it."""
TOGETHER = 0.03
"""Of a mechanism's size: pins nearer to each other have their names in one place."""


def mechanism_with_forces(robot: RobotModel, link_poses: Floats, force: Floats, title: str) -> Chart:
    """A closed robot in one pose, with the force at each joint and loop; `link_poses` are (links, 4, 4), `force` is
    (joints and loops, 3), in the frames of their second links. Links are lines or outlines between their pins; the
    longest arrow is a quarter as long as the mechanism. A plane mechanism is seen from in front of its plane.
    """
    poses = dict(zip(robot.link_names, link_poses, strict=True))
    pins, on_links = pins_and_points(robot, poses, force)
    lines = {name: outline_of(np.array(points)) for name, points in on_links.items() if points}
    lines = {name: outline for name, outline in lines.items() if len(outline) > 1}
    points = np.concatenate([[pin.point for pin in pins], *lines.values()])
    size = float(np.ptp(points, axis=0).max(initial=0.0)) or 1.0
    axes = plane_of(points, size)
    if axes is None:
        return _in_space(title, robot.base.name, pins, lines, size)
    return _in_plane(title, robot.base.name, pins, lines, size, axes)


def _look(names: Sequence[str], ground: str) -> dict[str, dict[str, Any]]:
    """How every link is drawn."""
    moving = [name for name in names if name != ground]
    looks: dict[str, dict[str, Any]] = {name: {"color": LINKS[k % len(LINKS)]} for k, name in enumerate(moving)}
    return {**looks, ground: {"color": GROUND, "dash": "dot"}}


def _in_plane(
    title: str, ground: str, pins: Sequence[Pin], lines: dict[str, Floats], size: float, axes: Floats
) -> Chart:
    looks = _look([*lines], ground)
    traces: list[dict[str, Any]] = []
    for name, outline in lines.items():
        x, y = axes @ outline.T
        own = {"width": 2 if name == ground else 7, **looks[name]}
        traces.append({"type": "scatter", "mode": "lines", "x": x, "y": y, "name": label(name), "line": own,
                       "opacity": 0.8, "hoverinfo": "name"})
    for group, closes, symbol in (("joints", False, "circle"), ("joints that close loops", True, "diamond")):
        shown = [pin for pin in pins if pin.closes == closes]
        x, y = axes @ np.array([pin.point for pin in shown]).reshape(-1, 3).T
        traces.append({
            "type": "scatter", "mode": "markers", "x": x, "y": y, "name": group, "hovertext": _texts(shown),
            "hoverinfo": "text", "marker": {"color": INK, "size": 9, "symbol": symbol}, "showlegend": bool(shown),
        })
    arrows, tips = [], []
    for pin, tip in _arrows(pins, size):
        (x0, y0), (x1, y1) = (axes @ pin.point).tolist(), (axes @ tip).tolist()
        tips.append([x1, y1])
        arrows.append({"x": x1, "y": y1, "ax": x0, "ay": y0, "xref": "x", "yref": "y", "axref": "x", "ayref": "y",
                       "showarrow": True, "arrowhead": 2, "arrowsize": 1.1, "arrowwidth": 2.5, "arrowcolor": FORCE,
                       "text": ""})
    # Arrows do not count where the axes choose their range.
    ends = np.array(tips).reshape(-1, 2)
    traces.append({"type": "scatter", "mode": "lines", "x": ends[:, 0], "y": ends[:, 1], "hoverinfo": "skip",
                   "line": {"color": FORCE, "width": 0}, "opacity": 0, "showlegend": False})
    traces.append({"type": "scatter", "mode": "lines", "x": [None], "y": [None], "hoverinfo": "skip",
                   "name": "force on the second link", "line": {"color": FORCE, "width": 3}})
    layout = {
        "xaxis": {"title": {"text": f"{_direction(axes[0])} (m)"}, "zeroline": False},
        "yaxis": {"title": {"text": f"{_direction(axes[1])} (m)"}, "zeroline": False, "scaleanchor": "x"},
        "annotations": [*arrows, *_names(pins, size, axes)], "hovermode": "closest",
    }
    return Chart(title, traces, layout, 520)


def _in_space(title: str, ground: str, pins: Sequence[Pin], lines: dict[str, Floats], size: float) -> Chart:
    looks = _look([*lines], ground)
    traces: list[dict[str, Any]] = []
    for name, outline in lines.items():
        own = {"width": 3 if name == ground else 9, "color": looks[name]["color"]}
        traces.append({"type": "scatter3d", "mode": "lines", **xyz(outline), "name": label(name), "hoverinfo": "name",
                       "line": own, "opacity": 0.85, "showlegend": len(lines) <= FEW})
    for group, closes, symbol in (("joints", False, "circle"), ("joints that close loops", True, "diamond")):
        shown = [pin for pin in pins if pin.closes == closes]
        points = np.array([pin.point for pin in shown]).reshape(-1, 3)
        traces.append({
            "type": "scatter3d", "mode": "markers", **xyz(points), "name": group, "hovertext": _texts(shown),
            "hoverinfo": "text", "marker": {"color": INK, "size": 4, "symbol": symbol}, "showlegend": bool(shown),
        })
    drawn = [arrow_lines(pin.point, tip, 0.035 * size) for pin, tip in _arrows(pins, size)]
    traces.append({
        "type": "scatter3d", "mode": "lines", **xyz(np.concatenate([np.zeros((0, 3)), *drawn])), "hoverinfo": "skip",
        "name": "force on the second link", "line": {"color": FORCE, "width": 5}, "showlegend": bool(drawn),
    })
    scene: dict[str, Any] = {f"{axis}axis": {"title": {"text": f"{axis} (m)"}} for axis in "xyz"}
    camera = {"eye": {"x": 1.25, "y": -1.45, "z": 0.6}, "center": {"x": 0, "y": 0, "z": -0.08}}
    scene |= {"aspectmode": "data", "camera": camera}
    layout = {"scene": scene, "margin": {"l": 0, "r": 0, "t": 0, "b": 0}, "hovermode": "closest"}
    return Chart(title, traces, layout, 560)


def _names(pins: Sequence[Pin], size: float, axes: Floats) -> list[dict[str, Any]]:
    """Names and forces next to the pins, those of pins in one place together; on the side away from their arrows."""
    strongest = max((float(np.linalg.norm(pin.force)) for pin in pins), default=0.0)
    groups: list[list[Pin]] = []
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
                      "bgcolor": "rgba(255,255,255,0.6)"})
    return notes


def _texts(pins: Sequence[Pin]) -> list[str]:
    return [f"{label(pin.name)}<br>{number(float(np.linalg.norm(pin.force)))} N" for pin in pins]


def _arrows(pins: Sequence[Pin], size: float) -> list[tuple[Pin, Floats]]:
    """The pins with forces to be seen, and where their arrows end."""
    strongest = max((float(np.linalg.norm(pin.force)) for pin in pins), default=0.0)
    shown = [pin for pin in pins if np.linalg.norm(pin.force) > 5e-3 * strongest] if strongest else []
    return [(pin, pin.point + pin.force * (LONGEST * size / strongest)) for pin in shown]


def _direction(axis: Floats) -> str:
    """A direction in words: an axis of the world, or how it lies."""
    k = int(np.argmax(np.abs(axis)))
    if abs(axis[k]) > 1 - 1e-6:
        return f"{'-' if axis[k] < 0 else ''}{'xyz'[k]}"
    return "up, in the plane of the mechanism" if axis[2] > 0.5 else "across, in the plane of the mechanism"
