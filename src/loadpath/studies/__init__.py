"""Studies: the whole space of designs instead of one, in chunks that are written whole or not at all.

`space.py` says which designs there are, `answers.py` what is asked of each, `problem.py` makes robots and states of
them; `signals.py`, `passes.py` and `checks.py` compute in blocks, `per_design.py` one by one what has no blocks;
`store.py` keeps the answers, `study.py` goes through them, `cluster.py` on other machines; `results.py`, `fronts.py`
and `why.py` make use of them.
"""
