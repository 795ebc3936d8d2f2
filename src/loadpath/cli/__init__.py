"""The command line: `loadpath demo`, `loadpath info`, `loadpath count`.

`main` is what the shell calls. Commands are in `commands`, the robots that a user can name in `robots`, the motion of
the demo in `motion`, and what is printed in `tables`.
"""

from loadpath.cli.commands import app, main

__all__ = ["app", "main"]
