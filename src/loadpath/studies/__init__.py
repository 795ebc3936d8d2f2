"""Studies: the whole space of designs instead of one, in chunks that are written whole or not at all.

`space.py` says which designs there are (`span.py`, `values.py`, `dependent.py`: what its parameters may be,
`sampling.py`: which of them are looked at), `answers.py` what is asked of each. `problem.py` makes robots and states of
them, `binding.py` knows what their names are of the robot, `probing.py` finds out before what is wrong. `chunks.py`
computes: designs that share a family (`grouping.py`) in blocks (`signals.py`, `passes.py`, `checks.py`), the others one
by one (`together.py` says which, `per_design.py`). `store.py` keeps the answers, `study.py` goes through them,
`cluster.py` on other machines; `results.py`, `fronts.py` and `why.py` make use of them.
"""
