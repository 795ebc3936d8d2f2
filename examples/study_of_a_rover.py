"""A UR5 on a cart: how long must it be, and how heavy, to swing 5 kg on a slope without tipping?

A study of some hundred carts: payload, mass of the base, wheelbase, slope.
"""

import numpy as np

import loadpath as lp

wheels = [lp.FixedWheel((x, y), 0.1, name=f"{end} {side}")
          for x, end in ((0.3, "front"), (-0.3, "rear")) for y, side in ((0.25, "left"), (-0.25, "right"))]
base = lp.WheeledBase(mass=80, center_of_mass=(0, 0, 0.25), inertia=np.diag([3.0, 3.5, 5.0]), wheels=wheels,
                      friction=lp.WheelFriction(sliding=0.6, static=0.7, rolling=0.01), name="cart")
rover = base.carrying(lp.catalog.ur5().with_payload(0.0), at=(0, 0, 0.5))
motion = lp.Motion.swing(rover, samples=100)

# Payload, mass and slope are arguments of one kernel; the wheels follow from the wheelbase.
space = lp.Space({
    "payload.mass": lp.span("0 kg", "5 kg", 6),
    "cart.mass": lp.span("40 kg", "140 kg", 11),
    "ground.slope": ["0 deg", "4 deg", "8 deg"],
    "wheelbase": ["0.5 m", "0.6 m", "0.7 m"],
    "front left.position": lambda wheelbase: (wheelbase / 2, 0.25),
    "front right.position": lambda wheelbase: (wheelbase / 2, -0.25),
    "rear left.position": lambda wheelbase: (-wheelbase / 2, 0.25),
    "rear right.position": lambda wheelbase: (-wheelbase / 2, -0.25),
})
study = lp.study(rover, space, motion, answers=["margin", "wheel_load", "utilisation", "*.friction_used"]).run()
print(f"{study.counts['computed']:,} carts, {len(study.failures)} failed")

# The lightest cart that keeps 100 mm to every edge with 5 kg on 8 degrees, for each wheelbase.
margin, loads = study.answer("margin"), study.answer("wheel_load")  # payload, mass, slope, wheelbase
masses, slopes, lengths = (study.space.axis(name) for name in ("cart.mass", "ground.slope", "wheelbase"))
for k, wheelbase in enumerate(lengths):
    good = np.flatnonzero(margin[-1, :, -1, k] >= 0.1)
    lightest = int(good[0]) if len(good) else len(masses) - 1
    words = f"{masses[lightest]:.0f} kg" if len(good) else f"more than {masses[-1]:.0f} kg"
    print(f"wheelbase {wheelbase:.1f} m: {words}; largest load of a wheel {loads[-1, lightest, -1, k]:.0f} N")

print("\nleast margin (mm) with 5 kg, wheelbase 0.6 m")
print("  cart    " + "".join(f"{np.degrees(slope):8.0f} deg" for slope in slopes))
for mass, row in zip(masses[::2], margin[-1, ::2, :, 1], strict=True):
    print(f"  {mass:4.0f} kg " + "".join(f"{1e3 * value:12.0f}" for value in row))
