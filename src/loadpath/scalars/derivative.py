"""Derivatives of recorded values, by the chain rule over the operations that they are made of: exact, and recorded too.

`along` goes forward from the inputs, which suits few directions; `gradients` goes back from each result, which suits
few results, and what several of them need of a value is found again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from loadpath.scalars.algebra import Array, zeros
from loadpath.scalars.functions import cos, sign, sin
from loadpath.scalars.recording import NUMBER, Recorded, needed_for


def along(of: Iterable[Any], inputs: Iterable[Recorded], directions: Array) -> Array:
    """(results, k): change of each value per unit along each direction, a column of (inputs, k).

    >>> from loadpath.scalars import array
    >>> from loadpath.scalars.recording import Recording
    >>> x, y = Recording().inputs(2)
    >>> slope = along([x * y, y], [x, y], array([[1.0, 0.0], [0.0, 3.0]]))
    >>> slope[0, 0] is y, slope[0, 1] is x * 3.0, slope[1].tolist()
    (True, True, [0.0, 3.0])
    """
    of, count, inputs = list(of), np.shape(directions)[1], list(inputs)
    if not all(isinstance(x, Recorded) for x in inputs):
        raise TypeError("these derivatives are of recorded equations, and are not there without recording them: call "
                        "the compiled method")
    change: dict[int, dict[int, Any]] = {
        x.place: {k: row[k] for k in range(count) if not _zero(row[k])}
        for x, row in zip(inputs, directions, strict=True)
    }
    for value in needed_for(of):
        if value.place in change:
            continue
        moving = [(j, change[a.place]) for j, a in enumerate(value.arguments) if change.get(a.place)]
        if not moving:
            continue
        slopes = _slopes(value)
        total: dict[int, Any] = {}
        for j, changes in moving:
            for k, step in changes.items():
                term = slopes[j] * step
                total[k] = total[k] + term if k in total else term
        change[value.place] = {k: term for k, term in total.items() if not _zero(term)}
    result = zeros(len(of), count)
    for i, value in enumerate(of):
        if isinstance(value, Recorded):
            for k, step in change.get(value.place, {}).items():
                result[i, k] = step
    return result


def gradients(of: Iterable[Any], inputs: Iterable[Recorded]) -> Array:
    """(results, inputs): derivative of each value by each input.

    >>> from loadpath.scalars.recording import Recording
    >>> x, y = Recording().inputs(2)
    >>> slope = gradients([x * y, 2.5], [x, y])
    >>> slope[0, 0] is y, slope[0, 1] is x, slope[1].tolist()
    (True, True, [0.0, 0.0])
    """
    of = list(of)
    asked = {x.place: k for k, x in enumerate(inputs)}
    moving = set(asked)
    for value in needed_for(of):
        if any(argument.place in moving for argument in value.arguments):
            moving.add(value.place)
    slopes: dict[int, Sequence[Any]] = {}
    result = zeros(len(of), len(asked))
    for i, one in enumerate(of):
        weight: dict[int, Any] = {}
        if isinstance(one, Recorded):
            weight[one.place] = 1.0
        for value in reversed(needed_for([one])):
            if value.place not in moving or value.place not in weight or _zero(weight[value.place]):
                continue
            if value.place in asked:
                result[i, asked[value.place]] = weight[value.place]
                continue
            if value.place not in slopes:
                slopes[value.place] = _slopes(value)
            for argument, slope in zip(value.arguments, slopes[value.place], strict=True):
                if argument.place in moving:
                    term = slope * weight[value.place]
                    weight[argument.place] = weight[argument.place] + term if argument.place in weight else term
    return result


def _zero(value: Any) -> bool:
    return not isinstance(value, Recorded) and value == 0


def _slopes(value: Recorded) -> Sequence[Any]:
    """Derivative of an operation by each of its arguments."""
    arguments: list[Any] = [a.value if a.name == NUMBER else a for a in value.arguments]
    if value.name not in _RULES:
        raise NotImplementedError(f"the derivative of {value.name} is not known")
    return _RULES[value.name](value, *arguments)


_RULES: dict[str, Callable[..., Sequence[Any]]] = {
    "add": lambda f, a, b: (1.0, 1.0),
    "sub": lambda f, a, b: (1.0, -1.0),
    "mul": lambda f, a, b: (b, a),
    "div": lambda f, a, b: (1.0 / b, -(f / b)),
    "inv": lambda f, a: (-(f * f),),
    "neg": lambda f, a: (-1.0,),
    "sq": lambda f, a: (a + a,),
    "twice": lambda f, a: (2.0,),
    "sin": lambda f, a: (cos(a),),
    "cos": lambda f, a: (-sin(a),),
    "sqrt": lambda f, a: (0.5 / f,),
    "exp": lambda f, a: (f,),
    "sign": lambda f, a: (0.0,),
    "fabs": lambda f, a: (sign(a),),
    "atan2": lambda f, y, x: (x / (x * x + y * y), -(y / (x * x + y * y))),
}
"""Of the value f and its arguments."""
