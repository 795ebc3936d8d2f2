"""A Panda on a cart: how hard may the cart brake, and how much may the arm carry, before something tips or slips?"""

import numpy as np

import loadpath as lp

wheels = [lp.FixedWheel((0.0, y), 0.1, name=f"drive {side}") for y, side in ((0.25, "left"), (-0.25, "right"))]
wheels += [lp.CasterWheel((x, 0.0), 0.05, name=f"{end} caster") for x, end in ((0.35, "front"), (-0.35, "rear"))]
base = lp.WheeledBase(
    mass=55,
    center_of_mass=(0, 0, 0.2),
    inertia=np.diag([1.5, 2.5, 3.0]),
    wheels=wheels,
    friction=lp.WheelFriction(sliding=0.5, static=0.6, rolling=0.01),
)
rover = base.carrying(lp.catalog.panda(), at=(0.15, 0, 0.35))

# Every way in which the arm may stand: 100,000 poses within its limits.
limits = [joint.limits[0] for joint in rover.joints if joint.motion.dof]
rng = np.random.default_rng(0)
q = rng.uniform([x.lower for x in limits], [x.upper for x in limits], (100_000, 7))

# At rest.
standing = rover.stability(q)
worst = int(standing.margin.argmin())
print(f"at rest: the margin is {standing.margin[worst]:.3f} m at least, over {' - '.join(standing.edge[worst])}")

# Braking from one metre a second: the hardest before the cart tips, in the worst pose and in half of the poses.
hardest = rover.largest_acceleration(q, direction=(-1.0, 0.0), velocity=(1.0, 0.0))
print(f"braking tips the cart from {hardest.min():.2f} m/s^2 on, in half of the poses from {np.median(hardest):.2f} on")

# The wheels may let go before that.
brakes = np.linspace(0.5, 5, 10)
some = q[:2000]
slips = [rover.slip(some, velocity=(1.0, 0.0), acceleration=(-a, 0.0)).slips.any(axis=-1).mean() for a in brakes]
for brake, share in zip(brakes, slips, strict=True):
    print(f"  braking with {brake:.1f} m/s^2: a wheel slips in {100 * share:3.0f} % of the poses")

# What the hand may hold, stretched out forward and to the side, standing still.
reach = np.array([[turn, 1.4, 0, -0.4, 0, 1.8, 0] for turn in (0.0, np.pi / 4, np.pi / 2)])
most = rover.largest_payload(reach, link="panda_link8")
for turn, mass in zip((0, 45, 90), most, strict=True):
    print(f"turned by {turn:2d} degrees, stretched out: tips with {mass:.1f} kg in the hand")

# Exactly: one gram less stands, one gram more falls.
for mass, falls in ((most[2] - 1e-3, False), (most[2] + 1e-3, True)):
    assert bool(rover.with_payload(mass, link="panda_link8").stability(reach[2]).tips_over) == falls
