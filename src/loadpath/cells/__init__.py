"""A robot in its cell in one TOML file: robot, payload, drives, parts, motion and required life; `lp.load_cell`.

`document` is the file with places for messages, `reading` makes robot and motion of it, `cell` is what users hold,
`kinds` finds parts by their kinds, `units` reads numbers with units.
"""

from loadpath.cells.cell import Cell, load_cell

__all__ = ["Cell", "load_cell"]
