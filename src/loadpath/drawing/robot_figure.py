"""A robot drawn in the poses of its states, with the loads of its joints if they are wanted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Unpack

import numpy as np

from loadpath.digits import number
from loadpath.drawing.scene import Solid, ball, bevelled, prism, scene, together, trace
from loadpath.drawing.skeleton import Pin, apart, arrow_lines, outline_of, pins_and_points, xyz
from loadpath.plotting import COLORS, label
from loadpath.quantities.carriers import carriers
from loadpath.quantities.load_keywords import LoadKeywords, takes_loads
from loadpath.scalars.types import ArrayLike, Floats
from loadpath.states import LoadCase, StateBatch, StatesLike, read_states

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from loadpath.quantities.table import RobotQuantities

BASE, JOINT, FADED, PATH, FORCE, TORQUE = "#9aa7b2", "#33414d", "#b9c4cd", "#e08e0b", "#d1495b", "#0b5cad"
LINKS = tuple(color for color in COLORS if color not in (FORCE, PATH))
FEW_LINKS = 14
"""Up to so many links have a line in the legend."""
RADIUS = 0.022
"""Radius of a joint, of the robot's size."""
LONGEST_ARROW = 0.25
"""Length of the longest arrow, of the robot's size."""
SHORTEST_ARROW = 0.005
"""Of the longest arrow: shorter ones are left out."""
MOST_POINTS = 2000
"""Points of a path."""
AXES = {"x": "#d62728", "y": "#2ca02c", "z": "#1f77b4"}


@takes_loads
def plot(
    robot: RobotQuantities,
    q: StatesLike | None = None,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    loads: bool = False,
    frames: bool = False,
    poses: int = 6,
    title: str | None = None,
    **acting: Unpack[LoadKeywords],
) -> Figure:
    """The robot as a Plotly figure: `robot.plot(q).show()`. Links are lines between their joints; cylinders are joints
    that turn, about their axes, boxes those that slide, balls those with several freedoms. The pointer shows names,
    types and positions.

    `q` is one state, a batch of states, a motion or a simulation; without it the robot is drawn unmoved, a robot with
    loops in its `home`. Of many states up to `poses` are drawn, the last in colour, with the paths of the ends.
    `loads=True` adds force (red) and torque (blue) at every joint in the (last) state, exerted by the parent on the
    child; `external=`, `base_velocity=` and `base_acceleration=` are as in `joint_wrenches`. `frames=True` adds the
    axes of the links' frames (x red, y green, z blue). An arm with beams is drawn unbent; `plot_deflection` bends it.

    >>> import loadpath as lp
    >>> arm = lp.catalog.panda()
    >>> figure = arm.plot(lp.Motion.swing(arm), loads=True)
    >>> [part.name for part in figure.data if part.name in ("force", "torque", "path of panda_link8")]
    ['path of panda_link8', 'force', 'torque']
    """
    import plotly.graph_objects as go

    case = acting["under"]
    if case.given and not loads:
        raise ValueError(f"plot: {', '.join(case.given)} belong to loads=True, which draws what the joints carry")
    batch = _states(robot, q, qd, qdd, case)
    if not isinstance(poses, int) or poses < 1:
        raise ValueError(f"poses is {poses!r}: expected how many to draw, a whole number from 1")
    count = max(len(batch), 0)
    if not count:
        raise ValueError("plot: there is no state to draw")
    chosen = np.unique(np.linspace(count - 1, 0, min(count, poses)).round().astype(int))
    placed = np.asarray(robot.link_poses(np.stack([batch.rows(int(k))[0] for k in chosen])), dtype=float)
    if not np.isfinite(placed).all():
        raise ValueError("plot: a state that is to be drawn has a NaN or an infinite number")
    figure = go.Figure()
    one = batch.rows(int(chosen[-1]))
    force, torque = np.zeros((len(carriers(robot)), 3)), np.zeros((len(carriers(robot)), 3))
    if loads:
        wrenches = robot.joint_wrenches(*one, **batch.case_of(int(chosen[-1])).keywords)
        force, torque = np.asarray(wrenches.force, dtype=float), np.asarray(wrenches.torque, dtype=float)
    drawn = [_skeleton(robot, pose, force) for pose in placed]
    size = _size(placed, [points for _, points in drawn])
    for _, points in drawn[:-1]:
        figure.add_trace(trace(_lines(points), "earlier poses", FADED, 4, showlegend=False))
    _add_links(figure, robot, drawn[-1][1])
    _add_joints(figure, robot, drawn[-1][0], one[0], size)
    if count > 1:
        _add_paths(figure, robot, batch)
    if frames:
        _add_frames(figure, robot, placed[-1], 0.08 * size)
    if loads:
        turned = _skeleton(robot, placed[-1], torque)[0]
        for name, color, pins in (("force", FORCE, drawn[-1][0]), ("torque", TORQUE, turned)):
            _add_arrows(figure, name, color, pins, size)
    figure.update_layout(scene(label(title or robot.name), figure), scene_camera_eye={"x": 1.45, "y": -1.65, "z": 0.85})
    return figure


def _states(
    robot: RobotQuantities, q: StatesLike | None, qd: ArrayLike | None, qdd: ArrayLike | None, case: LoadCase
) -> StateBatch:
    if q is None:
        q = getattr(robot, "home", None)  # of a robot with loops
        q = robot.neutral() if q is None else q
    states = read_states(robot, q, qd, qdd, caller="plot", at_rest=True, counts_loads=True)
    return StateBatch(robot, states, case.with_motion_of(q, robot, "plot"), caller="plot")


def _skeleton(robot: RobotQuantities, poses: Floats, force: Floats) -> tuple[list[Pin], dict[str, list[Floats]]]:
    pins, points = pins_and_points(robot, dict(zip(robot.link_names, poses, strict=True)), force)
    if len(apart(np.array(points[robot.base.name]).reshape(-1, 3))) == 1:
        points[robot.base.name].append(poses[0, :3, 3])  # a column from the base's origin to its only joint
    return pins, points


def _lines(points: Mapping[str, list[Floats]]) -> list[Floats]:
    outlines = [outline_of(np.array(found)) for found in points.values() if found]
    return [outline for outline in outlines if len(outline) > 1]


def _size(placed: Floats, drawn: list[dict[str, list[Floats]]]) -> float:
    """The largest extent (m), of the robot in one pose, not of all together."""
    sizes = []
    for pose, points in zip(placed, drawn, strict=True):
        every = np.concatenate([pose[:, :3, 3], *(np.array(found).reshape(-1, 3) for found in points.values())])
        sizes.append(float(np.ptp(every, axis=0).max(initial=0.0)))
    return max(sizes) or 1.0


def _add_links(figure: Figure, robot: RobotQuantities, points: Mapping[str, list[Floats]]) -> None:
    outlines = {name: outline_of(np.array(found)) for name, found in points.items() if found}
    shown = {name: outline for name, outline in outlines.items() if len(outline) > 1}
    for k, (name, outline) in enumerate(shown.items()):
        base = name == robot.base.name
        color, width = (BASE, 5) if base else (LINKS[k % len(LINKS)], 10)
        mass = robot.link(name).inertia.mass
        figure.add_trace(trace([outline], label(name), color, width, hoverinfo="text",
                               showlegend=len(shown) <= FEW_LINKS, text=f"{label(name)}<br>{number(mass)} kg"))


def _add_joints(figure: Figure, robot: RobotQuantities, pins: list[Pin], q: Floats, size: float) -> None:
    import plotly.graph_objects as go

    solids = [joint_solid(pin, RADIUS * size) for pin in pins if pin.moves]
    if not solids:
        return
    body = together(solids)
    i, j, k = body.triangles.T
    figure.add_trace(go.Mesh3d(**xyz(body.points), i=i, j=j, k=k, color=JOINT, flatshading=True, hoverinfo="skip",
                               name="joints", showlegend=True))
    moving = [pin for pin in pins if pin.moves]
    words = _positions(robot, q)
    figure.add_trace(
        go.Scatter3d(**xyz(np.array([pin.point for pin in moving])), mode="markers", hoverinfo="text", name="names",
                     text=[f"{label(pin.name)}<br>{words[pin.name]}" for pin in moving], showlegend=False,
                     marker={"size": 9, "opacity": 0.01, "color": JOINT})
    )


def joint_solid(pin: Pin, radius: float) -> Solid:
    """A joint as a body: a cylinder about the axis that it turns about, a box along that which it slides along, a ball
    where there is no single one.
    """
    if pin.axis is None:
        return ball(pin.point, 1.1 * radius)
    if pin.turns:
        return bevelled(pin.point, pin.axis, radius, 2.6 * radius)
    return prism(pin.point, pin.axis, 1.2 * radius, 4 * radius, sides=4)


def _positions(robot: RobotQuantities, q: Floats) -> dict[str, str]:
    """Type and coordinates of every joint and loop, in words."""
    found = {carrier.name: type(carrier.motion).__name__ for carrier in carriers(robot)}
    at = 0
    for joint in robot.joints:
        size = 0 if joint.mimic is not None else joint.motion.coordinates
        values = ", ".join(f"{value:.4g}" for value in q[at : at + size])
        at += size
        if joint.mimic is not None:
            found[joint.name] += f", follows {label(joint.mimic.joint)}"
        elif size:
            unit = {True: " rad", False: " m"}[joint.motion.angular[0]] if size == 1 else ""
            found[joint.name] += f": {values}{unit}"
    return found


def _add_paths(figure: Figure, robot: RobotQuantities, batch: StateBatch) -> None:
    """The paths of the ends, through all states or as many as are seen."""
    parents = {joint.parent for joint in robot.joints}
    ends = [k for k, name in enumerate(robot.link_names) if name not in parents]
    picked = np.unique(np.linspace(0, len(batch) - 1, min(len(batch), MOST_POINTS)).round().astype(int))
    places = np.asarray(robot.link_poses(np.stack([batch.rows(int(k))[0] for k in picked])), dtype=float)
    for k in ends[:FEW_LINKS]:
        path = places[:, k, :3, 3]
        figure.add_trace(trace([path], f"path of {label(robot.link_names[k])}", PATH, 3))


def _add_frames(figure: Figure, robot: RobotQuantities, poses: Floats, length: float) -> None:
    for k, (axis, color) in enumerate(AXES.items()):
        lines = [np.stack([pose[:3, 3], pose[:3, 3] + length * pose[:3, k]]) for pose in poses]
        figure.add_trace(trace(lines, f"{axis} axes", color, 4))
    import plotly.graph_objects as go

    figure.add_trace(
        go.Scatter3d(**xyz(poses[:, :3, 3]), mode="text", text=[label(name) for name in robot.link_names],
                     textposition="top center", textfont={"size": 10}, name="frames", hoverinfo="skip",
                     showlegend=False)
    )


def _add_arrows(figure: Figure, name: str, color: str, pins: list[Pin], size: float) -> None:
    """What every joint carries; `force` of the pins is here a force or a torque."""
    unit = "N" if name == "force" else "N m"
    strongest = max((float(np.linalg.norm(pin.force)) for pin in pins), default=0.0)
    shown = [pin for pin in pins if strongest and np.linalg.norm(pin.force) > SHORTEST_ARROW * strongest]
    lines, words = [], []
    for pin in shown:
        tip = pin.point + pin.force * (LONGEST_ARROW * size / strongest)
        lines.append(arrow_lines(pin.point, tip, 0.03 * size))
        value = ", ".join(f"{x:.4g}" for x in pin.force)
        text = f"{label(pin.name)}: {name} {np.linalg.norm(pin.force):.4g} {unit}<br>({value}), world axes"
        words += [text] * (len(lines[-1]) + 1)
    figure.add_trace(trace(lines, name, color, 5, hoverinfo="text", text=words))
