"""A check: a quantity, the implementation it is compared with, and how far the two may differ."""

from __future__ import annotations

import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Compared:
    """What was found and what was expected: their difference counts relative to `size`, the largest expected entry
    unless a larger one is given (where terms cancel, the terms; where a matrix was inverted, its condition too).
    """

    found: Any
    expected: Any
    size: float = 0.0

    @property
    def difference(self) -> float:
        found, expected = np.asarray(self.found, dtype=float), np.asarray(self.expected, dtype=float)
        if found.shape != expected.shape:
            raise AssertionError(f"found the shape {found.shape}, expected {expected.shape}")
        if found.size == 0:
            return 0.0
        if not np.isfinite(expected).all():  # infinities must be the same ones
            same = (found == expected) | (np.isnan(found) & np.isnan(expected))
            if not same[~np.isfinite(expected)].all():
                return float("inf")
            found, expected = found[np.isfinite(expected)], expected[np.isfinite(expected)]
            if found.size == 0:
                return 0.0
        if not np.isfinite(found).all():
            return float("inf")
        size = max(self.size, float(np.abs(expected).max()))
        return float(np.abs(found - expected).max() / (size or 1.0))


@dataclass
class Check:
    """A quantity (or several that one comparison covers) against an implementation."""

    names: tuple[str, ...]
    against: str
    bound: float
    function: Callable[[Any], Iterator[Compared]]
    every: int = 1
    """In one of so many rounds: for those that take long."""


@dataclass
class Seen:
    """What a check has seen so far."""

    cases: int = 0
    difference: float = 0.0
    where: str = ""
    seconds: float = 0.0
    failures: list[str] = field(default_factory=list)


CHECKS: dict[str, Check] = {}
"""By the name of the function."""


def check(
    *names: str, against: str, bound: float, every: int = 1
) -> Callable[[Callable[[Any], Iterator[Compared]]], Callable[[Any], Iterator[Compared]]]:
    """Registers a function of a `Case` that yields pairs to be compared."""

    def registered(function: Callable[[Any], Iterator[Compared]]) -> Callable[[Any], Iterator[Compared]]:
        assert function.__name__ not in CHECKS, function.__name__
        CHECKS[function.__name__] = Check(names, against, bound, function, every)
        return function

    return registered


def run(checked: Check, case: Any, seen: Seen) -> None:
    """One case of a check; what it sees is written down."""
    start = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for pair in checked.function(case):
                difference = pair.difference
                seen.cases += 1
                if difference > seen.difference or not seen.where:
                    seen.difference, seen.where = difference, str(case)
                if not difference <= checked.bound:
                    seen.failures.append(f"{case}: differs by {difference:.3g}, more than {checked.bound:.0e}")
    except Exception:
        seen.failures.append(f"{case}:\n{traceback.format_exc()}")
    seen.seconds += time.perf_counter() - start
