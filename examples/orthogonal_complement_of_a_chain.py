"""The natural orthogonal complement of a chain (Angeles, section 7.5): T, K, K T = 0, and what holds links together.

A revolute, a revolute and a prismatic joint. All links at once have 6 n = 18 twist components t. The joints allow those
with K t = 0, the joint rates give t = T thetadot, and T^T takes the constraint wrenches out of the equations of all
links. The multipliers lambda bring them back: they are the forces and moments that the joints carry.
"""

import numpy as np

import loadpath as lp

chain = lp.from_dh(
    [
        lp.DHRow(d=0.4, a=0.1, alpha=np.pi / 2, mass=5.0, center_of_mass=(-0.1, -0.1, 0.02),
                 inertia=(0.08, 0.05, 0.08)),
        lp.DHRow(d=0.1, a=0.6, alpha=0.3, mass=3.0, center_of_mass=(-0.3, 0.0, 0.05), inertia=(0.02, 0.1, 0.1)),
        lp.DHRow(theta=0.2, d=0.2, a=0.1, joint="prismatic", mass=2.0, center_of_mass=(0.0, 0.0, 0.1),
                 inertia=(0.02, 0.02, 0.01)),
    ],
    name="RRP",
    base=lp.Link("base", lp.Inertia(100.0, (0.0, 0.0, -0.3), np.diag([8.0, 9.0, 10.0]))),
)
book = chain.books.angeles
q, qd, qdd = np.array([[0.5, 0.3, 0.15], [1.2, -0.8, 0.5], [2.0, 1.0, -1.5]])


def pattern(matrix: np.ndarray, columns: int) -> None:
    """Where a matrix has entries: a line for each row of blocks of six, the angular half apart from the linear half."""
    for i in range(len(matrix) // 3):
        row = matrix[3 * i : 3 * i + 3]
        marks = [
            "x" if np.abs(row[:, k : k + columns]).max() > 1e-12 else "." for k in range(0, matrix.shape[1], columns)
        ]
        print("   ", *marks, "  angular" if i % 2 == 0 else "  linear")


print(book)

T, K = book.T(q), book.K(q)
print("\nT, 18 x 3: a revolute joint turns and moves all that it carries, a prismatic one only moves it")
pattern(T, 1)
print("K, 18 x 18, in blocks of 3 x 3: a joint constrains its own link and the one before it")
pattern(K, 3)
singular = np.linalg.svd(K, compute_uv=False)
rank = int((singular > 1e-10).sum())
print(f"rank of K: {rank} = 5 n, so n = {18 - rank} freedoms are left")
print(f"K T = 0 (7.55b): {np.abs(K @ T).max():.0e}; K t = 0 (7.50): {np.abs(K @ book.t(q, qd)).max():.0e}")
assert rank == 15 and np.abs(K @ T).max() < 1e-13

# The Euler-Lagrange equations (7.57). The C of the source is minus the one of most books.
M, W, T_dot = book.M(q), book.W(q, qd), book.T_dot(q, qd)
inertia = T.T @ M @ T
C = -T.T @ (M @ T_dot + W @ M @ T)
tau = inertia @ qdd - C @ qd - book.gamma(q)
print("\nI = T^T M T, C = -T^T (M Tdot + W M T), tau = I thetaddot - C thetadot - gamma:")
print(f"  I - mass_matrix                  {np.abs(inertia - chain.mass_matrix(q)).max():.0e}")
print(f"  C + coriolis_matrix, on thetadot {np.abs((C + chain.coriolis_matrix(q, qd)) @ qd).max():.0e}")
print(f"  tau - inverse_dynamics           {np.abs(tau - chain.inverse_dynamics(q, qd, qdd)).max():.0e}")
assert np.allclose(tau, chain.inverse_dynamics(q, qd, qdd), rtol=1e-12)

# The rate of T against a difference.
h = 1e-6
difference = (book.T(q + h * qd) - book.T(q - h * qd)) / (2 * h)
print(f"  Tdot - difference of T           {np.abs(T_dot - difference).max():.0e}")

# Constraint wrenches: what is left of M tdot + W M t when drives and gravity are taken off (7.48). They do no work.
t, constraint = book.t(q, qd), book.w_C(q, qd, qdd)
left = M @ book.t_dot(q, qd, qdd) + W @ M @ t - book.w_A(q, qd, qdd) - book.w_D(q, qd) - book.w_G()
assert np.allclose(left, constraint, rtol=0, atol=1e-10)
multipliers = book.multipliers(q, qd, qdd)
print("\nConstraint wrenches w^C = K^T lambda (7.53):")
print(f"  largest {np.abs(constraint).max():.1f} N, their power t^T w^C = {abs(t @ constraint):.0e} W")
print(f"  K^T lambda - w^C = {np.abs(K.T @ multipliers - constraint).max():.0e}")

# Lambda of a joint is what it carries: [e x n; f] of a revolute joint, [n; e x f] of a prismatic one.
wrenches = chain.load_breakdown(q, qd, qdd, frame="world")
poses = chain.link_poses(q)
print(f"\n{'joint':8} {'lambda (first half, second half)':58} joint wrench: f, n at the joint")
for i, joint in enumerate(chain.joints):
    total = wrenches.total(joint.name)
    first, second = multipliers[6 * i : 6 * i + 3], multipliers[6 * i + 3 : 6 * i + 6]
    axis = poses[i, :3, 2]  # z of the frame before: the joint's axis
    print(f"{joint.name:8} {np.round(first, 2)!s:29}{np.round(second, 2)!s:29}", end=" ")
    print(np.round(total.force, 2), np.round(total.torque, 2))
    if isinstance(joint.motion, lp.Revolute):
        assert np.allclose(first, np.cross(axis, total.torque)) and np.allclose(second, total.force)
    else:
        assert np.allclose(second, np.cross(axis, total.force))
