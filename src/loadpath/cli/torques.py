"""Forces of the drives from a CSV file: columns `t` and the names of the joints, as `loadpath loads --csv` writes."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import numpy as np

import loadpath as lp
from loadpath.files.reach import read_at_most
from loadpath.quantities.carriers import drive_names
from loadpath.scalars.types import Floats

ZERO, HOLD = "zero", "hold"
LONGEST = 200_000_000
"""Bytes of a file."""

_HEAD = re.compile(r"(?:tau\.|drive\.)?(.*?)(?:\s*\((?:N m|Nm|N)\))?")
_TIME = ("t", "time", "t (s)", "time (s)")


def torques_of(robot: lp.Robot, path: str, duration: float) -> tuple[Floats, Floats]:
    """Times (samples,) and forces (samples, n); drives that the file does not have give none."""
    if Path(path).suffix.lower() != ".csv":
        raise ValueError(f"--torque {path}: expected '{ZERO}', '{HOLD}', or a file ending in .csv with the columns t "
                         "and the names of the drives")
    data = read_at_most(Path(path), LONGEST)
    if data is None:
        raise ValueError(f"{path}: longer than {LONGEST // 1_000_000} MB")
    rows = list(csv.reader(data.decode("utf-8-sig", errors="replace").splitlines()))
    if len(rows) < 3:
        raise ValueError(f"{path}: expected a line of names and two lines of numbers or more")
    heads = [head.strip() for head in rows[0]]
    time = next((k for k, head in enumerate(heads) if head.lower() in _TIME), None)
    if time is None:
        raise ValueError(f"{path}, line 1: no column 't'; there are {', '.join(heads[:8])}")
    every, drives = list(robot.dof_names), drive_names(robot)
    plain = {k: found[1] for k, head in enumerate(heads) if k != time and (found := _HEAD.fullmatch(head))}
    columns = {k: every.index(name) for k, name in plain.items() if name in drives}
    if not columns:
        raise ValueError(f"{path}, line 1: no column is named after a drive of '{robot.name}': expected some of "
                         f"{', '.join(drives)}, or tau. before them")
    t, tau = np.empty(len(rows) - 1), np.zeros((len(rows) - 1, robot.n))
    for line, row in enumerate(rows[1:]):
        for k in (time, *columns):
            value = _number(row, k, path, line + 2, heads[k])
            if k == time:
                t[line] = value
            else:
                tau[line, columns[k]] = value
    if (np.diff(t) <= 0).any():
        raise ValueError(f"{path}: times do not rise after line {int(np.argmax(np.diff(t) <= 0)) + 2}")
    if t[0] > 0 or t[-1] < duration * (1 - 1e-9):
        raise ValueError(f"{path} has forces from {t[0]:g} to {t[-1]:g} s: expected 0 to --duration {duration:g} s")
    return t, tau


def _number(row: list[str], column: int, path: str, line: int, head: str) -> float:
    try:
        value = float(row[column])
    except (IndexError, ValueError):
        value = np.nan
    if not np.isfinite(value):
        given = row[column] if column < len(row) else ""
        raise ValueError(f"{path}, line {line}: '{head}' is '{given}', expected a number")
    return value
