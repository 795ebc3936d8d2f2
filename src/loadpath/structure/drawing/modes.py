"""Pictures of vibrations: mode shapes, and the lowest frequency over the workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from loadpath.drawing.scene import scene, trace
from loadpath.structure.drawing.lines import ArmShape, Curve, magnification_of, resting, rigid_lines

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from loadpath.scalars.types import Floats
    from loadpath.structure.vibration.buckled import BucklingShape
    from loadpath.structure.vibration.frequency_map import FrequencyMap
    from loadpath.structure.vibration.model import VibrationModel
    from loadpath.structure.vibration.modes import BeamLine, Modes

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
    return ArmShape(curves, roots, root_moved, at, moved)


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
