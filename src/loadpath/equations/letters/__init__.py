"""What stands for coordinates, speeds and constants in the equations of a robot: the letters of a source, or of a user.

`names.names_of` makes the `Names` of a robot. `schemes` has the rule of each source, `tables` what a source calls the
parts of a robot of its own (and whether a robot is that one), and the inertias of rods, discs and bars, in which a
length says more than a moment.
"""
