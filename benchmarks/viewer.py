"""Pictures a second of the viewer, of a motion that plays: what is computed, and what goes to the browser with it."""

from __future__ import annotations

import warnings
from importlib.metadata import files
from pathlib import Path
from typing import Any

import loadpath as lp
from benchmarks.report import Row
from benchmarks.timing import best_times

TALOS = "talos_reduced.urdf"


def rows(quick: bool) -> list[Row]:
    """The rows of the table: frames a second of processor time of Python, the browser's own not counted."""
    found = _rows(lp.catalog.panda(), "Panda with arrows", quick, most_ms=1.0, least=60.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        talos = lp.load(next(Path(str(entry.locate())) for entry in files("example-robot-data") or ()
                             if entry.name == TALOS))
        found += _rows(talos, f"Talos with meshes and arrows, {talos.n} freedoms", quick, most_ms=None, least=30.0)
    return found


def _rows(robot: lp.Robot, what: str, quick: bool, most_ms: float | None, least: float) -> list[Row]:
    with robot.view(open_browser=False) as viewer:
        stage: Any = viewer.stage
        player = next(layer for layer in stage.layers if type(layer).__name__ == "Player")
        states = [player.motion.at(time, stage.state) for time in _times(player.motion.duration)]
        stage.stop()  # what is timed is drawn here, by this thread
        turn = iter(range(10**9))
        best = best_times({
            "compute": lambda: stage.subject.frame(states[next(turn) % len(states)]),
            "update": lambda: stage.draw(states[next(turn) % len(states)]),
        }, repetitions=5 if quick else 50)
    return [
        Row(f"{what}: poses, wrenches by cause and drives", 1e3 * best["compute"], "ms", at_most=most_ms),
        Row(f"{what}: states shown a second", 1.0 / best["update"], at_least=least,
            remark=f"{1e3 * best['update']:.2f} ms each, with the messages to the browser"),
    ]


def _times(duration: float, count: int = 97) -> list[float]:
    return [duration * k / (count - 1) for k in range(count)]
