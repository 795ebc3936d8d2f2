"""The short part of the differential tests, and that nothing public is left without an independent implementation."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

from differential.command import load_checks, table
from differential.names import compared, excused, public
from differential.register import CHECKS, Check, Compared, Seen, run
from differential.robots import Case

SEED = int(os.environ.get("LOADPATH_DIFFERENTIAL_SEED", "12"))
load_checks()


@cache
def small_rounds() -> tuple[int, ...]:
    """Rounds with robots of few freedoms, which compile in a moment."""
    numbers = (k for k in range(1000) if 2 <= Case(SEED, k).robot.n <= 4)
    return tuple(next(numbers) for _ in range(8))


@pytest.mark.parametrize("name", CHECKS)
def test_against_an_independent_implementation(name: str) -> None:
    """One round of each; the next ones where a round has nothing to compare."""
    seen = Seen()
    for number in small_rounds():
        run(CHECKS[name], Case(SEED, number), seen)
        if seen.cases:
            break
    print(f"seed {SEED}: {seen.cases} comparisons, largest difference {seen.difference:.2g}, {seen.where}")
    assert not seen.failures, "\n".join(seen.failures)
    assert seen.cases


def test_everything_public_is_compared_or_no_number() -> None:
    """A new public quantity needs a check in one of the `of_*.py`; what is no number goes on the list in `names.py`."""
    missing = [name for name in public() if name not in compared() | excused()]
    assert not missing, f"no independent implementation is known for {', '.join(missing)}"


def test_the_lists_name_what_there_is() -> None:
    """Nothing on the list of excuses is compared, and nothing on it is gone."""
    assert not excused() & compared() - {"WheeledBase"}
    assert not excused() - set(public())


def wrong(case: Case) -> Iterator[Compared]:
    yield Compared(case.robot.gravity_forces(case.state[0]) * 1.000001, case.robot.gravity_forces(case.state[0]))


def broken(case: Case) -> Iterator[Compared]:
    yield Compared(np.zeros(3), np.zeros(4))


@pytest.mark.parametrize(("function", "words"), [(wrong, "differs by 1e-06"), (broken, "found the shape")])
def test_what_differs_is_reported_with_its_seed_and_round(function, words: str) -> None:
    number = next(k for k in range(100) if any(Case(SEED, k).robot.gravity))
    seen = Seen()
    run(Check(("x",), "itself", 1e-9, function), Case(SEED, number), seen)
    (failure,) = seen.failures
    assert f"seed {SEED}, round {number}" in failure
    assert words in failure


@pytest.mark.parametrize(
    ("found", "expected"), [(np.nan, 1.0), (np.inf, 1.0), (1.0, np.inf), (1.0, np.nan), (-np.inf, np.inf)]
)
def test_what_is_no_number_is_never_equal(found: float, expected: float) -> None:
    assert Compared([found, 0.0], [expected, 0.0]).difference == np.inf
    assert Compared([expected, 0.0], [expected, 0.0]).difference == 0.0


def test_the_same_round_is_the_same_robot() -> None:
    first, second = Case(SEED, 3), Case(SEED, 3)
    assert first.robot == second.robot
    assert np.array_equal(np.concatenate(first.state), np.concatenate(second.state))
    assert Case(SEED, 4).robot != first.robot
    assert "| `Robot.jacobian`" in table({name: Seen() for name in CHECKS})
