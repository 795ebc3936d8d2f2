"""Timing on a noisy machine: all candidates in turn, many times over, and the best time of each."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

Work = Callable[[], object]


def best_times(candidates: dict[str, Work], repetitions: int = 15, least_seconds: float = 0.02) -> dict[str, float]:
    """Best seconds per call of each candidate.

    A repetition calls each candidate so often that it takes `least_seconds`; the candidates take turns, so that
    whatever else runs on the machine disturbs them alike.
    """
    calls = {name: _calls(work, least_seconds) for name, work in candidates.items()}
    best = dict.fromkeys(candidates, float("inf"))
    gc.collect()
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        for _ in range(repetitions):
            for name, work in candidates.items():
                best[name] = min(best[name], _seconds(work, calls[name]) / calls[name])
    finally:
        if was_enabled:
            gc.enable()
    return best


def _seconds(work: Work, calls: int) -> float:
    begin = time.perf_counter()
    for _ in range(calls):
        work()
    return time.perf_counter() - begin


def _calls(work: Work, least_seconds: float) -> int:
    work()  # the first call may compile
    calls = 1
    while (seconds := _seconds(work, calls)) < least_seconds:
        calls = max(2 * calls, int(1.1 * calls * least_seconds / max(seconds, 1e-9)))
    return calls
