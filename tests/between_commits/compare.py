"""What differs between two recordings of the same robots."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

BOUND = 1e-12
"""Of the largest entry of an array."""
IN_TIME = 1e-8
"""For what is integrated over time, with steps that are chosen by an estimate of the error."""
INTEGRATED = ("simulate", "roll", "shaped")
ADDED = "only NEW has it"
SPEAKING = 60
"""Characters of words that a table shows."""


@dataclass(frozen=True)
class Difference:
    """One number, word or refusal that is not the same."""

    robot: str
    quantity: str
    field: str
    kind: str
    """`differs`, `shape`, `words`, `refused by NEW`, `refused by OLD`, `other refusal`, `missing`, or `ADDED`."""
    size: float = float("nan")
    """Largest difference, as a share of the largest entry."""
    note: str = ""


class Recorded:
    """What a tree's robot answered, as it was written."""

    def __init__(self, folder: Path, number: int) -> None:
        stored = json.loads((folder / f"{number}.json").read_text())
        self.robot: str = stored["robot"]
        self.refused: dict[str, str] = stored["refused"]
        self.answered: set[str] = set(stored["answered"])
        self.seconds: dict[str, float] = stored["seconds"]
        self.values: dict[tuple[str, str], Any] = {(q, field): words for q, field, words in stored["words"]}
        sizes = [int(np.prod(shape)) for shape in stored["shapes"]]
        arrays = np.split(np.load(folder / f"{number}.npy"), np.cumsum(sizes)[:-1]) if sizes else []
        for key, array, shape in zip(stored["fields"], arrays, stored["shapes"], strict=True):
            self.values[key[0], key[1]] = array.reshape(shape)

    @property
    def quantities(self) -> set[str]:
        return self.answered | set(self.refused)


def differences(old: Path, new: Path) -> Iterator[Difference]:
    """Of all robots that two folders have."""
    for number in range(len(list(old.glob("*.npy")))):
        yield from _of_robot(Recorded(old, number), Recorded(new, number))


def _of_robot(old: Recorded, new: Recorded) -> Iterator[Difference]:
    robot = old.robot
    for quantity in sorted(old.quantities | new.quantities):
        if quantity not in new.quantities:
            yield Difference(robot, quantity, "", "missing", note=old.refused.get(quantity, ""))
        elif quantity not in old.quantities:
            yield Difference(robot, quantity, "", ADDED, note=new.refused.get(quantity, ""))
        elif quantity in old.refused and quantity in new.refused:
            if old.refused[quantity] != new.refused[quantity]:
                yield Difference(robot, quantity, "", "other refusal",
                                 note=_both(old.refused[quantity], new.refused[quantity]))
        elif quantity in new.refused:
            yield Difference(robot, quantity, "", "refused by NEW", note=new.refused[quantity])
        elif quantity in old.refused:
            yield Difference(robot, quantity, "", "refused by OLD", note=old.refused[quantity])
    both = old.answered & new.answered
    for key in dict.fromkeys((*old.values, *new.values)):
        if key[0] in both:
            yield from _of_value(robot, key, old.values.get(key), new.values.get(key))


def _of_value(robot: str, key: tuple[str, str], a: Any, b: Any) -> Iterator[Difference]:
    if a is None or b is None:
        yield Difference(robot, *key, "missing" if b is None else ADDED)
    elif isinstance(a, str) or isinstance(b, str):
        if not (isinstance(a, str) and isinstance(b, str) and a == b):
            yield Difference(robot, *key, "words", note=_both(str(a), str(b)))
    elif a.shape != b.shape:
        yield Difference(robot, *key, "shape", note=f"{a.shape} and {b.shape}")
    else:
        size = apart(a, b)
        if not size <= (IN_TIME if key[0].split()[0] in INTEGRATED else BOUND):
            yield Difference(robot, *key, "differs", size, _entries(a, b))


def apart(a: Any, b: Any) -> float:
    """Largest difference as a share of the largest entry; infinite where only one is finite."""
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    if same.all():
        return 0.0
    if not (np.isfinite(a) | same).all() or not (np.isfinite(b) | same).all():
        return float("inf")
    largest = max(np.abs(part[np.isfinite(part)]).max(initial=0.0) for part in (a, b))
    return float(np.abs(a[~same] - b[~same]).max() / largest)


def _entries(a: Any, b: Any) -> str:
    """The entries that are furthest apart."""
    with np.errstate(invalid="ignore"):
        gap = np.nan_to_num(np.abs(a - b), nan=np.inf, posinf=np.inf) * ((a != b) & ~(np.isnan(a) & np.isnan(b)))
    at = np.unravel_index(int(np.nan_to_num(gap, nan=0.0).argmax()), gap.shape) if gap.shape else ()
    return f"{a[at]:.9g} and {b[at]:.9g}"


def _both(a: str, b: str) -> str:
    """Two texts from where they part."""
    first = next((k for k, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    start = max(0, first - 20)
    return f"'{a[start : start + SPEAKING]}' and '{b[start : start + SPEAKING]}'"


def table(rows: list[Difference], most: int = 400) -> str:
    """One line a difference, those of one kind together; additions counted by name."""
    lines: list[str] = []
    for kind in dict.fromkeys(row.kind for row in rows if row.kind != ADDED):
        of_kind = [row for row in rows if row.kind == kind]
        lines.append(f"\n{kind} ({len(of_kind)})")
        for row in of_kind[:most]:
            size = f"{row.size:8.1e}  " if kind == "differs" else ""
            note = row.note.partition("\n")[0]
            lines.append(f"  {row.robot:24}  {row.quantity:36}  {row.field:28}  {size}{note}".rstrip())
        if len(of_kind) > most:
            lines.append(f"  and {len(of_kind) - most} more")
    added = Counter(row.quantity for row in rows if row.kind == ADDED)
    if added:
        lines.append(f"\n{ADDED}: " + ", ".join(f"{name} ({count})" for name, count in sorted(added.items())))
    return "\n".join(lines)
