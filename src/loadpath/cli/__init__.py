"""The command line: `loadpath report`, `demo`, `info`, `count`, `equations`, `verify`.

`main` is what the shell calls. Commands are in `commands`, `formulas` and `reporting`, the robots that a user can name
in `robots`, what is printed in `tables`, and how the user is talked to in `talking`.
"""

from loadpath.cli import equations as formulas  # registers their commands
from loadpath.cli import reporting  # registers their commands
from loadpath.cli.commands import app, main

__all__ = ["app", "formulas", "main", "reporting"]
