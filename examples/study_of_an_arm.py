"""Which arm is light and quick enough? Payload, length, wall, gear and cycle time of a PUMA: 5,000 designs.

It ends in a decision: the lightest arm that carries 6 kg in two seconds, and what limits it.
"""

import math

import loadpath as lp

RPM = math.pi / 30
DENSITY = 2700.0  # aluminium, kg/m^3


def gear(size: int, torque: float, mass: float) -> lp.StrainWaveGear:
    """Strain wave gears of two sizes, with the numbers of their catalogue pages."""
    return lp.StrainWaveGear(
        ratio=100, rated_torque=torque, rated_speed=2000 * RPM, rated_life=7000, average_torque=1.6 * torque,
        peak_torque=2.4 * torque, momentary_torque=4.7 * torque, average_input_speed=3500 * RPM,
        max_input_speed=4800 * RPM, name=f"size {size}, {mass:g} kg")


arm = lp.catalog.puma560().with_payload(0.0).with_drives({"joint2": lp.Drive(ratio=100)})
motion = lp.Motion.swing(arm, samples=100)

space = lp.Space({
    "payload.mass": lp.span("2 kg", "10 kg", 9),
    "link2.length": lp.span("0.35 m", "0.55 m", 7),
    "wall": lp.span("2 mm", "5 mm", 4),
    "joint2.part": [gear(25, 67.0, 1.5), gear(32, 137.0, 3.2)],
    "motion.duration": lp.span("1.5 s", "4 s", 11),
    # A tube 120 mm across, and its end pieces.
    "link2.mass": lambda link2_length, wall: 2.0 + DENSITY * math.pi * 0.12 * wall * link2_length,
}).subject_to("payload.mass * link2.length <= 5")
study = lp.study(arm, space, motion, answers=["mass", "utilisation", "life", "joint2.tilting_moment"], hours=15_000)
print(study.cost)
study.run()
print(", ".join(f"{count:,} {what}" for what, count in study.counts.items() if count))

# Every design that no other beats in mass, payload and time, of those whose parts hold for 15,000 hours.
holds = "utilisation <= 100 % and life >= 15_000 h"
front = study.front("mass", "motion.duration", maximise="payload.mass", where=holds)
print(f"\n{len(study.where(holds)):,} designs hold; {len(front)} of them are beaten by none in mass, time and payload")

# The decision: the lightest that carries 6 kg in two seconds.
able = study.where(f"{holds} and payload.mass >= 6 kg and motion.duration <= 2 s")
masses = study.answer("mass").ravel()
best = int(able[masses[able].argmin()])
chosen = study.design(best)
print(f"\nchosen: link2 {chosen['link2.length']:.2f} m long, walls of {1e3 * chosen['wall']:.0f} mm, "
      f"gear {chosen['joint2.part'].name}: {masses[best]:.1f} kg with its payload of {chosen['payload.mass']:g} kg")
print(study.why(best))
