"""A study in a few lines: what its answers range over, the best designs of a front, why designs failed."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.studies.answers import unit_of
from loadpath.studies.values import label
from loadpath.tables import NONE, Table

if TYPE_CHECKING:
    from loadpath.studies.fronts import Front
    from loadpath.studies.results import Results

_SHOWN = 4
"""Digits of a number."""


def ranges_of(study: Results) -> list[dict[str, Any]]:
    """Of each answer its unit, the least, median and largest number over the designs that have one, and the designs of
    the least and the largest; of answers with several entries the largest entry counts.
    """
    found = []
    for answer in study.answers:
        flat = study.store.read(answer.name, slice(0, len(study.space)))
        if flat.ndim > 1:
            flat = flat.reshape(len(flat), -1)
            flat = flat.max(axis=1) if flat.shape[1] else np.full(len(flat), np.nan)
        known = np.flatnonzero(~np.isnan(flat))
        one: dict[str, Any] = {"name": answer.name, "unit": unit_of(answer)}
        one |= dict.fromkeys(("least", "least_at", "median", "largest", "largest_at"))
        if known.size:
            low, high = (int(known[at(flat[known])]) for at in (np.argmin, np.argmax))
            one |= {"least": float(flat[low]), "least_at": low, "median": float(np.median(flat[known])),
                    "largest": float(flat[high]), "largest_at": high}
        found.append(one)
    return found


def table_of_answers(study: Results) -> Table:
    """The same as a table."""
    rows: list[list[str | tuple[str, str]]] = [
        [one["name"], one["unit"] or NONE, *(_number(one[key]) for key in ("least", "median", "largest")),
         *(NONE if one[key] is None else str(one[key]) for key in ("least_at", "largest_at"))]
        for one in ranges_of(study)]
    columns = ["answer", "unit", "least", "median", "largest", "design (least)", "design (largest)"]
    return Table("Answers", columns, rows, left=2)


def table_of_front(front: Front, most: int) -> Table:
    """The designs of a front by its first aim, at most so many, evenly spread; the knee is marked."""
    designs, knee = front.designs, front.knee()
    chosen = np.unique(np.linspace(0, len(designs) - 1, min(most, len(designs))).round().astype(int)).tolist()
    at = next(k for k, one in enumerate(designs) if one["design"] == knee)
    if at not in chosen:
        chosen = sorted({*chosen[:-1], at} if len(chosen) > 1 else {at})
    space = front.study.space
    names = [name for name in front.study.names if name in space.varying or name in space.dependent]
    names += [aim for aim in front.aims if aim not in names]
    rows: list[list[str | tuple[str, str]]] = [
        [f"{designs[k]['design']}{' (knee)' if k == at else ''}", *(_number(designs[k][name]) for name in names)]
        for k in chosen]
    of = "" if len(chosen) == len(designs) else f", {len(chosen)} of them"
    where = f", of those with {front.where}" if front.where else ""
    large = f" ({', '.join(front.maximise)} large)" if front.maximise else ""
    return Table(f"Front of {', '.join(front.aims)}{large}{where}: {len(designs)} designs{of}", ["design", *names],
                 rows, left=1)


def kinds_of_failures(failures: dict[int, str]) -> list[tuple[str, int, int]]:
    """Reasons, how many designs failed for each, and the first of them; the most frequent first.

    >>> kinds_of_failures({3: "a link buckles", 5: "no motion", 9: "a link buckles"})
    [('a link buckles', 2, 3), ('no motion', 1, 5)]
    """
    first: dict[str, int] = {}
    for number, reason in failures.items():
        first.setdefault(reason, number)
    return [(reason, count, first[reason]) for reason, count in Counter(failures.values()).most_common()]


def _number(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return NONE
    if isinstance(value, (float, np.floating)):
        return f"{value:.{_SHOWN}g}"
    return str(value) if isinstance(value, (int, np.integer)) else label(value)
