"""Timing on a noisy machine: all candidates in turn, many times over, and the best time of each."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

from loadpath.engine.better import settle

Work = Callable[[], object]
Clock = Callable[[], float]


def best_times(
    candidates: dict[str, Work],
    repetitions: int = 100,
    least_seconds: float = 0.005,
    *,
    clock: Clock = time.process_time,
) -> dict[str, float]:
    """Best seconds per call of each candidate, by default of processor time: what others take is not counted.

    A repetition calls each candidate so often that it takes `least_seconds`: short, so that some repetitions run
    undisturbed. The candidates take turns, so that whatever else runs on the machine disturbs them alike.
    """
    calls = {name: _calls(work, least_seconds, clock) for name, work in candidates.items()}
    best = dict.fromkeys(candidates, float("inf"))
    gc.collect()
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        for _ in range(repetitions):
            for name, work in candidates.items():
                best[name] = min(best[name], _seconds(work, calls[name], clock) / calls[name])
    finally:
        if was_enabled:
            gc.enable()
    return best


def _seconds(work: Work, calls: int, clock: Clock) -> float:
    begin = clock()
    for _ in range(calls):
        work()
    return clock() - begin


def _calls(work: Work, least_seconds: float, clock: Clock) -> int:
    work()  # the first call may compile
    settle()  # and what it compiled is optimised in the background
    calls = 1
    while (seconds := _seconds(work, calls, clock)) < least_seconds:
        calls = max(2 * calls, int(1.1 * calls * least_seconds / max(seconds, 1e-9)))
    return calls
