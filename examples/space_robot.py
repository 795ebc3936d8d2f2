"""A robot arm on a satellite: the noninertial base of Angeles (section 7.5.2) and of the slides.

Nothing holds the base, so its six freedoms are added to those of the joints: 6 (n + 1) twists, 6 + n speeds. The arm
swings, the satellite answers, momentum stays what it was. First the matrices of the slides with their speeds [t_0;
thetadot], corrected where the slides leave the base's part of T out; then the motion, by `free_base_motion` and by a
simulation of the whole.
"""

import numpy as np

import loadpath as lp

satellite = lp.Link("satellite", lp.Inertia(180.0, tensor=np.diag([35.0, 40.0, 30.0])))
arm = lp.from_dh(
    [
        lp.DHRow(d=0.4, alpha=np.pi / 2, mass=12, center_of_mass=(0, -0.2, 0), inertia=(0.2, 0.1, 0.2)),
        lp.DHRow(a=1.2, mass=10, center_of_mass=(-0.6, 0, 0), inertia=(0.05, 1.2, 1.2)),
        lp.DHRow(a=1.0, mass=8, center_of_mass=(-0.5, 0, 0), inertia=(0.03, 0.7, 0.7)),
    ],
    name="space arm",
    gravity=(0, 0, 0),
    base=satellite,
)

# The objects of the slides at one state of the free robot: q has the base's place and attitude first, qd its velocity.
free = arm.books.angeles.noninertial
whole = arm.floating()
rng = np.random.default_rng(1)
q = np.concatenate([[0.3, -0.2, 0.1], [0, 0, np.sin(0.2), np.cos(0.2)], [0.4, 0.7, -0.9]])
qd, qdd = rng.normal(size=(2, whole.n))
T, K, v = free.T(q), free.K(q), free.v(q, qd)
print(f"{arm.n} joints on a free base: {T.shape[0]} = 6 (n + 1) twists, {T.shape[1]} = 6 + n speeds [t_0; thetadot]")
print(f"T is {T.shape}, K is {K.shape}, K T = {np.abs(K @ T).max():.0e}")

inertia = T.T @ free.M(q) @ T
print(f"I = T^T M T has the mass of the whole, {inertia[3, 3]:.1f} kg, where the base's velocity stands")
energy = 0.5 * v @ inertia @ v
print(f"kinetic energy {energy:.6f} J, by robot.floating() {float(whole.kinetic_energy(q, qd)):.6f} J")
assert np.isclose(energy, whole.kinetic_energy(q, qd))

# As the slides print it, T = [[1, 0], [0, T']], the base would not carry the arm along:
printed = T.copy()
printed[6:, :6] = 0
wrong = 0.5 * v @ printed.T @ free.M(q) @ printed @ v
print(f"with the block that the slides print as zero: {wrong:.6f} J")

# Left to itself: no wrench on the base. The first six entries of tau are that wrench.
forces = np.concatenate([np.zeros(6), [2.0, -5.0, 3.0]])
left_alone = whole.forward_dynamics(q, qd, forces)
wrench = free.tau(q, qd, left_alone)
print(f"joint torques (2, -5, 3) N m and nothing on the base: wrench on the base {np.abs(wrench[:6]).max():.0e}")

# The reaction: the arm starts to swing while base and all are at rest. What a fixed base would have to take:
still, start = np.zeros(3), np.array([1.0, 2.0, -1.5])
pose = q[7:]
fixed = arm.base_wrench(pose, still, start)
moved = arm.free_base_motion(pose, still, start)
print(f"\nThe arm accelerates with {start} rad/s^2.")
print(f"  held base: reaction {np.linalg.norm(fixed.force):.1f} N, {np.linalg.norm(fixed.torque):.1f} N m")
print(f"  free base: acceleration {np.linalg.norm(moved.acceleration[:3]):.3f} m/s^2 and ", end="")
print(f"{np.linalg.norm(moved.acceleration[3:]):.3f} rad/s^2, reaction ", end="")
motion = {"base_velocity": moved.velocity, "base_acceleration": moved.acceleration}
free_wrench = arm.base_wrench(pose, still, start, **motion)
print(f"{np.linalg.norm(free_wrench.force):.0e} N")
held, floats = arm.inverse_dynamics(pose, still, start), arm.inverse_dynamics(pose, still, start, **motion)
print(f"  torques: held {np.round(held, 2)}, free {np.round(floats, 2)} N m")

# Four seconds of work: torques of the joints against the clock; momentum is zero at the start and stays zero.
rest = np.concatenate([[0, 0, 0, 0, 0, 0, 1.0], pose])


def drives(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """Torques that swing the arm and damp it; none on the base."""
    return np.concatenate([np.zeros(6), np.array([6.0, -9.0, 4.0]) * np.sin(np.pi * t / 2) - 2.0 * qd[6:]])


run = whole.simulate(rest, np.zeros(whole.n), drives, duration=4.0, sample_rate=10)
momentum = whole.momentum(run.q, run.qd)
center = whole.center_of_mass(run.q)
print(f"\n{'t (s)':>8} {'satellite moved (mm)':>22} {'turned (deg)':>14} {'momentum (N s, N m s)':>24}")
for k in range(0, 41, 8):
    moved_by = 1000 * np.linalg.norm(run.q[k, :3])
    turned = np.degrees(2 * np.arccos(min(1.0, abs(run.q[k, 6]))))
    size = f"{np.abs(momentum.linear[k]).max():.0e}, {np.abs(momentum.angular[k]).max():.0e}"
    print(f"{run.t[k]:8.1f} {moved_by:22.1f} {turned:14.2f} {size:>24}")
print(f"mass center of the whole moved by {1000 * np.abs(center - center[0]).max():.0e} mm")
assert np.abs(momentum.linear).max() < 1e-6 and np.abs(center - center[0]).max() < 1e-6
