"""The class users hold, `lp.Robot`: a table of contents of what is computed of a robot.

Quantities that are compiled stand in the room `quantities`, a line each; all other methods hand over to the room where
they live, and import it when they are called: so `import loadpath` stays quick.
"""

from loadpath.api.loading import load
from loadpath.api.robot import Robot, as_robot, from_dh, public

__all__ = ["Robot", "as_robot", "from_dh", "load", "public"]
