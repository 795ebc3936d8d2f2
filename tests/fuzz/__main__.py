"""`python -m tests.fuzz --minutes 30 --seed 1`; `python -m tests.fuzz --replay fuzz_faults/URDF-1-0.json`."""

from __future__ import annotations

import argparse
import secrets
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # helpers of the tests

from .parsers import PARSERS
from .runner import GROWTH, Tally, memory, replayed, run


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Fuzzes everything that reads.")
    options.add_argument("--minutes", type=float, default=10.0)
    options.add_argument("--seed", type=int, default=None, help="printed if not given")
    options.add_argument("--parser", action="append", choices=[parser.name for parser in PARSERS], help="this one only")
    options.add_argument(
        "--round", type=int, default=100, metavar="CASES", help="of a parser of weight one, in a round"
    )
    options.add_argument("--faults", type=Path, default=Path("fuzz_faults"), help="where failing cases are saved")
    options.add_argument("--replay", type=Path, help="run a saved case again")
    given = options.parse_args()
    if given.replay:
        return 0 if replayed(given.replay, PARSERS) else 1
    last = given.faults / "current.json"
    if last.exists():
        kept = last.rename(given.faults / f"ended-the-run-{int(time.time())}.json")
        print(f"the run before ended in the middle of a case: --replay {kept}")
    seed = secrets.randbelow(2**31) if given.seed is None else given.seed
    parsers = [parser for parser in PARSERS if not given.parser or parser.name in given.parser]
    tallies = {parser.name: Tally(parser.name) for parser in parsers}
    begin = time.monotonic()
    until, number, held = begin + 60 * given.minutes, 0, 0.0
    print(f"seed {seed}", flush=True)
    while time.monotonic() < until:
        for parser in parsers:
            cases = max(1, round(given.round * parser.weight))
            run(parser, seed + number, cases, given.faults, tallies[parser.name], until)
        number += 1
        if number == 1:
            held = memory()
        total = sum(tally.cases for tally in tallies.values())
        faults = sum(len(tally.faults) for tally in tallies.values())
        print(
            f"{time.monotonic() - begin:6.0f} s: round {number}, {total:,} cases, {faults} faults, {memory():.0f} MB",
            flush=True,
        )
    print(f"\nseed {seed}, {number} rounds, {time.monotonic() - begin:.0f} s")
    for tally in tallies.values():
        print(tally.line())
        for rule, count in tally.rules.most_common():
            print(f"    {count:6,} {rule}")
        for problem, path in tally.faults.items():
            print(f"    FAULT {problem}\n          --replay {path}")
    growth = memory() - held
    print(f"memory grew by {growth:.0f} MB after the first round")
    return 1 if any(tally.faults for tally in tallies.values()) or growth > GROWTH else 0


if __name__ == "__main__":
    sys.exit(main())
