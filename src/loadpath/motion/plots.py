"""A motion as a figure: positions, speeds and accelerations over time, with the limits as dashed lines."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.motion.checks import tracks
from loadpath.plotting import COLORS, label, seen

if TYPE_CHECKING:
    from loadpath.motion.motion import Motion


def figure(motion: Motion) -> Any:
    """A Plotly figure in three rows; a click on a name hides all three curves of a joint."""
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots

    rows = (("position", motion.q, motion.coordinate_names, ""), ("speed", motion.qd, motion.dof_names, "/s"),
            ("acceleration", motion.qdd, motion.dof_names, "/s²"))
    plot = make_subplots(rows=3, cols=1, shared_xaxes=True, vertical_spacing=0.05)
    shown: set[str] = set()
    colors: dict[str, str] = {}
    for row, (what, values, names, per) in enumerate(rows, start=1):
        for k, name in enumerate(names):
            color = colors.setdefault(name, COLORS[len(colors) % len(COLORS)])
            line, text = {"color": color, "width": 1.8}, label(name)
            picked = seen(values[:, k])
            plot.add_trace(
                go.Scatter(x=motion.t[picked], y=values[picked, k], name=text, legendgroup=text, line=line,
                           mode="lines", showlegend=name not in shown, hovertemplate="%{y:.4g}"),
                row=row, col=1,
            )
            shown.add(name)
        plot.update_yaxes(title_text=f"{what} ({_units(motion, per)})", row=row, col=1)
    if motion.robot is not None:
        _limits(plot, motion, colors)
    plot.update_xaxes(title_text="time (s)", row=3, col=1)
    plot.update_layout(template="plotly_white", height=760, hovermode="x unified", margin={"t": 30, "r": 20},
                       legend={"title": "joint"})
    return plot


def _units(motion: Motion, per: str) -> str:
    if motion.robot is None:
        return f"rad{per} or m{per}"
    angular = [a for j in motion.robot.joints if j.mimic is None for a in j.motion.angular]
    kinds = [unit for unit, there in (("rad", any(angular)), ("m", not all(angular))) if there]
    return ", ".join(f"{unit}{per}" for unit in kinds)


def _limits(plot: Any, motion: Motion, colors: dict[str, str]) -> None:
    """Limits of every joint in its color, where they are near enough to be seen with the motion."""
    robot = motion.robot
    assert robot is not None
    t = [float(motion.t[0]), float(motion.t[-1])]
    for track in tracks(robot):
        if track.joint.mimic is not None:
            continue
        limits = track.joint.limits[track.k]
        name = robot.dof_names[track.v]
        bounds = [(2, motion.qd, bound) for bound in (-limits.velocity, limits.velocity)]
        if track.coordinate is not None:
            bounds += [(1, motion.q, bound) for bound in (limits.lower, limits.upper)]
        for row, values, bound in bounds:
            if math.isfinite(bound) and abs(bound) <= 3 * float(np.abs(values).max()):
                line, text = {"color": colors[name], "width": 1, "dash": "dash"}, label(name)
                plot.add_scatter(x=t, y=[bound, bound], mode="lines", line=line, name=f"limit of {text}",
                                 legendgroup=text, showlegend=False, hoverinfo="skip", row=row, col=1)
