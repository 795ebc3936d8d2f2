"""The command line: `loadpath report`, `demo`, `info`, `count`, `equations`, `verify`, `compare`, `verdict`.

`main` is what the shell calls. `app` has the list of commands, `commands` their arguments and options, a module each.
What a command does is in the module of its name here (`info`, `report`), imported when it runs. The robots that a user
can name are in `robots`, what is printed in `tables`, warnings and errors in `messages`.
"""

from loadpath.cli.app import app, main

__all__ = ["app", "main"]
