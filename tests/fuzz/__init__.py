"""Fuzzing of everything that reads: robots, tables, motions, arguments and names.

By hand, from the root of the project: `python -m tests.fuzz --minutes 30`. In the tests, shorter and with fixed seeds:
`test_fuzz.py`. A parser is a strategy of Hypothesis that makes cases (plain data, so that they can be saved and
replayed) and a check that says how a case ended, or raises a `Fault`: see `outcome.py`. A new one is added to
`parsers.py`.
"""
