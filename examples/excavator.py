"""An excavator digs: forces of its cylinders and of every pin, what the bucket can break loose, and the pin between rod
and lever of the bucket as a designer sizes it.
"""

import numpy as np

import loadpath as lp

digger = lp.catalog.excavator()
print(digger)
print(f"freedoms: {digger.mobility}; driven: {', '.join(digger.driven)}")

# Through the ground: 4 s of arm and bucket closing, boom steady, while the soil pulls at the teeth with 60 kN.
t = np.linspace(0, 4.0, 161)
s = (1 - np.cos(np.pi * t / t[-1])) / 2
start = dict(zip(digger.coordinate_names, digger.home, strict=True))
motion = digger.motion(t, {
    "swing_joint": np.full_like(t, start["swing_joint"]),
    "boom_cylinder": np.full_like(t, start["boom_cylinder"]),
    "arm_cylinder": start["arm_cylinder"] + 0.25 * s,
    "bucket_cylinder": start["bucket_cylinder"] + 0.20 * s,
})
teeth = digger.link_velocities(motion.q, motion.qd)["teeth"].linear
speed = np.linalg.norm(teeth, axis=1, keepdims=True)
drag = np.where(speed > 1e-3, -60e3 * teeth / np.maximum(speed, 1e-3), 0.0)
soil = {"teeth": lp.Wrench(force=drag)}

force = digger.inverse_dynamics(motion, external=soil)
for name in digger.driven:
    of_drive = force[:, digger.dof_names.index(name)]
    unit = "N m" if name == "swing_joint" else "N"
    print(f"{name:16s} {of_drive.min():10.0f} to {of_drive.max():10.0f} {unit}")

# Every pin: what it carries across its axis. In the plane of the linkage statics alone says so.
wrenches = digger.joint_wrenches(motion, external=soil)
for name in (*digger.joint_names[1:], *digger.loop_names):
    radial = np.linalg.norm(wrenches[name].force[:, :2], axis=1)
    if digger.closed_joint_names.index(name) < len(digger.joints) and digger.joint(name).motion.dof == 0:
        continue
    print(f"{name:16s} {radial.max() / 1e3:6.0f} kN at {t[radial.argmax()]:.2f} s")

# Breakout force: as much as the bucket's cylinder can press, with the other drives strong enough. Forces are linear in
# what the soil does, so one unit of it says all.
pose, still = motion.q[0], np.zeros(digger.n)
row = digger.dof_names.index("bucket_cylinder")
direction = np.array([0.0, 0.0, 1.0])  # the soil holds the teeth down as the bucket curls up
both = digger.inverse_dynamics(pose, still, still, external={"teeth": lp.Wrench(force=[0 * direction, -direction])})
own, unit = both[0, row], both[1, row] - both[0, row]
limit = digger.joint("bucket_cylinder").limits[0].effort
most = (limit - abs(own)) / abs(unit)
print(f"the bucket's cylinder holds {limit / 1e3:.0f} kN: at the start {most / 1e3:.0f} kN at the teeth")
