"""The same digits by every Python: `python .ci/pythons.py python3.12 python3.13 python3.14` installs the library for
each into an environment of its own, runs `.ci/smoke.py`, and compares the numbers of `smoke.py digits` with those of
the first one. `--as-is PROGRAM` is a Python that has the library and what it needs already, as one that an emulator
of another processor runs; of it the digits alone are compared. `--bits` asks for the same bits, not for 1e-12.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
from itertools import chain
from pathlib import Path

HERE = Path(__file__).resolve().parent
CLOSE = 1e-12
"""Of the largest number of a quantity."""


def environment(python: str, folder: Path) -> Path:
    """An environment with the library, by uv where it is, else by pip."""
    place = folder / "env"
    subprocess.run([python, "-m", "venv", "--without-pip", place], check=True)
    program = place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    installers = [["uv", "pip", "install", "-q", "--python", str(program)],
                  [sys.executable, "-m", "pip", "--python", str(program), "install", "-q"]]
    for command in installers:
        if command[0] == "uv" and shutil.which("uv") is None:
            continue
        if subprocess.run([*command, str(HERE.parent)], check=False).returncode == 0:
            return program
    raise SystemExit(f"{python}: the library could not be installed")


def digits(program: str | Path, folder: Path) -> dict:
    """Numbers by one Python."""
    run_smoke(program, folder, "digits", "digits.json")
    return json.loads((folder / "digits.json").read_text(encoding="utf-8"))


def run_smoke(program: str | Path, folder: Path, *arguments: str) -> None:
    plain = {name: value for name, value in os.environ.items() if not name.startswith("LOADPATH_")}
    subprocess.run([str(program), str(HERE / "smoke.py"), *arguments], check=True, cwd=folder, env=plain)


def apart(first: dict, other: dict) -> tuple[float, str, int]:
    """The largest difference, of what, and how many numbers are not the same to the last bit."""
    worst, where, unequal = 0.0, "", 0
    for name, texts in first["numbers"].items():
        ours, theirs = ([float.fromhex(text) for text in one["numbers"][name]] for one in (first, other))
        assert len(ours) == len(theirs), name
        size = max(map(abs, ours)) or 1.0
        unequal += sum(a != b for a, b in zip(texts, other["numbers"][name], strict=True))
        far = max(abs(a - b) for a, b in zip(ours, theirs, strict=True)) / size
        if not far <= worst:  # NaN is no agreement
            worst, where = (math.inf if math.isnan(far) else far), name
    return worst, where, unequal


def by_python(python: str, *, ready: bool) -> dict:
    """Numbers by a Python that has the library, or is given it and passes the smoke run."""
    folder = Path(tempfile.mkdtemp(prefix="loadpath-python-"))
    program = shutil.which(python) or python
    if not ready:
        program = str(environment(python, folder))
        run_smoke(program, folder)
    found = digits(program, folder)
    shutil.rmtree(folder, ignore_errors=True)
    return found


def main() -> int:
    """A line for each Python."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("python", nargs="*")
    asked.add_argument("--as-is", action="append", default=[])
    asked.add_argument("--files", nargs="*", default=[], type=Path, help="digits that were written elsewhere")
    asked.add_argument("--bits", action="store_true")
    given = asked.parse_args()
    pythons = given.python or ([] if given.as_is or given.files else [sys.executable])
    first, failed = None, 0
    for found in chain((by_python(one, ready=False) for one in pythons), (by_python(one, ready=True) for one in
                       given.as_is), (json.loads(path.read_text(encoding="utf-8")) for path in given.files)):
        first = found if first is None else first
        worst, where, unequal = apart(first, found)
        count = sum(map(len, found["numbers"].values()))
        differ = f"{unequal} of {count} numbers differ, by at most {worst:.1e} ({where})"
        same = differ if unequal else f"the same {count} numbers to the last bit"
        about = found["about"]
        print(f"Python {about['python']}, {about['system']} on {about['machine']}, NumPy {about['numpy']}, llvmlite "
              f"{about['llvmlite']}: {same}", flush=True)
        failed += worst > CLOSE or (given.bits and unequal > 0)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
