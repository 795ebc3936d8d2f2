"""The motor's side of the drives: torque, speed, current and losses behind the gears (`robot.motor_loads`)."""
