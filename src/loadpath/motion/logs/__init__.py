"""Logs: motions as robots and programs write them, in text, NumPy's archives, Parquet files and frames.

All readers but that of archives make a `table`; from there on they are one: columns are found by name, units converted,
time stamps put right, and what else is of use is kept (`log`).
"""
