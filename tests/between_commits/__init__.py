"""Has any public number changed between two commits?

    python -m tests.between_commits OLD [NEW] [--only TEXT] [--quantity TEXT] [--seed S] [--all] [--keep FOLDER]

OLD and NEW are commits; without NEW it is the working tree. Each is checked out into a temporary folder, and the same
program (`record.py`) asks the same robots for everything public that they have, with the sources of the one and then of
the other. What they answered is compared, robot by robot and quantity by quantity: numbers to 1e-12 of the largest
entry of their array (motions in time to 1e-8), operation counts and words exactly. What differs is printed, with what
only one of them refuses, what is refused in other words, and what is missing; the exit status is 1 if there is any of
these. What only NEW has is an addition: it is listed, and is no difference.

- `robots.py`: the robots: trees, robots of files, closed chains, beams, closed chains of beams, rovers. They are made
  with names that are public in both commits.
- `states.py`: states that a robot can be in, by the names of the arguments that take them.
- `calls.py`: what is asked. Names are those of `dir(robot)`, arguments go by their names, so that a new quantity needs
  no line here; what needs more than states has its arguments in a table.
- `leaves.py`: results taken apart into numbers and words, whatever they are.
- `record.py`: the program that runs with either commit; `compare.py`: what differs between two recordings.

Quantities run on NumPy batches where they can, without compiling, and a few are compiled too; `--all` compiles all of
them, and asks for what takes long. Kernels are kept in `LOADPATH_CACHE_DIR`, if it is set, else in the temporary
folder.
"""
