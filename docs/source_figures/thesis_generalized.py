"""Figures 1 and 7 to 12 of Lau's thesis: the generalized manipulator, and what its terms are made of.

All are drawn from one model, three links with joints of six freedoms, in one configuration. Forces and torques are
those of its equations.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from matplotlib.figure import Figure

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
    arc,
    figure,
    panels,
)
from docs.source_figures.thesis_frames import ARM, SIDE, lau_arm

PEDESTAL = 0.32


def _raised(robot: lp.Robot) -> lp.Robot:
    """The robot with its first joint on a pedestal."""
    first = replace(robot.joints[0], origin=lp.Pose(translation=(0.0, 0.0, PEDESTAL)))
    return replace(robot, joints=(first, *robot.joints[1:]))


CHAIN = _raised(lp.catalog.generalized(3, length=0.8))
VIEW = View(-66, 20)


def _quaternion(vector: tuple[float, float, float]) -> list[float]:
    """x, y, z, w of a rotation vector."""
    angle = float(np.linalg.norm(vector))
    return [*(np.sin(angle / 2) * np.array(vector) / angle), np.cos(angle / 2)]


Q = np.concatenate([
    [0.17, 0.0, 0.14, *_quaternion((0.15, -0.7, 0.1))],
    [0.24, -0.05, 0.04, *_quaternion((-0.2, 0.5, -0.5))],
    [0.24, 0.05, 0.03, *_quaternion((0.2, 0.75, 0.6))],
])


def places() -> tuple[list[Vectors], list[tuple[Vectors, Vectors]]]:
    """Points of the three joints, each on the link before; rotation and origin of all link frames (base to tip)."""
    poses = CHAIN.link_poses(Q)
    frames = [(pose[:3, :3], pose[:3, 3]) for pose in poses]
    joints = [poses[k] @ CHAIN.joints[k].origin.matrix for k in range(3)]
    return [joint[:3, 3] for joint in joints], frames


def bars(scene: Scene, *, blob: bool = False) -> tuple[list[Vectors], list[tuple[Vectors, Vectors]]]:
    """The base and the three links."""
    joints, frames = places()
    scene.surface([(-0.3, -0.3, 0), (0.3, -0.3, 0), (0.3, 0.3, 0), (-0.3, 0.3, 0)], "#eef2f5", zorder=0.3)
    scene.box((0, 0, PEDESTAL / 2), (0.2, 0.2, PEDESTAL), face="#dfe6eb", edge=GREY, zorder=0.5)
    for k in range(3):
        (R, o), far = frames[k + 1], frames[k + 1][1] + 0.8 * frames[k + 1][0][:, 0]
        scene.rod(o, far, 0.045, zorder=3 + k)
        if blob and k == 2:
            scene.dot(o + R @ [0.5, 0.0, 0.02], RED, 5, zorder=12)
    return joints, frames


@figure("lau_01_generalized_manipulator")
def manipulator() -> Figure:
    """Figure 1: every joint may slide along and turn about three axes."""
    drawn, (panel,) = panels(size=(6.4, 3.7))
    scene = Scene(panel, VIEW)
    joints, frames = bars(scene)
    before = [frames[0][0], frames[1][0], frames[2][0]]
    for k, (o, R) in enumerate(zip(joints, before, strict=True)):
        scene.dot(o, INK, 3, zorder=21)
        for axis in R.T:
            scene.arrow(o, o + 0.22 * axis, LIGHT, width=1.0)
            across = np.cross(axis, scene.view.axes[2])
            across = across / np.linalg.norm(across)
            scene.turn(o + 0.13 * axis, axis, 0.045 * across, 4.9, GREEN, width=0.8)
        scene.line([o, frames[k + 1][1]], GREY, 0.9, ls=":")
        scene.text(o, f"joint {k + 1}", ((-34, 2), (10, -24), (-2, -28))[k], fontsize=8)
        middle = frames[k + 1][1] + 0.45 * frames[k + 1][0][:, 0]
        scene.text(middle, f"link {k + 1}", ((-22, 6), (2, 14), (24, 6))[k], fontsize=8, color=BLUE)
    tip = frames[3][1] + 0.8 * frames[3][0][:, 0]
    scene.text(tip, "end effector", (14, -12), fontsize=8)
    scene.text((0, 0, 0), "base", (30, -8), fontsize=8)
    scene.room(0.05)
    return drawn


@figure("lau_07_force_of_a_mass_element")
def mass_element() -> Figure:
    """Figure 7: a mass element of the last link, seen from the base and from the frames on the way."""
    drawn, (panel,) = panels(size=(6.0, 3.8))
    scene = Scene(panel, VIEW)
    joints, frames = bars(scene, blob=True)
    R, o = frames[3]
    dm = o + R @ [0.5, 0.0, 0.02]
    names = [("0", np.eye(3), np.zeros(3)), ("1", frames[0][0], joints[0]), ("k", frames[1][0], joints[1]),
             ("j", frames[2][0], joints[2])]
    for (name, turned, origin), shift, at in zip(names, ((6, -7), (-2, 8), (-4, -9), (2, 10)), (0.5, 0.5, 0.4, 0.5),
                                                 strict=True):
        scene.frame(turned, origin, name, 0.19, axes="xz" if name == "k" else "xyz")
        scene.arrow(origin, dm, RED, rf"${{}}_{name}\mathbf{{r}}^{{,j}}$", shift, 0.9, at, shrinkB=3)
    scene.arrow((0, 0, 0), joints[0], LIGHT, r"${}_0\mathbf{d}^1$", (-10, 2), 1.0, 0.6)
    scene.text(dm, "$dm$", (13, 3), color=RED)
    scene.text(o + 0.75 * R[:, 0], "link $j$", (-4, -16), color=BLUE, fontsize=8)
    scene.room(0.05)
    return drawn


def _of_last_link() -> tuple[Vectors, float]:
    """Mass center of the last link in the world, and its mass."""
    R, o = places()[1][3]
    link = CHAIN.links[3].inertia
    return o + R @ link.center_of_mass, link.mass


def _load(scene: Scene, i: Vectors, center: Vectors, force: Vectors, own: Vectors, label: str, torque: str) -> None:
    """A force at the mass center, its arm from joint i, and the torque that it and the link's own part have there."""
    size = 0.34 / np.linalg.norm(force)
    scene.arrow(center, center + size * force, RED, label, (6, 9), 1.8)
    scene.arrow(i, center, GREY, r"${}_i\mathbf{p}^{,j}$", (4, -9), 0.9, 0.62, linestyle="--")
    N = np.cross(center - i, force) + own
    axis = N / np.linalg.norm(N)
    scene.arrow(i, i + 0.42 * axis, GREEN, torque, (-16, 4), 1.8)
    across = np.cross(axis, scene.view.axes[2])
    scene.turn(i + 0.28 * axis, axis, 0.06 * across / np.linalg.norm(across), 4.9, width=0.9)


@figure("lau_08_inertial_torque")
def inertial_torque() -> Figure:
    """Figure 8: joint k accelerates; link j takes a force and, about its own center, a torque; joint i feels both."""
    drawn, (panel,) = panels(size=(6.0, 3.9))
    scene = Scene(panel, VIEW)
    joints, frames = bars(scene)
    center, mass = _of_last_link()
    i, k = joints[0], joints[1]
    alpha = 3.0 * np.array([-0.55, -0.3, 0.78])
    qdd = np.zeros(CHAIN.n)
    qdd[9:12] = frames[2][0].T @ alpha
    terms = CHAIN.load_breakdown(Q, np.zeros(CHAIN.n), qdd, by="joint", by_link=True, frame="world", compiled=False)
    found = terms.inertial["joint1", "joint2", "link3"]
    scene.frame(frames[0][0], i, "i", 0.19)
    scene.frame(frames[1][0], k, "k", 0.19)
    scene.frame(frames[3][0], frames[3][1], "j", 0.19, axes="xz")
    scene.arrow(k, frames[3][1], LIGHT, r"${}_k\mathbf{d}^j$", (0, 8), 1.1, 0.5)
    scene.arrow(i, frames[3][1], LIGHT, r"${}_i\mathbf{d}^j$", (-4, 9), 1.1, 0.45)
    scene.arrow(frames[3][1], center, INK, r"${}_j\mathbf{p}^{,j}$", (-2, -9), 1.1, 0.6)
    axis = alpha / np.linalg.norm(alpha)
    scene.arrow(k, k + 0.36 * axis, BLUE, r"$\alpha_k$", (-9, 0), 1.5)
    across = np.cross(axis, scene.view.axes[2])
    scene.turn(k + 0.24 * axis, axis, 0.06 * across / np.linalg.norm(across), 4.9, BLUE, width=0.9)
    scene.dot(center, RED, 4, zorder=22)
    own = np.asarray(found.torque) - np.cross(center - i, found.force)
    _load(scene, i, center, np.asarray(found.force), own, r"$M^{,j}\,\alpha_k\times{}_k\mathbf{p}^{,j}$",
          r"${}_i\mathbf{N}^{k,j}$")
    assert np.allclose(found.force, mass * np.cross(alpha, center - frames[2][1]))
    scene.room(0.05)
    return drawn


@figure("lau_09_coriolis_torque")
def coriolis_torque() -> Figure:
    """Figure 9: joint k turns, joint l slides; the Coriolis force at link j's mass center loads joint i."""
    drawn, (panel,) = panels(size=(6.0, 3.9))
    scene = Scene(panel, VIEW)
    joints, frames = bars(scene)
    center, mass = _of_last_link()
    i, k, l = joints  # noqa: E741
    w = 2.0 * np.array([0.15, -0.1, 1.0])
    u = 1.0 * frames[2][0] @ np.array([0.9, 0.1, 0.35])
    qd = np.zeros(CHAIN.n)
    qd[9:12], qd[12:15] = frames[2][0].T @ w, frames[3][0].T @ u
    terms = CHAIN.load_breakdown(Q, qd, np.zeros(CHAIN.n), by="joint", by_link=True, frame="world", compiled=False)
    found = terms.coriolis["joint1", "joint2", "joint3", "link3"]
    assert np.allclose(found.force, 2 * mass * np.cross(w, u))
    scene.frame(frames[0][0], i, "i", 0.19)
    scene.frame(frames[1][0], k, "k", 0.19)
    scene.frame(frames[2][0], l, "l", 0.19, axes="xz")
    axis = w / np.linalg.norm(w)
    scene.arrow(k, k + 0.42 * axis, BLUE, r"$\mathbf{w}_k$", (10, 2), 1.5)
    across = np.cross(axis, scene.view.axes[2])
    scene.turn(k + 0.32 * axis, axis, 0.06 * across / np.linalg.norm(across), 4.9, BLUE, width=0.9)
    scene.arrow(l, l + 0.36 * u, BLUE, r"$\mathbf{u}_l$", (-2, 9), 1.5)
    scene.dot(center, RED, 4, zorder=22)
    own = np.asarray(found.torque) - np.cross(center - i, found.force)
    _load(scene, i, center, np.asarray(found.force), own, r"$2M^{,j}\,\mathbf{w}_k\times\mathbf{u}_l$",
          r"${}_i\mathbf{N}^{kl,j}$")
    scene.room(0.05)
    return drawn


ROD_Q, UP = np.array([0.6, -0.6, 0.62]), np.array([0.0, 0.0, 1.0])


@figure("lau_10_generalized_rotation")
def generalized_rotation() -> Figure:
    """Figure 10: the axis of joint 1 seen in the frame of the rod is the rod's generalized rotation."""
    drawn, (panel,) = panels(size=(5.4, 4.2))
    scene = Scene(panel, SIDE)
    at = lau_arm(scene, ROD_Q, frames=False)
    R, tip = at["rod"]
    delta = ARM.books.lau.delta(ROD_Q, "rod")[0]
    o = at["turntable"][1]
    scene.frame(at["turntable"][0], o, "i", 0.17, axes="xy")
    scene.arrow(o, o + 0.4 * UP, GREEN, r"${}_i\mathbf{s}$", (8, 0), 1.8)
    scene.turn(o + 0.3 * UP, (0, 0, 1), (0.07, -0.02, 0), 4.9, width=1.0)
    scene.frame(R, tip, "j", 0.44)
    end = tip + 0.4 * R @ delta
    scene.arrow(tip, end, GREEN, r"${}_i\delta^j=({}_iA^j)^T\,{}_i\mathbf{s}$", (2, 10), 1.8)
    for k in (0, 2):
        foot = tip + 0.4 * delta[k] * R[:, k]
        scene.line([end, foot], GREY, 0.9, ls=":", zorder=18)
        scene.line([tip, foot], RED, 2.0, zorder=18)
    scene.text(tip + 0.2 * delta[0] * R[:, 0], r"$-\sin\theta_2$", (22, -8), color=RED, fontsize=8)
    scene.text(tip + 0.2 * delta[2] * R[:, 2], r"$\cos\theta_2$", (-17, -2), color=RED, fontsize=8)
    scene.room()
    return drawn


@figure("lau_11_generalized_displacement")
def generalized_displacement() -> Figure:
    """Figure 11: how the origin of the rod's frame moves with a unit of speed of each joint."""
    drawn, (panel,) = panels(size=(5.4, 4.2))
    scene = Scene(panel, SIDE)
    at = lau_arm(scene, ROD_Q, frames=False)
    R, tip = at["rod"]
    mu = ARM.books.lau.mu(ROD_Q, "rod")
    o = at["turntable"][1]
    scene.arrow(o, o + 0.36 * UP, GREEN, r"${}_1\mathbf{s}$", (8, 0), 1.6)
    scene.turn(o + 0.26 * UP, (0, 0, 1), (0.07, -0.02, 0), 4.9, width=1.0)
    scene.arrow(o, tip, LIGHT, r"${}_1\mathbf{d}^3$", (-4, 9), 1.1, 0.6)
    center = np.array([0, 0, tip[2]])
    scene.line(arc(center, (0, 0, 1), tip - center, 0.9), GREEN, 0.9, ls="--")
    scene.line(arc(center, (0, 0, -1), tip - center, 0.5), GREEN, 0.9, ls="--")
    swing, carriage = at["carriage"]
    scene.line(arc(carriage, swing[:, 1], tip - carriage, 0.35), BLUE, 0.9, ls="--")
    scene.line(arc(carriage, -swing[:, 1], tip - carriage, 0.35), BLUE, 0.9, ls="--")
    labels = (
        r"${}_1\mu^3=({}_1A^3)^T({}_1\mathbf{s}\times{}_1\mathbf{d}^3)$",
        r"${}_2\mu^3$",
        r"${}_3\mu^3={}_3\mathbf{s}$",
    )
    for vector, color, label, shift, size in zip(mu, (GREEN, BLUE, RED), labels, ((64, -6), (-12, 6), (-24, 0)),
                                                 (0.32, 0.32, 0.2), strict=True):
        scene.arrow(tip, tip + size * R @ vector, color, label, shift, 1.8)
    scene.dot(tip, INK, 4, zorder=22)
    scene.room()
    return drawn


@figure("lau_12_recursion")
def recursion() -> Figure:
    """Figure 12: frames of the recursion; at every origin the axes of the base, into which all is turned."""
    drawn, (panel,) = panels(size=(6.0, 3.9))
    scene = Scene(panel, VIEW)
    joints, frames = bars(scene)
    names = ("i", "i+1", "i+2")
    for name, o, turned in zip(names, joints, (frames[0][0], frames[1][0], frames[2][0]), strict=True):
        scene.frame(np.eye(3), o, "", 0.2, GREY, names=("", "", ""))
        scene.frame(turned, o, name, 0.2, axes="xyz" if name == "i" else "xz")
    scene.frame(np.eye(3), (0, 0, 0), "0", 0.2)
    scene.arrow((0, 0, 0), joints[1], LIGHT, r"${}_0\mathbf{d}^{i+1}$", (10, -6), 1.1, 0.5)
    scene.arrow((0, 0, 0), joints[0], LIGHT, r"${}_0\mathbf{d}^{i}$", (-10, 0), 1.1, 0.6)
    scene.arrow(joints[0], joints[1], RED, r"${}_0A^i\,{}_i\mathbf{d}^{i+1}$", (-22, 10), 1.2, 0.55)
    R, o = frames[3]
    dm = o + R @ [0.5, 0.0, 0.02]
    scene.dot(dm, RED, 5, zorder=22)
    scene.arrow(joints[1], dm, RED, r"${}_0A^{i+1}\,{}_{i+1}\mathbf{r}$", (0, -11), 1.2, 0.5)
    scene.text(dm, "$dm$", (13, 2), color=RED)
    scene.room(0.05)
    return drawn
