"""The swing of an arm with the least torque, found with CasADi; then its gravity torques as C for the controller."""

import casadi
import numpy as np

import loadpath as lp

arm = lp.catalog.planar(2, length=0.5, mass=2.0)
begin, end, duration, steps = np.array([-1.2, 0.0]), np.array([0.6, 0.8]), 1.0, 40
h = duration / steps

# The state at the next step for torques held over it: the same Runge-Kutta step that robot.rollout takes.
step = arm.casadi_function("step")
problem = casadi.Opti()
q, qd, tau = problem.variable(2, steps + 1), problem.variable(2, steps + 1), problem.variable(2, steps)
for k in range(steps):
    q_next, qd_next = step(q[:, k], qd[:, k], tau[:, k], h)
    problem.subject_to(q[:, k + 1] == q_next)
    problem.subject_to(qd[:, k + 1] == qd_next)
for values, first, last in ((q, begin, end), (qd, 0, 0)):
    problem.subject_to(values[:, 0] == first)
    problem.subject_to(values[:, steps] == last)
problem.minimize(casadi.sumsqr(tau) * h)
problem.set_initial(q, np.linspace(begin, end, steps + 1).T)
problem.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes"})
found = problem.solve()

# The straight way in the same time, for comparison.
s = np.linspace(0, 1, steps + 1)[:, None]
straight = arm.inverse_dynamics(
    begin + (3 * s**2 - 2 * s**3) * (end - begin),
    (6 * s - 6 * s**2) * (end - begin) / duration,
    (6 - 12 * s) * (end - begin) / duration**2,
)
torque = found.value(tau).T
print(f"straight way: {(straight**2).sum() * h:6.1f} (N m)² s, up to {abs(straight).max():.1f} N m")
print(f"optimal way:  {(torque**2).sum() * h:6.1f} (N m)² s, up to {abs(torque).max():.1f} N m")

# The torques do what the problem says: stepped with the compiled function the arm arrives.
motion = arm.rollout(begin, [0, 0], step=h, steps=steps, torque_sequence=torque)
print("ends at", motion.q[-1].round(6), "rad with", abs(motion.qd[-1]).max().round(6), "rad/s")
assert np.allclose(motion.q[-1], end, atol=1e-5)

source = arm.c_source("gravity_forces", function_name="gravity", scalar="float")
print(source[source.index("#include") :])
