"""Figures 13 and 14 of Lau's thesis: the movable robot, its wheel loads, and how it rolls."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Polygon

import loadpath as lp
from docs.source_figures.drawing import (
    BLUE,
    GREEN,
    GREY,
    INK,
    LIGHT,
    RED,
    Scene,
    Vectors,
    View,
    figure,
    panels,
)

FAR, HALF, RADIUS = 0.6, 0.3, 0.1
ROVER = lp.catalog.lau_rover(s=FAR, d=HALF, friction=lp.WheelFriction(sliding=0.6, static=0.8, rolling=0.02))
POSE = np.array([2.7, 0.25, 0.95])
WHEELS = np.array([[FAR, 0.0], [0.0, HALF], [0.0, -HALF]])


def _wheel(scene: Scene, at: Vectors, heading: float, zorder: float) -> None:
    axle = 0.02 * np.array([-np.sin(heading), np.cos(heading), 0.0])
    center = np.array([*at, RADIUS])
    scene.rod(center - axle, center + axle, RADIUS, face="#d8dee3", edge=INK, zorder=zorder)


def _machine(scene: Scene, steer: float) -> None:
    """Base, wheels and arm, from the link poses of the robot on the base."""
    for at, heading, zorder in zip(WHEELS, (steer, 0.0, 0.0), (2.0, 1.0, 9.0), strict=True):
        _wheel(scene, at, heading, zorder)
    scene.box((0.3 * FAR / 0.6 - 0.1, 0, 0.2), (0.6, 0.52, 0.2), zorder=4)
    arm = ROVER.robot
    poses = dict(zip(arm.link_names, arm.link_poses(POSE), strict=True))
    disc, carriage, rod = (next(pose for name, pose in poses.items() if name.endswith(part)) for part in
                           ("turntable", "carriage", "rod"))
    o, thick = disc[:3, 3], np.array([0, 0, 0.02])
    scene.rod([*o[:2], 0.3], o - thick, 0.05, zorder=10)
    scene.rod(o - thick, o + thick, float(np.linalg.norm(carriage[:3, 3] - o)), zorder=11)
    scene.box(carriage[:3, 3], (0.09, 0.06, 0.08), carriage[:3, :3], zorder=12)
    scene.rod(rod[:3, 3], rod[:3, 3] + rod[:3, 0], 0.015, zorder=13)


@figure("lau_13_mobile_base")
def mobile_base() -> Figure:
    """Figure 13: the base, its frame, its wheel loads, and the triangle in which the zero-moment point must stay."""
    drawn, (space, plan) = panels(2, (8.2, 3.8), width_ratios=(1.15, 1.0))
    scene = Scene(space, View(-58, 22))
    loads = ROVER.wheel_loads(POSE)
    standing = ROVER.stability(POSE)
    _machine(scene, 0.0)
    scene.frame(np.eye(3), (0, 0, 0), "", 0.26, zorder=24)
    for k, (at, normal) in enumerate(zip(WHEELS, loads.normal, strict=True)):
        start = np.array([*at, -0.3 * normal / loads.normal.max() - 0.02])
        scene.arrow(start, [*at, -0.02], RED, f"$N_{k + 1}$", (9, -2), 1.6, 0.2, zorder=3 if k == 1 else 20)
    center = ROVER.mass_center(POSE)
    scene.dot(center, GREEN, 5, zorder=26)
    scene.text(center, r"$\mathbf{h}$", (-8, 4), color=GREEN)
    scene.arrow(center, center - [0, 0, 0.17], GREEN, r"$M\mathbf{g}$", (12, 2), 1.4, 0.9, zorder=26)
    scene.room(0.03)
    _support(plan, standing.zero_moment_point, loads.normal)
    return drawn


def _support(panel: Axes, point: Vectors, normal: Vectors) -> None:
    """Seen from above, x up: wheels, triangle, zero-moment point."""

    def seen(p: Vectors | tuple[float, float]) -> tuple[float, float]:
        return -float(p[1]), float(p[0])

    panel.add_patch(Polygon([seen(w) for w in WHEELS], closed=True, fc="#e4f1e6", ec=GREEN, lw=1.2))
    box = [(0, HALF), (0, -HALF), (FAR, -HALF), (FAR, HALF)]
    panel.add_patch(Polygon([seen(p) for p in box], closed=True, fc="none", ec=GREY, lw=0.9, ls="--"))
    for k, at in enumerate(WHEELS):
        x, y = seen(at)
        panel.plot([x, x], [y - 0.07, y + 0.07], color=INK, lw=5, solid_capstyle="butt")
        panel.annotate(f"wheel {k + 1}\n{normal[k]:.0f} N", (x, y), xytext=((30, 14), (-30, -8), (30, -8))[k],
                       textcoords="offset points", ha="center", va="center", fontsize=8, color=RED)
    x, y = seen(point)
    panel.plot(x, y, "o", color=GREEN, ms=6)
    panel.annotate("zero-moment point", (x, y), xytext=(2, 12), textcoords="offset points", fontsize=8, color=GREEN,
                   ha="center")
    for end, name, shift in (((0.2, 0), "$x$", (7, 0)), ((0, 0.2), "$y$", (0, 8))):
        panel.annotate("", seen(end), xytext=(0, 0), arrowprops={"arrowstyle": "-|>", "color": INK, "lw": 1})
        panel.annotate(name, seen(end), xytext=shift, textcoords="offset points", fontsize=9, ha="center", va="center")
    for (start, end), name, shift in ((((0, -0.44), (FAR, -0.44)), "$s$", (8, 0)), (((-0.17, 0), (-0.17, HALF)), "$d$",
                                                                                  (0, -8))):
        a, b = seen(start), seen(end)
        panel.annotate("", b, xytext=a, arrowprops={"arrowstyle": "<|-|>", "color": BLUE, "lw": 0.8, "shrinkA": 0,
                                                    "shrinkB": 0})
        middle = ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)
        panel.annotate(name, middle, xytext=shift, textcoords="offset points", color=BLUE, ha="center", va="center")
    panel.text(0, -0.3, "dashed: the box of (6-38), (6-44), (6-45)", fontsize=7.5, color=GREY, ha="center")
    panel.set(xlim=(-0.55, 0.55), ylim=(-0.34, 0.74))


@figure("lau_14_rolling")
def rolling() -> Figure:
    """Figure 14: the axis of rotation; and the path of the base while its arm swings."""
    drawn, (axis, path) = panels(2, (8.2, 3.9), width_ratios=(1.25, 1.0))
    v, w = 0.5, 0.62
    motion = ROVER.wheel_motion((v, w))
    pivot = ROVER.instantaneous_axis((v, w))
    _turning(axis, pivot, float(motion.steering[0]))
    swing = lp.Motion.through(lp.catalog.lau_arm(), [[0, 0, 0.5], [2.2, 0.2, 0.7], [-1.6, 0, 0.5]], [0, 0.8, 1.8],
                              rate=200)
    rolled = ROVER.roll(swing, velocity=(0.7, 0.0))
    x, y, heading = rolled.pose.T
    path.plot(x, y, color=BLUE, lw=1.6)
    marks = np.linspace(0, len(x) - 1, 5).round().astype(int)
    for k in marks:
        c, s = np.cos(heading[k]), np.sin(heading[k])
        corners = np.array([[x[k], y[k]]]) + 0.3 * WHEELS @ np.array([[c, s], [-s, c]])
        path.add_patch(Polygon(corners, closed=True, fc="#dfeaf0", ec=BLUE, lw=0.9, alpha=0.9))
        path.plot(x[k], y[k], "o", color=BLUE, ms=3)
        path.annotate(f"{rolled.times[k]:.1f} s", (x[k], y[k]), xytext=(0, -30), textcoords="offset points",
                      fontsize=8, ha="center")
    path.set_title("rolls in reaction to its arm")
    path.plot([0.0, 0.2], [-0.42, -0.42], color=INK, lw=1.2)
    path.text(0.1, -0.47, "0.2 m", ha="center", va="top", fontsize=8)
    path.margins(0.08)
    return drawn


def _turning(panel: Axes, pivot: Vectors, steer: float) -> None:
    """Seen from above, x to the right: wheels, their axles that meet, and the circles on which they roll."""
    for k, (at, heading) in enumerate(zip(WHEELS, (steer, 0.0, 0.0), strict=True)):
        along = 0.1 * np.array([np.cos(heading), np.sin(heading)])
        panel.plot(*np.array([at - along, at + along]).T, color=INK, lw=5, solid_capstyle="butt", zorder=5)
        panel.plot(*np.array([at, pivot]).T, color=GREY, lw=0.9, ls="--")
        r = float(np.hypot(*(at - pivot)))
        panel.add_patch(Circle(tuple(pivot), r, fc="none", ec=LIGHT, lw=0.7, ls=":"))
        label = at + (0.42, 0.35, 0.25)[k] * (pivot - at)
        panel.annotate(f"$r_{k + 1}$", label, xytext=((8, 5), (-9, 0), (9, 0))[k], textcoords="offset points",
                       color=GREY, ha="center", va="center")
        panel.annotate(f"{k + 1}", at, xytext=((9, -12), (-14, 8), (-14, -8))[k], textcoords="offset points",
                       ha="center", va="center")
    panel.add_patch(Polygon(WHEELS, closed=True, fc="#dfeaf0", ec=BLUE, lw=1.0, zorder=1))
    panel.plot(*pivot, "o", color=RED, ms=6, zorder=6)
    panel.annotate("axis of rotation", pivot, xytext=(8, 5), textcoords="offset points", color=RED, fontsize=8.5)
    h = ROVER.mass_center(POSE)[:2]
    panel.plot(*h, "o", color=GREEN, ms=4, zorder=6)
    panel.plot(*np.array([h, pivot]).T, color=GREEN, lw=1.0)
    panel.annotate(r"$\mathbf{h}$", h, xytext=(8, -6), textcoords="offset points", color=GREEN)
    panel.annotate("$r_m$", 0.6 * h + 0.4 * pivot, xytext=(9, 2), textcoords="offset points", color=GREEN, ha="center")
    ahead = np.array([np.cos(steer), np.sin(steer)])
    reach = WHEELS[0] + np.array([0.24, 0.0])
    panel.plot(*np.array([WHEELS[0], reach]).T, color=GREY, lw=0.8, ls="--")
    panel.plot(*np.array([WHEELS[0], WHEELS[0] + 0.26 * ahead]).T, color=GREY, lw=0.8)
    turned = np.linspace(0, steer, 20)
    panel.plot(*(WHEELS[0][:, None] + 0.2 * np.array([np.cos(turned), np.sin(turned)])), color=GREEN, lw=1.1)
    panel.annotate(r"$\theta$", WHEELS[0] + 0.2 * np.array([np.cos(steer / 2), np.sin(steer / 2)]), xytext=(8, 0),
                   textcoords="offset points", color=GREEN, ha="center", va="center")
    turned = np.linspace(-np.pi / 2 - 0.5, -np.pi / 2 + 0.35, 20)
    round_pivot = pivot[:, None] + 0.17 * np.array([np.cos(turned), np.sin(turned)])
    panel.plot(*round_pivot, color=RED, lw=1.2)
    panel.annotate("", round_pivot[:, -1], xytext=round_pivot[:, -3], arrowprops={"arrowstyle": "-|>", "color": RED})
    panel.annotate("$w$", round_pivot[:, 8], xytext=(-5, -9), textcoords="offset points", color=RED)
    panel.set(xlim=(-0.35, 1.0), ylim=(-0.5, 1.0))
