"""The section on a closed mechanism: its freedoms, the joints that close it, what rigid statics knows of its reactions,
and where its pins carry most, drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from loadpath.drawing.skeleton import Pin, arrow_lines, outline_of, pins_and_points, plane_of, xyz
from loadpath.kinematics.closed.mobility import mobility_report
from loadpath.loads.peaks.result import PeakLoads, Quantity
from loadpath.loads.resultants import OPEN, open_components
from loadpath.plotting import COLORS, label
from loadpath.quantities.carriers import carriers, is_closed
from loadpath.quantities.closed import ClosedQuantities
from loadpath.quantities.wrench import COMPONENTS
from loadpath.report.blocks import Block, Chart, Choice, Figure, Section, Table, Text, number
from loadpath.report.peaks import mark_note
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Bools, Floats

# A closed mechanism drawn: its links between their pins, and the force at every pin as an arrow.

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


KNOWN, BY_RULE = "\N{BLACK CIRCLE}", "\N{WHITE CIRCLE}"


def counts(robot: RobotModel) -> str:
    """How many freedoms and joints a robot has, in words.

    >>> import loadpath as lp
    >>> counts(lp.catalog.four_bar()), counts(lp.catalog.planar(2))
    ('1 degree of freedom, 3 joints and 1 that closes a loop', '2 degrees of freedom, 3 joints')
    """
    if not is_closed(robot):
        return f"{robot.n} degrees of freedom, {len(robot.joints)} joints"
    freedoms, loops, couplings = cast("ClosedQuantities", robot).mobility, len(robot.loops), len(robot.couplings)
    words = [f"{freedoms} degree{'s' if freedoms != 1 else ''} of freedom, {len(robot.joints)} joints"]
    words += [f"{loops} that close{'s a loop' if loops == 1 else ' loops'}"] if loops else []
    words += [f"{couplings} coupling{'s' if couplings > 1 else ''}"] if couplings else []
    return " and ".join(words)


def mechanism(peaks: PeakLoads) -> Section:
    """The section of a closed robot."""
    robot = cast("ClosedQuantities", peaks.robot)
    left_open = open_components(robot, peaks.states.q)
    lines = mobility_report(robot).splitlines()
    parts = [[line for line in lines if line.startswith("- ") == detail] for detail in (False, True)]
    blocks: list[Block] = [Text(_sentences(part)) for part in parts if part]
    if robot.loops:
        blocks.append(_loops(peaks, robot))
    if robot.couplings:
        blocks.append(_couplings(robot))
    blocks += [_statics(robot, left_open), _pictures(peaks)]
    count, of = int(left_open.sum()), left_open.size
    note = (
        "settled by " + ("what bends" if robot.is_elastic else "the rule of equal compliances") if count
        else "the mechanism is statically determinate" if robot.mobility == robot.gruebler
        else "how couplings share a load is open, and shows in no joint"
    )
    value = f"{count} of {of}" if count else "none"
    figures = [Figure("Reaction components open to rigid statics", value, note)]
    lead = (
        "A tree of links, closed by further joints. The wrench of such a joint is exerted by its first link on the "
        "second, at the origin and in the axes of its frame there, as that of any joint by the parent on the child."
    )
    return Section("Mechanism", lead, blocks, figures)


def _sentences(lines: list[str]) -> str:
    plain = [line.removeprefix("- ").rstrip(".") for line in lines]
    return " ".join(f"{line[:1].upper()}{line[1:]}." for line in plain)


def _loops(peaks: PeakLoads, robot: ClosedQuantities) -> Table:
    columns = ["joint", "type", "first link", "second link", "directions held", "largest force (N)",
               "largest torque (N m)"]
    rows: list[list[str | tuple[str, str]]] = []
    for loop in robot.loops:
        force, torque = (peaks[loop.name, part] for part in ("force", "torque"))
        ends = (type(loop.motion).__name__.lower(), loop.first, loop.second)
        rows.append([loop.name, *ends, str(loop.rows), *(_largest(peaks, part) for part in (force, torque))])
    note = f"{OPEN} {mark_note(robot)}" if any(peaks.open.values()) else ""
    return Table("Joints that close loops", columns, rows, note, left=4)


def _largest(peaks: PeakLoads, of: Quantity) -> tuple[str, str]:
    when = of.peak
    by_rule = OPEN * peaks.open[of.name, of.quantity]
    return number(of.magnitude) + by_rule, f"sample {when.sample}" if when.time is None else f"at {when.time:.4g} s"


def _couplings(robot: ClosedQuantities) -> Table:
    rows = [[coupling.name, " ".join(ratio_words(*ratio) for ratio in coupling.ratios).removeprefix("+ ") + " = 0"]
            for coupling in robot.couplings]
    return Table("Couplings between speeds", ["coupling", "speeds"], rows, left=2)


def ratio_words(name: str, factor: float) -> str:
    """A speed with its factor in a sum.

    >>> ratio_words("motor", -40.0), ratio_words("wrist", 1.0)
    ('- 40 motor', '+ wrist')
    """
    size = "" if abs(factor) == 1 else f"{abs(factor):.6g} "
    return f"{'-' if factor < 0 else '+'} {size}{name}"


def _statics(robot: ClosedQuantities, left_open: Bools) -> Table:
    columns = ["joint", *(name.replace("_", " ") for name in COMPONENTS)]
    rows = [[carrier.name, *(BY_RULE if part else KNOWN for part in parts)]
            for carrier, parts in zip(carriers(robot), left_open, strict=True)]
    if left_open.any():
        note = (
            f"{KNOWN} follows from statics alone, whatever the stiffness of the parts. {BY_RULE} {mark_note(robot)} "
            "Such a component depends on stiffness, play and how exactly the parts fit: do not size a bearing by it "
            "without those, or free it (a spherical bearing in place of a hinge)."
        )
    else:
        note = f"{KNOWN} follows from statics alone, whatever the stiffness of the parts: every reaction does."
    return Table("What rigid statics knows of the reactions", columns, rows, note)


def _pictures(peaks: PeakLoads) -> Choice | Text:
    """The mechanism at the instant when each joint that moves, or closes a loop, carries its largest force."""
    charts: dict[str, Chart] = {}
    for carrier in carriers(peaks.robot):
        found = peaks[carrier.name, "force"]
        if carrier.motion.dof and not found.magnitude < 1e-9:
            charts[carrier.name] = picture(peaks, found)
    if not charts:
        return Text("No joint carries a force in this motion.")
    first = max(charts, key=lambda name: peaks[name, "force"].magnitude)
    return Choice("Pin forces when the largest is on", charts, first)


def picture(peaks: PeakLoads, of: Quantity) -> Chart:
    """The mechanism in the state in which a quantity of a joint is largest."""
    peak = of.peak
    wrenches = peaks.robot.joint_wrenches(peak.q, peak.qd, peak.qdd, **peak._case.keywords)
    when = f"at {peak.time:.3g} s" if peak.time is not None else f"in sample {peak.sample}"
    title = f"Forces at the joints (red) {when}, when '{of.name}' carries its largest {of.quantity}"
    poses = np.asarray(peaks.robot.link_poses(peak.q))
    return mechanism_with_forces(peaks.robot, poses, wrenches.force, title)
