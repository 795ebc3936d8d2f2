"""One module a command: its arguments, options and help.

A command is a function with the command's name. It imports what does the work where it is called, so that help and
completion are quick. What several commands take is in `loadpath.cli.options`; the list of commands is in
`loadpath.cli.app`.
"""
