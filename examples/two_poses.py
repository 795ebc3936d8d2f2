"""The two poses of the course notes (MECEE 4602, section 1.3): two links with a point mass at the end of each.

Every number that the notes print, found by inverse dynamics, forward dynamics and from the equations in symbols; then
the question between the two, where one acceleration and one torque are known, and the same arm with distributed masses
(section 1.4). Masses are 1 kg; the notes print 1 g, but their numbers are those of 1 kg.
"""

import numpy as np

import loadpath as lp

arm = lp.catalog.two_link(m1=1, m2=1, l1=1, l2=1)  # angles from the downward vertical, 9.8 m/s^2
pose_1, pose_2 = [np.pi / 2, 0], [np.pi / 2, np.pi / 2]
still = [0, 0]


def shown(values: np.ndarray) -> str:
    """Numbers as the notes print them."""
    return "(" + ", ".join(f"{value:.1f}" for value in np.round(values, 9) + 0.0) + ")"


def compare(what: str, found: np.ndarray, printed: tuple[float, float]) -> None:
    """One line: what is asked, what comes out, what the notes print."""
    print(f"  {what:58} {shown(found):>14}  {shown(np.array(printed)):>14}")
    assert np.allclose(found, printed, atol=1e-9)


print("Equations (22) of the notes, in their letters:")
found = arm.equations(parameters="symbols")
for name, matrix in (("M", found.mass_matrix), ("of squares", found.centrifugal), ("of products", found.coriolis)):
    print(f"  {name:12} {matrix.tolist()}")
print(f"  {'G':12} {found.gravity.T.tolist()[0]}")

print(f"\n{'Pose 1: stretched out, q = (pi/2, 0)':60} {'found':>14}  {'printed':>14}")
M = arm.mass_matrix(pose_1)
compare("first row of M (27)", M[0], (5, 2))
compare("second row of M", M[1], (2, 1))
compare("torques that hold it against gravity (27)", arm.inverse_dynamics(pose_1, still, still), (29.4, 9.8))
twice = arm.forward_dynamics(pose_1, still, [29.4, 19.6])
compare("accelerations if torque 2 is doubled (28)", twice, (-19.6, 49.0))
compare("torques that accelerate joint 2 alone, by 25", arm.inverse_dynamics(pose_1, still, [0, 25]), (79.4, 34.8))

print("\nPose 2: elbow bent, q = (pi/2, pi/2)")
compare("torques that hold it", arm.inverse_dynamics(pose_2, still, still), (19.6, 0))
moving = arm.inverse_dynamics(pose_2, [0, 2], still)
compare("the same while joint 2 moves with 2 rad/s", moving, (15.6, 0))

# Where the 4 N m between the last two lines come from: link 2, thrown round the elbow, pulls on joint 1.
by_cause = arm.load_breakdown(pose_2, [0, 2], still).drive("joint1")
causes = [f"{cause} {float(torque):+.1f}" for cause, torque in by_cause.items() if abs(torque) > 1e-9]
print("\nTorque of joint 1 by cause:", ", ".join(causes))

# Any formulation finds the same numbers.
print("\nThe last line by the notes' own two methods, and by Lau's:")
for name in ("lagrangian", "constraint-system", "generalized"):
    torques = arm.inverse_dynamics(pose_2, [0, 2], still, formulation=name)
    print(f"  {name:32} {shown(torques)}")
    assert np.allclose(torques, moving, atol=1e-12)

# Between inverse and forward dynamics (section 2.2): joint 2 shall accelerate with 25 rad/s^2, motor 1 is switched off.
mixed = arm.mixed_dynamics(pose_1, still, accelerations={"joint2": 25.0}, forces={"joint1": 0.0})
print(f"\nMotor 1 off, joint 2 driven with 25 rad/s^2: accelerations {shown(mixed.qdd)}, torques {shown(mixed.tau)}")

# Section 1.4: the same masses spread along the links. K by (29) to (33) and P by (34), whose angles are from the
# horizontal: there q1 of the notes is q1 - pi/2 of section 1.1.
rods = lp.catalog.two_link(m1=1, m2=1, l1=1, l2=1, distributed=True)
q, (w1, w2) = np.array([0.7, 0.4]), (1.5, -2.0)
c2 = np.cos(q[1])
v1, v2 = 0.25 * w1**2, (1.25 + c2) * w1**2 + 0.25 * w2**2 + (0.5 + c2) * w1 * w2
K = 0.5 * (v1 + v2) + 0.5 / 12 * (w1**2 + (w1 + w2) ** 2)
q1 = q[0] - np.pi / 2
P = 9.8 * (0.5 * np.sin(q1) + np.sin(q1) + 0.5 * np.sin(q1 + q[1]))
kinetic, potential = float(rods.kinetic_energy(q, [w1, w2])), float(rods.potential_energy(q))
print("\nDistributed masses, q = (0.7, 0.4), qd = (1.5, -2.0):")
print(f"  K = {K:.6f} J by (29) to (33), {kinetic:.6f} J here")
print(f"  P = {P:.6f} J by (34), {potential:.6f} J here")
assert np.isclose(K, kinetic) and np.isclose(P, potential)
