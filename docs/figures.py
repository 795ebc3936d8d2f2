"""Draws docs/images/panda_loads.svg: the drives of a Panda over a short motion, and what one joint's load is made of.

Needs matplotlib, which nothing else here does: python docs/figures.py
"""

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np

import loadpath as lp

JOINT = "panda_joint2"
PALETTE = ["#0b4f6c", "#01a7c2", "#6a994e", "#e09f3e", "#bc4b51", "#7b2d8b", "#8d99ae"]
SHADES = {
    "gravity": ["#4b2a7b", "#6f4aa5", "#9272c4", "#b59fda", "#d4c7ec"],
    "inertial": ["#0b4f8c", "#2f78bb", "#6aa4d8", "#a5cbeb"],
    "centrifugal": ["#2e7d4f", "#62ad80", "#9fd0b3"],
    "coriolis": ["#b25a00", "#da8a33", "#ecb375", "#f6d8b4"],
}
SHOWN = 9

mpl.rcParams.update({
    "svg.hashsalt": "loadpath", "svg.fonttype": "path", "font.size": 9, "axes.spines.top": False,
    "axes.spines.right": False, "axes.grid": True, "grid.alpha": 0.25, "axes.titlesize": 10, "axes.titleweight": "bold",
    "axes.titlelocation": "left", "legend.frameon": False, "lines.linewidth": 1.8,
})


def stack(panel: plt.Axes, t: np.ndarray, parts: dict[str, np.ndarray], colors: list[str]) -> None:
    """Positive values stacked upwards from zero, negative ones downwards."""
    up, down = np.zeros_like(t), np.zeros_like(t)
    for (name, values), color in zip(parts.items(), colors, strict=True):
        high, low = up + np.maximum(values, 0), down + np.minimum(values, 0)
        panel.fill_between(t, up, high, color=color, linewidth=0, label=name)
        panel.fill_between(t, down, low, color=color, linewidth=0)
        up, down = high, low


def main() -> None:
    robot = lp.catalog.panda().with_payload(mass=3.0)
    motion = lp.Motion.swing(robot, 101)
    tau = robot.inverse_dynamics(motion.q, motion.qd, motion.qdd)
    loads = robot.load_breakdown(motion)

    figure, (drives, causes) = plt.subplots(1, 2, figsize=(11, 3.6), layout="constrained", width_ratios=[2, 3])
    drives.set_title("What the drives give")
    for k, name in enumerate(robot.dof_names):
        drives.plot(motion.t, tau[:, k], color=PALETTE[k], label=name.removeprefix("panda_"))
    drives.legend(fontsize=7, ncols=2, handlelength=1.2, columnspacing=0.8)

    causes.set_title(f"Where the torque of {JOINT.removeprefix('panda_')} comes from")
    every = {cause: wrench.torque[:, 2] for cause, wrench in loads.by_cause(JOINT).items()}
    largest = sorted(every, key=lambda cause: -abs(every[cause]).max())
    parts = {cause.replace("panda_", ""): every[cause] for cause in largest[:SHOWN]}
    parts[f"{len(largest) - SHOWN} more"] = sum(every[cause] for cause in largest[SHOWN:])
    shades = {kind: iter(colors) for kind, colors in SHADES.items()}
    stack(causes, motion.t, parts, [next(shades[cause.split()[0]]) for cause in largest[:SHOWN]] + ["#d5dbe1"])
    total = loads.total(JOINT).torque[:, 2]
    causes.plot(motion.t, total, color="black", linewidth=1.6, label="sum: the joint's torque")
    causes.legend(fontsize=7, handlelength=1.2, loc="center left", bbox_to_anchor=(1.0, 0.5))
    for panel in (drives, causes):
        panel.axhline(0, color="black", linewidth=0.6)
        panel.set_ylabel("torque (N m)")
        panel.set_xlabel("time (s)")
        panel.set_xlim(0, motion.t[-1])
    out = Path(__file__).parent / "images" / "panda_loads.svg"
    figure.savefig(out, metadata={"Date": None})
    print(f"wrote {out.name}")


if __name__ == "__main__":
    main()
