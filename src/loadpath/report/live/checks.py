"""The rows of a verdict for the page, and by which rule it makes each of them again."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from loadpath.closure.robot import ClosableRobot
from loadpath.motion.checks import Track, tracks
from loadpath.parts.fitting import parts_of
from loadpath.parts.verdict.limits import LABEL
from loadpath.parts.verdict.result import VerdictRow
from loadpath.report.live.part_rules import part_rules
from loadpath.robot.model import RobotModel


def checks_of(
    robot: ClosableRobot, rows: Sequence[VerdictRow], place: Mapping[int, int]
) -> list[dict[str, Any]]:
    """The rows as plain data; `place` is where a sample stands among those of the page."""
    by_label = {track.label: track for track in tracks(robot)}
    found = [_row(robot, row, by_label, place) for row in rows]
    rules: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for (name, part), own in zip(parts_of(robot), part_rules(robot), strict=True):
        rules.setdefault((name, part.label), []).append(own)
    seen: Counter[tuple[str, str, str]] = Counter()
    for row in found:
        parts = rules.get((row["joint"], row["part"]), [])
        of = row["joint"], row["part"], row["check"]
        if seen[of] < len(parts) and row["sample"] is not None:  # several parts of one name have their rows in order
            row["by"] = parts[seen[of]].get(row["check"])
        seen[of] += 1
    return found


def _row(robot: RobotModel, row: VerdictRow, by_label: Mapping[str, Track], place: Mapping[int, int]) -> dict[str, Any]:
    sample = None if row.at is None else place[row.at.sample]
    return {
        "part": row.part, "joint": row.joint, "check": row.check, "unit": row.unit, "words": row.words,
        "note": row.note, "is_load": row.is_load,
        "demand": _plain(row.demand), "capacity": _plain(row.capacity), "utilisation": _plain(row.utilisation),
        "life_hours": None if row.life_hours is None else _plain(row.life_hours),
        "sample": sample, "time": None if row.at is None else row.at.time, "by": _rule(robot, row, by_label, sample),
    }


def _plain(value: float) -> float | str | None:
    """As JSON can say it: nothing for what is not a number, a word for infinity."""
    if math.isnan(value):
        return None
    return float(value) if math.isfinite(value) else ("Infinity" if value > 0 else "-Infinity")


def _rule(
    robot: RobotModel, row: VerdictRow, by_label: Mapping[str, Track], sample: int | None
) -> dict[str, Any] | None:
    if row.part != LABEL or sample is None:
        return None
    track = by_label[row.joint]
    if row.check == "effort":
        return {"rule": "effort", "k": robot.dof_names.index(row.joint)}
    if row.check == "speed":
        return {"rule": "speed", "v": track.v, "multiplier": track.multiplier}
    return {"rule": "position", "sample": sample}
