"""Draws docs/images/panda_loads.svg: the drives of a Panda and the wrench at one of its joints over the demo's motion.

Needs matplotlib, which nothing else here does: python docs/figures.py
"""

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt

import loadpath as lp

JOINT = "panda_joint2"
PALETTE = ["#0b4f6c", "#01a7c2", "#6a994e", "#e09f3e", "#bc4b51", "#7b2d8b", "#8d99ae"]
AXES = {"x": "#bc4b51", "y": "#6a994e", "z": "#0b4f6c"}

mpl.rcParams.update({
    "svg.hashsalt": "loadpath", "svg.fonttype": "path", "font.size": 9, "axes.spines.top": False,
    "axes.spines.right": False, "axes.grid": True, "grid.alpha": 0.25, "axes.titlesize": 10, "axes.titleweight": "bold",
    "axes.titlelocation": "left", "legend.frameon": False, "lines.linewidth": 1.8,
})  # fmt: skip


def main() -> None:
    robot = lp.catalog.panda().with_payload(mass=3.0)
    motion = lp.Motion.swing(robot, 301)
    tau = robot.inverse_dynamics(motion.q, motion.qd, motion.qdd)
    wrench = robot.joint_wrenches(motion.q, motion.qd, motion.qdd)[JOINT]

    figure, (drives, forces, torques) = plt.subplots(1, 3, figsize=(11, 3.3), layout="constrained")
    drives.set_title("What the drives give")
    for k, name in enumerate(robot.dof_names):
        drives.plot(motion.t, tau[:, k], color=PALETTE[k], label=name.removeprefix("panda_"))
    drives.set_ylabel("torque (N m)")
    drives.legend(fontsize=7, ncols=2, handlelength=1.2, columnspacing=0.8)

    forces.set_title(f"What {JOINT.removeprefix('panda_')} carries: force")
    torques.set_title(f"What {JOINT.removeprefix('panda_')} carries: torque")
    for k, (axis, color) in enumerate(AXES.items()):
        forces.plot(motion.t, wrench.force[:, k], color=color, label=f"$F_{axis}$")
        label = f"$M_{axis}$" + (", the drive's" if axis == "z" else "")
        torques.plot(motion.t, wrench.torque[:, k], color=color, label=label)
    forces.set_ylabel("force (N)")
    torques.set_ylabel("torque (N m)")
    for panel in (forces, torques):
        panel.legend(fontsize=8, handlelength=1.2)
    for panel in (drives, forces, torques):
        panel.axhline(0, color="black", linewidth=0.6)
        panel.set_xlabel("time (s)")
        panel.set_xlim(0, motion.t[-1])
    out = Path(__file__).parent / "images" / "panda_loads.svg"
    figure.savefig(out, metadata={"Date": None})
    print(f"wrote {out.name}")


if __name__ == "__main__":
    main()
