"""The arm as lines, at rest or moved: beams follow their curves, rigid links are straight; and pictures of its
vibrations, of how it buckles, and of its lowest frequency over the workspace.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from loadpath.drawing.scene import scene, trace
from loadpath.robot.beams.placement import link_in_joint_frame
from loadpath.robot.joints import Fixed
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Joint, Link
from loadpath.robot.pose import Pose
from loadpath.scalars.types import Floats
from loadpath.structure.deflection import Deflection

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from loadpath.scalars.types import Floats
    from loadpath.structure.quantities import ElasticQuantities
    from loadpath.structure.vibration.buckling import BucklingShape
    from loadpath.structure.vibration.frequencies import BeamLine, Modes
    from loadpath.structure.vibration.frequency_map import FrequencyMap
    from loadpath.structure.vibration.model import VibrationModel


POINTS = 5
"""Points along a beam whose deflection is computed; between them the curve is a cubic."""
SHARE = 0.12
"""Share of the arm's size that the largest displacement is drawn at with magnification="auto"."""


class Curve(NamedTuple):
    """A beam's middle line (points, 3) and its displacement; world axes, m."""

    beam: int
    link: str
    points: Floats
    displacement: Floats


class LoopSide(NamedTuple):
    """Where a loop holds a link, and how far that place moves; world axes, m."""

    link: str
    place: Floats
    displacement: Floats


class ArmShape(NamedTuple):
    """Places and displacements of an arm: beams as curves, the other links by their joint frames and link frames."""

    curves: tuple[Curve, ...]
    roots: Floats
    """(links, 3): origins of the links' joint frames, and their displacement."""
    root_displacement: Floats
    tips: Floats
    """(links, 3): origins of the link frames."""
    tip_displacement: Floats
    loop_sides: tuple[LoopSide, ...] = ()

    def largest(self) -> float:
        """The largest displacement, m."""
        parts = [self.root_displacement, self.tip_displacement, *(curve.displacement for curve in self.curves),
                 *(side.displacement for side in self.loop_sides)]
        return max(float(np.linalg.norm(part, axis=-1).max(initial=0.0)) for part in parts)

    def size(self) -> float:
        """The largest extent of the arm, m."""
        sides = [side.place[None] for side in self.loop_sides]
        points = np.concatenate([self.roots, self.tips, *(curve.points for curve in self.curves), *sides])
        return float(np.ptp(points, axis=0).max(initial=0.0)) or 1.0


def marked(arm: ElasticQuantities) -> tuple[ElasticQuantities, list[list[str]]]:
    """The arm with massless frames along every beam and where loops hold its links, whose deflection is that of the
    sections; and the names of those along each beam, then of those of the loops.
    """
    links, joints, names = list(arm.links), list(arm.joints), []
    for number, beam in enumerate(arm.placed_beams):
        into_link = link_in_joint_frame(arm, beam.link).inverse()
        names.append([f"beam {number} point {k}" for k in range(POINTS)])
        for name, share in zip(names[-1], np.linspace(0.0, 1.0, POINTS), strict=True):
            at = into_link.transform((1 - share) * beam.start + share * beam.end)
            links.append(Link(name))
            joints.append(Joint(f"{name} weld", beam.link, name, Fixed(), Pose(translation=at.tolist())))
    sides = [(f"side {k}", link, pose) for k, (link, pose) in enumerate(_loop_frames(arm))]
    links += [Link(name) for name, _, _ in sides]
    joints += [Joint(f"{name} weld", link, name, Fixed(), pose) for name, link, pose in sides]
    names.append([name for name, _, _ in sides])
    return replace(arm, links=tuple(links), joints=tuple(joints)), names


def _loop_frames(arm: RobotModel) -> list[tuple[str, Pose]]:
    """The links that loops hold, and the frames of these on them."""
    return [side for loop in arm.loops for side in ((loop.first, loop.at), (loop.second, loop.on))]


def loop_places(arm: RobotModel, poses: Floats) -> list[tuple[str, Floats]]:
    """Links that loops hold, and where (3,), for the poses of all links."""
    frames = [(link, poses[arm.link_names.index(link)], pose.p) for link, pose in _loop_frames(arm)]
    return [(link, pose[:3, :3] @ at + pose[:3, 3]) for link, pose, at in frames]


def deflected(
    arm: ElasticQuantities, q: Floats, qd: Floats, qdd: Floats, options: Mapping[str, object],
    finely: tuple[ElasticQuantities, list[list[str]]] | None = None,
) -> tuple[ArmShape, Deflection]:
    """The shape of one state, and the deflection that it is made of; `finely` is `marked(arm)`, of many states."""
    finer, (*names, sides) = marked(arm) if finely is None else finely
    found: Deflection = cast(Any, finer).deflection(q, qd, qdd, **options)  # with loops or without
    poses = np.asarray(finer.link_poses(q), dtype=float)
    moved = {
        link: (poses[k, :3, 3], found.displacement[k], found.rotation[k]) for k, link in enumerate(finer.link_names)
    }
    curves = []
    for number, (beam, along) in enumerate(zip(arm.placed_beams, names, strict=True)):
        points, displacement, rotation = (np.array(part) for part in zip(*(moved[name] for name in along), strict=True))
        direction = (points[-1] - points[0]) / beam.length
        curves.append(_smooth(number, beam.link, beam.length, points, displacement, np.cross(rotation, direction)))
    roots, root_displacement = [], []
    sliding = {guide.inner for guide in arm.placed_guides}
    starts = {curve.link: curve for curve in reversed(curves) if curve.link not in sliding}
    sliders = {curve.link: curve for curve in curves if curve.link in sliding}
    for link in arm.link_names:
        at, displacement, rotation = moved[link]
        root = joint_origin(arm, link, poses[finer.link_names.index(link)])
        if link in starts:  # what starts there is rigid with the joint frame
            at, displacement = starts[link].points[0], starts[link].displacement[0]
            rotation = found.rotation[finer.link_names.index(names[starts[link].beam][0])]
        elif link in sliders:  # nothing holds the joint frame but the beam itself
            curve = sliders[link]
            k = int(np.linalg.norm(curve.points - root, axis=1).argmin())
            at, displacement, rotation = curve.points[k], curve.displacement[k], np.zeros(3)
        roots.append(root)
        root_displacement.append(displacement + np.cross(rotation, root - at))
    own = [finer.link_names.index(link) for link in arm.link_names]
    held = tuple(LoopSide(link, *moved[side][:2]) for side, (link, _) in zip(sides, _loop_frames(arm), strict=True))
    shape = ArmShape(
        tuple(curves), np.array(roots), np.array(root_displacement), poses[own, :3, 3], found.displacement[own], held
    )
    return shape, found


def resting(arm: ElasticQuantities, q: Floats) -> ArmShape:
    """The undeflected arm in a pose; its beams by their two ends."""
    poses = np.asarray(arm.link_poses(q), dtype=float)
    roots = np.array([joint_origin(arm, link, pose) for link, pose in zip(arm.link_names, poses, strict=True)])
    curves = []
    for number, beam in enumerate(arm.placed_beams):
        ends = beam_points(arm, poses, number, np.array([0.0, beam.length]))
        curves.append(Curve(number, beam.link, ends, np.zeros((2, 3))))
    held = tuple(LoopSide(link, place, np.zeros(3)) for link, place in loop_places(arm, poses))
    return ArmShape(tuple(curves), roots, np.zeros_like(roots), poses[:, :3, 3], np.zeros_like(roots), held)


def beam_points(arm: RobotModel, poses: Floats, beam: int, x: Floats) -> Floats:
    """(points, 3): points on a beam's middle line, by their distance from its start, for the poses of all links."""
    placed = arm.placed_beams[beam]
    pose = poses[arm.link_names.index(placed.link)]
    R = pose[:3, :3] @ link_in_joint_frame(arm, placed.link).R.T
    return np.asarray(joint_origin(arm, placed.link, pose) + (placed.start + x[:, None] * placed.axes[:, 0]) @ R.T)


def joint_origin(arm: RobotModel, link: str, pose: Floats) -> Floats:
    """Where the origin of a link's joint frame is, from the pose of the link's frame."""
    return np.asarray(pose[:3, :3] @ link_in_joint_frame(arm, link).inverse().p + pose[:3, 3])


def _smooth(number: int, link: str, length: float, points: Floats, displacement: Floats, slope: Floats) -> Curve:
    """Cubics through the displacements with their slopes, sixteen steps to a point."""
    from scipy.interpolate import CubicHermiteSpline

    x = np.linspace(0.0, length, len(points))
    fine = np.linspace(0.0, length, 16 * (len(points) - 1) + 1)
    line = points[0] + fine[:, None] / length * (points[-1] - points[0])
    return Curve(number, link, line, np.asarray(CubicHermiteSpline(x, displacement, slope)(fine)))


def rigid_lines(arm: RobotModel, shape: ArmShape, factor: float) -> list[tuple[str, Floats]]:
    """The straight parts, (2, 3) each, with their links: rigid links, and what holds a child that is off the beam."""
    number = {link: k for k, link in enumerate(arm.link_names)}
    sliding = {guide.inner for guide in arm.placed_guides if guide.inner_beam is not None}
    guided = {guide.joint for guide in arm.placed_guides if guide.outer_beam is not None}
    roots = shape.roots + factor * shape.root_displacement
    tips = shape.tips + factor * shape.tip_displacement
    found = []
    for link, k in number.items():
        # Places from which a straight part may start: the joint frame, and every point of the beams.
        rest, now = [shape.roots[k : k + 1]], [roots[k : k + 1]]
        for curve in shape.curves:
            if curve.link == link:
                rest.append(curve.points)
                now.append(curve.points + factor * curve.displacement)
                # What starts off its joint is held there, but not a beam that slides past it.
                if np.linalg.norm(curve.points[0] - shape.roots[k]) > 1e-9 and link not in sliding:
                    found.append((link, np.array([roots[k], now[-1][0]])))
        at_rest, moved = np.concatenate(rest), np.concatenate(now)
        wanted = [(shape.roots[number[j.child]], roots[number[j.child]])
                  for j in arm.joints if j.parent == link and j.name not in guided]
        wanted.append((shape.tips[k], tips[k]))
        wanted += [(side.place, side.place + factor * side.displacement)
                   for side in shape.loop_sides if side.link == link]
        for still, end in wanted:
            nearest = int(np.linalg.norm(at_rest - still, axis=1).argmin())
            if np.linalg.norm(at_rest[nearest] - still) > 1e-9:
                found.append((link, np.array([moved[nearest], end])))
    return found


def pads(arm: RobotModel, shape: ArmShape, q: Floats, factor: float) -> tuple[Floats, list[str]]:
    """(pads, 3): where the pads of guides touch the beams, and words for each."""
    found, words = [], []
    curves = {curve.beam: curve for curve in shape.curves}
    for guide in arm.placed_guides:
        names = ("carriage",) if guide.guide.clamps else ("tail pad", "front pad")
        for pad, name in zip(guide.pads, names, strict=True):
            beam, station = (guide.outer_beam, pad.outer) if guide.inner_beam is None else (guide.inner_beam, pad.inner)
            if beam is None or station is None:
                continue
            curve, at = curves[beam], station.at(q) / arm.placed_beams[beam].length
            line = curve.points + factor * curve.displacement
            along = np.linspace(0.0, 1.0, len(line))
            found.append([float(np.interp(at, along, line[:, k])) for k in range(3)])
            words.append(f"{name} of joint '{guide.joint}'")
    return np.array(found).reshape(-1, 3), words


def magnification_of(shape: ArmShape, wanted: float | str) -> float:
    """The factor of the displacements: a number, or "auto" for one that makes them well seen (1, 2 or 5 times 10^k)."""
    if isinstance(wanted, str):
        if wanted != "auto":
            raise ValueError(f"magnification is {wanted!r}: expected a number or 'auto'")
        largest = shape.largest()
        if not 0 < largest < math.inf:
            return 1.0
        exact = SHARE * shape.size() / largest
        power = 10.0 ** math.floor(math.log10(exact))
        return max(step * power for step in (1.0, 2.0, 5.0) if step * power <= exact)
    if not math.isfinite(wanted):
        raise ValueError(f"magnification is {wanted}: expected a finite number")
    return float(wanted)


OUT, BACK, REST = "#0b4f6c", "#01a7c2", "#b8c4ce"


def mode_shape(modes: Modes, mode: int) -> ArmShape:
    """Of one state: displacements of the arm in a mode."""
    lines = [line._replace(displacement=line.displacement[mode]) for line in modes.beam_lines()]
    moved = modes.displacement[mode], modes.rotation[mode]
    return elastic_shape(modes.model, modes.q, lines, *moved, modes.coordinates[mode])


def elastic_shape(
    model: VibrationModel, q: Floats, lines: list[BeamLine], moved: Floats, turned: Floats, coordinates: Floats
) -> ArmShape:
    """Displacements of an arm by elastic coordinates (size,): those of its beams (`displacement` (points, 3)), and
    displacement and rotation of its link frames.
    """
    arm, unmoved = model.arm, resting(model.arm, q)
    curves = tuple(Curve(k, line.link, line.points, line.displacement) for k, line in enumerate(lines))
    roots, at = unmoved.roots, unmoved.tips
    root_moved = moved + np.cross(turned, roots - at)
    for curve in model.at(q[None]).beam_lines(coordinates[None], 2):  # a beam starts on the joint's frame
        k = arm.link_names.index(curve.link)
        root_moved[k] = curve.start[0, :3] + np.cross(curve.start[0, 3:], roots[k])
    held = []
    for link, place, _ in unmoved.loop_sides:
        k = arm.link_names.index(link)
        by = moved[k] + np.cross(turned[k], place - at[k])
        beams = [curve for curve in curves if curve.link == link]
        if beams:  # the nearest section holds it
            points = np.concatenate([curve.points for curve in beams])
            near = int(np.linalg.norm(points - place, axis=1).argmin())
            by = np.concatenate([curve.displacement for curve in beams])[near]
        held.append(LoopSide(link, place, by))
    return ArmShape(curves, roots, root_moved, at, moved, tuple(held))


def mode_figure(modes: Modes, mode: int = 0, magnification: float | str = "auto") -> Figure:
    """The arm at rest and at both ends of a vibration, as a Plotly figure."""
    import plotly.graph_objects as go

    if modes.frequencies.ndim != 1:
        raise ValueError("a figure of modes is of one state: choose it, modes[3].plot()")
    if not 0 <= mode < len(modes.frequencies):
        raise ValueError(f"mode is {mode}: there are 0 to {len(modes.frequencies) - 1}")
    if not np.isfinite(modes.frequencies[mode]):
        raise ValueError(f"mode {mode} has the frequency {modes.frequencies[mode]}: it has no shape")
    arm, shape = modes.model.arm, mode_shape(modes, mode)
    factor = magnification_of(shape, magnification)
    figure = go.Figure()
    for name, color, width, by in (("at rest", REST, 5, 0.0), ("out", OUT, 8, factor), ("back", BACK, 5, -factor)):
        lines = [curve.points + by * curve.displacement for curve in shape.curves]
        lines += [line for _, line in rigid_lines(arm, shape, by)]
        figure.add_trace(trace(lines, name, color, width))
    at = shape.roots + factor * shape.root_displacement
    figure.add_trace(go.Scatter3d(x=at[:, 0], y=at[:, 1], z=at[:, 2], mode="markers", name="joints", hoverinfo="text",
                                  text=list(arm.link_names), marker={"color": "#1d2730", "size": 4}))
    words = f"{arm.name}: mode {mode + 1}, {modes.frequencies[mode]:.4g} Hz, {modes.names[mode]}"
    figure.update_layout(scene(words, figure))
    return figure


def buckling_figure(shape: BucklingShape, magnification: float | str = "auto") -> Figure:
    """The arm before it buckles and as it gives way, as a Plotly figure."""
    import plotly.graph_objects as go

    if shape.factor.ndim:
        raise ValueError("a figure of buckling is of one state: choose it, buckling[3].shape.plot()")
    if not np.isfinite(shape.factor):
        raise ValueError(f"the factor is {float(shape.factor)}: there is no shape of buckling")
    arm = shape.model.arm
    lines = [line._replace(displacement=line.displacement[0]) for line in shape.beam_lines()]
    moved = elastic_shape(shape.model, shape.q, lines, shape.displacement, shape.rotation, shape.coordinates)
    factor = magnification_of(moved, magnification)
    figure = go.Figure()
    for name, color, width, by in (("unbuckled", REST, 5, 0.0), ("buckling", OUT, 8, factor)):
        curves = [curve.points + by * curve.displacement for curve in moved.curves]
        curves += [line for _, line in rigid_lines(arm, moved, by)]
        figure.add_trace(trace(curves, name, color, width))
    at = moved.roots + factor * moved.root_displacement
    figure.add_trace(go.Scatter3d(x=at[:, 0], y=at[:, 1], z=at[:, 2], mode="markers", name="joints", hoverinfo="text",
                                  text=list(arm.link_names), marker={"color": "#1d2730", "size": 4}))
    words = f"{arm.name}: buckles at {float(shape.factor):.4g} times the loads, most in '{shape.names[()]}'"
    figure.update_layout(scene(words, figure))
    return figure


def map_figure(chart: FrequencyMap) -> Figure:
    """A map of the lowest frequency as a Plotly figure."""
    import plotly.graph_objects as go

    bar = {"title": {"text": "Hz"}}
    figure = go.Figure()
    missing = chart.left_out
    title = f"Lowest natural frequency: {chart.lowest:.4g} to {chart.highest:.4g} Hz{f'; {missing}' if missing else ''}"
    heading = {"text": title, "font": {"size": 15}}
    layout: dict[str, object] = {"template": "plotly_white", "title": heading, "height": 520}
    names = [f"{name} ({unit})" for (name, _), unit in zip(chart.axes, chart.units, strict=True)]
    if len(names) == 2:
        (_, first), (_, second) = chart.axes
        figure.add_trace(
            go.Heatmap(x=first, y=second, z=chart.frequencies.T, colorscale="Viridis", colorbar=bar,
                       hovertemplate=f"{names[0]} %{{x:.3g}}<br>{names[1]} %{{y:.3g}}<br>%{{z:.4g}} Hz<extra></extra>")
        )
        layout |= {"xaxis": {"title": {"text": names[0]}}, "yaxis": {"title": {"text": names[1]}}}
    elif len(names) == 1:
        figure.add_trace(go.Scatter(x=chart.axes[0][1], y=chart.frequencies, mode="lines", line={"color": OUT}))
        layout |= {"xaxis": {"title": {"text": names[0]}}, "yaxis": {"title": {"text": "Hz"}, "rangemode": "tozero"}}
    else:
        at, f = chart.tip_positions.reshape(-1, 3), chart.frequencies.ravel()
        figure.add_trace(
            go.Scatter3d(x=at[:, 0], y=at[:, 1], z=at[:, 2], mode="markers", text=[f"{v:.4g} Hz" for v in f],
                         hoverinfo="text", marker={"size": 3, "color": f, "colorscale": "Viridis", "showscale": True,
                                                   "colorbar": bar})
        )
        layout = {**scene(f"{title}, where '{chart.tip}' is", figure), "showlegend": False}
    figure.update_layout(layout)
    return figure
