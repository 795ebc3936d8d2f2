"""The classes users hold: `lp.Robot`, a table of contents of what is computed of a robot, and `lp.FlexibleRobot`.

Quantities that are compiled stand in `quantities` and `load_quantities`, a line each; all other methods, in `robot` and
`flexible`, hand over to the room where they live, and import it when they are called: so `import loadpath` stays quick.
"""

from loadpath.api.loading import load
from loadpath.api.robot import Robot, as_robot, from_dh, public

__all__ = ["Robot", "as_robot", "from_dh", "load", "public"]
