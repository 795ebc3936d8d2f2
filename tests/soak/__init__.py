"""Everything at once for a long time: `python -m tests.soak --minutes 30`.

One process makes random robots, computes with many threads, forks, simulates, exports, writes files, and overflows its
caches; every result is checked, and memory, threads and file handles are watched. See `work.py` for the kinds of work.
"""
