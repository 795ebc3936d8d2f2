"""What does the arm carry? The mass and mass center of an unknown payload, from noisy torques of a motion."""

from math import pi

import numpy as np

import loadpath as lp

arm = lp.from_dh(
    [
        lp.DHRow(d=0.4, alpha=pi / 2, mass=6.0, center_of_mass=(0, -0.1, 0), inertia=(0.08, 0.03, 0.08)),
        lp.DHRow(a=0.5, mass=4.0, center_of_mass=(-0.25, 0, 0), inertia=(0.01, 0.09, 0.09),
                 viscous_friction=0.8, coulomb_friction=2.0),
        lp.DHRow(a=0.4, mass=2.0, center_of_mass=(-0.2, 0, 0), inertia=(0.004, 0.03, 0.03)),
    ],
    name="arm",
)

# A motion that moves all joints, sums of sines; is it good enough?
t = np.linspace(0, 20, 4000)[:, None, None]
speed = np.array([[0.5, 1.1], [0.7, 1.6], [0.9, 2.3]])
size = np.array([[0.8, 0.4], [0.5, 0.3], [0.6, 0.4]])
q = (size * np.sin(speed * t)).sum(axis=-1)
qd = (size * speed * np.cos(speed * t)).sum(axis=-1)
qdd = -(size * speed**2 * np.sin(speed * t)).sum(axis=-1)
print(lp.excitation(arm, q, qd, qdd))

# "Measured": the arm with something on its last link, and noise of 0.2 N m.
carried, where = 1.5, np.array([0.05, 0.02, 0.0])
loaded = arm.with_payload(mass=carried, center_of_mass=where, link="link3")
rng = np.random.default_rng(0)
measured = loaded.inverse_dynamics(q, qd, qdd) + rng.normal(0, 0.2, (len(q), 3))

found = lp.identify(arm, q, qd, qdd, measured)
print(found)

# Only link 3 carries more, so its ten parameters explain all changes; those that the forces determine come out.
change, sure = found.values - found.base.values, found.standard_deviations
columns = [found.base.parameter_names.index(name) for name in ("m3", "mx3", "my3", "mz3")]
columns += range(columns[-1] + 1, columns[-1] + 7)  # the six moments of inertia come behind
payload = np.linalg.lstsq(found.base.matrix[:, columns] / sure[:, None], change / sure)[0]
mass, x, y = payload[0], payload[1] / payload[0], payload[2] / payload[0]
print(f"\npayload: {mass:.3f} kg at x = {x:.4f} m, y = {y:.4f} m of link3; in truth {carried} kg at {where[:2]}")
assert np.allclose([mass, x, y], [carried, *where[:2]], atol=0.01)
