"""A PUMA 560 swings to a pose under a digital controller: the motion, the torques, and where the energy went."""

import numpy as np

import loadpath as lp

puma = lp.catalog.puma560()  # with its friction, Coulomb friction too, and its rotors
model = puma.without_friction()  # the controller does not know the friction
start = np.array([0.0, 0.8, -0.6, 0.0, 0.3, 0.0])
goal = np.array([0.9, 0.1, 0.4, 0.5, -0.4, 0.6])


def computed_torque(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """A smooth way to the goal in 1.5 s, errors pulled back like a damped spring of 20 rad/s, through the model."""
    s = min(t / 1.5, 1.0)
    q_wanted = start + (10 * s**3 - 15 * s**4 + 6 * s**5) * (goal - start)
    qd_wanted = (30 * s**2 - 60 * s**3 + 30 * s**4) * (goal - start) / 1.5
    qdd_wanted = (60 * s - 180 * s**2 + 120 * s**3) * (goal - start) / 1.5**2
    return model.inverse_dynamics(q, qd, qdd_wanted + 400.0 * (q_wanted - q) + 40.0 * (qd_wanted - qd))


motion = puma.simulate(start, np.zeros(6), computed_torque, duration=2.0, control_rate=200.0)

# The friction that the controller does not know keeps the joints off their goals.
for name, torque, away in zip(puma.dof_names, np.abs(motion.tau).max(axis=0), motion.q[-1] - goal, strict=True):
    print(f"{name}: up to {torque:5.1f} N m, ends {away:+.4f} rad from the goal")

gained = motion.energy[-1] - motion.energy[0]
print(f"drives put in   {motion.drive_work[-1]:8.3f} J")
print(f"friction took   {motion.dissipated[-1]:8.3f} J")
print(f"the arm gained  {gained:8.3f} J")
print(f"does not balance: {motion.energy_residual[-1]:.1e} J")
assert motion.energy_drift < 1e-6
