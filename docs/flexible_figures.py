"""Draws docs/images/flexible_arm.svg: an arm that sags, its first vibrations, and its lowest frequency over two joints.

Needs matplotlib, which nothing else here does: python docs/flexible_figures.py
"""

from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np

import loadpath as lp
from loadpath.structure.arm_lines import ArmShape, deflected, mode_shape, rigid_lines

BLUE, LIGHT, GREY = "#0b4f6c", "#01a7c2", "#b8c4ce"

mpl.rcParams.update({
    "svg.hashsalt": "loadpath", "svg.fonttype": "path", "font.size": 9, "axes.spines.top": False,
    "axes.spines.right": False, "axes.grid": True, "grid.alpha": 0.25, "axes.titlesize": 10, "axes.titleweight": "bold",
    "axes.titlelocation": "left", "legend.frameon": False, "lines.linewidth": 1.8,
})


def flexible_ur5() -> lp.FlexibleRobot:
    """A UR5 with thin aluminium tubes, gearboxes that wind up, and 5 kg in its hand."""
    beams = {
        "link2": lp.Beam(lp.Tube(outer_radius=0.03, wall=0.002), lp.ALUMINIUM, end="elbow_joint"),
        "link3": lp.Beam(lp.Tube(outer_radius=0.025, wall=0.0015), lp.ALUMINIUM, end="wrist_1_joint"),
    }
    gears = {"shoulder_lift_joint": lp.JointCompliance(drive=3e4), "elbow_joint": lp.JointCompliance(drive=2e4)}
    arm = lp.catalog.ur5().with_payload(5.0).with_beams(beams, joint_compliance=gears)
    assert isinstance(arm, lp.FlexibleRobot)
    return arm


def draw(panel: Any, arm: lp.FlexibleRobot, shape: ArmShape, factor: float, color: str, **style: Any) -> None:
    """The arm from the side: the way from the first axis, and the height."""
    lines = [curve.points + factor * curve.displacement for curve in shape.curves]
    lines += [line for _, line in rigid_lines(arm, shape, factor)]
    for k, line in enumerate(lines):
        panel.plot(
            -line[:, 0],
            line[:, 2],
            color=color,
            solid_capstyle="round",
            **style if k == 0 else {**style, "label": None},
        )
    panel.set_aspect("equal")
    panel.set(xlabel="-x (m)", xlim=(-0.08, 0.8), ylim=(-0.05, 0.68))


def main() -> None:
    arm = flexible_ur5()
    q = np.array([0.0, -0.7, 1.0, -0.3, 0.0, 0.0])
    figure, (sag, ring, chart) = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained", width_ratios=(1, 1, 1.1))
    still = np.zeros(arm.n)
    shape, found = deflected(arm, q, still, still, {})
    draw(sag, arm, shape, 0.0, GREY, label="rigid")
    draw(sag, arm, shape, 20.0, BLUE, label="sagging, 20 times")
    sag.set_title(f"Sag: {1000 * np.linalg.norm(found['payload'].displacement):.1f} mm at the hand")
    sag.set_ylabel("z (m)")

    modes = arm.natural_frequencies(q, 6)
    across = np.linalg.norm(modes.displacement[:, :, 1], axis=1) / np.linalg.norm(modes.displacement, axis=(1, 2))
    flat = np.flatnonzero(across < 0.5)[:2]
    draw(ring, arm, shape, 0.0, GREY)
    for k, color in zip(flat, (BLUE, LIGHT), strict=True):
        moved = mode_shape(modes, k)
        draw(ring, arm, moved, 0.1 / moved.largest(), color, label=f"{modes.frequencies[k]:.1f} Hz")
    ring.set_title("Vibrations in this plane")
    for panel in (sag, ring):
        panel.legend(fontsize=8, handlelength=1.2, loc="upper right")

    elbow = np.linspace(-2.6, 2.6, 31)
    lowest = arm.frequency_map({"elbow_joint": elbow, "wrist_1_joint": np.linspace(-3.1, 3.1, 31)}, q=q)
    (_, x), (_, y) = lowest.axes
    filled = chart.contourf(x, y, lowest.frequencies.T, levels=12, cmap="viridis")
    figure.colorbar(filled, ax=chart, label="Hz")
    chart.set_title("Lowest natural frequency")
    chart.set_xlabel("elbow_joint (rad)")
    chart.set_ylabel("wrist_1_joint (rad)")
    out = Path(__file__).parent / "images" / "flexible_arm.svg"
    figure.savefig(out, metadata={"Date": None})
    print(f"wrote {out.name}")


if __name__ == "__main__":
    main()
