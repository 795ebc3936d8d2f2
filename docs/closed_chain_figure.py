"""Draws docs/images/closed_chains.svg: the excavator of the catalog holding a load, the forces at its pins, and where
the force of a cylinder comes from while it lifts and swings.

Needs matplotlib, which nothing else here does: python docs/closed_chain_figure.py
"""

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np

import loadpath as lp

LINK, PIN, FORCE = "#0b4f6c", "#01a7c2", "#e4572e"
LOAD = 2000.0  # kg in the bucket
KINDS = {"gravity": "#0b4f6c", "inertial": "#01a7c2", "centrifugal": "#fbb13c", "coriolis": "#a26769"}

mpl.rcParams.update({
    "svg.hashsalt": "loadpath", "svg.fonttype": "path", "font.size": 9, "axes.spines.top": False,
    "axes.spines.right": False, "axes.grid": True, "grid.alpha": 0.25, "axes.titlesize": 10, "axes.titleweight": "bold",
    "axes.titlelocation": "left", "legend.frameon": False, "lines.linewidth": 1.8,
})

digger = lp.catalog.excavator().with_payload(LOAD, link="bucket", center_of_mass=(0.6, 0.2, 0.0))
q = digger.home
wrenches = digger.static_wrenches(q)
poses = dict(zip(digger.link_names, digger.link_poses(q), strict=True))

frames = {joint.name: (joint.parent, joint.child, poses[joint.child]) for joint in digger.joints if joint.motion.dof}
frames |= {loop.name: (loop.first, loop.second, poses[loop.second] @ loop.on.matrix) for loop in digger.loops}
pins_of: dict[str, list[np.ndarray]] = {}
for first, second, pose in frames.values():
    for link in (first, second):
        pins_of.setdefault(link, []).append(pose[:3, 3])
pins_of["bucket"].append(poses[digger.link_names[-2]][:3, 3])

figure, (left, right) = plt.subplots(1, 2, figsize=(10.5, 4.2), gridspec_kw={"width_ratios": (1.5, 1)})
for link, points in pins_of.items():
    corners = np.array(points)
    if link == digger.base.name or len(corners) < 2:
        continue
    around = np.argsort(np.arctan2(*(corners - corners.mean(axis=0))[:, [2, 0]].T))
    ring = corners[[*around, around[0]]]
    left.fill(ring[:, 0], ring[:, 2], facecolor=LINK, alpha=0.12)
    left.plot(ring[:, 0], ring[:, 2], color=LINK, linewidth=3, alpha=0.75, solid_capstyle="round")
scale = 1.3 / max(np.linalg.norm(wrenches[name].force) for name in frames)
for name, (_, _, pose) in frames.items():
    at, force = pose[:3, 3], pose[:3, :3] @ wrenches[name].force
    left.plot(at[0], at[2], "o", color=PIN, markersize=5)
    tip = scale * force
    left.annotate("", (at[0] + tip[0], at[2] + tip[2]), (at[0], at[2]), arrowprops={"arrowstyle": "->", "color": FORCE})
for name, shift in {"boom_barrel_pin": (8, -10), "arm_barrel_pin": (-95, 8), "bucket_barrel_pin": (6, 8)}.items():
    at = frames[name][2][:3, 3]
    size = np.linalg.norm(wrenches[name].force) / 1000
    left.annotate(f"{name.removesuffix('_barrel_pin')} cylinder {size:.0f} kN", (at[0], at[2]), shift,
                  textcoords="offset points", color=FORCE)
left.set(aspect="equal", xlabel="x (m)", ylabel="z (m)")
left.set_title("Forces at the pins, 2 t in the bucket")

start = {name: digger.home[digger.coordinate_names.index(name)] for name in digger.driven}
end = start | {"swing_joint": start["swing_joint"] + 1.2}
start["boom_cylinder"] -= 0.35
waypoints = [[state[name] for name in digger.driven] for state in (start, end)]
swing = lp.Motion.through(digger, waypoints, times=[0.0, 2.5])
parts = digger.load_breakdown(swing).drive("boom_cylinder")
for kind, color in KINDS.items():
    total = sum(value for cause, value in parts.items() if cause.startswith(kind))
    right.plot(swing.t, np.asarray(total) / 1000, color=color, label=kind)
right.plot(swing.t, sum(parts.values()) / 1000, color=FORCE, label="boom cylinder", linewidth=2.6)
right.set(xlabel="time (s)", ylabel="kN")
right.set_title("Boom cylinder while it lifts and swings")
right.legend(ncols=2, fontsize=8)
figure.tight_layout()
figure.savefig(Path(__file__).parent / "images" / "closed_chains.svg", metadata={"Date": None})
