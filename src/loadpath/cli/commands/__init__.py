"""One module a command, with a function of its name: its parameters are the command's arguments and options, what
several commands take comes from `loadpath.cli.options`. The list of commands is in `loadpath.cli.app`.

What the work of a command needs is imported under `if will_run():`, so that completion and help are quick; see
`loadpath.cli.app`.
"""
