"""The contact solver: what the ground gives at every wheel and foot.

It is asked in three ways: with the motion given (`given_motion`: wheel loads, slip), with the forces given
(`given_forces`: accelerations), and with contacts that stick, slide and lift by themselves (`forces`, `switching`: the
simulation). All three share the rows of the wheels themselves (`robot.wheels.contacts`), the springs under them
(`loadpath.mobile.normals`), the torques about their axles (`plane`, `system`), and the rule for what balance leaves
open (`sharing`).
"""
