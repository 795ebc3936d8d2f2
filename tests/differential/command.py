"""The rounds, and the table of what was compared."""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from differential.register import CHECKS, Check, Seen, run
from differential.robots import Case

BEGIN, END = "<!-- differential: begin -->", "<!-- differential: end -->"
SUBJECTS = (
    "forces",
    "matrices",
    "accelerations",
    "kinematics",
    "time",
    "loads",
    "edits",
    "identification",
    "motions",
    "cycles",
    "logs",
    "exports",
    "sections",
    "shapes",
    "fatigue",
    "elastic",
    "rovers",
    "wheels",
    "flexible_rovers",
    "closed",
    "closed_kinematics",
    "closed_time",
    "closed_frames",
    "tip",
    "drives",
    "books",
)


def load_checks() -> dict[str, Check]:
    """All checks, by the names of their functions."""
    for subject in SUBJECTS:
        importlib.import_module(f"differential.of_{subject}")
    return CHECKS


def run_rounds(
    seed: int, rounds: Iterable[int], only: Sequence[str] = (), seconds: float = float("inf")
) -> tuple[dict[str, Seen], int]:
    """What the checks saw, and how many rounds there were before the time was over."""
    checks = {name: one for name, one in load_checks().items() if not only or any(part in name for part in only)}
    seen = {name: Seen() for name in checks}
    start, done = time.monotonic(), 0
    for number in rounds:
        if time.monotonic() - start > seconds:
            break
        case = Case(seed, number)
        for place, (name, one) in enumerate(checks.items()):
            if (number + place) % one.every == 0:
                before = len(seen[name].failures)
                run(one, case, seen[name])
                for failure in seen[name].failures[before:]:
                    print(f"{name}: {failure}", file=sys.stderr, flush=True)
        done += 1
    return seen, done


def table(seen: dict[str, Seen]) -> str:
    """As Markdown."""
    rows = ["| quantity | compared with | cases | largest difference | in round | bound |", "|---|---|---|---|---|---|"]
    for name, one in seen.items():
        names = ", ".join(f"`{part}`" for part in CHECKS[name].names)
        where = one.where.split()[-1] if one.where else "-"
        figures = f"{one.cases} | {one.difference:.1e} | {where} | {CHECKS[name].bound:.0e}"
        rows.append(f"| {names} | {CHECKS[name].against} | {figures} |")
    return "\n".join(rows)


def write_into(page: Path, text: str) -> None:
    """Replaces what stands between the marks on a page of the documentation."""
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        raise ValueError(f"'{page}' has no place between {BEGIN} and {END}")
    page.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")


def main(arguments: Sequence[str]) -> int:
    """Exit status 1 where something differs by more than its bound."""
    parser = argparse.ArgumentParser(prog="python -m tests.differential", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="random robots of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first round, to repeat a single one")
    parser.add_argument("--only", nargs="*", default=[], help="parts of the names of checks")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="no new round after this time")
    parser.add_argument("--times", action="store_true", help="print the seconds that each check took")
    parser.add_argument("--into", type=Path, help="page whose table is replaced, docs/trust.md")
    given = parser.parse_args(arguments)
    print(f"seed {given.seed}, {given.rounds} rounds from {given.first}", flush=True)
    start = time.monotonic()
    rounds = range(given.first, given.first + given.rounds)
    seen, done = run_rounds(given.seed, rounds, given.only, 60 * given.minutes)
    summary = (
        f"Seed {given.seed}, {done} rounds, {sum(one.cases for one in seen.values())} comparisons, "
        f"{sum(len(one.failures) for one in seen.values())} of them beyond their bound."
    )
    print(table(seen))
    if given.into:
        write_into(given.into, f"{summary}\n\n{table(seen)}")
    if given.times:
        for name, one in sorted(seen.items(), key=lambda item: -item[1].seconds):
            print(f"{one.seconds:8.2f} s  {name}")
    failures = {name: one.failures for name, one in seen.items() if one.failures}
    for name, found in failures.items():
        print(f"\n{name}: {len(found)} failures")
        for failure in found[:5]:
            print("  " + failure)
    print(f"\n{summary} {time.monotonic() - start:.0f} s")
    return 1 if failures else 0
