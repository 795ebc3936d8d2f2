"""Figures 15 to 17 of Lau's thesis: a bent cantilever, its deflection in the next link, buckling modes."""

from __future__ import annotations

import warnings
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import loadpath as lp
from docs.source_figures.drawing import BLUE, GREEN, GREY, INK, RED, Vectors, figure, hatch
from loadpath.structure import critical_load
from loadpath.structure.arm_lines import deflected

ROD, L = lp.Rod(0.01), 1.0
EI = lp.STEEL.youngs_modulus * ROD.second_moment_y


def _link(length: float = L, gravity: float = 0.0) -> lp.FlexibleRobot:
    """A rod along x, clamped at the origin; z is up."""
    robot = lp.catalog.planar(1, length=length, gravity=gravity)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lp.ModelWarning)
        arm = robot.with_beams({"link1": lp.Beam(ROD, lp.STEEL, end="tip_joint")})
    assert isinstance(arm, lp.FlexibleRobot)
    return arm


def _curve(arm: lp.FlexibleRobot, q: list[float], external: dict[str, lp.Wrench], factor: float) -> list[Vectors]:
    """The bent middle lines of all beams, (points, 2) of x and z, exaggerated."""
    shape, _ = deflected(arm, np.array(q), np.zeros(arm.n), np.zeros(arm.n), {"external": external})
    return [(curve.points + factor * curve.displacement)[:, [0, 2]] for curve in shape.curves]


def _clean(panel: Axes) -> None:
    panel.set_aspect("equal")
    panel.axis("off")


def _arrow(panel: Axes, start: tuple[float, float], end: tuple[float, float], color: str, style: str = "-|>") -> None:
    panel.annotate("", end, xytext=start, arrowprops={"arrowstyle": style, "color": color, "lw": 1.6, "shrinkA": 0,
                                                      "shrinkB": 0, "mutation_scale": 10})


@figure("lau_15_cantilever")
def cantilever() -> Figure:
    """Figure 15: a force, a torque, and a weight at a; the beam's line from the model, all three ends equally low."""
    drawn, panels = plt.subplots(1, 3, figsize=(8.2, 2.7), layout="constrained")
    arm = _link()
    a, mass = 0.6, 2.0
    lumped = replace(arm.link("link1"), inertia=lp.Inertia(mass, (a, 0.0, 0.0)))
    weighed = replace(arm, links=tuple(lumped if one.name == "link1" else one for one in arm.links),
                      gravity=(0.0, 0.0, -9.81))
    cases = [
        (arm, {"tip": lp.Wrench((0, 0, -20.0))}, r"$m_y=\frac{L^3}{3EI}F_y,\quad n_z=\frac{L^2}{2EI}F_y$"),
        (arm, {"tip": lp.Wrench(torque=(0, 10.0, 0))}, r"$m_y=\frac{L^2}{2EI}N_z,\quad n_z=\frac{L}{EI}N_z$"),
        (weighed, {}, r"$m_y=\frac{a^2(3L-a)}{6EI}Mg,\quad n_z=\frac{a^2}{2EI}Mg$"),
    ]
    for k, (panel, (bent, external, formula)) in enumerate(zip(panels, cases, strict=True)):
        _clean(panel)
        tip = bent.deflection([0.0], external=external, effects=["bending"]).tip
        factor = 0.3 / -float(tip.displacement[2])
        (line,) = _curve(bent, [0.0], external, factor)
        panel.plot([0, L], [0, 0], color=GREY, lw=1.2, ls="--")
        panel.plot(line[:, 0], line[:, 1], color=BLUE, lw=3)
        hatch(panel, (0, -0.14), (0, 0.14), 0.05)
        end = line[-1]
        _arrow(panel, (L + 0.06, 0.0), (L + 0.06, end[1]), GREEN, "<|-|>")
        panel.text(L + 0.09, end[1] / 2, "$m_y$", color=GREEN, va="center")
        slope = factor * float(tip.rotation[1])
        panel.plot([end[0] - 0.3, end[0]], [end[1] + 0.3 * slope, end[1]], color=GREEN, lw=0.9)
        panel.plot([end[0] - 0.3, end[0]], [end[1], end[1]], color=GREEN, lw=0.9, ls=":")
        panel.text(end[0] - 0.15, end[1] - 0.07, "$n_z$", color=GREEN, ha="center", va="center")
        if k == 0:
            _arrow(panel, (end[0], end[1] + 0.34), (end[0], end[1] + 0.03), RED)
            panel.text(end[0] - 0.03, end[1] + 0.4, "$F_y$", color=RED, ha="center")
        elif k == 1:
            turned = np.linspace(2.4, -0.9, 30)
            ring = end[:, None] + 0.13 * np.array([np.cos(turned), np.sin(turned)])
            panel.plot(*ring, color=RED, lw=1.6)
            _arrow(panel, tuple(ring[:, -3]), tuple(ring[:, -1]), RED)
            panel.text(end[0] - 0.1, end[1] + 0.17, "$N_z$", color=RED, ha="center")
        else:
            at = np.argmin(np.abs(line[:, 0] - a))
            panel.plot(*line[at], "o", color=INK, ms=8)
            _arrow(panel, (a, line[at, 1]), (a, line[at, 1] - 0.26), RED)
            panel.text(a - 0.03, line[at, 1] - 0.28, "$Mg$", color=RED, ha="right", va="center")
            _arrow(panel, (0, 0.09), (a, 0.09), INK, "<|-|>")
            panel.text(a / 2, 0.12, "$a$", ha="center")
        panel.text(0.5, -0.58, formula, ha="center", fontsize=10)
        panel.set(xlim=(-0.1, 1.25), ylim=(-0.64, 0.24))
    panels[0].text(0.5, 0.03, "$L$", ha="center", color=GREY)
    return drawn


@figure("lau_16_propagation")
def propagation() -> Figure:
    """Figure 16: link i bends, link i + 1 is carried along: moved by m and turned by n."""
    drawn, panel = plt.subplots(figsize=(5.4, 3.2), layout="constrained")
    _clean(panel)
    robot = lp.catalog.planar(2, length=L, gravity=0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lp.ModelWarning)
        arm = robot.with_beams({"link1": lp.Beam(ROD, lp.STEEL, end="joint2")})
    assert isinstance(arm, lp.FlexibleRobot)
    q = [0.0, 0.75]
    external = {"tip": lp.Wrench((0, 0, -20.0))}
    found = arm.deflection(q, external=external, effects=["bending"])
    factor = 0.42 / -float(found.tip.displacement[2])
    (line,) = _curve(arm, q, external, factor)
    poses = arm.link_poses(q)
    elbow, tip = poses[2][:3, 3], poses[3][:3, 3]
    ends = [(point + factor * found[name].displacement)[[0, 2]] for name, point in (("link2", elbow), ("tip", tip))]
    panel.plot([0, elbow[0], tip[0]], [0, elbow[2], tip[2]], color=GREY, lw=1.4, ls="--")
    panel.plot(line[:, 0], line[:, 1], color=BLUE, lw=3.2)
    panel.plot(*np.array(ends).T, color=BLUE, lw=3.2)
    parallel = ends[0] + (tip - elbow)[[0, 2]]
    panel.plot(*np.array([ends[0], parallel]).T, color=GREY, lw=1.0, ls=":")
    for point in ends:
        panel.plot(*point, "o", color="white", mec=BLUE, mew=1.6, ms=6, zorder=5)
    hatch(panel, (0, -0.16), (0, 0.16), 0.05)
    _arrow(panel, (elbow[0], elbow[2]), tuple(ends[0]), GREEN)
    panel.text(elbow[0] - 0.03, (elbow[2] + ends[0][1]) / 2, r"${}_i\mathbf{m}$", color=GREEN, ha="right")
    _arrow(panel, (tip[0], tip[2]), tuple(ends[1]), RED)
    panel.text(
        tip[0] + 0.03, (tip[2] + ends[1][1]) / 2 + 0.1, r"${}_i\mathbf{m}+{}_i\mathbf{n}\times\mathbf{d}$", color=RED
    )
    start = np.arctan2(*(parallel - ends[0])[::-1])
    stop = np.arctan2(*(ends[1] - ends[0])[::-1])
    turned = np.linspace(start, stop, 20)
    ring = ends[0][:, None] + 0.5 * np.array([np.cos(turned), np.sin(turned)])
    panel.plot(*ring, color=GREEN, lw=1.3)
    _arrow(panel, tuple(ring[:, -3]), tuple(ring[:, -1]), GREEN)
    panel.text(*(ring[:, 8] + [0.04, 0.0]), r"${}_i\mathbf{n}$", color=GREEN)
    panel.text(0.4, 0.05, "link $i$", color=GREY, ha="center", fontsize=8.5)
    panel.text(elbow[0] + 0.32, elbow[2] + 0.42, "link $i+1$", color=GREY, ha="right", fontsize=8.5)
    panel.set(xlim=(-0.12, 2.25), ylim=(-0.45, 0.85))
    return drawn


@figure("lau_17_buckling")
def buckling() -> Figure:
    """Figure 17: the first three modes of a column clamped at its foot, and their loads.

    A mode is the first one of a column 2 mode - 1 times shorter, continued: at its end the curvature is zero, and the
    line goes on turned by half a revolution about that point.
    """
    drawn, panels = plt.subplots(1, 3, figsize=(6.0, 3.6), layout="constrained")
    beam = lp.Beam(ROD, lp.STEEL, end=(L, 0, 0))
    euler = np.pi**2 * EI / (4 * L**2)
    for mode, panel in enumerate(panels, start=1):
        _clean(panel)
        line = _mode_line(mode)
        panel.plot([0, 0], [0, L], color=GREY, lw=1.2, ls="--")
        panel.plot(line[:, 0], line[:, 1], color=BLUE, lw=3)
        hatch(panel, (0.14, 0), (-0.14, 0), 0.05)
        x, y = line[-1]
        _arrow(panel, (x, y + 0.22), (x, y + 0.02), RED)
        load = critical_load(beam, L, shear=False, mode=mode)
        factor = round(load / euler)
        many = "" if factor == 1 else factor
        panel.text(x + 0.04, y + 0.14, rf"$P_{{cr}}={many}\,\frac{{\pi^2EI}}{{4L^2}}$", color=RED, fontsize=10)
        panel.text(0.0, -0.13, f"mode {mode}", ha="center")
        panel.set(xlim=(-0.3, 0.62), ylim=(-0.16, 1.28))
    return drawn


def _mode_line(mode: int) -> Vectors:
    """(points, 2): across and along the column."""
    parts = 2 * mode - 1
    short = _link(L / parts)
    shape = short.buckling([np.pi / 2], external={"tip": lp.Wrench((0, 0, -1.0))}, effects=["bending"]).shape
    line = shape.beam_lines(13)[0]
    displacement = np.asarray(line.displacement)[0]
    across = displacement @ displacement[-1] / np.linalg.norm(displacement[-1])
    along = np.asarray(line.points)[:, 2]
    quarter = np.column_stack([across / across[-1], along / along[-1]])  # a quarter of a wave
    points = [quarter]
    for k in range(1, parts):
        last = points[-1]
        end = last[-1]
        # Odd quarters start where the curvature is zero: half a revolution. Even ones where the slope is: a mirror.
        mirrored = 2 * end - last if k % 2 else np.column_stack([last[:, 0], 2 * end[1] - last[:, 1]])
        points.append(mirrored[::-1])
    whole = np.concatenate(points)
    size = np.abs(whole[:, 0]).max()
    return np.column_stack([0.2 * whole[:, 0] / size, L * whole[:, 1] / parts])
