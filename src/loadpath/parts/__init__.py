"""Does the part hold, and how long? Bearings, gears, motors, brakes, bolts and wheels under the loads of a motion.

A part is a frozen dataclass of catalogue numbers made from `part.Part`: it says how it is examined, and nothing else
asks for its type. `verdict` leads the loads of a motion, block by block, past the examiners of all parts.

`read("gears.csv")` reads a table of parts, `table([...])` makes one: `table.pick("ratio == 100", least="mass")`.
"""

from loadpath.in_room import function_in_room

read = function_in_room("loadpath.parts.listed", "read")
table = function_in_room("loadpath.parts.listed", "table")
