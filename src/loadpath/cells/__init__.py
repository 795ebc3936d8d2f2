"""A robot, rover or flexible arm in one TOML project file, with its motion and what is asked of it: `lp.load_cell`.

`document` is the file with places for messages; `sources` makes the robot (`catalog_robots` one of the catalog),
`beams`, `reading` and `bases` give it beams, payload, drives, parts and wheels, `motions` its motion; `cell` is what
users hold. `kinds` finds parts, sections and wheels by their kinds, `units` reads numbers with units, `making` makes
objects of tables.
"""

from loadpath.cells.cell import Cell, load_cell

__all__ = ["Cell", "load_cell"]
