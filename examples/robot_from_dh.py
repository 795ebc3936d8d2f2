"""A robot of one's own: a three-joint arm from its Denavit-Hartenberg table, with friction, a rotor and a payload."""

from math import pi

import numpy as np

import loadpath as lp

arm = lp.from_dh(
    [
        lp.DHRow(d=0.4, alpha=pi / 2, mass=6.0, center_of_mass=(0, -0.1, 0), inertia=(0.08, 0.03, 0.08)),
        lp.DHRow(a=0.5, mass=4.0, center_of_mass=(-0.25, 0, 0), inertia=(0.01, 0.09, 0.09), limits=(-2.0, 2.0),
                 rotor_inertia=5e-5, gear_ratio=100, viscous_friction=0.8, coulomb_friction=2.0),
        lp.DHRow(a=0.4, mass=2.0, center_of_mass=(-0.2, 0, 0), inertia=(0.004, 0.03, 0.03)),
    ],
    name="own_arm",
)

q, qd, qdd = [0.0, pi / 4, -pi / 2], [0.5, 1.0, -1.0], [0.0, 2.0, 0.0]
print(arm)
print("tip at", arm.link_poses(q)[-1, :3, 3].round(3), "m")
print("torques              ", arm.inverse_dynamics(q, qd, qdd).round(2), "N m")
print("without its friction ", arm.without_friction().inverse_dynamics(q, qd, qdd).round(2), "N m")
print("carrying 5 kg        ", arm.with_payload(mass=5.0).inverse_dynamics(q, qd, qdd).round(2), "N m")
print("on the moon          ", arm.with_gravity((0, 0, -1.62)).inverse_dynamics(q, qd, qdd).round(2), "N m")

# Somebody pushes on the tip with 20 N, along the world's y: the drives must push back.
push = {"link3": lp.Wrench(force=(0, 20.0, 0))}
pushed = arm.inverse_dynamics(q, qd, qdd, external=push)
print("pushed at its tip    ", pushed.round(2), "N m")
force_at_tip = arm.jacobian(q, "link3")[:3].T @ np.array([0, 20.0, 0])
assert np.allclose(pushed, arm.inverse_dynamics(q, qd, qdd) - force_at_tip)
