"""Figures 2 to 6 of Lau's thesis: frames, rotations, the example arm, statics between frames."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

import loadpath as lp
from docs.source_figures.drawing import BLUE, GREEN, GREY, INK, LIGHT, RED, Scene, Vectors, View, arc, figure, panels

ARM = lp.catalog.lau_arm(d0=0.28, d1=0.32, length=0.8)
MOVED = np.array([0.6, -0.5, 0.62])
FRAME = 0.16
SIDE = View(-100, 24)
"""A view in which all axes of the moved arm are seen."""


def lau_arm(scene: Scene, q: Vectors, *, frames: bool = True) -> dict[str, tuple[Vectors, Vectors]]:
    """The thesis's arm at q from its link poses: column, disc, carriage and rod, with the frames of all links."""
    poses = ARM.link_poses(q)
    at = {name: (pose[:3, :3], pose[:3, 3]) for name, pose in zip(ARM.link_names, poses, strict=True)}
    (_, base), (_, disc), (swing, carriage), (R, tip) = (at[name] for name in ("base", "turntable", "carriage", "rod"))
    length = 2 * ARM.link("rod").inertia.center_of_mass[0]
    radius = float(np.hypot(*(carriage - disc)[:2]))
    half = np.array([0.0, 0.0, 0.018])
    scene.rod(base, disc - half, 0.05, zorder=3)
    scene.rod(disc - half, disc + half, radius, zorder=4)
    scene.box(carriage, (0.1, 0.06, 0.09), swing, zorder=6)
    scene.rod(tip, tip + length * R[:, 0], 0.016, zorder=7)
    if frames:
        for number, (name, (turned, origin)) in enumerate(at.items()):
            scene.frame(turned, origin, str(number), FRAME, RED if name == "rod" else INK)
    return at


@figure("lau_04_arm_at_reference")
def reference() -> Figure:
    """Figure 4: the example arm at its reference position."""
    drawn, (panel,) = panels(size=(5.4, 3.9))
    scene = Scene(panel, View(-62, 20))
    at = lau_arm(scene, np.array([0.0, 0.0, 0.45]))
    _dimension(scene, at["turntable"][1], at["carriage"][1], "$d_1$", (-8, 4))
    scene.room()
    return drawn


@figure("lau_05_arm_moved")
def moved() -> Figure:
    """Figure 5: the arm after its joints have moved, with what they moved by."""
    drawn, (panel,) = panels(size=(5.4, 4.2))
    scene = Scene(panel, SIDE)
    at = lau_arm(scene, MOVED)
    (_, disc), (swing, carriage), (R, tip) = (at[name] for name in ("turntable", "carriage", "rod"))
    top = disc + np.array([0, 0, 0.02])
    scene.line([top, top + np.array([0.27, 0, 0])], GREY, 0.9, ls="--", zorder=8)
    scene.turn(top, (0, 0, 1), (0.24, 0, 0), MOVED[0], label=r"$\theta_1$", shift=(9, -2))
    level = at["turntable"][0][:, 0]
    scene.line([carriage, carriage + 0.3 * level], GREY, 0.9, ls="--", zorder=8)
    scene.turn(carriage, swing[:, 1], 0.26 * level, MOVED[1], label=r"$\theta_2$", shift=(9, 1))
    up = 0.07 * R[:, 2]
    _dimension(scene, carriage + up, tip + up, "$d_2$", (2, 8))
    foot = 0.4 * scene.view.axes[0]
    _dimension(scene, foot, foot + disc, "$d_0$", (9, 0))
    scene.line([0.06 * scene.view.axes[0], 1.05 * foot], GREY, 0.6)
    scene.room()
    return drawn


def _dimension(scene: Scene, start: Vectors | list[float], end: Vectors | list[float], label: str,
               shift: tuple[float, float]) -> None:
    scene.arrow(start, end, BLUE, label, shift, 0.8, 0.5, "<|-|>")


@figure("lau_02_homogeneous_transformation")
def transformation() -> Figure:
    """Figure 2: three frames, the transformations between them, and a point seen from two of them."""
    drawn, (panel,) = panels(size=(5.4, 3.4))
    scene = Scene(panel, View(-65, 24))
    i_T_j = lp.Pose.from_xyz_rpy((0.7, 0.5, 0.42), (0.15, -0.45, -0.5))
    i_T_k = i_T_j @ lp.Pose.from_xyz_rpy((0.75, 0.1, -0.75), (-0.3, 0.5, 0.3))
    places = {"i": lp.Pose(), "j": i_T_j, "k": i_T_k}
    for name, pose in places.items():
        scene.frame(pose.rotation, pose.translation, name, 0.3)
    o = {name: np.array(pose.translation) for name, pose in places.items()}
    for a, b, shift in (("i", "j", (-14, 9)), ("j", "k", (24, 7)), ("i", "k", (0, -10))):
        scene.arrow(o[a], o[b], LIGHT, rf"${{}}_{a}T^{b},\ {{}}_{a}\mathbf{{d}}^{b}$", shift, 1.3, 0.5, shrinkA=4,
                    shrinkB=4)
    point = i_T_j.transform((0.35, 0.5, 0.3))
    scene.dot(point, RED, 5)
    scene.text(point, r"$p$", (8, 5), color=RED)
    scene.arrow(o["j"], point, RED, r"${}_j\mathbf{p}$", (3, -9), 0.9, 0.6)
    scene.arrow(o["i"], point, RED, r"${}_i\mathbf{p}$", (-8, 5), 0.9, 0.5)
    scene.room()
    return drawn


@figure("lau_03_rotation")
def rotation() -> Figure:
    """Figure 3: frame i turned by theta about x becomes frame j."""
    drawn, (panel,) = panels(size=(3.8, 3.2))
    scene = Scene(panel, View(28, 18))
    angle = 0.6
    R = np.array(lp.Pose.from_xyz_rpy((0, 0, 0), (angle, 0, 0)).rotation)
    scene.frame(np.eye(3), (0, 0, 0), "i", 1.0)
    scene.frame(R, (0, 0, 0), "j", 1.0, RED, axes="yz")
    scene.text((1, 0, 0), "$=x_j$", (14, -16), color=RED, fontsize=8)
    for k, shift in ((1, (9, 3)), (2, (-2, 9))):
        scene.turn((0, 0, 0), (1, 0, 0), 0.62 * np.eye(3)[k], angle, label=r"$\theta$", shift=shift)
    for k in (1, 2):
        end, foot = R[:, k], R[:, k] * np.eye(3)[k]
        scene.line([end, foot], GREY, 0.8, ls=":")
        scene.dot(foot, GREY, 2.5)
    scene.text(R[:, 1] * [0, 1, 0], r"$\cos\theta$", (-2, -9), color=GREY, fontsize=7.5)
    scene.room(0.1)
    return drawn


@figure("lau_06_statics")
def statics() -> Figure:
    """Figure 6: a force and its torque, about the origins of two frames."""
    drawn, (panel,) = panels(size=(5.4, 3.3))
    scene = Scene(panel, View(-65, 24))
    j = lp.Pose.from_xyz_rpy((0.9, 0.4, 0.15), (0.15, -0.35, -0.45))
    scene.frame(np.eye(3), (0, 0, 0), "i", 0.3)
    scene.frame(j.rotation, j.translation, "j", 0.3)
    o = np.array(j.translation)
    point = j.transform((0.35, 0.5, 0.3))
    force = np.array(j.rotation) @ [0.12, -0.1, 0.4]
    blob = arc(0.5 * (o + point), scene.view.axes[2], 0.55 * (point - o) * 1.1, 2 * np.pi, 25)
    squeezed = 0.5 * (o + point) + (blob - 0.5 * (o + point)) * [1.0, 0.55, 0.75]
    scene.surface(squeezed, "#eef4f7", GREY, 0.5)
    scene.arrow((0, 0, 0), o, LIGHT, r"${}_i\mathbf{d}^j$", (0, -9), 1.2, 0.5, shrinkB=3)
    scene.arrow(o, point, INK, r"${}_j\mathbf{r}$", (-9, 3), 1.1, 0.62)
    scene.arrow((0, 0, 0), point, INK, r"${}_i\mathbf{r}$", (-2, 8), 1.1, 0.5)
    scene.arrow(point, point + force, RED, r"$\mathbf{f}$", (8, 0), 1.8)
    for origin, name, shift in ((np.zeros(3), "i", (-14, 0)), (o, "j", (15, -8))):
        wrench = lp.Wrench(force, point=point).at(origin)
        axis = wrench.torque / np.linalg.norm(wrench.torque)
        scene.arrow(origin, origin + 0.55 * wrench.torque / 0.35, GREEN, "", width=1.5)
        scene.text(origin + 0.55 * wrench.torque / 0.35, rf"${{}}_{name}\mathbf{{n}}$", shift, color=GREEN)
        across = np.cross(axis, (0.3, 0.2, 1.0))
        scene.turn(origin + 0.3 * wrench.torque / 0.35, axis, 0.07 * across / np.linalg.norm(across), 4.7, width=0.9)
    scene.room()
    return drawn
