"""Paths one after the other, with corners between them as they are, or rounded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from loadpath.fastest.of_motion import polynomial
from loadpath.fastest.pieces import joined
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.fastest.path import Path

APART = 1e-8
"""rad or m: by so much the end of a path may be away from the beginning of the next."""
SMOOTH = 1e-6
"""rad: a turn of the direction that is none."""
REVERSED = 2 - 1e-6
"""A path that goes back as it came has no corner that could be rounded."""
GAUSS = 12
Pieces: TypeAlias = list[tuple[float, Floats]]
"""Lengths in the parameter and coefficients, highest first."""


def one_after_the_other(
    paths: Sequence[Path], blend: float | None, waits: Mapping[int, float], until: Mapping[int, float],
    timed: Mapping[int, float],
) -> dict[str, Any]:
    """What `Path.joined` is made of; numbers of ends, of which there is one more than paths."""
    if not paths:
        raise ValueError("Path.joined: no paths were given")
    every: Pieces = []
    marks: dict[str, dict[int, float]] = {"stops": {}, "not_before": {}, "passes": {}}
    given = {"not_before": until, "passes": timed}
    last = len(paths) - 1
    turns = [_turns(paths, k) for k in range(last)]
    rests = [paths[k].pieces in paths[k].stops or 0 in paths[k + 1].stops or k + 1 in waits for k in range(last)]
    rounds = [False, *(turn is not None and blend is not None and turn < REVERSED and not rest
                       for turn, rest in zip(turns, rests, strict=True)), False]
    for k, path in enumerate(paths):
        own = _pieces(path)
        lost = len(own)
        if rounds[k]:
            own = _without_begin(own, blend or 0.0, path, k)
        lost -= len(own)
        if rounds[k + 1]:
            own = _without_end(own, blend or 0.0, path, k)
        shift = len(every) - lost
        left = lost if rounds[k] else -1, lost + len(own) if rounds[k + 1] else np.inf
        for name in marks:
            marks[name] |= {shift + at: value for at, value in _inside(getattr(path, name), left, blend, k).items()}
        every += own
        if rounds[k + 1]:
            every += _corner(own[-1], _without_begin(_pieces(paths[k + 1]), blend or 0.0, paths[k + 1], k + 1)[0],
                             blend or 0.0)
        at = len(every) - rounds[k + 1]  # the middle of a rounded corner
        if k + 1 in waits or (k < last and turns[k] is not None and not rounds[k + 1]):
            marks["stops"][at] = waits.get(k + 1, marks["stops"].get(at, 0.0))
        for name, times in given.items():
            if k + 1 in times:
                marks[name][at] = times[k + 1]
    if 0 in waits:
        marks["stops"][0] = waits[0]
    if 0 in until:
        marks["not_before"][0] = until[0]
    breaks, coefficients = joined(every)
    return {"breaks": breaks, "coefficients": coefficients, "deviation": max(path.deviation for path in paths),
            **{name: dict(sorted(marked.items())) for name, marked in marks.items()}}


def _inside(marked: Mapping[int, float], left: tuple[float, float], blend: float | None, number: int
            ) -> Mapping[int, float]:
    """Stops and times of a path, none of them in a corner."""
    if any(not left[0] < at < left[1] for at in marked):
        raise ValueError(f"Path.joined: blend is {blend:g}, and path {number} has a stop or a time nearer to its end "
                         "than that: take a smaller one")
    return marked


def _corner(before: tuple[float, Floats], after: tuple[float, Floats], blend: float) -> Pieces:
    """From the end of a piece to the beginning of another, with their directions and curvatures, in two halves."""
    (a, *begin), (b, *end) = _side(before, end=True), _side(after, end=False)
    c = polynomial(2 * blend, a, b, (begin[0], begin[1]), (end[0], end[1]))
    return [(blend, c), (blend, _from(c, blend))]


def _pieces(path: Path) -> Pieces:
    return [(float(length), path.coefficients[:, k]) for k, length in enumerate(np.diff(path.breaks))]


def _turns(paths: Sequence[Path], k: int) -> float | None:
    """How far the direction turns between a path and the next, 2 where it goes back; None of a smooth passage. An error
    where they do not meet.
    """
    (before, after), n = paths[k : k + 2], paths[k].n
    if after.n != n:
        raise ValueError(f"Path.joined: path {k} has {n} coordinates and path {k + 1} has {after.n}")
    end, begin = _side(_pieces(before)[-1], end=True), _side(_pieces(after)[0], end=False)
    if np.abs(end[0] - begin[0]).max() > APART:
        raise ValueError(f"Path.joined: path {k} ends at {_listed(end[0])}, and path {k + 1} begins at "
                         f"{_listed(begin[0])}: each begins where the one before ends")
    turn = float(np.linalg.norm(end[1] - begin[1]))
    return turn if turn > SMOOTH else None


def _listed(q: Floats) -> list[float]:
    found: list[float] = np.round(q, 6).tolist()
    return found


def _side(piece: tuple[float, Floats], *, end: bool) -> tuple[Floats, Floats, Floats]:
    """Position, direction and curvature of a piece at its end or beginning."""
    length, c = piece
    return _at(c, length if end else 0.0)


def _at(c: Floats, p: float) -> tuple[Floats, Floats, Floats]:
    q, rate, half = np.zeros((3, c.shape[1]))
    for row in c:
        half = half * p + rate
        rate = rate * p + q
        q = q * p + row
    size = np.linalg.norm(rate)
    unit = rate / size
    bend = 2 * half
    return q, unit, (bend - unit * (unit @ bend)) / size**2


def _from(c: Floats, begin: float) -> Floats:
    """Coefficients in powers of what is beyond `begin`: Horner's scheme, again and again."""
    found, rest = np.zeros_like(c), c.copy()
    for k in range(len(c)):
        for row in range(1, len(rest)):
            rest[row] += begin * rest[row - 1]
        found[len(c) - 1 - k] = rest[-1]
        rest = rest[:-1]
    return found


def _arc(piece: tuple[float, Floats], begin: float, end: float) -> float:
    """Length of the arc between two parameters of a piece."""
    _, c = piece
    points, weights = np.polynomial.legendre.leggauss(GAUSS)
    found = 0.0
    for point, weight in zip(points, weights, strict=True):
        p, rate, q = begin + (end - begin) * (point + 1) / 2, np.zeros(c.shape[1]), np.zeros(c.shape[1])
        for row in c:
            rate = rate * p + q
            q = q * p + row
        found += weight * (end - begin) / 2 * float(np.linalg.norm(rate))
    return found


def _without_end(pieces: Pieces, off: float, path: Path, number: int) -> Pieces:
    """What is left of a path without so much of its arc at its end."""
    left = off
    for k in range(len(pieces) - 1, -1, -1):
        length, c = pieces[k]
        whole = _arc(pieces[k], 0.0, length)
        if left < whole * (1 - SMOOTH):
            low, high = 0.0, length
            for _ in range(60):
                middle = (low + high) / 2
                low, high = (middle, high) if _arc(pieces[k], middle, length) > left else (low, middle)
            return [*pieces[:k], (low, c)]
        left -= whole
    raise ValueError(f"Path.joined: blend is {off:g}, more than there is of path {number}, which is {path.length:.6g} "
                     "long: take a smaller one")


def _without_begin(pieces: Pieces, off: float, path: Path, number: int) -> Pieces:
    """What is left of a path without so much of its arc at its beginning."""
    left = off
    for k, (length, c) in enumerate(pieces):
        whole = _arc(pieces[k], 0.0, length)
        if left < whole * (1 - SMOOTH):
            low, high = 0.0, length
            for _ in range(60):
                middle = (low + high) / 2
                low, high = (middle, high) if _arc(pieces[k], 0.0, middle) < left else (low, middle)
            return [(length - low, _from(c, low)), *pieces[k + 1 :]]
        left -= whole
    raise ValueError(f"Path.joined: blend is {off:g}, more than there is of path {number}, which is {path.length:.6g} "
                     "long: take a smaller one")
