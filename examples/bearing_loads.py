"""What the bearing of a joint must carry: a Panda moves three kilograms, and its second joint feels it all around."""

import numpy as np

import loadpath as lp

robot = lp.catalog.panda().with_payload(mass=3.0, center_of_mass=(0, 0, 0.10))

# A swing from one pose to another in 1.5 s, from rest to rest.
start = np.array([-0.6, -0.4, 0.0, -2.2, 0.0, 1.6, 0.8])
goal = np.array([0.6, 0.5, 0.2, -1.2, 0.2, 2.2, 0.8])
duration = 1.5
t = np.linspace(0, duration, 1001)
s = (t / duration)[:, None]
q = start + (10 * s**3 - 15 * s**4 + 6 * s**5) * (goal - start)
qd = (30 * s**2 - 60 * s**3 + 30 * s**4) * (goal - start) / duration
qdd = (60 * s - 180 * s**2 + 120 * s**3) * (goal - start) / duration**2

wrench = robot.joint_wrenches(q, qd, qdd)["panda_joint2"]

# In the joint's frame the axis of the joint is z: force along it loads the bearing axially, force across it radially;
# torque about it is the drive's, torque across it must be carried by the bearing.
axial, radial = wrench.force[:, 2], np.linalg.norm(wrench.force[:, :2], axis=1)
drive, bending = wrench.torque[:, 2], np.linalg.norm(wrench.torque[:, :2], axis=1)
for what, values, unit in (
    ("axial force", np.abs(axial), "N"),
    ("radial force", radial, "N"),
    ("bending torque", bending, "N m"),
    ("drive torque", np.abs(drive), "N m"),
):
    print(
        f"{what:15s} peak {values.max():6.1f} {unit:3s} at {t[values.argmax()]:.2f} s, mean {values.mean():6.1f} {unit}"
    )

# The drive's part of the wrench is what inverse dynamics gives; the rest is what other libraries do not tell.
assert np.allclose(drive, robot.inverse_dynamics(q, qd, qdd)[:, 1])
