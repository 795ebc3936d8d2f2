"""A robot, rover or flexible arm in one TOML project file, with its motion and what is asked of it: `lp.load_project`.

`document` is the file with places for messages; `sources` makes the robot,
`reading` and `bases` give it beams, payload, drives, parts and wheels, `motions` its motion; `project` is what
users hold. `kinds` finds parts, sections and wheels by their kinds and makes objects of tables; `units` reads numbers
with units.
"""

from loadpath.project.project import Project, load_project

Cell, load_cell = Project, load_project  # as they were called first

__all__ = ["Cell", "Project", "load_cell", "load_project"]
