"""Derivatives by differences of designs nearby, on each side: where no equations are traced (functions that make robots
or motions, parts, what is asked of one robot at a time).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from loadpath.scalars.types import Floats
from loadpath.studies.answers import Answer
from loadpath.studies.chunks import COMPUTED, Chunk, compute
from loadpath.studies.problem import Problem
from loadpath.studies.values import Columns

STEP = 1e-3
"""Of the range of a parameter, or of its size."""
_STEPS = (-2.0, -1.0, -0.5, 0.5, 1.0, 2.0)
_ROUNDING = 1e-14


class Sides(NamedTuple):
    """An answer at a design, its derivatives on both sides, and how far off they may be."""

    value: Floats
    below: Floats
    above: Floats
    error: float


def at_points(
    problem: Problem, points: Sequence[Mapping[str, object]], answers: Sequence[Answer], columns: Columns
) -> Chunk:
    """Answers of designs that need not be of the space: those of one of its designs, with other numbers of some
    parameters. Conditions are not asked.
    """
    free = problem.space.free
    table = {name: [point.get(name, columns[name][0]) for point in points] for name in free}
    space = problem.space.plain().samples(table)
    return compute(problem.over(space, tuple(answers)), 0, len(points))


def by_differences(
    problem: Problem, columns: Columns, wanted: Mapping[str, Sequence[str]], answers: Sequence[Answer]
) -> dict[str, dict[str, Sides]]:
    """Of each parameter the answers wanted of it. Third-order differences of each side; where both agree within
    their errors, fourth-order ones across.
    """
    if not wanted:
        return {}
    names = {name for of in wanted.values() for name in of}
    asked = [answer for answer in answers if answer.name in names]
    steps = {name: STEP * _scale(problem, name, float(columns[name][0])) for name in wanted}
    points: list[dict[str, object]] = [{}]
    for name, step in steps.items():
        points += [{name: float(columns[name][0]) + share * step} for share in _STEPS]
    chunk = at_points(problem, points, asked, columns)
    if chunk.status[0] != COMPUTED:
        reason = chunk.reasons.get(0, "it is not computed")
        raise ValueError(f"sensitivities: this design has no answers: {reason}")
    found: dict[str, dict[str, Sides]] = {}
    for k, (name, step) in enumerate(steps.items()):
        rows = [0, *range(1 + 6 * k, 7 + 6 * k)]
        found[name] = {answer: _sides(chunk.values[answer][rows], step) for answer in wanted[name]}
    return found


def _scale(problem: Problem, name: str, at: float) -> float:
    """The range that a parameter has in the space; of one number its size."""
    ends = np.asarray(problem.space.axis(name), dtype=float)
    width = float(ends.max() - ends.min())
    return width if width > 0 else abs(at) or 1.0


def _sides(values: Floats, step: float) -> Sides:
    """Of values at the design and at -2, -1, -1/2, 1/2, 1, 2 steps."""
    middle, b2, b1, b0, a0, a1, a2 = values
    above, above_error = _one_sided(middle, a0, a1, a2, step)
    below, below_error = _one_sided(middle, b0, b1, b2, -step)
    halves, wholes = (a0 - b0) / step, (a1 - b1) / (2.0 * step)
    across = (4.0 * halves - wholes) / 3.0
    rounding = _ROUNDING * np.abs(middle) / step
    smooth = np.abs(above - below) <= 4.0 * (above_error + below_error) + 1e-6 * np.abs(across) + rounding
    error = np.where(smooth, np.abs(across - halves) * 0.1, np.fmax(above_error, below_error)) + rounding
    above, below = np.where(smooth, across, above), np.where(smooth, across, below)
    known = error[np.isfinite(error)]
    return Sides(middle, below, above, max(float(known.max(initial=0.0)), np.finfo(float).tiny))


def _one_sided(middle: Floats, half: Floats, whole: Floats, twice: Floats, step: float) -> tuple[Floats, Floats]:
    """Derivative and its error, of values at 0, 1/2, 1 and 2 steps on one side."""
    coarse = (-3.0 * middle + 4.0 * whole - twice) / (2.0 * step)
    fine = (-3.0 * middle + 4.0 * half - whole) / step
    better = (4.0 * fine - coarse) / 3.0
    return better, np.abs(better - fine)
