"""The command line: `loadpath report`, `info`, `verdict`, and the others that `app` lists.

`main` is what the shell calls. `commands` has a module for each command, imported when it is called. The robots that a
user can name are in `robots`, what is printed in `tables`, warnings and errors in `messages`.
"""

from loadpath.cli.app import app, main

__all__ = ["app", "main"]
