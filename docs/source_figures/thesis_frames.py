"""Figures 2 to 6 of Lau's thesis: frames, rotations, the example arm, statics between frames."""

from __future__ import annotations

import numpy as np
from docs.source_figures.drawing import INK, LIGHT, Scene, View, figure, panels
from matplotlib.figure import Figure

import loadpath as lp

ARM = lp.catalog.lau_arm(d0=0.25, d1=0.3, length=0.8)


def lau_arm(scene: Scene, q: np.ndarray, *, frames: bool = True, arm: lp.Robot = ARM, alpha: float = 1.0) -> None:
    """The thesis's arm at q from its link poses: column, disc, carriage and rod, with the frames of all links."""
    poses = arm.link_poses(q)
    at = {name: (pose[:3, :3], pose[:3, 3]) for name, pose in zip(arm.link_names, poses, strict=True)}
    (_, base), (_, disc), (swing, carriage), (R, tip) = (at[name] for name in ("base", "turntable", "carriage", "rod"))
    length = 2 * arm.link("rod").inertia.center_of_mass[0]
    radius = float(np.hypot(*(carriage - disc)[:2]))
    half = np.array([0.0, 0.0, 0.02])
    scene.rod(base, disc - half, 0.05, zorder=3)
    scene.rod(disc - half, disc + half, radius, zorder=4)
    scene.box(carriage, (0.1, 0.07, 0.09), swing, zorder=6)
    scene.rod(tip, tip + length * R[:, 0], 0.018, zorder=7 if swing[:, 0] @ scene.view.axes[2] > 0 else 5)
    if frames:
        for number, (name, (turned, origin)) in enumerate(at.items()):
            scene.frame(turned, origin, str(number), 0.17, LIGHT if name == "rod" else INK)


@figure("lau_04_arm_at_reference")
def reference() -> Figure:
    """Figure 4: the example arm at its reference position."""
    drawn, (panel,) = panels(size=(5.4, 4.2))
    scene = Scene(panel, View(-60, 20))
    lau_arm(scene, np.array([0.0, 0.0, 0.45]))
    scene.room()
    return drawn
