"""A slender arm that moves quickly: how its tip shakes, how long it rings, and what a shaped motion saves.

    python examples/slender_arm_in_time.py

Two carbon tubes of 1.2 m carry 2 kg, on geared joints, and swing 80 degrees in 0.8 s. Writes slender_arm_in_time.html.
"""

from __future__ import annotations

import numpy as np

import loadpath as lp

tube = lp.Tube(outer_radius=0.025, wall=0.0015)
robot = lp.catalog.planar(2, length=1.2, mass=1.0).with_payload(2.0)
arm = robot.with_beams(
    {"link1": lp.Beam(tube, lp.CARBON_UD, end="joint2"), "link2": lp.Beam(tube, lp.CARBON_UD, end="tip_joint")},
    joint_compliance={
        "joint1": lp.JointCompliance(drive=2.5e4, damping=20.0),
        "joint2": lp.JointCompliance(drive=1.5e4, damping=10.0),
    },
)
there, back = np.radians([-20.0, 60.0]), np.radians([60.0, -10.0])
quick = lp.Motion.through(arm, [there, back], times=[0.0, 0.8], profile="trapezoidal")
soft = lp.Motion.through(arm, [there, back], times=[0.0, 0.8])

print(arm.natural_frequencies(back, count=3))
print(arm.bandwidth_check(quick))
print()
print(f"{'motion':<22} {'time':>7} {'peak':>9} {'vibration':>10} {'after it':>9} {'within 0.1 mm':>14} {'stress':>8}")
rows: dict[str, lp.Motion] = {"trapezoid": quick, "quintic": soft}
for shaper in ("zv", "zvd", "ei", "smooth"):
    rows[f"trapezoid, {shaper}"] = arm.shaped(quick, shaper, damping=0.01)
found = {name: arm.respond(motion, damping=0.01) for name, motion in rows.items()}
for name, r in found.items():
    settled = r.end + r.settling_time(1e-4)
    factor = max(r.stress(every=4).factor.values())
    print(f"{name:<22} {r.end:5.2f} s {1e3 * r.peak.displacement:6.1f} mm {1e3 * r.peak.vibration:7.2f} mm "
          f"{1e3 * r.residual:6.2f} mm {settled:12.2f} s {factor:7.2f}x")

shake = arm.frequency_response(back, ("payload", "z"), damping=0.01)
print(f"\n{shake}")

from plotly.graph_objects import Figure  # noqa: E402  the numbers do without it

figure = Figure()
for name, color in (("trapezoid", "#d1495b"), ("quintic", "#e08e0b"), ("trapezoid, zv", "#0b5cad")):
    r = found[name]
    vibration = 1e3 * (r.displacement["tip"] - r.quasi_static["tip"][-1])[:, 2]
    figure.add_scatter(x=r.times, y=vibration, name=name, mode="lines", line={"color": color, "width": 1.5})
    figure.add_vline(x=r.end, line={"color": color, "dash": "dot", "width": 1})
figure.update_layout(
    title="Tip of a slender arm against its final place, vertically (dotted: end of the motion)",
    xaxis={"title": "time (s)", "range": [0, 2.0]},
    yaxis_title="mm",
    template="plotly_white",
    legend={"orientation": "h", "y": -0.2},
)
figure.write_html("slender_arm_in_time.html", include_plotlyjs="cdn")
