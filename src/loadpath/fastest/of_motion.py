"""The path of a motion: its geometry, as polynomials that go by arc length, and where it rests.

By its own time a motion is no parameter for another timing: where it rests or begins, dq/dt is zero and s'^2 would have
to be infinite. So pieces between samples are made anew, of degree five, with the direction and the curvature that the
samples have there; near a rest, where both are quotients of small numbers, with the positions alone.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from loadpath.fastest.pieces import SAME, joined
from loadpath.kinematics.line import Samples
from loadpath.motion.interpolation import upper_coefficients
from loadpath.motion.motion import Motion
from loadpath.scalars.types import Bools, Floats

AT_REST = 1e-7
"""Of the largest speed: below it is no direction..."""
SLOW = 0.02
"""... and below this, speed and acceleration say too little of it to be met."""
SPACING = 1 / 400
"""Of a stretch between rests: samples that are nearer are left out."""
FARTHEST = 0.02
"""rad or m: and samples on the way are met that are farther from each other."""
TURNED = 1e-3
"""rad: by so much the direction may differ on both sides of a rest that has no duration."""
FINE = 3
"""Points between two samples at which the deviation is looked at."""


def of_motion(motion: Motion | Samples) -> tuple[Floats, Floats, dict[int, float], float]:
    """Breaks, coefficients, stops and deviation of its path: see `Path.of`."""
    if motion.q.shape[1] != motion.qd.shape[1]:
        raise ValueError("Path.of: the motion has joints with quaternions: hold them with robot.locked({...})")
    speed = np.linalg.norm(motion.qd, axis=1)
    if not speed.max(initial=0.0) > 0:
        raise ValueError("Path.of: the motion does not move")
    still = speed <= AT_REST * speed.max()
    still |= _reverses(motion.qd)
    stretches, rests = _stretches(motion.t, motion.q, still)
    if not stretches:
        raise ValueError("Path.of: the motion does not move")
    pieces: list[tuple[float, Floats]] = []
    stops: dict[int, float] = {}
    deviation, before = 0.0, None
    for (first, last), rest in zip(stretches, rests, strict=True):
        rows = slice(first, last + 1)
        made, off = _pieces(motion.t[rows], motion.q[rows], motion.qd[rows], motion.qdd[rows], still[rows])
        if before is not None:
            _, c = pieces[-1]
            end = _direction(c, pieces[-1][0])
            turns = np.linalg.norm(end - _direction(made[0][1], 0.0)) > TURNED
            if before > 0 or turns:
                stops[len(pieces)] = before
        elif before is None and rests[0][0] > 0:
            stops[0] = rests[0][0]
        pieces += made
        deviation, before = max(deviation, off), rest[1]
    if before:
        stops[len(pieces)] = before
    return *joined(pieces), stops, deviation


def _direction(c: Floats, p: float) -> Floats:
    """Of a piece at one of its ends."""
    powers = np.arange(len(c))[::-1]
    rate = sum((k * p ** (k - 1) * row for k, row in zip(powers, c, strict=True) if k > 0), np.zeros(c.shape[1]))
    found: Floats = rate / np.linalg.norm(rate)
    return found


def _reverses(qd: Floats) -> Bools:
    """Samples next to which the motion goes back where it came from, without a sample at rest."""
    back = np.zeros(len(qd), dtype=bool)
    size = np.linalg.norm(qd, axis=1)
    cosine = (qd[1:] * qd[:-1]).sum(axis=1)
    back[1:] = cosine < -0.5 * size[1:] * size[:-1]
    return back


def _stretches(t: Floats, q: Floats, still: Bools) -> tuple[list[tuple[int, int]], list[tuple[float, float]]]:
    """First and last sample of each stretch that moves; and seconds of rest in front of it and after it."""
    at = np.flatnonzero(still).tolist()
    edges = sorted({0, *at, len(t) - 1})
    moving = [(a, b) for a, b in pairwise(edges)
              if np.linalg.norm(np.diff(q[a : b + 1], axis=0), axis=1).sum() > 1e3 * SAME]
    ends = [0, *(k for pair in moving for k in pair), len(t) - 1]
    waits = [float(t[b] - t[a]) for a, b in zip(ends[::2], ends[1::2], strict=True)]
    return moving, list(pairwise(waits))


def _pieces(
    t: Floats, q: Floats, qd: Floats, qdd: Floats, still: Bools
) -> tuple[list[tuple[float, Floats]], float]:
    """Polynomials over a stretch, and how far they are from its samples."""
    speed = np.linalg.norm(qd, axis=1)
    steps = np.linalg.norm(np.diff(q, axis=0), axis=1)
    s = np.concatenate([[0.0], np.cumsum(steps)])
    kept = _spread(s, still | (speed < SLOW * speed.max()))
    inner = kept[1:-1]
    unit = qd[inner] / speed[inner, None]
    bent = (qdd[inner] - unit * (unit * qdd[inner]).sum(axis=1, keepdims=True)) / speed[inner, None] ** 2
    pieces: list[tuple[float, Floats]] = []
    for k in range(len(kept) - 1):
        a, b = kept[k], kept[k + 1]
        begin = (unit[k - 1], bent[k - 1]) if k > 0 else None
        end = (unit[k], bent[k]) if k < len(inner) else None
        h = _arc(q[a], q[b], begin, end)
        pieces.append((h, polynomial(h, q[a], q[b], begin, end)))
    return pieces, _deviation(pieces, kept, q)


def _spread(s: Floats, slow: Bools) -> list[int]:
    """Samples at some distance from each other, none of them slow but the first and the last."""
    least, found = min(SPACING * s[-1], FARTHEST), [0]
    for k in range(1, len(s) - 1):
        if not slow[k] and s[k] - s[found[-1]] >= least and s[-1] - s[k] >= least:
            found.append(k)
    return [*found, len(s) - 1]


Side = tuple[Floats, Floats] | None


def _arc(a: Floats, b: Floats, begin: Side, end: Side) -> float:
    """Length of the arc between two points: chord and curvature."""
    chord = float(np.linalg.norm(b - a))
    bends = [float(side[1] @ side[1]) for side in (begin, end) if side is not None]
    return chord * (1 + chord**2 * (sum(bends) / len(bends) if bends else 0.0) / 24)


def polynomial(h: float, a: Floats, b: Floats, begin: Side, end: Side) -> Floats:
    """Coefficients in powers of p from 0 to h, highest first: of degree five where both sides are known, of three where
    one is, a line else.
    """
    if begin is None and end is None:
        return np.array([(b - a) / h, a])
    if begin is not None and end is not None:
        upper = upper_coefficients(h, (a, *begin), (b, *end))
        c3, c4, c5 = (each / h**k for k, each in enumerate(upper, start=3))
        return np.array([c5, c4, c3, begin[1] / 2, begin[0], a])
    if begin is not None:  # position, direction, curvature; and where it ends
        slope, bend = begin
        return np.array([(b - a - h * slope - h**2 * bend / 2) / h**3, bend / 2, slope, a])
    assert end is not None
    slope, bend = end
    third = (b - a - h * slope + h**2 * bend / 2) / h**3
    return np.array([third, bend / 2 - 3 * h * third, slope - h * bend + 3 * h**2 * third, a])


def _deviation(pieces: list[tuple[float, Floats]], kept: list[int], q: Floats) -> float:
    """The largest distance of a sample from the polynomial between its neighbours."""
    worst = 0.0
    for (h, c), a, b in zip(pieces, kept[:-1], kept[1:], strict=True):
        inner = q[a + 1 : b]
        if not len(inner):
            continue
        chord = q[b] - q[a]
        p = h * np.clip((inner - q[a]) @ chord / (chord @ chord), 0.0, 1.0)
        for _ in range(FINE):  # Newton's method for the nearest point
            value, rate = np.zeros_like(inner), np.zeros_like(inner)
            for row in c:
                rate = rate * p[:, None] + value
                value = value * p[:, None] + row
            p = np.clip(p + ((inner - value) * rate).sum(axis=1) / (rate * rate).sum(axis=1), 0.0, h)
        value = np.zeros_like(inner)
        for row in c:
            value = value * p[:, None] + row
        worst = max(worst, float(np.abs(inner - value).max()))
    return worst
