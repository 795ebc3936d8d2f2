"""The two poses of the course notes (section 1.3), with the torques that hold them."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

import loadpath as lp
from docs.source_figures.drawing import BLUE, GREEN, GREY, INK, LIGHT, RED, Scene, View, figure, panels

FRONT = View(-90, 0)
"""World x to the right, z up: the plane in which the arm moves."""


@figure("course_two_poses")
def poses() -> Figure:
    """Pose 1 and pose 2: masses, weights, and the torques that hold them, from `inverse_dynamics`."""
    drawn, axes = panels(3, size=(8.8, 2.6))
    arm = lp.catalog.two_link()
    cases = (
        ("pose 1, at rest", [np.pi / 2, 0], [0, 0]),
        ("pose 2, at rest", [np.pi / 2, np.pi / 2], [0, 0]),
        (r"pose 2, $\dot{q}_2$ = 2 rad/s", [np.pi / 2, np.pi / 2], [0, 2]),
    )
    for panel, (title, q, qd) in zip(axes, cases, strict=True):
        scene = Scene(panel, FRONT)
        tau = arm.inverse_dynamics(q, qd, [0, 0])
        poses = dict(zip(arm.link_names, arm.link_poses(q), strict=True))
        base, elbow, tip = (poses[name][:3, 3] for name in ("link1", "link2", "tip"))
        bracket = base + np.array([[0, 0, 0], [-0.14, 0, 0.2], [0.14, 0, 0.2]])
        scene.surface(bracket, zorder=3)
        scene.line(bracket[1:] * (1.6, 1, 1), GREY, 1.4)
        scene.line([base, base - (0, 0, 0.7)], GREY, 0.8, linestyle=(0, (4, 3)))
        for start, end in ((base, elbow), (elbow, tip)):
            scene.line([start, end], BLUE, 6, zorder=4)
            scene.line([start, end], "#cfe3ec", 4, zorder=4.1)
        for joint in (base, elbow):
            scene.dot(joint, BLUE, 8, zorder=6, mfc="white", mew=1.5)
        for k, mass in enumerate((elbow, tip)):
            scene.dot(mass, INK, 5 if k == 0 else 9, zorder=7)
            scene.arrow(mass, mass - (0, 0, 0.45), RED, rf"$m_{k + 1} g$", (14, 0), at=0.9)
        for k, joint in enumerate((base, elbow)):
            if abs(tau[k]) > 1e-9:
                scene.turn(joint, (0, -1, 0), 0.24 * np.array([0, 0, -1.0]), 2.6, GREEN)
            shift = (4, 40) if k == 0 else (4, 24) if q[1] == 0 else (42, 12)
            scene.text(joint, rf"$\lambda_{k + 1}$ = {tau[k] + 0.0:.1f} N m", shift, color=GREEN)
        if any(qd):
            scene.turn(elbow, (0, -1, 0), np.array([0.0, 0, 0.62]), 0.9, LIGHT, r"$\dot{q}_2$", (-8, 8))
        panel.set_title(title)
        panel.set_xlim(-0.5, 2.35)
        panel.set_ylim(-0.8, 1.2)
    return drawn
