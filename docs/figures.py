"""Draws docs/images/panda_loads.png, a Panda with what its joints carry and what one joint's load is made of, and
docs/images/viewer.png, the same robot in the viewer.

The robot is the picture of its own report, taken by Chromium; its meshes are those of example-robot-data. Needs
matplotlib: python -m docs.figures
"""

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np

import loadpath as lp
from docs.portraits import portrait, viewer_page
from tests.real_robots import REAL_ROBOTS

JOINT = "panda_joint2"
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


WIDE, HIGH, TURN = 520, 440, {"yaw": -0.95, "pitch": 0.22}


def main() -> None:
    panda = lp.load(REAL_ROBOTS["panda_description/panda"]).with_payload(mass=3.0, link="panda_hand_tcp")
    motion = lp.Motion.swing(panda, 101)
    loads = panda.load_breakdown(motion)

    figure, (robot, causes) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained", width_ratios=[5, 6])
    report = panda.report(motion, only=["overview"], interactive=False)
    robot.imshow(np.asarray(portrait(report, WIDE, HIGH, TURN, sharp=3)))
    robot.set_axis_off()
    robot.set_title("What its joints carry at the worst instant")

    causes.set_title(f"Where the torque of {JOINT.removeprefix('panda_')} comes from")
    every = {cause: wrench.torque[:, 2] for cause, wrench in loads.by_cause(JOINT).items()}
    largest = sorted(every, key=lambda cause: -abs(every[cause]).max())
    parts = {cause.replace("panda_", ""): every[cause] for cause in largest[:SHOWN]}
    parts[f"{len(largest) - SHOWN} more"] = sum(every[cause] for cause in largest[SHOWN:])
    shades = {kind: iter(colors) for kind, colors in SHADES.items()}
    stack(causes, motion.t, parts, [next(shades[cause.split()[0]]) for cause in largest[:SHOWN]] + ["#d5dbe1"])
    total = loads.total(JOINT).torque[:, 2]
    causes.plot(motion.t, total, color="black", linewidth=1.6, label="sum: the joint's torque")
    causes.legend(fontsize=8, handlelength=1.2, loc="center left", bbox_to_anchor=(1.0, 0.5))
    causes.axhline(0, color="black", linewidth=0.6)
    causes.set_ylabel("torque (N m)")
    causes.set_xlabel("time (s)")
    causes.set_xlim(0, motion.t[-1])
    out = Path(__file__).parent / "images" / "panda_loads.png"
    figure.savefig(out, dpi=170, metadata={"Software": None})
    viewer_page(panda, motion, "Loads", out.with_name("viewer.png"))
    print(f"wrote {out.name} and viewer.png")


if __name__ == "__main__":
    main()
