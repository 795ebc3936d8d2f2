"""Every pin of a palletizer: a box of 80 kg goes from the belt to the pallet, and each hinge of the three
parallelograms is sized by the force that it carries.
"""

import numpy as np

import loadpath as lp

robot = lp.catalog.parallelogram_palletizer().with_payload(80.0, (0.0, 0.0, -0.15), link="tip", name="box")
print(robot)
print(f"freedoms: {robot.mobility}, driven: {', '.join(robot.driven)}; closed by {', '.join(robot.loop_names)}")

# From rest to rest in 1.6 s: the drives go the way, the loops say where all other joints are.
t = np.linspace(0, 1.6, 401)
s = (t / t[-1])[:, None]
start, goal = np.array([0.0, 1.35, 0.30, 0.0]), np.array([1.9, 1.75, -0.35, 0.5])
motion = robot.motion(t, start + (10 * s**3 - 15 * s**4 + 6 * s**5) * (goal - start))
assert abs(robot.closure(motion.q)).max() < 1e-9

# Four drives work; passive hinges give no torque, exactly.
tau = robot.inverse_dynamics(motion)
for name, peak in zip(robot.dof_names, np.abs(tau).max(axis=0), strict=True):
    if name in robot.driven:
        print(f"drive {name:15s} peak {peak:7.0f} N m")
    else:
        assert peak == 0.0

# What the pins carry. Forces in the plane of the linkage follow from statics alone; those across it, and the moments
# that tilt the pins, depend on how stiff the hinges are: here all alike.
wrenches = robot.joint_wrenches(motion)
pins = {name: wrenches[name] for name in robot.closed_joint_names if "pin" in name or "rod" in name}
for name, wrench in pins.items():
    radial = np.linalg.norm(wrench.force[:, :2], axis=1)
    known = wrenches.determinate[0, robot.closed_joint_names.index(name)]
    print(f"pin {name:18s} peak {radial.max():6.0f} N across the pin at {t[radial.argmax()]:.2f} s; "
          f"statics fixes {known.sum()} of its 6 components")
    assert known[:2].all()
