"""`python -m loadpath.cli`: the same as `loadpath`."""

from loadpath.cli import main

main()
