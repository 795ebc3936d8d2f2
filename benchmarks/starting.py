"""How long a user waits before the first number: imports and the command line, against importing NumPy."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from benchmarks.report import Row

NUMPY = ("-c", "import numpy")
STARTS = {
    "import loadpath": (("-c", "import loadpath"), 1.7),
    "import loadpath, and a Panda from the catalog": (("-c", "import loadpath; loadpath.catalog.panda()"), None),
    "loadpath --help": (("-c", "from loadpath.cli import main; main()", "--help"), 2.0),
}


def rows(quick: bool) -> list[Row]:
    """The rows of the table: processes take turns, the least processor time of each counts."""
    commands = {"numpy": NUMPY, **{name: command for name, (command, _) in STARTS.items()}}
    least = dict.fromkeys(commands, float("inf"))
    for _ in range(2 if quick else 10):
        for name, command in commands.items():
            least[name] = min(least[name], _processor_seconds(command))
    numpy = least["numpy"]
    return [
        Row(f"{name} / python -c 'import numpy'", least[name] / numpy, at_most=most,
            remark=f"{1e3 * least[name]:.0f} / {1e3 * numpy:.0f} ms of processor time, the interpreter's own included")
        for name, (_, most) in STARTS.items()
    ]


def _processor_seconds(command: tuple[str, ...]) -> float:
    before = os.times()
    root = Path(__file__).parents[1]
    subprocess.run([sys.executable, *command], check=True, stdout=subprocess.DEVNULL, cwd=root)
    after = os.times()
    return after.children_user - before.children_user + after.children_system - before.children_system
