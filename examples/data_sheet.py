"""What a data sheet of a robot says: payload diagram, life over payload and speed, compliance, foundation."""

import numpy as np

import loadpath as lp

gear = lp.StrainWaveGear(ratio=100, rated_torque=70, rated_speed=200, rated_life=10_000, average_torque=90,
                         peak_torque=150, stiffness=4e4)
ring = lp.CrossedRollerBearing(C=11e3, C0=17e3, dp=0.08, permitted_moment=120)
arm = lp.catalog.panda().with_parts({f"panda_joint{k}": [gear, ring] for k in (1, 2, 3, 4)})
duty = lp.Motion.swing(arm, 201, duration=1.5)

# How much it carries, over where the mass center is from the flange, and what limits that.
diagram = arm.payload_diagram(duty, offsets=(np.linspace(0, 0.4, 9), np.linspace(0, 0.3, 7)), hours=20_000)
print(diagram.to_table())
for limit, share in diagram.shares.items():
    print(f"{100 * share:5.1f} % limited by {limit.words}")
heavy = arm.with_payload(diagram.mass[4, 0], (0, 0, diagram.axial[4])).verdict(duty, hours=20_000)
assert abs(heavy.ranked[0].utilisation - 1) < 1e-9

# How long it lives with half of that, slower and quicker.
chart = arm.duty_map(duty, [0.0, 0.5 * diagram.mass[0, 0]], [0.6, 0.8, 1.0], hours=20_000)
print(chart.to_table())

# How far its wrist gives way, in mm/N along the axes of its base, and how far it sinks under 3 kg.
stiff = arm.static_compliance([0, -0.5, 0, -2.0, 0, 1.6, 0.8])
print(stiff.to_table())
print(stiff.droop(3.0, (0, 0, 0.1)))

# What the bolts of its base carry, in service and where its brakes grip.
stop = arm.stop(duty, at=0.75, brakes=dict.fromkeys(arm.dof_names, 60.0))
loads = arm.foundation_loads(duty, stops={"emergency stop": stop})
print(loads.to_table())
assert loads.largest("tilting_moment").case == "emergency stop"
