"""Runs cases of a parser for a while: no fault, no case that takes too long, no growth of memory."""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import hypothesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import HypothesisException

from .outcome import Fault, Outcome, Parser

SECONDS = 20.0
"""No case may take longer, on a busy machine."""
MEGABYTES = 600.0
"""By so much a case may raise the peak of memory: Pinocchio, NumPy and a compiler are among what it loads."""
GROWTH = 400.0
"""By so much (MB) memory may grow after the first round."""


class TooLong(BaseException):
    """Not an Exception, so that no reader swallows it."""


def encoded(case: Any) -> Any:
    """A case for JSON, which has no bytes."""
    if isinstance(case, bytes):
        return {"bytes": case.decode("latin-1")}
    if isinstance(case, dict):
        return {key: encoded(value) for key, value in case.items()}
    return [encoded(part) for part in case] if isinstance(case, (list, tuple)) else case


def decoded(case: Any) -> Any:
    """The case again."""
    if isinstance(case, dict):
        if case.keys() == {"bytes"}:
            return case["bytes"].encode("latin-1")
        return {key: decoded(value) for key, value in case.items()}
    return [decoded(part) for part in case] if isinstance(case, list) else case


@dataclass
class Tally:
    """What became of the cases of a parser."""

    name: str
    cases: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)
    largest: float = 0.0
    seconds: float = 0.0
    slowest: float = 0.0
    faults: dict[str, Path] = field(default_factory=dict)

    def add(self, outcome: Outcome, seconds: float) -> None:
        self.cases += 1
        self.kinds[outcome.kind] += 1
        if outcome.kind == "explained":
            self.rules[outcome.rule] += 1
        if outcome.kind == "agreed":
            self.largest = max(self.largest, outcome.difference)
        self.slowest = max(self.slowest, seconds)

    def line(self) -> str:
        kinds = ", ".join(f"{self.kinds[kind]:,} {kind}" for kind in ("refused", "accepted", "agreed", "explained"))
        largest = f"; largest difference {self.largest:.1e}" if self.kinds["agreed"] else ""
        return (
            f"{self.name}: {self.cases:,} cases in {self.seconds:.0f} s ({kinds}){largest}; slowest "
            f"{self.slowest:.2f} s; {len(self.faults)} faults"
        )


@contextmanager
def _time_limit() -> Iterator[None]:
    def stop(number: int, frame: FrameType | None) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def tried(parser: Parser, case: Any) -> Outcome:
    """How one case ends, within its time and memory."""
    before = _peak()
    try:
        with _time_limit():
            outcome = parser.check(case)
    except TooLong:
        raise Fault(f"takes longer than {SECONDS:g} s") from None
    if _peak() - before > MEGABYTES:
        raise Fault(f"takes {_peak() - before:.0f} MB of memory")
    return outcome


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def memory() -> float:
    """What the process holds now, in MB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def run(parser: Parser, seed: int, examples: int, folder: Path, tally: Tally, until: float = float("inf")) -> None:
    """So many cases from a seed. A fault is made smaller, saved in the folder, and remembered in the tally."""
    folder.mkdir(parents=True, exist_ok=True)
    current = folder / "current.json"
    failing: dict[str, Any] = {}

    @hypothesis.seed(seed)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=False,
        print_blob=False,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink],
    )
    @given(parser.cases)
    def trial(case: Any) -> None:
        if time.monotonic() > until and not failing:
            return
        current.write_text(json.dumps({"parser": parser.name, "seed": seed, "case": encoded(case)}))
        begin = time.monotonic()
        try:
            outcome = tried(parser, case)
        except Fault as fault:
            if str(fault)[:80] in tally.faults:  # known: look for others
                tally.kinds["faulty"] += 1
                return
            failing.update(case=encoded(case), problem=str(fault))
            if "takes" in str(fault):  # too slow to be made smaller
                _save(parser, seed, failing, folder, tally)
                return
            raise
        tally.add(outcome, time.monotonic() - begin)

    begin = time.monotonic()
    faulthandler.dump_traceback_later(3 * SECONDS + 600, exit=True)  # if even the signal is not answered
    try:
        trial()
    except (Fault, HypothesisException) as problem:  # the latter if a fault does not come again
        if not failing:
            raise
        if isinstance(problem, HypothesisException):
            failing["problem"] += " (not at every time)"
        _save(parser, seed, failing, folder, tally)
    finally:
        faulthandler.cancel_dump_traceback_later()
        tally.seconds += time.monotonic() - begin
        current.unlink(missing_ok=True)


def _save(parser: Parser, seed: int, failing: dict[str, Any], folder: Path, tally: Tally) -> None:
    problem = failing["problem"]
    if problem[:80] not in tally.faults:
        path = folder / f"{parser.name.replace(' ', '_')}-{seed}-{len(tally.faults)}.json"
        path.write_text(json.dumps({"parser": parser.name, "seed": seed, **failing}, indent=1))
        tally.faults[problem[:80]] = path


def replayed(path: Path, parsers: tuple[Parser, ...], say: Callable[[str], None] = print) -> bool:
    """Runs a saved case again; whether it ends well."""
    saved = json.loads(path.read_text())
    parser = next(parser for parser in parsers if parser.name == saved["parser"])
    case = decoded(saved["case"])
    say(f"{parser.name}: {case!r}")
    try:
        say(f"ends well: {tried(parser, case)}")
    except Fault as fault:
        say(f"fault: {fault}")
        if fault.__cause__ is not None:
            import traceback

            say("".join(traceback.format_exception(fault.__cause__)))
        return False
    return True
