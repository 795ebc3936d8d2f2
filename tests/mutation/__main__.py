"""`python -m tests.mutation parts books --count 40 --seed 1`: how many wrong formulas the tests notice.

Mutants are drawn at random. Of each, the nearest test files run first, and those of the whole room if they pass. What
survives is printed as a line to read; `harmless.txt` lists survivors that change nothing, with the reason.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from py_compile import PycInvalidationMode

from .mutants import Mutant, mutants
from .rooms import ROOMS, ROOT, nearest_tests, source_files

HARMLESS = Path(__file__).with_name("harmless.txt")
MEMORY = 8 * 2**30
"""Bytes that a mutant may use: some allocate without end."""


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    options.add_argument("rooms", nargs="*", metavar="room", help=", ".join(ROOMS))
    options.add_argument("--count", type=int, default=40, help="mutants a room (default 40)")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--near", type=int, default=5, help="test files that run first (default 5)")
    options.add_argument("--only-near", action="store_true", help="do not run the whole room's tests on survivors")
    options.add_argument("--match", default="", help="only mutants whose name has this text")
    options.add_argument("--seconds", type=float, default=300.0, help="limit of one run of tests (default 300)")
    options.add_argument("--log", type=Path, help="write each mutant as a line of JSON")
    options.add_argument("--again", type=Path, help="only the survivors that such a log has, however many")
    given = options.parse_args()
    unknown = [room for room in given.rooms if room not in ROOMS]
    if unknown:
        options.error(f"no room {unknown[0]!r}; there are {', '.join(ROOMS)}")
    harmless = read_harmless()
    totals: Counter[str] = Counter()
    with copied_tree() as tree:
        for room in given.rooms or ROOMS:
            tally: Counter[str] = Counter()
            for mutant in chosen_mutants(room, given):
                fate = "harmless" if mutant.name in harmless else fate_of(mutant, room, tree, given)
                tally[fate] += 1
                if fate != "killed":
                    print(f"  {fate}: {mutant.path}:{mutant.line} in {mutant.function}\n"
                          f"    - {mutant.before.strip()}\n    + {mutant.after.strip()}", flush=True)
                if given.log:
                    row = {"room": room, "fate": fate, "name": mutant.name, "line": mutant.line}
                    with given.log.open("a") as file:
                        file.write(json.dumps(row) + "\n")
            counted = tally["killed"] + tally["survived"]
            score = f"{tally['killed'] / counted:.0%}" if counted else "-"
            print(f"{room}: {score} killed of {counted}; {dict(tally)}", flush=True)
            totals += tally
    return 1 if totals["survived"] else 0


def chosen_mutants(room: str, given: argparse.Namespace) -> list[Mutant]:
    if given.again is None:
        return drawn(room, given.count, given.seed, given.match)
    rows = [json.loads(line) for line in given.again.read_text().splitlines()]
    survivors = {row["name"] for row in rows if row["fate"] == "survived"}
    return [m for path in source_files(room) for m in mutants((ROOT / path).read_text(), path) if m.name in survivors]


def drawn(room: str, count: int, seed: int, match: str) -> list[Mutant]:
    """Mutants of a room, each line of code as likely as any other."""
    candidates = [m for path in source_files(room) for m in mutants((ROOT / path).read_text(), path) if match in m.name]
    generator = random.Random(seed)
    generator.shuffle(candidates)
    seen: set[tuple[str, int]] = set()
    chosen: list[Mutant] = []
    for mutant in candidates:
        if (mutant.path, mutant.line) not in seen and len(chosen) < count:
            seen.add((mutant.path, mutant.line))
            chosen.append(mutant)
    return chosen


def fate_of(mutant: Mutant, room: str, tree: Path, given: argparse.Namespace) -> str:
    tests = nearest_tests(room, mutant.path)
    file = tree / mutant.path
    sound = file.read_text()
    file.write_text(mutant.text)
    try:
        rounds = [tests[: given.near + 1]] + ([] if given.only_near else [tests[given.near + 1 :]])
        for chosen in rounds:
            fate = run_tests(tree, chosen, given.seconds) if chosen else "survived"
            if fate != "survived":
                return fate
        return "survived"
    finally:
        file.write_text(sound)


def run_tests(tree: Path, tests: list[str], seconds: float) -> str:
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "-p", "no:cacheprovider", *tests]
    environment = os.environ | {"PYTHONPATH": str(tree / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(command, cwd=tree, env=environment, timeout=seconds, capture_output=True, check=False,
                              preexec_fn=_limit_memory)
    except subprocess.TimeoutExpired:
        return "out of time"
    return "survived" if done.returncode in (0, 5) else "killed"  # 5: no test


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def read_harmless() -> set[str]:
    """Names of mutants that change nothing that anybody could see; each line ends with the reason, behind a `#`."""
    lines = HARMLESS.read_text().splitlines() if HARMLESS.exists() else []
    return {line.rpartition("  # ")[0].strip() for line in lines if line.strip()}


@contextmanager
def copied_tree() -> Iterator[Path]:
    """A checkout whose sources may be changed; everything else in it leads here."""
    with tempfile.TemporaryDirectory(prefix="loadpath-mutation-") as folder:
        tree = Path(folder)
        shutil.copytree(ROOT / "src", tree / "src", ignore=shutil.ignore_patterns("__pycache__"))
        for path in ROOT.iterdir():
            if path.name not in ("src", ".git", ".pytest_cache"):
                (tree / path.name).symlink_to(path)
        # Bytecode that is good as long as its source has the same content: only the changed file is compiled anew.
        compileall.compile_dir(tree / "src", quiet=1, invalidation_mode=PycInvalidationMode.CHECKED_HASH)
        os.environ.setdefault("LOADPATH_TEST_CACHE", str(tree / "kernels"))
        yield tree


if __name__ == "__main__":
    sys.exit(main())
