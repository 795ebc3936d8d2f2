"""What a data sheet shows of its numbers: sections of the report's blocks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.datasheet.stopping import JointStops, Stopping
from loadpath.datasheet.torque_speed import Limit, TorqueSpeed
from loadpath.datasheet.workspace import View, Workspace
from loadpath.loads.resultants import effort_limits
from loadpath.parts.fitting import parts_of
from loadpath.plotting import COLORS, label, seen
from loadpath.report.blocks import NONE, Block, Cell, Chart, Figure, Section, Table, alike, number
from loadpath.report.charts import INK
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.quantities.table import RobotQuantities

DEGREE = math.pi / 180
FILL = "rgba(11, 92, 173, 0.22)"
BLURRED = 3
"""Cells about the edge of a view over which it is drawn as a smooth line."""
MOST_POINTS = 1_500
"""Of a cloud of torque and speed."""


def percent(share: float) -> str:
    """A share as a maker prints it.

    >>> percent(2 / 3), percent(1.0)
    ('66 %', '100 %')
    """
    return f"{math.floor(100 * share + 1e-9)} %"


# The robot


def mass_table(robot: RobotQuantities, carried: Sequence[str]) -> Table:
    """By links, without those that are `carried`, with the parts that sit at the joint of each."""
    parts: dict[str, list[str]] = {}
    for joint, part in parts_of(robot):
        parts.setdefault(joint, []).append(part.label)
    of_link = {joint.child: parts.get(joint.name, []) for joint in robot.joints}
    bodies = [link for link in robot.links if link.inertia.mass > 0 and link.name not in carried]
    total = sum(link.inertia.mass for link in bodies)
    *masses, whole = alike([*(link.inertia.mass for link in bodies), total])
    rows: list[list[Cell]] = [
        [link.name, mass, f"{100 * link.inertia.mass / total:.0f} %", ", ".join(of_link.get(link.name, [])) or NONE]
        for link, mass in zip(bodies, masses, strict=True)
    ]
    rows += [["all", whole, "100 %", ""]] if len(rows) > 1 else []
    note = "The parts are those at the joint that moves the link; their masses are in the links as given."
    return Table("Masses", ["link", "mass (kg)", "share", "parts at its joint"], rows, note if parts else "", right=1,
                 as_written=True)


def joint_table(robot: RobotQuantities, speeds: Floats) -> Table:
    """Ranges, largest speeds and forces of all driven freedoms."""
    efforts = effort_limits(robot)
    rows: list[list[Cell]] = []
    trains = dict(robot.drive_trains)
    for joint in robot.joints:
        if not joint.motion.dof or joint.mimic is not None:
            continue
        for k, (turns, limit) in enumerate(zip(joint.motion.angular, joint.limits, strict=True)):
            v = robot.v_slices[joint.name].start + k
            scale = DEGREE if turns else 1e-3
            unit = "\N{DEGREE SIGN}" if turns else "mm"
            span = [number(value / scale) if math.isfinite(value) else NONE for value in (limit.lower, limit.upper)]
            speed = f"{number(speeds[v] / scale)} {unit}/s" if math.isfinite(speeds[v]) else NONE
            effort = f"{number(efforts[v])} {'N m' if turns else 'N'}" if math.isfinite(efforts[v]) else NONE
            train = trains.get(robot.dof_names[v])
            ratio = number(train.ratio) if train is not None and train.ratio else NONE
            rows.append([robot.dof_names[v], *(f"{value} {unit}" if value != NONE else NONE for value in span), speed,
                         effort, ratio])
    note = f"{NONE}: no limit is known."
    return Table("Joints", ["joint", "from", "to", "largest speed", "largest force of the drive", "gear ratio"], rows,
                 note if any(NONE in row[:5] for row in rows) else "", mixed=True)


# Workspace


def workspace_section(found: Workspace) -> Section:
    """Two views and their dimensions."""
    rows: list[list[Cell]] = [["farthest from the axis", _mm(found.reach)], ["nearest to the axis", _mm(found.nearest)]]
    for k, axis in enumerate("xyz"):
        rows += [[f"{axis} from", _mm(found.low[k])], [f"{axis} to", _mm(found.high[k])]]
    lead = (f"Where the origin of '{found.tip}' can be, all joints within their ranges; distances from the axis of "
            f"'{found.axis}', coordinates in the world. Collisions of the robot with itself are not looked at.")
    blocks: list[Block] = []
    if found.side is not None:
        title = "From the side" if found.side.across != "forward" else f"From the side, in the plane of '{found.axis}'"
        blocks.append(_view(title, found.side, found))
    if found.top is not None:
        blocks.append(_view("From above", found.top, found))
    note = ("Dimensions are led on to where no joint gets any farther. "
            + (f"Views are as fine as their cells, {_mm(found.side.cell)} mm." if found.side else ""))
    blocks.append(Table("Dimensions", ["", "mm"], rows, note, as_written=True))
    return Section("Workspace", lead, blocks)


def _mm(value: float) -> str:
    return f"{0.0 if abs(value) < 5e-7 else 1000 * value:,.1f}".replace("-", "\N{MINUS SIGN}")


def _view(title: str, view: View, found: Workspace) -> Chart:
    """The region, with its ends."""
    shade = np.pad(view.filled, BLURRED).astype(float)
    for axis in (0, 1):
        for _ in range(BLURRED):
            shade = 0.5 * shade + 0.25 * (np.roll(shade, 1, axis) + np.roll(shade, -1, axis))
    edge = view.cell * np.arange(1, BLURRED + 1)
    x, y = (np.concatenate([part[0] - edge[::-1], part, part[-1] + edge]) for part in (view.x, view.y))
    region = {"type": "contour", "x": x, "y": y, "z": shade, "showscale": False, "hoverinfo": "skip", "name": "",
              "contours": {"start": 0.5, "end": 0.5, "size": 1, "coloring": "fill"},
              "colorscale": [[0, "rgba(0,0,0,0)"], [1, FILL]], "line": {"color": COLORS[0], "width": 2},
              "showlegend": False}
    k = "xyz".index(view.up)
    low, high = float(found.low[k]), float(found.high[k])
    if view.across == "forward":
        left, right = float(view.x[0] - view.cell / 2), float(view.x[-1] + view.cell / 2)
    else:
        j = "xyz".index(view.across)
        left, right = float(found.low[j]), float(found.high[j])
    traces: list[dict[str, Any]] = [region]
    size = max(right - left, high - low)
    below, beside = low - 0.07 * size, right + 0.07 * size
    traces += _dimension((left, below), (right, below), f"{1000 * (right - left):,.0f} mm", "bottom center", size)
    traces += _dimension((beside, low), (beside, high), f" {1000 * (high - low):,.0f} mm", "middle right", size)
    traces.append({"type": "scatter", "mode": "markers", "x": [0.0], "y": [0.0], "name": "origin of the base",
                   "marker": {"symbol": "cross", "size": 9, "color": INK}})
    layout = {"xaxis": {"title": {"text": f"{view.across} (m)"}, "range": [left - 0.12 * size, right + 0.3 * size],
                        "constrain": "domain", "zeroline": False},
              "yaxis": {"title": {"text": f"{view.up} (m)"}, "range": [low - 0.18 * size, high + 0.08 * size],
                        "scaleanchor": "x", "scaleratio": 1, "constrain": "domain", "zeroline": False},
              "showlegend": False, "hovermode": "closest"}
    return Chart(title, traces, layout, 440)


def _dimension(
    start: tuple[float, float], end: tuple[float, float], text: str, place: str, size: float
) -> list[dict[str, Any]]:
    """A line with ends, and its length beside it."""
    (x0, y0), (x1, y1) = start, end
    tick = 0.015 * size
    dx, dy = (0.0, tick) if y0 == y1 else (tick, 0.0)
    x = [x0 - dx, x0 + dx, None, x0, x1, None, x1 - dx, x1 + dx]
    y = [y0 - dy, y0 + dy, None, y0, y1, None, y1 - dy, y1 + dy]
    plain = {"type": "scatter", "showlegend": False, "hoverinfo": "skip", "name": ""}
    return [{**plain, "mode": "lines", "x": x, "y": y, "line": {"color": INK, "width": 1}},
            {**plain, "mode": "text", "x": [0.5 * (x0 + x1)], "y": [0.5 * (y0 + y1) - dy], "text": [text],
             "textposition": place, "cliponaxis": False, "textfont": {"size": 12, "color": INK}}]


# Stopping


def stopping_section(found: Stopping) -> Section:
    """A table for each joint and category, and a chart for each joint."""
    lead = (
        "ISO 10218-1, Annex B: one joint moves alone at a share of its largest speed, with a share of the payload and "
        f"'{found.tip}' at a share of the largest distance from its axis; all other joints stand. Category 0: the "
        "power goes off at once and the brakes grip. Category 1: the drives brake as hard as their limits and those of "
        "the parts let them, and the brakes hold. Both begin where the signal reaches the drives and brakes: what a "
        "controller takes before that comes in addition. Each row is of the pose and direction with the longest way."
    )
    blocks: list[Block] = []
    for name in dict.fromkeys(table.joint for table in found.tables):
        of_joint = [table for table in found.tables if table.joint == name]
        blocks += [_stop_table(table, found) for table in of_joint]
        blocks.append(_stop_chart(of_joint))
    return Section("Stopping times and distances", lead, blocks, [_longest(table) for table in _worst_of(found)])


def _worst_of(found: Stopping) -> list[JointStops]:
    """Of each category the table with the longest time."""
    worst = []
    for category in (0, 1):
        of_category = [table for table in found.tables if table.category == category]
        if of_category:
            worst.append(max(of_category, key=lambda table: float(np.nan_to_num(table.time, nan=np.inf).max())))
    return worst


def _longest(table: JointStops) -> Figure:
    longest = float(np.nan_to_num(table.time, nan=np.inf).max())
    value = f"{longest:.3f} s" if math.isfinite(longest) else "does not stop"
    scale, unit = (DEGREE, "\N{DEGREE SIGN}") if table.turns else (1e-3, "mm")
    way = float(np.nanmax(table.distance)) / scale if np.isfinite(table.distance).any() else math.nan
    return Figure(f"Longest stop, category {table.category}", value, f"{table.joint}, up to {number(way)} {unit}",
                  not math.isfinite(longest))


def _stop_table(table: JointStops, found: Stopping) -> Table:
    scale, unit = (DEGREE, "\N{DEGREE SIGN}") if table.turns else (1e-3, "mm")
    shares = [percent(share) for share in table.speeds]
    columns = ["extension", "payload", *(f"time at {share} (s)" for share in shares),
               *(f"way at {share} ({unit})" for share in shares)]
    columns += [f"way of the tip at {shares[-1]} (mm)"] if table.turns else []
    rows: list[list[Cell]] = []
    for i, extension in enumerate(table.extensions):
        for j, load in enumerate(table.loads):
            cells = [f"{time:.3f}" if math.isfinite(time) else NONE for time in table.time[i, j]]
            cells += [f"{way / scale:.2f}" if math.isfinite(way) else NONE for way in table.distance[i, j]]
            tip = table.arc[i, j, -1]
            cells += ([f"{1000 * tip:.0f}" if math.isfinite(tip) else NONE]) if table.turns else []
            rows.append([percent(extension), percent(load) if found.mass else "none", *cells])
    speed = f"{number(table.speed / scale)} {unit}/s"
    note = f"100 %: speed {speed}, extension {number(1000 * table.reach)} mm"
    note += f", payload {number(found.mass)} kg." if found.mass else "; no payload is stated."
    lacking = [percent(share) for share in (1 / 3, 2 / 3) if share not in table.extensions]
    note += f" The tip does not come as near as {' and '.join(lacking)}." if lacking else ""
    if np.isnan(table.time).any():
        why = "brakes do not hold it there" if table.category == 0 else "limits leave no stop"
        note += f" {NONE}: the {why}."
    words = "power off, brakes" if table.category == 0 else "braked by the drives"
    return Table(f"{table.joint}: category {table.category}, {words}", columns, rows, note, left=2,
                 as_written=True)


def _stop_chart(tables: Sequence[JointStops]) -> Chart:
    """Ways over speeds at the largest payload."""
    first = tables[0]
    scale, unit = (DEGREE, "\N{DEGREE SIGN}") if first.turns else (1e-3, "mm")
    traces = []
    for table in tables:
        for i, extension in enumerate(table.extensions):
            x = [0.0, *(100 * share for share in table.speeds)]
            y = [0.0, *(float(way) / scale for way in table.distance[i, -1])]
            traces.append({"type": "scatter", "mode": "lines+markers", "x": x, "y": np.array(y),
                           "name": f"category {table.category}, extension {percent(extension)}",
                           "line": {"color": COLORS[i], "width": 2, "dash": "dot" if table.category else "solid"}})
    layout = {"xaxis": {"title": {"text": "speed (%)"}, "range": [0, 103]},
              "yaxis": {"title": {"text": f"stopping way ({unit})"}, "rangemode": "tozero"}}
    return Chart(f"{first.joint}: stopping way at the full payload", traces, layout, 300)


# Drives


def drive_section(found: Sequence[TorqueSpeed], duty: str) -> Section:
    """A chart for each drive."""
    lead = (f"Every instant of the duty ({duty}) as torque over speed, magnitudes, of the motor where a drive train is "
            "known, else of the joint; beside it what is allowed: at most (line), and lasting (dashes), which the RMS "
            "(cross) has to stay under.")
    rows: list[list[Cell]] = []
    for one in found:
        speed, speed_unit = _speed_unit(one)
        rows.append([one.drive, one.motor or ("motor" if one.at_motor else "at the joint"),
                     f"{number(float(np.abs(one.speed).max()) / speed)} {speed_unit}",
                     f"{number(float(np.abs(one.torque).max()))} {one.unit}", f"{number(one.rms_torque)} {one.unit}",
                     _of(one.peak, one.unit), _of(one.continuous, one.unit)])
    table = Table("Drives over the duty", ["drive", "motor", "largest speed", "largest torque", "RMS torque",
                                           "allowed at standstill", "lasting at standstill"], rows, left=2, mixed=True)
    return Section("Drives: torque over speed", lead, [table, *(_cloud(one) for one in found)])


def _of(limit: Limit, unit: str) -> str:
    return f"{number(limit[0][1])} {unit}" if limit else NONE


def _speed_unit(one: TorqueSpeed) -> tuple[float, str]:
    if one.linear:
        return 1.0, "m/s"
    return (math.pi / 30, "rpm") if one.at_motor else (DEGREE, "\N{DEGREE SIGN}/s")


def _cloud(one: TorqueSpeed) -> Chart:
    scale, unit = _speed_unit(one)
    speed, torque = np.abs(one.speed) / scale, np.abs(one.torque)
    drives = one.speed * one.torque >= 0
    farthest = max(float(speed.max(initial=0.0)), *(v / scale for v, _ in (*one.peak, *one.continuous)), 1e-9)
    traces: list[dict[str, Any]] = []
    for words, which, color in (("drives", drives, COLORS[0]), ("brakes", ~drives, COLORS[3])):
        rows = np.flatnonzero(which)
        if len(rows) > MOST_POINTS:
            rows = rows[seen(torque[rows], MOST_POINTS)]
        if len(rows):
            traces.append({"type": "scatter", "mode": "markers", "name": words, "x": speed[rows], "y": torque[rows],
                           "marker": {"color": color, "size": 4}})
    for words, limit, dash in (("at most", one.peak, "solid"), ("lasting", one.continuous, "dash")):
        if limit:
            points = [(v / scale, m) for v, m in limit]
            closed = [*points, (points[-1][0], 0.0)] if len(points) > 1 else [*points, (farthest, points[0][1])]
            traces.append({"type": "scatter", "mode": "lines", "name": words, "x": [v for v, _ in closed],
                           "y": np.array([m for _, m in closed]), "line": {"color": INK, "width": 2, "dash": dash}})
    traces.append({"type": "scatter", "mode": "markers", "name": "RMS", "x": [one.rms_speed / scale],
                   "y": np.array([one.rms_torque]),
                   "marker": {"symbol": "x", "size": 11, "color": COLORS[1]}})
    words = "force" if one.linear else "torque"
    layout = {"xaxis": {"title": {"text": f"speed ({unit})"}, "rangemode": "tozero"},
              "yaxis": {"title": {"text": f"{words} ({one.unit})"}, "rangemode": "tozero"}, "hovermode": "closest"}
    where = f", {label(one.motor)}" if one.motor else (": motor" if one.at_motor else ": at the joint")
    return Chart(f"{one.drive}{where}", traces, layout, 270)
