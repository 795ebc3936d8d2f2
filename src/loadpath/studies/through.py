"""Answers along lines and over planes through one design: of a grid those that are there, else computed for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from loadpath.scalars.types import Floats
from loadpath.studies.nearby import at_points
from loadpath.studies.sampling import GRID
from loadpath.studies.together import one_by_one
from loadpath.studies.values import words_of

if TYPE_CHECKING:
    from loadpath.studies.results import Results

_LINE, _LINE_ONE_BY_ONE = 41, 9
_PLANE, _PLANE_ONE_BY_ONE = 25, 7
"""Points along a span, where designs go through kernels together, and where they are asked one by one."""


class Through(NamedTuple):
    """Values along one or two parameters, and the design that they go through."""

    coordinates: tuple[list[Any], ...]
    """Of each parameter: numbers, or words of what is none."""
    values: Floats
    """(answers, points) along one; (points of the second, points of the first) over two."""
    here: tuple[Any, ...]
    at: float
    """The answer there."""


def along(study: Results, answers: Sequence[str], at: int, names: Sequence[str]) -> dict[str, Through]:
    """Answers along each of some parameters, the others as in one design; of entries the largest."""
    known = {answer.name: answer for answer in study.answers}
    asked = [known[name] for name in answers]
    lines = {name: _points(study, name, at, (_LINE, _LINE_ONE_BY_ONE)) for name in names}
    points: list[dict[str, object]] = [{}]
    for name, values in lines.items():
        points += [{name: value} for value in values]
    columns = study.space.columns([at])
    chunk = at_points(study.problem, points, asked, columns)
    every = np.stack([_of_one_number(chunk.values[name]) for name in answers])
    found, start = {}, 1
    for name, values in lines.items():
        part = every[:, start: start + len(values)]
        found[name] = Through((_shown(values),), part, tuple(_shown([columns[name][0]])), float(every[0, 0]))
        start += len(values)
    return found


def over(study: Results, answer: str, x: str, y: str, at: int) -> Through:
    """An answer over two parameters, the others as in one design; of entries the largest."""
    columns = study.space.columns([at])
    if study.space.sampling.kind == GRID and not study.space.scattered:
        places = list(np.unravel_index(at, study.shape))
        kept: list[Any] = [int(place) for place in places]
        for name in (x, y):
            kept[study.space.free.index(name)] = slice(None)
        whole = study.scalars()[answer].reshape(study.shape)[tuple(kept)]
        values = whole.T if study.space.free.index(x) < study.space.free.index(y) else whole
        axes = [study.space.axis(name) for name in (x, y)]
        order = [np.argsort(axis) if axis.dtype.kind == "f" else np.arange(len(axis)) for axis in axes]
        values = values[np.ix_(order[1], order[0])]
        lines = [axis[places] for axis, places in zip(axes, order, strict=True)]
        here_value = float(whole[tuple(int(places[study.space.free.index(name)])
                                       for name in sorted((x, y), key=study.space.free.index))])
    else:
        lines = [np.asarray(_points(study, name, at, (_PLANE, _PLANE_ONE_BY_ONE))) for name in (x, y)]
        points: list[dict[str, object]] = [{}]
        points += [{x: one, y: other} for other in lines[1] for one in lines[0]]
        asked = next(one for one in study.answers if one.name == answer)
        chunk = at_points(study.problem, points, [asked], columns)
        flat = _of_one_number(chunk.values[answer])
        values, here_value = flat[1:].reshape(len(lines[1]), len(lines[0])), float(flat[0])
    here = tuple(_shown([columns[name][0]])[0] for name in (x, y))
    return Through((_shown(lines[0]), _shown(lines[1])), values, here, here_value)


def _points(study: Results, name: str, at: int, counts: tuple[int, int]) -> list[Any]:
    """Values of a parameter to look at: all of a list, evenly spread ones of a span."""
    axis = study.space.span_of(name)
    if axis is None:
        values = list(study.space.axis(name))
        return sorted(values) if all(isinstance(value, float) for value in values) else values
    few = one_by_one(study.problem) != ""
    ends = study.space.bounds(name)
    return list(axis.at(np.linspace(0.0, 1.0, counts[few]), *ends).tolist())


def _shown(values: Any) -> list[Any]:
    plain = list(values)
    if all(isinstance(value, (float, np.floating)) for value in plain):
        return [float(value) for value in plain]
    return [str(word) for word in words_of(plain)]


def _of_one_number(values: Floats) -> Floats:
    if values.ndim < 2:
        return values
    with np.errstate(invalid="ignore"):
        found: Floats = values.reshape(len(values), -1).max(axis=1)
    return found
