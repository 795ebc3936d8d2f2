"""`python -m between_commits.record FOLDER`: what robots answer, written to a folder.

Each robot becomes a pair of files, `NUMBER.npy` with its numbers and `NUMBER.json` with their names and shapes, words,
refusals and times. The sources are those that PYTHONPATH leads to.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import loadpath

from .calls import calls, is_differentiated
from .leaves import leaves
from .robots import ROBOTS, chosen
from .states import states_of


class Recording:
    """What one robot answered: numbers and words by quantity and field, and what it refused, with its words."""

    def __init__(self, robot: str) -> None:
        self.robot = robot
        self.arrays: list[Any] = []
        self.fields: list[tuple[str, str]] = []
        """Quantity and field of each array."""
        self.words: list[tuple[str, str, str]] = []
        self.refused: dict[str, str] = {}
        self.answered: list[str] = []
        self.seconds: dict[str, float] = {}

    def ask(self, quantity: str, call: Callable[[], Any]) -> None:
        start = time.process_time()
        try:
            parts = list(leaves(call()))
        except Exception as problem:
            self.refused[quantity] = f"{type(problem).__name__}: {problem}"
        else:
            self.answered.append(quantity)
            for field, value in parts:
                if isinstance(value, str):
                    self.words.append((quantity, field, value))
                else:
                    self.fields.append((quantity, field))
                    self.arrays.append(value)
        self.seconds[quantity] = time.process_time() - start

    def write(self, folder: Path, number: int) -> None:
        flat = [np.ravel(array) for array in self.arrays]  # thousands, most of them small: one file
        np.save(folder / f"{number}.npy", np.concatenate(flat) if flat else np.zeros(0))
        parts = ("robot", "fields", "words", "refused", "answered", "seconds")
        stored = {part: getattr(self, part) for part in parts} | {"shapes": [array.shape for array in self.arrays]}
        (folder / f"{number}.json").write_text(json.dumps(stored))


def record(name: str, seed: int, quantity: str = "", *, everything: bool = False) -> Recording:
    """What a robot answers to everything whose name has a text, or that it cannot be made."""
    recording = Recording(name)
    try:
        robot = ROBOTS[name](seed)
        values = states_of(robot, seed + 1)
    except Exception as problem:
        recording.refused["the robot and its states"] = f"{type(problem).__name__}: {problem}"
        return recording
    recording.ask("states", lambda: {key: value for key, value in values.items() if key != "loads"})
    for label, call in calls(robot, values, everything=everything):
        if quantity in label:
            recording.ask(label, call)
    return recording


def leave_uncompiled() -> None:
    """Quantities run on NumPy batches from now on, also where others ask for them: a hundred calls of three states each
    do not repay compiling. Those of recorded equations, and who asks for a `ufunc`, get machine code as ever.
    """
    from loadpath.engine.method import CompiledMethod

    compiled = CompiledMethod.function

    def function(self: Any, variant: Any) -> Any:
        if is_differentiated(self.__name__):
            return compiled(self, variant)
        if variant not in self._uncompiled:
            self._uncompiled[variant] = self.quantity.uncompiled(self.robot, variant)
        return self._uncompiled[variant]

    CompiledMethod.function = function
    CompiledMethod._bound_by = CompiledMethod._general


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m between_commits.record", description=__doc__)
    options.add_argument("folder", type=Path)
    options.add_argument("--only", default="")
    options.add_argument("--quantity", default="")
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--all", action="store_true")
    asked = options.parse_args()
    warnings.simplefilter("ignore")
    if not asked.all:
        leave_uncompiled()
    (folder := asked.folder).mkdir(parents=True)  # a new one: nothing of an earlier recording stays
    (folder / "sources.json").write_text(json.dumps(str(Path(loadpath.__file__).parents[1])))
    for number, name in enumerate(chosen(asked.only)):
        record(name, asked.seed, asked.quantity, everything=asked.all).write(folder, number)
    return 0


if __name__ == "__main__":
    sys.exit(main())
