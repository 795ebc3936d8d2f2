"""Motors and brakes: torque against curves, voltage, winding temperature, holding torque, energy of stops.

Motors see the motor's side of a joint's drive train (`robot.with_drives`); brakes sit on either side.
"""
