"""The command line: `loadpath demo`, `info`, `count`, `equations`, `verify`.

`main` is what the shell calls. Commands are in `commands` and `formulas`, the robots that a user can name in `robots`,
the motion of the demo in `motion`, and what is printed in `tables`.
"""

from loadpath.cli import formulas  # registers its commands
from loadpath.cli.commands import app, main

__all__ = ["app", "formulas", "main"]
