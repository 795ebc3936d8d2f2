"""The motions that a user can ask for: a swing from rest to rest, or one in a file."""

from __future__ import annotations

from pathlib import Path

import loadpath as lp
from loadpath.cli.app import SWING

SHORTEST, LONGEST = 1e-6, 1e9
"""Durations of a swing (s) whose accelerations are numbers."""
READERS = {".csv": lp.Motion.from_csv, ".npz": lp.Motion.from_npz}


def swing(robot: lp.Robot, samples: int, duration: float | None) -> lp.Motion:
    """The swing of a robot, in so many seconds or as its limits allow."""
    if duration is not None and not SHORTEST <= duration <= LONGEST:
        raise ValueError(f"duration is {duration:g} s: expected {SHORTEST:g} to {LONGEST:g} s")
    return lp.Motion.swing(robot, samples, duration)


def motion(robot: lp.Robot, name: str, samples: int, duration: float | None) -> lp.Motion:
    """The motion of a robot that is named `swing`, or the path of a file."""
    if name == SWING:
        return swing(robot, samples, duration)
    if duration is not None:
        raise ValueError("--duration is of the swing; a motion from a file has its own")
    read = READERS.get(Path(name).suffix.lower())
    if read is None:
        raise ValueError(f"motion '{name}': expected 'swing' or a file ending in {' or '.join(READERS)}")
    return read(name, robot)
