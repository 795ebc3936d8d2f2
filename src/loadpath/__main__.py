"""`python -m loadpath`: the same as `loadpath`."""

from loadpath.cli import main

main()
