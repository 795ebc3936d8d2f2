"""A truck crane with a boom of three tubes: how far it sags, what it may lift at which reach, and where it fails first.

With a file name as argument it draws the boom under load into that file (HTML).
"""

import sys
import warnings

import numpy as np

import loadpath as lp

LENGTH, STROKE = 6.0, 4.5
sizes = ((0.30, 0.42, 0.012), (0.26, 0.37, 0.011), (0.22, 0.32, 0.010))
tubes = [lp.RectangularTube(width, height, wall) for width, height, wall in sizes]


def crane(payload: float) -> lp.FlexibleRobot:
    """Slewing column, luffing boom; the second and the third stage slide, the third follows the second by a rope."""
    links = [lp.Link("truck"), lp.Link("column", lp.Inertia(1500.0, (0, 0, 0.8), np.diag([400.0, 400.0, 200.0])))]
    joints = [lp.Joint("slew", "truck", "column", lp.Revolute((0, 0, 1)))]
    beams = {}
    parent, origin, motion = "column", lp.Pose(translation=(0, 0, 2.0)), lp.Revolute((0, -1, 0))
    for k, tube in enumerate(tubes):
        name, start = f"stage{k + 1}", (0.0 if k == 0 else -LENGTH, 0.0, 0.0)
        links.append(lp.Link(name, lp.Inertia(1.0)))
        mimic = lp.Mimic("slide1") if k == 2 else None
        limits = lp.Limits(lower=0.0, upper=np.pi / 2 if k == 0 else STROKE)
        joint = "luff" if k == 0 else f"slide{k}"
        joints.append(lp.Joint(joint, parent, name, motion, origin, limits=limits, mimic=mimic))
        # Drawn in, each tube lies in the one before; its tail pad sits 0.2 m from its end. The cylinder acts there.
        guide = None if k == 0 else lp.Guide(front=-0.1, tail=-LENGTH + 0.2)
        end = (LENGTH, 0.0, 0.0) if k == 0 else (0.0, 0.0, 0.0)
        beams[name] = lp.Beam(tube, lp.STEEL, start=start, end=end, guide=guide)
        parent, motion = name, lp.Prismatic((1, 0, 0))
        origin = lp.Pose(translation=(LENGTH if k == 0 else 0.1, 0, 0))
    links.append(lp.Link("hook", lp.Inertia(payload)))
    joints.append(lp.Joint("head", parent, "hook", lp.Fixed()))
    return lp.Robot("crane", links, joints).with_beams(beams, inertia_from_beams=True)


arm = crane(50.0)  # the hook itself
extensions = np.linspace(0.0, STROKE, 4)
two_tonnes = {"hook": lp.Wrench(force=(0.0, 0.0, -2000 * 9.81))}

# The boom at 30 degrees with two tonnes: sag, and where the stress is largest.
for out in extensions:
    q = [0.0, np.radians(30), out]
    reach = arm.link_poses(q)[arm.link_names.index("hook"), 0, 3]
    sag = arm.deflection(q, external=two_tonnes)["hook"].displacement[2]
    worst = arm.stress(q, external=two_tonnes).worst
    print(f"drawn out to {reach:4.1f} m reach: the hook sags by {-1000 * sag:5.1f} mm; safety {worst.safety:4.1f}, in "
          f"{worst.link}, {worst.position:.2f} m from its start")

# What it may lift: all extensions and angles with loads up to 20 t, in one call. A safety of 1.5 against yield.
angles, loads = np.radians([0, 30, 60]), np.arange(0.1, 20.0, 0.1)
grid = np.stack(np.meshgrid(0.0, angles, extensions, loads, indexing="ij"), axis=-1)[0]
weights = np.zeros((*grid.shape[:-1], 3))
weights[..., 2] = -1000 * 9.81 * grid[..., 3]
with warnings.catch_warnings():
    warnings.simplefilter("ignore", lp.ModelWarning)  # most of these loads are too much
    safety = arm.stress(grid[..., :3], external={"hook": lp.Wrench(force=weights)}).safety.min(axis=-1)
most = np.where(safety >= 1.5, grid[..., 3], 0.0).max(axis=-1)
print("\nlargest load (t) for a safety of 1.5 against yield")
print("  each stage drawn out by" + "".join(f"{out:8.1f} m" for out in extensions))
for angle, row in zip(angles, most, strict=True):
    print(f"  luffed by {np.degrees(angle):2.0f} degrees    " + "".join(f"{tonnes:10.1f}" for tonnes in row))

# Slewing starts with 0.1 rad/s^2: how far does the hook move sideways?
q, still, slew = [0.0, np.radians(30), STROKE], np.zeros(3), [0.1, 0.0, 0.0]
side = arm.with_payload(2000.0, link="hook").deflection(q, still, slew)["hook"].displacement[1]
print(f"\nas it begins to slew, fully drawn out with two tonnes, the hook lags by {-1000 * side:.1f} mm")

# The extension at which nothing would hold the tubes any more is refused.
try:
    arm.deflection([0.0, 0.5, 6.0])
except lp.ModelError as problem:
    print(f"refused: {problem}")

if len(sys.argv) > 1:
    arm.plot_deflection([0.0, np.radians(30), 3.0], external=two_tonnes).write_html(sys.argv[1], include_plotlyjs="cdn")
    print(f"wrote {sys.argv[1]}")
