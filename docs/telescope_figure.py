"""Draws docs/images/telescope.svg: the boom of docs/telescopes.md at three extensions, and its bending moments.

Needs matplotlib, which nothing else here does: python docs/telescope_figure.py
"""

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np

import loadpath as lp
from loadpath.structure.arm_lines import deflected, pads

COLORS = {"outer": "#0b4f6c", "inner": "#01a7c2"}
PAD = "#e4572e"
TIMES = 20.0

mpl.rcParams.update({
    "svg.hashsalt": "loadpath", "svg.fonttype": "path", "font.size": 9, "axes.spines.top": False,
    "axes.spines.right": False, "axes.grid": True, "grid.alpha": 0.25, "axes.titlesize": 10, "axes.titleweight": "bold",
    "axes.titlelocation": "left", "legend.frameon": False, "lines.linewidth": 1.8,
})


def boom() -> lp.FlexibleRobot:
    """The boom of the page."""
    links = [lp.Link("base"), *(lp.Link(name, lp.Inertia(1.0)) for name in ("outer", "inner"))]
    links.append(lp.Link("hook", lp.Inertia(500.0)))
    joints = [
        lp.Joint("luff", "base", "outer", lp.Revolute((0, -1, 0))),
        lp.Joint("slide", "outer", "inner", lp.Prismatic((1, 0, 0)), lp.Pose(translation=(4, 0, 0)),
                 limits=lp.Limits(lower=0, upper=3)),
        lp.Joint("tip", "inner", "hook", lp.Fixed()),
    ]
    tube = lp.RectangularTube(0.16, 0.25, 0.006)
    guide = lp.Guide(front=0.0, tail=-3.8)
    beams = {
        "outer": lp.Beam(lp.RectangularTube(0.2, 0.3, 0.008), lp.STEEL, end=(4, 0, 0)),
        "inner": lp.Beam(tube, lp.STEEL, start=(-4, 0, 0), end=(0, 0, 0), guide=guide),
    }
    return lp.Robot("boom", links, joints).with_beams(beams, inertia_from_beams=True)


arm = boom()
figure, panels = plt.subplots(2, 3, figsize=(10, 4.6), sharex=True, sharey="row")
still = np.zeros(2)
for (top, bottom), extension in zip(panels.T, (0.0, 1.5, 3.0), strict=True):
    q = np.array([0.0, extension])
    shape, found = deflected(arm, q, still, still, {})
    for curve in shape.curves:
        line = curve.points + TIMES * curve.displacement
        top.plot(line[:, 0], line[:, 2], color=COLORS[curve.link], label=curve.link, alpha=0.85,
                 linewidth=5 if curve.link == "outer" else 2.2)
    at, _ = pads(arm, shape, q, TIMES)
    top.plot(at[:, 0], at[:, 2], "s", color=PAD, markersize=6, label="pads")
    sag = -1000 * found["hook"].displacement[2]
    top.set_title(f"{extension:g} m out: sags by {sag:.1f} mm")
    sections = arm.stress(q, sections=41).sections
    _, moment = arm.section_actions(q, still, still, sections=41)
    for link, color in COLORS.items():
        rows = [k for k, name in enumerate(sections.links) if name == link]
        rows.sort(key=lambda k: sections.positions[k])
        start = 0.0 if link == "outer" else extension
        bottom.plot(start + sections.positions[rows], moment[rows, 1] / 1e3, color=color, label=link)
    bottom.set_xlabel("x (m)")
panels[0, 0].set_ylabel(f"z (m), sag drawn {TIMES:g} times")
panels[1, 0].set_ylabel("bending moment (kN m)")
panels[0, 0].legend(loc="lower left")
figure.tight_layout()
figure.savefig(Path(__file__).parent / "images" / "telescope.svg", metadata={"Date": None})
