"""Pictures of a flexible arm under load: how it bends, and how safe its links are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Unpack

import numpy as np

from loadpath.drawing.scene import scene, trace
from loadpath.quantities.load_keywords import LoadKeywords, takes_loads
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import ArrayLike, Floats
from loadpath.states import LoadCase, StateBatch, StatesLike, count_words, place_of, read_states, unknown_states
from loadpath.structure.arm_lines import (
    beam_points,
    deflected,
    magnification_of,
    pads,
    resting,
    rigid_lines,
)
from loadpath.structure.stress import buckling_safety, sections_of, stress

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from loadpath.quantities.wrench import Wrench
    from loadpath.structure.quantities import ElasticQuantities
    from loadpath.structure.stress import BucklingSafety, Sections, Stress

REST, MOVED, RIGID, PADS = "#b8c4ce", "#0b4f6c", "#5c6b78", "#e4572e"
SAFE = 10.0
"""Safety from which on the color does not change any more."""


BESIDE = 0.02
"""Share of the arm's size by which tubes that slide in each other are drawn apart."""


def plot_deflection(
    arm: ElasticQuantities,
    q: StatesLike,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    magnification: float | str = "auto",
    title: str | None = None,
    external: Mapping[str, Wrench] | None = None,
    base_velocity: ArrayLike | None = None,
    base_acceleration: ArrayLike | None = None,
    **options: object,
) -> Figure:
    """A Plotly figure of one state: the deflected arm over the undeflected one, displacements drawn `magnification`
    times as large ("auto": the largest an eighth of the arm's size or a little less). Loads and `options` are those of
    `deflection`. Points along the beams show their displacement.

    >>> import loadpath as lp
    >>> tube = lp.Beam(lp.Tube(0.02, 0.002), lp.ALUMINIUM, end="tip_joint")
    >>> figure = lp.catalog.planar(1).with_beams({"link1": tube}).plot_deflection([0.3])
    >>> [line.name for line in figure.data][:2]
    ['undeflected', 'deflected, 200 times']
    """
    import plotly.graph_objects as go

    state = _one_state(arm, q, qd, qdd)
    if "axes" in options:
        raise ValueError("plot_deflection draws in world axes: leave 'axes' out")
    shape, found = deflected(arm, *state, options | LoadCase(external, base_velocity, base_acceleration).keywords)
    factor = magnification_of(shape, magnification)
    figure = go.Figure()
    still = [curve.points for curve in shape.curves] + [line for _, line in rigid_lines(arm, shape, 0.0)]
    figure.add_trace(trace(still, "undeflected", REST, 5))
    curves = [curve.points + factor * curve.displacement for curve in shape.curves]
    label = f"deflected, {factor:g} times" if factor != 1 else "deflected"
    figure.add_trace(trace(curves, label, MOVED, 8))
    rigid = [line for _, line in rigid_lines(arm, shape, factor)]
    if rigid:
        figure.add_trace(trace(rigid, "rigid parts", RIGID, 6))
    _points(figure, arm, shape.roots + factor * shape.root_displacement, shape.root_displacement, "joints")
    if arm.placed_guides:
        at, words = pads(arm, shape, state[0], factor)
        figure.add_trace(
            go.Scatter3d(x=at[:, 0], y=at[:, 1], z=at[:, 2], mode="markers", name="pads", text=words, hoverinfo="text",
                         marker={"color": PADS, "size": 5, "symbol": "square"})
        )
    _points(figure, arm, shape.tips + factor * shape.tip_displacement, shape.tip_displacement, "link frames", size=3)
    largest = float(np.linalg.norm(found.displacement, axis=-1).max(initial=0.0))
    text = title or f"{arm.name}: displaced by up to {1000 * largest:.3g} mm, drawn {factor:g} times"
    figure.update_layout(scene(text, figure))
    return figure


def _one_state(
    arm: ElasticQuantities, q: StatesLike, qd: ArrayLike | None, qdd: ArrayLike | None
) -> tuple[Floats, Floats, Floats]:
    states = read_states(arm, q, qd, qdd, caller="plot_deflection", at_rest=True)
    batch = StateBatch(arm, states, caller="plot_deflection")
    if batch.shape:
        raise ValueError(f"plot_deflection draws one state, but these have the batch shape {batch.shape}: choose one")
    one, speeds, accelerations = batch.rows(0)
    if not np.isfinite(np.concatenate([one, speeds, accelerations])).all():
        raise ValueError("plot_deflection: the state has a NaN or an infinite number")
    return one, speeds, accelerations


def _points(figure: Figure, arm: RobotModel, at: Floats, moved: Floats, name: str, size: int = 4) -> None:
    import plotly.graph_objects as go

    text = [
        f"{link}<br>{1000 * np.linalg.norm(u):.4g} mm ({', '.join(f'{1000 * v:.3g}' for v in u)})"
        for link, u in zip(arm.link_names, moved, strict=True)
    ]
    figure.add_trace(
        go.Scatter3d(x=at[:, 0], y=at[:, 1], z=at[:, 2], mode="markers", name=name, text=text, hoverinfo="text",
                     marker={"color": "#1d2730", "size": size})
    )


@takes_loads
def plot_safety(
    arm: ElasticQuantities,
    q: StatesLike,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    against: str = "both",
    sections: int = 25,
    title: str | None = None,
    **acting: Unpack[LoadKeywords],
) -> Figure:
    """A Plotly figure of the arm whose beams are colored by their safety: red at 1 and below, green from 10 on.

    `against` is "yield", "buckling" or "both" (the smaller of the two). Of a batch of states (a motion) every section
    shows its smallest safety over all of them, and the arm is drawn in the state with the smallest of all. Against
    buckling a section has the safety of `buckling_safety`, at most the factor of the whole arm, which the title has.
    Beams that slide in each other are drawn a little apart. Loads are as in `stress`.

    >>> import loadpath as lp
    >>> tube = lp.Beam(lp.Tube(0.02, 0.002), lp.ALUMINIUM, end="tip_joint")
    >>> arm = lp.catalog.planar(1).with_beams({"link1": tube})
    >>> arm.plot_safety([[0.0], [0.7]], against="yield").layout.title.text
    "planar1: smallest safety 122, link 'link1', 0 m along its beam, state 0"
    >>> print(arm.plot_safety([[0.0], [0.7]]).layout.title.text.split(";")[1].strip())
    the whole arm buckles at 2.82e+03 times its loads, state 1
    """
    import plotly.graph_objects as go

    if against not in ("yield", "buckling", "both"):
        raise ValueError(f"against is {against!r}: expected 'yield', 'buckling' or 'both'")
    states = read_states(arm, q, qd, qdd, caller="plot_safety", at_rest=True, counts_loads=True)
    case = acting["under"].with_motion_of(q, arm, "plot_safety")
    safety, where, batch, worst_state, missing, whole = _smallest(arm, states[:3], against, case, sections)
    k = int(np.nanargmin(safety))
    index = place_of(worst_state, batch)
    pose = np.broadcast_to(np.asarray(states.q, dtype=float), (*batch, arm.nq))[index]
    if arm.placed_guides:
        where = sections_of(arm, sections, pose)
    figure = go.Figure()
    shape, poses = resting(arm, pose), np.asarray(arm.link_poses(pose), dtype=float)
    figure.add_trace(trace([line for _, line in rigid_lines(arm, shape, 0.0)], "rigid parts", REST, 5))
    for beam in dict.fromkeys(where.beams):
        rows = sorted((i for i, number in enumerate(where.beams) if number == beam),
                      key=lambda i: float(where.positions[i]))
        points = beam_points(arm, poses, beam, where.positions[rows])
        points = points + _beside(arm, where.links[rows[0]], points[-1] - points[0], shape.size())
        text = [f"{where.links[i]}, {where.positions[i]:.4g} m<br>safety {safety[i]:.4g}" for i in rows]
        figure.add_trace(
            go.Scatter3d(x=points[:, 0], y=points[:, 1], z=points[:, 2], mode="lines", text=text,
                         hoverinfo="text", name=where.links[rows[0]], showlegend=False,
                         line={"width": 14, "color": np.log10(np.clip(safety[rows], 1.0, SAFE)), **_colors(beam == 0)})
        )
    roots = shape.roots
    figure.add_trace(
        go.Scatter3d(x=roots[:, 0], y=roots[:, 1], z=roots[:, 2], mode="markers", name="joints",
                     text=list(arm.link_names), hoverinfo="text", marker={"color": "#1d2730", "size": 4})
    )
    state = f", state {index[0] if len(index) == 1 else index}" if index else ""
    place = f"link '{where.links[k]}', {where.positions[k]:.3g} m along its beam{state}"
    words = f"{arm.name}: smallest safety {safety[k]:.3g}, {place}{whole}{f'; {missing}' if missing else ''}"
    figure.update_layout(scene(title or words, figure))
    return figure


def _beside(arm: RobotModel, link: str, along: Floats, size: float) -> Floats:
    """Where a beam that slides is drawn, so that it can be seen beside the one that it slides in."""
    outer, depth = {guide.inner: guide.outer for guide in arm.placed_guides}, 0
    while link in outer:
        link, depth = outer[link], depth + 1
    if depth == 0:
        return np.zeros(3)
    along = along / np.linalg.norm(along)
    down = np.array([0.0, 0.0, -1.0]) if abs(along[2]) < 0.9 else np.array([1.0, 0.0, 0.0])
    down = down - along * (along @ down)
    return np.asarray(BESIDE * size * depth * down / np.linalg.norm(down))


def _colors(shown: bool) -> dict[str, object]:
    ticks = [1, 1.5, 2, 3, 5, 10]
    bar = {"title": {"text": "safety"}, "tickvals": np.log10(ticks).tolist(), "len": 0.7,
           "ticktext": ["≤ 1", "1.5", "2", "3", "5", "≥ 10"]}
    scale = [[0.0, "#9b0d1b"], [0.3, "#e4572e"], [0.5, "#f3b61f"], [0.75, "#a2c63c"], [1.0, "#2a7f3f"]]
    return {"cmin": 0.0, "cmax": 1.0, "colorscale": scale, "showscale": shown, "colorbar": bar}


def _smallest(
    arm: ElasticQuantities,
    states: tuple[Floats, Floats, Floats],
    against: str,
    case: LoadCase,
    sections: int,
) -> tuple[Floats, Sections, tuple[int, ...], int, str, str]:
    """The smallest safety of every section over all states, the batch shape, the number of the worst state, which
    states are not numbers, and at what factor the whole arm buckles.
    """
    results: list[Stress | BucklingSafety] = []
    if against != "buckling":
        results.append(stress(arm, *states, sections=sections, under=case))
    whole = ""
    if against != "yield":
        buckling = buckling_safety(arm, *states, sections=sections, under=case)
        results.append(buckling)
        whole = _whole_arm(buckling)
    safety = np.minimum.reduce([np.asarray(result.safety) for result in results])
    where = results[0].sections
    batch = safety.shape[:-1]
    rows = safety.reshape(-1, safety.shape[-1])
    unknown = unknown_states(safety)
    if unknown.all():
        raise ValueError("plot_safety: there is no state without a NaN")
    lowest = np.where(unknown.reshape(-1, 1), np.inf, rows)
    return lowest.min(axis=0), where, batch, int(lowest.min(axis=1).argmin()), count_words(unknown), whole


def _whole_arm(buckling: BucklingSafety) -> str:
    if buckling.arm.unknown.all() or buckling.arm.worst.factor == np.inf:
        return ""
    factor, _, state = buckling.arm.worst
    at = f", state {state[0] if len(state) == 1 else state}" if state else ""
    return f"; the whole arm buckles at {factor:.3g} times its loads{at}"
