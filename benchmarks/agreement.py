"""Whether both libraries say the same: every URDF of example-robot-data that both load, at random states."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pinocchio as pin
from rich.progress import track

from benchmarks.peers import Peers, load, peers, states, urdf_files
from benchmarks.report import Row

STATES = 100


def rows(quick: bool) -> list[Row]:
    """The rows of the table."""
    errors, refused = {}, []
    files = dict(list(urdf_files().items())[:: 8 if quick else 1])
    for name, path in track(files.items(), "Comparing ...", transient=True):
        both = _load(path)
        if isinstance(both, str):
            refused.append(f"{name} ({both})")
        elif both.robot.n:
            errors[name] = disagreement(both)
    worst = max(errors, key=lambda name: errors[name])
    return [
        Row(
            f"{len(errors)} robots: largest difference / largest torque",
            errors[worst],
            at_most=1e-11,
            remark=f"{STATES} random states each; worst: {worst}",
        ),
        Row("files that not both load", len(refused), remark="; ".join(refused)),
    ]


def disagreement(both: Peers) -> float:
    """Largest difference of the torques over random states, relative to the largest torque."""
    q, qd, qdd = states(both.robot, STATES)
    ours = both.robot.inverse_dynamics(q, qd, qdd)
    theirs = np.array([both.inverse_dynamics(*state) for state in zip(q, qd, qdd, strict=True)])
    return float(np.abs(ours - theirs).max() / np.abs(theirs).max())


def _load(path: Path) -> Peers | str:
    """The pair, or who refuses the file."""
    refusing = []
    for name, loader in (("loadpath", load), ("Pinocchio", lambda file: pin.buildModelFromUrdf(str(file)))):
        try:
            with _quiet_stderr():
                loader(path)
        except ValueError:  # ModelError is one
            refusing.append(name)
    return f"refused by {' and '.join(refusing)}" if refusing else peers(path)


class _quiet_stderr:
    """Keeps what C++ writes to stderr out of the table."""

    def __enter__(self) -> None:
        self._kept = os.dup(2)
        self._nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(self._nowhere, 2)

    def __exit__(self, *_: object) -> None:
        os.dup2(self._kept, 2)
        os.close(self._kept)
        os.close(self._nowhere)
