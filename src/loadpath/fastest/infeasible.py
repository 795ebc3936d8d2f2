"""Why there is no motion on a path: which limits are exceeded at rest, and which two leave nothing between them.

Where the backward pass finds an empty set is usually not where the cause is: there two rows leave nothing, one of which
may only say where the motion must come to later. So that one is followed to the point where it begins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from loadpath.errors import ModelError
from loadpath.fastest.loads import State
from loadpath.fastest.search import Found
from loadpath.printable import printable
from loadpath.scalars.types import Floats
from loadpath.tables import Table

AT_REST = 1e-9
SEARCH = 80
"""Steps of a golden section search."""


class NoMotionError(ModelError):
    """No motion along the path keeps all limits. `at_rest` are the limits that holding the robot still already exceeds:
    each with its range of s and its utilisation. `pair` are the two that leave nothing between them, with their places.

    >>> NoMotionError("...").at_rest
    ()
    """

    def __init__(
        self, message: str = "", at_rest: tuple[Exceeded, ...] = (), pair: tuple[Claim, ...] = ()
    ) -> None:
        super().__init__(message)
        self.at_rest, self.pair = at_rest, pair


@dataclass(frozen=True)
class Exceeded:
    """A limit that is exceeded at rest: from s to s, and how much of it is used at most."""

    limit: str
    begin: float
    end: float
    utilisation: float


@dataclass(frozen=True)
class Claim:
    """What one limit asks for at a place: "s'' at least" or "at most"."""

    limit: str
    asks: str
    s: float


def no_motion(found: Found, robot: Any) -> NoMotionError:
    """The error, with both tables."""
    at_rest = exceeded_at_rest(found)
    pair = conflict(found)
    length = float(found.grid.s[-1])
    lines = [f"no motion of robot '{robot.name}' on this path keeps all limits"]
    if at_rest:
        rows = [[printable(each.limit), f"{each.begin:.4g}", f"{each.end:.4g}", f"{each.utilisation:.4g}"]
                for each in at_rest]
        lines += [f"exceeded at rest (s goes from 0 to {length:.4g}):",
                  Table("", ["limit", "from s", "to s", "utilisation"], rows).text()]
    if pair:
        rows = [[printable(each.limit), each.asks, f"{each.s:.4g}"] for each in pair]
        lines += ["these leave nothing between them:", Table("", ["limit", "asks for", "at s"], rows).text()]
    lines.append("raise these limits, take off payload, stop less, or go another way")
    return NoMotionError("\n".join(lines), at_rest, pair)


def exceeded_at_rest(found: Found) -> tuple[Exceeded, ...]:
    """Limits that gravity alone exceeds, and where."""
    grid = found.grid
    still = State(np.zeros(len(grid.h)), np.zeros_like(grid.d))
    used = found.problem.used(found.course, still)
    s = grid.s[:-1, None] + grid.d
    every = []
    for k, name in enumerate(found.problem.names):
        over = used[..., k].ravel() > 1 + AT_REST
        where = s.ravel()
        edges = np.flatnonzero(np.diff(np.concatenate([[0], over.astype(int), [0]])))
        for a, b in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
            every.append(Exceeded(str(name), float(where[a]), float(where[b - 1]),
                                  float(used[..., k].ravel()[a:b].max())))
    return tuple(_merged(every))


def _merged(every: list[Exceeded]) -> list[Exceeded]:
    """Ranges that touch are one."""
    found: list[Exceeded] = []
    for each in every:
        last = found[-1] if found else None
        if last is not None and last.limit == each.limit and each.begin - last.end <= 1e-9:
            found[-1] = Exceeded(each.limit, last.begin, each.end, max(last.utilisation, each.utilisation))
        else:
            found.append(each)
    return found


def conflict(found: Found) -> tuple[Claim, ...]:
    """The two rows that leave least at the point where the backward pass fails."""
    i = int(found.solution.failed)
    low, high = found.solution.low, found.solution.high
    if i == 0 and np.isfinite(low[0]):  # there is a set, and the beginning is not in it
        x = max(found.problem.start**2, 0.0) if np.isfinite(found.problem.start) else 0.0
        side = "least" if x < low[0] else "most"
        return (Claim(f"speed at the beginning, s' = {np.sqrt(x):.4g}", "is given", 0.0),
                _followed(found, 0, float(low[0] if side == "least" else high[0]), side))
    x = _narrowest(found, i)
    return (_followed(found, i, x, "least"), _followed(found, i, x, "most"))


def _ends(found: Found, i: int, x: float) -> tuple[tuple[float, int], tuple[float, int]]:
    """The largest of what u must be at least and the smallest of what it must be at most, with their rows: -1 where it
    is the next set.
    """
    alpha, beta, gamma, _ = (part[i] for part in found.rows)
    h = found.grid.h[i]
    scale = np.abs(alpha).max(initial=1e-300)
    has = np.abs(alpha) > 1e-12 * scale
    with np.errstate(divide="ignore", invalid="ignore"):
        line = (gamma - beta * x) / alpha
    below = np.where(has & (alpha < 0), line, -np.inf)
    above = np.where(has & (alpha > 0), line, np.inf)
    alone = ~has & (beta * x > gamma + 1e-12)
    j, k = int(np.argmax(below)), int(np.argmin(above))
    least, most = (float(below[j]), j), (float(above[k]), k)
    after = found.solution.low[i + 1], found.solution.high[i + 1]
    if (after[0] - x) / (2 * h) > least[0]:
        least = float((after[0] - x) / (2 * h)), -1
    if (after[1] - x) / (2 * h) < most[0]:
        most = float((after[1] - x) / (2 * h)), -1
    if alone.any():
        worst = int(np.argmax(np.where(alone, beta * x - gamma, -np.inf)))
        most = -np.inf, worst
    return least, most


def _narrowest(found: Found, i: int) -> float:
    """The x at which least is missing: of a convex function, by golden sections."""
    top = found.problem.top(found.grid)[i]
    known = found.solution.high[i + 1 :]
    high = min(float(top), 4 * float(np.nanmax(known[np.isfinite(known)], initial=1.0)) + 1.0)
    low, ratio = 0.0, (np.sqrt(5) - 1) / 2

    def missing(x: float) -> float:
        least, most = _ends(found, i, x)
        return least[0] - most[0]

    for _ in range(SEARCH):
        a, b = high - ratio * (high - low), low + ratio * (high - low)
        if missing(a) <= missing(b):
            high = b
        else:
            low = a
    return low if low < 1e-9 * (1 + high) else (low + high) / 2


def _followed(found: Found, i: int, x: float, side: str) -> Claim:
    """Which limit asks for that end of u: here or, where the next set does, at the point where its end comes from."""
    s: Floats = found.grid.s
    while True:
        ends = dict(zip(("least", "most"), _ends(found, i, x), strict=True))
        row = ends[side][1]
        if row >= 0:
            owner = found.problem.names[int(found.rows.owner[i, row])]
            return Claim(str(owner), f"s'' at {side}", float(s[i]))
        i += 1
        x = float(found.solution.low[i] if side == "least" else found.solution.high[i])
        if i == len(found.grid.h) or found.grid.at_rest[i]:
            return Claim("the stop" if x <= 0 else "the speed at the end", f"s' = {np.sqrt(max(x, 0.0)):.4g}",
                         float(s[i]))
        meet = [name for name, (_, row) in zip(("least", "most"), _ends(found, i, x), strict=True) if row < 0]
        side = meet[0] if meet else "most"
