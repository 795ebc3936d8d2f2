"""The motion of a base in some states of many."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from loadpath.states import LoadCase


def base_rows(base: Mapping[str, Any], rows: slice, shape: tuple[int, ...]) -> dict[str, Any]:
    """The motion of the base in some states of a batch of this shape."""
    made = dict(base)
    count = int(np.prod(shape, dtype=int))

    def some(value: Any, own: int) -> Any:
        array = np.asarray(value, dtype=float)
        if array.ndim == own:
            return array
        core = array.shape[array.ndim - own :]
        return np.broadcast_to(array, (*shape, *core)).reshape(count, *core)[rows]

    for name, own in (("velocity", 1), ("acceleration", 1), ("heading", 0)):
        if made.get(name) is not None:
            made[name] = some(made[name], own)
    steering = made.get("steering")
    if isinstance(steering, Mapping):
        made["steering"] = {wheel: some(angle, 0) for wheel, angle in steering.items()}
    elif steering is not None:
        made["steering"] = some(steering, 1)
    if made.get("external"):
        made["external"] = LoadCase(made["external"]).of_states(rows, shape).external
    return made


