"""The movable robot of Lau's thesis (chapter 6): its arm swings while it coasts, and the base rolls in reaction.

First the thesis's twelve steps (section 6.2) by hand, with the corrected equations, in small steps of time; then the
same by `rover.roll`, which also finds what the steps cannot: when wheels stop, slip, lift or the rover tips over.
`python lau_rover.py figure.html` saves the plot of path, wheel loads and margin.
"""

import sys

import numpy as np

import loadpath as lp

# Step 0: mass and inertia of the base. Step 1: its frame, on the ground between the fixed wheels, x to the free wheel.
rover = lp.catalog.lau_rover(friction=lp.WheelFriction(sliding=0.6, static=0.8, rolling=0.02))
s, d = 0.6, 0.3
swing = lp.Motion.through(lp.catalog.lau_arm(), [[0, 0, 0.5], [1.2, 0.2, 0.7], [-0.8, 0, 0.5]], [0, 0.5, 1.2], rate=500)


def accelerations(k: int, v: float, w: float) -> tuple[float, float]:
    """Steps 2 to 10 at sample k: dv/dt and dw/dt of a base with the speeds v and w."""
    q, qd, qdd = swing.q[k], swing.qd[k], swing.qdd[k]
    # Steps 2a, 2b, 3: what arm and base need from the ground, about the base's origin; it is linear in what is sought.
    nothing, per_v, per_w = (
        np.concatenate([wrench.force, wrench.torque])
        for wrench in (
            rover.ground_wrench(q, qd, qdd, velocity=(v, w), acceleration=a) for a in ((0, 0), (1, 0), (0, 1))
        )
    )
    # Step 6: the free wheel's angle is a result, the other wheels' velocities decide against what they roll.
    theta, mu = np.arctan2(s * w, v), 0.02
    s2, s3 = np.sign(v - w * d), np.sign(v + w * d)
    cos, sin = np.cos(theta), np.sin(theta)
    ground = np.array([
        (-mu * cos, -mu * sin, 1, 0, -s, -s * mu * sin),   # N1, with its rolling resistance
        (-mu * s2, 0, 1, d, 0, d * mu * s2),               # N2
        (-mu * s3, 0, 1, -d, 0, -d * mu * s3),             # N3
        (0, 1, 0, 0, 0, 0),                                # f, across the fixed wheels
    ])
    # Steps 5, 7, 8: wheel loads, accelerations and the side force at once, since each needs the others.
    unknown = np.linalg.solve(np.column_stack([per_v - nothing, per_w - nothing, -ground.T]), -nothing)
    vdot, wdot, *normal, f = unknown
    # Steps 4 and 9: does it tip, does it slip? Then the procedure ends.
    if min(normal) < 0:
        raise SystemExit(f"tips over at {swing.t[k]:.3f} s")
    if abs(f) > 0.8 * (normal[1] + normal[2]):
        raise SystemExit(f"slips at {swing.t[k]:.3f} s")
    return float(vdot), float(wdot)


# Steps 11 and 12: onward in time by Heun's rule, back to step 2, for the arm's wrench has changed.
v, w, x, y, psi = 0.6, 0.0, 0.0, 0.0, 0.0
for k, h in enumerate(np.diff(swing.t)):
    first = accelerations(k, v, w)
    second = accelerations(k + 1, v + h * first[0], w + h * first[1])
    v_next, w_next = (old + h * (a + b) / 2 for old, a, b in zip((v, w), first, second, strict=True))
    turned = psi + h * (w + w_next) / 2
    x += h * (v * np.cos(psi) + v_next * np.cos(turned)) / 2
    y += h * (v * np.sin(psi) + v_next * np.sin(turned)) / 2
    v, w, psi = v_next, w_next, turned

rolled = rover.roll(swing, velocity=(0.6, 0.0))
print(f"by the twelve steps: x = {x:.5f} m, y = {y:.5f} m, heading = {psi:.5f} rad")
print("by rover.roll:       x = {:.5f} m, y = {:.5f} m, heading = {:.5f} rad".format(*rolled.pose[-1]))
assert np.abs(rolled.pose[-1] - (x, y, psi)).max() < 1e-4

print(f"least load of a wheel: {rolled.normal.min():.1f} N; tipping is {rolled.margin.min() * 1000:.0f} mm away")
print(f"rolling resistance took {rolled.rolling_heat[-1]:.3f} J of {rolled.kinetic[0]:.3f} J")

# Swung harder, from rest: now wheels stick, roll, slip and lift, and the arm throws the rover off the ground.
hard = lp.Motion.through(lp.catalog.lau_arm(), [[0, 0, 0.5], [2.5, 0.9, 2.4]], [0, 0.45], rate=500)
for event in rover.roll(hard).events:
    print(event)

if len(sys.argv) > 1:
    rolled.plot().write_html(sys.argv[1])
