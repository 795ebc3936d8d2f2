"""The command line: `loadpath report`, `demo`, `info`, `count`, `equations`, `verify`.

`main` is what the shell calls. `app` declares the commands and their options; what a command does is in `overview`,
`report` and `equations`, imported when it runs. The robots that a user can name are in `robots`, what is printed in
`tables`, warnings and errors in `messages`.
"""

from loadpath.cli.app import app, main

__all__ = ["app", "main"]
