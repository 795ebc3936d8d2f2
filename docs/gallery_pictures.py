"""A small picture for each example, drawn from the numbers that the example itself has found.

Each function takes the names that the example leaves behind, and two panels or one.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import loadpath as lp

COLORS = ["#0b5cad", "#d1495b", "#e08e0b", "#2e7d4f", "#6f4aa5", "#01a7c2", "#8d99ae"]
STYLE = {
    "svg.hashsalt": "loadpath", "svg.fonttype": "path", "font.size": 8, "axes.spines.top": False,
    "axes.spines.right": False, "axes.grid": True, "grid.alpha": 0.25, "axes.titlesize": 9,
    "axes.titlelocation": "left", "legend.frameon": False, "legend.fontsize": 7, "lines.linewidth": 1.6,
    "axes.prop_cycle": mpl.cycler(color=COLORS), "figure.facecolor": "white",
}
SIZE = (3.6, 2.4)

Names = dict[str, Any]
Drawing = Callable[[Names, Axes], None]
PICTURES: dict[str, Drawing] = {}


def of(example: str) -> Callable[[Drawing], Drawing]:
    """Enters a drawing for an example."""

    def enter(draw: Drawing) -> Drawing:
        PICTURES[example] = draw
        return draw

    return enter


def picture(example: str, names: Names) -> Figure:
    """The picture of an example that has run."""
    with mpl.rc_context(STYLE):
        figure, panel = plt.subplots(figsize=SIZE, layout="constrained")
        PICTURES[example](names, panel)
    return figure


def save(figure: Figure, path: Path) -> None:
    """Writes it: the same bytes each time."""
    with mpl.rc_context(STYLE):
        figure.savefig(path, metadata={"Date": None, "Creator": None})
    plt.close(figure)


def _over_time(panel: Axes, unit: str) -> None:
    panel.set_xlabel("time (s)")
    panel.set_ylabel(unit)
    panel.margins(x=0)


def _skeleton(panel: Axes, robot: Any, q: Any, axes: tuple[int, int], **style: Any) -> None:
    """Lines from joint to joint, seen along a world axis."""
    poses = robot.link_poses(q)
    place = dict(zip(robot.link_names, poses[:, :3, 3], strict=True))
    for joint in robot.joints:
        ends = np.array([place[joint.parent], place[joint.child]])
        panel.plot(ends[:, axes[0]], ends[:, axes[1]], solid_capstyle="round", **style)


def _space(panel: Axes) -> None:
    panel.set_aspect("equal")
    panel.axis("off")


@of("dask_batch")
def dask_batch(x: Names, panel: Axes) -> None:
    panel.bar(x["robot"].dof_names, x["peak"], color="#cfe1f3", label="largest")
    panel.bar(x["robot"].dof_names, x["mean"], color=COLORS[0], label="mean")
    panel.set_ylabel("torque (N m)")
    panel.set_yscale("log")
    panel.legend()


@of("data_sheet")
def data_sheet(x: Names, panel: Axes) -> None:
    found = x["diagram"]
    numbers = {limit: k for k, limit in enumerate(found.shares)}
    regions = np.array([[numbers[found.limits[k]] for k in row] for row in found.which])
    colors = mpl.colors.ListedColormap(COLORS[: len(numbers)])
    panel.pcolormesh(found.axial, found.radial, regions.T, cmap=colors, vmin=-0.5, vmax=len(numbers) - 0.5, alpha=0.35)
    curves = panel.contour(found.axial, found.radial, found.mass.T, levels=[1.5, 2, 3, 4, 5], colors="#1f2933")
    panel.clabel(curves, fmt="%g kg", fontsize=7)
    panel.grid(visible=False)
    panel.set_xlabel("axial offset (m)")
    panel.set_ylabel("radial offset (m)")


@of("identify_a_payload")
def identify_a_payload(x: Names, panel: Axes) -> None:
    t = x["t"][:1200, 0, 0]
    bare = x["arm"].inverse_dynamics(x["q"], x["qd"], x["qdd"])
    panel.plot(t, x["measured"][:1200, 1], color="#b9c4cf", linewidth=0.8, label="measured")
    panel.plot(t, bare[:1200, 1], label="without the payload")
    panel.plot(t, x["loaded"].inverse_dynamics(x["q"], x["qd"], x["qdd"])[:1200, 1], label="with it")
    _over_time(panel, "torque of joint 2 (N m)")
    panel.legend()


@of("optimal_swing")
def optimal_swing(x: Names, panel: Axes) -> None:
    t = np.linspace(0, x["duration"], x["steps"] + 1)
    for k in range(2):
        panel.plot(t, x["straight"][:, k], "--", color=COLORS[k], linewidth=1)
        panel.step(t[:-1], x["torque"][:, k], where="post", color=COLORS[k], label=f"joint {k + 1}")
    _over_time(panel, "torque (N m)")
    panel.set_title("least torque; dashed: the straight way")
    panel.legend()


@of("robot_from_dh")
def robot_from_dh(x: Names, panel: Axes) -> None:
    for share, color in ((0.0, "#d5dfe9"), (0.5, "#8fb4da"), (1.0, COLORS[0])):
        q = [0.0, np.pi / 4 * share, -np.pi / 2 * share]
        _skeleton(panel, x["arm"], q, (0, 2), color=color, linewidth=5)
    _space(panel)


@of("torques_of_a_urdf")
def torques_of_a_urdf(x: Names, panel: Axes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pendulum.urdf"
        path.write_text(x["PENDULUM"])
        robot = lp.load(path)
    angle = np.linspace(-np.pi, np.pi, 121)
    grid = np.stack(np.meshgrid(angle, np.linspace(-2.5, 2.5, 91)), axis=-1)
    torque = robot.gravity_forces(grid)[..., 0]
    shown = panel.pcolormesh(grid[..., 0], grid[..., 1], torque, cmap="RdBu_r", rasterized=True)
    panel.set_xlabel("shoulder (rad)")
    panel.set_ylabel("elbow (rad)")
    plt.colorbar(shown, ax=panel, label="torque of the shoulder (N m)")


@of("two_arms_hold_a_box")
def two_arms(x: Names, panel: Axes) -> None:
    pair, q = x["pair"], x["pair"].home
    _skeleton(panel, pair, q, (0, 2), color=COLORS[0], linewidth=5)
    poses = dict(zip(pair.link_names, pair.link_poses(q)[:, :3, 3], strict=True))
    tips = np.array([poses["left_tip"], poses["right_tip"]])[:, [0, 2]]
    middle = tips.mean(axis=0)
    panel.add_patch(plt.Rectangle(middle - 0.1, 0.2, 0.2, color=COLORS[2]))
    _space(panel)


@of("two_poses")
def two_poses(x: Names, panel: Axes) -> None:
    for q, color, label in ((x["pose_1"], COLORS[0], "29.4, 9.8 N m"), (x["pose_2"], COLORS[1], "19.6, 0 N m")):
        _skeleton(panel, x["arm"], q, (0, 2), color=color, linewidth=4)
        end = x["arm"].link_poses(q)[-1, :3, 3]
        panel.plot(*end[[0, 2]], "o", color=color, markersize=11)
        panel.annotate(label, end[[0, 2]] + [0.12, 0.1], color=color)
    panel.margins(0.25)
    _space(panel)


@of("operation_counts")
def operation_counts(x: Names, panel: Axes) -> None:
    names = ["newton-euler", "luh", "generalized-recursive", "natural-orthogonal-complement", "lagrange-euler"]
    counts = [x["arm"].operation_count(formulation=name, as_written=True) for name in names]
    panel.barh(names, [count.multiplications + count.additions for count in counts], color=COLORS[0])
    panel.set_xscale("log")
    panel.invert_yaxis()
    panel.set_xlabel("operations, 6 joints, as written")


@of("orthogonal_complement_of_a_chain")
def orthogonal_complement(x: Names, panel: Axes) -> None:
    K, T = np.abs(x["K"]) > 1e-12, np.abs(x["T"]) > 1e-12
    both = np.zeros((18, 23))
    both[:, :18], both[:, 20:] = K, 2 * T
    panel.imshow(both, cmap=mpl.colors.ListedColormap(["white", COLORS[0], COLORS[1]]))
    panel.set_title("entries of K, and of T with K T = 0")
    panel.set_xticks([])
    panel.set_yticks([])
    panel.grid(visible=False)


@of("space_robot")
def space_robot(x: Names, panel: Axes) -> None:
    run = x["run"]
    panel.plot(run.t, 1e3 * run.q[:, :3], label=["x", "y", "z"])
    _over_time(panel, "satellite (mm)")
    panel.set_title("the arm swings, the satellite answers")
    panel.legend()


@of("bending_and_buckling")
def bending_and_buckling(x: Names, panel: Axes) -> None:
    along = np.linspace(0, x["L"], 200)
    for mode in (1, 2, 3):
        shape = 1 - np.cos((2 * mode - 1) * np.pi * along / (2 * x["L"]))
        panel.plot(shape / 2 + 1.6 * mode, along, label=f"{(2 * mode - 1) ** 2} times (7-23)")
        panel.plot([1.6 * mode] * 2, [0, x["L"]], ":", color="#8d99ae", linewidth=0.8)
    panel.set_title("buckling modes of a clamped link")
    panel.set_xticks([])
    panel.set_ylabel("along the link (m)")
    panel.legend(loc="upper left", bbox_to_anchor=(0.0, 0.98))
    panel.set_xlim(-1.2, 6.2)


@of("lau_arm_by_steps")
def lau_arm_by_steps(x: Names, panel: Axes) -> None:
    kinds = x["fast"].by_kind("theta2")
    places = np.arange(3)
    up, down = np.zeros(3), np.zeros(3)
    for kind, wrench in kinds.items():
        if not np.abs(wrench.torque).max() > 1e-9:
            continue
        panel.bar(places, wrench.torque, bottom=np.where(wrench.torque > 0, up, down), label=kind, width=0.6)
        up, down = up + np.maximum(wrench.torque, 0), down + np.minimum(wrench.torque, 0)
    panel.set_xticks(places, ["about x", "about y", "about z"])
    panel.set_ylabel("torque at joint 2 (N m)")
    panel.legend()


@of("study_of_a_rover")
def study_of_a_rover(x: Names, panel: Axes) -> None:
    for k, slope in enumerate(x["slopes"]):
        panel.plot(x["masses"], 1e3 * x["margin"][-1, :, k, 1], label=f"{np.degrees(slope):.0f}° of slope")
    panel.axhline(0.0, color="#8d99ae", linewidth=0.8)
    panel.set_xlabel("mass of the cart (kg)")
    panel.set_ylabel("least margin with 5 kg (mm)")
    panel.legend()


@of("study_of_a_telescopic_crane")
def study_of_a_telescopic_crane(x: Names, panel: Axes) -> None:
    sag = 1e3 * x["study"].answer("deflection")[..., -1].ravel()
    panel.scatter(x["study"].answer("boom_mass")[..., -1].ravel(), sag, s=18)
    panel.axhline(400.0, color=COLORS[1], linewidth=0.8)
    panel.set_xlabel("mass of the boom (kg)")
    panel.set_ylabel("sag with two tonnes (mm)")


@of("study_of_an_arm")
def study_of_an_arm(x: Names, panel: Axes) -> None:
    study, payload = x["study"], x["study"].space.axis("payload.mass")
    for k, part in enumerate(study.space.axis("joint2.part")):
        for duration, style in ((0, ":"), (2, "-")):  # of the tube of 0.45 m with walls of 3 mm
            hours = study.answer("life")[:, 3, 1, k, duration]
            words = f"{part.name.split(',')[0]}, {study.space.axis('motion.duration')[duration]:.3g} s"
            panel.plot(payload, hours / 1e3, style, color=COLORS[k], label=words)
    panel.axhline(15.0, color="#8d99ae", linewidth=0.8)
    panel.set_yscale("log")
    panel.set_xlabel("payload (kg)")
    panel.set_ylabel("life of the gear (1000 h)")
    panel.legend()
