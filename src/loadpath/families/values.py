"""Numbers of designs as users give them: arrays by the names of parameters, checked, in one row for each design."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from loadpath.engine.family import design_of, split
from loadpath.errors import ModelError, warn
from loadpath.robot.arrays import batch_shape
from loadpath.robot.design import tensor_of
from loadpath.robot.inertia import Inertia
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import SMALLEST_NUMBER, nearest
from loadpath.robot.parameters import TENSOR, Parameter
from loadpath.robot.varied import DesignNumbers, decided_values
from loadpath.scalars.decided import Decisions
from loadpath.scalars.types import Floats

_SYMMETRIC = 1e-9


def rows_of(parameters: Sequence[Parameter], given: Mapping[str, Any], before: Floats | None = None) -> Floats:
    """(..., numbers): one row for each design; what is not given is as in the rows before, or as in the robot.

    >>> from loadpath.robot.catalog import planar
    >>> from loadpath.robot.parameters import parameters_of
    >>> rows_of(parameters_of(planar(2), ["link1.mass", "gravity"]), {"link1.mass": [1.0, 2.0]}).shape
    (2, 4)
    """
    if not isinstance(given, Mapping):
        raise ValueError(f"designs are {type(given).__name__}: expected a mapping from names of parameters to arrays, "
                         f"like {{{parameters[0].key!r}: [...]}}")
    known = [parameter.key for parameter in parameters]
    for key in given:
        if key not in known:
            raise ValueError(f"'{key}' is no parameter of this family{nearest(str(key), known)}")
    arrays = {parameter.key: _read(parameter, given[parameter.key]) for parameter in parameters
              if parameter.key in given}
    shapes = {key: array.shape[:-1] for key, array in arrays.items()}
    if before is not None and len(arrays) < len(parameters):
        shapes["the designs there are"] = before.shape[:-1]
    batch = batch_shape(shapes, "family")
    rows: Floats = np.empty((*batch, sum(parameter.size for parameter in parameters)))
    start = 0
    for parameter in parameters:
        at = slice(start, start + parameter.size)
        if parameter.key in arrays:
            rows[..., at] = arrays[parameter.key]
        else:
            rows[..., at] = parameter.nominal if before is None else before[..., at]
        start += parameter.size
    return rows


def refuse_impossible_beams(
    robot: RobotModel, parameters: Sequence[Parameter], rows: Floats, known: set[bytes]
) -> None:
    """Refuse designs whose beams no robot may have, like walls thicker than their radius; in the words in which the
    robot of the design is refused. `known` has ways to lie that were looked at before, and gets those that are new.
    """
    flat = rows.reshape(-1, rows.shape[-1])
    if not robot.beams or not len(flat):
        return
    decisions = Decisions()
    of = DesignNumbers(robot, decided_values(robot, split(parameters, flat.T), decisions), decided=True)
    _ = of.beams
    otherwise = decisions.patterns((len(flat),))
    asked = np.flatnonzero(~otherwise.all(axis=0))
    _, first = np.unique(otherwise[:, asked], axis=1, return_index=True)
    for k in asked[np.sort(first)]:  # one for each way in which they differ
        pattern = np.packbits(otherwise[:, k]).tobytes()
        if pattern in known:
            continue
        try:
            design_of(robot, parameters, flat[k])
        except ModelError as problem:
            place = np.unravel_index(int(k), rows.shape[:-1])
            where = f"design {', '.join(map(str, place))}" if place else "the design"
            raise ValueError(f"family: {where}: {problem}") from problem
        known.add(pattern)


def _read(parameter: Parameter, value: Any) -> Floats:
    """(..., size): the numbers of one parameter."""
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "biuf" and array.size:  # text is no number
            raise ValueError
        array = array.astype(float)
    except (TypeError, ValueError):
        raise ValueError(f"'{parameter.key}' is {value!r}: expected numbers of the shape "
                         f"{_wanted(parameter)}") from None
    if parameter.key.endswith(".inertia") and array.ndim >= 2 and array.shape[-2:] == (3, 3):
        off = np.abs(array - np.swapaxes(array, -1, -2)).max(initial=0.0)
        if off > _SYMMETRIC * np.abs(array).max(initial=0.0):
            raise ValueError(f"'{parameter.key}' is not symmetric: it differs from its transpose by {off:.3g}")
        array = np.stack([array[..., i, j] for i, j in TENSOR], axis=-1)
    if not parameter.shape:
        array = array[..., None]
    if array.shape[-1:] != (parameter.size,):
        raise ValueError(f"'{parameter.key}' has the shape {array.shape}: expected {_wanted(parameter)}")
    if not np.isfinite(array).all():
        raise ValueError(f"'{parameter.key}' has a number that is not finite: expected {parameter.words}")
    if array.size and array.min() < parameter.least:
        raise ValueError(f"'{parameter.key}' has the number {array.min():g}: expected {parameter.least:g} or more")
    if parameter.key.endswith(".inertia"):
        _warn_of_faults(parameter.key, array)
    return array


def _warn_of_faults(key: str, inertias: Floats) -> None:
    """Warn of moments that no body has, as robots do; of the worst of the designs."""
    if not inertias.size:
        return
    rows = inertias.reshape(-1, len(TENSOR))
    a, b, c = np.linalg.eigvalsh(tensor_of(rows.T)).T
    worst = rows[int(np.argmin(np.minimum(a, a + b - c) / np.maximum(np.abs(c), SMALLEST_NUMBER)))]
    for fault in Inertia(1.0, tensor=tensor_of(worst).tolist()).faults():
        warn(f"family: '{key}': {fault}")


def _wanted(parameter: Parameter) -> str:
    if parameter.key.endswith(".inertia"):
        return "(..., 6), its entries xx, xy, xz, yy, yz, zz, or (..., 3, 3)"
    return f"({', '.join(['...', *map(str, parameter.shape)])})"
