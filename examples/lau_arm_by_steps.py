"""The worked example of Lau's thesis (section 3.3) by its own steps A to D, and what it prints, put right.

A turntable carries on its rim a joint that turns and slides a rod. Every force and torque is written down by hand, as
the thesis does, with the corrections of docs/errata.md; next to it stands what the library gives.
"""

import numpy as np

import loadpath as lp

# Step A: link variables. Turntable: a disc of mass M1, radius d1. Rod: mass M2, length d2.
M1, M2, d0, d1, d2, g = 2.0, 3.0, 0.1, 0.5, 0.8, 9.81
arm = lp.catalog.lau_arm(m1=M1, m2=M2, d0=d0, d1=d1, length=d2, gravity=g)
disc, rod = arm.link("turntable").inertia, arm.link("rod").inertia
assert np.allclose(np.diag(disc.tensor), [M1 * d1**2 / 4, M1 * d1**2 / 4, M1 * d1**2 / 2])       # (3-100) to (3-102)
I = M2 * d2**2 / 3                                      # noqa: E741  of the rod about joint 2: Iyy = Izz; Ixx = 0
assert np.isclose(rod.tensor[1][1] + M2 * (d2 / 2) ** 2, I)                                      # (3-104) to (3-107)
print(f"A  disc: Ixx = Iyy = {disc.tensor[0][0]:.3f}, Izz = {disc.tensor[2][2]:.3f}; rod about joint 2: {I:.3f} kg m^2")

# Step B: kinematic model, at the instant at which the rod just ends in joint 2.
theta1, theta2 = np.pi / 6, np.pi / 3
q = np.array([theta1, theta2, d2])
c, s, c1, s1 = np.cos(theta2), np.sin(theta2), np.cos(theta1), np.sin(theta1)
T = arm.link_poses(q)                                   # of base, turntable, carriage, rod in the world
by_hand = [
    [c1 * c, -s1, c1 * s, -d1 * s1 - d2 * c1 * c],
    [s1 * c, c1, s1 * s, d1 * c1 - d2 * s1 * c],        # (3-110) has sin1 sin2 in front
    [-s, 0, c, d0 + d2 * s],
    [0, 0, 0, 1],
]
assert np.allclose(T[3], by_hand)
print("B  0T2 =", "\n         ".join(str(row) for row in T[3].round(4)))

# Step C: joint variables. Speeds are small, as the thesis has it.
alpha1, alpha2, a2 = 2.0, 1.0, 0.5
rest, qdd = np.zeros(3), np.array([alpha1, alpha2, a2])

# Step D: the dynamical model. Gravity terms are what the joint must supply; the thesis prints the load.
loads = arm.load_breakdown(q, rest, qdd, by="joint")
of_2, of_1 = (loads.by_kind(joint) for joint in ("theta2", "theta1"))
half = d2 / 2
terms = {
    "(3-114) 2F_g": (M2 * g * np.array([-s, 0, c]), of_2["gravity"].force),
    "(3-115) 1F_g": ([0, 0, (M1 + M2) * g], of_1["gravity"].force),
    "(3-119) 2N_g": ([0, M2 * g * half * c, 0], of_2["gravity"].torque),
    "(3-120) 1N_g": (M2 * g * np.array([d1, half * c, 0]), of_1["gravity"].torque),
    "(3-121) 2F_I": (
        M2 * np.array([-a2 - alpha1 * d1 * c, -alpha1 * half * c, alpha2 * half - alpha1 * d1 * s]),
        of_2["inertial"].force,
    ),
    "(3-122) 1F_I": (
        M2 * np.array([-a2 * c + half * alpha2 * s - d1 * alpha1, -half * c * alpha1, a2 * s + half * alpha2 * c]),
        of_1["inertial"].force,
    ),
    "(3-123) 2N_I": ([0, I * alpha2 - M2 * d1 * half * s * alpha1, I * c * alpha1], of_2["inertial"].torque),
    "(3-124) 1N_I": (
        [
            M2 * d1 * (a2 * s + half * alpha2 * c) + alpha1 * I * c * s,
            I * alpha2 - M2 * d1 * half * s * alpha1,
            M2 * d1 * (a2 * c - half * alpha2 * s) + (M2 * d1**2 + I * c**2 + M1 * d1**2 / 2) * alpha1,
        ],
        of_1["inertial"].torque,
    ),
}
print(f"D  {'':13} {'by hand':>30} {'loadpath':>30}")
for name, (hand, found) in terms.items():
    assert np.allclose(hand, found, atol=1e-12), name
    columns = ["  ".join(f"{value:8.3f}" for value in np.round(row, 9) + 0.0) for row in (hand, found)]
    print(f"   {name:13} {columns[0]:>30} {columns[1]:>30}")

# What the thesis leaves out, "in a similar manner": the terms of speeds, by cause.
fast = arm.load_breakdown(q, [1.5, -1.0, 0.4], qdd, by="joint")
print("\nforce (N) and torque (N m) at joint 2, all causes, at speeds of 1.5 and -1 rad/s and 0.4 m/s:")
print(fast.to_table("theta2"))

# Chapter 4: the same as coefficients, tau_i = D_i + D_ik qdd_k + D_ikl qd_k qd_l.
book = arm.books.lau
D_i, D_ik, D_ikl = book.D_i(q), book.D_ik(q), book.D_ikl(q)
qd = np.array([1.5, -1.0, 0.4])
tau = D_i + D_ik @ qdd + np.einsum("ikl,k,l", D_ikl, qd, qd)
assert np.allclose(tau, arm.inverse_dynamics(q, qd, qdd))
print("\nchapter 4: D_ik =", "\n                  ".join(str(row) for row in D_ik.round(4) + 0.0))
print("           tau  =", tau.round(4))

# And in the letters of the thesis, for any slide d2 of a rod of the length L; at L = d2 this is (3-121), put right.
symbols = arm.equations(letters="lau")
print("\nin symbols, 2F_I =")
for direction, row in zip("xyz", range(3), strict=True):
    terms = [load.force[row] for cause, load in symbols.wrenches_by_cause["theta2"].items() if cause[0] == "inertial"]
    print(f"   {direction}: {sum(terms)}")
