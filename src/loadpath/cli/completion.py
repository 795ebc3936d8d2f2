"""What the shell completes: names of the catalog and files of robots, motions and projects."""

from __future__ import annotations

import os
from pathlib import Path

ROBOT_FILES = (".toml", ".urdf", ".xacro", ".xml", ".mjcf", ".sdf", ".py", ".gz", ".zip")
MOTION_FILES = (".csv", ".tsv", ".txt", ".npz", ".parquet")
MOST = 200
"""Files that are offered."""


def robots(incomplete: str) -> list[str]:
    """Robots of the catalog, and files and folders, that begin so."""
    from loadpath.cli.options import ROBOTS

    names = [name.partition(":")[0] + ":" * (":" in name) for name in ROBOTS]
    return [name for name in names if name.startswith(incomplete)] + _files(incomplete, ROBOT_FILES)


def motions(incomplete: str) -> list[str]:
    """The swing, and files of motions that begin so."""
    return [name for name in ("swing",) if name.startswith(incomplete)] + _files(incomplete, MOTION_FILES)


def projects(incomplete: str) -> list[str]:
    """Project files."""
    return _files(incomplete, (".toml",))


def _files(incomplete: str, endings: tuple[str, ...]) -> list[str]:
    folder, _, begun = incomplete.rpartition(os.sep)
    inside = Path(folder or (os.sep if incomplete.startswith(os.sep) else ".")).expanduser()
    before = incomplete[: len(incomplete) - len(begun)]
    found = []
    try:
        entries = sorted(entry for entry in inside.iterdir() if entry.name.startswith(begun))
    except OSError:
        return []
    for path in entries[:MOST]:
        if path.is_dir():
            found.append(f"{before}{path.name}{os.sep}")
        elif path.suffix.lower() in endings:
            found.append(f"{before}{path.name}")
    return found
