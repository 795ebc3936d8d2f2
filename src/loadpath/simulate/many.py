"""Batches of simulations: `lp.simulations` runs one for each case, in this process or in several, and `lp.samples`
draws the cases. A case that fails is kept with its reason and stops no other.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np

from loadpath.errors import warn
from loadpath.progress import Report, reporting
from loadpath.scalars.types import Floats
from loadpath.simulate.one_case import Case, Job, Kept, Outcome, Subject, Value
from loadpath.simulate.processes import run_in_processes
from loadpath.simulate.result import Simulation
from loadpath.tables import NONE, Table

Cases: TypeAlias = Iterable[Case] | Mapping[str, Iterable[Value]]
Reduce: TypeAlias = str | Callable[[Any], Any] | None
What: TypeAlias = str | Callable[[Any], Any]

_REDUCED: Mapping[str, Callable[[Any], Any]] = {
    "first": lambda values: values[0], "last": lambda values: values[-1], "min": np.min, "max": np.max, "mean": np.mean,
}
_BUILTIN: Mapping[Any, Callable[[Any], Any]] = {min: np.min, max: np.max, sum: np.sum}
_SHOWN = 20


@dataclass(frozen=True, eq=False, repr=False)
class Simulations:
    """One simulation (or what `keep` took of it) for each case, in the order of the cases.

    >>> import loadpath as lp
    >>> many = lp.simulations(lp.catalog.planar(1), {"q": [[0.0], [0.5], "?"]}, duration=0.1)   # doctest: +ELLIPSIS
    >>> many, many.failed
    (<3 simulations, 1 failed>, {2: "ValueError: simulate: 'q' is not an array of real numbers: its dtype is <U1"})
    >>> many.values("q", "last").shape
    (3, 1)
    """

    cases: tuple[Case, ...]
    results: tuple[Kept, ...]
    """`lp.Simulation` or what was kept of it; None where the case failed."""
    failed: dict[int, str] = field(default_factory=dict)
    """By the number of the case: why there is no result."""
    warned: dict[int, tuple[str, ...]] = field(default_factory=dict)
    """By the number of the case: warnings that it gave."""

    def __len__(self) -> int:
        return len(self.cases)

    def __iter__(self) -> Iterator[Kept]:
        return iter(self.results)

    def __getitem__(self, number: int) -> Kept:
        return self.results[number]

    def __repr__(self) -> str:
        failed = f", {len(self.failed)} failed" if self.failed else ""
        return f"<{len(self)} simulations{failed}>"

    @property
    def done(self) -> tuple[int, ...]:
        """Numbers of the cases that have a result."""
        return tuple(k for k in range(len(self)) if k not in self.failed)

    def values(self, what: What, reduce: Reduce = None) -> Floats:
        """(cases, ...): a number or an array of every result; NaN where the case failed.

        `what` is the name of a field ("margin"), or a function of the result. `reduce` makes one number of what has a
        value for each time: "first", "last", "min", "max", "mean", or a function such as `np.ptp`.
        """
        found = {k: np.asarray(self._value(k, what, reduce), dtype=float) for k in self.done}
        shapes = {value.shape for value in found.values()}
        if len(shapes) > 1:
            raise ValueError(f"simulations: '{_named(what)}' has different shapes in different cases "
                             f"({', '.join(map(str, sorted(shapes)))}): reduce it, as by reduce='last'")
        values = np.full((len(self), *next(iter(shapes), ())), np.nan)
        for k, value in found.items():
            values[k] = value
        return values

    def quantiles(
        self, what: What, reduce: Reduce = None, at: float | Sequence[float] = (0.05, 0.5, 0.95)
    ) -> Floats:
        """(quantiles, ...): of `values`, over the cases that did not fail.

        >>> import loadpath as lp
        >>> many = lp.simulations(lp.catalog.planar(1), {"q": [[0.0], [0.2], [0.4]]}, duration=0.05)
        >>> many.quantiles("q", "first", at=0.5).tolist()
        [0.2]
        """
        if not self.done:
            raise ValueError(f"simulations: no case has a result; the first failed with: {self.failed.get(0, '?')}")
        found: Floats = np.quantile(self.values(what, reduce)[list(self.done)], at, axis=0)
        return found

    def table(self, **columns: What | tuple[What, Reduce]) -> Table:
        """The cases as rows: what was particular to each, and columns of the results: `speed=("velocity", "last")`.

        >>> import loadpath as lp
        >>> many = lp.simulations(lp.catalog.planar(1), {"qd": [[0.0], [1.0]]}, q=[0.0], duration=0.01)
        >>> print(many.table(end=(lambda run: run.q[-1, 0], None)).text())
        case  qd         end
        --------------------
        0      0  -0.0007357
        1      1    0.009264
        """
        keys = list(dict.fromkeys(key for case in self.cases for key in case))
        pairs = {name: given if isinstance(given, tuple) else (given, None) for name, given in columns.items()}
        rows = []
        for k, case in enumerate(self.cases):
            row = [str(k), *(_text(case.get(key)) for key in keys)]
            row += [NONE if k in self.failed else _text(self._value(k, *pair)) for pair in pairs.values()]
            rows.append([*row, self.failed[k]] if k in self.failed else [*row, *([""] if self.failed else [])])
        names = ["case", *keys, *pairs, *(["failed"] if self.failed else [])]
        return Table("Simulations", names, rows, right=1 if self.failed else 0)

    def _value(self, k: int, what: What, reduce: Reduce) -> Any:
        result = self.results[k]
        if callable(what):
            value = what(result)
        elif isinstance(result, Mapping):
            if what not in result:
                raise ValueError(f"simulations: '{what}' was not kept; there are {', '.join(map(str, result))}")
            value = result[what]
        elif not hasattr(result, what):
            raise ValueError(f"simulations: results are of the class {type(result).__name__}, which has no '{what}'")
        else:
            value = getattr(result, what)
        if value is None:
            raise ValueError(f"simulations: '{_named(what)}' is None in case {k}: such a robot has none")
        if reduce is None:
            return value
        if isinstance(reduce, str):
            if reduce not in _REDUCED:
                raise ValueError(f"simulations: reduce is {reduce!r}: expected one of {', '.join(_REDUCED)}, or a "
                                 "function")
            return _REDUCED[reduce](np.asarray(value))
        return _BUILTIN.get(reduce, reduce)(np.asarray(value))


def _named(what: What) -> str:
    return what if isinstance(what, str) else getattr(what, "__name__", "the function")


def _text(value: Any) -> str:
    if value is None:
        return NONE
    array = np.asarray(value)
    if array.dtype.kind in "biuf" and array.size <= 3:
        return " ".join(f"{entry:.4g}" if array.dtype.kind == "f" else str(entry) for entry in array.ravel().tolist())
    words = str(value) if array.dtype.kind in "US" else type(value).__name__
    return words if len(words) <= _SHOWN else f"{words[:_SHOWN]}..."


def simulations(
    subject: Subject,
    cases: Cases,
    *,
    workers: int | None = 1,
    keep: Callable[[Simulation], Kept] | None = None,
    progress: bool | Report = False,
    **common: Value,
) -> Simulations:
    """One simulation for each case: Monte Carlo of friction, payload, slope; sweeps; tolerances.

    - `subject`: a robot, on wheels or not, with beams or loops; a case then has keywords of its `simulate`. Or a
      function of what the cases name, which gives back a robot (then simulated) or an `lp.Simulation` of its own.
    - `cases`: mappings, as `lp.samples` draws them; or one mapping from names to equally long rows.
    - `common`: keywords of `simulate` that all cases have in common.
    - `workers`: how many processes (None: one for each processor). Each compiles nothing that the disk cache has. With
      more than one, the script that calls this needs `if __name__ == "__main__":`, and what is sent to the processes
      must be picklable: functions of a module, no lambdas. Results are the same, bit by bit, with any number of them.
    - `keep`: a function of each simulation, whose result is kept in its place: saves memory and time between processes.
    - `progress`: True for a bar, or a function of the share done.

    A case that fails is in `failed` with its reason, and a process that dies takes no more than its case with it.
    Ctrl-C ends all processes. Warnings of the cases are in `warned`, and told of once.

    >>> import loadpath as lp
    >>> def braked(friction, speed):
    ...     feet = [lp.Support((x, y)) for x in (-0.4, 0.4) for y in (-0.3, 0.3)]
    ...     box = lp.WheeledBase(mass=20, center_of_mass=(0, 0, 0.1), inertia=np.eye(3), wheels=feet,
    ...                          friction=lp.WheelFriction(friction))
    ...     return box.carrying().simulate(velocity=(speed, 0.0), duration=1.0)
    >>> drawn = lp.samples(4, seed=1, friction=(0.3, 0.6), speed=(0.5, 1.0))
    >>> many = lp.simulations(braked, drawn)
    >>> distance = many.values(lambda run: run.pose[-1, 0])
    >>> bool(np.allclose(distance, [case["speed"] ** 2 / (2 * 9.81 * case["friction"]) for case in drawn]))
    True
    """
    listed = _cases(cases)
    job = Job(subject, common, keep)
    job.check()
    count = os.cpu_count() or 1 if workers is None else workers
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise ValueError(f"simulations: 'workers' is {workers!r}: expected a number of processes, or None for one for "
                         "each processor")
    outcomes: list[Outcome] = [Outcome() for _ in listed]
    with reporting(progress, f"simulating {len(listed)} cases") as report:
        for number, (k, outcome) in enumerate(_outcomes(job, listed, min(count, len(listed))), start=1):
            outcomes[k] = outcome
            report(number / len(listed))
    failed = {k: each.failed for k, each in enumerate(outcomes) if each.failed}
    warned = {k: each.warned for k, each in enumerate(outcomes) if each.warned}
    if warned:
        k = next(iter(warned))
        warn(f"simulations: {len(warned)} of {len(listed)} cases gave warnings (.warned has them); case {k}: "
             f"{warned[k][0]}")
    return Simulations(tuple(listed), tuple(each.result for each in outcomes), failed, warned)


def _outcomes(job: Job, cases: Sequence[Case], count: int) -> Iterator[tuple[int, Outcome]]:
    if count > 1:
        yield from run_in_processes(job, cases, count)
    else:
        for k, case in enumerate(cases):
            yield k, job.run(case)


def _cases(given: Any) -> list[Case]:
    """Cases as a list of mappings; from columns, row by row."""
    if isinstance(given, Mapping):
        columns = {name: list(values) for name, values in given.items()}
        counts = {len(values) for values in columns.values()}
        if len(counts) != 1:
            told = ", ".join(f"'{name}' has {len(values)}" for name, values in columns.items())
            raise ValueError(f"simulations: the columns of the cases are not equally long: {told or 'there is none'}")
        listed: list[Any] = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    else:
        listed = list(given)
    for k, case in enumerate(listed):
        if not isinstance(case, Mapping) or not all(isinstance(name, str) for name in case):
            raise ValueError(f"simulations: case {k} is {case!r}: expected a mapping from names to values")
    if not listed:
        raise ValueError("simulations: there is no case")
    return listed


def samples(
    count: int, *, seed: int = 0, method: Literal["random", "latin", "sobol"] = "random", **spread: Value
) -> list[dict[str, Value]]:
    """Cases drawn at random, the same for the same `seed`: a mapping for each.

    Of each name: a pair (lowest, highest) is drawn uniformly, a distribution of `scipy.stats`
    (`scipy.stats.norm(0.6, 0.05)`) by its `ppf`, a list with equal chances, and a number stays as it is. `method`:
    independent numbers, or those of SciPy's Latin hypercube or Sobol sequence (scrambled), which fill space evenly.

    >>> import loadpath as lp
    >>> drawn = lp.samples(3, seed=7, slope=(0.0, 0.1), load=[5.0, 10.0], mass=20.0)
    >>> [sorted(case) for case in drawn][0], all(0 <= case["slope"] <= 0.1 for case in drawn)
    (['load', 'mass', 'slope'], True)
    """
    if not isinstance(count, (int, np.integer)) or count < 1:
        raise ValueError(f"samples: count is {count!r}: expected one or more")
    if method not in ("random", "latin", "sobol"):
        raise ValueError(f"samples: 'method' is {method!r}: expected 'random', 'latin' or 'sobol'")
    drawn = _uniform(int(count), len(spread), seed, method)
    columns = {name: _drawn(name, given, drawn[:, k]) for k, (name, given) in enumerate(spread.items())}
    return [{name: column[k] for name, column in columns.items()} for k in range(int(count))]


def _uniform(count: int, size: int, seed: int, method: str) -> Floats:
    if method == "random" or not size:
        return np.random.default_rng(seed).random((count, size))
    from scipy.stats import qmc

    engine = (qmc.LatinHypercube if method == "latin" else qmc.Sobol)(size, seed=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of counts that are no power of two
        return np.asarray(engine.random(count), dtype=float)


def _drawn(name: str, given: Any, shares: Floats) -> list[Any]:
    if hasattr(given, "ppf"):
        return [float(value) for value in np.asarray(given.ppf(shares))]
    if isinstance(given, tuple):
        if len(given) != 2 or not all(np.isfinite(given)) or not given[0] <= given[1]:
            raise ValueError(f"samples: '{name}' is {given!r}: expected (lowest, highest), a list to choose from, a "
                             "distribution of scipy.stats, or a number")
        return [float(given[0] + share * (given[1] - given[0])) for share in shares]
    if isinstance(given, list):
        if not given:
            raise ValueError(f"samples: '{name}' is an empty list: expected values to choose from")
        return [given[min(int(share * len(given)), len(given) - 1)] for share in shares]
    return [given] * len(shares)


__all__ = ["Simulations", "samples", "simulations"]
