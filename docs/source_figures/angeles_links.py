"""Figures 7.2 to 7.5 of Angeles: a revolute and a prismatic joint, free-body diagrams of a link and the end-effector.

Everything is read from models: origins and axes from `link_poses`, mass centers from the inertias, forces and moments
from `joint_wrenches`, to scale.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure

import loadpath as lp
from docs.source_figures.drawing import BLUE, GREEN, GREY, INK, RED, Scene, View, figure, panels
from loadpath.robot.model import RobotModel

SKIN, BACK = "#cfe3ec", "#e9e4da"
"""Link i, and the link before it."""


def arm(second: str = "revolute") -> RobotModel:
    """Two links of a Denavit-Hartenberg table: the joint in question is the second."""
    return lp.from_dh(
        [
            lp.DHRow(theta=0.25, d=0.34, a=0.72, alpha=-1.15, mass=5.0, center_of_mass=(-0.36, 0.03, 0.02),
                     inertia=(0.06, 0.2, 0.2)),
            lp.DHRow(theta=-0.55, d=0.34, a=0.66, alpha=0.8, joint=second, mass=4.0,
                     center_of_mass=(-0.27, -0.03, 0.02), inertia=(0.04, 0.15, 0.15)),
            lp.DHRow(theta=0.5, d=0.12, a=0.3, mass=2.5, center_of_mass=(-0.1, 0.01, 0.0),
                     inertia=(0.01, 0.03, 0.03)),
        ],
        name="two links",
    )


class Seen(NamedTuple):
    """Where the links are: origins and axes of the joints, mass centers."""

    origins: list[np.ndarray]
    axes: list[np.ndarray]
    """Rotation of F_i, z on the axis of joint i."""
    C: list[np.ndarray]

    @classmethod
    def of(cls, robot: RobotModel, q: list[float]) -> Seen:
        """From the poses: frame i+1 sits on link i, in the book's numbers."""
        poses = lp.Robot(robot.name, robot.links, robot.joints, robot.gravity).link_poses(q)
        centers = [pose[:3, :3] @ link.inertia.center_of_mass + pose[:3, 3]
                   for pose, link in zip(poses, robot.links, strict=True)]
        return cls([pose[:3, 3] for pose in poses], [pose[:3, :3] for pose in poses], centers[1:])


def bent(scene: Scene, points: list[np.ndarray], face: str, zorder: float, width: float = 17.0) -> None:
    """A link as a bent tube through points."""
    scene.line(points, BLUE, width + 2.0, zorder=zorder, solid_joinstyle="round")
    scene.line(points, face, width, zorder=zorder + 0.1, solid_joinstyle="round")


def barrel(scene: Scene, o: np.ndarray, e: np.ndarray, face: str, zorder: float, half: float = 0.07) -> None:
    """The housing of a revolute joint."""
    scene.rod(o - half * e, o + half * e, 0.075, face, zorder=zorder)


def axis(
    scene: Scene, o: np.ndarray, e: np.ndarray, name: str, reach: float = 0.34, shift: tuple[float, float] = (8, 4)
) -> None:
    """A joint's axis as a chain line, and its unit vector."""
    scene.line([o - 0.16 * e, o + reach * e], GREY, 0.9, linestyle=(0, (9, 3, 2, 3)), zorder=12)
    scene.arrow(o + 0.10 * e, o + 0.26 * e, INK, name, shift, width=1.6)


def center(scene: Scene, C: np.ndarray, name: str, shift: tuple[float, float]) -> None:
    """A mass center."""
    scene.dot(C, INK, 6, zorder=21, mfc="white", mew=1.2)
    scene.dot(C, INK, 2, zorder=22)
    scene.text(C, name, shift)


def along(o: np.ndarray, e: np.ndarray, end: np.ndarray) -> np.ndarray:
    """The corner of a Denavit-Hartenberg link: from O along e as far as the next origin is."""
    return o + ((end - o) @ e) * e


@figure("angeles_7_2_revolute_joint")
def revolute() -> Figure:
    """Figure 7.2: a revolute joint; (7.32a, b)."""
    drawn, (panel,) = panels(size=(6.6, 4.6))
    scene = Scene(panel, View(-62, 24))
    q = [0.0, 0.35, 0.0]
    seen = Seen.of(arm(), q)
    o, C, e = seen.origins, seen.C, [axes[:, 2] for axes in seen.axes]
    ground = np.array([0.42, -0.3, -0.42])
    bent(scene, [o[0], along(o[0], e[0], o[1]), o[1]], BACK, 3)
    barrel(scene, o[0], e[0], BACK, 4)
    barrel(scene, o[1], e[1], BACK, 5)
    bent(scene, [o[1] + 0.09 * e[1], along(o[1], e[1], o[2]), o[2]], SKIN, 6)
    barrel(scene, o[2], e[2], SKIN, 7)
    axis(scene, o[0], e[0], r"$\mathbf{e}_{i-1}$", shift=(-22, -2))
    axis(scene, o[1], e[1], r"$\mathbf{e}_i$", 0.62, (-10, 2))
    axis(scene, o[2], e[2], r"$\mathbf{e}_{i+1}$", shift=(17, 0))
    scene.arrow(o[0], C[0], RED, r"$\rho_{i-1}$", (-9, 9), at=0.55)
    scene.arrow(o[0], o[1], INK, r"$\mathbf{a}_{i-1}$", (10, -11), at=0.55)
    scene.arrow(C[0], o[1], GREEN, r"$\delta_{i-1}$", (4, 13), at=0.4)
    scene.arrow(o[1], C[1], RED, r"$\rho_i$", (-9, 9), at=0.55)
    scene.arrow(o[1], o[2], INK, r"$\mathbf{a}_i$", (4, -11), at=0.6)
    scene.arrow(ground, C[0], GREY, r"$\mathbf{c}_{i-1}$", (-15, 0), at=0.3, width=1.0)
    scene.arrow(ground, C[1], GREY, r"$\mathbf{c}_i$", (10, -4), at=0.3, width=1.0)
    center(scene, C[0], "$C_{i-1}$", (-4, 19))
    center(scene, C[1], "$C_i$", (4, 14))
    scene.turn(o[1] + 0.5 * e[1], e[1], 0.09 * seen.axes[1][:, 0], 4.9, GREEN, r"$\theta_i$", (26, 8))
    for k, (name, shift) in enumerate((("$O_{i-1}$", (-30, -4)), ("$O_i$", (-12, -24)), ("$O_{i+1}$", (34, -8)))):
        scene.dot(o[k], INK, 4, zorder=23)
        scene.text(o[k], name, shift)
    scene.frame(np.eye(3), ground, "", 0.16, GREY)
    scene.text(ground, "$O$", (-9, -6), color=GREY)
    scene.text(along(o[0], e[0], o[1]), "link $i-1$", (-14, 18), color=GREY)
    scene.text(along(o[1], e[1], o[2]), "link $i$", (48, 24), color=GREY)
    scene.room(0.05)
    return drawn


@figure("angeles_7_3_prismatic_joint")
def prismatic() -> Figure:
    """Figure 7.3: a prismatic joint; (7.32c, d). rho_i starts at the displaced point, which is fixed on link i."""
    drawn, (panel,) = panels(size=(6.6, 4.6))
    scene = Scene(panel, View(-62, 24))
    seen = Seen.of(arm("prismatic"), [0.0, 0.16, 0.0])
    o, C, e = seen.origins, seen.C, [axes[:, 2] for axes in seen.axes]
    ground = np.array([0.42, -0.3, -0.42])
    moved = along(o[1], e[1], o[2])
    bent(scene, [o[0], along(o[0], e[0], o[1]), o[1]], BACK, 3)
    barrel(scene, o[0], e[0], BACK, 4)
    scene.box(o[1] + 0.02 * e[1], (0.17, 0.15, 0.3), seen.axes[1], BACK, zorder=5)
    bent(scene, [o[1] + 0.14 * e[1], moved, o[2]], SKIN, 6)
    barrel(scene, o[2], e[2], SKIN, 7)
    axis(scene, o[0], e[0], r"$\mathbf{e}_{i-1}$", shift=(-22, -2))
    axis(scene, o[2], e[2], r"$\mathbf{e}_{i+1}$", shift=(17, 0))
    scene.line([o[1] - 0.3 * e[1], moved + 0.3 * e[1]], GREY, 0.9, linestyle=(0, (9, 3, 2, 3)), zorder=12)
    scene.arrow(moved + 0.06 * e[1], moved + 0.24 * e[1], INK, r"$\mathbf{e}_i$", (-9, 3), width=1.6)
    scene.arrow(o[1], moved, "#7b2d8b", r"$b_i\,\mathbf{e}_i$", (-19, 1), at=0.6, width=1.8)
    scene.arrow(o[0], C[0], RED, r"$\rho_{i-1}$", (-9, 9), at=0.55)
    scene.arrow(o[0], o[1], INK, r"$\mathbf{d}_{i-1}$", (10, -11), at=0.55)
    scene.arrow(C[0], o[1], GREEN, r"$\delta_{i-1}$", (-8, 13), at=0.5)
    scene.arrow(moved, C[1], RED, r"$\rho_i$", (4, -11), at=0.5)
    scene.arrow(ground, C[0], GREY, r"$\mathbf{c}_{i-1}$", (-15, 0), at=0.3, width=1.0)
    scene.arrow(ground, C[1], GREY, r"$\mathbf{c}_i$", (10, -4), at=0.3, width=1.0)
    center(scene, C[0], "$C_{i-1}$", (-4, 19))
    center(scene, C[1], "$C_i$", (6, 15))
    for at, name, shift in ((o[0], "$O_{i-1}$", (-30, -4)), (o[1], "$O_i$", (22, -8)), (o[2], "$O_{i+1}$", (34, -8))):
        scene.dot(at, INK, 4, zorder=23)
        scene.text(at, name, shift)
    scene.dot(moved, INK, 4, zorder=23)
    scene.frame(np.eye(3), ground, "", 0.16, GREY)
    scene.text(ground, "$O$", (-9, -6), color=GREY)
    scene.text(along(o[0], e[0], o[1]), "link $i-1$", (-14, 18), color=GREY)
    scene.text(moved, "link $i$", (26, 44), color=GREY)
    scene.room(0.05)
    return drawn


FORCE, MOMENT = 0.006, 0.012
"""Metres of the picture per newton and per newton metre; moments beyond link i are drawn three times as large."""


def moment(scene: Scene, start: np.ndarray, vector: np.ndarray, name: str, shift: tuple[float, float]) -> None:
    """A moment: an arrow with two heads along its axis."""
    scene.arrow(start, start + vector, GREEN, name, shift, width=1.5)
    scene.arrow(start, start + 0.82 * vector, GREEN, width=1.5)


MOTION = [0.3, 0.35, -0.4], [1.8, -1.5, 2.5], [6.0, 6.0, 25.0]
"""q, qd and qdd of the free-body diagrams."""


@figure("angeles_7_4_free_body")
def link() -> Figure:
    """Figure 7.4: free-body diagram of link i; (7.38c, d)."""
    drawn, (panel,) = panels(size=(6.2, 4.6))
    scene = Scene(panel, View(-62, 24))
    robot = arm()
    seen = Seen.of(robot, MOTION[0])
    o, C, e = seen.origins, seen.C[1], [axes[:, 2] for axes in seen.axes]
    loads = robot.load_breakdown(*MOTION, frame="world")
    here, beyond = loads.total("joint2"), loads.total("joint3")
    weight = robot.links[2].inertia.mass * np.array(robot.gravity)
    inertia = here.force - beyond.force + weight  # m_i cddot_i
    bent(scene, [o[1] - 0.05 * e[1], along(o[1], e[1], o[2]), o[2]], SKIN, 6)
    barrel(scene, o[2], e[2], SKIN, 7)
    axis(scene, o[1], e[1], r"$\mathbf{e}_i$", 0.3, (11, 2))
    axis(scene, o[2], e[2], r"$\mathbf{e}_{i+1}$", 0.3, (17, 2))
    scene.arrow(o[1], o[1] + FORCE * here.force, RED, r"$\mathbf{f}_i^P$", (-9, 6), width=1.8)
    moment(scene, o[1], MOMENT * here.torque, r"$\mathbf{n}_i^P$", (0, 9))
    scene.arrow(o[2], o[2] - FORCE * beyond.force, RED, r"$-\mathbf{f}_{i+1}^P$", (18, -4), width=1.8)
    moment(scene, o[2], -3 * MOMENT * beyond.torque, r"$-\mathbf{n}_{i+1}^P$", (-4, -12))
    scene.arrow(C, C + FORCE * weight, BLUE, r"$m_i\mathbf{g}$", (14, 2), width=1.8)
    scene.arrow(C, C + FORCE * inertia, GREY, r"$m_i\ddot{\mathbf{c}}_i$", (-16, 2), width=1.2, linestyle="--")
    scene.arrow(o[1], C, INK, r"$\rho_i$", (2, -10), at=0.5, width=0.9)
    scene.arrow(C, o[2], INK, r"$\delta_i$", (0, 9), at=0.5, width=0.9)
    center(scene, C, "$C_i$", (6, 14))
    for at, name, shift in ((o[1], "$O_i$", (14, -6)), (o[2], "$O_{i+1}$", (-4, -26))):
        scene.dot(at, INK, 4, zorder=23)
        scene.text(at, name, shift)
    scene.room(0.07)
    return drawn


EXTERNAL = lp.Wrench(force=(14.0, 6.0, -16.0), torque=(1.5, 1.0, 2.5))
"""What acts on the end-effector at its mass center, in world axes."""


@figure("angeles_7_5_end_effector")
def end_effector() -> Figure:
    """Figure 7.5: free-body diagram of the end-effector; (7.38a, b)."""
    drawn, (panel,) = panels(size=(5.6, 4.6))
    scene = Scene(panel, View(-62, 24))
    robot = arm()
    seen = Seen.of(robot, MOTION[0])
    o, C, e = seen.origins, seen.C[2], [axes[:, 2] for axes in seen.axes]
    name = robot.link_names[-1]
    tip = lp.Wrench(EXTERNAL.force, EXTERNAL.torque + np.cross(C - o[3], EXTERNAL.force))  # about the link's origin
    here = robot.load_breakdown(*MOTION, external={name: tip}, frame="world").total("joint3")
    weight = robot.links[3].inertia.mass * np.array(robot.gravity)
    corner = along(o[2], e[2], o[3])
    bent(scene, [o[2] - 0.03 * e[2], corner, o[3]], SKIN, 6)
    grip = seen.axes[3]
    for side in (-1, 1):
        finger = o[3] + side * 0.05 * grip[:, 2]
        bent(scene, [o[3], finger, finger + 0.1 * grip[:, 0]], SKIN, 5.5, 7)
    axis(scene, o[2], e[2], r"$\mathbf{e}_n$", 0.3, (-10, 4))
    scene.arrow(o[2], o[2] + FORCE * here.force, RED, r"$\mathbf{f}_n^P$", (-8, 5), width=1.8)
    moment(scene, o[2], 3 * MOMENT * here.torque, r"$\mathbf{n}_n^P$", (-4, -10))
    scene.arrow(C, C + FORCE * EXTERNAL.force, RED, r"$\mathbf{f}$", (4, 8), width=1.8)
    moment(scene, C, 3 * MOMENT * EXTERNAL.torque, r"$\mathbf{n}$", (10, 0))
    scene.arrow(C, C + FORCE * weight, BLUE, r"$m_n\mathbf{g}$", (14, 2), width=1.8)
    scene.arrow(o[2], C, INK, r"$\rho_n$", (2, -10), at=0.5, width=0.9)
    center(scene, C, "$C_n$", (16, 8))
    scene.dot(o[2], INK, 4, zorder=23)
    scene.text(o[2], "$O_n$", (-14, -6))
    scene.room(0.07)
    return drawn
