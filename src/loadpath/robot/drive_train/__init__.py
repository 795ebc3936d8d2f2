"""The drive train of a degree of freedom: motor, gear, friction, springs, brake. Data and its checks.

`Drive` is what users give. Ratio, rotor and friction go to the fields of `Joint` that all equations read, springs too;
what is left concerns the motor's side alone and is kept by the joint as it is.
"""
